"""The ranking and the reasons behind it: sentences for few subjects, a table for many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..analyse.analysis import Analysis
from ..analyse.ratios import Compared
from ..analyse.sentences import NOW, place_text
from ..analyse.verdicts import Judgement, Ranked, ranks
from ..base.text import is_turned, lower_first, percent_text, plural, ratio_text, spoken_ratio, value_text
from ..models.records import Cell
from .subjects import full_label

MOST_IN_SENTENCES = 3  # subjects compared with the reference; more are shown in a table
# Measures that explain a verdict, with the words around a ratio and around how many times lower it is. The tail of a closed load is
# that of a saturated server's queue, so it explains nothing there.
EXPLAINING = {
    "throughput": ("answers {} times as many requests", "answers {} times fewer requests"),
    "cpu_per_request": (
        "uses {} times the processor time per request",
        "uses {} times less processor time per request",
    ),
    "response_time_p99": ("has {} times the p99", "has a p99 {} times lower"),
    "memory": ("uses {} times the memory", "uses {} times less memory"),
}
WORDLESS = "-"
_TAIL = "response_time_p99"


@dataclass(frozen=True)
class Amount:
    """A table cell: `text` is the value, `under` a smaller line, `hint` the tooltip."""

    text: str
    under: str = ""
    hint: str = ""


@dataclass(frozen=True)
class RankedRow:
    """One subject's row: its place (or why it has none), its word against the reference, and an amount for each heading."""

    place: str
    subject: str
    word: str
    amounts: tuple[Amount, ...]
    floor: bool


@dataclass(frozen=True)
class Standings:
    """`headline` names the first; `headings` are (measure, unit) of the rows' amounts; `shared` is a place of several subjects."""

    headline: str
    headings: tuple[tuple[str, str], ...]
    rows: tuple[RankedRow, ...]
    reference: str
    shared: str = ""


def against_reference(analysis: Analysis) -> list[Judgement]:
    """The judged comparisons with the reference, each of them in one cell."""
    reference = analysis.run.schedule.reference
    return [
        judgement
        for judgement in analysis.judgements
        if judgement.compared.primary and judgement.compared.b == reference
    ]


def cost_sentences(analysis: Analysis) -> list[str]:
    """A sentence per comparison on the measures behind its verdict, with both subjects' values.

    Such as "Compared with the reference, go uses 1.61 times the processor time per request (212 against 131 µs) and uses 29
    times less memory (13.5 against 398 MiB)." Empty for several judged cells, for too many subjects, and without a valid verdict.
    """
    judged = against_reference(analysis)
    several = len({judgement.compared.cell.name for judgement in judged}) > 1
    if several or len(judged) > MOST_IN_SENTENCES or not analysis.verdicts.valid:
        return []
    return [reason for judgement in judged if (reason := _why(analysis, judgement.compared))]


def _why(analysis: Analysis, judged: Compared) -> str:
    """Empty where only the judged measure has a ratio."""
    names = [
        name
        for name in EXPLAINING
        if name != judged.measure.name and (name != _TAIL or judged.cell.profile.kind == "rate")
    ]
    parts = [part for name in names if (part := _part(analysis, judged, name))]
    if not parts:
        return ""
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Compared with {judged.b}, {judged.a} {listed}."


def _part(analysis: Analysis, judged: Compared, name: str) -> str:
    compared = compared_on(analysis, judged.cell, judged.a, name)
    if compared is None or compared.ratio is None:
        return ""
    bounds = compared.bounds
    sides = [value_of(analysis, judged.cell, subject, name) for subject in (judged.a, judged.b)]
    values = "" if None in sides else f"{sides[0]} against {sides[1]} {compared.measure.unit}"
    undecided = "no difference detected" if bounds is not None and bounds[0] <= 1 <= bounds[1] else ""
    aside = "; ".join(part for part in (values, undecided) if part)
    of_ratio, of_lower = EXPLAINING[name]
    turned = is_turned(compared.ratio)
    words = (of_lower if turned else of_ratio).format(
        spoken_ratio(1 / compared.ratio if turned else compared.ratio, bounds)
    )
    return words + (f" ({aside})" if aside else "")


def compared_on(analysis: Analysis, cell: Cell, subject: str, measure: str) -> Compared | None:
    """The comparison of a subject with the reference in a cell on a measure; None without one."""
    reference = analysis.run.schedule.reference
    return next(
        (
            judgement.compared
            for judgement in analysis.judgements
            if (judgement.compared.a, judgement.compared.b) == (subject, reference)
            and (judgement.compared.cell.name, judgement.compared.measure.name) == (cell.name, measure)
        ),
        None,
    )


def value_of(analysis: Analysis, cell: Cell, subject: str, measure: str) -> str | None:
    """A subject's own figure over all forks, as text without unit; None where there is none."""
    for figure in analysis.figures:
        if figure.fork is None and (figure.cell.name, figure.subject, figure.measure.name) == (
            cell.name,
            subject,
            measure,
        ):
            return None if figure.value is None else value_text(figure.value)
    return None


def standings(analysis: Analysis) -> Standings | None:
    """The table of many subjects in the one judged cell; None for few subjects, and for several judged cells."""
    judged = against_reference(analysis)
    cells = {judgement.compared.cell.name: judgement.compared.cell for judgement in judged}
    if len(cells) != 1 or len(judged) <= MOST_IN_SENTENCES or not analysis.verdicts.valid:
        return None
    (cell,) = cells.values()
    placed = ranks(analysis.run, analysis.judgements)
    names = [cell.primary_measure, *(name for name in EXPLAINING if name != cell.primary_measure)]
    words = {judgement.compared.a: judgement.text for judgement in judged}
    rows = [
        RankedRow(
            place=place,
            subject=subject if subject in analysis.run.floors else full_label(analysis.run, subject),
            word="reference" if subject == analysis.run.schedule.reference else _word(words.get(subject)),
            amounts=tuple(_amounts(analysis, cell, subject, names)),
            floor=subject in analysis.run.floors,
        )
        for place, subject in _ordered_subjects(analysis, placed, judged)
    ]
    return Standings(
        headline=_headline(judged[0].compared, placed),
        headings=tuple(_headings(analysis, names)),
        rows=tuple(rows),
        reference=analysis.run.schedule.reference,
        shared=next((place_text(place) for place in placed if place.best < place.worst), ""),
    )


def _word(word: object) -> str:
    return WORDLESS if word is None else str(word)


def _headings(analysis: Analysis, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    measures = [analysis.measures[name] for name in names if name in analysis.measures]
    yield f"ratio of {lower_first(measures[0].short)}", f"to {analysis.run.schedule.reference}"
    for measure in measures:
        yield lower_first(measure.short) if measure.short.istitle() else measure.short, measure.unit


def _amounts(analysis: Analysis, cell: Cell, subject: str, names: Sequence[str]) -> Iterator[Amount]:
    """The judged ratio with its interval, then the values of each measure with their ratios."""
    judged = compared_on(analysis, cell, subject, names[0])
    yield Amount("1", hint="the reference") if judged is None else ratio_amount(judged)
    for name in names:
        if name not in analysis.measures:
            continue
        compared = compared_on(analysis, cell, subject, name)
        own = value_of(analysis, cell, subject, name) or "-"
        if compared is None or compared.ratio is None or name == names[0]:
            yield Amount(own)
        else:
            yield Amount(own, under=f"\u00d7{ratio_text(compared.ratio, compared.bounds)}", hint=basis_of(compared))


def ratio_amount(compared: Compared) -> Amount:
    """A ratio with its interval below it, and its basis as a tooltip."""
    if compared.ratio is None:
        return Amount("-", hint="nothing could be compared")
    bounds = compared.bounds
    interval = "" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds)
    return Amount(ratio_text(compared.ratio, bounds), interval, basis_of(compared))


def basis_of(compared: Compared) -> str:
    """Interval, forks and pairs in a line."""
    bounds = compared.bounds
    interval = (
        "no interval"
        if bounds is None
        else f"{percent_text(compared.confidence)} interval {' to '.join(ratio_text(bound, bounds) for bound in bounds)}"
    )
    return f"{interval}, {compared.size}"


def _ordered_subjects(
    analysis: Analysis, placed: Sequence[Ranked], judged: Sequence[Judgement]
) -> Iterator[tuple[str, str]]:
    """Place and subject: the ranked subjects best first, then those without a place, then floors, each by ratio."""
    yield from ((place_text(place), place.subject) for place in placed)
    ranked = {place.subject for place in placed}
    rest = [judgement.compared for judgement in judged if judgement.compared.a not in ranked]
    rest.sort(key=lambda compared: (compared.a in analysis.run.floors, -(compared.ratio or 0.0)))
    if analysis.run.schedule.reference not in ranked:
        yield WORDLESS, analysis.run.schedule.reference
    for compared in rest:
        yield ("floor" if compared.a in analysis.run.floors else WORDLESS), compared.a


def ranking_headline(analysis: Analysis, compared: Compared) -> str:
    """Which subjects may be first, by the measure and in the cell of this comparison."""
    return _headline(compared, ranks(analysis.run, analysis.judgements))


def _headline(compared: Compared, placed: Sequence[Ranked]) -> str:
    """The subjects that may be first. Several possible firsts are listed as such, never as joint winners."""
    quantity = lower_first(compared.measure.title)
    where = f"by {quantity} on {compared.cell.name}, {NOW}"
    firsts = [place.subject for place in placed if place.best == 1]
    if not firsts:
        return f"No places {where}"
    if len(firsts) == 1:
        return f"{firsts[0]} is first of {len(placed)} {where}"
    others = len(placed) - len(firsts)
    return f"The first place {where} was not decided between {', '.join(firsts[:-1])} and {firsts[-1]}" + (
        f"; {plural(others, 'other')} {'is' if others == 1 else 'are'} behind" if others else ""
    )
