"""Recognizes the kind of a description by its content, and says what shows it; other kinds are refused by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from ...base.errors import ImportRefusedError
from .documents import is_url, parse
from .names import printable
from .other_kinds import GRAPHQL, OTHER_TEXTS, OTHER_VALUES, OTHER_XML, PROTO, VERSION, NotImported
from .other_tools.xml_head import root_of

GRPC_SCHEMES = ("grpc", "grpcs")
HEAD_BYTES = 2**16  # of a document, by which its kind is known
# The tag and length of a file, then those of its name.
_COMPILED_PROTO = re.compile(rb"\n[\x00-\xff]{1,5}?\n[\x01-\x7f][\w./-]{1,120}\.proto")
_INTROSPECTION = re.compile(r'"__schema"\s*:')
_VERSION_KEY = re.compile(r'"(openapi|swagger|asyncapi)"\s*:')
_PATHS_KEY = re.compile(r'"(paths)"\s*:')  # of a document that lacks its version
_READ = (
    "WSDL 1.1, Swagger 2.0, OpenAPI 3, GraphQL schemas and .proto files are read, and requests of curl, fetch, PowerShell, "
    ".http files, HAR, Siege, JMeter, Postman and SoapUI"
)


class Form(Enum):
    """How a description is read; the value is its name."""

    WSDL = "a WSDL"
    OPENAPI = "an OpenAPI document"
    GRAPHQL = "a GraphQL schema"
    PROTO = "a .proto file"
    COMPILED_PROTO = "a compiled gRPC contract"


_BY_NAME = {
    "proto": Form.PROTO,
    "graphql": Form.GRAPHQL,
    "graphqls": Form.GRAPHQL,
    "gql": Form.GRAPHQL,
    "yaml": Form.OPENAPI,
    "yml": Form.OPENAPI,
}


@dataclass(frozen=True)
class KnownAs:
    """What a description is, and what of its content shows that."""

    form: Form
    shown_by: str


def is_graphql_endpoint(place: str) -> bool:
    """Whether an address is where servers usually answer GraphQL."""
    return is_url(place) and urlsplit(place).path.rstrip("/").lower().endswith("/graphql")


def is_self_describing(place: str) -> bool:
    """Whether an address is that of a server which describes itself when it is asked: by GraphQL, or by gRPC."""
    return is_graphql_endpoint(place) or place.lower().startswith(tuple(f"{scheme}://" for scheme in GRPC_SCHEMES))


def kind_of(raw: bytes, place: str) -> KnownAs:
    """The kind of a description; raises ImportRefusedError, which names it, for one that is not read."""
    ending = (urlsplit(place).path if is_url(place) else place).lower().rpartition(".")[2]
    if _COMPILED_PROTO.match(raw):
        return KnownAs(Form.COMPILED_PROTO, "it begins with the name of a .proto file")
    if ending in ("protoset", "desc", "pb", "binpb"):
        return KnownAs(Form.COMPILED_PROTO, f"its name ends with .{ending}")
    text = raw.decode(json.detect_encoding(raw), "replace").lstrip("\ufeff \t\r\n")
    if not text:
        raise ImportRefusedError(f"{place} is empty")
    if text.startswith("<"):
        root = printable(root_of(text[:HEAD_BYTES]), 60)
        if root == "Envelope":
            parse(raw, place)  # says what is wrong with a message as papers print them
        _require_none_of(OTHER_XML, f"<{root}>", place)
        return KnownAs(Form.WSDL, f"it is XML with the root <{root}>")
    return _kind_of_json(text, place, ending) if text.startswith(("{", "[")) else _kind_of_text(text, place, ending)


def _kind_of_json(text: str, place: str, ending: str) -> KnownAs:
    key = _VERSION_KEY.search(text)
    if key is None and (_INTROSPECTION.search(text) or _BY_NAME.get(ending) is Form.GRAPHQL):
        return KnownAs(Form.GRAPHQL, "it is JSON with the key __schema")
    if key is None:
        _require_none_of(OTHER_VALUES, text[:HEAD_BYTES], place)
        key = _PATHS_KEY.search(text)
    if key is None:
        raise _unknown_kind(text, place)
    return KnownAs(Form.OPENAPI, f"it is JSON with the key {key[1]}")


def _kind_of_text(text: str, place: str, ending: str) -> KnownAs:
    head = text[:HEAD_BYTES]
    if version := VERSION.search(text):
        return KnownAs(Form.OPENAPI, f"a line begins with {version[1]}:")
    if PROTO.search(head):
        return KnownAs(Form.PROTO, "it names its syntax as protobuf does")
    _require_none_of(OTHER_TEXTS, head, place)
    if GRAPHQL.search(text):
        return KnownAs(Form.GRAPHQL, "it defines types as GraphQL does")
    if ending in _BY_NAME:
        return KnownAs(_BY_NAME[ending], f"its name ends with .{ending}")
    raise _unknown_kind(text, place)


def _unknown_kind(text: str, place: str) -> ImportRefusedError:
    begins = printable(text.partition("\n")[0], 60)
    return ImportRefusedError(f"{place} is of no kind that is read: it begins with '{begins}'", hint=_READ)


def _require_none_of(others: Sequence[NotImported], text: str, place: str) -> None:
    """Raises ImportRefusedError, which names it, for a document of a kind that is known and not read."""
    for other in others:
        if other.pattern.search(text):
            raise ImportRefusedError(f"{place} is {other.title}, which is not read", hint=other.instead)
