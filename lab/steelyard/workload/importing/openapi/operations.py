"""What an OpenAPI or Swagger document describes: operations with parameters, body, right answers, security and server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..left_out import Left
from .forms import FieldForm, WrittenBody
from .parameters import WireForm
from .references import Node

SAFE = ("get", "head", "options", "query")


@dataclass(frozen=True)
class RestParameter:
    """A parameter: its serialization, its schema (None: any text), and the document's examples."""

    form: WireForm
    required: bool
    schema: Node | None
    offered: tuple[Any, ...]


@dataclass(frozen=True)
class RestBody:
    """A request's body: its content type, its schema (None: anything), and the document's examples.

    `kind` is json, form (URL-encoded), multipart or text; `fields` are the properties of a form that the document
    describes further.
    """

    content_type: str
    schema: Node | None
    offered: tuple[Any, ...]
    kind: str = "json"
    fields: Mapping[str, FieldForm] = field(default_factory=dict)


@dataclass(frozen=True)
class Scheme:
    """A security scheme: its `kind` as in a service file (empty: not supported), the name, and `words` that describe it.

    The key of an `api-key` is sent as `key`, in a `header` (Cookie for a cookie), or in the query where that is empty.
    """

    name: str
    kind: str
    words: str
    header: str = ""
    key: str = ""


@dataclass(frozen=True)
class RestOperation:
    """One operation. `others` are further servers at which it runs.

    `statuses` are those of right answers; an answer must match one of the schemas `answers`. `has_body`: every right
    answer has a body. `accept` is the header for their content types. `schemes` are all required together; empty: no
    credentials are needed.
    """

    name: str
    method: str
    template: str
    server: str
    parameters: tuple[RestParameter, ...]
    body: RestBody | None
    statuses: tuple[int, ...]
    answers: tuple[Node, ...]
    has_body: bool
    accept: str
    schemes: tuple[Scheme, ...]
    text: str
    others: tuple[str, ...] = ()

    @property
    def changes_data(self) -> bool:
        """Whether its method changes data, as all but GET, HEAD, OPTIONS and QUERY do."""
        return self.method not in SAFE


@dataclass(frozen=True)
class SampledRequest:
    """An operation with its sample: the `path` with its query, `headers`, the `body` (None: no body), descriptions
    of the parameters and form fields that were `left_open`, and the `template` of its path (empty without parameters)."""

    operation: RestOperation
    path: str
    headers: Mapping[str, str]
    body: WrittenBody | None
    left_open: Sequence[str]
    template: str = ""


@dataclass
class OpenApiDescription:
    """The operations of a document in order, what was left out and why, and notes on what was changed."""

    title: str
    operations: list[RestOperation] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
