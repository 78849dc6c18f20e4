"""Reads a GraphQL schema: its definition (SDL), the result of an introspection, or the answer of a server to that question."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from graphql import (
    GraphQLError,
    GraphQLSchema,
    build_ast_schema,
    build_client_schema,
    get_introspection_query,
    parse,
    validate_schema,
)

from ....base.errors import ImportRefusedError, NoAnswerError
from ....base.http_client import HttpClient
from ..documents import FETCH_SECONDS, MOST_BYTES
from ..names import one_line
from ..openapi.reading import values_of

if TYPE_CHECKING:
    from graphql import IntrospectionQuery

HEADERS = {"Content-Type": "application/json", "Accept": "application/graphql-response+json, application/json"}
_SAVE = "save the schema (SDL, or the introspection's JSON) to a file and import that with --target URL"


def read_schema(raw: bytes, place: str) -> GraphQLSchema:
    """The schema of a document; raises ImportRefusedError if it is none, or not a valid one."""
    try:
        schema = _of_introspection(values_of(raw, place), place) if is_json(raw) else _of_definition(raw)
        problems = validate_schema(schema)
    except (GraphQLError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ImportRefusedError(f"{place} is not a valid GraphQL schema: {_words(error)}") from None
    except RecursionError:
        raise ImportRefusedError(f"{place} is nested too deeply") from None
    if problems:
        more = f", and {len(problems) - 1} more problems" if len(problems) > 1 else ""
        raise ImportRefusedError(f"{place} is not a valid GraphQL schema: {_words(problems[0])}{more}")
    return schema


def ask_schema(url: str) -> bytes:
    """A server's answer to the introspection query; raises ImportRefusedError if it has none."""
    conversation = HttpClient(url, FETCH_SECONDS, most_bytes=MOST_BYTES)
    try:
        answer = conversation.post(json.dumps({"query": get_introspection_query()}).encode(), HEADERS)
    except NoAnswerError as error:
        raise ImportRefusedError(f"{url} could not be asked: {error.message}", hint="is the service running?") from None
    finally:
        conversation.close()
    if answer.status != 200:
        raise ImportRefusedError(f"{url} answers the introspection query with HTTP status {answer.status}", hint=_SAVE)
    return answer.body


def is_json(raw: bytes) -> bool:
    """Whether a document is the JSON of an introspection, and not a definition."""
    return raw.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def _of_definition(raw: bytes) -> GraphQLSchema:
    # Servers know more directives than the document may define, so these are not checked.
    return build_ast_schema(parse(raw.decode("utf-8-sig"), no_location=True), assume_valid_sdl=True)


def _of_introspection(values: Any, place: str) -> GraphQLSchema:
    result = values.get("data", values) if isinstance(values, dict) else values
    if not isinstance(result, dict) or not isinstance(result.get("__schema"), dict):
        errors = values.get("errors") if isinstance(values, dict) else None
        detail = f": {one_line(str(errors))}" if errors else ""
        raise ImportRefusedError(f"{place} holds no schema of an introspection{detail}", hint=_SAVE)
    return build_client_schema(cast("IntrospectionQuery", result))


def _words(error: Exception) -> str:
    return one_line(error.message if isinstance(error, GraphQLError) else f"{error}" or type(error).__name__, 300)
