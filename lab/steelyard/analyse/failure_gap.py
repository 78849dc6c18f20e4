"""Finds two subjects whose shares of failed requests differ. Response times of right answers alone would then mislead."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.text import plural
from ..models.records import Cell
from ..models.verdict import FailureGap
from ..plan.kinds import kind_of
from ..results.outcomes import RequestCounts, judged_counts
from ..results.stored_run import Run
from ..statistics.proportions import differ_beyond_chance
from ..statistics.verdict_words import Better
from .measures import Measure
from .pairing import measured_slices

GOODPUT = "throughput"  # right answers per second


@dataclass(frozen=True)
class Gap:
    """Requests of subjects `a` and `b` in a cell by outcome, where their shares of failures differ beyond chance."""

    a: str
    b: str
    a_counts: RequestCounts
    b_counts: RequestCounts

    @property
    def sentence(self) -> str:
        """The difference in words; the subject with more failures comes first."""
        sides = [(self.a, self.a_counts), (self.b, self.b_counts)]
        sides.sort(key=lambda side: -_share(side[1]))
        (worse, most), (other, least) = sides
        unanswered = f" ({plural(most.unanswered, 'request')} unanswered)" if most.unanswered else ""
        return (
            f"{worse} left {_share(most):.3g}% of its requests without a right answer{unanswered}, {other} {_share(least):.3g}%: "
            "more than chance explains, so right answers per second are compared"
        )

    @property
    def failure_gap(self) -> FailureGap:
        """The gap in the form of verdicts.json."""
        return FailureGap(
            sentence=self.sentence, a_share=_share(self.a_counts) / 100, b_share=_share(self.b_counts) / 100
        )


def failure_gap(run: Run, cell: Cell, a: str, b: str) -> Gap | None:
    """The gap between a and b over all measured slices of a cell; None where chance may explain it, and of load with a shape, which
    is often meant to break a server."""
    if not kind_of(cell).sliced:
        return None
    first, second = (_counts(run, cell, subject) for subject in (a, b))
    differ = differ_beyond_chance(first.bad, first.total, second.bad, second.total)
    return Gap(a, b, first, second) if differ else None


def judged_measure(cell: Cell, measures: dict[str, Measure], gap: Gap | None) -> str:
    """The name of the measure that judges a comparison: goodput instead of a response time where there is a gap."""
    measure = measures[cell.primary_measure]
    times = measure.unit == "ms" and measure.better is Better.LOWER
    return GOODPUT if gap is not None and times else cell.primary_measure


def _counts(run: Run, cell: Cell, subject: str) -> RequestCounts:
    counts = RequestCounts()
    for trial in run.trials:
        for number in measured_slices(trial, cell.name, subject).values():
            if number in trial.slices:
                counts += judged_counts(trial.slices[number])
    return counts


def _share(counts: RequestCounts) -> float:
    """The share of requests without a right answer, in percent."""
    return 100 * counts.bad / max(1, counts.total)
