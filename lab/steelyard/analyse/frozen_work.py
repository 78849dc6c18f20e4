"""What turns change in a subject, against steady stretches: the processor time of a request, and throughput. And what loading two
subjects at once changes.

A cache with a time to live does work by the clock that a request pays for. Paused in others' turns, a subject meets that work in
a larger part of its own. A limiter that delays requests gathers tokens by the clock in others' turns, and answers more in its own.
A look at rest sees neither, since there are no requests. In the warm-up of the same fork nothing is frozen, so both quantities are
undistorted there.

Subjects that are loaded at once, each on half of the processors, warm up one after the other. So what the halves share shows in the
processor time of a request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from ..base.text import change_text
from ..models.records import Cell
from ..results.stored_run import Run, Trial
from ..statistics.interval import CONFIDENCE, Interval, student_interval
from ..statistics.steady import CONSECUTIVE, LEAST_BUSY

LEAST_FORKS = 2
Z_OFF = 0.045  # by docs/decisions/slices-take-turns.md: less than the comparison with the warm-up resolves
NO_VERDICT = 2.0  # times the margin, beyond which turns give no verdict
MOSTLY_WAITING = 0.5  # of its processors' time: a subject that uses less is not limited by them


class Quantity(StrEnum):
    """What is compared between turns and stretches, or between subjects loaded at once and alone."""

    COST = "CPU in turns"
    THROUGHPUT = "Throughput in turns"
    BESIDE = "CPU beside the other"


@dataclass(frozen=True)
class TurnEffect:
    """By what factor `quantity` is larger in turns than in stretches, or beside the other's load than alone: `own` for `subject`,
    the mean over forks, and `ratio`, that over the factor of `beside`, with its interval over forks.

    What a turn costs everybody (cold caches, resuming) and what the host did between warm-up and measurement is in both factors
    alike, so only the ratio is judged. A request's cost is judged only where it grew: it falls while a subject still warms.
    """

    quantity: Quantity
    subject: str
    beside: str
    own: float
    ratio: Interval

    @property
    def size(self) -> float:
        """By how much turns distort the subject (0.03 is 3%); 0 where that may be chance."""
        if self.ratio.low > 1:
            return max(0.0, min(self.own, self.ratio.estimate) - 1)
        if self.ratio.high < 1 and self.quantity is Quantity.THROUGHPUT:
            return max(0.0, 1 - max(self.own, self.ratio.estimate))
        return 0.0

    @property
    def text(self) -> str:
        """The ratio with its interval, as changes."""
        return f"{_change(self.ratio.estimate)} ({_change(self.ratio.low)} to {_change(self.ratio.high)})"

    @property
    def effect(self) -> str:
        """What turns, or the other's load, do to the subject, as a clause."""
        if self.quantity is Quantity.BESIDE:
            return (
                f"a request costs {self.subject} {self.size:.1%} more processor time while both are loaded than alone"
            )
        if self.quantity is Quantity.COST:
            return (
                f"a request costs {self.subject} {self.size:.1%} more processor time in turns than in steady stretches"
            )
        direction = "more" if self.ratio.low > 1 else "fewer"
        return (
            f"{self.subject} answers {self.size:.1%} {direction} requests per second in turns than in steady stretches"
        )

    def reason(self, cell: Cell, margin: float) -> str:
        """The caveat where the size is beyond the margin."""
        sentence = f"on {cell.where} {self.effect}, beside {self.beside} ({self.text}): {_CAUSES[self.quantity]}. "
        if self.size > NO_VERDICT * margin and self.quantity is not Quantity.BESIDE:
            return sentence + "Forks that took turns do not count; later ones are driven in stretches"
        return sentence + "The ratio may be off by as much"


_CAUSES = {
    Quantity.COST: (
        "work that time triggers and a request does seems to cost more in turns, "
        "and so does a garbage collector that works more after each pause"
    ),
    Quantity.THROUGHPUT: (
        "its processors mostly wait, so its throughput depends on something that runs by the clock, "
        "such as a limit on the rate of requests"
    ),
    Quantity.BESIDE: "both halves share caches, memory bandwidth and the power that sets their clock speed",
}


def worst_turn_effect(run: Run, cell: Cell, subject: str, quantity: Quantity) -> TurnEffect | None:
    """A subject beside the reference, or the reference beside the subject that makes it look worst; None where nothing is known."""
    reference = run.schedule.reference
    others = [label for label in run.schedule.subjects_in(cell) if label != subject]
    of_each = [
        turn_effect(run, cell, subject, other, quantity) for other in (others if subject == reference else [reference])
    ]
    return max((each for each in of_each if each is not None), key=lambda each: each.size, default=None)


def _change(ratio: float) -> str:
    return change_text(ratio - 1)


def turn_effect(run: Run, cell: Cell, subject: str, beside: str, quantity: Quantity) -> TurnEffect | None:
    """A subject beside another one; None under two forks that took turns after a steady warm-up of both."""
    key = ("turn effect", quantity, cell.name, subject, beside, len(run.trials))
    if run.trials and key not in run.trials[0].memo:
        run.trials[0].memo[key] = _turn_effect(run, cell, subject, beside, quantity)
    return run.trials[0].memo[key] if run.trials else None


def _turn_effect(run: Run, cell: Cell, subject: str, beside: str, quantity: Quantity) -> TurnEffect | None:
    if quantity is Quantity.THROUGHPUT and not _mostly_waits(run, cell, subject):
        return None
    factor = _FACTORS[quantity]
    factors = [(factor(trial, cell, subject), factor(trial, cell, beside)) for trial in run.trials]
    logs = [(math.log(own), math.log(other)) for own, other in factors if own is not None and other is not None]
    if len(logs) < LEAST_FORKS:
        return None
    ratio = student_interval([own - other for own, other in logs], CONFIDENCE).exp()
    return TurnEffect(quantity, subject, beside, math.exp(fmean(own for own, _ in logs)), ratio)


def refused_turn_effect(run: Run, cell: Cell, a: str, b: str) -> TurnEffect | None:
    """The effect for which the forks of a beside b that took turns give no verdict; None where they may."""
    for quantity in (Quantity.COST, Quantity.THROUGHPUT):
        for subject, beside in ((a, b), (b, a)):
            effect = turn_effect(run, cell, subject, beside, quantity)
            if effect is not None and effect.size > NO_VERDICT * run.schedule.margin:
                return effect
    return None


def turns_refused(run: Run) -> bool:
    """Whether what is judged is no longer to be driven in turns."""
    reference = run.schedule.reference
    return any(
        refused_turn_effect(run, cell, subject, reference) is not None
        for cell in run.schedule.cells
        for subject in run.schedule.subjects_in(cell)
        if cell.primary and subject != reference
    )


def z_in_turns(run: Run, cell: Cell, subject: str) -> bool:
    """Whether a subject whose collector is Z took turns."""
    return any(
        has_turns(trial, cell, subject)
        and any((noted.label, noted.factors.get("gc")) == (subject, "Z") for noted in trial.record_or_empty.subjects)
        for trial in run.trials
    )


def has_turns(trial: Trial, cell: Cell, subject: str) -> bool:
    """Whether the measured slices of a subject took turns with others'."""
    return any(trial.slices[number].cpu_own_ns is not None for number in _measured_slices(trial, cell, subject))


def _measured_slices(trial: Trial, cell: Cell, subject: str) -> list[int]:
    return [number for number in trial.measured_slices.get((cell.name, subject), {}).values() if number in trial.slices]


def _cost_factor(trial: Trial, cell: Cell, subject: str) -> float | None:
    """The processor time of a request in turns over that in the last steady slices of the warm-up; None where one is not known."""
    alone, turns = _stretches_ns(trial, _steady_slices(trial, cell, subject)), _turns_ns(trial, cell, subject)
    return None if alone is None or turns is None else turns / alone


def _throughput_factor(trial: Trial, cell: Cell, subject: str) -> float | None:
    """Right answers per second in turns over those in the last steady slices of the warm-up; None where one is not known."""
    if not has_turns(trial, cell, subject):
        return None
    alone = _answers_per_second(trial, _steady_slices(trial, cell, subject))
    turns = _answers_per_second(trial, _measured_slices(trial, cell, subject))
    return turns / alone if alone and turns else None


def _beside_factor(trial: Trial, cell: Cell, subject: str) -> float | None:
    """The processor time of a request while both subjects were loaded, over that in the last steady slices of the warm-up."""
    if trial.record_or_empty.engines == 1:
        return None
    alone = _stretches_ns(trial, _steady_slices(trial, cell, subject))
    both = _stretches_ns(trial, _measured_slices(trial, cell, subject))
    return None if alone is None or both is None else both / alone


_FACTORS: Mapping[Quantity, Callable[[Trial, Cell, str], float | None]] = {
    Quantity.COST: _cost_factor,
    Quantity.THROUGHPUT: _throughput_factor,
    Quantity.BESIDE: _beside_factor,
}


def _answers_per_second(trial: Trial, numbers: list[int]) -> float:
    """Right answers in the measured time of slices; 0 where there was no such time."""
    rows = [trial.slices[number] for number in numbers]
    seconds = sum(row.seconds for row in rows)
    return sum(row.completed for row in rows) / seconds if seconds else 0.0


def _turns_ns(trial: Trial, cell: Cell, subject: str) -> float | None:
    numbers = _measured_slices(trial, cell, subject)
    rows = [trial.slices[number] for number in numbers]
    answered = sum(row.completed for row in rows)
    if not answered or any(row.cpu_own_ns is None for row in rows):
        return None
    used = sum(row.cpu_own_ns or 0 for row in rows) - _compiled_ns(trial, numbers)
    return used / answered if used > 0 else None


def _stretches_ns(trial: Trial, numbers: list[int]) -> float | None:
    if not all(trial.observations.get(number) for number in numbers):
        return None
    used, observed = _used_ns(trial, numbers), _observed_ns(trial, numbers)
    answered = sum(trial.slices[number].completed + trial.slices[number].lead_in_completed for number in numbers)
    return used / answered if answered and used >= LEAST_BUSY * observed else None


def _mostly_waits(run: Run, cell: Cell, subject: str) -> bool:
    """Whether the subject used less than half of its processors' time in steady warm-up slices; False where that is not known."""
    slices = [(trial, _steady_slices(trial, cell, subject)) for trial in run.trials]
    used = sum(_used_ns(trial, numbers) for trial, numbers in slices)
    observed = sum(_observed_ns(trial, numbers) for trial, numbers in slices)
    return 0 < used < MOSTLY_WAITING * observed * (run.server_processors or 1)


def _steady_slices(trial: Trial, cell: Cell, subject: str) -> list[int]:
    """The last slices of a steady warm-up; none where it was not steady or not observed."""
    steady = any(s.met and (s.subject, s.cell) == (subject, cell.name) for s in trial.record_or_empty.steady)
    warm = [p.number for p in trial.plans.values() if (p.subject, p.cell, p.phase) == (subject, cell.name, "warm-up")]
    driven = [number for number in sorted(warm) if number in trial.slices and trial.observations.get(number)]
    return driven[-CONSECUTIVE:] if steady and len(driven) >= CONSECUTIVE else []


def _used_ns(trial: Trial, numbers: list[int]) -> int:
    """The subject's processor time in these slices, without that of compilers."""
    used = sum(p.cpu_ns for number in numbers for p in trial.observations[number] if p.judged)
    return used - _compiled_ns(trial, numbers)


def _observed_ns(trial: Trial, numbers: list[int]) -> int:
    """The time for which the subject was observed in these slices."""
    return sum(
        max((p.end_ns - p.begin_ns for p in trial.observations[number] if p.judged), default=0) for number in numbers
    )


def _compiled_ns(trial: Trial, numbers: list[int]) -> int:
    """What compilers used meanwhile: that is no part of a request's cost."""
    return sum(p.jit_ns for number in numbers for p in trial.observations.get(number, ()) if p.judged)
