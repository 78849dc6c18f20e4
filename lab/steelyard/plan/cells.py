"""The cells of a schedule: the operation, number of users and load of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..base.configuration import nearest
from ..base.errors import ConfigurationError
from ..models.job import BigBang, FixedWork, Profile, Rate, Session, Stage, Steps
from ..models.records import Cell
from ..models.service import Service
from ..models.study import Load, Study, SubjectSpec, Test
from . import shapes
from .grids import grid_cells, grids_of, kind_named
from .run_parameters import Request, RunParameters


def cells_of(
    study: Study, service: Service, request: Request, settings: RunParameters, users: int, seconds: float
) -> list[Cell]:
    """The cells to measure: one for each test, grid point, mix or operation of the study, limited by the user's
    request.

    `users` and `seconds` (of a slice) apply to cells without a shape of their own. Raises ConfigurationError.
    """
    _check_names(study, service, request)
    if study.tests:
        return _blocks(study, request, settings)
    if request.tests or request.scale != 1:
        raise ConfigurationError(f"{study.name} has no tests with a shape, so --tests and --scale do not apply")
    profile = _profile(study, users, seconds)
    kind = kind_named(profile)
    grids = grids_of(study, request)
    if study.loads:
        return _load_cells(study, request, users, seconds)
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
    if grids:
        return grid_cells(study, service, grids, request, profile, users)
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


def _profile(study: Study, users: int, seconds: float) -> Profile:
    """The load of a cell without a shape of its own: fixed work, open at a rate, or else closed."""
    if study.work is not None:
        return FixedWork(users=users, each=study.work.each, most_seconds=study.work.most_seconds)
    if study.rate is not None:
        return _open_profile(study.rate, seconds)
    return BigBang(users=users, seconds=seconds)


def _open_profile(rate: float, seconds: float) -> Rate:
    return Rate(arrivals="poisson", stages=[Stage(from_rate=rate, to_rate=rate, seconds=seconds)])


def _load_cells(study: Study, request: Request, users: int, seconds: float) -> list[Cell]:
    """A cell for each operation under each load of the study."""
    asked = list(request.operations) or study.operations
    cells = [
        _load_cell(load, operation, users, seconds)
        for load in study.loads
        for operation in load.operations or load.rates or study.operations
        if operation in asked
    ]
    if not any(cell.primary for cell in cells):
        raise ConfigurationError(
            f"no judged load of {study.name} has the operation {asked[0]}",
            hint=f"name one of {', '.join(study.operations)}",
        )
    names = {cell.name for cell in cells}
    return [cell for cell in cells if not cell.share or cell.share_of in names]


def _load_cell(load: Load, operation: str, users: int, seconds: float) -> Cell:
    profile: Profile = BigBang(users=users, seconds=seconds)
    if load.rates or load.share is not None:
        profile = _open_profile(load.rates.get(operation, 1.0), seconds)
    return Cell(
        name=f"{operation} {load.name}",
        mix={operation: 1.0},
        users=users,
        profile=profile,
        primary=load.judged,
        title=load.title,
        judged_by=load.judged_by,
        family=load.name if load.judged else "",
        load=load.name,
        share=load.share or 0,
        share_of=f"{operation} {load.of}" if load.of else "",
    )


def operations_of(cell: Cell, sessions: Mapping[str, Session]) -> dict[str, str]:
    """The operation behind each request name of a cell, including those in sessions, for the corpus."""
    operations: list[str] = []
    for operation in cell.mix:
        operations += [step.operation for step in sessions[operation].steps] if operation in sessions else [operation]
    return {cell.request_name(operation): operation for operation in operations}


def sessions_of(cells: Sequence[Cell], sessions: Mapping[str, Session]) -> dict[str, Session]:
    """The sessions of the cells for the engine: each requests the payload of its cell."""
    return {
        cell.request_name(name): sessions[name].model_copy(
            update={
                "steps": [
                    step.model_copy(update={"operation": cell.request_name(step.operation)})
                    for step in sessions[name].steps
                ]
            }
        )
        for cell in cells
        for name in cell.mix
        if name in sessions
    }


def combined_mix(cells: Sequence[Cell]) -> dict[str, float]:
    """One mix for all cells: the sum of their weights by operation."""
    operations = dict.fromkeys(operation for cell in cells for operation in cell.mix)
    return {operation_name: sum(cell.mix.get(operation_name, 0.0) for cell in cells) for operation_name in operations}


def _check_names(study: Study, service: Service, request: Request) -> None:
    """Raises ConfigurationError for an operation that the service lacks, in the request, the study or a session of it. The steps
    of a user's own sessions are operations of their own."""
    for operation in (*request.operations, *study.operations):
        if operation not in service.operations and operation not in study.sessions:
            known = sorted({*service.operations, *study.sessions})
            raise ConfigurationError(f"{service.name} has no operation '{operation}'{nearest(operation, known)}")
    called = {*service.operations, *(step.operation for session in study.sessions.values() for step in session.steps)}
    for spec in (spec for spec in study.subjects if isinstance(spec, SubjectSpec)):
        for operation in spec.operation_headers:
            if operation not in called:
                raise ConfigurationError(
                    f"{spec.label} has headers for '{operation}', which is no operation of {service.name}"
                    f"{nearest(operation, sorted(called))}"
                )
    for test in study.tests:
        for name in test.payload:
            if name not in service.parameters:
                raise ConfigurationError(
                    f"{study.name}: test {test.name} has a payload '{name}', which {service.name} does not "
                    f"have{nearest(name, sorted(service.parameters))}"
                )
    for name, session in study.sessions.items():
        if name in service.operations:
            raise ConfigurationError(
                f"{study.name}: the session '{name}' has the name of an operation of {service.name}"
            )
        for step in session.steps:
            if step.operation not in service.operations and not service.is_own:
                raise ConfigurationError(
                    f"{study.name}: the session '{name}' calls '{step.operation}', which {service.name} does not "
                    f"have{nearest(step.operation, sorted(service.operations))}"
                )


def _blocks(study: Study, request: Request, settings: RunParameters) -> list[Cell]:
    """A judged cell for each selected test, with its times shortened by the request's scale; a test with faults gives a
    cell that is not judged.

    Raises ConfigurationError if both kinds are selected.
    """
    broken = {fault.test for fault in study.faults}
    cells = [
        Cell(
            name=test.name,
            mix=test.mix or {test.operation: 1.0},
            users=shapes.most_users(test.profile),
            profile=shapes.scale_profile(test.profile, request.scale, _session_seconds(study, test.operation)),
            primary=test.name not in broken,
            kind="fault" if test.name in broken else "block",
            title=test.title,
            until=test.until,
            judged_by=study.judged_by,
            cold=test.cold,
            payload=test.payload,
            subjects=study.variations[test.name] if request.variations else [],
        )
        for test in _tests(study, request, settings)
        if not request.operations or test.operation in request.operations
    ]
    if len({cell.kind for cell in cells}) > 1:
        names = ", ".join(cell.name for cell in cells if cell.kind == "fault")
        raise ConfigurationError(
            f"test {names} of {study.name} injects faults that affect the other tests",
            hint=f"run it alone: --tests {names}",
        )
    return cells


def breaks(study: Study, request: Request) -> bool:
    """Whether any selected test injects faults. Raises ConfigurationError."""
    broken = _tests_with_faults(study)
    return bool(broken) and any(test.name in broken for test in chosen_tests(study, request))


def _tests_with_faults(study: Study) -> set[str]:
    return {fault.test for fault in study.faults}


def chosen_tests(study: Study, request: Request) -> list[Test]:
    """The selected tests, by default the usual ones. Raises ConfigurationError."""
    if request.variations:
        return [test for test in study.tests if test.name in study.variations]
    known = [name for test in study.tests for name in (test.name, *test.also)]
    measured = [test.name for test in study.tests if test.name not in _tests_with_faults(study)]
    wanted = set(names_of(request.tests, known) if request.tests else study.usual_tests or measured or known)
    return [test for test in study.tests if wanted & {test.name, *test.also}]


def _tests(study: Study, request: Request, settings: RunParameters) -> Iterator[Test]:
    """The selected tests, by default the usual ones, with their levels computed.

    Raises ConfigurationError if a named test has levels in percent of an unknown value; a usual test is left out then.
    """
    for test in chosen_tests(study, request):
        if test.percent_of is None or not isinstance(test.profile, Steps):
            yield test
            continue
        whole = float(settings.values[test.percent_of])
        if whole > 0:
            levels = [max(1, round(level * whole / 100)) for level in test.profile.levels]
            yield test.model_copy(update={"profile": test.profile.model_copy(update={"levels": levels})})
        elif request.tests:
            raise ConfigurationError(
                f"test {test.name} of {study.name} has levels in percent of {test.percent_of}, which is unknown",
                hint=f"give --set {test.percent_of}=NUMBER: {study.parameters[test.percent_of].meaning}",
            )


def _session_seconds(study: Study, operation: str) -> float:
    """The duration of a session with immediate answers; 0 for a plain operation."""
    return pauses_seconds(study.sessions[operation]) if operation in study.sessions else 0.0


def pauses_seconds(session: Session) -> float:
    """The sum of the mean pauses of a session."""
    thinks = [step.think for step in session.steps]
    return sum((think.ms + think.to_ms) / 2 if think.kind == "uniform" else think.ms for think in thinks) / 1000


def lead_out_seconds(sessions: Mapping[str, Session]) -> float:
    """The longest time after the measured time in which sessions that have begun go on."""
    return max((session.lead_out_ms for session in sessions.values()), default=0.0) / 1000


def usual_lead_out_seconds(sessions: Mapping[str, Session]) -> float:
    """The usual time after the measured time until all sessions that have begun are at their end: the mean pauses of one."""
    return max((pauses_seconds(session) for session in sessions.values() if session.lead_out_ms), default=0.0)


def shorten_pauses(session: Session, seconds: float) -> Session:
    """The session with pauses shortened to at most `seconds` in total."""
    share = min(1.0, seconds / (pauses_seconds(session) or 1.0))
    steps = [
        step.model_copy(
            update={
                "think": step.think.model_copy(update={"ms": step.think.ms * share, "to_ms": step.think.to_ms * share})
            }
        )
        for step in session.steps
    ]
    return session.model_copy(update={"steps": steps})


def names_of(words: str, known: Sequence[str]) -> list[str]:
    """The known names that `1-6,12,stress-pair` selects; all if the text is empty. Raises ConfigurationError."""
    names: list[str] = []
    for word in (word.strip() for word in words.split(",") if word.strip()):
        first, dash, last = word.partition("-")
        if word not in known and dash and first in known and last in known:
            if known.index(first) > known.index(last):
                raise ConfigurationError(
                    f"'{word}' is an empty range: {first} comes after {last}", hint=f"{last}-{first}"
                )
            names += known[known.index(first) : known.index(last) + 1]
        elif word in known:
            names.append(word)
        else:
            raise ConfigurationError(f"there is no test '{word}'{nearest(word, sorted(known))}")
    return names or list(known)
