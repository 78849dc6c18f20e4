"""What differs between two setups as environment.json has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# What must not change between two sittings of one run: forks of two setups are not one sample.
_SAME = ("steelyard", "git.revision", "git.changes", "engine", "machine", "processors_shared", "service", "subjects")


def setup_differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each difference: `machine.kernel was 6.1 and is 6.18`."""
    for name in _SAME:
        yield from _differences(name, _at(then, name), _at(now, name))


def _at(setup: Mapping[str, Any], name: str) -> Any:
    found: Any = setup
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _differences(name: str, then: Any, now: Any) -> Iterator[str]:
    if isinstance(then, dict) and isinstance(now, dict):
        for key in (*then, *(key for key in now if key not in then)):
            yield from _differences(f"{name}.{key}", then.get(key), now.get(key))
    elif then != now:
        yield f"{name} was {then} and is {now}"
