"""A paper's claims against a run: the value that answers each, with its interval, and the word for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..base.csvfiles import read_table
from ..base.text import join_words, number_text, plural, range_text, value_text
from ..models.published_conclusions import ClaimedQuantity, OwnAnswer, PaperClaim
from ..models.verdict import Comparison, Figure, LayerFigure, Verdicts
from ..statistics.claims import ClaimWord, judge_claim
from ..statistics.interval import student_interval
from ..statistics.proportions import exact_interval
from .figures import ForkFigure

COMPARED = "from pairs"
ALONE = "over forks"
BY_FORK = "fork by fork, {} forks"
ENDS = "from the ends of both intervals"
NOTHING_SEEN = "none in {:,} requests"


class FigureKey(NamedTuple):
    """A subject's measure in a cell, in results.csv."""

    subject: str
    cell: str
    measure: str


@dataclass(frozen=True)
class ForkValues:
    """A measure's values by fork, and the right answers behind it in all forks."""

    by_fork: Mapping[int, float]
    requests: int


Behind = Mapping[FigureKey, ForkValues]


@dataclass(frozen=True)
class ClaimAnswer:
    """A value of a run with its 95% interval; None where there is none. `how` is the origin of the interval.

    `obstacle` is the reason why the value is not judged, empty where it is.
    """

    value: float | None
    interval: tuple[float, float] | None
    how: str
    obstacle: str = ""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with the run's answer (None where the run has none) and the word for it."""

    claim: PaperClaim
    answer: ClaimAnswer | None
    word: ClaimWord


def fork_values(figures: Sequence[ForkFigure]) -> Behind:
    """The values and requests behind a run's figures."""
    return _by_figure(
        (FigureKey(each.subject, each.cell.name, each.measure.name), each.fork, each.value, each.requests)
        for each in figures
    )


def stored_fork_values(folder: Path) -> Behind:
    """The same from a run's results.csv; raises StoreError."""
    return _by_figure(
        (
            FigureKey(row.text("subject"), row.text("cell"), row.text("measure")),
            None if row.text("fork") == "all" else row.whole("fork"),
            row.number("value") if row.text("value") else None,
            row.whole("requests"),
        )
        for row in read_table(folder / "results.csv", ("subject", "cell", "measure", "fork", "value", "requests"))
    )


def _by_figure(rows: Iterable[tuple[FigureKey, int | None, float | None, int]]) -> Behind:
    values: dict[FigureKey, dict[int, float]] = {}
    requests: dict[FigureKey, int] = {}
    for key, fork, value, right in rows:
        if fork is None:
            requests[key] = right
        elif value is not None:
            values.setdefault(key, {})[fork] = value
    return {key: ForkValues(values.get(key, {}), right) for key, right in requests.items()}


def judge_claims(claims: Sequence[PaperClaim], verdicts: Verdicts, behind: Behind) -> Iterator[JudgedClaim]:
    """Each claim by a run's figures, comparisons and layers, whichever run answers it on the papers' page."""
    for claim in claims:
        answer = None if claim.ours is None else answer_to(claim.ours, verdicts, behind)
        judged = answer.interval if answer is not None and not answer.obstacle else None
        yield JudgedClaim(claim, answer, judge_claim(judged, claim, ran=answer is not None))


def answer_to(ours: OwnAnswer, verdicts: Verdicts, behind: Behind) -> ClaimAnswer | None:
    """The value that answers a claim; None where the run has not measured it.

    The ratio of one measure of two subjects in one cell is the run's own comparison. Other ratios and differences are taken fork by
    fork, where two forks or more have both values. The rest, such as shares of layers, has the interval between the farthest ends
    of its parts' intervals. That contains the true value at least as often as all parts' intervals contain theirs.
    """
    first = _value(ours.of, verdicts, behind)
    if ours.by == "value" or first is None:
        return first
    if ours.by == "ratio" and (compared := _comparison(ours, verdicts)) is not None:
        return compared
    second = _value(ours.other, verdicts, behind)
    if second is None:
        return None
    obstacle = first.obstacle or second.obstacle
    paired = _fork_by_fork(ours, behind, obstacle)
    if paired is not None:
        return paired
    combine = _ratio if ours.by == "ratio" else _difference
    above, below = first.interval, second.interval
    ends = None
    if above is not None and below is not None and (ours.by == "difference" or below[0] > 0):
        ends = combine(above[0], below[1]), combine(above[1], below[0])
    value = None if first.value is None or second.value is None else combine(first.value, second.value)
    return ClaimAnswer(value, ends, ENDS, obstacle)


def _fork_by_fork(ours: OwnAnswer, behind: Behind, obstacle: str) -> ClaimAnswer | None:
    """With Student's interval over the forks that have both values, of ratios over their logarithms; None for fewer than two."""
    mine, theirs = (
        behind[key].by_fork if key in behind else {}
        for key in (FigureKey(each.subject, each.cell, each.measure) for each in (ours.of, ours.other))
    )
    pairs = [(mine[fork], theirs[fork]) for fork in sorted(mine.keys() & theirs.keys())]
    how = BY_FORK.format(len(pairs))
    if len(pairs) < 2 or (ours.by == "ratio" and any(value <= 0 for pair in pairs for value in pair)):
        return None
    if ours.by == "difference":
        apart = student_interval([above - below for above, below in pairs])
        return ClaimAnswer(apart.estimate, (apart.low, apart.high), how, obstacle)
    ratio = student_interval([math.log(above / below) for above, below in pairs]).exp()
    return ClaimAnswer(ratio.estimate, (ratio.low, ratio.high), how, obstacle)


def _ratio(first: float, second: float) -> float:
    return first / second if second else math.inf


def _difference(first: float, second: float) -> float:
    return first - second


def _value(quantity: ClaimedQuantity, verdicts: Verdicts, behind: Behind) -> ClaimAnswer | None:
    obstacle = _obstacle(verdicts, quantity.cell, {quantity.subject})
    if quantity.layers:
        return _layers(quantity, verdicts, obstacle)
    wanted = FigureKey(quantity.subject, quantity.cell, quantity.measure)
    figure = next(
        (each for each in verdicts.figures if FigureKey(each.subject, each.cell, each.measure) == wanted), None
    )
    if figure is None:
        return None
    return _figure(figure, behind[wanted].requests if wanted in behind else 0, obstacle)


def _figure(figure: Figure, requests: int, obstacle: str) -> ClaimAnswer:
    """A figure; a share of requests without any has the exact interval of a share, since forks that all have 0 give none."""
    if figure.value == 0 and figure.interval is None and figure.unit == "%" and requests:
        low, high = exact_interval(0, requests)
        return ClaimAnswer(0.0, (100 * low, 100 * high), NOTHING_SEEN.format(requests), obstacle)
    return ClaimAnswer(figure.value, figure.interval, ALONE, obstacle or figure.refusal or "")


def _layers(quantity: ClaimedQuantity, verdicts: Verdicts, obstacle: str) -> ClaimAnswer | None:
    """The time of some layers in ms, or with `share` their percentage of all layers."""
    figures = [
        each
        for each in (*verdicts.layers, *verdicts.layers_by_kind)
        if (each.subject, each.cell, each.kind) == (quantity.subject, quantity.cell, quantity.kind)
    ]
    mine = [each for each in figures if each.layer in quantity.layers]
    if len(mine) < len(quantity.layers):
        return None
    value, bounds = _sum(mine)
    if not quantity.share:
        return ClaimAnswer(value, bounds, ALONE if len(mine) == 1 else ENDS, obstacle)
    rest, rest_bounds = _sum([each for each in figures if each not in mine])
    share = 100 * value / (value + rest) if value + rest else None
    if bounds is None or rest_bounds is None or bounds[0] + rest_bounds[1] <= 0:
        return ClaimAnswer(share, None, ENDS, obstacle)
    low, high = bounds[0] / (bounds[0] + rest_bounds[1]), bounds[1] / (bounds[1] + rest_bounds[0])
    return ClaimAnswer(share, (100 * low, 100 * high), ENDS, obstacle)


def _sum(figures: Sequence[LayerFigure]) -> tuple[float, tuple[float, float] | None]:
    """The ms of layers together, and the sum of their intervals' ends, which are not below 0; None where one has no interval."""
    value = sum(each.ms for each in figures)
    ends = [each.interval for each in figures if each.interval is not None]
    if len(ends) < len(figures):
        return value, None
    return value, (sum(max(0.0, low) for low, _ in ends), sum(high for _, high in ends))


def _comparison(ours: OwnAnswer, verdicts: Verdicts) -> ClaimAnswer | None:
    """The run's comparison of the two quantities; None where they are not one measure of two subjects in one cell."""
    asked, other = ours.of, ours.other
    if not asked.measure or (asked.cell, asked.measure) != (other.cell, other.measure):
        return None
    pair = {asked.subject, other.subject}
    comparison = next(
        (each for each in verdicts.comparisons if _is_of(each, asked.cell, pair) and each.measure == asked.measure),
        None,
    )
    if comparison is None:
        return None
    obstacle = _obstacle(verdicts, asked.cell, pair)
    if comparison.a == asked.subject or comparison.ratio is None:
        return ClaimAnswer(comparison.ratio, comparison.interval, COMPARED, obstacle)
    turned = None if comparison.interval is None else (1 / comparison.interval[1], 1 / comparison.interval[0])
    return ClaimAnswer(1 / comparison.ratio, turned, COMPARED, obstacle)


def _is_of(comparison: Comparison, cell: str, pair: set[str]) -> bool:
    return comparison.cell == cell and {comparison.a, comparison.b} == pair


def _obstacle(verdicts: Verdicts, cell: str, subjects: set[str]) -> str:
    """The reason why no judged comparison of the subjects in the cell is valid; empty where one is, or there is none."""
    if not verdicts.valid:
        return next(iter(verdicts.why_not), "the run is not valid")
    judged = [
        each for each in verdicts.comparisons if each.primary and each.cell == cell and subjects <= {each.a, each.b}
    ]
    if not judged or any(each.verdict is not None for each in judged):
        return ""
    return next((reason for each in judged for reason in each.why_not), "no comparison of it was valid")


def numbers_text(claim: PaperClaim) -> str:
    """The paper's number or range with its unit; empty where it prints none."""
    return with_unit(" to ".join(number_text(number) for number in claim.numbers), claim.unit)


def tolerance_text(claim: PaperClaim) -> str:
    """The values for which the claim holds, in its unit."""
    if claim.least is None or claim.most is None:
        most = claim.most is not None
        bound = claim.most if claim.most is not None else claim.least or 0.0
        return f"{'at most' if most else 'at least'} {number_text(bound)}"
    return f"{number_text(claim.least)} to {number_text(claim.most)}"


def answer_text(claim: PaperClaim, answer: ClaimAnswer | None) -> str:
    """Our value with its interval and the claim's unit; empty where there is no value."""
    if answer is None or answer.value is None:
        return ""
    interval = "no interval" if answer.interval is None else range_text(answer.interval)
    return f"{with_unit(value_text(answer.value), claim.unit)} ({interval})"


def with_unit(text: str, unit: str) -> str:
    """A number with its unit, if there are both."""
    return text if not text or not unit else f"{text}%" if unit == "%" else f"{text} {unit}"


def remarks_text(judged: JudgedClaim) -> str:
    """The reason why a claim is not comparable, its note, and the obstacle to a judgement."""
    remarks = (judged.claim.not_comparable, judged.claim.note, judged.answer.obstacle if judged.answer else "")
    return "; ".join(remark.rstrip(".") for remark in remarks if remark)


def tally_text(judged: Sequence[JudgedClaim]) -> str:
    """A sentence with the number of claims by verdict."""
    counts = Counter(each.word for each in judged)
    words = ", ".join(f"{word} {counts[word]}" for word in ClaimWord if counts[word])
    return f"{plural(len(judged), 'claim')} by verdict: {words}."


def answer_sentences(judged: Sequence[JudgedClaim]) -> list[str]:
    """A run's answer to its paper's question: its claims by word, one that holds, and the one that is farthest from holding.

    Empty where the paper has no claims.
    """
    here = [each for each in judged if each.answer is not None]
    if not here:
        return [f"This run answers none of the paper's {plural(len(judged), 'claim')}."] if judged else []
    counts = Counter(each.word for each in here)
    words = [f"{counts[word]} {_COUNTED[word][counts[word] > 1]}" for word in ClaimWord if counts[word]]
    sentences = [f"Of the paper's {plural(len(judged), 'claim')} this run answers {len(here)}: {join_words(words)}."]
    holding = [each for each in here if each.word is ClaimWord.HOLDS]
    if holding:
        first = next((each for each in holding if each.claim.numbers), holding[0])
        sentences.append(f"It holds that \u201c{_quotation(first)}\u201d: {_both_numbers(first)}.")
    else:
        sentences.append("No claim that it answers was shown to hold.")
    failing = [each for each in here if each.word is ClaimWord.DOES_NOT_HOLD]
    if failing:
        farthest = max(failing, key=_distance)
        sentences.append(f"Farthest from the paper is \u201c{_quotation(farthest)}\u201d: {_both_numbers(farthest)}.")
    else:
        sentences.append("No claim that it answers was shown not to hold.")
    return sentences


_COUNTED = {  # for one claim, and for more
    ClaimWord.HOLDS: ("holds", "hold"),
    ClaimWord.DOES_NOT_HOLD: ("does not hold", "do not hold"),
    ClaimWord.UNDECIDED: ("is undecided", "are undecided"),
    ClaimWord.NOT_COMPARABLE: ("is not comparable", "are not comparable"),
    ClaimWord.NOT_RUN: ("was not run", "were not run"),
}


def _quotation(judged: JudgedClaim) -> str:
    return judged.claim.text.rstrip(".")


def _both_numbers(judged: JudgedClaim) -> str:
    printed = numbers_text(judged.claim)
    return f"{answer_text(judged.claim, judged.answer)} here" + (f", {printed} in the paper" if printed else "")


def _distance(judged: JudgedClaim) -> float:
    """By which factor an interval misses its tolerance, as a logarithm; 0 where a bound is not above 0, which has no factor."""
    claim, interval = judged.claim, judged.answer.interval if judged.answer else None
    if interval is None:
        return 0.0
    below = claim.least is not None and interval[1] < claim.least
    edge, end = (claim.least, interval[1]) if below else (claim.most, interval[0])
    return abs(math.log(end / edge)) if edge is not None and edge > 0 and end > 0 else 0.0
