"""Where requests spend their time inside each server, and what makes slow requests slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.layer_split import split
from ...analyse.layers import Breakdown, breakdowns, counted_request_records, figures_of
from ...base.text import value_text
from ...models.outputs.run import LayerSplit
from ...models.verdict import LayerFigure, RecordCount
from ...results.stored_run import Run
from ..charts.layers import flame, legend, request_timeline
from ..charts.waterfall import waterfall
from ..drawing import Picture
from ..section import Section
from ..subjects import full_label, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no layers were observed or recorded."""
    run = analysis.run
    observed = breakdowns(run)
    if not observed:
        return None
    whole = [breakdown for breakdown in observed if breakdown.kind is None]
    pictures = [
        flame(
            place,
            cell.name,
            _bars(run, [breakdown for breakdown in observed if breakdown.cell is cell]),
            observed[0].layers,
        )
        for place, cell in enumerate({breakdown.cell.name: breakdown.cell for breakdown in observed}.values())
    ]
    return {
        "legend": legend(observed[0].layers),
        "flames": [*pictures, *_over_tests(run, whole, len(pictures))],
        "slow": [slow.sentence for slow in analysis.verdicts.slow_layers],
        "in_time": present(_in_time(run, place, breakdown) for place, breakdown in enumerate(whole)),
        "splits": [
            (" ".join(parted.sentences), parted.notes, waterfall(f"split-{place}", parted, observed[0].layers))
            for place, parted in enumerate(_splits(analysis))
        ],
        "differences": tuple(_differences(run, whole)),
        "recorded": tuple(
            (
                record_count.cell,
                full_label(run, record_count.subject),
                *(f"{count:,}" for count in _counts(record_count)),
            )
            for record_count in analysis.verdicts.recorded
        ),
    }


def _counts(record_count: RecordCount) -> tuple[int, ...]:
    return (
        record_count.records,
        record_count.completed,
        record_count.lost,
        record_count.violations + record_count.unnested,
    )


def _bars(run: Run, breakdowns_of_cell: Sequence[Breakdown]) -> dict[str, Sequence[LayerFigure]]:
    """The figures of a cell by the label of the bar."""
    several = len(run.schedule.subjects) > 1
    return {
        f"{full_label(run, breakdown.subject)}, {_kind(breakdown)}" if several else _kind(breakdown): list(
            figures_of(breakdown)
        )
        for breakdown in breakdowns_of_cell
    }


def _over_tests(run: Run, whole: Sequence[Breakdown], first: int) -> Iterator[Picture]:
    """For each subject with several tests, all of them in one picture: its layers by users or message size."""
    for place, subject in enumerate(run.schedule.subjects, first):
        bars = {each.cell.name: list(figures_of(each)) for each in whole if each.subject == subject}
        if len(bars) > 1:
            yield flame(place, f"{full_label(run, subject)}, test by test", bars, whole[0].layers)


def _kind(breakdown: Breakdown) -> str:
    return breakdown.kind.title if breakdown.kind is not None else "all requests"


def _in_time(run: Run, place: int, breakdown: Breakdown) -> Picture | None:
    """The chart of the trial with the slowest request."""
    trials = list(counted_request_records(run, breakdown.cell, breakdown.subject))
    trial, requests = max(trials, key=lambda item: max(request.total_ns for request in item[1]))
    logs = [log for process, log in trial.collectors.items() if process.rpartition(".")[0] == breakdown.subject]
    return request_timeline(place, breakdown, requests, logs)


def _splits(analysis: Analysis) -> Iterator[LayerSplit]:
    """Each judged comparison with the reference, split by layer, if both subjects have records."""
    run = analysis.run
    for judgement in analysis.judgements:
        compared = judgement.compared
        if compared.primary and compared.b == run.schedule.reference:
            parted = split(run, compared.cell, compared.a, compared.b, analysis.findings)
            if parted is not None:
                yield parted


def _differences(run: Run, whole: Sequence[Breakdown]) -> Iterator[tuple[str, ...]]:
    """Each layer of a subject against the reference in the same cell: both means, and whether they differ beyond the margins."""
    for breakdown in whole:
        base = next((b for b in whole if b.cell is breakdown.cell and b.subject == run.schedule.reference), None)
        if base is None or base is breakdown:
            continue
        for layer in breakdown.layers:
            mine, theirs = breakdown.margins_of(layer), base.margins_of(layer)
            if not mine.by_level or not theirs.by_level:
                result = "one run: not judged"
            else:
                result = "a difference" if mine.differs(theirs) else "within the margins"
            means = value_text(mine.mean), value_text(theirs.mean)
            yield breakdown.cell.name, full_label(run, breakdown.subject), layer.title, *means, result


SECTION = Section("layers", content)
