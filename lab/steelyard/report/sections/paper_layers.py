"""The layers and measures that the study's paper printed, each beside that of this run: shares can be compared, times cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...base.text import value_text
from ...catalogue.published_layers import (
    LAYERS,
    MEASURES,
    PublishedLayer,
    PublishedMeasure,
    read_published_layers,
    read_published_measures,
)
from ...models.verdict import LayerFigure
from ..section import Section
from ..subjects import called

NONE = "-"


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where the paper printed none, or nothing of it was run."""
    run = analysis.run
    ran = {cell.name for cell in run.schedule.cells}
    layers = [one for one in read_published_layers(run.folder / LAYERS) if one.test in ran]
    measures = [one for one in read_published_measures(run.folder / MEASURES) if one.test in ran]
    if not layers and not measures:
        return None
    subjects = run.schedule.subjects
    return {
        "subjects": tuple(called(run, one) for one in subjects),
        "layers": tuple(_layer_rows(analysis, layers, subjects)),
        "measures": tuple(_measure_rows(analysis, measures, subjects)),
    }


def _layer_rows(
    analysis: Analysis, printed: Sequence[PublishedLayer], subjects: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    verdicts, schedule = analysis.verdicts, analysis.run.schedule
    found = {(one.subject, one.cell, one.kind, one.layer): one for one in (*verdicts.layers, *verdicts.layers_by_kind)}
    layers = {one.name: one.title for one in schedule.layers}
    kinds = {"": "all requests", **{one.name: one.title for one in schedule.request_kinds}}
    for one in printed:
        ours = (_share(found.get((subject, one.test, one.kind, one.layer))) for subject in subjects)
        named = (one.table, one.test, kinds.get(one.kind, one.kind), layers.get(one.layer, one.layer))
        yield (*named, one.ms or NONE, one.percent, *(cell for pair in ours for cell in pair))


def _share(figure: LayerFigure | None) -> tuple[str, str]:
    """A subject's ms and percent in a layer."""
    return (NONE, NONE) if figure is None else (value_text(figure.ms), f"{figure.percent:.2f}")


def _measure_rows(
    analysis: Analysis, printed: Sequence[PublishedMeasure], subjects: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    figures = {(one.subject, one.cell, one.measure): one for one in analysis.verdicts.figures}
    for one in printed:
        ours = [figures.get((subject, one.test, one.measure)) for subject in subjects]
        title = next((figure.title for figure in ours if figure is not None), one.measure)
        values = (NONE if figure is None or figure.value is None else value_text(figure.value) for figure in ours)
        yield one.table, one.test, title, one.value, *values


SECTION = Section("paper_layers", content)
