"""Places in documents, and resolution of `$ref`: within the document, in files of its folder, and where the user allowed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from ....base.errors import ImportRefusedError
from .. import documents
from ..left_out import NotTakenError
from ..names import one_line
from .reading import values_of

MOST_DOCUMENTS = 100
MOST_HOPS = 20
_MAY_BE_NULL = ("example", "default", "const", "value", "dataValue", "x-example")


@dataclass(frozen=True)
class Node:
    """A value with its position: `pointer` (RFC 6901, empty for the whole) in the document `place`."""

    place: str
    pointer: str
    value: Any

    @property
    def where(self) -> str:
        """The position as a URL fragment: `#/paths/~1orders/get`."""
        return one_line(f"#{self.pointer}", 200)

    @property
    def last(self) -> str:
        """The last key or index of its pointer."""
        return unescape(self.pointer.rpartition("/")[2])

    def has(self, key: str) -> bool:
        """Whether the value is an object with this key. A null, as YAML reads an empty value, counts only as an example or a
        constant."""
        held = isinstance(self.value, dict) and key in self.value
        return held and (self.value[key] is not None or key in _MAY_BE_NULL)

    def at(self, key: str | int) -> Node:
        """The child under an existing key or index."""
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return Node(self.place, f"{self.pointer}/{escaped}", self.value[key])

    def object(self) -> dict[str, Any]:
        """The value, which must be an object; raises NotTakenError if it is not."""
        return dict(self._value_of_kind(dict, "object"))

    def nodes(self, key: str) -> list[Node]:
        """The items of the list under a key, empty without the key; raises NotTakenError if it is not a list."""
        if not self.require_object().has(key):
            return []
        listed = self.at(key)
        return [listed.at(number) for number in range(len(listed._value_of_kind(list, "list")))]

    def children_by_name(self, key: str) -> dict[str, Node]:
        """The children of the object under a key by name, empty without the key; raises NotTakenError if it is not an
        object."""
        if not self.require_object().has(key):
            return {}
        inner = self.at(key)
        return {name: inner.at(name) for name in inner.object()}

    def text(self, key: str, default: str = "") -> str:
        """The text under a key; raises NotTakenError if it is not a text."""
        return self.at(key).own_text() if self.require_object().has(key) else default

    def own_text(self) -> str:
        """The value, which must be a text; raises NotTakenError if it is not."""
        return str(self._value_of_kind(str, "text"))

    def flag(self, key: str, default: bool = False) -> bool:
        """The boolean under a key; raises NotTakenError if it is not a boolean."""
        return bool(self.at(key)._value_of_kind(bool, "true or false")) if self.require_object().has(key) else default

    def require_object(self) -> Node:
        """This node; raises NotTakenError if its value is not an object."""
        self._value_of_kind(dict, "object")
        return self

    def _value_of_kind(self, kind: type, word: str) -> Any:
        if not isinstance(self.value, kind):
            raise NotTakenError(f"{self.where} is {_value_text(self.value)}, but must be {word}")
        return self.value


def _value_text(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def unescape(token: str) -> str:
    """Decode a token of a JSON pointer."""
    return token.replace("~1", "/").replace("~0", "~")


class OpenApiDocuments:
    """A description and the documents that it refers to, each read once when it is first needed.

    Files of its own folder may be read, and what `also` allows: folders, and servers as http://HOST:PORT. Nothing else is
    read, the description's own server included.
    """

    def __init__(self, place: str, raw: bytes, also: Sequence[str] = ()) -> None:
        self.root = Node(place, "", values_of(raw, place))
        self._servers = {documents.origin(named) for named in also if documents.is_url(named)}
        self._folders = [Path(named).resolve() for named in also if not documents.is_url(named)]
        if not documents.is_url(place):
            self._folders.append(Path(place).resolve().parent)
        self.raw = {place: raw}
        self._read = {place: self.root}

    def resolve(self, node: Node) -> Node:
        """Follow the `$ref`s of a node to the end; raises NotTakenError if the target is missing or may not be read."""
        for _ in range(MOST_HOPS):
            if not node.has("$ref"):
                return node
            node = self.target(node)
        raise NotTakenError(f"{node.where} begins an endless chain of $ref")

    def target(self, node: Node) -> Node:
        """The target of a node's `$ref`; raises NotTakenError."""
        reference = node.text("$ref")
        location, fragment = urldefrag(reference)
        own = self._read[node.place]
        is_own = not location or (own.has("$self") and own.value["$self"] == location)
        step = own if is_own else self._document(location, node)
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            raise NotTakenError(f"{node.where} refers to '{one_line(reference, 80)}', which is not a JSON pointer")
        for token in fragment.split("/")[1:]:
            key: str | int = unescape(token)
            if isinstance(step.value, list) and str(key).isdecimal() and int(key) < len(step.value):
                key = int(key)
            elif not step.has(str(key)):
                raise NotTakenError(f"{node.where} refers to '{one_line(reference, 120)}', which does not exist")
            step = step.at(key)
        return step

    def _document(self, location: str, node: Node) -> Node:
        """The document at a `location` that `node` refers to; raises NotTakenError if it is not allowed or not readable."""
        if documents.is_url(location) or documents.is_url(node.place):
            place = self._url(location, node)
        else:
            place = self._file(location, node)
        if place == self._own_place():
            return self.root
        known = self._read.get(place)
        if known is None:
            known = self._read[place] = self._open_document(place, node)
        return known

    def _own_place(self) -> str:
        """The place of the description as references lead to it."""
        place = self.root.place
        return place if documents.is_url(place) else str(Path(place).resolve())

    def _url(self, location: str, node: Node) -> str:
        where = f"{node.where} refers to '{one_line(location, 80)}'"
        try:
            url = urljoin(node.place, location) if documents.is_url(node.place) else location
            server = documents.origin(url)
        except (ValueError, ImportRefusedError):
            raise NotTakenError(f"{where}, which is not a valid location") from None
        if url != self._own_place() and server not in self._servers:
            raise NotTakenError(f"{where}, and no request was sent for it: --also {server} allows it")
        return url

    def _file(self, location: str, node: Node) -> str:
        where = f"{node.where} refers to '{one_line(location, 80)}'"
        try:
            parts = urlsplit(location)
        except ValueError:
            raise NotTakenError(f"{where}, which is not a valid location") from None
        if parts.scheme or parts.netloc:
            raise NotTakenError(f"{where}, which is neither a file nor an http or https URL")
        if "\0" in unquote(parts.path):
            raise NotTakenError(f"{node.where} refers to a file with an invalid name")
        path = (Path(node.place).parent / unquote(parts.path)).resolve()
        if not any(path.is_relative_to(folder) for folder in self._folders):
            raise NotTakenError(f"{where}, outside its folder: --also {one_line(str(path.parent), 200)} allows it")
        return str(path)

    def _open_document(self, place: str, node: Node) -> Node:
        if len(self._read) == MOST_DOCUMENTS:
            raise NotTakenError(f"{node.where} leads to more than {MOST_DOCUMENTS} documents")
        try:
            raw = documents.fetch(place) if documents.is_url(place) else documents.read_file(place, node.place)
            if sum(map(len, self.raw.values())) + len(raw) > documents.MOST_BYTES_TOGETHER:
                raise NotTakenError(f"{node.where} leads to more than {documents.MOST_BYTES_TOGETHER >> 20} MiB")
            opened = Node(place, "", values_of(raw, place))
        except ImportRefusedError as error:
            raise NotTakenError(f"{node.where}: {error.message}") from None
        self.raw[place] = raw
        return opened
