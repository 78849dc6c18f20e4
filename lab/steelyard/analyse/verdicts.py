"""The verdict on each comparison: its word, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import stdev

from ..base.text import counted
from ..plan.designs import design_named
from ..statistics.looks import LOOKS, alpha_of
from ..statistics.planning import time_left
from ..statistics.verdict_words import Better, Judged, Word, words
from ..store.stored_run import Run
from .instrument import ENGINE_SHARE, Finding, Level
from .measures import Measure
from .ratios import Compared, compare, compare_by_reference

LEAST_FORKS = LOOKS[0]
_PROMISED_DIFFERENCE = 0.05


@dataclass(frozen=True)
class Judgement:
    """A comparison with its word; `word` is None for secondary ones and where the instrument is not valid.

    `broken` are the reasons why the instrument is not valid for it, `reasons` all else that stands in the way.
    """

    compared: Compared
    word: Word | None
    broken: tuple[str, ...]
    reasons: tuple[str, ...]


def judge(run: Run, measures: dict[str, Measure], findings: Sequence[Finding]) -> Iterator[Judgement]:
    """Every subject against the reference, in every cell, on every measure; the primary comparisons come first.

    Where there are more than two subjects, the others are compared with each other too, on the primary measure, so that
    all can be ranked. Holm's adjustment is over a cell's comparisons against the reference, and apart from it over those among
    the others: a ranking costs the verdicts against the reference no power, and each family has its own error rate.
    """
    others = [label for label in run.schedule.subjects if label != run.schedule.reference]
    cells = sorted(run.schedule.cells, key=lambda cell: not cell.primary)
    compared = [
        compare(
            run, cell, measure, other, run.schedule.reference, primary=cell.primary and name == cell.primary_measure
        )
        for cell in cells
        for other in others
        for name, measure in sorted(measures.items(), key=lambda item: item[0] != cell.primary_measure)
    ]
    among = list(_among(run, measures, others))
    primaries = [one for one in compared if one.primary]
    judged = {
        id(one): word
        for family in _families(primaries, among)
        for one, word in zip(family, _words(run, family), strict=True)
    }
    compared += among
    for one in sorted(compared, key=lambda item: not item.primary):
        about = [found for found in findings if found.cell == one.cell.name and found.subject in (None, one.a, one.b)]
        broken = tuple(found.reason for found in about if found.level is Level.INVALID)
        if not one.primary:
            yield Judgement(one, None, broken, one.refusals)
            continue
        word, reasons = judged[id(one)]
        busy = (found.reason for found in about if found.check == ENGINE_SHARE and found.level is Level.WARNING)
        yield Judgement(one, None if broken else word, broken, (*reasons, *busy))


def _families(primaries: list[Compared], among: list[Compared]) -> Iterator[list[Compared]]:
    """Comparisons whose error rate is shared: each cell or family of cells is a question of its own, and its ranking another."""
    for family in dict.fromkeys(one.cell.family or one.cell.name for one in primaries):
        yield [one for one in primaries if (one.cell.family or one.cell.name) == family]
        yield [one for one in among if (one.cell.family or one.cell.name) == family]


def _among(run: Run, measures: dict[str, Measure], others: Sequence[str]) -> Iterator[Compared]:
    """The subjects that are not the reference against each other, on the primary measure of the primary cell."""
    if design_named(run.schedule.design).why_undecided:
        return
    together = [set(trial.start_order) for trial in run.schedule.trials]
    for cell in run.schedule.cells:
        measure = measures[cell.primary_measure]
        for a, b in combinations(others, 2) if cell.primary else ():
            if any({a, b} <= subjects for subjects in together):
                yield compare(run, cell, measure, a, b, primary=True)
            else:
                yield compare_by_reference(run, cell, measure, a, b)


@dataclass(frozen=True)
class Ranked:
    """The best and the worst place that the data allow a subject on the primary measure; `ratio` is to the reference."""

    subject: str
    best: int
    worst: int
    ratio: float


def ranks(run: Run, judgements: Sequence[Judgement]) -> list[Ranked]:
    """The subjects' places in the primary cell. Empty for fewer than three, and where several cells are judged, each of which
    has places of its own."""
    if len(run.schedule.subjects) < 3 or sum(cell.primary for cell in run.schedule.cells) != 1:
        return []
    return ranked(run, judgements)


def ranked(run: Run, judgements: Sequence[Judgement]) -> list[Ranked]:
    """Subjects by their measured ratios, best first, by the judgements of one cell, each with the places that are left to it.

    A place is left to a subject where some order of all has it there and contradicts no pair that was decided. A floor has no
    place, for it does not do what the others do. A subject without a word against any other (nothing measured, or no valid
    instrument) has none either, nor one of which too few forks count beside the reference where others have enough: the
    first place would be left to it, since none was shown to be better.
    """
    reference = run.schedule.reference
    worded = [one for one in judgements if one.word is not None and one.compared.ratio is not None]
    beside = [one.compared for one in worded if one.compared.b == reference]
    ready = {one.a for one in beside if len(one.counted) >= LEAST_FORKS} or {one.a for one in beside}
    placed = (ready | {reference}) - run.floors
    worded = [one for one in worded if {one.compared.a, one.compared.b} <= placed]
    subjects = list(dict.fromkeys(label for one in worded for label in (one.compared.a, one.compared.b)))
    if len(subjects) < 2:
        return []
    worse = _worse(worded, subjects)
    to_reference = {one.compared.a: one.compared.ratio for one in worded if one.compared.b == reference}
    found = [
        Ranked(
            label,
            best=1 + sum(label in below for below in worse.values()),
            worst=len(subjects) - len(worse[label]),
            ratio=to_reference.get(label) or 1.0,
        )
        for label in subjects
    ]
    sign = -1 if worded[0].compared.measure.better is Better.HIGHER else 1
    return sorted(found, key=lambda one: sign * one.ratio)


def _worse(worded: Sequence[Judgement], subjects: Sequence[str]) -> dict[str, set[str]]:
    """For each subject those that are worse: shown to be, or worse than one that is. Two that would each be worse are neither."""
    worse: dict[str, set[str]] = {label: set() for label in subjects}
    for one in worded:
        if one.word in (Word.FASTER, Word.SLOWER):
            a, b = one.compared.a, one.compared.b
            better, other = (a, b) if one.word is Word.FASTER else (b, a)
            worse[better].add(other)
    for middle in subjects:
        for label in subjects:
            if middle in worse[label]:
                worse[label] |= worse[middle]
    return {label: {other for other in found if label not in worse[other]} for label, found in worse.items()}


def _words(run: Run, primaries: list[Compared]) -> list[tuple[Word, tuple[str, ...]]]:
    """A word and its reasons for each primary comparison, adjusted for their number."""
    ready = [one for one in primaries if len(one.counted) >= LEAST_FORKS]
    alpha = alpha_of(run.schedule.looks)
    given = (
        words(
            [Judged(one.log_ratios, one.measure.better, one.least_deviation) for one in ready],
            alpha,
            run.schedule.margin,
        )
        if ready
        else []
    )
    by_place = dict(zip(map(id, ready), given, strict=True))
    found = []
    for one in primaries:
        word = by_place.get(id(one), Word.TOO_FEW_FORKS)
        found.append((word, () if word.decides else tuple(_why_not_decided(run, one, word, len(ready)))))
    return found


def _why_not_decided(run: Run, one: Compared, word: Word, comparisons: int) -> Iterator[str]:
    """`comparisons` were judged together, so that the chance of a wrong word is shared by them."""
    if why := design_named(run.schedule.design).why_undecided:
        yield why
        return
    count = len(one.counted)
    if word is Word.TOO_FEW_FORKS:
        why = f": {', '.join(one.refusals)}" if one.refusals else ""
        yield f"only {counted(count, 'fork')} can be counted, of at least {LEAST_FORKS}{why}"
        return
    if word is Word.UNCONFIRMED and one.interval is not None:
        apart = one.interval.low > 1 or one.interval.high < 1
        says = "excludes 1" if apart else "lies within the margin"
        yield f"its interval {says}, but not after adjusting for {comparisons} comparisons"
    more = _more_time(run, one)
    if more:
        yield more


def _more_time(run: Run, one: Compared) -> str | None:
    seconds = [trial.record.seconds for trial in run.trials if trial.record is not None and trial.status == "complete"]
    if not seconds or one.interval is None:
        return None
    logs = one.log_ratios
    return time_left(
        _PROMISED_DIFFERENCE,
        max(stdev(logs), one.least_deviation),
        len(logs),
        sum(seconds) / len(seconds),
        1 - one.confidence,
    )
