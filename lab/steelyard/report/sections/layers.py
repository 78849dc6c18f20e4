"""The flame of layers: where requests spend their time inside each server, and what makes the slow ones slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.layers import Breakdown, breakdowns, figures_of, recorded
from ...base.text import value_text
from ...models.verdict import LayerFigure, RecordCount
from ...store.stored_run import Run
from ..charts.layers import flame, in_time, legend
from ..drawing import Picture
from ..section import Section
from ..subjects import called, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where no layers were observed, or none recorded."""
    run = analysis.run
    found = breakdowns(run)
    if not found:
        return None
    whole = [one for one in found if one.kind is None]
    pictures = [
        flame(place, cell.name, _bars(run, [one for one in found if one.cell is cell]), found[0].layers)
        for place, cell in enumerate({one.cell.name: one.cell for one in found}.values())
    ]
    return {
        "legend": legend(found[0].layers),
        "flames": pictures,
        "slow": [slow.sentence for slow in analysis.verdicts.slow_layers],
        "in_time": present(_in_time(run, place, one) for place, one in enumerate(whole)),
        "differences": tuple(_differences(run, whole)),
        "recorded": tuple(
            (one.cell, called(run, one.subject), *(f"{count:,}" for count in _counts(one)))
            for one in analysis.verdicts.recorded
        ),
    }


def _counts(one: RecordCount) -> tuple[int, ...]:
    return one.records, one.completed, one.lost, one.violations + one.unnested


def _bars(run: Run, found: Sequence[Breakdown]) -> dict[str, Sequence[LayerFigure]]:
    """The figures of a cell by what the bar is called."""
    several = len(run.schedule.subjects) > 1
    return {
        f"{called(run, one.subject)}, {_kind(one)}" if several else _kind(one): list(figures_of(one)) for one in found
    }


def _kind(one: Breakdown) -> str:
    return one.kind.title if one.kind is not None else "all requests"


def _in_time(run: Run, place: int, breakdown: Breakdown) -> Picture | None:
    """Of the trial that holds the slowest request."""
    trials = list(recorded(run, breakdown.cell, breakdown.subject))
    trial, requests = max(trials, key=lambda item: max(one.total_ns for one in item[1]))
    logs = [log for where, log in trial.collectors.items() if where.rpartition(".")[0] == breakdown.subject]
    return in_time(place, breakdown, requests, logs)


def _differences(run: Run, whole: Sequence[Breakdown]) -> Iterator[tuple[str, ...]]:
    """Each layer of a subject against the reference in the same cell: both means, and whether they differ beyond the margins."""
    for one in whole:
        base = next((b for b in whole if b.cell is one.cell and b.subject == run.schedule.reference), None)
        if base is None or base is one:
            continue
        for layer in one.layers:
            mine, theirs = one.margins_of(layer), base.margins_of(layer)
            if not mine.by_level or not theirs.by_level:
                said = "one run: nothing can be said"
            else:
                said = "a difference" if mine.differs(theirs) else "within the margins"
            means = value_text(mine.mean), value_text(theirs.mean)
            yield one.cell.name, called(run, one.subject), layer.title, *means, said


SECTION = Section("layers", content)
