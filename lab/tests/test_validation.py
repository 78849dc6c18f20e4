"""Pydantic's problems are reported in plain words, for every kind of input file."""

from __future__ import annotations

import copy
import operator
import tomllib
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from steelyard.base.configuration import validate
from steelyard.base.errors import ConfigurationError
from steelyard.base.validation import problem_text
from steelyard.models.hosts import Hosts
from steelyard.models.job import Job
from steelyard.models.server import Server
from steelyard.models.service import Service
from steelyard.models.study import Study

ROOT = Path(__file__).parents[2]
MODELS: tuple[type[BaseModel], ...] = (Server, Service, Study, Hosts, Job)
OF_PYDANTIC = (
    "Input should",
    "input should",
    "valid string",
    "unable to parse",
    "input tag ",
    "using discriminator",
    "pydantic",
    "at most characters",
)

DOCUMENTS = {
    str(path.relative_to(ROOT)): (model, tomllib.loads(path.read_text()))
    for pattern, model in (
        ("studies/*.toml", Study),
        ("servers/*/server.toml", Server),
        ("services/*/service.toml", Service),
    )
    for path in ROOT.glob(pattern)
}

keys = sorted({name for model in MODELS for name in model.model_fields})
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(keys) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def problem(kind: Any, value: object) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return problem_text(caught.value.errors()[0])


class Round(BaseModel):
    kind: Literal["round"]


class Square(BaseModel):
    kind: Literal["square"]


Shape = Annotated[Round | Square, Field(discriminator="kind")]


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Annotated[int, Field(ge=1)], 0, "must be at least 1, not 0"),
        (Annotated[int, Field(ge=1)], "-1", "must be at least 1, not -1"),
        (Annotated[float, Field(lt=1)], 1.5, "must be less than 1.0, not 1.5"),
        (int, "1e3", "must be a whole number, not '1e3'"),
        (int, 2.5, "must be a whole number, not 2.5"),
        (float, [], "must be a number"),
        (bool, "maybe", "must be true or false, not 'maybe'"),
        (str, 5, "must be a text, not 5"),
        (list[int], 5, "must be a list, not 5"),
        (dict[str, int], "x", "must be a table, not 'x'"),
        (Literal["a", "b"], "c", "must be 'a' or 'b', not 'c'"),
        (Annotated[str, Field(pattern="^[a-z]+$")], "A1", "must match ^[a-z]+$, not 'A1'"),
        (Annotated[str, Field(min_length=1)], "", "must have at least 1 character, not ''"),
        (Annotated[list[int], Field(min_length=2)], [1], "must have at least 2 entries"),
        (Shape, {"kind": "oval"}, "must have as 'kind' one of 'round', 'square', not 'oval'"),
        (Shape, {}, "must say its 'kind'"),
        (Round, {}, "is missing"),
    ],
)  # fmt: skip
def test_a_problem_is_a_predicate_that_names_what_stands_there(kind: Any, value: object, words: str) -> None:
    assert problem(kind, value) == words


def test_a_value_of_any_length_is_shown_shortened() -> None:
    assert len(problem(int, "x" * 100_000)) < 120


def places(node: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a document has a value, tables and lists included, each as the steps to it."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, child in inner:
        yield (*above, step)
        yield from places(child, (*above, step))


@given(st.data(), st.sampled_from(sorted(DOCUMENTS)), values)
def test_words_of_pydantic_never_reach_who_wrote_a_file(data: st.DataObject, name: str, value: object) -> None:
    model, content = DOCUMENTS[name][0], copy.deepcopy(DOCUMENTS[name][1])
    *above, last = data.draw(st.sampled_from(list(places(content))))
    reduce(operator.getitem, above, content)[last] = value
    try:
        model.model_validate(content)
    except ValidationError as error:
        for each in error.errors():
            words = problem_text({**each, "input": None} if isinstance(each["input"], str) else each)
            assert not [said for said in OF_PYDANTIC if said in words], each


@given(st.sampled_from(MODELS), st.dictionaries(st.sampled_from(keys), values, max_size=6))
def test_a_file_of_nonsense_is_refused_in_a_sentence_that_names_it(
    model: type[BaseModel], content: dict[str, Any]
) -> None:
    try:
        validate(content, model, "my.toml")
    except ConfigurationError as error:
        assert error.message.startswith("my.toml: ")
