"""Pydantic's validation problems in plain words, since its own messages name Python types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

from .text import lower_first

_MOST_CHARACTERS = 60
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
    "multiple_of": ("a multiple of", "multiple_of"),
}
_LENGTHS = {
    "too_short": ("at least", "min_length", "entry", "entries"),
    "string_too_short": ("at least", "min_length", "character", "characters"),
    "too_long": ("at most", "max_length", "entry", "entries"),
    "string_too_long": ("at most", "max_length", "character", "characters"),
}
_CHOICES = {
    "literal_error": "be {expected}",
    "enum": "be {expected}",
    "string_pattern_mismatch": "match {pattern}",
    "union_tag_invalid": "have as {discriminator} one of {expected_tags}, not '{tag:.60}'",
    "union_tag_not_found": "say its {discriminator}",
}
_OTHER = {"missing": "is missing", "extra_forbidden": "is not known"}
_WHAT = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number that is not that long",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a number that is not infinite",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "a text",
    "string_unicode": "a text in UTF-8",
    "path_type": "a path",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "none_required": "left out",
}
_SHOWN = (str, int, float, bool)


def problem_text(problem: ErrorDetails) -> str:
    """One problem as a predicate, such as "must be at least 1, not 0". Messages of custom validators stay."""
    kind, value = problem["type"], problem["input"]
    must = _requirement_text(kind, problem.get("ctx", {}))
    if must is not None:
        shown = (
            f", not {_short(value) if kind in _BOUNDS else repr(_short(value))}" if isinstance(value, _SHOWN) else ""
        )
        return f"must {must}{shown}"
    return _OTHER.get(kind) or lower_first(problem["msg"].removeprefix("Value error, "))


def named_problem(name: str, problem: ErrorDetails) -> str:
    """One problem of the named value: a predicate, or after a colon the message of a custom validator."""
    return f"{name}{':' if problem['type'] == 'value_error' else ''} {problem_text(problem)}"


def _requirement_text(kind: str, context: Mapping[str, Any]) -> str | None:
    """The requirement that a value of this kind of problem violates. None for other kinds."""
    if kind in _WHAT:
        return f"be {_WHAT[kind]}"
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return f"be {words} {context[name]}"
    if kind in _LENGTHS:
        words, name, single, several = _LENGTHS[kind]
        return f"have {words} {context[name]} {single if context[name] == 1 else several}"
    return _CHOICES[kind].format(**context) if kind in _CHOICES else None


def _short(value: object) -> object:
    return f"{value[:_MOST_CHARACTERS]}..." if isinstance(value, str) and len(value) > _MOST_CHARACTERS else value
