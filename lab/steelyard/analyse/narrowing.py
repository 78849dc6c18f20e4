"""The intervals of a running run after each fork, for display. They are no verdict."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..base.live import LiveComparison, LiveInterval
from ..results.stored_run import Run
from .measures import registry
from .ratios import compare

MOST = 24


def interim_comparisons(run: Run) -> list[LiveComparison]:
    """Each subject against the reference in each judged cell, with the interval of all counted forks.

    Only the first 24 that have a ratio. Raises StoreError and MeasureError.
    """
    return list(islice(_comparisons_of_cells(run), MOST))


def _comparisons_of_cells(run: Run) -> Iterator[LiveComparison]:
    measures, reference = registry(run.study), run.schedule.reference
    for cell in run.schedule.cells:
        for subject in run.schedule.subjects_in(cell) if cell.primary else ():
            if subject == reference:
                continue
            measure = measures[cell.primary_measure]
            compared = compare(run, cell, measure, subject, reference, primary=False)
            if compared.ratio is None or not compared.counted_forks:
                continue
            interval = compared.interval
            low, high = (interval.low, interval.high) if interval is not None else (None, None)
            last = LiveInterval(len(compared.counted_forks), compared.ratio, low, high)
            yield LiveComparison(
                subject, reference, cell.name, measure.name.replace("_", " "), compared.confidence, [last]
            )
