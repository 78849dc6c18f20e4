"""How many digits of a computed number are kept: those that mean something, which are the same on every processor."""

from __future__ import annotations

import math
from typing import Any

SIGNIFICANT_DIGITS = 6  # no measurement here is good to a millionth; the last bits of a sum depend on the processor


def significant(value: float) -> float:
    """`value` with SIGNIFICANT_DIGITS digits; what is no finite number stays as it is."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else value


def significant_text(value: float | None) -> str:
    """The same as a table has it; empty where there is no value."""
    return "" if value is None else f"{value:.{SIGNIFICANT_DIGITS}g}"


def all_significant(content: Any) -> Any:
    """A JSON value, whose numbers with a fraction are each `significant`."""
    match content:
        case float():
            return significant(content)
        case dict():
            return {key: all_significant(value) for key, value in content.items()}
        case list() | tuple():
            return [all_significant(value) for value in content]
        case _:
            return content
