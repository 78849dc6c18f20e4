"""The paper's printed layers and measures beside those of this run: shares can be compared, times cannot."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...analyse.analysis import Analysis
from ...base.text import plural, value_text
from ...catalogue.published_layers import (
    LAYERS,
    MEASURES,
    PublishedLayer,
    PublishedMeasure,
    read_published_layers,
    read_published_measures,
)
from ...models.verdict import Figure, LayerFigure
from ...results.stored_run import Run
from ..charts.layers import colours, legend
from ..charts.shares import SharePart, shares
from ..drawing import Picture
from ..section import Section
from ..subjects import full_label

NONE = "-"
SHARE = "%"  # the unit of figures that mean the same on any machine


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the paper printed none, or none of its tests was run."""
    run = analysis.run
    layers, measures = read_published_layers(run.folder / LAYERS), read_published_measures(run.folder / MEASURES)
    under = Under.of(run, {*(row.factors for row in layers), *(row.factors for row in measures)})
    layers, measures = tuple(filter(under.has_figures, layers)), tuple(filter(under.has_figures, measures))
    if not layers and not measures:
        return None
    tables = list(_tables(analysis, layers, under))
    return {
        "subjects": tuple(full_label(run, base) if base in run.schedule.subjects else base for base in under.bases),
        "legend": legend(run.schedule.layers),
        "largest": tuple(_largest(run, tables)),
        "charts": tuple(_charts(run, tables)),
        "layers": tuple(_layer_rows(analysis, layers, under)),
        "measures": tuple(_measure_rows(analysis, measures, under)),
    }


@dataclass(frozen=True)
class Under:
    """The subjects of a run by the set of factors of a printed row; `bases` are their labels without such a set."""

    run: Run
    bases: tuple[str, ...]

    @classmethod
    def of(cls, run: Run, printed: Collection[str]) -> Under:
        """Only sets with printed figures; other sets are part of the label, as any factor."""
        parted = (label.rpartition("@") for label in run.schedule.subjects)
        bases = dict.fromkeys(base if base and last in printed else f"{base}{at}{last}" for base, at, last in parted)
        return cls(run, tuple(bases))

    def subjects(self, factors: str) -> tuple[str, ...]:
        """A label for each base, whether or not it was run."""
        return tuple(f"{base}@{factors}" if factors else base for base in self.bases)

    def has_figures(self, printed: PublishedLayer | PublishedMeasure) -> bool:
        """Whether the run has figures for a printed row."""
        schedule = self.run.schedule
        tests = {cell.name for cell in schedule.cells}
        return printed.test in tests and not {*schedule.subjects}.isdisjoint(self.subjects(printed.factors))


def _test(printed: PublishedLayer | PublishedMeasure) -> str:
    return f"{printed.test}, {printed.factors}" if printed.factors else printed.test


@dataclass(frozen=True)
class _Beside:
    """One breakdown of a table: the percent of each layer by name, as printed, and here by subject."""

    table: str
    name: str
    paper: Mapping[str, float]
    here: Mapping[str, Mapping[str, float]]


def _tables(analysis: Analysis, printed: Sequence[PublishedLayer], under: Under) -> Iterator[_Beside]:
    """The printed tables with figures of this run, in printed order."""
    verdicts, schedule = analysis.verdicts, analysis.run.schedule
    loads = {cell.name: cell.name if cell.payload else plural(cell.users, "user") for cell in schedule.cells}
    kinds = {kind.name: kind.title for kind in schedule.request_kinds}
    for (table, test, factors, kind), rows in groupby(
        printed, lambda row: (row.table, row.test, row.factors, row.kind)
    ):
        subjects = under.subjects(factors)
        here: dict[str, dict[str, float]] = {}
        for figure in (*verdicts.layers, *verdicts.layers_by_kind):
            if (figure.cell, figure.kind) == (test, kind) and figure.subject in subjects:
                here.setdefault(figure.subject, {})[figure.layer] = figure.percent
        if here:
            name = kinds.get(kind, kind) if kind else factors or loads[test]
            yield _Beside(table, name, {row.layer: float(row.percent) for row in rows}, here)


def _largest(run: Run, tables: Sequence[_Beside]) -> Iterator[str]:
    """The largest layer of each breakdown, in the paper and by subject, and whether it is the same."""
    titles = {layer.name: layer.title for layer in run.schedule.layers}
    for beside in tables:
        theirs = max(beside.paper, key=lambda layer: beside.paper[layer])
        ours = {subject: max(shares, key=lambda layer: shares[layer]) for subject, shares in beside.here.items()}
        measured_text = ", ".join(
            f"{titles[layer]} with {value_text(beside.here[subject][layer])}% on {full_label(run, subject)}"
            for subject, layer in ours.items()
        )
        same = {layer == theirs for layer in ours.values()}
        word = "the same" if same == {True} else "another" if same == {False} else "not the same for all"
        printed = f"{titles.get(theirs, theirs)} with {value_text(beside.paper[theirs])}%"
        yield f"Table {beside.table}, {beside.name}: {printed} in the paper; here {measured_text}: {word}."


def _charts(run: Run, tables: Sequence[_Beside]) -> Iterator[Picture]:
    """One chart per table, with the paper's bar above ours in each breakdown."""
    layers = run.schedule.layers
    parts = [
        SharePart(layer.name, title, colour) for layer, (title, colour) in zip(layers, colours(layers), strict=True)
    ]
    for place, (table, besides) in enumerate(groupby(tables, lambda beside: beside.table)):
        bars: dict[str, Mapping[str, float]] = {}
        for beside in besides:
            bars[f"{beside.name}, paper"] = beside.paper
            bars |= {
                f"{beside.name}, {full_label(run, subject)}": percents for subject, percents in beside.here.items()
            }
        yield shares(f"shares-{place}", f"Table {table}, and this run", ("a request", "breakdown"), bars, parts)


def _layer_rows(analysis: Analysis, printed: Sequence[PublishedLayer], under: Under) -> Iterator[tuple[str, ...]]:
    verdicts, schedule = analysis.verdicts, analysis.run.schedule
    figures = {
        (figure.subject, figure.cell, figure.kind, figure.layer): figure
        for figure in (*verdicts.layers, *verdicts.layers_by_kind)
    }
    layers = {layer.name: layer.title for layer in schedule.layers}
    kinds = {"": "all requests", **{kind.name: kind.title for kind in schedule.request_kinds}}
    for published in printed:
        subjects = under.subjects(published.factors)
        ours = (_share(figures.get((subject, published.test, published.kind, published.layer))) for subject in subjects)
        named = (
            published.table,
            _test(published),
            kinds.get(published.kind, published.kind),
            layers.get(published.layer, published.layer),
        )
        yield (*named, published.ms or NONE, published.percent, *(cell for pair in ours for cell in pair))


def _share(figure: LayerFigure | None) -> tuple[str, str]:
    """A subject's ms and percent in a layer."""
    return (NONE, NONE) if figure is None else (value_text(figure.ms), f"{figure.percent:.2f}")


def _measure_rows(analysis: Analysis, printed: Sequence[PublishedMeasure], under: Under) -> Iterator[tuple[str, ...]]:
    figures = {(figure.subject, figure.cell, figure.measure): figure for figure in analysis.verdicts.figures}
    for published in printed:
        subjects = under.subjects(published.factors)
        ours = [figures.get((subject, published.test, published.measure)) for subject in subjects]
        known = next((figure for figure in ours if figure is not None), None)
        title = f"{known.title}, {known.unit}" if known is not None else published.measure
        cells = (cell for figure in ours for cell in figure_beside_printed(figure, float(published.value)))
        yield published.table, _test(published), title, published.value, *cells


def figure_beside_printed(figure: Figure | None, printed: float) -> tuple[str, str]:
    """A figure with its interval, and the position of the printed value: only shares can be compared."""
    if figure is None or figure.value is None:
        return NONE, NONE
    if figure.interval is None:
        # Zeros have no interval, but are a count all the same.
        same = figure.unit == SHARE and figure.value == printed == 0
        return value_text(figure.value), "the same" if same else NONE
    low, high = figure.interval
    shown = f"{value_text(figure.value)} ({value_text(low)} to {value_text(high)})"
    if figure.unit != SHARE:
        return shown, "not to be compared"
    return shown, "below" if printed < low else "above" if printed > high else "within"


SECTION = Section("paper_layers", content)
