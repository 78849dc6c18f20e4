"""What a request selects of an answer: the fields of its type, to a bounded depth and number."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLString,
    GraphQLUnionType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

MOST_DEPTH = 3  # objects within one another, as a connection, its edges and their nodes
MOST_FIELDS = 200  # of one request
_MOST_PARTS = 10  # types of a union
_KIND = "__typename"
# The JSON types of the built-in scalars; other scalars are any value.
_JSON_TYPES = {"String": "string", "ID": "string", "Int": "integer", "Float": "number", "Boolean": "boolean"}


@dataclass
class SelectedFields:
    """The selected fields of one type, each with its own selection if it has any; `parts` are those of a union's types."""

    kind: GraphQLNamedType
    path: tuple[str, ...]
    fields: dict[str, tuple[GraphQLOutputType, SelectedFields | None]] = field(default_factory=dict)
    parts: list[SelectedFields] = field(default_factory=list)

    def text(self, indent: int) -> str:
        """The selection in braces, as a request has it."""
        return (
            "{\n" + "".join(f"{'  ' * (indent + 1)}{line}\n" for line in self._lines(indent + 1)) + "  " * indent + "}"
        )

    def _lines(self, indent: int) -> Iterator[str]:
        for name, (_, inner) in self.fields.items():
            yield name if inner is None else f"{name} {inner.text(indent)}"
        for part in self.parts:
            yield f"... on {part.kind.name} {part.text(indent)}"


class SelectionMaker:
    """Makes the selection of one request."""

    def __init__(self) -> None:
        self._fields_left = MOST_FIELDS

    def selection(self, kind: GraphQLOutputType) -> SelectedFields | None:
        """What is selected of a value of this type; None if it has no fields."""
        named = get_named_type(kind)
        if is_leaf_type(named):
            return None
        whole = SelectedFields(named, (named.name,))
        waiting = deque([whole])
        while waiting:
            waiting += self._fill(waiting.popleft())
        return whole

    def _fill(self, selection: SelectedFields) -> list[SelectedFields]:
        """Choose the fields of a type; returns the selections within, which are still empty."""
        kind, inner = selection.kind, []
        if isinstance(kind, GraphQLUnionType):
            self._fill_union(selection, kind)
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            if isinstance(kind, GraphQLInterfaceType):
                self._take(selection, _KIND, GraphQLNonNull(GraphQLString))
            fields = {name: each for name, each in kind.fields.items() if _is_free(name, each)}
            for name, each in fields.items():
                if is_leaf_type(get_named_type(each.type)):
                    self._take(selection, name, each.type)
            for name, each in fields.items():
                named = get_named_type(each.type)
                if is_leaf_type(named) or len(selection.path) >= MOST_DEPTH or named.name in selection.path:
                    continue
                within = SelectedFields(named, (*selection.path, named.name))
                if self._take(selection, name, each.type, within):
                    inner.append(within)
        if not selection.fields and not selection.parts:
            selection.fields[_KIND] = (GraphQLNonNull(GraphQLString), None)
        return inner

    def _fill_union(self, selection: SelectedFields, kind: GraphQLUnionType) -> None:
        """Fields without fields of their own, of each type; those of one name have one type."""
        self._take(selection, _KIND, GraphQLNonNull(GraphQLString))
        known: dict[str, str] = {}
        for member in kind.types[:_MOST_PARTS]:
            part = SelectedFields(member, (*selection.path, member.name))
            for name, each in member.fields.items():
                fits = known.setdefault(name, str(each.type)) == str(each.type)
                if fits and _is_free(name, each) and is_leaf_type(get_named_type(each.type)):
                    self._take(part, name, each.type)
            if part.fields:
                selection.parts.append(part)

    def _take(
        self, into: SelectedFields, name: str, kind: GraphQLOutputType, within: SelectedFields | None = None
    ) -> bool:
        taken = self._fields_left > 0
        if taken:
            self._fields_left -= 1
            into.fields[name] = (kind, within)
        return taken


def _is_free(name: str, known: GraphQLField) -> bool:
    """Whether a field can be selected as it is: it needs no arguments, and is not deprecated."""
    required = any(is_required_argument(argument) for argument in known.args.values())
    return not required and known.deprecation_reason is None and not name.startswith("__")


def answer_schema(kind: GraphQLOutputType, selection: SelectedFields | None) -> dict[str, Any]:
    """The JSON Schema of a value of this type, as it is selected."""
    if isinstance(kind, GraphQLNonNull):
        return _value_schema(kind.of_type, selection)
    return {"anyOf": [{"const": None}, _value_schema(kind, selection)]}


def _value_schema(kind: Any, selection: SelectedFields | None) -> dict[str, Any]:
    if isinstance(kind, GraphQLList):
        return {"type": "array", "items": answer_schema(kind.of_type, selection)}
    if isinstance(kind, GraphQLEnumType):
        return {"enum": list(kind.values)}
    if selection is None:
        return {"type": _JSON_TYPES[kind.name]} if kind.name in _JSON_TYPES else {}
    return {
        "type": "object",
        "properties": {name: answer_schema(own, within) for name, (own, within) in selection.fields.items()},
        "required": list(selection.fields),
    }
