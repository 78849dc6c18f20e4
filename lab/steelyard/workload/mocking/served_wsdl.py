"""The WSDL of a stand-in's service, as a client fetches it: with the stand-in's own address, and its parts under the same path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError
from ...catalogue.entries import Entry
from ...models.service import Service
from ..importing.documents import MOST_BYTES, REFERRING, parse
from ..importing.names import BINDINGS

_ASKED = re.compile(r"[^?]*\?(?:single)?(?:wsdl|xsd)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ServedWsdl:
    """The description in a `folder`; `main` is the file of its WSDL."""

    folder: Path
    main: Path

    def document(self, path: str, own: str) -> bytes | None:
        """The document that a path with its query names, its services at the address `own`; None if it names none."""
        if not _ASKED.match(path):
            return None
        query = {name.lower(): value for name, value in parse_qsl(urlsplit(path).query, keep_blank_values=True)}
        part = query.get("xsd") or query.get("wsdl") or ""
        file = self.folder / part if part in self._parts() else self.main
        return _document(file, tuple(self._parts()), own)

    def _parts(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir() if file.suffix in (".xsd", ".wsdl"))


def served_wsdl(service: Entry[Service]) -> ServedWsdl | None:
    """The WSDL of a service; None if it has none that can be read."""
    main = service.folder / (service.model.wsdl or "")
    return ServedWsdl(main.parent, main) if main.is_file() else None


@cache
def _document(file: Path, parts: tuple[str, ...], own: str) -> bytes | None:
    try:
        raw = file.read_bytes()
        root = parse(raw[: MOST_BYTES + 1], str(file))
    except (OSError, ImportRefusedError):
        return None
    for element in root.iter(*REFERRING):
        attribute = REFERRING[str(element.tag)]
        name = element.get(attribute, "")
        if name in parts:
            element.set(attribute, f"?{Path(name).suffix[1:]}={name}")
    for uri in BINDINGS.values():
        for address in root.iter(f"{{{uri}}}address"):
            there = urlsplit(address.get("location", ""))
            address.set("location", own + (there.path or "/") + (f"?{there.query}" if there.query else ""))
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))
