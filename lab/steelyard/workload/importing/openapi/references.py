"""Places in documents, and resolution of `$ref` within the document or in files of its folder, never over a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from ....base.errors import ImportRefusedError
from .. import documents
from ..names import one_line
from ..wsdl import NotTakenError
from .reading import values_of

MOST_DOCUMENTS = 100
MOST_HOPS = 20


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
        """Whether the value is an object with this key."""
        return isinstance(self.value, dict) and key in self.value

    def at(self, key: str | int) -> Node:
        """The child under an existing key or index."""
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return Node(self.place, f"{self.pointer}/{escaped}", self.value[key])

    def object(self) -> dict[str, Any]:
        """The value, which must be an object; raises NotTakenError if it is not."""
        return dict(self._value_of_kind(dict, "object"))

    def nodes(self, key: str) -> list[Node]:
        """The items of the list under a key, empty without the key; raises NotTakenError if it is not a list."""
        if key not in self.object():
            return []
        listed = self.at(key)
        return [listed.at(number) for number in range(len(listed._value_of_kind(list, "list")))]

    def children_by_name(self, key: str) -> dict[str, Node]:
        """The children of the object under a key by name, empty without the key; raises NotTakenError if it is not an
        object."""
        if key not in self.object():
            return {}
        inner = self.at(key)
        return {name: inner.at(name) for name in inner.object()}

    def text(self, key: str, default: str = "") -> str:
        """The text under a key; raises NotTakenError if it is not a text."""
        return str(self.at(key)._value_of_kind(str, "text")) if key in self.object() else default

    def flag(self, key: str, default: bool = False) -> bool:
        """The boolean under a key; raises NotTakenError if it is not a boolean."""
        return bool(self.at(key)._value_of_kind(bool, "true or false")) if key in self.object() else default

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
    """A description and the files beside it that it refers to, each read once when it is first needed."""

    def __init__(self, place: str, raw: bytes) -> None:
        self.root = Node(place, "", values_of(raw, place))
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
        step = self._document(location, node) if location else self._read[node.place]
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
        beside = "only the document and files in its folder are read"
        place = self.root.place
        try:
            parts = urlsplit(location)
        except ValueError:
            raise NotTakenError(
                f"{node.where} refers to '{one_line(location, 80)}', which is not a valid location"
            ) from None
        if parts.scheme or parts.netloc or documents.is_url(place) or parts.path.startswith("/"):
            raise NotTakenError(f"{node.where} refers to '{one_line(location, 80)}'; {beside}")
        if "\0" in unquote(parts.path):
            raise NotTakenError(f"{node.where} refers to a file with an invalid name")
        path = (Path(node.place).parent / unquote(parts.path)).resolve()
        if path == Path(place).resolve():
            return self.root
        if not path.is_relative_to(Path(place).resolve().parent):
            raise NotTakenError(f"{node.where} refers to '{one_line(location, 80)}', outside its folder; {beside}")
        known = self._read.get(str(path))
        if known is None:
            known = self._read[str(path)] = self._open_document(str(path), node)
        return known

    def _open_document(self, path: str, node: Node) -> Node:
        if len(self._read) == MOST_DOCUMENTS:
            raise NotTakenError(f"{node.where} leads to more than {MOST_DOCUMENTS} documents")
        try:
            raw = documents.read_file(path, node.place)
            if sum(map(len, self.raw.values())) + len(raw) > documents.MOST_BYTES_TOGETHER:
                raise NotTakenError(f"{node.where} leads to more than {documents.MOST_BYTES_TOGETHER >> 20} MiB")
            opened = Node(path, "", values_of(raw, path))
        except ImportRefusedError as error:
            raise NotTakenError(f"{node.where}: {error.message}") from None
        self.raw[path] = raw
        return opened
