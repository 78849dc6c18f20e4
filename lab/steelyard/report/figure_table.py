"""The table of figures of a cell: a value with its interval for each subject and measure, and all ratios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..analyse.analysis import Analysis
from ..analyse.figures import ForkFigure
from ..analyse.instrument import ENGINE_SHARE, Level
from ..analyse.verdicts import Judgement
from ..base.text import alike_together, dash_interval, plural, ratio_text, value_text
from ..models.records import Cell
from ..plan.kinds import kind_of
from .subjects import full_label

SHOWN = (
    "throughput",
    "response_time_mean",
    "response_time_p50",
    "response_time_p90",
    "response_time_p99",
    "response_time_p99_9",
    "cpu_per_request",
    "memory",
)


@dataclass(frozen=True)
class Shown:
    """A table cell: its text, a smaller line below it, and a caveat."""

    text: str
    under: str = ""
    note: str = ""


@dataclass(frozen=True)
class OperationTable:
    """One cell's figures: a row of Shown for each subject, and each comparison in words."""

    name: str
    users: int
    primary: bool
    rows: tuple[tuple[str, tuple[Shown, ...]], ...]
    comparisons: tuple[tuple[str, ...], ...]


def measures_shown(analysis: Analysis) -> list[str]:
    """The measures in tables: the usual ones and the study's own. A study with tests has its own measures in addition to the
    means."""
    own = [entry.get("name") for entry in analysis.run.study.get("measures", []) if isinstance(entry, Mapping)]
    if not all(kind_of(cell).sliced for cell in analysis.run.schedule.cells):
        first, last = SHOWN[:2], [name for name in SHOWN[2:] if name != "response_time_p99_9"]
        return [name for name in (*first, *own, *last) if name in analysis.measures]
    return [name for name in (*SHOWN, *own) if name in analysis.measures]


def headings(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """The columns: each measure's short name and its unit."""
    return tuple((analysis.measures[name].short, analysis.measures[name].unit) for name in measures_shown(analysis))


def operation_of(analysis: Analysis, cell: Cell) -> OperationTable:
    """A cell's table: each subject's figures over all forks, one column per measure, and the comparisons with the reference."""
    whole = {
        (figure.subject, figure.measure.name): figure
        for figure in analysis.figures
        if figure.fork is None and figure.cell.name == cell.name
    }
    forks = Counter(
        (figure.subject, figure.measure.name)
        for figure in analysis.figures
        if figure.fork is not None and figure.cell.name == cell.name
    )
    names = measures_shown(analysis)
    busy = {
        finding.subject: f"engine {finding.reading}"
        for finding in analysis.findings
        if (finding.check, finding.cell, finding.level) == (ENGINE_SHARE, cell.name, Level.WARNING)
    }
    return OperationTable(
        name=cell.name,
        users=cell.users,
        primary=cell.primary,
        rows=tuple(
            (
                full_label(analysis.run, subject),
                tuple(
                    _shown_figure(whole[subject, name], busy.get(subject, ""), forks[subject, name]) for name in names
                ),
            )
            for subject in analysis.run.schedule.subjects_in(cell)
        ),
        comparisons=tuple(
            _comparison(judgement)
            for judgement in analysis.judgements
            if judgement.compared.cell.name == cell.name and judgement.compared.measure.name in names
        ),
    )


def _shown_figure(figure: ForkFigure, busy: str, forks: int) -> Shown:
    """`busy`: the engine came near its limit, which is noted at the affected measure; `forks` is the number of forks."""
    if figure.value is None:
        return Shown("-", note=figure.refusal or "")
    bounds = figure.bounds
    note = busy if figure.measure.name == "throughput" else ""
    if bounds is None and forks > 1:
        note = (
            "no interval: it is 0 in some forks"
            if figure.forks == forks
            else f"no interval: only {figure.forks or 'none'} of {plural(forks, 'fork')} has enough requests for it"
        ).replace("only none", "none")
    return Shown(value_text(figure.value), under=dash_interval(bounds), note=note)


def word_of(judgement: Judgement) -> str:
    """The word of the verdict, or that there is none. `secondary` measures are not judged."""
    return judgement.text or ("secondary" if not judgement.compared.primary else "no verdict")


def _comparison(judgement: Judgement) -> tuple[str, ...]:
    """Subjects, measure, ratio, interval, basis, and the verdict or why there is none."""
    compared = judgement.compared
    word = word_of(judgement)
    if compared.ratio is None:
        why = "; ".join(alike_together((*judgement.broken, *judgement.reasons))) or "nothing to compare"
        return f"{compared.a} / {compared.b}", compared.measure.title, "-", "", "", why
    bounds = compared.bounds
    interval = "" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds)
    return (
        f"{compared.a} / {compared.b}",
        compared.measure.title,
        ratio_text(compared.ratio, bounds),
        interval,
        compared.size,
        word,
    )
