"""The formats that values of requests keep: those of JSON Schema as its library checks them, and those of OpenAPI."""

from __future__ import annotations

import base64
import re
from datetime import datetime, time
from typing import Any

import jsonschema

_DAY = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_TIME = re.compile(r"\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?)")


def format_checker() -> jsonschema.FormatChecker:
    """A checker of formats; each of its functions raises ValueError for a value that breaks one."""
    checker = jsonschema.FormatChecker()
    for name, check in {
        "date-time": _is_date_time,
        "time": _is_time,
        "duration": lambda value: _DURATION.fullmatch(value) is not None,
        "byte": lambda value: base64.b64decode(value, validate=True) is not None,
    }.items():
        checker.checks(name, raises=ValueError)(_of_text(check))
    for bits in (32, 64):
        checker.checks(f"int{bits}")(_is_integer_of(bits))
    return checker


def _of_text(check: Any) -> Any:
    return lambda value: not isinstance(value, str) or check(value)


def _is_date_time(value: str) -> bool:
    return _DAY.fullmatch(value) is not None and datetime.fromisoformat(value.upper()) is not None


def _is_time(value: str) -> bool:
    return _TIME.fullmatch(value) is not None and time.fromisoformat(value.upper()) is not None


def _is_integer_of(bits: int) -> Any:
    return lambda value: not isinstance(value, int) or -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)
