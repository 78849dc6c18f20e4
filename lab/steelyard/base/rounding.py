"""Rounding of computed numbers to digits that are the same on every processor."""

from __future__ import annotations

import math
from typing import Any

SIGNIFICANT_DIGITS = 6  # no measurement is exact to a millionth, and the last bits of a sum depend on the processor


def significant(value: float) -> float:
    """`value` with SIGNIFICANT_DIGITS digits. Infinities and NaN stay."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else value


def significant_text(value: float | None) -> str:
    """The same for a table cell. Empty for None."""
    return "" if value is None else f"{value:.{SIGNIFICANT_DIGITS}g}"


def all_significant(content: Any) -> Any:
    """A JSON value with every floating-point number rounded by `significant`."""
    match content:
        case float():
            return significant(content)
        case dict():
            return {key: all_significant(value) for key, value in content.items()}
        case list() | tuple():
            return [all_significant(value) for value in content]
        case _:
            return content
