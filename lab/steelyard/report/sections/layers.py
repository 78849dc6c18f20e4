"""Where requests spend their time inside each server, and what makes slow requests slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.layer_split import split
from ...analyse.layers import Breakdown, breakdowns, counted_request_records
from ...base.text import value_text
from ...models.outputs.run import LayerSplit
from ...models.service import Layer
from ...models.verdict import LayerFigure, RecordCount
from ...results.stored_run import Run
from ..charts.layers import flame, legend, request_timeline
from ..charts.waterfall import waterfall
from ..drawing import Picture
from ..section import Section
from ..subjects import full_label, present

# A run of many variations would be a page of megabytes.
MOST_IN_TIME = 4  # pictures of single requests
MOST_SPLITS = 6  # pictures of a difference by layer


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
        "in_time": present(_in_time(run, place, each) for place, each in enumerate(_first_ones(run, whole))),
        "not_in_time": max(0, len(whole) - MOST_IN_TIME),
        "splits": [
            (" ".join(parted.sentences), parted.notes, picture)
            for parted, picture in _split_pictures(list(_splits(analysis)), observed[0].layers)
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
            breakdown.figures
        )
        for breakdown in breakdowns_of_cell
    }


def _over_tests(run: Run, whole: Sequence[Breakdown], first: int) -> Iterator[Picture]:
    """For each subject with several tests, all of them in one picture: its layers by users or message size."""
    for place, subject in enumerate(run.schedule.subjects, first):
        bars = {each.cell.name: list(each.figures) for each in whole if each.subject == subject}
        if len(bars) > 1:
            yield flame(place, f"{full_label(run, subject)}, test by test", bars, whole[0].layers)


def _first_ones(run: Run, whole: Sequence[Breakdown]) -> Sequence[Breakdown]:
    """The breakdowns with a picture of single requests: all, or of many the reference's first."""
    if len(whole) <= MOST_IN_TIME:
        return whole
    return sorted(whole, key=lambda each: each.subject != run.schedule.reference)[:MOST_IN_TIME]


def _split_pictures(
    splits: Sequence[LayerSplit], layers: Sequence[Layer]
) -> Iterator[tuple[LayerSplit, Picture | None]]:
    """Each split with its picture; of many only the first ones in which a difference was detected."""
    detected = [parted for parted in splits if any(part.told_apart for part in parted.parts)]
    drawn = splits if len(splits) <= MOST_SPLITS else detected[:MOST_SPLITS]
    for place, parted in enumerate(splits):
        shown = any(parted is each for each in drawn)
        yield parted, waterfall(f"split-{place}", parted, layers) if shown else None


def _kind(breakdown: Breakdown) -> str:
    return breakdown.kind.title if breakdown.kind is not None else "all requests"


def _in_time(run: Run, place: int, breakdown: Breakdown) -> Picture | None:
    """The chart of the trial with the slowest request."""
    trials = list(counted_request_records(run, breakdown.cell, breakdown.subject))
    trial, requests = max(trials, key=lambda item: int(item[1].total_ns.max()))
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
