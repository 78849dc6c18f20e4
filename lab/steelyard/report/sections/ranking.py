"""Places by each judged operation, and what each server takes: memory, time to start, size and build time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from ...analyse.analysis import Analysis
from ...analyse.figures import ForkFigure
from ...analyse.ratios import Compared
from ...analyse.sentences import place_text
from ...analyse.verdicts import Ranked, ranked_subjects
from ...base.text import dash_interval, lower_first, plural, ratio_text, value_text
from ...models.records import Cell
from ...statistics.interval import student_interval
from ..charts.scatter import scatter_chart
from ..section import Section
from ..subjects import full_label, present

_OF_STARTS = ("time_to_first_answer", "time_until_steady", "memory_at_rest")
_OF_LOAD = ("memory", "throughput", "requests_per_core", "requests_per_gib")
_CPU, _ALLOCATED = "cpu_per_request", "allocated_per_request"
_SIZE, _STEADY, _TAIL = "artifact_size", "time_until_steady", "response_time_p99"


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a study that does not measure starts, and for one subject."""
    run = analysis.run
    if "time_to_first_answer" not in analysis.measures or len(run.schedule.subjects) < 2 or not analysis.figures:
        return None
    judged = [cell for cell in run.schedule.cells if cell.primary]
    closed = next((cell for cell in run.schedule.cells if cell.profile.kind == "big-bang"), judged[0])
    half = next((cell for cell in run.schedule.cells if cell.share), None)
    columns = list(_columns(analysis, judged[0], closed, half))
    order = _by_mean_ratio(analysis, judged)
    return {
        "measure": lower_first(analysis.measures[judged[0].primary_measure].title),
        "reference": run.schedule.reference,
        "place_headings": [
            "server",
            *(f"{column}, {cell.operation}" for cell in judged for column in ("place", "ratio")),
        ],
        "places": _place_rows(analysis, judged, order),
        "headings": ["server", *(heading for heading, _ in columns), "build, s"],
        "figures": [
            (
                full_label(run, label),
                *(_amount(analysis, figures, label) for _, figures in columns),
                _build(analysis, label),
            )
            for label in order
        ],
        "closed": closed.where,
        "judged": judged[0].where,
        "half": half.where if half is not None else "",
        "pictures": present(
            scatter_chart(
                f"scatter-{measure}",
                _by_subject(analysis, measure, cell),
                _by_subject(analysis, "throughput", closed),
                run.schedule.subjects,
                {label: full_label(run, label) for label in run.schedule.subjects},
            )
            for measure, cell in (("memory", closed), ("time_to_first_answer", closed))
        ),
    }


def _columns(
    analysis: Analysis, judged: Cell, closed: Cell, half: Cell | None
) -> Iterator[tuple[str, Mapping[str, ForkFigure]]]:
    """Heading and figures of each measure of the table, in order."""
    wanted = [*((name, judged) for name in _OF_STARTS), *((name, closed) for name in _OF_LOAD)]
    wanted += [(_CPU, judged), (_ALLOCATED, judged), *([(_TAIL, half)] if half is not None else []), (_SIZE, judged)]
    for name, cell in wanted:
        figures = _by_subject(analysis, name, cell)
        if any(figure.value is not None for figure in figures.values()) or name == _STEADY:
            measure = analysis.measures[name]
            yield f"{lower_first(measure.short) if name != _TAIL else measure.short}, {measure.unit}", figures


def _by_subject(analysis: Analysis, name: str, cell: Cell) -> dict[str, ForkFigure]:
    """Each subject's figure over all forks; of a start in any other cell too, where this one has none."""
    whole = [figure for figure in analysis.figures if figure.fork is None and figure.measure.name == name]
    whole.sort(key=lambda figure: (figure.cell.name != cell.name, figure.value is None))
    own = [figure for figure in whole if figure.cell.name == cell.name or figure.measure.data.source == "starts"]
    by_subject: dict[str, ForkFigure] = {}
    for figure in own:
        if figure.subject not in by_subject or by_subject[figure.subject].value is None:
            by_subject[figure.subject] = figure
    return by_subject


def _amount(analysis: Analysis, figures: Mapping[str, ForkFigure], label: str) -> str:
    """A figure with its interval; what is known where there is no figure."""
    figure = figures.get(label)
    if figure is None:
        return "-"
    if figure.value is None:
        return _unsteady(analysis, label) if figure.measure.name == _STEADY else "-"
    low, high = map(value_text, figure.bounds or (figure.value, figure.value))
    value = value_text(figure.value)
    return value if low == high else f"{value} ({low}\u2013{high})"


def _unsteady(analysis: Analysis, label: str) -> str:
    """In how many fresh starts a subject was not steady in some operation when its warm-up ended."""
    starts = [
        [each.met for each in trial.record_or_empty.steady if each.subject == label] for trial in analysis.run.trials
    ]
    warmed = [met for met in starts if met]
    return f"not in {sum(not all(met) for met in warmed)} of {plural(len(warmed), 'start')}" if warmed else "-"


def _build(analysis: Analysis, label: str) -> str:
    """The build time of a subject on this machine: the mean of its builds, with an interval for two or more."""
    times = [
        subject.build_seconds
        for trial in analysis.run.trials
        for subject in trial.record_or_empty.subjects
        if subject.label == label and subject.build_seconds
    ]
    if not times:
        return "-"
    seconds = times[-1]
    if len(seconds) < 2:
        return f"{value_text(seconds[0])} (one build)"
    interval = student_interval([math.log(each) for each in seconds]).exp()
    return f"{value_text(fmean(seconds))} ({dash_interval((interval.low, interval.high))})"


def _comparisons(analysis: Analysis, cell: Cell) -> dict[str, Compared]:
    """The judged comparisons of a cell with the reference, by subject."""
    return {
        judgement.compared.a: judgement.compared
        for judgement in analysis.judgements
        if judgement.compared.primary
        and judgement.compared.cell.name == cell.name
        and judgement.compared.b == analysis.run.schedule.reference
    }


def _by_mean_ratio(analysis: Analysis, judged: Sequence[Cell]) -> list[str]:
    """The subjects by the geometric mean of their ratios over the judged cells, best first; those without a ratio last."""
    logs: dict[str, list[float]] = {label: [] for label in analysis.run.schedule.subjects}
    for cell in judged:
        for label, compared in _comparisons(analysis, cell).items():
            if compared.ratio is not None:
                logs[label].append(math.log(compared.ratio))
    sign = -1 if analysis.measures[judged[0].primary_measure].data.better == "higher" else 1
    reference = analysis.run.schedule.reference

    def key(label: str) -> tuple[bool, float]:
        return not logs[label] and label != reference, sign * fmean(logs[label]) if logs[label] else 0.0

    return sorted(analysis.run.schedule.subjects, key=key)


def _place_rows(analysis: Analysis, judged: Sequence[Cell], order: Sequence[str]) -> list[tuple[str, ...]]:
    """A row for each subject: for each judged cell its place, and its ratio with the interval."""
    columns: list[tuple[dict[str, Ranked], dict[str, Compared]]] = []
    for cell in judged:
        of_cell = [
            each for each in analysis.judgements if each.compared.cell.name == cell.name and each.compared.primary
        ]
        places = {place.subject: place for place in ranked_subjects(analysis.run, of_cell)}
        columns.append((places, _comparisons(analysis, cell)))
    return [
        (
            full_label(analysis.run, label),
            *(
                text
                for places, compared in columns
                for text in _place(label, places, compared, analysis.run.schedule.reference)
            ),
        )
        for label in order
    ]


def _place(
    label: str, places: Mapping[str, Ranked], compared: Mapping[str, Compared], reference: str
) -> tuple[str, str]:
    place = place_text(places[label]) if label in places else "-"
    if label == reference:
        return place, "1"
    ratio = compared[label].ratio if label in compared else None
    if ratio is None:
        return place, "-"
    bounds = compared[label].bounds
    interval = "" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds)
    return place, f"{ratio_text(ratio, bounds)} ({interval})" if interval else ratio_text(ratio, bounds)


SECTION = Section("ranking", content)
