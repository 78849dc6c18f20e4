"""Work that turns inflate: what a request costs a subject in turns, between which it stands frozen, against steady stretches.

A cache with a time to live does work by the clock that a request pays for. Frozen in others' turns, a subject meets that work in a
larger part of its own. A look at rest cannot see it, since there are no requests. In the warm-up of the same fork nothing is
frozen, so the processor time of a request there is its cost alone. A limiter that delays requests costs no processor time: this
comparison cannot see it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ..base.text import change_text
from ..models.records import Cell
from ..results.stored_run import Run, Trial
from ..statistics.interval import Interval, student_interval
from ..statistics.steady import CONSECUTIVE, LEAST_BUSY

LEAST_FORKS = 2
CONFIDENCE = 0.95
Z_OFF = 0.045  # by docs/decisions/slices-take-turns.md: less than the comparison with the warm-up resolves
NO_VERDICT = 2.0  # times the margin, beyond which turns give no verdict


@dataclass(frozen=True)
class Inflation:
    """How many times as much a request of `subject` costs in turns as in stretches: `own`, the mean over forks, and `ratio`, over
    the same factor of `beside`, with its interval over forks.

    What a turn costs everybody (cold caches, the thaw) and what the host did between warm-up and measurement is in both factors
    alike, so only the ratio is judged; and only where a subject's own cost grew, since one that was still warming grows cheaper.
    """

    subject: str
    beside: str
    own: float
    ratio: Interval

    @property
    def size(self) -> float:
        """By how much turns make the subject look slower (0.03 is 3%); 0 where that may be chance."""
        return max(0.0, min(self.own, self.ratio.estimate) - 1) if self.ratio.low > 1 else 0.0

    @property
    def text(self) -> str:
        """The ratio with its interval, as changes."""
        return f"{_change(self.ratio.estimate)} ({_change(self.ratio.low)} to {_change(self.ratio.high)})"

    def reason(self, cell: Cell, margin: float) -> str:
        """What is to be said where the size is beyond the margin."""
        sentence = (
            f"a request on {cell.where} costs {self.subject} {self.size:.1%} more processor time in turns than in steady "
            f"stretches, beside {self.beside} ({self.text}): work that a clock triggers and a request pays looks dearer in turns, "
            "and so does a collector that works more after each pause. "
        )
        if self.size > NO_VERDICT * margin:
            return sentence + "Forks that took turns do not count; later ones are driven in stretches"
        return sentence + "The ratio may be off by as much"


def worst_inflation(run: Run, cell: Cell, subject: str) -> Inflation | None:
    """A subject beside the reference, or the reference beside the subject that makes it look worst; None where nothing is known."""
    reference = run.schedule.reference
    others = [label for label in run.schedule.subjects_in(cell) if label != subject]
    of_each = [inflation(run, cell, subject, other) for other in (others if subject == reference else [reference])]
    return max((each for each in of_each if each is not None), key=lambda each: each.size, default=None)


def _change(ratio: float) -> str:
    return change_text(ratio - 1)


def inflation(run: Run, cell: Cell, subject: str, beside: str) -> Inflation | None:
    """A subject beside another one; None under two forks that took turns after a steady warm-up of both."""
    key = ("inflation", cell.name, subject, beside, len(run.trials))
    if run.trials and key not in run.trials[0].memo:
        run.trials[0].memo[key] = _inflation(run.trials, cell, subject, beside)
    return run.trials[0].memo[key] if run.trials else None


def _inflation(trials: Sequence[Trial], cell: Cell, subject: str, beside: str) -> Inflation | None:
    factors = [(_factor(trial, cell, subject), _factor(trial, cell, beside)) for trial in trials]
    logs = [(math.log(own), math.log(other)) for own, other in factors if own is not None and other is not None]
    if len(logs) < LEAST_FORKS:
        return None
    ratio = student_interval([own - other for own, other in logs], CONFIDENCE).exp()
    return Inflation(subject, beside, math.exp(fmean(own for own, _ in logs)), ratio)


def refused_inflation(run: Run, cell: Cell, a: str, b: str) -> Inflation | None:
    """The inflation for which the forks of a beside b that took turns give no verdict; None where they may."""
    for subject, beside in ((a, b), (b, a)):
        inflated = inflation(run, cell, subject, beside)
        if inflated is not None and inflated.size > NO_VERDICT * run.schedule.margin:
            return inflated
    return None


def turns_refused(run: Run) -> bool:
    """Whether what is judged is no longer to be driven in turns."""
    reference = run.schedule.reference
    return any(
        refused_inflation(run, cell, subject, reference) is not None
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


def _factor(trial: Trial, cell: Cell, subject: str) -> float | None:
    """The processor time of a request in turns over that in the last steady slices of the warm-up; None where one is not known."""
    alone, turns = _stretches_ns(trial, cell, subject), _turns_ns(trial, cell, subject)
    return None if alone is None or turns is None else turns / alone


def _turns_ns(trial: Trial, cell: Cell, subject: str) -> float | None:
    numbers = _measured_slices(trial, cell, subject)
    rows = [trial.slices[number] for number in numbers]
    answered = sum(row.completed for row in rows)
    if not answered or any(row.cpu_own_ns is None for row in rows):
        return None
    used = sum(row.cpu_own_ns or 0 for row in rows) - _compiled_ns(trial, numbers)
    return used / answered if used > 0 else None


def _stretches_ns(trial: Trial, cell: Cell, subject: str) -> float | None:
    steady = any(s.met and (s.subject, s.cell) == (subject, cell.name) for s in trial.record_or_empty.steady)
    warm = [p.number for p in trial.plans.values() if (p.subject, p.cell, p.phase) == (subject, cell.name, "warm-up")]
    driven = [number for number in sorted(warm) if number in trial.slices and trial.observations.get(number)]
    if not steady or len(driven) < CONSECUTIVE:
        return None
    last = driven[-CONSECUTIVE:]
    seen = [[process for process in trial.observations[number] if process.judged] for number in last]
    used = sum(process.cpu_ns for of_slice in seen for process in of_slice) - _compiled_ns(trial, last)
    observed = sum(max((p.end_ns - p.begin_ns for p in of_slice), default=0) for of_slice in seen)
    answered = sum(trial.slices[number].completed + trial.slices[number].lead_in_completed for number in last)
    return used / answered if answered and used >= LEAST_BUSY * observed else None


def _compiled_ns(trial: Trial, numbers: Sequence[int]) -> int:
    """What compilers used meanwhile: that is no part of a request's cost."""
    return sum(p.jit_ns for number in numbers for p in trial.observations.get(number, ()) if p.judged)
