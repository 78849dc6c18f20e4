"""One subject against another: from pairs to forks, from forks to an interval, and every point that a report shows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from ..base.text import plural
from ..models.records import Cell
from ..plan.designs import design_named
from ..plan.kinds import unbroken
from ..results.stored_run import Run, Trial
from ..statistics.interval import CONFIDENCE, Interval, fork_value, predicted_deviation, student_interval
from ..statistics.looks import alpha_of
from ..statistics.processor_witness import hull
from . import second_witness
from .instrument import is_late
from .measures import Measure
from .pairing import Fork, Pair, compared_slices, counted_slices, forks, short_of_answers
from .quantities import Quantities, combine, of_slices
from .second_witness import Witness

LEAST_PAIRS = 4  # an interval over the pairs of one fork needs at least these


@dataclass(frozen=True)
class PairPoint:
    """One pair's ratio a / b; None where the measure has no value. `voids` are the reasons why the pair does not count."""

    number: int
    ratio: float | None
    voids: tuple[str, ...]


@dataclass(frozen=True)
class ForkPoint:
    """One fork's ratio a / b and, for a primary measure, its pairs. `why_not` says why it is not part of the interval."""

    trial: int
    ratio: float | None
    pairs: tuple[PairPoint, ...]
    why_not: str | None


@dataclass(frozen=True)
class Compared:
    """Subject a against b in a cell for one measure.

    `interval` is that of the ratio; None for fewer than two forks. `refusals` say once each why forks or the whole have no value.
    `least_deviation` is the least deviation of the forks' log ratios that the scatter of their pairs allows; 0 where pairs give
    none, as for percentiles from merged histograms. `of_sums`: a fork's ratio is that of sums over its stretches, not the median of
    its pairs. `witness` is the throughput ratio by processor time; None where it is not judged. If it disagrees, `interval` spans
    both ratios, and `by_answers` is the interval of the ratio alone.
    """

    a: str
    b: str
    cell: Cell
    measure: Measure
    primary: bool
    forks: tuple[ForkPoint, ...]
    ratio: float | None
    interval: Interval | None
    confidence: float
    pairs: int
    voided: Counter[str]
    refusals: tuple[str, ...]
    least_deviation: float = 0.0
    of_sums: bool = False
    witness: Witness | None = None
    by_answers: Interval | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval; None where there is none."""
        return None if self.interval is None else (self.interval.low, self.interval.high)

    @property
    def is_widened(self) -> bool:
        """Whether the interval was widened to the scatter of the pairs, because the forks agreed more closely."""
        if self.interval is None or not self.least_deviation:
            return False
        alone = student_interval(self.log_ratios, self.confidence).exp()
        own = self.by_answers or self.interval
        return own.high / own.low > 1.001 * alone.high / alone.low

    @property
    def by_processor(self) -> Interval | None:
        """The ratio by processor time, where it disagrees with that by answers."""
        if self.witness is None or not self.witness.disagrees:
            return None
        return self.witness.ratio(self.confidence, self.least_deviation)

    @property
    def counted_forks(self) -> tuple[ForkPoint, ...]:
        """The forks that are part of the interval."""
        return tuple(fork for fork in self.forks if fork.why_not is None and fork.ratio is not None)

    @property
    def size(self) -> str:
        """The data behind the ratio, such as "4 forks, 27 pairs"; no pairs where no trial held both subjects."""
        if not self.forks:
            return "one unbroken run each"
        pairs = plural(self.pairs, "pair") if self.pairs else "through the reference"
        return f"{plural(len(self.counted_forks), 'fork')}, {pairs}"

    @property
    def log_ratios(self) -> list[float]:
        """The logarithm of each counted fork's ratio, in order."""
        return [math.log(fork.ratio) for fork in self.counted_forks if fork.ratio is not None]

    @property
    def standard_error(self) -> float:
        """The standard error of the mean log ratio, at least that predicted by the scatter of the pairs; 0 for fewer than two
        forks."""
        logs = self.log_ratios
        return max(stdev(logs), self.least_deviation) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0


def compare(run: Run, cell: Cell, measure: Measure, a: str, b: str, *, primary: bool) -> Compared:
    """Compares a with b in one cell on one measure."""
    if design_named(run.schedule.design).unbroken:
        return _compare_unbroken(run, cell, measure, a, b, primary)
    refusals: dict[str, None] = {}
    if measure.tail:
        refusals |= {f"requests to {subject} were sent late": None for subject in (a, b) if is_late(run, cell, subject)}
    refused = bool(refusals)
    points, voided, pairs = [], Counter[str](), 0
    scatter: list[list[float]] = []
    starts = design_named(run.schedule.design).starts
    by_answers = starts and second_witness.applies(cell, measure)
    kept = [_long_enough(fork, cell) if by_answers else fork for fork in forks(run, cell, a, b)]
    of_sums = by_answers and all(_in_stretches(fork) for fork in kept)
    for fork in kept:
        logs = [] if refused or measure.from_histograms else _pair_logs(fork, cell, measure)
        ratio = None if refused else _fork_ratio(fork, cell, measure, logs, refusals, of_sums=of_sums)
        if fork.why_not is None:
            scatter.append(logs)
        shown = _pair_points(fork, cell, measure, refused) if primary else ()
        points.append(ForkPoint(fork.trial.number, ratio, shown, fork.why_not))
        if fork.why_not is None:
            pairs += len(fork.counted_pairs)
        else:
            refusals[f"trial {fork.trial.number} {fork.why_not}"] = None
        voided += fork.void_reasons
    confidence = 1 - alpha_of(run.schedule.looks)
    least = predicted_deviation(scatter, of_sums=of_sums)
    ratio, interval = _over_forks(points, confidence, least)
    if not starts and (alone := _over_pairs(scatter, confidence)) is not None:
        ratio, interval = alone.estimate, alone
    compared = Compared(
        *(
            a,
            b,
            cell,
            measure,
            primary,
            tuple(points),
            ratio,
            interval,
            confidence,
            pairs,
            voided,
            tuple(refusals),
            least,
            of_sums,
        )
    )
    return _with_witness(run, compared, kept) if by_answers else compared


def _over_pairs(scatter: Sequence[Sequence[float]], confidence: float) -> Interval | None:
    """The ratio over the pairs of one fork, which holds for these processes only; None for too few pairs."""
    logs = [log for pairs in scatter for log in pairs]
    return student_interval(logs, confidence).exp() if len(logs) >= LEAST_PAIRS else None


def _long_enough(fork: Fork, cell: Cell) -> Fork:
    """The fork, marked as not counted for throughput where its stretches have too few answers."""
    short = short_of_answers(fork, cell) if fork.why_not is None else None
    return fork if short is None else replace(fork, why_not=short)


def _in_stretches(fork: Fork) -> bool:
    """Whether no slice of the counted pairs took turns: each subject had the machine in stretches."""
    return all(
        fork.trial.unbroken(number)
        for pair in fork.counted_pairs
        for number in (pair.a_slice, pair.b_slice)
        if number is not None
    )


def _with_witness(run: Run, compared: Compared, kept: Sequence[Fork]) -> Compared:
    """The comparison with its second witness. If that disagrees, the interval spans both ratios."""
    numbers = [
        (fork.trial, [p.a_slice for p in fork.counted_pairs], [p.b_slice for p in fork.counted_pairs])
        for fork, point in zip(kept, compared.forks, strict=True)
        if point in compared.counted_forks
    ]
    witness = second_witness.witness(
        run,
        compared.cell,
        (compared.a, compared.b),
        [(trial, _known_numbers(of_a), _known_numbers(of_b)) for trial, of_a, of_b in numbers],
        compared.confidence,
    )
    return _widen(replace(compared, witness=witness))


def _known_numbers(numbers: Sequence[int | None]) -> list[int]:
    return [number for number in numbers if number is not None]


def _widen(compared: Compared) -> Compared:
    by_processor = compared.by_processor
    if by_processor is None or compared.interval is None:
        return compared
    return replace(compared, interval=hull(compared.interval, by_processor), by_answers=compared.interval)


def compare_by_reference(run: Run, first: Compared, second: Compared) -> Compared:
    """The subject of `first` against that of `second` where no trial holds both, through their ratios to the reference.

    Both ratios add their own noise, so this interval is wider than that of subjects that share trials.
    """
    points = tuple(_quotient(*both) for both in zip(first.counted_forks, second.counted_forks, strict=False))
    confidence = 1 - alpha_of(run.schedule.looks)
    least = math.hypot(first.least_deviation, second.least_deviation)
    ratio, interval = _over_forks(points, confidence, least)
    compared = Compared(
        first.a,
        second.a,
        first.cell,
        first.measure,
        primary=True,
        forks=points,
        ratio=ratio,
        interval=interval,
        confidence=confidence,
        pairs=0,
        voided=Counter(),
        refusals=tuple(dict.fromkeys((*first.refusals, *second.refusals))),
        least_deviation=least,
        witness=second_witness.quotient(run.schedule.margin, first.witness, second.witness, confidence),
    )
    return _widen(compared)


def _over_forks(
    points: Sequence[ForkPoint], confidence: float, least_deviation: float
) -> tuple[float | None, Interval | None]:
    """The ratio over the counted forks and its interval; None for no fork, or for fewer than two."""
    logs = [math.log(p.ratio) for p in points if p.ratio is not None and p.why_not is None]
    interval = student_interval(logs, confidence, least_deviation).exp() if len(logs) >= 2 else None
    return math.exp(fmean(logs)) if logs else None, interval


def _quotient(first: ForkPoint, second: ForkPoint) -> ForkPoint:
    ratio = first.ratio / second.ratio if first.ratio is not None and second.ratio is not None else None
    return ForkPoint(first.trial, ratio, (), None)


def _pair_logs(fork: Fork, cell: Cell, measure: Measure) -> list[float]:
    """The log ratios of the pairs that count."""
    return [math.log(ratio) for pair in fork.counted_pairs if (ratio := _ratio(fork.trial, [pair], cell, measure))]


def _fork_ratio(
    fork: Fork,
    cell: Cell,
    measure: Measure,
    logs: Sequence[float],
    refusals: dict[str, None],
    *,
    of_sums: bool,
) -> float | None:
    """The median of the pairs' log ratios, the ratio of sums over stretches, or for a percentile that of merged histograms."""
    if not fork.counted_pairs:
        return None
    if not measure.from_histograms and not of_sums:
        return math.exp(fork_value(logs)) if logs else None
    return _ratio(fork.trial, fork.counted_pairs, cell, measure, refusals)


def _ratio(
    trial: Trial, pairs: Sequence[Pair], cell: Cell, measure: Measure, refusals: dict[str, None] | None = None
) -> float | None:
    values = []
    for numbers in ([pair.a_slice for pair in pairs], [pair.b_slice for pair in pairs]):
        measured = measure.evaluate(of_slices(trial, [number for number in numbers if number is not None], cell.users))
        if measured.refusal is not None and refusals is not None:
            refusals[measured.refusal] = None
        values.append(measured.value)
    first, second = values
    return first / second if first is not None and second is not None and first > 0 and second > 0 else None


def _pair_points(fork: Fork, cell: Cell, measure: Measure, refused: bool) -> tuple[PairPoint, ...]:
    points = []
    for pair in fork.pairs:
        whole = not refused and all(number in fork.trial.slices for number in (pair.a_slice, pair.b_slice))
        ratio = _ratio(fork.trial, [pair], cell, measure) if whole else None
        points.append(PairPoint(pair.number, ratio, tuple(void.value for void in pair.voids)))
    return tuple(points)


def _compare_unbroken(run: Run, cell: Cell, measure: Measure, a: str, b: str, primary: bool) -> Compared:
    """The comparison as in the papers: one unbroken run each, so a ratio without an estimate of chance."""
    first, second = (measure.evaluate(subject_quantities(run, cell, subject)) for subject in (a, b))
    refusals = tuple(dict.fromkeys(measured.refusal for measured in (first, second) if measured.refusal is not None))
    values = [measured.value for measured in (first, second) if measured.value is not None and measured.value > 0]
    ratio = values[0] / values[1] if len(values) == 2 else None
    return Compared(a, b, cell, measure, primary, (), ratio, None, CONFIDENCE, 0, Counter(), refusals)


def fork_slices(run: Run, cell: Cell, subject: str) -> Iterator[tuple[Trial, list[int]]]:
    """For each counted trial, a subject's slices of a cell in the pairs of its comparison.

    Without such pairs (one subject, or too few of them), its own counted slices. Failed trials are left out.
    """
    whole = unbroken(run.schedule, cell)
    judged = compared_slices(run, cell, subject)
    for trial in run.trials:
        if judged:
            numbers = judged.get(trial.number, [])
        else:
            numbers = [] if trial.status == "failed" else counted_slices(trial, cell.name, subject, unbroken=whole)
        if numbers:
            yield trial, numbers


def fork_quantities(run: Run, cell: Cell, subject: str) -> dict[int, Quantities]:
    """By trial: the quantities of a subject's counted slices of a cell (see `fork_slices`)."""
    return {trial.number: of_slices(trial, numbers, cell.users) for trial, numbers in fork_slices(run, cell, subject)}


def subject_quantities(run: Run, cell: Cell, subject: str) -> Quantities:
    """The quantities of a subject's counted slices of a cell over all forks."""
    return combine(list(fork_quantities(run, cell, subject).values()))
