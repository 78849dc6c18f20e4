"""Recognizes the kind of a description by its beginning: WSDL, OpenAPI, GraphQL or gRPC; others are refused by their names."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ...base.errors import ImportRefusedError
from .documents import is_url

GRPC_SCHEMES = ("grpc", "grpcs")
_GRAPHQL_ENDINGS = (".graphql", ".graphqls", ".gql")
_INTROSPECTION = re.compile(rb'"__schema"\s*:')
HEAD_BYTES = 2**16  # of a document, by which its kind is known
_OPENAPI_ENDINGS = (".json", ".yaml", ".yml")
_PROTO = re.compile(rb"""(?m)^\s*syntax\s*=\s*["']proto[23]["']\s*;|^\s*edition\s*=\s*["']\d{4}["']\s*;""")
# The tag and length of a file, then those of its name.
_COMPILED_PROTO = re.compile(rb"\n[\x00-\xff]{1,5}?\n[\x01-\x7f][\w./-]{1,120}\.proto")
_VERSION = re.compile(rb"""(?m)^["']?(openapi|swagger|asyncapi)["']?[ \t]*:""")
_GRAPHQL = re.compile(
    rb"(?m)^(schema[ \t]*(@[^\n{]*)?\{|(extend[ \t]+)?(type|interface|input|enum)[ \t]+\w+[^\n:]*\{|(query|mutation)\b[^\n:]*\{)"
)


def is_graphql_endpoint(place: str) -> bool:
    """Whether an address is where servers usually answer GraphQL."""
    return is_url(place) and urlsplit(place).path.rstrip("/").lower().endswith("/graphql")


def is_asked(place: str) -> bool:
    """Whether an address is that of a server which describes itself when it is asked: by GraphQL, or by gRPC."""
    return is_graphql_endpoint(place) or place.lower().startswith(tuple(f"{scheme}://" for scheme in GRPC_SCHEMES))


def is_graphql(raw: bytes, place: str) -> bool:
    """Whether a document is a GraphQL schema: its definition, or the JSON of an introspection."""
    begins = raw[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith(b"{"):
        return _INTROSPECTION.search(begins) is not None
    if begins.startswith(b"<") or _VERSION.search(begins):
        return False
    return urlsplit(place).path.lower().endswith(_GRAPHQL_ENDINGS) or _GRAPHQL.search(raw) is not None


def is_proto(raw: bytes, place: str) -> bool:
    """Whether a document is a .proto file."""
    begins = raw[:HEAD_BYTES]
    named = place.lower().endswith(".proto") and not begins.startswith(b"<")
    return not is_compiled_proto(raw, place) and (named or _PROTO.search(begins) is not None)


def is_compiled_proto(raw: bytes, place: str) -> bool:
    """Whether a document is a compiled contract: it begins with a file, and that with its name."""
    return place.lower().endswith((".protoset", ".desc", ".pb")) or _COMPILED_PROTO.match(raw) is not None


def is_openapi(raw: bytes, place: str) -> bool:
    """Whether a document is JSON or YAML and not XML."""
    begins = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith(b"<"):
        return False
    if begins.startswith(b"{") or _VERSION.search(raw):
        return True
    return urlsplit(place).path.lower().endswith(_OPENAPI_ENDINGS)


_RECORD = "`steelyard record --to http://HOST:PORT` records the requests that it sends, as a service folder"
# What a document is, by a line of it, and what to do instead of importing it.
_OTHERS = (
    (re.compile(rb"""(?m)^\s*import\b[^\n]*\bfrom\s+["']k6(/[\w/-]+)?["']"""), "a k6 script"),
    (re.compile(rb"(?m)^\s*import\s+(static\s+)?io\.gatling\b|\bextends\s+Simulation\b"), "a Gatling simulation"),
    (re.compile(rb"(?m)^\s*(from\s+locust\b|import\s+locust\b)"), "a Locust script"),
    (re.compile(rb"schema\.(get)?postman\.com/(json/)?collection/"), "a Postman collection of another version"),
)
_INSTEAD = {"a Postman collection of another version": "export it as a collection v2.1"}


def require_importable(raw: bytes, place: str) -> None:
    """Raises ImportRefusedError, which names it, for a document of a kind that is known and not read."""
    if raw.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return
    for pattern, name in _OTHERS:
        if pattern.search(raw):
            raise ImportRefusedError(f"{place} is {name}, which is not read", hint=_INSTEAD.get(name, _RECORD))
