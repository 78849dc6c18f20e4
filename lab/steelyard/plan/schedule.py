"""Makes a schedule from a study and the user's options: every trial, cell and number of slices, fixed before anything
runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..catalogue import entries
from ..catalogue.formats import format_of
from ..catalogue.known_subjects import require_known
from ..models.records import Cell, Schedule, TrialPlan
from ..models.server import AGENT, MONITOR
from ..models.service import AGENT_LAYERS, SERVED_ANSWERED, Service
from ..models.study import Budget, PartSpec, Study, SubjectSpec
from .cells import cells_of
from .designs import APART, AS_PUBLISHED, EACH_ALONE, Design, design_named
from .faults import faults_of, outcome_limits, require_possible
from .grids import grids_of
from .run_parameters import Request, RunParameters, merge_parameters
from .side_by_side import most_at_once
from .stopping import trials_per_fork
from .subjects import reference_of, requested_subjects, subject_words

HANGS_AFTER = (
    2  # times the response time at which a subject is slow; a subject that answers no request in flight by then hangs
)


def schedule_of(study: Study, service: Service, request: Request, settings: RunParameters, users: int) -> Schedule:
    """The whole schedule; random order depends only on `request.seed`. Raises ConfigurationError."""
    if request.variations and not study.variations:
        raise ConfigurationError(f"{study.name} lists no variations", hint="choose what to run with --tests and --only")
    specs = requested_subjects(study, request)
    labels = [subject.label for subject in specs]
    reference = reference_of(study, labels)
    design = _design(study, request)
    lengths = _lengths(study, request, settings, design)
    forks = design.forks(request.forks or (1 if design.cell_by_cell else study.forks))
    cells = cells_of(study, service, request, settings, users, lengths.slice)
    if design.halves:
        _require_two_alike(service, specs, cells)
    budget = study.budget or Budget(seconds=1)
    budget_seconds = request.budget_seconds or (None if study.budget is None or request.forks else budget.seconds)
    wanted_pairs = round(settings.steady_seconds / forks / lengths.slice)
    broken = any(cell.kind == "fault" for cell in cells)
    groups = _groups(cells, labels, design, reference, broken=broken)
    schedule = Schedule(
        study=study.name,
        service=service.name,
        seed=request.seed,
        design=design.name,
        subjects=labels,
        asked=subject_words(study, request),
        reference=reference,
        cells=cells,
        trials=_trials(groups, cells if design.cell_by_cell else (), forks, request.seed, alike=broken),
        at_once=_parallel_trials(request, specs, len(groups) * forks, broken=broken),
        pairs_per_cell=design.pairs(request.pairs or study.pairs or wanted_pairs),
        slice_seconds=lengths.slice,
        turn_ms=study.turn_ms if design.takes_turns and not _uses_rmi(service, specs) else 0,
        warm_up_limit_seconds=lengths.warm_up,
        drain_limit_seconds=lengths.drain,
        parameters=settings.values,
        looks=[] if design.unbroken or request.forks else study.looks,
        margin=study.margin,
        budget_seconds=None if design.unbroken else budget_seconds,
        least_forks=0 if request.budget_seconds is not None else min(forks, budget.least_forks),
        pairs_fixed=bool(design.unbroken or request.pairs or study.pairs or study.tests),
        scale=request.scale,
        not_judged=service.not_judged,
        sessions=study.sessions,
        spans=study.spans,
        observe=study.observe,
        restore=study.restore,
        unlike=[] if broken else _pairs_without_verdict(study, labels, reference),
        **_layers_of(study, service, specs),
    )
    return _with_faults(schedule, study, specs) if broken else schedule


def _groups(
    cells: Sequence[Cell], labels: Sequence[str], design: Design, reference: str, *, broken: bool
) -> list[list[str]]:
    """The groups of subjects that share a trial.

    With faults no subjects share one, since each is compared with its own promises.
    """
    together = _common_subjects(cells, labels)
    if broken:
        return [[label] for label in dict.fromkeys(label for them in together for label in them)]
    return [group for them in together for group in design.groups(them, reference if reference in them else None)]


def _parallel_trials(request: Request, specs: Sequence[SubjectSpec], trials: int, *, broken: bool) -> int:
    """The number of concurrent trials; raises ConfigurationError if the user wants several and times are measured."""
    if not broken:
        if request.at_once is not None:
            raise ConfigurationError(
                "--at-once is for tests with faults: measurements run alone",
                hint="remove it",
            )
        return 1
    if request.budget_seconds is not None:  # a budget depends on the cost of earlier trials
        if request.at_once is not None:
            raise ConfigurationError("--budget and --at-once cannot be combined", hint="leave one of them out")
        return 1
    processes = max(len(spec.parts) + len(spec.companions) for spec in specs)
    return min(trials, request.at_once or most_at_once(processes))


def _common_subjects(cells: Sequence[Cell], labels: Sequence[str]) -> list[list[str]]:
    """The groups of subjects in the cells: one group of all, or one for each set of subjects that cells name."""
    sets = dict.fromkeys(frozenset(cell.subjects or labels) for cell in cells)
    return [[label for label in labels if label in them] for them in sets]


def _uses_rmi(service: Service, specs: Sequence[SubjectSpec]) -> bool:
    """Whether a subject is called by Java RMI: the driver takes no turns, and shares no clock for them with the
    engine."""
    by_rmi = {name for name, form in service.formats.items() if form.rmi is not None}
    known = entries.server_files()
    hosts = [spec for spec in specs if spec.same_as is None]
    front = [spec.parts[0] for spec in hosts if by_rmi and spec.parts[0].server in known]
    forms = (format_of(service, entries.server(part.server).model.implementation, part.factors) for part in front)
    return any(form in by_rmi for form in forms)


def _design(study: Study, request: Request) -> Design:
    """The design: the user's, the one that the grids need, or else the study's. Raises ConfigurationError."""
    reliability = any(asked.grid.reliability for asked in grids_of(study, request))
    if reliability and request.as_published:
        raise ConfigurationError("--as-published does not apply to a grid of reliability, which compares nothing")
    if not request.apart:
        return AS_PUBLISHED if request.as_published else EACH_ALONE if reliability else design_named(study.design)
    own = design_named(study.design)
    if request.as_published or reliability or own.one_runs:
        other = (
            "a grid of reliability" if reliability else "--as-published" if request.as_published else f"'{own.name}'"
        )
        raise ConfigurationError(
            f"--apart loads two subjects at once, and {other} one at a time", hint="leave --apart out"
        )
    return APART


def _require_two_alike(service: Service, specs: Sequence[SubjectSpec], cells: Sequence[Cell]) -> None:
    """Raise ConfigurationError where not two subjects with processes of their own are compared under steady loads."""
    if len(specs) != 2 or any(spec.same_as is not None for spec in specs):
        raise ConfigurationError(
            f"--apart compares two subjects with processes of their own, not {', '.join(spec.label for spec in specs)}",
            hint="name two of them, or leave --apart out",
        )
    if _uses_rmi(service, specs):
        raise ConfigurationError("--apart is for HTTP, and a subject is called by Java RMI", hint="leave --apart out")
    other = next((cell.name for cell in cells if cell.kind != "steady"), None)
    if other is not None:
        raise ConfigurationError(
            f"--apart compares subjects under steady loads, and '{other}' is another kind of load",
            hint="leave --apart out",
        )


@dataclass(frozen=True)
class _Lengths:
    """Seconds: of a slice, of a warm-up at most, and of waiting for answers at a slice's end."""

    slice: float
    warm_up: float
    drain: float


def _lengths(study: Study, request: Request, settings: RunParameters, design: Design) -> _Lengths:
    if design.cell_by_cell and study.reliability is not None:
        own = study.reliability
        patience = max(settings.drain_seconds, HANGS_AFTER * own.until.response_ms / 1000)
        return _Lengths(request.slice_seconds or own.seconds, request.warm_up_seconds or own.warm_up_seconds, patience)
    seconds = settings.steady_seconds if design.unbroken else request.slice_seconds or study.slice_seconds
    return _Lengths(seconds, settings.warm_up_seconds, settings.drain_seconds)


def _pairs_without_verdict(study: Study, labels: Sequence[str], reference: str) -> list[tuple[str, str]]:
    """The pairs of these subjects without a verdict; raises ConfigurationError if the reference is one of them."""
    pairs = []
    for named in study.unlike:
        first, second = (
            [label for label in labels if label == name or label.startswith(f"{name}@")] for name in named.subjects
        )
        pairs += [(a, b) for a in first for b in second]
        if any(reference in pair for pair in pairs):
            beside = "" if study.reference in named.subjects else f", or beside {study.reference}"
            raise ConfigurationError(
                f"{study.name} has no verdict between {' and '.join(named.subjects)}: {named.why}",
                hint=f"select one of them at a time{beside}",
            )
    return pairs


def _layers_of(study: Study, service: Service, specs: Sequence[SubjectSpec]) -> dict[str, Any]:
    """The layer settings of the schedule: the service's layers, else those of the agent.

    Raises ConfigurationError if the service has no layers and a subject no agent.
    """
    if "layers" not in study.observe:
        return {}
    without = next((spec.label for spec in specs if not all(map(_has_agent, spec.parts))), None)
    if not service.layers and without is not None:
        raise ConfigurationError(
            f"{study.name} observes layers, but {service.name} has none, and {without} has no agent",
            hint=f"give {without} the factor {MONITOR}={AGENT}, or list [[layers]] in service.toml, as monitor/README.md shows",
        )
    layers = service.layers or AGENT_LAYERS
    return {"layers": layers, "nesting": service.nesting, "request_kinds": service.request_kinds}


def _has_agent(part: PartSpec) -> bool:
    return part.own is not None or part.factors.get(MONITOR) == AGENT


def _with_faults(schedule: Schedule, study: Study, specs: Sequence[SubjectSpec]) -> Schedule:
    """The schedule with its faults; raises ConfigurationError if a fault is not possible."""
    service = entries.service(study.service)
    faults = faults_of(study, schedule.cells, schedule.scale)
    require_possible(study, faults, specs, service)
    return schedule.model_copy(
        update={
            "faults": faults,
            "aftermath": service.model.aftermath,
            "promises": outcome_limits(faults, specs, service),
            "not_judged": {**schedule.not_judged, SERVED_ANSWERED: "a killed process loses its counts"},
            "restore": "trial",
        }
    )


def schedule_only(study: Study, request: Request) -> Schedule:
    """The schedule of a run, made without touching a server; for `auto` users it assumes the study's reference of 8."""
    settings = merge_parameters(study, request)
    service = entries.service(study.service)
    require_known(requested_subjects(study, request), service)
    _require_sizes(service.model, settings)
    return schedule_of(study, service.model, request, settings, settings.users or 8)


def _require_sizes(service: Service, settings: RunParameters) -> None:
    """Raises ConfigurationError if the service has no such parameter, or a value is out of its bounds."""
    for name, value in settings.service.items():
        known = service.parameters.get(name)
        if known is None:
            raise ConfigurationError(
                f"{service.name} has no parameter '{name}'{nearest(name, sorted(service.parameters))}"
            )
        if not known.least <= value <= known.most:
            raise ConfigurationError(f"{name} is {value}, but must be from {known.least} to {known.most:,}")


def _trials(
    groups: Sequence[Sequence[str]], cells: Sequence[Cell], forks: int, seed: int, *, alike: bool
) -> list[TrialPlan]:
    """The trials fork by fork, each group of subjects in turn, so that a stopped run has whole forks of all groups.
    With `cells`, each cell has trials of its own.

    With `alike`, all trials of a fork share one seed.
    """
    draw = random.Random(f"trials {seed}")
    plans: list[TrialPlan] = []
    of_fork = [draw.randrange(2**48) for _ in range(forks)] if alike else []
    for fork, cell, group in product(range(forks), [cell.name for cell in cells] or [""], groups):
        order = list(group)
        draw.shuffle(order)
        own = of_fork[fork] if alike else draw.randrange(2**48)
        plans.append(TrialPlan(number=len(plans) + 1, seed=own, start_order=order, cell=cell))
    return plans


def on_machines(
    schedule: Schedule, machines: int, forks_each: int | None = None, *, with_makeups: bool = False
) -> tuple[Schedule, list[list[int]]]:
    """The schedule for several machines or sessions, and the numbers of each one's trials. Each has the same number and
    kind of trials, and `forks_each` of the planned forks (None: all).

    With `with_makeups` each replaces its own failed trials, so one number per trial is left free. Each trial has its
    own order and seed, drawn from the schedule's seed. There are no looks, since no machine knows the others' results.
    """
    each = schedule.trials if forks_each is None else schedule.trials[: forks_each * trials_per_fork(schedule)]
    draw = random.Random(f"machines {schedule.seed}")
    trials: list[TrialPlan] = []
    numbers: list[list[int]] = []
    stride = len(each) * (2 if with_makeups else 1)
    for machine in range(machines):
        for place, planned in enumerate(each, machine * stride + 1):
            order = list(planned.start_order)
            seed = planned.seed
            if machine:
                draw.shuffle(order)
                seed = draw.randrange(2**48)
            trials.append(TrialPlan(number=place, seed=seed, start_order=order))
        numbers.append([trial.number for trial in trials[-len(each) :]])
    return schedule.model_copy(update={"trials": trials, "looks": []}), numbers
