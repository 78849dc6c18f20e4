"""The differences between two setups, from their environment.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


Value = str | int | float | bool | None | list[Any]


def setup_values(setup: Mapping[str, Any]) -> dict[str, Value]:
    """The values that runs with the same setup share, by dotted name: `machine.kernel`, `subjects.go.jdk`."""
    known = (pair for name in _SAME for pair in flat_values(name, _at(setup, name)))
    return {name: value for name, value in known if not name.startswith(_PASSING)}


def setup_differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each difference: `machine.kernel was 6.1 and is 6.18`."""
    before, after = setup_values(then), setup_values(now)
    for name in dict.fromkeys((*before, *after)):
        if differ(name, [before.get(name), after.get(name)]):
            yield f"{name} was {setup_value_text(before.get(name))} and is {setup_value_text(after.get(name))}"


def differ(name: str, values: Sequence[Value]) -> bool:
    """Whether setups differ in this value. An unknown value of a machine differs from none."""
    known = [value for value in values if value is not None] if name.startswith("machine.") else values
    return any(value != known[0] for value in known[1:])


def setup_value_text(value: Value) -> str:
    """A value for people: `none` for an absent one, a list with commas."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def flat_values(name: str, value: Any) -> Iterator[tuple[str, Value]]:
    """The values inside nested tables by dotted name. The second and later tables of a list are numbered."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat_values(f"{name}.{key}", inner)
    elif isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        for place, part in enumerate(value, 1):
            yield from flat_values(name if place == 1 else f"{name}.{place}", part)
    elif value is not None:
        yield name, value


def _at(setup: Mapping[str, Any], name: str) -> Any:
    value: Any = setup
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
