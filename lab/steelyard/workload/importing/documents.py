"""Reads a description and all its imports from where the user allowed it, and from nowhere else."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError, NoAnswerError
from ...base.http_client import HttpClient
from ..xml_reading import read_xml
from .catalogs import Catalog
from .known_schemas import KNOWN
from .names import PROVIDED, WSDL, XSD, one_line

MOST_DOCUMENTS = 200
MOST_BYTES = 16 * 2**20  # of one document
MOST_BYTES_TOGETHER = 64 * 2**20
FETCH_SECONDS = 20.0
# The elements that name another document, with the attribute that says where it is.
REFERRING = {
    f"{{{WSDL}}}import": "location",
    f"{{{XSD}}}import": "schemaLocation",
    f"{{{XSD}}}include": "schemaLocation",
    f"{{{XSD}}}redefine": "schemaLocation",
}


@dataclass(frozen=True)
class Document:
    """One document: its place (a URL, or the path of a file) and its root element. `mapped` are the places of locations that a
    catalog has."""

    place: str
    root: etree._Element
    mapped: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, location: str) -> str:
        """The URL or path of a location in this document, resolved if it is relative."""
        if location in self.mapped:
            return self.mapped[location]
        location = urldefrag(location.strip())[0]
        if is_url(self.place) or is_url(location):
            return urljoin(self.place, location)
        return os.path.normpath(Path(self.place).parent / location)


def is_url(place: str) -> bool:
    """Whether a place is an HTTP URL and not a file."""
    return place.lower().startswith(("http://", "https://"))


def origin(url: str) -> str:
    """Scheme, host and port of a URL; raises ImportRefusedError if it is not an HTTP URL."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower(), 0)
    except ValueError:
        parts, port = urlsplit(""), 0
    if not parts.hostname or not port:
        raise ImportRefusedError(f"'{url[:200]}' is not a valid HTTP URL", hint="write http://HOST:PORT/PATH")
    return f"{parts.scheme.lower()}://{parts.hostname}:{port}"


def require_target(target: str) -> None:
    """Raises ImportRefusedError if `target` (empty: none) is not the URL of a server, with or without a path."""
    if target and (not is_url(target) or set("{}@ ") & set(target) or urlsplit(target).query):
        raise ImportRefusedError(f"--target {target[:200]} is not a server's URL", hint="write http://HOST:PORT")
    if target:
        origin(target)


def at_target(address: str, target: str) -> str:
    """An address at the server `target` (empty: unchanged), with its own path, or that of the target if it has one."""
    parts = urlsplit(target)
    if not target:
        return address
    if parts.path not in ("", "/"):
        return target
    there = urlsplit(address) if is_url(address) or address.startswith("/") else urlsplit("")
    path = (there.path or "/") + (f"?{there.query}" if there.query else "")
    return f"{parts.scheme}://{parts.netloc}{path}"


def read_first(place: str) -> bytes:
    """The content at the place that the user named; raises ImportRefusedError."""
    return fetch(place) if is_url(place) else read_file(str(Path(place).resolve()), "")


def read_all(
    place: str, also: Sequence[str] = (), known_first: bytes | None = None, catalog: Catalog | None = None
) -> list[Document]:
    """The description at `place`, then everything that it imports, each document once. `known_first` is its content if
    it was read already.

    The imports of a URL must come from its own server, those of a file from below its own folder, or from a place in
    `also` (servers as http://HOST:PORT, or folders), or where the `catalog` has them. Schemas whose content is known are not
    fetched. Raises ImportRefusedError for any other place, for a document that is not XML or holds a document type, and when a
    limit above is exceeded.
    """
    allowed = _Allowed(place, also)
    first = place if is_url(place) else str(Path(place).resolve())
    waiting, known = deque([(first, "")]), {first}
    documents: list[Document] = []
    definitions: set[bytes] = set()
    together = 0
    while waiting:
        where, wanted_by = waiting.popleft()
        allowed.require(where, wanted_by)
        if where == first and known_first is not None:
            raw = known_first
        else:
            raw = fetch(where) if is_url(where) else read_file(where, wanted_by)
        together += len(raw)
        if len(documents) == MOST_DOCUMENTS or together > MOST_BYTES_TOGETHER:
            raise ImportRefusedError(
                f"{place} imports more than {MOST_DOCUMENTS} documents or {MOST_BYTES_TOGETHER >> 20} MiB",
                hint="import a description of fewer services",
            )
        document = _with_catalog(Document(where, parse(raw, where)), catalog)
        allowed.add_files(document.mapped.values())
        if "definitions" in str(document.root.tag):
            if raw in definitions:
                continue  # the same document under another address, for example with and without ?wsdl
            definitions.add(raw)
        documents.append(document)
        for location in _imports(document):
            if location not in known:
                known.add(location)
                waiting.append((location, where))
    return documents


def parse(raw: bytes, place: str) -> etree._Element:
    """The root of an XML document; raises ImportRefusedError if it is not well-formed, or holds a document type (and so
    entities)."""
    try:
        root = read_xml(raw, remove_pis=True)
    except (etree.XMLSyntaxError, ValueError) as error:
        from .printed import message_problem  # an ill-formed document may be a message copied from a paper

        raise ImportRefusedError(
            one_line(f"{place} is not well-formed XML: {error}", 400), hint=message_problem(raw)
        ) from None
    if root.getroottree().docinfo.doctype:
        raise ImportRefusedError(
            f"{place} holds a document type declaration, which can define entities",
            hint="a WSDL needs none: remove it",
        )
    return root


class _Allowed:
    """The places from which documents may be read."""

    def __init__(self, place: str, also: Sequence[str]) -> None:
        places = [*also, place if is_url(place) else str(Path(place).resolve().parent)]
        self._origins = {origin(named) for named in places if is_url(named)}
        self._folders = [Path(named).resolve() for named in places if not is_url(named)]

    def add_files(self, places: Iterable[str]) -> None:
        """Allow files that a catalog names, and those beside them."""
        self._folders += [Path(place).resolve().parent for place in places if not is_url(place)]

    def require(self, where: str, wanted_by: str) -> None:
        """Raises ImportRefusedError if an imported document is at a place that is not allowed."""
        if is_url(where):
            if origin(where) not in self._origins:
                raise ImportRefusedError(
                    f"{wanted_by} imports {where}, from a server that was not named; no request was sent to that server",
                    hint=f"--also {origin(where)} allows it, or save the document beside the WSDL",
                )
            return
        path = Path(where)
        in_a_folder = any(path.resolve().is_relative_to(folder) for folder in self._folders)
        if "://" in where or where.startswith("file:") or (is_url(wanted_by) and not in_a_folder):
            raise ImportRefusedError(
                f"{wanted_by} imports {where[:200]}, which is not an http or https URL of a named server",
                hint="correct the location in the description, or save all documents in one folder and import that",
            )
        if wanted_by and not in_a_folder:
            raise ImportRefusedError(
                f"{wanted_by} imports {where}, which is outside its own folder; it was not opened",
                hint=f"--also {path.parent} allows it",
            )


def fetch(url: str) -> bytes:
    """The content at a URL, of MOST_BYTES at most; raises ImportRefusedError."""
    conversation = HttpClient(url, FETCH_SECONDS, most_bytes=MOST_BYTES)
    try:
        answer = conversation.get(
            {"Accept": "text/xml, application/xml, application/json, application/yaml, */*", "Connection": "close"}
        )
    except NoAnswerError as error:
        raise ImportRefusedError(f"{url} could not be read: {error.message}", hint="is the service running?") from None
    finally:
        conversation.close()
    if answer.status != 200:
        raise ImportRefusedError(
            f"{url} answers with HTTP status {answer.status}",
            hint="redirects are not followed; give the document's own address",
        )
    return answer.body


def read_file(path: str, wanted_by: str) -> bytes:
    """The content of a file that the document `wanted_by` imports (empty: that the user named); raises
    ImportRefusedError."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        by = f", which {wanted_by} imports," if wanted_by else ""
        raise ImportRefusedError(f"{path}{by} cannot be read: {error.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise ImportRefusedError(f"{path} is larger than {MOST_BYTES >> 20} MiB")
    return raw


def _with_catalog(document: Document, catalog: Catalog | None) -> Document:
    """The document with the places that a catalog has for its imports: by the whole location, by the location as written, or by
    the namespace."""
    if catalog is None:
        return document
    mapped: dict[str, str] = {}
    for element in document.root.iter(*REFERRING):
        attribute = REFERRING[str(element.tag)]
        location, namespace = element.get(attribute, ""), element.get("namespace", "")
        place = catalog.place([document.resolve(location) if location.strip() else "", location.strip(), namespace])
        if place is not None:
            if not location:
                element.set(attribute, place)
            mapped[location or place] = place
    return replace(document, mapped=mapped)


def _imports(document: Document) -> list[str]:
    """The locations that this document imports or includes. Schemas of standards are only read from files that are there:
    otherwise Steelyard has them."""
    locations = []
    for element in document.root.iter(*REFERRING):
        location, namespace = element.get(REFERRING[str(element.tag)]), element.get("namespace")
        if not location or namespace in PROVIDED:
            continue
        place = document.resolve(location)
        if namespace not in KNOWN or location in document.mapped or (not is_url(place) and Path(place).is_file()):
            locations.append(place)
    return locations
