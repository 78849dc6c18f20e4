"""Each subject's own figures: one value per fork, and one over all forks with the interval between forks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ..base.rounding import significant_text
from ..models.records import Cell
from ..plan.kinds import unbroken
from ..results.stored_run import Run
from ..statistics.interval import Interval, student_interval
from .instrument import is_late
from .measures import Measure
from .pairing import Void, measured_slices, slice_voids, voids_text
from .quantities import Quantities, combine
from .ratios import fork_quantities
from .sources import is_gauge

NO_ANSWER = "no right answer was measured"
COLUMNS = (
    "subject", "cell", "operation", "users", "measure", "unit", "fork", "value",
    "low", "high", "confidence", "forks", "requests", "refusal",
)  # fmt: skip


@dataclass(frozen=True)
class ForkFigure:
    """A subject's value of a measure in a cell, of one fork, or of all forks where `fork` is None.

    Over all forks, histograms are merged and counts added. Standard deviations and highest values (memory) are averaged (their
    logarithms, as for the interval). `interval` is Student's t over the forks' values, widened to include `value`: a percentile
    over all requests may lie outside if one fork has a much longer tail. It is None for a percentile that some fork has too few
    requests for. `value` is None with the reason in `refusal`. `requests` are the right answers behind the value.
    """

    subject: str
    cell: Cell
    measure: Measure
    fork: int | None
    value: float | None
    interval: Interval | None
    forks: int
    requests: int
    refusal: str | None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval; None where there is none."""
        return None if self.interval is None else (self.interval.low, self.interval.high)

    def row(self) -> tuple[object, ...]:
        """The figure in the order of the columns of results.csv."""
        interval = self.interval
        return (
            self.subject,
            self.cell.name,
            self.cell.operation,
            self.cell.users,
            self.measure.name,
            self.measure.unit,
            "all" if self.fork is None else self.fork,
            significant_text(self.value),
            significant_text(interval.low if interval else None),
            significant_text(interval.high if interval else None),
            significant_text(interval.confidence if interval else None),
            self.forks,
            self.requests,
            self.refusal or "",
        )


def figures(run: Run, measures: Sequence[Measure]) -> Iterator[ForkFigure]:
    """All figures of a run: subject by subject, cell by cell, measure by measure; a fork's rows, then the row of all."""
    for subject in run.schedule.subjects:
        for cell in (cell for cell in run.schedule.cells if subject in run.schedule.subjects_in(cell)):
            forks = fork_quantities(run, cell, subject)
            whole = combine(list(forks.values()))
            too_late = is_late(run, cell, subject)
            nothing = None if forks else _why_no_figure(run, cell, subject)
            for measure in measures:
                refused = nothing or ("requests were sent late" if too_late and measure.tail else None)
                each = [
                    _figure(subject, cell, measure, number, quantities, refused) for number, quantities in forks.items()
                ]
                yield from each
                yield _of_all(_figure(subject, cell, measure, None, whole, refused), each)


def _why_no_figure(run: Run, cell: Cell, subject: str) -> str:
    """Why a subject has no fork in a cell: the reasons that voided its slices, or that no slice has a right answer."""
    whole = unbroken(run.schedule, cell)
    driven = [trial for trial in run.trials if trial.status != "failed"]
    first_voids = [
        voids[0]
        for trial in driven
        for number in measured_slices(trial, cell.name, subject).values()
        if (voids := slice_voids(trial, number, unbroken=whole))
    ]
    if set(first_voids) <= {Void.EMPTY}:
        return NO_ANSWER
    return f"none of its slices counts: {voids_text(first_voids)}"


def _of_all(whole: ForkFigure, each: Sequence[ForkFigure]) -> ForkFigure:
    values = [figure.value for figure in each if figure.value is not None]
    if whole.measure.formula.counts and not _is_a_forks_own(whole.measure) and values:
        whole = replace(whole, value=fmean(values))  # values counted per fork are not counted over all forks
    if whole.value is None or len(values) < 2 or any(value <= 0 for value in values):
        return replace(whole, forks=len(values))
    if whole.measure.from_histograms and len(values) < len(each):
        return replace(whole, forks=len(values))  # the forks with too few requests are the slow ones
    interval = student_interval([math.log(value) for value in values]).exp()
    if _is_a_forks_own(whole.measure) or whole.measure.formula.counts:
        return replace(whole, forks=len(values), interval=interval, value=interval.estimate)
    holding = replace(interval, low=min(interval.low, whole.value), high=max(interval.high, whole.value))
    return replace(whole, forks=len(values), interval=holding)


def _is_a_forks_own(measure: Measure) -> bool:
    """Whether the measure describes a single process: the spread of requests, or a highest value.

    Over all forks, the spread would include differences between forks, and the highest value would lie above the interval.
    """
    return measure.formula.is_deviation or any(is_gauge(name) for name in measure.formula.names)


def _figure(
    subject: str, cell: Cell, measure: Measure, fork: int | None, quantities: Quantities, refused: str | None
) -> ForkFigure:
    completed = int(quantities.values.get("completed", 0))
    refused = refused or (None if completed else NO_ANSWER)
    measured = None if refused else measure.evaluate(quantities)
    return ForkFigure(
        subject=subject,
        cell=cell,
        measure=measure,
        fork=fork,
        value=measured.value if measured else None,
        interval=None,
        forks=1,
        requests=completed,
        refusal=refused or (measured.refusal if measured else None),
    )
