"""`compare` of two targets that run: their slices alternate, one ratio a pair; started anew where their files say how."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ...analyse import load_figures as figures
from ...base.csvfiles import write_document
from ...base.errors import ConfigurationError, TargetError
from ...base.live import LiveComparison, LiveInterval
from ...base.lock import machine_lock
from ...base.progress import Progress
from ...catalogue.entries import Entry
from ...hosts import environment
from ...hosts.cpus import Shares, kept_awake, share
from ...models.outputs.loading import ComparedSide, Estimate, RunningComparison
from ...models.outputs.own_service import LeftOut
from ...models.service import Service
from ...results import loads
from ...results.live_file import STOPPED, LiveFile, StopAsked
from ...results.outcomes import OUTCOMES, RequestCounts, judged_counts, read_outcomes
from ...results.tables import SliceRow, read_slices
from ...statistics.interval import Interval, fork_value, predicted_deviation, student_interval
from ...statistics.proportions import differ_beyond_chance
from ...workload.allowed_hosts import target_of
from ...workload.load_spec import LoadSpec
from ...workload.load_target import LoadTarget
from ...workload.planned_load import Stretch, load_text, loadable, stretch_of
from ...workload.request_files import write_requests
from .auth import with_auth
from .driving import LoadContext, Stretches, verify
from .starting import can_start, require_up, started

FORKS = 6
LEAST_PAIRS = 4
CONFIDENCE = 0.95
_MOST_PAIRS = 40
_START_SECONDS = 10.0  # a guess, for what a budget holds
_RUNS_ON = [
    "which of them would be better after another start: neither was started anew, and two starts of one server may differ for as "
    "long as they live",
    "why they differ: the processor time and memory of processes that are not ours are not known",
    "what one does in the other's slice: both run on, and deferred work of one may slow the other",
]
_STARTED = [
    "which of them is better: neither is paused while the other is measured, and no slice is held against steady state, so "
    "these are figures and no verdict",
    "why they differ: processor time, memory and compilers are judged on servers of this repository alone",
]


@dataclass(frozen=True)
class Side:
    """One of the two: what is asked of it, and the service whose file may say how it is started."""

    label: str
    asked: LoadTarget
    service: Entry[Service] | None


@dataclass(frozen=True)
class CompareSpec:
    """What is asked: the load of a slice (its `seconds` and `warm_up_seconds`), the pairs a fork (None: what the budget holds) and
    the budget in s."""

    load: LoadSpec
    pairs: int | None
    budget_seconds: float


@dataclass(frozen=True)
class PairedFork:
    """The measured slices of both sides in pairs, why they are not valid, whether it `ended` or was stopped before, and of each
    side the requests that were due in these slices, by their later answer."""

    pairs: list[tuple[SliceRow, SliceRow]]
    why_not: list[str]
    ended: bool
    requests: tuple[RequestCounts, RequestCounts] = (RequestCounts(), RequestCounts())


@dataclass(frozen=True)
class _PairedPlan:
    """What is driven, where and with what; `anew` where each fork starts both sides."""

    sides: tuple[Side, Side]
    words: CompareSpec
    anew: bool
    forks: int
    pairs: int
    folder: Path
    shares: Shares
    progress: Progress
    begun: float

    def is_over_budget(self, fork: int) -> bool:
        """Whether the budget of the forks up to this one is spent."""
        return time.monotonic() - self.begun > self.words.budget_seconds * fork / self.forks

    @property
    def by_rate(self) -> bool:
        """Whether response times are compared, since a rate was given."""
        return self.words.load.rates is not None

    def measure(self, *, goodput: bool = False) -> str:
        """What is compared; right answers a second where shares of failures differ, since times of right answers alone mislead."""
        if goodput:
            return "goodput"
        return "mean response time" if self.by_rate else "throughput"

    def shown_as(self, place: int) -> str:
        """What a side is called while it is loaded; two of one name are told apart."""
        label = self.sides[place].label[:180]
        same = len({side.label for side in self.sides}) == 1
        return f"{label} ({('first', 'second')[place]})" if same else label


def compare(
    sides: tuple[Side, Side],
    words: CompareSpec,
    *,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
) -> RunningComparison:
    """Verify both, then load them in turns; everything is stored.

    Who stops it from outside has what was measured. Raises SteelyardError, and StopAsked where that is nothing.
    """
    anew = all(can_start(side.service) for side in sides)
    if not anew and any(can_start(side.service) for side in sides):
        raise ConfigurationError(
            "one of the two can be started anew and the other cannot",
            hint="give both a start line, or take it out of the one that has it",
        )
    for side in sides:  # everything is checked before anything is sent
        target_of(side.asked)
        loadable(side.asked, words.load)
    loads.require_place(out or Path("runs"))
    for side in sides:
        require_up(side.asked.address, side.service)
    folder = (out or Path("runs")) / f"compare-{datetime.now():%Y-%m-%d-%H%M%S}"
    forks = FORKS if anew else 1
    pairs = words.pairs or pairs_within(words, forks, _START_SECONDS if anew else 0.0)
    with machine_lock("steelyard compare"):
        folder = loads.made(folder)
        shares = share()
        plan = _PairedPlan(sides, words, anew, forks, pairs, folder, shares, progress, time.monotonic())
        write_document(folder / "environment.json", environment.describe([], shares, command))
        progress.plan(words.budget_seconds)
        with LiveFile(folder, progress, shares.server) as told, progress.followed(told), kept_awake(shares):
            driven, not_loaded = _driven(plan)
            output = _output(plan, driven, not_loaded)
            write_document(folder / loads.COMPARISON, output.model_dump(mode="json"))
    return output


def pairs_within(words: CompareSpec, forks: int, start_seconds: float) -> int:
    """How many pairs of slices a fork may have for the budget to hold them."""
    left = words.budget_seconds / forks - 2 * (start_seconds + words.load.warm_up_seconds)
    return max(LEAST_PAIRS, min(_MOST_PAIRS, int(left / (2 * (words.load.seconds + 0.5)))))


def _driven(plan: _PairedPlan) -> tuple[list[PairedFork], list[LeftOut]]:
    """Every fork until someone asks to stop, and what is not loaded; what all so far say is shown after each."""
    driven: list[PairedFork] = []
    not_loaded: list[LeftOut] = []
    with suppress(StopAsked):
        while len(driven) < plan.forks and all(fork.ended for fork in driven):
            driven.append(_fork(len(driven) + 1, plan, not_loaded))
            if plan.anew and driven[-1].ended:
                plan.progress.narrowed(_so_far(plan, driven))
    return driven, not_loaded


def _so_far(plan: _PairedPlan, driven: Sequence[PairedFork]) -> list[LiveComparison]:
    """What the forks that ended say."""
    forks = [log_ratios(fork, by_rate=plan.by_rate) for fork in driven]
    told = [pairs for pairs in forks if pairs]
    if not told:
        return []
    whole = _ratio(plan, forks)
    if whole is None:
        interval = LiveInterval(len(driven), math.exp(fork_value(told[0])), None, None)
    else:
        interval = LiveInterval(len(driven), whole.estimate, whole.low, whole.high)
    operations = "+".join(plan.sides[0].asked.chosen(plan.words.load.operations).operations)[:200]
    return [
        LiveComparison(plan.shown_as(0), plan.shown_as(1), operations, plan.measure(), CONFIDENCE, intervals=[interval])
    ]


def _fork(number: int, plan: _PairedPlan, not_loaded: list[LeftOut]) -> PairedFork:
    """Both sides up, verified and warm, then their slices in turns: first the one, then the other, and the other way round.

    The slice in which someone asks to stop counts for nothing, and nor does one whose other half is missing.
    """
    rows: list[list[SliceRow]] = [[], []]
    ended = False
    plan.progress.live.begin_trial()
    with suppress(StopAsked), ExitStack() as stack:
        both = [_up(number, place, plan, stack, not_loaded) for place in (0, 1)]
        order = [(0, 1) if pair % 2 == number % 2 else (1, 0) for pair in range(plan.pairs)]
        for slice_number in range(plan.pairs + 1):
            # A target that leaves requests unanswered has each slice wait for them, which no plan could know.
            if slice_number > LEAST_PAIRS and plan.is_over_budget(number):
                break
            stage = f"fork {number}: {f'pair {slice_number} of {plan.pairs}' if slice_number else 'warming up'}"
            plan.progress.show(stage)
            for place in order[max(0, slice_number - 1)]:
                rows[place].append(_slice(both[place], slice_number, stage, plan.sides[place].label))
        ended = True
    measured = list(zip(rows[0][1:], rows[1][1:], strict=ended))
    why_not = [
        f"{plan.sides[place].label}: {row.why_not}"
        for pair in measured
        for place, row in enumerate(pair)
        if row.why_not
    ]
    first, second = (_requests(_folder(plan, number, place), [pair[place] for pair in measured]) for place in (0, 1))
    return PairedFork(measured, list(dict.fromkeys(why_not)), ended, (first, second))


def _requests(folder: Path, rows: Sequence[SliceRow]) -> RequestCounts:
    """The requests that were due in the measured slices of a side."""
    outcomes = read_outcomes(folder / "load" / OUTCOMES, True)
    counts = RequestCounts()
    for row in rows:
        counts += judged_counts(row, outcomes.get(row.slice, []))
    return counts


def _slice(stretches: Stretches, number: int, stage: str, label: str) -> SliceRow:
    """One slice, driven to its end; raises StopAsked, and TargetError where the target failed wholly."""
    row = stretches.drive(number, lambda _: stage)
    if stretches.stop_asked:
        raise StopAsked
    if stretches.gave_up is not None:
        raise TargetError(f"{label}: {stretches.gave_up}", hint=f"see {stretches.folder}")
    return row


def _up(number: int, place: int, plan: _PairedPlan, stack: ExitStack, not_loaded: list[LeftOut]) -> Stretches:
    """A side started where it can be, verified, and connected to, until `stack` ends."""
    side = plan.sides[place]
    own = _folder(plan, number, place)
    own.mkdir(parents=True)
    if side.service is not None and can_start(side.service):
        plan.progress.show(f"fork {number}: starting {side.label}")
        stack.enter_context(started(side.service, own / "target.log", plan.progress))
    ground, planned, left = _ground(place, plan, own)
    not_loaded += [each for each in left if each not in not_loaded]
    plan.progress.show(f"fork {number}: verifying {side.label}")
    verify(ground, list(side.asked.chosen(plan.words.load.operations).operations))
    return stack.enter_context(Stretches(ground, planned, ground.folder / "load"))


def _folder(plan: _PairedPlan, number: int, place: int) -> Path:
    return plan.folder / f"fork-{number:02}" / "ab"[place]


def _ground(place: int, plan: _PairedPlan, folder: Path) -> tuple[LoadContext, list[Stretch], list[LeftOut]]:
    """What a side is loaded from and with, and what of it is not; raises ConfigurationError."""
    side, load = plan.sides[place], plan.words.load
    target = target_of(side.asked)
    asked, left = loadable(side.asked, load)
    names = [name for name in asked.operations if name not in {each.what for each in left}]
    asked, who_asks = with_auth(asked, {})
    corpus = write_requests(asked, folder / "corpus", load.headers, packed=load.packed, chunked=load.chunked)
    measured = replace(stretch_of(load, names, asked.max_rate), lead_in_seconds=0.2)
    warming = stretch_of(replace(load, seconds=load.warm_up_seconds), names, asked.max_rate)
    planned = [replace(warming, phase="warm-up", lead_in_seconds=0.2), *([measured] * plan.pairs)]
    ground = LoadContext(
        target,
        corpus,
        folder,
        who_asks,
        plan.shares.engine,
        load.seed,
        load.timeout_seconds,
        load.give_up_seconds,
        plan.progress,
        plan.shown_as(place),
    )
    return ground, planned, left


def log_ratios(fork: PairedFork, *, by_rate: bool) -> list[float]:
    """Of each pair the logarithm of the first's throughput over the second's, or of their mean response times where a rate was
    given; none of a pair in which one answered nothing."""
    ratios = []
    for pair in fork.pairs:
        if all(row.completed for row in pair):
            values = [row.response_ns_sum / row.completed if by_rate else row.throughput_per_s for row in pair]
            ratios.append(math.log(values[0] / values[1]))
    return ratios


def ratio_of(forks: Sequence[Sequence[float]]) -> Interval | None:
    """The ratio with its 95% interval: over forks where there are several, else over the pairs of the one; None of too few."""
    told = [pairs for pairs in forks if pairs]
    if len(forks) > 1:
        if len(told) < 2:
            return None
        return student_interval([fork_value(pairs) for pairs in told], least_deviation=predicted_deviation(told)).exp()
    return student_interval(told[0]).exp() if told and len(told[0]) >= LEAST_PAIRS else None


def _output(plan: _PairedPlan, driven: Sequence[PairedFork], not_loaded: list[LeftOut]) -> RunningComparison:
    """What it came to; of starts only those count that ended. Raises StopAsked where nothing does."""
    counted = [fork for fork in driven if fork.ended or not plan.anew]
    stopped = sum(fork.ended for fork in driven) < plan.forks
    if stopped and not any(fork.pairs for fork in counted):
        raise StopAsked
    sides = [_side(place, plan, counted) for place in (0, 1)]
    differ = failures_differ(sides)
    forks = [log_ratios(fork, by_rate=plan.by_rate and differ is None) for fork in counted]
    ratio = _ratio(plan, forks)
    why_not = list(dict.fromkeys(reason for fork in counted for reason in fork.why_not))
    load = plan.words.load
    return RunningComparison(
        subjects=sides,
        load=load_text(load, stretch_of(load, list(plan.sides[0].asked.operations), None)),
        measure=plan.measure(goodput=differ is not None),
        ratio=_estimate(ratio, plan),
        failures_differ=differ,
        word=None,
        forks=len(counted),
        pairs=sum(len(pairs) for pairs in forks),
        stopped=STOPPED if stopped else None,
        valid=not why_not,
        why_not=why_not,
        cannot_say=_STARTED if plan.anew else _RUNS_ON,
        not_loaded=not_loaded,
        run=str(plan.folder),
    )


def failures_differ(sides: Sequence[ComparedSide]) -> str | None:
    """How the shares of requests without a right answer differ, in a sentence; None where chance may explain it."""
    counts = [side.requests for side in sides if side.requests is not None]
    bad = [count.sent - count.right for count in counts]
    if len(counts) < 2 or not differ_beyond_chance(bad[0], counts[0].sent, bad[1], counts[1].sent):
        return None
    shares = [share / count.sent for share, count in zip(bad, counts, strict=True)]
    told = [
        f"{side.label} left {share:.2%} of its requests without a right answer ({count.unanswered:,} unanswered)"
        for share, side, count in zip(shares, sides, counts, strict=True)
    ]
    return f"{told[0]}, {told[1]}: more than chance explains"


def _ratio(plan: _PairedPlan, forks: Sequence[Sequence[float]]) -> Interval | None:
    """The ratio; of starts it takes two, for the pairs of one know nothing of how starts differ."""
    return None if plan.anew and len(forks) < 2 else ratio_of(forks)


def _estimate(ratio: Interval | None, plan: _PairedPlan) -> Estimate:
    if ratio is not None:
        return Estimate(value=ratio.estimate, low=ratio.low, high=ratio.high)
    least = "2 starts that ended" if plan.anew else f"{LEAST_PAIRS} pairs"
    return Estimate(value=None, why_not=f"fewer than {least} in which both answered")


def _side(place: int, plan: _PairedPlan, counted: Sequence[PairedFork]) -> ComparedSide:
    rows = [pair[place] for fork in counted for pair in fork.pairs]
    completed = sum(row.completed for row in rows)
    failures: dict[str, int] = {}
    requests = RequestCounts()
    for fork in counted:
        requests += fork.requests[place]
    for row in rows:
        for kind, count in figures.kinds_of(row).items():
            failures[kind] = failures.get(kind, 0) + count
    return ComparedSide(
        label=plan.sides[place].label,
        target=plan.sides[place].asked.address,
        throughput_per_s=completed / max(1e-9, sum(row.seconds for row in rows)),
        response_mean_ms=sum(row.response_ns_sum for row in rows) / completed / 1e6 if completed else None,
        completed=completed,
        failed=sum(failures.values()),
        failures=failures,
        sent=_sent(place, plan),
        requests=figures.totals(requests),
    )


def _sent(place: int, plan: _PairedPlan) -> int:
    """Everything that a side was sent: verified, warmed up, measured, and cut short."""
    folders = (_folder(plan, number, place) for number in range(1, plan.forks + 1))
    tables = (table for folder in folders for table in sorted(folder.glob("*/slices.csv")))
    return sum(row.sent for table in tables for row in read_slices(table, True).values())
