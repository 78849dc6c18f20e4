"""The parameters of a run: the study's defaults, overridden by a file and by flags."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base.configuration import nearest
from ..base.errors import ConfigurationError, why_unread
from ..models.study import Study

_REQUEST_TIMEOUT_SECONDS = 30.0  # if the study has no parameter for it; the drain lasts as long

Value = int | float | str
MOST_USERS = 100_000
_LEAST_DEFAULT_USERS = 8
_DEFAULT_USERS_A_PROCESSOR = 4


@dataclass(frozen=True)
class Request:
    """The options of a user for a study; None and empty values mean the study's own.

    With `apart` both subjects are loaded at once. The default number of users depends on `server_processors`, the time of a pilot
    on `engine_processors`; both are those of one subject.
    """

    only: Sequence[str] = ()
    set_of_factors: str = ""
    across: Mapping[str, Sequence[str]] = field(default_factory=dict)
    operations: Sequence[str] = ()
    users: int | None = None
    forks: int | None = None
    pairs: int | None = None
    slice_seconds: float | None = None
    warm_up_seconds: float | None = None
    budget_seconds: float | None = None
    config: Path | None = None
    settings: Mapping[str, Value] = field(default_factory=dict)
    as_published: bool = False
    tests: str = ""
    variations: bool = False
    scale: float = 1.0
    seed: int = 1
    whole_grid: bool = False
    grids: Sequence[str] = ()
    push: bool = False
    at_once: int | None = None
    apart: bool = False
    server_processors: int = 1
    engine_processors: int = 1


@dataclass(frozen=True)
class RunParameters:
    """The resulting parameters. `users` is None for auto; `mix` is None if each operation runs alone."""

    values: dict[str, Value]
    users: int | None
    warm_up_seconds: float
    steady_seconds: float
    drain_seconds: float
    mix: dict[str, float] | None
    service: dict[str, int]
    out: str | None
    out_prefix: str | None


def read_initialization_file(path: Path) -> dict[str, str]:
    """Names and values of a paper-style initialization file: `Name = value` lines, `#` comments, blank lines
    ignored."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {why_unread(error)}") from None
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.partition("#")[0].strip()
        if not stripped:
            continue
        name, equals, value = (part.strip() for part in stripped.partition("="))
        if not equals or not name or not value:
            raise ConfigurationError(f"{path}, line {number}: '{stripped}' is not of the form Name = value")
        if name in values:
            raise ConfigurationError(f"{path}, line {number}: '{name}' is given twice")
        values[name] = value
    return values


def merge_parameters(study: Study, request: Request) -> RunParameters:
    """The study's parameters, overridden by the user's file and flags; raises ConfigurationError."""
    given: dict[str, Value] = {}
    if request.config is not None:
        given.update(read_initialization_file(request.config))
    given.update(request.settings)
    named = [name for name in request.settings if name in study.parameters and study.parameters[name].sets == "users"]
    if named and request.users is not None:
        raise ConfigurationError(f"--users and --set {named[0]} set the same parameter", hint="remove one of them")
    for name in given:
        if name not in study.parameters:
            raise ConfigurationError(f"{study.name} has no parameter '{name}'{nearest(name, sorted(study.parameters))}")
    values = {name: _number(study, name, given.get(name, known.default)) for name, known in study.parameters.items()}
    if not request.as_published:
        values.update(_limit_warm_up(study, values, given))
    mixed = {
        known.sets.removeprefix("mix."): name
        for name, known in study.parameters.items()
        if known.sets.startswith("mix.")
    }
    users = request.users if request.users is not None else _users(study, values, request.server_processors)
    return RunParameters(
        values=values,
        users=None if users == "auto" else int(users),
        warm_up_seconds=request.warm_up_seconds
        or float(_single_value(study, values, "warm_up_seconds", study.warm_up_limit_seconds)),
        steady_seconds=float(_single_value(study, values, "steady_seconds", 300)),
        drain_seconds=float(_single_value(study, values, "drain_seconds", _REQUEST_TIMEOUT_SECONDS)),
        mix=_mix(study, {operation: given[name] for operation, name in mixed.items() if name in given})
        or study.mix
        or None,
        service={
            known.sets.removeprefix("service."): int(values[name])
            for name, known in study.parameters.items()
            if known.sets.startswith("service.")
        },
        out=str(_single_value(study, values, "out", "")) or None if _is_given(study, given, "out") else None,
        out_prefix=str(_single_value(study, values, "out_prefix", "")) or None
        if _is_given(study, given, "out_prefix")
        else None,
    )


def default_users(server_processors: int) -> int:
    """The default number of users of a closed load: enough to keep a server's processors busy."""
    return max(_LEAST_DEFAULT_USERS, _DEFAULT_USERS_A_PROCESSOR * server_processors)


def _users(study: Study, values: Mapping[str, Value], server_processors: int) -> Value:
    """The number of users in the parameters, or "auto"; raises ConfigurationError if it is out of range."""
    users = _single_value(study, values, "users", default_users(server_processors))
    if users != "auto" and not 1 <= int(users) <= MOST_USERS:
        name = next(name for name, known in study.parameters.items() if known.sets == "users")
        raise ConfigurationError(f"{name} is {users}, but must be from 1 to {MOST_USERS:,}")
    return users


def _number(study: Study, name: str, value: Value) -> Value:
    """A given value as the type of its default; raises ConfigurationError."""
    known = study.parameters[name]
    if isinstance(known.default, str) or (known.auto and value == "auto"):
        return str(value)
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    whole = isinstance(known.default, int)
    if not 0 <= number < math.inf or (whole and number != int(number)):
        also = " or auto" if known.auto else ""
        raise ConfigurationError(
            f"{name} is '{value}', but must be a {'whole ' if whole else ''}number from 0 up{also}"
        )
    return int(number) if whole else number


def _limit_warm_up(study: Study, values: Mapping[str, Value], given: Mapping[str, Value]) -> dict[str, Value]:
    """The default warm-up: the paper's, or the study's own limit if that is shorter."""
    limit = study.warm_up_limit_seconds
    return {
        name: int(limit) if limit.is_integer() else limit
        for name, known in study.parameters.items()
        if known.sets == "warm_up_seconds" and name not in given and float(values[name]) > limit
    }


def _single_value(study: Study, values: Mapping[str, Value], sets: str, otherwise: Value) -> Value:
    return next((values[name] for name, known in study.parameters.items() if known.sets == sets), otherwise)


def _is_given(study: Study, given: Mapping[str, Value], sets: str) -> bool:
    return any(known.sets == sets and name in given for name, known in study.parameters.items())


def _mix(study: Study, given: Mapping[str, Value]) -> dict[str, float] | None:
    if not given:
        return None
    mix = {operation: float(percent) for operation, percent in given.items() if float(percent) > 0}
    if abs(sum(mix.values()) - 100) > 1e-9:
        shown = ", ".join(f"{operation} {percent:g}" for operation, percent in mix.items()) or "nothing"
        raise ConfigurationError(
            f"the mix of {study.name} must add up to 100 percent; it adds up to {sum(mix.values()):g} ({shown})"
        )
    return mix
