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
    layers = [printed for printed in read_published_layers(run.folder / LAYERS) if printed.test in ran]
    measures = [printed for printed in read_published_measures(run.folder / MEASURES) if printed.test in ran]
    if not layers and not measures:
        return None
    subjects = run.schedule.subjects
    return {
        "subjects": tuple(called(run, subject) for subject in subjects),
        "layers": tuple(_layer_rows(analysis, layers, subjects)),
        "measures": tuple(_measure_rows(analysis, measures, subjects)),
    }


def _layer_rows(
    analysis: Analysis, printed: Sequence[PublishedLayer], subjects: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    verdicts, schedule = analysis.verdicts, analysis.run.schedule
    figures = {
        (figure.subject, figure.cell, figure.kind, figure.layer): figure
        for figure in (*verdicts.layers, *verdicts.layers_by_kind)
    }
    layers = {layer.name: layer.title for layer in schedule.layers}
    kinds = {"": "all requests", **{kind.name: kind.title for kind in schedule.request_kinds}}
    for published in printed:
        ours = (_share(figures.get((subject, published.test, published.kind, published.layer))) for subject in subjects)
        named = (
            published.table,
            published.test,
            kinds.get(published.kind, published.kind),
            layers.get(published.layer, published.layer),
        )
        yield (*named, published.ms or NONE, published.percent, *(cell for pair in ours for cell in pair))


def _share(figure: LayerFigure | None) -> tuple[str, str]:
    """A subject's ms and percent in a layer."""
    return (NONE, NONE) if figure is None else (value_text(figure.ms), f"{figure.percent:.2f}")


def _measure_rows(
    analysis: Analysis, printed: Sequence[PublishedMeasure], subjects: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    figures = {(figure.subject, figure.cell, figure.measure): figure for figure in analysis.verdicts.figures}
    for published in printed:
        ours = [figures.get((subject, published.test, published.measure)) for subject in subjects]
        title = next((figure.title for figure in ours if figure is not None), published.measure)
        values = (NONE if figure is None or figure.value is None else value_text(figure.value) for figure in ours)
        yield published.table, published.test, title, published.value, *values


SECTION = Section("paper_layers", content)
