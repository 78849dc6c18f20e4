"""Any two subjects, chosen by the reader: their figures, and their comparison if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...analyse.figures import ForkFigure
from ...analyse.verdicts import Judgement, ranks
from ...base.text import range_text, value_text
from ...models.records import Cell
from ..figure_table import measures_shown, word_of
from ..script import data_block
from ..section import Section
from ..subjects import cell_word, cells, full_label

DATA = "any-two-data"
_LEAST = 3  # subjects; two are side by side everywhere on the page


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a run with fewer than three subjects."""
    if len(analysis.run.schedule.subjects) < _LEAST:
        return None
    return {"data": data_block(DATA, data(analysis)), "tested": bool(tests_in_order(analysis.run))}


def data(analysis: Analysis) -> Mapping[str, object]:
    """The data of the script.

    The word for a cell; subjects by place; and each measure in a cell with the subjects' own values and the stored comparisons,
    [subject, subject, ratio, low, high, word] each, with null bounds where there is no interval.
    """
    run = analysis.run
    subjects = run.schedule.subjects
    first, second = _first_pair(analysis)
    return {
        "subjects": [full_label(run, label) for label in subjects],
        "cell": cell_word(run),
        "first": subjects.index(first),
        "second": subjects.index(second),
        "measures": [
            measure
            for cell in cells(run)
            for name in measures_shown(analysis)
            if (measure := _measure_row(analysis, cell, name))
        ],
    }


def _first_pair(analysis: Analysis) -> tuple[str, str]:
    """The initial two: the best two without floors, because the page compares all with the reference."""
    run = analysis.run
    best = [place.subject for place in ranks(run, analysis.judgements)]
    rest = [label for label in run.schedule.subjects if label not in best]
    rest.sort(key=lambda label: label in run.floors)
    first, second, *_ = [*best, *rest]
    return first, second


def _measure_row(analysis: Analysis, cell: Cell, name: str) -> Mapping[str, object] | None:
    """A measure in a cell; None where no subject has a value."""
    whole = {
        figure.subject: figure
        for figure in analysis.figures
        if figure.fork is None and (figure.cell.name, figure.measure.name) == (cell.name, name)
    }
    if all(figure.value is None for figure in whole.values()):
        return None
    measure = analysis.measures[name]
    return {
        "title": f"{measure.title}, {measure.unit}" if measure.unit else measure.title,
        "cell": cell.name,
        "values": [_value(whole.get(label)) for label in analysis.run.schedule.subjects],
        "ratios": list(_ratios(analysis, cell, name)),
    }


def _value(figure: ForkFigure | None) -> Mapping[str, object]:
    if figure is None or figure.value is None:
        return {"value": None, "text": "-", "interval": ""}
    bounds = figure.bounds
    return {"value": figure.value, "text": value_text(figure.value), "interval": range_text(bounds)}


def _ratios(analysis: Analysis, cell: Cell, name: str) -> Iterator[list[object]]:
    place = {label: number for number, label in enumerate(analysis.run.schedule.subjects)}
    for judgement in analysis.judgements:
        compared = judgement.compared
        if compared.ratio is not None and (compared.cell.name, compared.measure.name) == (cell.name, name):
            bounds = (None, None) if compared.interval is None else (compared.interval.low, compared.interval.high)
            yield [place[compared.a], place[compared.b], compared.ratio, *bounds, _word(judgement)]


def _word(judgement: Judgement) -> str:
    return "not judged (secondary)" if word_of(judgement) == "secondary" else word_of(judgement)


SECTION = Section("any_two", content)
