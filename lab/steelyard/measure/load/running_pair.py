"""`compare` for two running subjects: their slices alternate in one trial, and nothing is started, paused or pinned."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ... import report
from ...analyse import analysis
from ...base.csvfiles import write_document
from ...base.errors import ConfigurationError, TargetError
from ...base.lock import machine_lock
from ...base.progress import Progress
from ...hosts import environment, processes
from ...hosts.cpus import kept_awake, share
from ...models.job import Session, Target
from ...models.outputs.loading import RunningComparison
from ...models.outputs.own_service import LeftOut
from ...models.records import Schedule, SlicePlan
from ...plan.designs import AS_IT_RUNS
from ...plan.designs.design import Ordering
from ...results import loads
from ...results.live_file import STOPPED, LiveFile, StopRequested
from ...workload.allowed_hosts import target_of
from ...workload.load_spec import LoadSpec
from ...workload.load_target import LoadTarget, label_of
from ...workload.own_sessions import rename_session, temporary_rows
from ...workload.planned_load import (
    Stretch,
    judged_measure,
    load_text,
    loadable,
    loaded_weights,
    require_bounded,
    require_endless_data,
    stretch_of,
)
from ...workload.request_files import write_requests
from .auth import with_auth
from .driving import LoadContext, Stretches, verify
from .engine_pilot import with_threads
from .pair_figures import LEAST_PAIRS, ComparedRun, compared_output
from .run_folder import (
    COMPARISON,
    Invocation,
    RunFolder,
    RunningTarget,
    TrialNotes,
    cell_of,
    observe_slice,
    plan_trial,
    record_trial,
)
from .session_figures import forget_private
from .starting import require_up

_MOST_PAIRS = 40
_LEAD_IN_SECONDS = 0.2
_BETWEEN_SECONDS = 0.5  # estimated drain of a slice, to fit pairs into a budget


@dataclass(frozen=True)
class RunningSide:
    """One of the two subjects: its name and its requests."""

    name: str
    load_target: LoadTarget


@dataclass(frozen=True)
class PairSpec:
    """The comparison: the load of a slice (its `seconds` and `warm_up_seconds`), the pairs (None: as many as the budget holds)
    and the budget in s."""

    load: LoadSpec
    pairs: int | None
    budget_seconds: float

    @property
    def planned_pairs(self) -> int:
        """The planned number of pairs of slices."""
        if self.pairs is not None:
            return self.pairs
        left = self.budget_seconds - 2 * self.load.warm_up_seconds
        return max(LEAST_PAIRS, min(_MOST_PAIRS, int(left / (2 * (self.load.seconds + _BETWEEN_SECONDS)))))


@dataclass(frozen=True)
class _Pair:
    """The two subjects with their targets, the requests of both in a common corpus, the weights of the loaded operations and
    sessions, and what is not loaded. Both `alike` send the same requests."""

    sides: tuple[RunningSide, RunningSide]
    targets: tuple[Target, Target]
    requests: LoadTarget
    names: tuple[
        dict[str, str], dict[str, str]
    ]  # for each side, the names of its operations and sessions in the corpus
    weights: Mapping[str, float]
    not_loaded: list[LeftOut]
    alike: bool

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions of both by the names of the corpus."""
        return {name: session.session for name, session in self.requests.sessions.items()}

    def stretch(self, place: int, planned: Stretch, **more: object) -> Stretch:
        """A stretch of load on one of the subjects."""
        mix = {self.names[place][operation]: weight for operation, weight in planned.mix.items()}
        return replace(planned, mix=mix, subject=self.targets[place].subject, **more)  # type: ignore[arg-type]


def compare_running(
    sides: tuple[RunningSide, RunningSide], words: PairSpec, invocation: Invocation
) -> RunningComparison:
    """Verify both subjects, then load them in turns; everything is stored in a run folder.

    A stop request keeps the whole pairs so far. Raises SteelyardError, and StopRequested where there is no whole pair.
    """
    pair = _pair_of(sides, words.load)  # everything is checked before anything is sent
    loads.require_place(invocation.runs)
    progress = invocation.progress
    for side in sides:
        require_up(replace(side.load_target, own=None))  # nothing is started here
    with machine_lock("steelyard compare"):
        folder = loads.make_run_folder(invocation.runs / f"compare-{datetime.now():%Y-%m-%d-%H%M%S}")
        shares = share()
        write_document(folder / "environment.json", environment.describe([], shares, invocation.command))
        progress.plan(words.budget_seconds)
        with (
            LiveFile(folder, progress, shares.server) as live_file,
            progress.followed_by(live_file),
            kept_awake(shares),
        ):
            run, stopped = _drive_pairs(pair, words, folder, progress)
    progress.show("writing the page")
    analysed = analysis.full_analysis(folder)
    load = load_text(words.load, stretch_of(words.load, pair.sides[0].load_target.weights, None))
    subjects = {
        target.subject: (side.name, side.load_target.address) for side, target in zip(sides, pair.targets, strict=True)
    }
    output = compared_output(ComparedRun(analysed, subjects, load, STOPPED if stopped else None, pair.not_loaded))
    write_document(run.folder / loads.COMPARISON, output.model_dump(mode="json"))
    report.write_page(analysed)
    return output


def _pair_of(sides: tuple[RunningSide, RunningSide], load: LoadSpec) -> _Pair:
    """The pair of both sides; raises SteelyardError where they cannot be compared."""
    first, second = (side.load_target for side in sides)
    if (first.auth, first.secrets) != (second.auth, second.secrets):
        raise ConfigurationError(
            "the two use different authentication: their [auth] or [secrets] differ",
            hint="--service FOLDER gives both the same requests",
        )
    chosen: list[LoadTarget] = []
    not_loaded: list[LeftOut] = []
    for load_target in (first, second):
        loaded, left = loadable(load_target, load)
        require_bounded(loaded, load)
        not_loaded += [omitted for omitted in left if omitted not in not_loaded]
        chosen.append(loaded.select([*loaded_weights(loaded, left)]))
        require_endless_data({name: session.session for name, session in loaded.sessions.items()})
    if {*chosen[0].weights} != {*chosen[1].weights}:
        kind = "sessions or operations" if chosen[0].sessions or chosen[1].sessions else "operations"
        raise ConfigurationError(
            f"the two services have different {kind}",
            hint="--service FOLDER, or --operation with a name that both have",
        )
    labels = _labels(sides)
    targets = [
        target_of(load_target).model_copy(update={"subject": label})
        for load_target, label in zip(chosen, labels, strict=True)
    ]
    alike = (chosen[0].operations, chosen[0].sessions) == (chosen[1].operations, chosen[1].sessions)
    suffixes = ["" if alike else f"@{label}" for label in labels]
    first, second = (_rename_requests(own, suffix) for own, suffix in zip(chosen, suffixes, strict=True))
    requests = replace(
        first, operations={**first.operations, **second.operations}, sessions={**first.sessions, **second.sessions}
    )
    called = [{name: name + suffix for name in chosen[0].weights} for suffix in suffixes]
    return _Pair(
        sides, (targets[0], targets[1]), requests, (called[0], called[1]), chosen[0].weights, not_loaded, alike
    )


def _rename_requests(load_target: LoadTarget, suffix: str) -> LoadTarget:
    """The target with `suffix` after the names of its operations and sessions."""
    if not suffix:
        return load_target
    return replace(
        load_target,
        operations={
            name + suffix: replace(operation, name=name + suffix) for name, operation in load_target.operations.items()
        },
        sessions={
            name + suffix: rename_session(session, name + suffix, suffix)
            for name, session in load_target.sessions.items()
        },
    )


def _labels(sides: Sequence[RunningSide]) -> list[str]:
    """Two different labels for the sides."""
    first, second = (label_of(side.load_target.name) for side in sides)
    return [first, second if second != first else f"{second}-2"]


def _drive_pairs(pair: _Pair, words: PairSpec, folder: Path, progress: Progress) -> tuple[RunFolder, bool]:
    """The run with its whole pairs, and whether a stop was requested."""
    load, shares = words.load, share()
    requests, credentials = with_auth(pair.requests, {})
    corpus = write_requests(requests, folder / "corpus", load.headers, packed=load.packed, chunked=load.chunked)
    ground = LoadContext(
        pair.targets[0],
        corpus,
        folder,
        credentials,
        shares.engine,
        load.seed,
        load.timeout_seconds,
        load.give_up_seconds,
        progress,
        sessions=pair.sessions,
    )
    with temporary_rows(requests.sessions, corpus.folder):
        return _drive_verified(pair, words, ground)


def _drive_verified(pair: _Pair, words: PairSpec, ground: LoadContext) -> tuple[RunFolder, bool]:
    """Verify both subjects, then drive the pairs: the run, and whether a stop was requested."""
    load, shares, folder = words.load, share(), ground.folder
    running = [_verify_target(place, pair, ground) for place in (0, 1)]
    measured = replace(stretch_of(load, pair.weights, pair.requests.max_rate), lead_in_seconds=_LEAD_IN_SECONDS)
    labels = [target.subject for target in pair.targets]
    ground, _ = with_threads(
        replace(ground, beside=[pair.targets[1]]), [pair.stretch(place, measured) for place in (0, 1)]
    )
    judged_by = judged_measure(pair.sessions, open_load=load.rates is not None)
    cell = cell_of(measured).model_copy(update={"judged_by": judged_by})
    schedule = plan_trial(COMPARISON, pair.requests.name, labels, [cell], load.seed)
    update = {
        "pairs_per_cell": words.planned_pairs,
        "warm_up_limit_seconds": load.warm_up_seconds,
        "sessions": pair.sessions if pair.alike else {},
    }
    run = RunFolder(folder, schedule.model_copy(update=update), shares)
    run.keep()
    with record_trial(run, run.schedule.trials[0], running) as notes:
        stopped = _take_turns(pair, words, ground, run.schedule, measured, running, notes)
        forget_private(pair.requests, notes.folder)
        notes.stopped = STOPPED if stopped else None
    pairs = sum(plan.phase == "measure" for plan in notes.slices) // 2
    if not pairs:
        raise StopRequested
    run = replace(run, schedule=run.schedule.model_copy(update={"pairs_per_cell": pairs}))
    run.keep()
    return run, stopped


def _verify_target(place: int, pair: _Pair, ground: LoadContext) -> RunningTarget:
    """The verified target of one side, with every operation sent once; raises TargetError on the first wrong answer."""
    side, target = pair.sides[place], pair.targets[place]
    ground.progress.show(f"verifying {side.name}")
    own = replace(ground, target=target, folder=ground.folder / f"verified-{place + 1}")
    _, answers = verify(own, list(pair.names[place].values()))
    forget_private(pair.requests, own.folder / loads.VERIFICATION)
    return RunningTarget(target.subject, side.name, side.load_target.address, len(answers))


def _take_turns(
    pair: _Pair,
    words: PairSpec,
    ground: LoadContext,
    schedule: Schedule,
    measured: Stretch,
    running: Sequence[RunningTarget],
    notes: TrialNotes,
) -> bool:
    """Warm both up, then drive the pairs in the design's order; returns whether a stop was requested. Slices of whole pairs are
    noted."""
    plans, planned = _plan_slices(pair, words, schedule, measured)
    pending: list[SlicePlan] = []
    stopped = True
    with (
        suppress(StopRequested),
        Stretches(ground, planned, notes.folder) as stretches,
        processes.Observer(notes.folder) as observer,
    ):
        for plan in plans:
            at = "warming up" if plan.pair is None else f"pair {plan.pair + 1} of {schedule.pairs_per_cell}"
            ground.progress.show(f"{at}: {plan.subject}")
            target = next(target for target in running if target.label == plan.subject)
            with observe_slice(observer, plan.number, target):
                stretches.drive(plan.number, lambda _, at=at: at)  # type: ignore[misc]
            if stretches.stop_requested:
                raise StopRequested
            if stretches.gave_up is not None:
                raise TargetError(f"{target.title}: {stretches.gave_up}", hint=f"see {stretches.folder}")
            pending.append(plan)
            if plan.pair is None or len(pending) == len(running):
                notes.slices += pending
                pending = []
        stopped = False
    return stopped


def _plan_slices(
    pair: _Pair, words: PairSpec, schedule: Schedule, measured: Stretch
) -> tuple[list[SlicePlan], list[Stretch]]:
    """Every slice in order, with its load: one warm-up each, then the pairs, whose two slices send requests in the same order."""
    load, cell, trial = words.load, schedule.cells[0], schedule.trials[0]
    labels = [target.subject for target in pair.targets]
    draw = random.Random(f"order {trial.seed}")
    drawn = list(trial.start_order)
    draw.shuffle(drawn)
    warming = stretch_of(replace(load, seconds=load.warm_up_seconds), pair.weights, pair.requests.max_rate)
    plans: list[SlicePlan] = []
    planned: list[Stretch] = []
    for label in drawn:
        plans.append(SlicePlan(number=len(plans), subject=label, cell=cell.name, phase="warm-up"))
        planned.append(pair.stretch(labels.index(label), warming, phase="warm-up", lead_in_seconds=_LEAD_IN_SECONDS))
    for number, _, label in AS_IT_RUNS.order(Ordering(schedule, trial, [cell], drawn, draw)):
        plans.append(SlicePlan(number=len(plans), subject=label, cell=cell.name, phase="measure", pair=number))
        planned.append(pair.stretch(labels.index(label), measured, deck=f"pair {number}"))
    return plans, planned
