"""From a study and what the user asked to a schedule: every trial, cell and slice count, fixed before anything runs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..catalogue import entries, factors
from ..catalogue.subject_syntax import subject_of
from ..models.job import BigBang, Profile, Rate, Stage
from ..models.records import Cell, Schedule, TrialPlan
from ..models.service import Service
from ..models.study import Budget, Study, SubjectSpec
from . import shapes

MOST_IN_A_TRIAL = 4
REST_SECONDS = 2.0  # before a block: what the one before left over has ended
BETWEEN_SECONDS = 0.3  # from a slice's end to the next one's begin
TURN_SHARE = 0.5  # of a slice's own time, for the load before and after each of its turns
LEAST_PAIRS = 3
Value = int | float | str


@dataclass(frozen=True)
class Request:
    """What the user asked of a study on the command line; None and empty mean what the study says."""

    only: Sequence[str] = ()
    set_of_factors: str = ""
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
    scale: float = 1.0
    seed: int = 1


@dataclass(frozen=True)
class Settings:
    """What the study's parameters come to. `users` is None for auto; `mix` is None where each operation runs alone."""

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
    """Names and values of a paper-style initialization file: `Name = value` lines, `#` comments, blanks ignored."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
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


def settle(study: Study, request: Request) -> Settings:
    """The study's parameters with the user's file and flags laid over their defaults; raises ConfigurationError."""
    given: dict[str, Value] = {}
    if request.config is not None:
        given.update(read_initialization_file(request.config))
    given.update(request.settings)
    for name in given:
        if name not in study.parameters:
            raise ConfigurationError(f"{study.name} has no parameter '{name}'{nearest(name, sorted(study.parameters))}")
    values = {name: _number(study, name, given.get(name, known.default)) for name, known in study.parameters.items()}
    mixed = {
        known.sets.removeprefix("mix."): name
        for name, known in study.parameters.items()
        if known.sets.startswith("mix.")
    }
    users = request.users if request.users is not None else _one(study, values, "users", 8)
    return Settings(
        values=values,
        users=None if users == "auto" else int(users),
        warm_up_seconds=float(_one(study, values, "warm_up_seconds", study.warm_up_limit_seconds)),
        steady_seconds=float(_one(study, values, "steady_seconds", 300)),
        drain_seconds=float(_one(study, values, "drain_seconds", 10)),
        mix=_mix(study, {operation: given[name] for operation, name in mixed.items() if name in given}),
        service={
            known.sets.removeprefix("service."): int(values[name])
            for name, known in study.parameters.items()
            if known.sets.startswith("service.")
        },
        out=str(_one(study, values, "out", "")) or None if _given(study, given, "out") else None,
        out_prefix=str(_one(study, values, "out_prefix", "")) or None if _given(study, given, "out_prefix") else None,
    )


def subjects_of(study: Study, only: Sequence[str], set_of_factors: str = "") -> list[SubjectSpec]:
    """The subjects asked for, in the order asked: those of the study by label, and any other server as itself.

    Each takes the factors of the set that its label names (`LABEL@SET`), else of `set_of_factors`, which its label then names.
    """
    known = {spec.label: spec for spec in (_as_subject(subject) for subject in study.subjects)}
    labels = [factors.labelled(study, label, set_of_factors) for label in only or known]
    if len(set(labels)) != len(labels):
        raise ConfigurationError(f"--only names the same subject twice: {', '.join(labels)}")
    pairs = [factors.split(study, label) for label in labels]
    return [factors.with_set(study, known.get(label) or _as_subject(label), name) for label, name in pairs]


def schedule_of(study: Study, service: Service, request: Request, settings: Settings, users: int) -> Schedule:
    """The whole schedule; random order comes from `request.seed` alone. Raises ConfigurationError."""
    labels = [subject.label for subject in subjects_of(study, request.only, request.set_of_factors)]
    reference = next((label for label in labels if factors.split(study, label)[0] == study.reference), labels[0])
    seconds = settings.steady_seconds if request.as_published else request.slice_seconds or study.slice_seconds
    forks = 1 if request.as_published else request.forks or study.forks
    budget = study.budget or Budget(seconds=1)
    budget_seconds = request.budget_seconds or (None if study.budget is None or request.forks else budget.seconds)
    wanted_pairs = round(settings.steady_seconds / forks / seconds)
    return Schedule(
        study=study.name,
        service=service.name,
        seed=request.seed,
        design="as-published" if request.as_published else study.design,
        subjects=labels,
        reference=reference,
        cells=_cells(study, service, request, settings, users, seconds),
        trials=_trials(labels, reference, forks, request),
        pairs_per_cell=1 if request.as_published else max(LEAST_PAIRS, request.pairs or study.pairs or wanted_pairs),
        slice_seconds=seconds,
        turn_ms=study.turn_ms if study.design == "alternating" and not request.as_published else 0,
        warm_up_limit_seconds=settings.warm_up_seconds
        if request.as_published
        else request.warm_up_seconds or min(settings.warm_up_seconds, study.warm_up_limit_seconds),
        drain_limit_seconds=settings.drain_seconds,
        parameters=settings.values,
        looks=[] if request.as_published or request.forks else study.looks,
        margin=study.margin,
        budget_seconds=None if request.as_published else budget_seconds,
        least_forks=min(forks, budget.least_forks),
        pairs_fixed=bool(request.as_published or request.pairs or study.pairs or study.tests),
        scale=request.scale,
    )


def schedule_only(study: Study, request: Request) -> Schedule:
    """The schedule that a run would follow, without touching a server; for `auto` users the study's reference of 8 stands in."""
    settings = settle(study, request)
    service = entries.service(study.service).model
    return schedule_of(study, service, request, settings, settings.users or 8)


def planned_seconds(schedule: Schedule, *, start_seconds: float = 4.0, warm_up_share: float = 0.6) -> float:
    """A first guess of a schedule's duration, before any fork has shown its cost."""
    warm_up = schedule.warm_up_limit_seconds * (1.0 if schedule.design == "as-published" else warm_up_share)
    blocks = [shapes.seconds_of(cell.profile) + REST_SECONDS for cell in schedule.cells if cell.block]
    steady = sum(not cell.block for cell in schedule.cells)
    slices = steady * schedule.pairs_per_cell * seconds_of_slice(schedule)
    each = start_seconds + len(schedule.warmed()) * warm_up + sum(blocks) + len(blocks) * BETWEEN_SECONDS + slices
    return each * sum(len(trial.start_order) for trial in schedule.trials)


def seconds_of_slice(schedule: Schedule) -> float:
    """What a slice of steady load costs, with what goes before and after it or each of its turns."""
    beside = TURN_SHARE * schedule.slice_seconds if schedule.turn_ms else BETWEEN_SECONDS
    return schedule.slice_seconds + beside


def _number(study: Study, name: str, value: Value) -> Value:
    """A given value as the kind of its default; raises ConfigurationError."""
    known = study.parameters[name]
    if isinstance(known.default, str) or (known.auto and value == "auto"):
        return str(value)
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    whole = isinstance(known.default, int)
    if not number >= 0 or (whole and number != int(number)):
        also = " or auto" if known.auto else ""
        raise ConfigurationError(
            f"{name} is '{value}', but must be a {'whole ' if whole else ''}number from 0 up{also}"
        )
    return int(number) if whole else number


def _one(study: Study, values: Mapping[str, Value], sets: str, otherwise: Value) -> Value:
    return next((values[name] for name, known in study.parameters.items() if known.sets == sets), otherwise)


def _given(study: Study, given: Mapping[str, Value], sets: str) -> bool:
    return any(known.sets == sets and name in given for name, known in study.parameters.items())


def _mix(study: Study, given: Mapping[str, Value]) -> dict[str, float] | None:
    if not given:
        return None
    mix = {operation: float(percent) for operation, percent in given.items() if float(percent) > 0}
    if abs(sum(mix.values()) - 100) > 1e-9:
        shown = ", ".join(f"{operation} {percent:g}" for operation, percent in mix.items()) or "nothing"
        raise ConfigurationError(
            f"the mix of {study.name} must come to 100 percent; it comes to {sum(mix.values()):g} ({shown})"
        )
    return mix


def _as_subject(subject: str | SubjectSpec) -> SubjectSpec:
    return subject_of(subject) if isinstance(subject, str) else subject


def _cells(
    study: Study, service: Service, request: Request, settings: Settings, users: int, seconds: float
) -> list[Cell]:
    for operation in request.operations:
        if operation not in service.operations:
            raise ConfigurationError(
                f"{service.name} has no operation '{operation}'{nearest(operation, sorted(service.operations))}"
            )
    if study.tests:
        return _blocks(study, request)
    if request.tests or request.scale != 1:
        raise ConfigurationError(f"{study.name} has no tests with a shape, so --tests and --scale mean nothing to it")
    profile: Profile = BigBang(users=users, seconds=seconds)
    if study.rate is not None:
        profile = Rate(arrivals="poisson", stages=[Stage(from_rate=study.rate, to_rate=study.rate, seconds=seconds)])
    if settings.mix is not None and not request.operations:
        name = "+".join(settings.mix)
        return [Cell(name=name, mix=settings.mix, users=users, profile=profile, primary=True)]
    operations = list(request.operations) or study.operations
    primary = study.primary if study.primary in operations else operations[0]
    return [
        Cell(name=operation, mix={operation: 1.0}, users=users, profile=profile, primary=operation == primary)
        for operation in operations
    ]


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
            block=True,
            title=test.title,
            until=test.until,
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


def _trials(labels: list[str], reference: str, forks: int, request: Request) -> list[TrialPlan]:
    """Fork by fork, each group of subjects in turn, so that a stopped run has whole forks of all groups."""
    draw = random.Random(f"trials {request.seed}")
    others = [label for label in labels if label != reference]
    if request.as_published:
        groups = [[label] for label in labels]
    elif len(labels) <= MOST_IN_A_TRIAL:
        groups = [labels]
    else:
        per_trial = MOST_IN_A_TRIAL - 1
        groups = [[reference, *others[index : index + per_trial]] for index in range(0, len(others), per_trial)]
    plans: list[TrialPlan] = []
    for _ in range(forks):
        for group in groups:
            order = list(group)
            draw.shuffle(order)
            plans.append(TrialPlan(number=len(plans) + 1, seed=draw.randrange(2**48), start_order=order))
    return plans
