"""The second witness of a steady comparison: its throughput ratio by processor time, compared with that by answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from ..base.text import ratio_text
from ..models.records import Cell
from ..plan.kinds import kind_of
from ..results.stored_run import Run, Trial
from ..statistics.interval import Interval, student_interval
from ..statistics.processor_witness import LEAST_PROCESSORS, AnswersAndWork, disagree, disagreement
from .measures import Measure

MEASURE = "throughput"


@dataclass(frozen=True)
class Witness:
    """A throughput ratio a / b by processor time.

    `logs` are the logarithms of each fork's ratio by processor time (B / C), and `log_apart` those of its w_a / w_b, both in the
    order of the counted forks. `apart` is the interval of w_a / w_b. `disagrees`: it differs from 1 by more than half the margin.
    """

    logs: tuple[float, ...]
    log_apart: tuple[float, ...]
    apart: Interval
    disagrees: bool

    def ratio(self, confidence: float, least_deviation: float) -> Interval:
        """The ratio by processor time over the forks."""
        return student_interval(self.logs, confidence, least_deviation).exp()


def applies(cell: Cell, measure: Measure) -> bool:
    """Whether a comparison has a second witness: throughput under steady load."""
    return measure.name == MEASURE and kind_of(cell).name == "steady"


def witness(
    run: Run,
    cell: Cell,
    labels: tuple[str, str],
    forks: Sequence[tuple[Trial, Sequence[int], Sequence[int]]],
    confidence: float,
) -> Witness | None:
    """The second witness of two subjects from the counted slices of each fork.

    None where it is not judged (see `why_not_judged`), or for fewer than two forks.
    """
    if any(why_not_judged(run, cell, label) is not None for label in labels):
        return None
    apart: list[float] = []
    logs: list[float] = []
    for trial, of_a, of_b in forks:
        first, second = answers_and_work(trial, cell, of_a), answers_and_work(trial, cell, of_b)
        w_a, w_b = first.witness, second.witness
        if w_a is None or w_b is None:
            return None
        by_answers = first.answers / first.seconds / (second.answers / second.seconds)
        apart.append(math.log(w_a / w_b))
        logs.append(math.log(by_answers) - apart[-1])
    if len(logs) < 2:
        return None
    between = disagreement(apart, confidence)
    return Witness(tuple(logs), tuple(apart), between, disagree(between, run.schedule.margin))


def quotient(margin: float, first: Witness | None, second: Witness | None, confidence: float) -> Witness | None:
    """The witness of one subject against another from two comparisons with one reference, fork by fork."""
    if first is None or second is None:
        return None
    logs = tuple(a - b for a, b in zip(first.logs, second.logs, strict=False))
    apart = tuple(a - b for a, b in zip(first.log_apart, second.log_apart, strict=False))
    if len(logs) < 2:
        return None
    between = disagreement(apart, confidence)
    return Witness(logs, apart, between, disagree(between, margin))


def answers_and_work(trial: Trial, cell: Cell, numbers: Sequence[int]) -> AnswersAndWork:
    """The answers and the processor time of a subject's slices of one trial."""
    answers = all_answers = 0
    seconds = cpu_ns = all_cpu_ns = 0.0
    for number in numbers:
        row = trial.slices[number]
        observed = sum(process.cpu_ns for process in trial.observations.get(number, ()))
        answers += row.completed
        seconds += row.seconds
        all_answers += row.completed + row.lead_in_completed
        cpu_ns += _measured_cpu_ns(trial, cell, number, observed)
        if row.cpu_own_ns is None:
            all_cpu_ns += observed
        else:  # subjects that share processes can be separated only by their turns
            all_cpu_ns += row.cpu_own_ns + (row.cpu_other_ns or 0) + (row.cpu_between_ns or 0)
    return AnswersAndWork(answers, seconds, cpu_ns, all_answers, all_cpu_ns)


def _measured_cpu_ns(trial: Trial, cell: Cell, number: int, observed_ns: int) -> float:
    """The processor time of a slice's measured time, by the clocks at the edges of its turns or stretch.

    Older runs have no reading at the edges of stretches. Their processor time from lead-in to the last reading is spread evenly
    over that time, as for a server that is equally busy throughout.
    """
    row = trial.slices[number]
    if row.cpu_own_ns is not None:
        return row.cpu_own_ns
    if row.cpu_window_ns is not None:
        return row.cpu_window_ns
    rows = trial.observations.get(number, ())
    loaded_ns = max((process.end_ns for process in rows), default=row.end_ns) - row.begin_ns
    return observed_ns * row.measured_ns / (loaded_ns + kind_of(cell).lead_in_ms * 1e6)


def why_not_judged(run: Run, cell: Cell, subject: str) -> str | None:
    """Why a subject has no second witness in a cell; None where it has one."""
    rest = [each.share for trial in run.trials for each in trial.record_or_empty.at_rest if each.subject == subject]
    if rest and median(rest) > run.schedule.margin / 2:
        return f"it used {median(rest):.1%} of a processor at rest"
    busy = [each.processors for trial in run.trials if (each := counted_of(trial, cell, subject)) is not None]
    if busy and fmean(busy) < LEAST_PROCESSORS:
        return f"it kept {fmean(busy):.2f} of a processor busy, under {LEAST_PROCESSORS:g}"
    return None


def witnesses(run: Run, cell: Cell, subject: str) -> dict[int, float]:
    """By trial: X * C / B of all that was measured of a subject in a cell, where there is one."""
    each = {trial.number: counted_of(trial, cell, subject) for trial in run.trials}
    return {number: w for number, done in each.items() if done is not None and (w := done.witness) is not None}


def counted_of(trial: Trial, cell: Cell, subject: str) -> AnswersAndWork | None:
    """The totals of all measured slices of a subject in a trial; None where there are none."""
    numbers = [
        number for number in trial.measured_slices.get((cell.name, subject), {}).values() if number in trial.slices
    ]
    return answers_and_work(trial, cell, numbers) if numbers else None


def both_text(a: str, b: str, by_answers: Interval, by_processor: Interval) -> str:
    """Both ratios, where the two witnesses disagree."""
    return (
        f"{a} against {b} is {_with_bounds(by_answers)} by answers and {_with_bounds(by_processor)} by processor time. Answers and "
        "work were counted over different times, so the interval spans both"
    )


def _with_bounds(interval: Interval) -> str:
    bounds = (interval.low, interval.high)
    return f"{ratio_text(interval.estimate, bounds)} ({' to '.join(ratio_text(bound, bounds) for bound in bounds)})"
