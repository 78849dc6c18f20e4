"""The differences between two setups, from their environment.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# Keys that must not change when a run is resumed: forks of two setups are not one sample.
_SAME = (
    "steelyard",
    "git.revision",
    "git.changes",
    "engine",
    "machine",
    "processors_shared",
    "hosts",
    "service",
    "subjects",
)


# Keys that may change with the hour on the same machine.
_PASSING = ("machine.boot", "machine.reference_spin_us")


def setup_differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each difference: `machine.kernel was 6.1 and is 6.18`."""
    for name in _SAME:
        yield from _differences(name, _at(then, name), _at(now, name))


def _at(setup: Mapping[str, Any], name: str) -> Any:
    value: Any = setup
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _differences(name: str, then: Any, now: Any) -> Iterator[str]:
    if name in _PASSING or (name.startswith("machine.") and None in (then, now)):  # or one of the two has no value
        return
    if isinstance(then, dict) and isinstance(now, dict):
        for key in (*then, *(key for key in now if key not in then)):
            yield from _differences(f"{name}.{key}", then.get(key), now.get(key))
    elif then != now:
        yield f"{name} was {then} and is {now}"
