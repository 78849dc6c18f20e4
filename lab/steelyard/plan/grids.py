"""The cells of a study's grids: the selected combinations of operation, payload and users, and larger ones with
--push."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..models.job import BigBang, FixedWork, Profile
from ..models.records import Cell
from ..models.service import Service
from ..models.study import Grid, Study
from .run_parameters import Request

TIMES_AS_MUCH = 2  # the growth of users and payload from one pushed cell to the next
USERS = "users"


@dataclass(frozen=True)
class SelectedGrid:
    """A grid of a run, and the family of its cells."""

    grid: Grid
    family: str


@dataclass(frozen=True)
class _Point:
    """One combination of a grid: the values of its sides, including `users`."""

    sides: Mapping[str, int]
    printed: str = ""
    pushed: bool = False

    @property
    def payload(self) -> dict[str, int]:
        return {name: value for name, value in self.sides.items() if name != USERS}


def grids_of(study: Study, request: Request) -> list[SelectedGrid]:
    """The grids selected by name; with only --push, those that can be pushed; else those without a name.

    Raises ConfigurationError if a grid does not exist, or the selected grids run in different ways.
    """
    known = sorted({grid.name for grid in study.grid if grid.name})
    for name in request.grids:
        if name not in known:
            raise ConfigurationError(
                f"{study.name} has no grid '{name}'{nearest(name, known)}",
                hint="a study's file names them under [[grid]]",
            )
    pushing = request.push and not request.grids
    selected = [
        SelectedGrid(grid, f"grid {place}")
        for place, grid in enumerate(study.grid, 1)
        if (grid.push > 0 if pushing else grid.name in (request.grids or [""]))
    ]
    if request.push and not any(each.grid.push for each in selected):
        raise ConfigurationError(f"{study.name} has no selected grid that can be pushed, so --push does not apply")
    if request.whole_grid and not selected:
        raise ConfigurationError(f"{study.name} has no selected grid, so --whole-grid does not apply")
    if len({each.grid.reliability for each in selected}) > 1:
        raise ConfigurationError(
            f"the grids {', '.join(request.grids)} of {study.name} run in different ways",
            hint="run those of reliability separately",
        )
    return selected


def grid_cells(
    study: Study,
    service: Service,
    selected: Sequence[SelectedGrid],
    request: Request,
    profile: Profile,
    users: int,
) -> list[Cell]:
    """A cell for each combination of these grids that the request selects; `users` apply to grids that name none.

    Raises ConfigurationError.
    """
    cells = []
    for each in selected:
        grid = each.grid
        for name in grid.payload:
            if name not in service.parameters:
                raise ConfigurationError(
                    f"{study.name}: the grid has a payload '{name}', which {service.name} does not know"
                    f"{nearest(name, sorted(service.parameters))}"
                )
        operations = [name for name in grid.operations or study.operations if name in (request.operations or [name])]
        points = list(_points(grid, service, request, users))
        cells += [_cell(study, each, operation, point, profile) for operation, point in product(operations, points)]
    if not any(cell.primary for cell in cells):
        raise ConfigurationError(
            f"{study.name}: no cell of the grid is judged", hint="name one of its cells in `judged`"
        )
    return cells


def kind_named(profile: Profile) -> Literal["steady", "fixed-work"]:
    """The kind of a cell without a shape of its own."""
    return "fixed-work" if isinstance(profile, FixedWork) else "steady"


def _points(grid: Grid, service: Service, request: Request, users: int) -> Iterator[_Point]:
    """The selected combinations of a grid's sides, payload before users, then the pushed ones."""
    levels = [users] if not grid.users else [request.users] * len(grid.users) if request.users else grid.users
    if grid.cells == "in-step":
        steps = [
            dict(zip((*grid.payload, USERS), step, strict=True))
            for step in zip(*grid.payload.values(), levels, strict=True)
        ]
        printed = grid.printed.results if grid.printed is not None else [""] * len(steps)
        yield from (_Point(sides, text) for sides, text in zip(steps, printed, strict=True))
        yield from _growing_points(grid, service, steps) if request.push else ()
        return
    sides = {**grid.payload, USERS: list(dict.fromkeys(levels))}
    whole = request.whole_grid or grid.cells == "all"
    for values in product(*sides.values()):
        at = dict(zip(sides, values, strict=True))
        if whole or _at_corner_or_centre(sides, at):
            yield _Point(at)


def _growing_points(grid: Grid, service: Service, steps: Sequence[Mapping[str, int]]) -> Iterator[_Point]:
    """Combinations beyond the maximum of each side, each twice the one before, as long as the service supports the
    size."""
    at = {name: max(step[name] for step in steps) for name in steps[0]}
    for _ in range(grid.push):
        at = {name: TIMES_AS_MUCH * value for name, value in at.items()}
        if any(value > service.parameters[name].most for name, value in at.items() if name != USERS):
            return
        yield _Point(at, pushed=True)


def _cell(study: Study, selected: SelectedGrid, operation: str, point: _Point, profile: Profile) -> Cell:
    grid = selected.grid
    judged = grid.judged == "all" or (operation == study.primary and grid.judged.items() <= point.sides.items())
    reliability = study.reliability if grid.reliability else None
    return Cell(
        name=" ".join([operation, *(f"{name}={value}" for name, value in point.sides.items())]),
        mix={operation: 1.0},
        users=point.sides[USERS],
        profile=_with_users(profile, point.sides[USERS]),
        primary=judged,
        kind="reliability" if reliability is not None else kind_named(profile),
        judged_by=study.judged_by,
        payload=point.payload,
        family=selected.family if grid.judged == "all" else "",
        until=None if reliability is None else reliability.until,
        may_refuse=grid.may_refuse or grid.reliability,
        printed=point.printed,
        assumed=grid.printed.assumed if grid.printed is not None and point.printed else [],
        pushed=point.pushed,
    )


def _at_corner_or_centre(sides: Mapping[str, Sequence[int]], at: Mapping[str, int]) -> bool:
    """Whether a cell is at a corner (first or last value of each side) or in the centre (the middle value; of two, the
    lower)."""
    corner = all(at[name] in (values[0], values[-1]) for name, values in sides.items())
    return corner or all(at[name] == values[(len(values) - 1) // 2] for name, values in sides.items())


def _with_users(profile: Profile, users: int) -> Profile:
    return profile.model_copy(update={"users": users}) if isinstance(profile, BigBang | FixedWork) else profile
