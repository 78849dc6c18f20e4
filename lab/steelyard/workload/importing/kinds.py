"""Recognizes the kind of a description by its beginning: WSDL, OpenAPI, or GraphQL, which is refused."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ...base.errors import ImportRefusedError

GRAPHQL_HINT = "`steelyard load URL --method POST --body @query.json --expect 'jsonpath=$.data'` loads one query of it"
_GRAPHQL_ENDINGS = (".graphql", ".graphqls", ".gql", "/graphql")
_OPENAPI_ENDINGS = (".json", ".yaml", ".yml")
_VERSION = re.compile(rb"""(?m)^["']?(openapi|swagger|asyncapi)["']?[ \t]*:""")
_GRAPHQL = re.compile(
    rb"(?m)^(schema[ \t]*(@[^\n{]*)?\{|(extend[ \t]+)?(type|interface|input|enum)[ \t]+\w+[^\n:]*\{|(query|mutation)\b[^\n:]*\{)"
)


def is_graphql_place(place: str) -> bool:
    """Whether an address or a file name suggests GraphQL."""
    return urlsplit(place).path.rstrip("/").lower().endswith(_GRAPHQL_ENDINGS)


def graphql_refusal(place: str) -> ImportRefusedError:
    """The error for a GraphQL description."""
    return ImportRefusedError(
        f"{place} describes a GraphQL service, which `import` does not support", hint=GRAPHQL_HINT
    )


def is_openapi(raw: bytes, place: str) -> bool:
    """Whether a document is JSON or YAML and not XML; raises ImportRefusedError for GraphQL."""
    begins = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith(b"<"):
        return False
    if begins.startswith(b"{") or _VERSION.search(raw):
        return True
    if _GRAPHQL.search(raw):
        raise graphql_refusal(place)
    return urlsplit(place).path.lower().endswith(_OPENAPI_ENDINGS)


_RECORD = "`steelyard record --to http://HOST:PORT` records the requests that it sends, as a service folder"
# What a document is, by a line of it, and what to do instead of importing it.
_OTHERS = (
    (re.compile(rb"""(?m)^\s*import\b[^\n]*\bfrom\s+["']k6(/[\w/-]+)?["']"""), "a k6 script"),
    (re.compile(rb"(?m)^\s*import\s+(static\s+)?io\.gatling\b|\bextends\s+Simulation\b"), "a Gatling simulation"),
    (re.compile(rb"(?m)^\s*(from\s+locust\b|import\s+locust\b)"), "a Locust script"),
    (re.compile(rb"(?m)^\s*syntax\s*=\s*[\"']proto[23][\"']\s*;"), "a Protocol Buffers description"),
    (re.compile(rb"schema\.(get)?postman\.com/(json/)?collection/"), "a Postman collection of another version"),
)
_INSTEAD = {
    "a Postman collection of another version": "export it as a collection v2.1",
    "a Protocol Buffers description": 'a service folder with `meaning = "grpc"` calls a gRPC service',
}


def require_importable(raw: bytes, place: str) -> None:
    """Raises ImportRefusedError, which names it, for a document of a kind that is known and not read."""
    if raw.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return
    for pattern, name in _OTHERS:
        if pattern.search(raw):
            raise ImportRefusedError(f"{place} is {name}, which is not read", hint=_INSTEAD.get(name, _RECORD))
