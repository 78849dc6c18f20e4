"""Reads a user's WAR: whether it is valid, its endpoints, and files that make a product behave differently."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ...base.errors import ImportRefusedError, why_unread

_METRO = "WEB-INF/sun-jaxws.xml"
_PRODUCTS = re.compile(r"WEB-INF/[\w.]+-web\.xml")  # deployment descriptors of products
_MOST_BYTES = 2**20


@dataclass(frozen=True)
class War:
    """`endpoints` are those of its sun-jaxws.xml: path below the context, by name. Notes for the user are `contexts`, on other
    paths of the WAR, and `soap_notes`, on its SOAP endpoints."""

    endpoints: dict[str, str]
    contexts: list[str]
    soap_notes: list[str]


def read_war(path: Path) -> War:
    """Inspect a WAR without running it; raises ImportRefusedError if it is not one."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if not any(name.startswith("WEB-INF/") for name in names):
                raise ImportRefusedError(
                    f"{path} is not a WAR: it has no WEB-INF", hint="give the .war file that you deploy"
                )
            described = _document(archive, _METRO) if _METRO in names else None
            own = sorted(name for name in names if _PRODUCTS.fullmatch(name))
            roots = {name: _context_root(_document(archive, name)) for name in own}
            bean = any(name.startswith("WEB-INF/lib/") and "cxf" in name for name in names)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        why = why_unread(error) if isinstance(error, OSError) else str(error)
        raise ImportRefusedError(
            f"the WAR {path} cannot be read: {why}", hint="give the .war file that you deploy"
        ) from None
    endpoints = {}
    for element in [] if described is None else described.iter("{*}endpoint"):
        pattern = (element.get("url-pattern") or "/").removesuffix("/*").removesuffix("*").rstrip("/")
        endpoints[element.get("name") or pattern] = pattern
    contexts = [
        f"{name} sets the context {root}: products that use this file serve the WAR there"
        for name, root in roots.items()
        if root
    ]
    notes = []
    if described is None:
        notes.append(
            f"it has no {_METRO}, where Tomcat and Jetty look for endpoints; Jakarta EE products find them by "
            "annotations"
        )
    if bean:
        notes.append("it includes CXF, which may conflict with the product's own")
    return War(endpoints, contexts, notes)


def _document(archive: zipfile.ZipFile, name: str) -> etree._Element:
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ImportRefusedError(f"{name} in the WAR is larger than {_MOST_BYTES >> 20} MiB")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(archive.read(name), parser)
    except etree.XMLSyntaxError as error:
        raise ImportRefusedError(f"{name} in the WAR is not XML: {error}") from None


def _context_root(root: etree._Element) -> str:
    return (root.findtext("{*}context-root") or "").strip()
