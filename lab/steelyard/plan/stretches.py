"""Plans stretches for slow answers: long slices of many response times, planned in each trial from its warm-up.

A stretch is a slice of one subject that takes no turns. Answers at its edges are only partly in it, so throughput is
biased by up to half a response time's share of it, unless users are spread evenly over their answers and the lead-in
covers the transient of their start. The rest is noise, which falls with the number of response times.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ..base.progress import duration
from ..models.job import StretchEdges
from ..models.records import Cell, PlannedStretches, Schedule
from .designs import design_named
from .designs.design import LEAST_PAIRS
from .kinds import kind_of
from .slices import BETWEEN_SECONDS

STRETCH_ANSWERS = 10  # of each user, in each stretch
FORK_ANSWERS = 50  # of each user, in all stretches of a fork
HEADROOM = 1.2  # more than that is planned, because the response time is an estimate
LEAST_LEAD_IN_SECONDS = 0.2
LEAD_IN_RESPONSES = 2.0  # and up to one more, drawn at random for each stretch
# The lead-in where turns distort a subject: what it gathered by the clock without load, such as a limiter's tokens, is spent first.
SETTLE_SECONDS = 3.0
_AROUND_RESPONSES = LEAD_IN_RESPONSES + 1.5  # the mean lead-in, and the last answers


def may_be_stretched(schedule: Schedule, cell: Cell) -> bool:
    """Whether the cell's slices without turns are driven in planned stretches: constant users, compared in pairs."""
    sliced = kind_of(cell).sliced and not design_named(schedule.design).unbroken
    return sliced and cell.profile.kind == "big-bang"


def plan_stretches(
    schedule: Schedule,
    cell: Cell,
    subjects: int,
    response_s: float,
    within: float | None = None,
    settle_s: float = 0.0,
) -> PlannedStretches:
    """The stretches for a fork: as much load as the schedule plans, or more if the response times require it, in as few
    stretches as hold enough of them each.

    `within` are the seconds that a budget leaves for the cell's pairs. If they are too few for throughput, the plan
    holds what fits, and `fits` is false. `settle_s` is the shortest lead-in.
    """
    wanted = schedule.pairs_per_cell
    least = max(schedule.slice_seconds, HEADROOM * STRETCH_ANSWERS * response_s)
    needed = HEADROOM * FORK_ANSWERS * response_s
    load = max(wanted * schedule.slice_seconds, needed)
    pairs = max(min(wanted, LEAST_PAIRS), min(wanted, int(load / least)))
    seconds = max(least, load / pairs)
    if within is not None and pairs * pair_seconds(settle_s + seconds, response_s, subjects) > within:
        pairs = min(wanted, LEAST_PAIRS)
        held = within / pairs / subjects - pair_seconds(settle_s, response_s, 1)
        seconds = max(schedule.slice_seconds, min(max(least, load / pairs), held))
    fits = seconds >= least and pairs * seconds >= needed
    return PlannedStretches(
        cell=cell.name, response_s=response_s, settle_s=settle_s, seconds=seconds, pairs=pairs, fits=fits
    )


def lengthen_stretches(
    plan: PlannedStretches, response_s: float, driven: Sequence[float], subjects: int, within: float | None = None
) -> PlannedStretches:
    """The plan for the remaining pairs if answers are slower than planned;

    `driven` are the seconds of each subject's stretches so far. Stretches that hold enough of the slower answers keep their
    length. If the budget (`within`, of all pairs) leaves no room for longer ones, the plan no longer fits.
    """
    left = plan.pairs - len(driven)
    if not plan.fits or response_s <= HEADROOM * plan.response_s or left <= 0:
        return plan
    least = HEADROOM * STRETCH_ANSWERS * response_s
    done = sum(seconds for seconds in driven if seconds >= STRETCH_ANSWERS * response_s)
    seconds = max(plan.seconds, least, (HEADROOM * FORK_ANSWERS * response_s - done) / left)
    if seconds == plan.seconds:
        return plan.model_copy(update={"response_s": response_s})
    whole = sum(pair_seconds(plan.settle_s + each, plan.response_s, subjects) for each in driven)
    whole += left * pair_seconds(plan.settle_s + seconds, response_s, subjects)
    if within is not None and whole > within:
        return plan.model_copy(update={"fits": False})
    return plan.model_copy(update={"response_s": response_s, "seconds": seconds})


def pair_seconds(seconds: float, response_s: float, subjects: int) -> float:
    """The seconds of one stretch of each subject, with what surrounds it."""
    return subjects * (seconds + _AROUND_RESPONSES * response_s + BETWEEN_SECONDS)


def stretch_of(plan: PlannedStretches, seed: str) -> StretchEdges:
    """The edges of one stretch: users start over one response time, and the lead-in takes two of them and a part drawn
    from `seed`, or the plan's time to settle."""
    part = random.Random(f"lead-in {seed}").random()
    lead_in = max(LEAST_LEAD_IN_SECONDS, plan.settle_s, (LEAD_IN_RESPONSES + part) * plan.response_s)
    return StretchEdges(lead_in_ms=lead_in * 1000, spread_ms=plan.response_s * 1000, seconds=plan.seconds)


def cost_text(plan: PlannedStretches, cell: Cell, subjects: int) -> str:
    """A sentence on the cost of a fork's stretches, or that they do not fit, such as "answers take 1.1 s on echo, too
    long for turns: each subject has 5 stretches of 13 s, 2 min 48 s per fork"."""
    answers = f"answers take {_seconds_text(plan.response_s)} on {cell.where}, too long for turns"
    cost = duration(plan.pairs * pair_seconds(plan.settle_s + plan.seconds, plan.response_s, subjects))
    if plan.fits:
        stretches = f"{plan.pairs} stretch{'es' if plan.pairs > 1 else ''}"
        return f"{answers}: each subject has {stretches} of {_seconds_text(plan.seconds)}, {cost} per fork"
    needed = HEADROOM * FORK_ANSWERS * plan.response_s / plan.pairs
    whole = duration(plan.pairs * pair_seconds(plan.settle_s + needed, plan.response_s, subjects))
    load = f"throughput needs about {whole} of load in each fork, and the budget leaves {cost}"
    return f"{answers}: {load}, so there will be no verdict on it"


def _seconds_text(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else duration(seconds)
