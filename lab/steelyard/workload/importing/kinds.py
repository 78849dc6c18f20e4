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
