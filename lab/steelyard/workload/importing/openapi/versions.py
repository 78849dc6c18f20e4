"""Reads a document as what it is: Swagger 2.0 or OpenAPI 3; other kinds are refused by their names."""

from __future__ import annotations

import re

from ....base.errors import ImportRefusedError
from ..left_out import NotTakenError
from ..names import one_line
from .description import OpenApiReading
from .operations import OpenApiDescription
from .references import Node, OpenApiDocuments
from .swagger import SwaggerReading

_SUPPORTED = "Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are supported"


def read_openapi(documents: OpenApiDocuments, target: str = "") -> OpenApiDescription:
    """The operations of every path; raises ImportRefusedError if the document is not one of the supported versions."""
    root = documents.root
    _require_supported(root)
    reading = SwaggerReading if root.has("swagger") else OpenApiReading
    try:
        return reading(documents, target).description()
    except NotTakenError as error:
        raise ImportRefusedError(f"{root.place} cannot be used: {error}") from None


def has_old_schemas(root: Node) -> bool:
    """Whether the schemas of a document are in the dialect of Swagger 2.0 and OpenAPI 3.0."""
    return root.has("swagger") or str(root.value["openapi"]).startswith("3.0")


def _require_supported(root: Node) -> None:
    """Raises ImportRefusedError with the document's kind if it is none of the supported versions."""
    if not isinstance(root.value, dict):
        raise ImportRefusedError(f"{root.place} is not an OpenAPI document: its top level is not an object")
    if root.has("asyncapi"):
        raise ImportRefusedError(
            f"{root.place} is AsyncAPI; {_SUPPORTED}", hint="AsyncAPI does not describe HTTP requests"
        )
    key, known = ("swagger", r"2\.0") if root.has("swagger") else ("openapi", r"3\.[012](\..*)?")
    version = root.value.get(key)
    version = str(version) if isinstance(version, float) else version  # YAML without quotes
    if not isinstance(version, str):
        raise ImportRefusedError(f"{root.place} has no version in a text field '{key}'; {_SUPPORTED}")
    if not re.fullmatch(known, version):
        raise ImportRefusedError(
            f"{root.place} is {key.capitalize()} {one_line(version, 40)}; {_SUPPORTED}".replace("Openapi", "OpenAPI")
        )
