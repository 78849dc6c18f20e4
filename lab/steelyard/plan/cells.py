"""The cells of a schedule: what is asked of the service, by how many users, under which load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..models.job import BigBang, FixedWork, Profile, Rate, Session, Stage
from ..models.records import Cell
from ..models.service import Service
from ..models.study import Study
from . import shapes
from .settings import Request, Settings


def cells_of(
    study: Study, service: Service, request: Request, settings: Settings, users: int, seconds: float
) -> list[Cell]:
    _check_names(study, service, request)
    if study.tests:
        return _blocks(study, request)
    if request.tests or request.scale != 1:
        raise ConfigurationError(f"{study.name} has no tests with a shape, so --tests and --scale mean nothing to it")
    profile: Profile = BigBang(users=users, seconds=seconds)
    if study.rate is not None:
        profile = Rate(arrivals="poisson", stages=[Stage(from_rate=study.rate, to_rate=study.rate, seconds=seconds)])
    if study.work is not None:
        profile = FixedWork(users=users, each=study.work.each, most_seconds=study.work.most_seconds)
    kind = _kind_of(profile)
    if settings.mix is not None and not request.operations:
        name = "+".join(settings.mix)
        return [
            Cell(
                name=name,
                mix=settings.mix,
                users=users,
                profile=profile,
                primary=True,
                kind=kind,
                judged_by=study.judged_by,
            )
        ]
    if study.grid:
        return _grid_cells(study, service, request, users, profile)
    operations = list(request.operations) or study.operations
    primary = study.primary if study.primary in operations else operations[0]
    return [
        Cell(
            name=operation,
            mix={operation: 1.0},
            users=users,
            profile=profile,
            primary=operation == primary,
            kind=kind,
            judged_by=study.judged_by,
        )
        for operation in operations
    ]


def operations_of(cell: Cell, sessions: Mapping[str, Session]) -> dict[str, str]:
    """What the corpus needs for a cell: the operation behind each name by which it calls its requests, those of sessions too."""
    found: dict[str, str] = {}
    for name, operation in zip(cell.asked, cell.mix, strict=True):
        if operation in sessions:
            found |= {step.operation: step.operation for step in sessions[operation].steps}
        else:
            found[name] = operation
    return found


def together(cells: Sequence[Cell]) -> dict[str, float]:
    """One mix of all that the cells ask for."""
    operations = dict.fromkeys(operation for cell in cells for operation in cell.mix)
    return {one: sum(cell.mix.get(one, 0.0) for cell in cells) for one in operations}


def _kind_of(profile: Profile) -> Literal["steady", "fixed-work"]:
    return "fixed-work" if isinstance(profile, FixedWork) else "steady"


def _check_names(study: Study, service: Service, request: Request) -> None:
    """Raises ConfigurationError for an operation that the service lacks, in the request or in a session of the study."""
    for operation in request.operations:
        if operation not in service.operations and operation not in study.sessions:
            known = sorted({*service.operations, *study.sessions})
            raise ConfigurationError(f"{service.name} has no operation '{operation}'{nearest(operation, known)}")
    for name, session in study.sessions.items():
        if name in service.operations:
            raise ConfigurationError(
                f"{study.name}: the session '{name}' has the name of an operation of {service.name}"
            )
        for step in session.steps:
            if step.operation not in service.operations:
                raise ConfigurationError(
                    f"{study.name}: the session '{name}' asks for '{step.operation}', which {service.name} does not have"
                    f"{nearest(step.operation, sorted(service.operations))}"
                )
    for grid in study.grid:
        if grid.payload and study.sessions.keys() & {*study.operations, *grid.operations}:
            raise ConfigurationError(
                f"{study.name}: a grid with a payload cannot hold sessions", hint="give it users alone"
            )


def _grid_cells(study: Study, service: Service, request: Request, users: int, profile: Profile) -> list[Cell]:
    """A cell for each combination of the study's grids that the request leaves in; raises ConfigurationError."""
    found = []
    for place, grid in enumerate(study.grid):
        for name in grid.payload:
            if name not in service.parameters:
                raise ConfigurationError(
                    f"{study.name}: the grid has a payload '{name}', which {service.name} does not know"
                    f"{nearest(name, sorted(service.parameters))}"
                )
        levels = [users] if request.users is not None or not grid.users else grid.users
        operations = [name for name in grid.operations or study.operations if name in (request.operations or [name])]
        payloads = [dict(zip(grid.payload, values, strict=True)) for values in product(*grid.payload.values())]
        for operation, payload, level in product(operations, payloads, levels):
            at = {**payload, "users": level}
            judged = grid.judged == "all" or (operation == study.primary and grid.judged.items() <= at.items())
            found.append(
                Cell(
                    name=" ".join([operation, *(f"{name}={value}" for name, value in at.items())]),
                    mix={operation: 1.0},
                    users=level,
                    profile=_with_users(profile, level),
                    primary=judged,
                    kind=_kind_of(profile),
                    judged_by=study.judged_by,
                    payload=payload,
                    family=f"grid {place + 1}" if grid.judged == "all" else "",
                )
            )
    if not any(cell.primary for cell in found):
        raise ConfigurationError(
            f"{study.name}: no cell of the grid is judged", hint="`judged` names one that is in it"
        )
    return found


def _with_users(profile: Profile, users: int) -> Profile:
    return profile.model_copy(update={"users": users}) if isinstance(profile, BigBang | FixedWork) else profile


def _blocks(study: Study, request: Request) -> list[Cell]:
    """A judged cell for each test asked for, with its times shortened by the request's scale."""
    wanted = set(names_of(request.tests, [test.name for test in study.tests]))
    return [
        Cell(
            name=test.name,
            mix={test.operation: 1.0},
            users=shapes.most_users(test.profile),
            profile=shapes.scaled(test.profile, request.scale),
            primary=True,
            kind="block",
            title=test.title,
            until=test.until,
            judged_by=study.judged_by,
        )
        for test in study.tests
        if test.name in wanted and (not request.operations or test.operation in request.operations)
    ]


def names_of(words: str, known: Sequence[str]) -> list[str]:
    """The names that `1-6,12,stress-pair` means, of those known; all of them where nothing is said. Raises ConfigurationError."""
    found: list[str] = []
    for word in (word.strip() for word in words.split(",") if word.strip()):
        first, dash, last = word.partition("-")
        if word not in known and dash and first in known and last in known:
            found += known[known.index(first) : known.index(last) + 1]
        elif word in known:
            found.append(word)
        else:
            raise ConfigurationError(f"there is no test '{word}'{nearest(word, sorted(known))}")
    return found or list(known)
