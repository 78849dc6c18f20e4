"""`compare` of two targets that run: their slices alternate, one ratio a pair; started anew where their files say how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ..base.csvfiles import write_document
from ..base.errors import ConfigurationError, TargetError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..catalogue.entries import Entry
from ..models.outputs import ComparedSide, Estimate, LeftOut, RunningComparison
from ..models.service import Service
from ..observe import environment
from ..provision.cpus import Shares, kept_awake, share
from ..statistics.interval import Interval, fork_value, predicted_deviation, student_interval
from ..statistics.verdict_words import Better, word
from ..store.tables import SliceRow
from . import figures
from .allowed import target_of
from .asked import Asked
from .driving import Ground, Stretch, Stretches, verify
from .load import load_text, loadable, made, stretch_of
from .requests import write_requests
from .starting import can_start, started
from .who_asks import with_auth
from .words import LoadWords

FORKS = 6
LEAST_PAIRS = 4
_MOST_PAIRS = 40
_START_SECONDS = 10.0  # a guess, for what a budget holds
_RUNS_ON = [
    "which of them would be better after another start: neither was started anew, and two starts of one server may differ for as "
    "long as they live",
    "why they differ: the processor time and memory of processes that are not ours are not known",
    "what one does in the other's slice: both run on, and deferred work of one may slow the other",
]
_STARTED = ["why they differ: processor time, memory and compilers are judged on servers of the hall alone"]


@dataclass(frozen=True)
class Side:
    """One of the two: what is asked of it, and the service whose file may say how it is started."""

    label: str
    asked: Asked
    service: Entry[Service] | None


@dataclass(frozen=True)
class CompareWords:
    """What is asked: the load of a slice (its `seconds` and `warm_up_seconds`), the pairs a fork (None: what the budget holds), the
    budget in s and the difference that counts as none."""

    load: LoadWords
    pairs: int | None
    budget_seconds: float
    margin: float


@dataclass(frozen=True)
class PairedFork:
    """The measured slices of both sides in pairs, and what each side was sent beside them."""

    pairs: list[tuple[SliceRow, SliceRow]]
    beside: tuple[int, int]
    why_not: list[str]


def compare(
    sides: tuple[Side, Side],
    words: CompareWords,
    *,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
) -> RunningComparison:
    """Verify both, then load them in turns; everything is stored. Raises SteelyardError."""
    anew = all(can_start(side.service) for side in sides)
    if not anew and any(can_start(side.service) for side in sides):
        raise ConfigurationError(
            "one of the two can be started anew and the other cannot",
            hint="give both a start line, or take it out of the one that has it",
        )
    for side in sides:  # everything is checked before anything is sent
        target_of(side.asked)
    folder = (out or Path("runs")) / f"compare-{datetime.now():%Y-%m-%d-%H%M%S}"
    forks = FORKS if anew else 1
    pairs = words.pairs or pairs_within(words, forks, _START_SECONDS if anew else 0.0)
    not_loaded: list[LeftOut] = []
    with machine_lock("steelyard compare"):
        folder = made(folder)
        shares = share()
        write_document(folder / "environment.json", environment.describe([], shares, command))
        progress.plan(words.budget_seconds)
        with kept_awake(shares):
            driven = [
                _fork(number, sides, words, pairs, folder, shares, progress, not_loaded)
                for number in range(1, forks + 1)
            ]
    output = _output(sides, words, driven, anew, not_loaded, folder)
    write_document(folder / "comparison.json", output.model_dump(mode="json"))
    return output


def pairs_within(words: CompareWords, forks: int, start_seconds: float) -> int:
    """How many pairs of slices a fork may have for the budget to hold them."""
    left = words.budget_seconds / forks - 2 * (start_seconds + words.load.warm_up_seconds)
    return max(LEAST_PAIRS, min(_MOST_PAIRS, int(left / (2 * (words.load.seconds + 0.5)))))


def _fork(
    number: int,
    sides: tuple[Side, Side],
    words: CompareWords,
    pairs: int,
    folder: Path,
    shares: Shares,
    progress: Progress,
    not_loaded: list[LeftOut],
) -> PairedFork:
    """Both sides up, verified and warm, then their slices in turns: first the one, then the other, and the other way round."""
    with ExitStack() as stack:
        both: list[Stretches] = []
        verified = []
        for place, side in enumerate(sides):
            own = folder / f"fork-{number:02}" / f"{'ab'[place]}"
            own.mkdir(parents=True)
            if side.service is not None and can_start(side.service):
                progress.show(f"fork {number}: starting {side.label}")
                stack.enter_context(started(side.service, own / "target.log", progress))
            ground, planned, left = _ground(side, words, pairs, own, shares, progress)
            not_loaded += [each for each in left if each not in not_loaded]
            progress.show(f"fork {number}: verifying {side.label}")
            verified.append(verify(ground, list(side.asked.chosen(words.load.operations).operations))[0].sent)
            both.append(stack.enter_context(Stretches(ground, planned, "load")))
        order = [(0, 1) if pair % 2 == number % 2 else (1, 0) for pair in range(pairs)]
        rows: list[list[SliceRow]] = [[], []]
        for slice_number in range(pairs + 1):
            progress.show(f"fork {number}: {'warming up' if slice_number == 0 else f'pair {slice_number} of {pairs}'}")
            for place in order[max(0, slice_number - 1)]:
                rows[place].append(both[place].drive(slice_number, lambda _: ""))
                if both[place].gave_up is not None:
                    raise TargetError(f"{sides[place].label}: {both[place].gave_up}", hint=f"see {both[place].folder}")
    measured = list(zip(rows[0][1:], rows[1][1:], strict=True))
    beside = tuple(verified[place] + rows[place][0].sent for place in (0, 1))
    why_not = [
        f"{sides[place].label}: {row.why_not}" for pair in measured for place, row in enumerate(pair) if row.why_not
    ]
    return PairedFork(measured, (beside[0], beside[1]), list(dict.fromkeys(why_not)))


def _ground(
    side: Side, words: CompareWords, pairs: int, folder: Path, shares: Shares, progress: Progress
) -> tuple[Ground, list[Stretch], list[LeftOut]]:
    """What a side is loaded from and with, and what of it is not; raises ConfigurationError."""
    target = target_of(side.asked)
    asked, left = loadable(side.asked, words.load)
    names = [name for name in asked.operations if name not in {each.what for each in left}]
    asked, who_asks = with_auth(asked, {})
    load = words.load
    corpus = write_requests(asked, folder / "corpus", load.headers, packed=load.packed, chunked=load.chunked)
    measured = replace(stretch_of(load, names, asked.max_rate), lead_in_seconds=0.2)
    warming = stretch_of(replace(load, seconds=load.warm_up_seconds), names, asked.max_rate)
    planned = [replace(warming, phase="warm-up", lead_in_seconds=0.2), *([measured] * pairs)]
    ground = Ground(
        target,
        corpus,
        folder,
        who_asks,
        shares.engine,
        load.seed,
        load.timeout_seconds,
        load.give_up_seconds,
        progress,
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


def _output(
    sides: tuple[Side, Side],
    words: CompareWords,
    driven: Sequence[PairedFork],
    anew: bool,
    not_loaded: list[LeftOut],
    folder: Path,
) -> RunningComparison:
    by_rate = words.load.rates is not None
    forks = [log_ratios(fork, by_rate=by_rate) for fork in driven]
    ratio = ratio_of(forks)
    why_not = [reason for fork in driven for reason in fork.why_not]
    better = Better.LOWER if by_rate else Better.HIGHER
    said = word(ratio, better, words.margin).value if anew and ratio is not None and not why_not else None
    estimate = (
        Estimate(value=None, why_not=f"fewer than {LEAST_PAIRS} pairs in which both answered")
        if ratio is None
        else Estimate(value=ratio.estimate, low=ratio.low, high=ratio.high)
    )
    return RunningComparison(
        subjects=[_side(place, side, driven) for place, side in enumerate(sides)],
        load=load_text(words.load, stretch_of(words.load, list(sides[0].asked.operations), None)),
        measure="mean response time" if by_rate else "throughput",
        ratio=estimate,
        word=said,
        forks=len(driven),
        pairs=sum(len(pairs) for pairs in forks),
        valid=not why_not,
        why_not=why_not,
        cannot_say=_STARTED if anew else _RUNS_ON,
        not_loaded=not_loaded,
        run=str(folder),
    )


def _side(place: int, side: Side, driven: Sequence[PairedFork]) -> ComparedSide:
    rows = [pair[place] for fork in driven for pair in fork.pairs]
    completed = sum(row.completed for row in rows)
    failures: dict[str, int] = {}
    for row in rows:
        for kind, count in figures.kinds_of(row).items():
            failures[kind] = failures.get(kind, 0) + count
    return ComparedSide(
        label=side.label,
        target=side.asked.address,
        throughput_per_s=completed / max(1e-9, sum(row.seconds for row in rows)),
        response_mean_ms=sum(row.response_ns_sum for row in rows) / completed / 1e6 if completed else None,
        completed=completed,
        failed=sum(failures.values()),
        failures=failures,
        sent=sum(row.sent for row in rows) + sum(fork.beside[place] for fork in driven),
    )
