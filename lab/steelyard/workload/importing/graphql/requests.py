"""The requests of a schema: one for each field of its query and its mutation, with values for required arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    is_required_argument,
    parse,
    validate,
)
from graphql.execution.values import get_variable_values

from ....base.text import first_names
from ..left_out import Left, NotTakenError
from ..names import one_line, printable, unused_name
from .arguments import ArgumentValues
from .selections import SelectedFields, SelectionMaker, answer_schema

MOST_OPERATIONS = 1_000
_LISTED = 10  # names in a note


@dataclass(frozen=True)
class GraphQLRequest:
    """One request: `name` is its operation's, `kind` query or mutation, `field` the one that it asks for. `answer` is the JSON
    Schema of its answers, `left_open` the optional arguments."""

    name: str
    kind: str
    field: str
    text: str
    variables: dict[str, Any]
    answer: dict[str, Any]
    rule: str
    left_open: tuple[str, ...]
    meaning: str

    @property
    def changes_data(self) -> bool:
        """Whether it is a mutation."""
        return self.kind == "mutation"

    def body(self) -> str:
        """The body, in JSON."""
        content = {"query": self.text, "operationName": self.field, "variables": self.variables}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


class RequestMaker:
    """Makes the requests of a schema; `left` has what cannot be asked for, with the reason."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._values = ArgumentValues()
        self._names: set[str] = set()
        self.left: list[Left] = []

    def requests(self) -> list[GraphQLRequest]:
        """The requests that are valid by the schema."""
        made: list[GraphQLRequest] = []
        for kind, name, field in self._root_fields():
            if len(made) == MOST_OPERATIONS:
                self.left.append(Left(f"{kind} {name}", f"{MOST_OPERATIONS:,} operations are imported at most"))
                continue
            try:
                made.append(self._request(kind, name, field))
            except NotTakenError as error:
                self.left.append(Left(f"{kind} {name}", str(error)))
        streams = self._schema.subscription_type
        for name in streams.fields if streams is not None else ():
            self.left.append(Left(f"subscription {name}", "its answers come over a WebSocket or as events"))
        return made

    def notes(self) -> list[str]:
        """Notes on values that were guessed."""
        if not self._values.guessed:
            return []
        names = first_names(list(self._values.guessed), _LISTED)
        return [f"the values of the scalars {names} are guessed: the schema does not describe them"]

    def _root_fields(self) -> Iterator[tuple[str, str, GraphQLField]]:
        roots: list[tuple[str, GraphQLObjectType | None]] = [
            ("query", self._schema.query_type),
            ("mutation", self._schema.mutation_type),
        ]
        for kind, root in roots:
            if root is not None:
                yield from ((kind, name, field) for name, field in root.fields.items())

    def _request(self, kind: str, name: str, field: GraphQLField) -> GraphQLRequest:
        required = {key: each for key, each in field.args.items() if is_required_argument(each)}
        variables = {key: self._values.value(each.type) for key, each in required.items()}
        selection = SelectionMaker().selection(field.type)
        declared = ", ".join(f"${key}: {each.type}" for key, each in required.items())
        passed = ", ".join(f"{key}: ${key}" for key in required)
        text = f"{kind} {name}{f'({declared})' if declared else ''} {{\n"
        text += f"  {name}{f'({passed})' if passed else ''}{'' if selection is None else f' {selection.text(1)}'}\n}}"
        self._require_valid(text, variables)
        described = f": {one_line(field.description, 120)}" if field.description else ""
        return GraphQLRequest(
            name=unused_name(name, self._names, ".", 80),
            kind=kind,
            field=name,
            text=text,
            variables=variables,
            answer=_answer(name, field, selection),
            rule=_rule(name, field, selection),
            left_open=tuple(key for key in field.args if key not in required),
            meaning=printable(f"{kind} {name}{described}", 200),
        )

    def _require_valid(self, text: str, variables: dict[str, Any]) -> None:
        """Raises NotTakenError if the library finds the request not valid by the schema."""
        try:
            document = parse(text)
            problems = validate(self._schema, document)
        except (GraphQLError, TypeError, RecursionError) as error:
            raise NotTakenError(f"no valid request can be made for it: {one_line(str(error), 300)}") from None
        asked = document.definitions[0]
        if not problems and isinstance(asked, OperationDefinitionNode):
            values = get_variable_values(self._schema, asked.variable_definitions or (), variables)
            problems = values if isinstance(values, list) else []
        if problems:
            raise NotTakenError(f"no valid request can be made for it: {one_line(problems[0].message, 300)}")


def _answer(name: str, field: GraphQLField, selection: SelectedFields | None) -> dict[str, Any]:
    """The JSON Schema of right answers: the data as selected, and no errors."""
    data = {"type": "object", "properties": {name: answer_schema(field.type, selection)}, "required": [name]}
    return {
        "type": "object",
        "properties": {"data": data, "errors": {"type": "array", "maxItems": 0}},
        "required": ["data"],
    }


def _rule(name: str, field: GraphQLField, selection: SelectedFields | None) -> str:
    """The expression that every right answer matches: its data, and where that is an object or cannot be null, some value."""
    some = selection is not None or isinstance(field.type, GraphQLNonNull)
    value = rf'"{re.escape(name)}"\s*:\s*[^\sn]' if some else rf'"{re.escape(name)}"\s*:'
    return rf'"data"\s*:\s*\{{\s*{value}'
