"""Plans the faults of a study: which fault occurs in which block of a trial, when, for how long, and the limits that
the service promises."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..base.text import label_names
from ..catalogue import entries, factors
from ..catalogue.companions import role_of
from ..catalogue.entries import Entry
from ..models.records import Cell, PromiseMade, Schedule, TrialPlan
from ..models.service import Aftermath, Service
from ..models.study import CLIENT, Fault, PartSpec, Study, SubjectSpec
from . import shapes
from .subjects import subjects_of


@dataclass(frozen=True)
class DrawnFault:
    """One fault in a trial: `at_seconds` after the start of its block, for `seconds`;

    `occasion` counts the trial's faults from 0.
    """

    fault: Fault
    occasion: int
    at_seconds: float
    seconds: float


def faults_of(study: Study, cells: Sequence[Cell], scale: float) -> list[Fault]:
    """The faults of the selected tests, their times shortened by `scale` like those of the tests."""
    tests = {cell.name for cell in cells if cell.kind == "fault"}
    return [
        fault.model_copy(update={"seconds": (fault.seconds[0] * scale, fault.seconds[1] * scale)})
        for fault in study.faults
        if fault.test in tests
    ]


def occasions(schedule: Schedule, cell: Cell) -> dict[int, Fault]:
    """The fault of each block of a cell, by the block's number in the trial."""
    each = [fault for fault in schedule.faults for _ in range(fault.times)]
    return {number: fault for number, fault in enumerate(each) if fault.test == cell.name}


def draw_fault(schedule: Schedule, trial: TrialPlan, cell: Cell, occasion: int) -> DrawnFault:
    """The time and duration of a fault in its block. They depend only on the seed that all trials of a fork share."""
    fault = occasions(schedule, cell)[occasion]
    draw = random.Random(f"fault {trial.seed} {occasion}")
    at = draw.uniform(*fault.within) * shapes.seconds_of(cell.profile)
    return DrawnFault(fault, occasion, at, draw.uniform(*fault.seconds))


def require_possible(
    study: Study, faults: Sequence[Fault], specs: Sequence[SubjectSpec], service: Entry[Service]
) -> None:
    """Raises ConfigurationError if a subject lacks the part of a fault, or the service has no counts after one."""
    if not faults:
        return
    aftermath = service.model.aftermath
    if aftermath is None:
        raise ConfigurationError(
            f"{study.name} has faults, but {service.name} has no counts of its work after a fault",
            hint="add [aftermath] to its service.toml, as CONTRIBUTING.md shows",
        )
    for spec in specs:
        if spec.same_as is not None:
            raise ConfigurationError(
                f"{spec.label} shares the processes of {spec.same_as}, so a fault cannot affect it alone"
            )
        for fault in faults:
            lacking = _missing_requirement(fault, spec)
            if lacking:
                giving = _set_that_gives(study, fault, spec)
                raise ConfigurationError(
                    lacking.message, hint=f"add it with --with {giving}" if giving else lacking.hint
                )
            if fault.plant is not None and fault.plant not in service.model.plants:
                raise ConfigurationError(
                    f"fault {fault.name} plants '{fault.plant}', which {service.name} does not "
                    f"have{nearest(fault.plant, sorted(service.model.plants))}",
                    hint="[plants] of its service.toml lists the bugs that can be switched on",
                )
        for role in sorted(aftermath.roles() - {*_parts(spec)}):
            raise ConfigurationError(
                f"{spec.label} has no {role}, from which {service.name} reads the counts of its work"
            )


def _parts(spec: SubjectSpec) -> dict[str, PartSpec]:
    """The processes of a subject by their roles."""
    return {role_of(part): part for part in (*spec.companions, *spec.parts)}


def _missing_requirement(fault: Fault, spec: SubjectSpec) -> ConfigurationError | None:
    """The error for a subject that lacks what a fault needs; None if it lacks nothing."""
    if fault.part == CLIENT:
        return None
    parts = _parts(spec)
    places = sorted(parts)
    if fault.part not in parts:
        return ConfigurationError(
            f"fault {fault.name} needs the part {fault.part}, which {spec.label} does not "
            f"have{nearest(fault.part, places)}",
            hint=f"it has {label_names('part', places)}",
        )
    server = parts[fault.part].server
    if fault.kind == "refuse" and entries.server(server).model.refuse is None:
        return ConfigurationError(
            f"fault {fault.name} makes the {fault.part} of {spec.label} refuse requests, which {server} does not support",
            hint="a server supports it with [refuse] in its server.toml",
        )
    return None


def _set_that_gives(study: Study, fault: Fault, spec: SubjectSpec) -> str:
    """The study's first set of factors with which the subject has what the fault needs; empty if there is none."""
    label, _ = factors.split(study, spec.label)
    for name in study.sets:
        with suppress(ConfigurationError):  # this subject does not support that set
            [other] = subjects_of(study, [label], name)
            if _missing_requirement(fault, other) is None:
                return name
    return ""


def outcome_limits(faults: Sequence[Fault], specs: Sequence[SubjectSpec], service: Entry[Service]) -> list[PromiseMade]:
    """The limits that the service promises for each subject, fault and outcome."""
    aftermath = service.model.aftermath
    if aftermath is None:
        return []
    return [promised for spec in specs for promised in _limits_of(aftermath, faults, spec, service)]


def _limits_of(
    aftermath: Aftermath, faults: Sequence[Fault], spec: SubjectSpec, service: Entry[Service]
) -> Iterator[PromiseMade]:
    front = spec.parts[0]
    server = entries.server(front.server)
    values = factors.factor_values(server, service, front.factors)
    own = server.model.implementation
    for fault in faults:
        for outcome in aftermath.outcomes:
            promise = aftermath.limit_of(outcome.name, fault.part, fault.plant, values, own)
            if promise is not None:
                yield PromiseMade(
                    subject=spec.label, fault=fault.name, outcome=outcome.name, most=promise.most, why=promise.why
                )
