"""How servers scale with processors: subjects that ran with several numbers of them, and the ratio of each pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..base.errors import InsufficientDataError
from ..base.text import is_turned, join_words, percent_text, plural, spoken_range, spoken_ratio
from ..models.records import Cell
from ..models.server import PROCESSORS
from ..results.stored_run import Run
from ..statistics.scalability import LEAST_LEVELS, fit, over_forks, scalability_sentence
from .figures import ForkFigure
from .ratios import Compared, compare
from .sentences import quantity_text
from .verdicts import Judgement

_LEVEL = re.compile(rf"@{PROCESSORS}=(\d+)(?=[@.]|$)")


@dataclass(frozen=True)
class ProcessorSeries:
    """A subject that ran with several numbers of processors: its label without them, and its label with each."""

    name: str
    labels: Mapping[int, str]


def processor_series(run: Run) -> list[ProcessorSeries]:
    """The subjects that differ in their number of processors alone, those with two numbers at least."""
    series: dict[str, dict[int, str]] = {}
    for label in run.schedule.subjects:
        level = _LEVEL.search(label)
        if level is not None:
            series.setdefault(_LEVEL.sub("", label), {})[int(level[1])] = label
    return [ProcessorSeries(name, dict(sorted(labels.items()))) for name, labels in series.items() if len(labels) > 1]


def processor_sentences(run: Run, judgements: Sequence[Judgement], figures: Sequence[ForkFigure]) -> Iterator[str]:
    """For each primary cell how the subjects compare on the fewest and on the most processors, and by which law each one's
    throughput grows, where enough numbers of processors were measured."""
    series = processor_series(run)
    for cell in run.schedule.cells if series else ():
        if not cell.primary:
            continue
        last = series[-1]
        for other in series[:-1]:
            yield from _pair_sentence(run, cell, judgements, other, last)
        for each in series:
            yield from _law_sentence(each, cell, figures)


def _pair_sentence(
    run: Run, cell: Cell, judgements: Sequence[Judgement], a: ProcessorSeries, b: ProcessorSeries
) -> Iterator[str]:
    """A sentence such as "this is 1.2 times (1.1 to 1.3) as fast as that on 1 processor and 4.9 times (4.7 to 5.1) on 12"."""
    shown = {
        level: compared
        for level in sorted(a.labels.keys() & b.labels.keys())
        if (compared := _comparison_of(run, cell, judgements, a.labels[level], b.labels[level])) is not None
    }
    if len(shown) < 2:
        return
    levels = [min(shown), max(shown)]
    first = shown[levels[0]]
    by_throughput = first.measure.name == "throughput"
    of_other = f"as fast as {b.name}" if by_throughput else f"the {quantity_text(first)} of {b.name}"
    lower = "slower" if by_throughput else f"less {quantity_text(first)}"
    amounts = [
        f"{_amount(shown[levels[0]], of_other, lower, b.name)} on {plural(levels[0], 'processor')}",
        f"{_amount(shown[levels[1]], '', lower)} on {levels[1]}",
    ]
    verb = "is" if by_throughput else "has"
    where = f"on {cell.where}, {percent_text(first.confidence)} intervals"
    yield f"{a.name} {verb} {join_words(amounts)} ({where})."


def _comparison_of(run: Run, cell: Cell, judgements: Sequence[Judgement], a: str, b: str) -> Compared | None:
    """The comparison of two subjects by which the cell is judged; None where it has no ratio or its instrument is not valid."""
    for judgement in judgements:
        compared = judgement.compared
        if compared.primary and compared.cell.name == cell.name and {compared.a, compared.b} == {a, b}:
            ordered = compared if compared.a == a else compare(run, cell, compared.measure, a, b, primary=True)
            return None if judgement.broken or ordered.ratio is None else ordered
    return None


def _amount(compared: Compared, of_other: str, lower: str, other: str = "") -> str:
    """A ratio with its interval before `of_other`; below 0.1 how many times it is `lower` than `other`."""
    assert compared.ratio is not None
    ratio, bounds, after = compared.ratio, compared.bounds, of_other
    if is_turned(ratio):
        ratio, bounds = 1 / ratio, None if bounds is None else (1 / bounds[1], 1 / bounds[0])
        after = f"{lower} than {other}" if other else lower
    interval = "" if bounds is None else f" ({spoken_range(bounds, ratio)})"
    return f"{spoken_ratio(ratio, bounds)} times{interval} {after}".rstrip()


def _law_sentence(series: ProcessorSeries, cell: Cell, figures: Sequence[ForkFigure]) -> Iterator[str]:
    """The scalability law of a subject over its numbers of processors, a fit a fork; nothing under six of them."""
    by_fork: dict[int, dict[int, float]] = {}
    for level, label in series.labels.items():
        for figure in figures:
            if (figure.subject, figure.cell.name, figure.measure.name) != (label, cell.name, "throughput"):
                continue
            if figure.fork is not None and figure.value:
                by_fork.setdefault(figure.fork, {})[level] = figure.value
    whole = [levels for levels in by_fork.values() if len(levels) == len(series.labels)]
    if len(series.labels) < LEAST_LEVELS or not whole:
        return
    try:
        law = over_forks([fit(list(levels), list(levels.values())) for levels in whole])
    except InsufficientDataError:
        yield f"{series.name} follows no scalability law over its numbers of processors."
        return
    yield scalability_sentence(series.name, law, "processor")
