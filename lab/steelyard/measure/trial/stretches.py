"""The stretches of one trial: planned when a cell is first measured, and lengthened where answers are slower than expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...models.job import StretchEdges
from ...models.records import Cell, PlannedStretches, Schedule, SlicePlan, TrialPlan
from ...plan.stretches import cost_text, lengthen_stretches, may_be_stretched, plan_stretches, stretch_of
from .jobs import Answering


class TrialStretches:
    """The plans of cells without turns so far, whose lead-ins take at least `settle_s` seconds. `plans` is what the trial's record
    stores."""

    def __init__(self, schedule: Schedule, trial: TrialPlan, settle_s: float = 0.0) -> None:
        self._schedule = schedule
        self._trial = trial
        self._settle_s = settle_s
        self._plans: dict[str, PlannedStretches] = {}
        self._driven: dict[str, list[float]] = {}

    @property
    def plans(self) -> list[PlannedStretches]:
        """The plan of each cell, in the order of first measurement."""
        return list(self._plans.values())

    def plan(self, cell: Cell, answering: Sequence[Answering], within: float | None) -> str:
        """Plan the stretches of a cell, or its remaining ones, by its subjects' response times. Returns a note on their cost; an
        empty text where they cost no more than the schedule's slices, or the note was given before."""
        response_s = max(each.response_ms for each in answering) / 1000
        known = self._plans.get(cell.name)
        if known is not None:
            plan = lengthen_stretches(known, response_s, self._driven[cell.name], len(answering), within)
            self._plans[cell.name] = plan
            return "" if plan == known else cost_text(plan, cell, len(answering))
        plan = plan_stretches(self._schedule, cell, len(answering), response_s, within, self._settle_s)
        self._plans[cell.name], self._driven[cell.name] = plan, []
        longer = plan.seconds > self._schedule.slice_seconds or not plan.fits
        return cost_text(plan, cell, len(answering)) if longer else ""

    def next(self, plans: Sequence[SlicePlan]) -> list[StretchEdges]:
        """The stretches of a pair, equal for all of its subjects."""
        plan = self._plans[plans[0].cell]
        self._driven[plans[0].cell].append(plan.seconds)
        return [stretch_of(plan, f"{self._trial.seed} {plan.cell} {each.pair} {each.subject}") for each in plans]

    def is_complete(self, cell: Cell) -> bool:
        """Whether all planned stretches of a cell were driven."""
        plan = self._plans.get(cell.name)
        return plan is not None and len(self._driven[cell.name]) >= plan.pairs

    def applies(self, cell: Cell) -> bool:
        """Whether slices of the cell without turns are stretches."""
        return may_be_stretched(self._schedule, cell)


def expected_answering(
    cell: Cell, subject: str, seen: Mapping[tuple[str, str], Answering], cells: Mapping[str, Cell]
) -> Answering:
    """The expected response times of a subject in a cell: its last ones there, else those of the slowest cell with the same
    operation, scaled by the number of users; None where no such cell was driven."""
    if (subject, cell.name) in seen:
        return seen[subject, cell.name]
    alike = [
        answering.scale(cell.users / cells[name].users)
        for (label, name), answering in seen.items()
        if label == subject and cells[name].operation == cell.operation and cells[name].users
    ]
    return max(alike, key=lambda answering: answering.least_turn_ms, default=Answering())
