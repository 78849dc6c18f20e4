"""The number of pairs per fork, computed from the first fork by the variance and cost of each level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median, variance

from ..analyse.measures import Measure
from ..analyse.ratios import compare
from ..models.records import Schedule
from ..plan.designs.design import LEAST_PAIRS
from ..plan.slices import seconds_of_slice
from ..results.stored_run import Run
from ..statistics.variance import Components, pairs_a_fork

# standard deviation of forks (log ratio) on a machine without calibration
FORK_DEVIATION = 0.018


def pairs_after_pilot(run: Run, measures: dict[str, Measure], fork_deviation: float) -> int:
    """Pairs per fork by Kalibera and Jones 2013, between the least and the planned number; the plan where the pilot gives no
    estimate.

    One fork shows the variance of pairs and the cost of both levels. The variance of forks (`fork_deviation`, of log ratios)
    needs many forks.
    """
    schedule = run.schedule
    piloted = next((trial for trial in run.trials if trial.status == "complete"), None)
    within = _within(run, measures)
    if piloted is None or piloted.record is None or not within:
        return schedule.pairs_per_cell
    measured = sum(row.phase == "measure" for row in piloted.slices.values())
    of_slice = seconds_of_slice(schedule)
    pair = of_slice * len(schedule.cells) * len(piloted.planned.start_order)
    beside = max(0.0, piloted.record.seconds - measured * of_slice)
    components = Components(median(within), fork_deviation**2, math.nan, 1, schedule.pairs_per_cell)
    return max(LEAST_PAIRS, pairs_a_fork(components, beside, pair, most=schedule.pairs_per_cell))


def _within(run: Run, measures: dict[str, Measure]) -> Sequence[float]:
    """The variance of the pairs' log ratios in the judged cell, of each subject against the reference."""
    schedule: Schedule = run.schedule
    cell = next(cell for cell in schedule.cells if cell.primary)
    deviations = []
    for other in schedule.subjects:
        if other == schedule.reference:
            continue
        compared = compare(run, cell, measures[cell.primary_measure], other, schedule.reference, primary=True)
        for fork in compared.counted_forks:
            logs = [math.log(pair.ratio) for pair in fork.pairs if pair.ratio and not pair.voids]
            if len(logs) >= 2:
                deviations.append(variance(logs))
    return deviations
