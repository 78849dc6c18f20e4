"""The verdict of each comparison: its word, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import stdev

from ..base.text import plural
from ..models.records import Cell
from ..plan.designs import design_named
from ..results.stored_run import Run
from ..statistics.looks import LOOKS, alpha_of
from ..statistics.planning import time_left
from ..statistics.verdict_words import Better, Given, Judged, Word, verdict_text, words
from .failure_gap import Gap, failure_gap, judged_measure
from .instrument import ENGINE_SHARE, Finding, Level
from .measures import Measure
from .ratios import Compared, compare, compare_by_reference
from .second_witness import both_text

LEAST_FORKS = LOOKS[0]
_PROMISED_DIFFERENCE = 0.05


@dataclass(frozen=True)
class Judgement:
    """A comparison with its word.

    `word` is None for secondary comparisons and where the instrument is not valid. `direction` is faster or slower where a
    difference was shown, even within the margin. `broken` are the reasons why the instrument is not valid for it, `reasons` all
    other limitations. `gap` is set where the shares of failures differ beyond chance.
    """

    compared: Compared
    word: Word | None
    broken: tuple[str, ...]
    reasons: tuple[str, ...]
    gap: Gap | None = None
    direction: Word | None = None

    @property
    def text(self) -> str | None:
        """The word for readers; None where there is none."""
        return None if self.word is None else verdict_text(self.word, self.direction)


def judge(run: Run, measures: dict[str, Measure], findings: Sequence[Finding]) -> Iterator[Judgement]:
    """Every subject against the reference, in every cell, on every measure; the primary comparisons come first.

    With more than two subjects, the others are also compared with each other on the primary measure, for a ranking. Holm's
    adjustment is over a cell's comparisons against the reference, and separately over those among the others. The ranking therefore
    costs the verdicts against the reference no power, and each family has its own error rate.
    """
    reference = run.schedule.reference
    cells = sorted(run.schedule.cells, key=lambda cell: not cell.primary)
    compared = [
        comparison
        for cell in cells
        for other in _compared_subjects(run, cell)
        if reference in (cell.subjects or [reference])
        for comparison in _on_all_measures(run, cell, measures, other)
    ]
    among = list(_comparisons_of_alike(run, measures, compared))
    primaries = [comparison for comparison in compared if comparison.primary]
    judged = {
        id(comparison): given
        for family in _families(primaries, among)
        for comparison, given in zip(family, _words(run, family), strict=True)
    }
    compared += among
    for comparison in sorted(compared, key=lambda item: not item.primary):
        about = [
            finding
            for finding in findings
            if finding.cell == comparison.cell.name and finding.subject in (None, comparison.a, comparison.b)
        ]
        invalid = [finding for finding in about if finding.level is Level.INVALID]
        broken = tuple(finding.reason for finding in invalid)
        if not comparison.primary:
            both = _both_ratios_text(comparison)
            yield Judgement(comparison, None, broken, (both, *comparison.refusals) if both else comparison.refusals)
            continue
        gap = failure_gap(run, comparison.cell, comparison.a, comparison.b)
        if not design_named(run.schedule.design).starts:
            yield Judgement(comparison, None, (), comparison.refusals, gap)
            continue
        given, reasons = judged[id(comparison)]
        word = given.word
        near = [finding for finding in about if finding.check == ENGINE_SHARE and finding.level is Level.WARNING]
        if invalid and _limited_only_the_faster(comparison, word, [*invalid, *near]):
            bound = (f"{reason}, so the true difference may be larger" for reason in broken)
            yield Judgement(comparison, word, (), (*reasons, *bound), gap, given.direction)
            continue
        busy = (finding.reason for finding in near)
        valid = None if broken else word
        yield Judgement(comparison, valid, broken, (*reasons, *busy), gap, None if broken else given.direction)


def _on_all_measures(run: Run, cell: Cell, measures: dict[str, Measure], other: str) -> Iterator[Compared]:
    """A subject against the reference on every measure; the judging measure comes first."""
    reference = run.schedule.reference
    judged_by = judged_measure(cell, measures, failure_gap(run, cell, other, reference))
    for name, measure in sorted(measures.items(), key=lambda item: item[0] != judged_by):
        yield compare(run, cell, measure, other, reference, primary=cell.primary and name == judged_by)


def _limited_only_the_faster(comparison: Compared, word: Word | None, troubles: Sequence[Finding]) -> bool:
    """Whether the only finding is that the engine limited the faster subject, and did not nearly limit the other.

    Under closed load the faster subject can only be faster still. The word remains, and the measured difference is a lower bound.
    """
    faster = {Word.FASTER: comparison.a, Word.SLOWER: comparison.b}.get(word) if word is not None else None
    closed = comparison.cell.primary_measure == comparison.measure.name == "throughput"
    return closed and all((finding.check, finding.subject) == (ENGINE_SHARE, faster) for finding in troubles)


def _families(primaries: list[Compared], among: list[Compared]) -> Iterator[list[Compared]]:
    """Comparisons that share an error rate: each cell or family of cells is one question, and its ranking another."""
    for family in dict.fromkeys(comparison.cell.family or comparison.cell.name for comparison in (*primaries, *among)):
        yield [comparison for comparison in primaries if (comparison.cell.family or comparison.cell.name) == family]
        yield [comparison for comparison in among if (comparison.cell.family or comparison.cell.name) == family]


def _compared_subjects(run: Run, cell: Cell) -> list[str]:
    """The subjects of a cell without the reference."""
    return [label for label in run.schedule.subjects_in(cell) if label != run.schedule.reference]


def _comparisons_of_alike(run: Run, measures: dict[str, Measure], beside: Sequence[Compared]) -> Iterator[Compared]:
    """Comparisons among the subjects other than the reference, where they are alike, on the primary measure.

    `beside` are their comparisons with the reference.
    """
    if design_named(run.schedule.design).why_undecided:
        return
    together = [set(trial.start_order) for trial in run.schedule.trials]
    known = {(compared.cell.name, compared.a): compared for compared in beside if compared.primary}
    for cell in run.schedule.cells:
        for a, b in combinations(_compared_subjects(run, cell), 2) if cell.primary else ():
            if not run.schedule.may_have_verdict(a, b):
                continue
            if any({a, b} <= subjects for subjects in together):
                measure = measures[judged_measure(cell, measures, failure_gap(run, cell, a, b))]
                yield compare(run, cell, measure, a, b, primary=True)
            elif (cell.name, a) in known and (cell.name, b) in known:
                first, second = known[cell.name, a], known[cell.name, b]
                if first.measure.name == second.measure.name:
                    yield compare_by_reference(run, first, second)


@dataclass(frozen=True)
class Ranked:
    """The best and the worst place that the data allow for a subject on the primary measure; `ratio` is to the reference."""

    subject: str
    best: int
    worst: int
    ratio: float


def ranks(run: Run, judgements: Sequence[Judgement]) -> list[Ranked]:
    """The subjects' places in the primary cell.

    Empty for fewer than three subjects, and where several cells are judged, because each has its own places.
    """
    if len(run.schedule.subjects) < 3 or sum(cell.primary for cell in run.schedule.cells) != 1:
        return []
    return ranked_subjects(run, judgements)


def ranked_subjects(run: Run, judgements: Sequence[Judgement]) -> list[Ranked]:
    """Subjects by measured ratio, best first, from the judgements of one cell, each with its possible places.

    A place is possible if some order of all subjects has it and contradicts no decided pair. A floor has no place, because it does
    other work. A subject without a word against any other has none either (nothing measured, or no valid instrument). The same
    holds for a subject with too few counted forks where others have enough: otherwise its first place would be possible, since no
    other was shown to be better.
    """
    reference = run.schedule.reference
    worded = [
        judgement for judgement in judgements if judgement.word is not None and judgement.compared.ratio is not None
    ]
    beside = [judgement.compared for judgement in worded if judgement.compared.b == reference]
    ready = {comparison.a for comparison in beside if len(comparison.counted_forks) >= LEAST_FORKS} or {
        comparison.a for comparison in beside
    }
    placed = (ready | {reference}) - run.floors
    worded = [judgement for judgement in worded if {judgement.compared.a, judgement.compared.b} <= placed]
    if len({judgement.compared.measure.name for judgement in worded}) > 1:
        return []  # where failures differ, some are judged by right answers and others by response times
    subjects = list(
        dict.fromkeys(label for judgement in worded for label in (judgement.compared.a, judgement.compared.b))
    )
    if len(subjects) < 2:
        return []
    worse = _worse_subjects(worded, subjects)
    to_reference = {
        judgement.compared.a: judgement.compared.ratio for judgement in worded if judgement.compared.b == reference
    }
    places = [
        Ranked(
            label,
            best=1 + sum(label in below for below in worse.values()),
            worst=len(subjects) - len(worse[label]),
            ratio=to_reference.get(label) or 1.0,
        )
        for label in subjects
    ]
    sign = -1 if worded[0].compared.measure.better is Better.HIGHER else 1
    return sorted(places, key=lambda place: sign * place.ratio)


def _worse_subjects(worded: Sequence[Judgement], subjects: Sequence[str]) -> dict[str, set[str]]:
    """For each subject the worse ones: shown to be worse, or worse than one of these. Two that would each be worse are neither."""
    worse: dict[str, set[str]] = {label: set() for label in subjects}
    for judgement in worded:
        if judgement.word in (Word.FASTER, Word.SLOWER):
            a, b = judgement.compared.a, judgement.compared.b
            better, other = (a, b) if judgement.word is Word.FASTER else (b, a)
            worse[better].add(other)
    for middle in subjects:
        for label in subjects:
            if middle in worse[label]:
                worse[label] |= worse[middle]
    return {label: {other for other in below if label not in worse[other]} for label, below in worse.items()}


def _words(run: Run, primaries: list[Compared]) -> list[tuple[Given, tuple[str, ...]]]:
    """The word and reasons of each primary comparison, adjusted for their number."""
    ready = [comparison for comparison in primaries if len(comparison.counted_forks) >= LEAST_FORKS]
    alpha = alpha_of(run.schedule.looks)
    given = (
        words(
            [
                Judged(comparison.log_ratios, comparison.measure.better, comparison.least_deviation)
                for comparison in ready
            ],
            alpha,
            run.schedule.margin,
        )
        if ready
        else []
    )
    by_place = dict(zip(map(id, ready), given, strict=True))
    by_processor = dict(zip(map(id, ready), _words_by_processor(run, ready), strict=True))
    worded: list[tuple[Given, tuple[str, ...]]] = []
    for comparison in primaries:
        given_word = by_place.get(id(comparison), Given(Word.TOO_FEW_FORKS, None))
        both = _both_ratios_text(comparison)
        if both and given_word.word is not by_processor.get(id(comparison), given_word.word):
            worded.append((Given(Word.UNDECIDED, None), (both, "they give different verdicts")))
            continue
        why = () if given_word.word.decides else tuple(_why_not_decided(run, comparison, given_word.word, len(ready)))
        worded.append((given_word, (both, *why) if both else why))
    return worded


def _both_ratios_text(compared: Compared) -> str:
    """Both throughput ratios where the two witnesses disagree; empty otherwise."""
    by_answers, by_processor = compared.by_answers, compared.by_processor
    if by_answers is None or by_processor is None:
        return ""
    return both_text(compared.a, compared.b, by_answers, by_processor)


def _words_by_processor(run: Run, ready: Sequence[Compared]) -> list[Word]:
    """The words of these comparisons with the ratios by processor time, where the two witnesses disagree."""
    if not ready:
        return []
    judged = [
        Judged(
            comparison.witness.logs if comparison.by_processor and comparison.witness else comparison.log_ratios,
            comparison.measure.better,
            comparison.least_deviation,
        )
        for comparison in ready
    ]
    return [given.word for given in words(judged, alpha_of(run.schedule.looks), run.schedule.margin)]


def _why_not_decided(run: Run, compared: Compared, word: Word, comparisons: int) -> Iterator[str]:
    """Why a comparison is not decided. `comparisons` were judged together and share the error rate."""
    if why := design_named(run.schedule.design).why_undecided:
        yield why
        return
    count = len(compared.counted_forks)
    if word is Word.TOO_FEW_FORKS:
        why = f": {', '.join(compared.refusals)}" if compared.refusals else ""
        yield f"only {plural(count, 'fork')} of at least {LEAST_FORKS} can be counted{why}"
        return
    if word is Word.UNCONFIRMED and compared.interval is not None:
        apart = compared.interval.low > 1 or compared.interval.high < 1
        says = "excludes 1" if apart else "lies within the margin"
        yield f"its interval {says}, but not after adjusting for {comparisons} comparisons"
    more = _more_time(run, compared)
    if more:
        yield more


def _more_time(run: Run, compared: Compared) -> str | None:
    seconds = [trial.record_or_empty.seconds for trial in run.trials if trial.status == "complete"]
    if not seconds or compared.interval is None:
        return None
    logs = compared.log_ratios
    return time_left(
        _PROMISED_DIFFERENCE,
        max(stdev(logs), compared.least_deviation),
        len(logs),
        sum(seconds) / len(seconds),
        1 - compared.confidence,
    )
