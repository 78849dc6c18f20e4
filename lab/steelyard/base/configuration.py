"""Read TOML files into models. Errors name the file, the key and the nearest valid key."""

from __future__ import annotations

import copy
import difflib
import functools
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .errors import ConfigurationError, why_unread
from .text import join_words
from .validation import named_problem, problem_text

Model = TypeVar("Model", bound=BaseModel)


def load(path: Path, model: type[Model]) -> Model:
    """Read a file as a `model`. Raises ConfigurationError."""
    return validate(read(path), model, str(path))


def read(path: Path) -> dict[str, Any]:
    """Read a TOML file as plain tables. Raises ConfigurationError where it is missing, unreadable or not TOML."""
    try:
        if not (path.is_file() or path.is_dir()) and path.exists():
            raise ConfigurationError(f"{path} is not a regular file")
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigurationError(f"{path} does not exist") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {why_unread(error)}") from None
    return parse(content, str(path))


def parse(content: bytes, source: str) -> dict[str, Any]:
    """A TOML document as plain tables; `source` is what an error calls it. Raises ConfigurationError."""
    try:
        return copy.deepcopy(_tables(content))
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{source} cannot be read: {why_unread(error)}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{source} is not valid TOML: {error}") from None


@functools.lru_cache(maxsize=512)
def _tables(content: bytes) -> dict[str, Any]:
    """A TOML document. A plan reads the same descriptors dozens of times, and parsing takes most of that time."""
    return tomllib.loads(content.decode("utf-8"))


def validate(content: dict[str, Any], model: type[Model], source: str) -> Model:
    """Validate `content`, plain TOML tables, as a `model`. Errors call it `source`. Raises ConfigurationError."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError(f"{source}: {describe(error.errors()[0], model)}") from None


def describe(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe one pydantic problem in one sentence: the key, the problem, and the nearest valid key."""
    place = ".".join(str(step) for step in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key '{place}'{nearest(str(problem['loc'][-1]), _keys_at(model, problem['loc'][:-1]))}"
    if problem["type"] == "missing":
        return f"key '{place}' is missing"
    return named_problem(f"key '{place}'", problem) if place else problem_text(problem)


def nearest(word: str, valid: list[str]) -> str:
    """A clause with the valid word nearest to `word`, or with all valid words where none is near."""
    return did_you_mean(word, valid) or (f"; valid here: {', '.join(valid)}" if valid else "")


def did_you_mean(word: str, valid: list[str]) -> str:
    """A clause with the valid words of several parts that begin with `word`, else with the nearest. Empty where none is near."""
    longer = [each for each in valid if each.startswith(f"{word}-")]
    if len(longer) > 1:
        return f"; did you mean {join_words([repr(each) for each in longer], 'or')}?"
    close = difflib.get_close_matches(word, valid, n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else ""


def _keys_at(model: type[BaseModel], steps: tuple[int | str, ...]) -> list[str]:
    """The keys of the model at the end of `steps`, from its JSON Schema. Empty where unknown."""
    schema = model.model_json_schema()
    node: dict[str, Any] = schema
    for step in steps:
        node = _child(_resolve(node, schema), step, schema)
        if not node:
            return []
    node = _resolve(node, schema)
    return sorted(node.get("properties", {}))


def _resolve(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def _child(node: dict[str, Any], step: int | str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of the child at `step` of `node`. Empty where unknown."""
    if isinstance(step, int):
        return dict(node.get("items", {}))
    named = [
        node.get("properties", {}).get(step),
        node.get("additionalProperties"),
        *node.get("patternProperties", {}).values(),
    ]
    for child in named:
        if isinstance(child, dict):
            return child
    options = [_resolve(option, schema) for option in (*node.get("oneOf", []), *node.get("anyOf", []))]
    of_kind = [option for option in options if option.get("properties", {}).get("kind", {}).get("const") == step]
    inner = [_child(option, step, schema) for option in options]
    return next((child for child in (*of_kind, *inner) if child), {})
