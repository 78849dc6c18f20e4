"""XML catalogs (OASIS XML Catalogs 1.1): the user's own files in place of the places that documents name.

`uri`, `system`, `rewriteURI`, `rewriteSystem`, `uriSuffix`, `systemSuffix`, `group` and `nextCatalog` are read. Catalogs are files;
nothing is fetched for them, and entities are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError
from .names import local, one_line, space

_SPACE = "urn:oasis:names:tc:entity:xmlns:xml:catalog"
_MOST_FILES = 20
_MOST_BYTES = 2**20  # of one catalog
# Entries of one meaning: attributes of what is named, and of where it is.
_WHOLE = {"uri": ("name", "uri"), "system": ("systemId", "uri")}
_BEGINS = {"rewriteURI": ("uriStartString", "rewritePrefix"), "rewriteSystem": ("systemIdStartString", "rewritePrefix")}
_ENDS = {"uriSuffix": ("uriSuffix", "uri"), "systemSuffix": ("systemIdSuffix", "uri")}


@dataclass
class Catalog:
    """The entries of one file; `next` are the catalogs to which it leads."""

    whole: dict[str, str] = field(default_factory=dict)
    begins: dict[str, str] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    next: list[Catalog] = field(default_factory=list)

    def place(self, names: Iterable[str]) -> str | None:
        """The file or URL for the first of these names that the catalog has; None without an entry."""
        return next((place for name in names if name and (place := self._place(name)) is not None), None)

    def _place(self, name: str) -> str | None:
        if name in self.whole:
            return self.whole[name]
        begins = max((begin for begin in self.begins if name.startswith(begin)), key=len, default=None)
        if begins is not None:
            return _below(self.begins[begins], name[len(begins) :])
        ends = max((end for end in self.ends if name.endswith(end)), key=len, default=None)
        if ends is not None:
            return self.ends[ends]
        return next((place for other in self.next if (place := other._place(name)) is not None), None)


def read_catalog(file: str) -> Catalog:
    """The catalog in a file, with those to which it leads; raises ImportRefusedError."""
    return _read(Path(file).resolve(), set())


def _read(path: Path, known: set[Path]) -> Catalog:
    known.add(path)
    if len(known) > _MOST_FILES:
        raise ImportRefusedError(f"the catalog leads to more than {_MOST_FILES} others")
    catalog = Catalog()
    for element in _root(path).iter(f"{{{_SPACE}}}*"):
        kind = local(str(element.tag))
        for entries, into in ((_WHOLE, catalog.whole), (_BEGINS, catalog.begins), (_ENDS, catalog.ends)):
            if kind in entries:
                named, where = (element.get(attribute, "").strip() for attribute in entries[kind])
                if named and where:
                    into.setdefault(named, _absolute(element, where))
        if kind == "nextCatalog":
            other = _absolute(element, element.get("catalog", ""))
            if "://" in other:
                raise ImportRefusedError(
                    f"the catalog {path} leads to {one_line(other)}, which is not a file; nothing is fetched for a catalog",
                    hint="save that catalog to a file, and name the file",
                )
            if Path(other) not in known:
                catalog.next.append(_read(Path(other), known))
    return catalog


def _root(path: Path) -> etree._Element:
    """The root of a catalog; raises ImportRefusedError if it is none, or has entities."""
    try:
        with path.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ImportRefusedError(f"the catalog {path} cannot be read: {error.strerror}") from None
    if len(raw) > _MOST_BYTES:
        raise ImportRefusedError(f"the catalog {path} is larger than {_MOST_BYTES >> 20} MiB")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(raw, parser, base_url=str(path))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ImportRefusedError(one_line(f"the catalog {path} is not well-formed XML: {error}", 400)) from None
    inside = root.getroottree().docinfo.internalDTD
    if inside is not None and next(inside.iterentities(), None) is not None:
        raise ImportRefusedError(f"the catalog {path} defines entities", hint="write their values out")
    if root.tag != f"{{{_SPACE}}}catalog":
        root_name = f"<{local(str(root.tag))}> of {space(str(root.tag)) or 'no namespace'}"
        raise ImportRefusedError(f"{path} is not an XML catalog: its root is {one_line(root_name)}")
    return root


def _absolute(element: etree._Element, where: str) -> str:
    """A reference in a catalog as a path or URL, by the element's base (xml:base)."""
    base = element.base or ""
    if urlsplit(where).scheme == "" and urlsplit(base).scheme in ("http", "https"):
        return urljoin(base, where)
    scheme = urlsplit(where).scheme
    if scheme == "file":
        return os.path.normpath(unquote(urlsplit(where).path))
    if scheme:
        return where
    folder = unquote(urlsplit(base).path) if urlsplit(base).scheme == "file" else base
    beside = "" if where.startswith("/") else folder.rpartition("/")[0] + "/"
    joined = os.path.normpath(beside + unquote(where))
    return joined + ("/" if where.endswith("/") else "")


def _below(prefix: str, rest: str) -> str | None:
    """A place below a prefix; None if the rest leads out of it."""
    if "://" in prefix:
        return prefix + rest
    place = os.path.normpath(prefix + unquote(rest))
    return place if place.startswith(prefix.rpartition("/")[0] + "/") else None
