"""The times of events in the answers of a load: to the first one, and between one and the next."""

from __future__ import annotations

from pathlib import Path

from ...base import histogram
from ...base.histogram import Histogram
from ...models.outputs.loading import LoadedStream
from ...results.tables import SliceRow, read_histograms
from ...workload.load_target import LoadTarget
from .session_figures import times_in_ms


def stream_figures(load_target: LoadTarget, row: SliceRow, folder: Path) -> list[LoadedStream]:
    """The operations of a load whose answers hold events, within the measured time of the slice `row`."""
    streams = [name for name, operation in load_target.operations.items() if operation.events is not None]
    if not streams:
        return []
    logged = read_histograms(folder / "intervals.hlog", True)

    def times(name: str, kind: str) -> Histogram:
        own = (encoded for tag, encoded in logged.get((row.slice, kind), []) if tag.rsplit("/", 3)[2] == name)
        return histogram.merge_histograms(histogram.decode(encoded) for encoded in own)

    figures = []
    for name in streams:
        first, between = times(name, "first_event"), times(name, "between_events")
        if first.total or between.total:
            figures.append(
                LoadedStream(
                    operation=name,
                    answers=first.total,
                    events=first.total + between.total,
                    first_event_ms=times_in_ms(first),
                    between_events_ms=times_in_ms(between),
                )
            )
    return figures
