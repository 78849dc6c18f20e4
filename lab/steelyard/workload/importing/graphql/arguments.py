"""Values for the arguments of a request, by their types."""

from __future__ import annotations

from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    is_required_input_field,
)

from ....base.paths import HOST
from ..left_out import NotTakenError

_MOST_DEPTH = 10
_DEPTH_OF_EMPTY = 6  # at and below which lists are empty: their items may hold such lists again
_BUILT_IN: dict[str, Any] = {"Int": 1, "Float": 1.5, "String": "text", "Boolean": True, "ID": "1"}
# What the names of other scalars usually mean.
_USUAL: dict[str, Any] = {
    "date": "2026-01-01",
    "datetime": "2026-01-01T12:00:00Z",
    "timestamp": "2026-01-01T12:00:00Z",
    "instant": "2026-01-01T12:00:00Z",
    "localdatetime": "2026-01-01T12:00:00",
    "time": "12:00:00Z",
    "localtime": "12:00:00",
    "duration": "PT1H",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "url": f"http://{HOST}/",
    "uri": f"http://{HOST}/",
    "email": "name@example.org",
    "emailaddress": "name@example.org",
    "json": {},
    "jsonobject": {},
    "long": 1,
    "bigint": 1,
    "short": 1,
    "byte": 1,
    "positiveint": 1,
    "nonnegativeint": 1,
    "decimal": 1.5,
    "bigdecimal": 1.5,
}


class ArgumentValues:
    """Makes values; `guessed` are the scalars whose values are only guessed."""

    def __init__(self) -> None:
        self.guessed: dict[str, None] = {}

    def value(self, kind: GraphQLInputType, depth: int = _MOST_DEPTH) -> Any:
        """A value of this type as JSON; raises NotTakenError if it is too deep."""
        if depth == 0:
            raise NotTakenError(f"an argument has required objects within one another, more than {_MOST_DEPTH} deep")
        if isinstance(kind, GraphQLNonNull):
            return self.value(kind.of_type, depth)
        if isinstance(kind, GraphQLList):
            return [self.value(kind.of_type, depth - 1)] if depth > _DEPTH_OF_EMPTY else []
        if isinstance(kind, GraphQLEnumType):
            return next(iter(kind.values))
        if isinstance(kind, GraphQLInputObjectType):
            required = {name: each for name, each in kind.fields.items() if is_required_input_field(each)}
            if getattr(kind, "is_one_of", False):  # of later versions of the library
                required = dict([next(iter(kind.fields.items()))])
            return {name: self.value(each.type, depth - 1) for name, each in required.items()}
        name = str(kind)
        if name in _BUILT_IN:
            return _BUILT_IN[name]
        self.guessed[name] = None
        return _USUAL.get(name.lower().replace("_", ""), "text")
