"""What tools print at the end of a load, as text for people: values with units, and the meaning of statuses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...base.errors import ConfigurationError

BY_STATUS = "answers are judged by their status: 200 to 399 is right"
FAILED_TOO = "response times include those of answers with another status"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|secs|m|h)")
_STATUS = re.compile(r"[0-9](?:[0-9]{2}|xx)")
_UNITS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "secs": 1e3, "m": 6e4, "h": 3.6e6}


def ms_of(text: str) -> float:
    """A duration such as `1.25ms` or `2m` in ms. Raises ConfigurationError."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(f"'{text[:40]}' is not a duration with its unit")
    return float(match[1]) * _UNITS[match[2]]


def find(pattern: str, text: str, meaning: str) -> re.Match[str]:
    """The first match of a pattern that lines of the text may begin. Raises ConfigurationError that names the `meaning`."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise ConfigurationError(f"the line with the {meaning} is missing", hint="judge the whole output of the tool")
    return match


def failure_of_status(status: str) -> str:
    """The kind of failure of an answer with this status, or class of statuses (`4xx`). Empty for 200 to 399."""
    if _STATUS.fullmatch(status) is None:
        return "no status"
    return "" if "200" <= status < "400" else f"status {status}"


def split_by_status(counts: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """The number of right answers, and of others by kind, from the number of answers by status."""
    failures: dict[str, int] = {}
    for status, count in counts.items():
        kind = failure_of_status(status)
        if kind and count:
            failures[kind] = failures.get(kind, 0) + count
    return sum(counts.values()) - sum(failures.values()), failures
