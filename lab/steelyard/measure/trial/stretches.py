"""The stretches of one trial: planned when a cell is first measured, and made longer where its answers turn out slower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...models.job import StretchEdges
from ...models.records import Cell, PlannedStretches, Schedule, SlicePlan, TrialPlan
from ...plan.stretches import cost_text, lengthen_stretches, may_be_stretched, plan_stretches, stretch_of
from .jobs import Answering


class TrialStretches:
    """The plans of the cells that took no turns so far. `plans` is what the trial's record stores of them."""

    def __init__(self, schedule: Schedule, trial: TrialPlan) -> None:
        self._schedule = schedule
        self._trial = trial
        self._plans: dict[str, PlannedStretches] = {}
        self._driven: dict[str, list[float]] = {}

    @property
    def plans(self) -> list[PlannedStretches]:
        """The plan of each cell, in the order in which they were first measured."""
        return list(self._plans.values())

    def plan(self, cell: Cell, answering: Sequence[Answering], within: float | None) -> str:
        """Plan the stretches of a cell by how its subjects answer, or what is left of them; gives what is to be said of their cost,
        which is nothing where they cost no more than the schedule's own slices, or than was said before."""
        response_s = max(each.response_ms for each in answering) / 1000
        known = self._plans.get(cell.name)
        if known is not None:
            plan = lengthen_stretches(known, response_s, self._driven[cell.name], len(answering), within)
            self._plans[cell.name] = plan
            return "" if plan == known else cost_text(plan, cell, len(answering))
        plan = plan_stretches(self._schedule, cell, len(answering), response_s, within)
        self._plans[cell.name], self._driven[cell.name] = plan, []
        longer = plan.seconds > self._schedule.slice_seconds or not plan.fits
        return cost_text(plan, cell, len(answering)) if longer else ""

    def next(self, plans: Sequence[SlicePlan]) -> list[StretchEdges]:
        """The stretches of a pair, alike for all of its subjects."""
        plan = self._plans[plans[0].cell]
        self._driven[plans[0].cell].append(plan.seconds)
        return [stretch_of(plan, f"{self._trial.seed} {plan.cell} {each.pair} {each.subject}") for each in plans]

    def is_complete(self, cell: Cell) -> bool:
        """Whether all planned stretches of a cell were driven."""
        plan = self._plans.get(cell.name)
        return plan is not None and len(self._driven[cell.name]) >= plan.pairs

    def applies(self, cell: Cell) -> bool:
        """Whether slices of the cell that take no turns are stretches."""
        return may_be_stretched(self._schedule, cell)


def expected_answering(
    cell: Cell, subject: str, seen: Mapping[tuple[str, str], Answering], cells: Mapping[str, Cell]
) -> Answering:
    """How a subject answers in a cell: as it did there last, or else as in the slowest cell of the same operation, by the number of
    users; nothing is known where that was not driven either."""
    if (subject, cell.name) in seen:
        return seen[subject, cell.name]
    alike = [
        answering.scale(cell.users / cells[name].users)
        for (label, name), answering in seen.items()
        if label == subject and cells[name].operation == cell.operation and cells[name].users
    ]
    return max(alike, key=lambda answering: answering.least_turn_ms, default=Answering())
