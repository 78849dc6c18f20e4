"""From stored slices to pairs: which slices are compared with each other, and which pairs do not count and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..base.text import plural
from ..models.records import Cell, Schedule
from ..plan.kinds import kind_of
from ..plan.stretches import FORK_ANSWERS, STRETCH_ANSWERS
from ..results.stored_run import Run, Trial
from ..results.tables import SliceRow
from ..statistics.steady import compiles
from .frozen_work import has_turns, refused_turn_effect

STALE_LIMIT = 0.01


class Void(StrEnum):
    """Why a slice does not count. The values are keys of `voided` in verdicts.json."""

    WRONG = "wrong answers"
    COMPILING = "compiling"
    STALE = "stale connections"
    ENGINE = "engine not valid"
    EMPTY = "no right answer"
    SHORT = "stretch of fewer than 10 answers of each user"
    LATE = "answers only after the slice, which is too short"
    MISSING = "not measured"
    FOREIGN = "others at work"
    BURDENED = "begun while work of an earlier load was unfinished"


def voids_text(voids: Iterable[Void]) -> str:
    """How often each reason occurred, such as "compiling in 30, not measured in 2"."""
    return ", ".join(f"{void} in {count}" for void, count in Counter(voids).most_common())


@dataclass(frozen=True)
class Pair:
    """The slices of subjects a and b that answered the same requests; `voids` is empty where the pair counts."""

    number: int
    a_slice: int | None
    b_slice: int | None
    voids: tuple[Void, ...]


@dataclass(frozen=True)
class Fork:
    """The pairs of one trial for one comparison. `why_not` is the reason why it does not count, to follow the words "trial N"."""

    trial: Trial
    pairs: tuple[Pair, ...]
    why_not: str | None

    @property
    def counted_pairs(self) -> tuple[Pair, ...]:
        """The pairs without a void slice."""
        return tuple(pair for pair in self.pairs if not pair.voids)

    @property
    def void_reasons(self) -> Counter[str]:
        """The number of voided pairs by reason; a pair with several reasons counts under the first."""
        return Counter(pair.voids[0].value for pair in self.pairs if pair.voids)


def slice_voids(trial: Trial, number: int, *, unbroken: bool = False) -> tuple[Void, ...]:
    """Why this slice does not count; empty where it counts. Compilation never voids an unbroken block.

    The result is cached: every check and measure needs it.
    """
    key = ("voids", number, unbroken)
    if key not in trial.memo:
        trial.memo[key] = _slice_voids(trial, number, unbroken)
    voids: tuple[Void, ...] = trial.memo[key]
    return voids


def _begins_beside_work(trial: Trial, row: SliceRow) -> bool:
    """Whether the work of an earlier slice was unfinished. That of another subject counts, since it uses the same processors."""
    unfinished = (trial.slices[number] for number in trial.unfinished_slices.values() if number in trial.slices)
    return any(earlier.end_ns <= row.begin_ns for earlier in unfinished)


def _slice_voids(trial: Trial, number: int, unbroken: bool) -> tuple[Void, ...]:
    row = trial.slices.get(number)
    if row is None:
        return (Void.MISSING,)
    wrong_in_full = any(sample.slice == number for sample in trial.record_or_empty.wrong_samples)
    voids = []
    if row.wrong or wrong_in_full:
        voids.append(Void.WRONG)
    if answered_late(row):
        voids.append(Void.LATE)
    elif not row.completed:
        voids.append(Void.EMPTY)
    if _begins_beside_work(trial, row):
        voids.append(Void.BURDENED)
    if not unbroken and compiles(trial.jit_share(number)):
        voids.append(Void.COMPILING)
    if _is_disturbed(trial, number):
        voids.append(Void.FOREIGN)
    if row.stale + row.stale_failed > STALE_LIMIT * max(1, row.started):
        voids.append(Void.STALE)
    if not row.valid:  # last, because the engine's own reasons repeat some of the others
        voids.append(Void.ENGINE)
    return tuple(voids)


def _is_disturbed(trial: Trial, number: int) -> bool:
    """Whether others used more than 2% of the subjects' processors during a slice that is compared with another one."""
    foreign = trial.foreign_by_slice.get(number)
    return foreign is not None and foreign.is_disturbed and len(trial.planned.start_order) > 1


def answered_late(row: SliceRow) -> bool:
    """Whether a slice has no failure, but no answer came before its end."""
    return not row.completed and not row.wrong and not row.failures


def measured_slices(trial: Trial, cell: str, subject: str) -> Mapping[int, int]:
    """Measured slice numbers of a subject in a cell, by pair number."""
    return trial.measured_slices.get((cell, subject), {})


def counted_slices(trial: Trial, cell: str, subject: str, *, unbroken: bool) -> list[int]:
    """The counted slices of a subject in a cell, in order."""
    numbers = measured_slices(trial, cell, subject).values()
    return sorted(number for number in numbers if not slice_voids(trial, number, unbroken=unbroken))


def forks(run: Run, cell: Cell, a: str, b: str) -> list[Fork]:
    """Every trial that measured both a and b in the cell, in order."""
    forks_of_both = []
    for trial in run.trials:
        first, second = measured_slices(trial, cell.name, a), measured_slices(trial, cell.name, b)
        if not first or not second:
            continue
        pairs = tuple(
            _pair(trial, cell, number, first.get(number), second.get(number)) for number in sorted({*first, *second})
        )
        why_not = _why_not(_with_trial_plan(run.schedule, trial, cell), cell, trial, pairs) or _by_turns(
            run, cell, trial, a, b
        )
        forks_of_both.append(Fork(trial, pairs, why_not))
    return forks_of_both


def _with_trial_plan(schedule: Schedule, trial: Trial, cell: Cell) -> Schedule:
    """The schedule with the trial's own number of pairs, if the trial planned stretches for the cell."""
    pairs = [plan.pairs for plan in trial.record_or_empty.stretches if plan.cell == cell.name]
    return schedule.model_copy(update={"pairs_per_cell": pairs[0]}) if pairs else schedule


def short_of_answers(fork: Fork, cell: Cell) -> str | None:
    """Why a fork with planned stretches has too few answers for throughput; None where it has enough or planned none."""
    if all(plan.cell != cell.name for plan in fork.trial.record_or_empty.stretches):
        return None
    rows = fork.trial.slices
    held = min(
        sum(rows[number].completed for number in numbers if number is not None) / cell.users
        for numbers in ([pair.a_slice for pair in fork.counted_pairs], [pair.b_slice for pair in fork.counted_pairs])
    )
    if held >= FORK_ANSWERS:
        return None
    return f"has {held:.0f} answers per user, but throughput needs {FORK_ANSWERS} when answers are too slow for turns"


def _by_turns(run: Run, cell: Cell, trial: Trial, a: str, b: str) -> str | None:
    """Why a fork that took turns does not count, where turns distort one of the two."""
    effect = refused_turn_effect(run, cell, a, b)
    return None if effect is None or not has_turns(trial, cell, a) else f"took turns, and {effect.effect}"


def short_of_forks(run: Run, least: int) -> dict[int, str]:
    """Whole trials that do not count, where a judged comparison with the reference has fewer than `least` counted forks.

    By number of the trial, with the reason.
    """
    missing: dict[int, str] = {}
    reference = run.schedule.reference
    for cell in (cell for cell in run.schedule.cells if cell.primary):
        for subject in (label for label in run.schedule.subjects_in(cell) if label != reference):
            driven = [fork for fork in forks(run, cell, subject, reference) if fork.trial.status == "complete"]
            if sum(fork.why_not is None for fork in driven) < least:
                missing |= {fork.trial.number: fork.why_not for fork in driven if fork.why_not is not None}
    return missing


def compared_slices(run: Run, cell: Cell, subject: str) -> dict[int, list[int]]:
    """By trial: the subject's slices in the pairs that count beside the reference; for the reference, beside any other subject."""
    reference = run.schedule.reference
    others = [label for label in run.schedule.subjects_in(cell) if label != subject]
    partners = others if subject == reference else [reference]
    slices_by_trial: dict[int, set[int]] = {}
    for partner in partners:
        for fork in forks(run, cell, subject, partner):
            if fork.why_not is None:
                numbers = (pair.a_slice for pair in fork.counted_pairs)
                slices_by_trial.setdefault(fork.trial.number, set()).update(
                    number for number in numbers if number is not None
                )
    return {trial: sorted(numbers) for trial, numbers in slices_by_trial.items() if numbers}


def _pair(trial: Trial, cell: Cell, number: int, a_slice: int | None, b_slice: int | None) -> Pair:
    voids: list[Void] = []
    for each in (a_slice, b_slice):
        if each is None:
            voids.append(Void.MISSING)
            continue
        voids += slice_voids(trial, each, unbroken=not kind_of(cell).sliced)
        voids += [Void.SHORT] if _is_short(trial, cell, each) else []
    return Pair(number, a_slice, b_slice, tuple(dict.fromkeys(voids)))


def _is_short(trial: Trial, cell: Cell, number: int) -> bool:
    """Whether a stretch has fewer response times than planned, because answers were slower."""
    fits = any(plan.cell == cell.name and plan.fits for plan in trial.record_or_empty.stretches)
    row = trial.slices.get(number)
    return fits and row is not None and trial.unbroken(number) and row.completed < STRETCH_ANSWERS * cell.users


def _why_not(schedule: Schedule, cell: Cell, trial: Trial, pairs: Sequence[Pair]) -> str | None:
    """Why a fork does not count. A failed trial does not, because its cause may have affected the figures.

    A stopped trial counts if it has enough pairs.
    """
    if trial.status == "failed":
        return "failed"
    kept = sum(not pair.voids for pair in pairs)
    needed = kind_of(cell).least_pairs(schedule, len(pairs))
    if kept < needed:
        lost = voids_text(pair.voids[0] for pair in pairs if pair.voids)
        return f"kept {kept} of at least {plural(needed, 'pair')} needed" + (f" ({lost})" if lost else "")
    return None
