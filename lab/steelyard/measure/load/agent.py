"""The time of a load's requests by layer, inside a Java target that was started with the monitor's agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...analyse.layers import OTHER, mean_layer_times, slowest_requests
from ...base.text import plural, value_text
from ...models.outputs.loading import LoadedLayer, LoadedLayers
from ...models.service import AGENT_LAYERS, Layer
from ...results.layer_records import RecordFolder, read_agent_counts, read_records
from ...results.request_columns import RequestColumns

END_SECONDS = 30.0  # for a target after SIGTERM, until it has written its last records


def read(records: Path, named: Sequence[Layer], window: tuple[int, int], answered: int) -> LoadedLayers:
    """The time by layer of the requests that began within `window` (two instants in ns), for a target that has ended.

    `named` are the service's layers, if it has any; `answered` requests reached the target since its start. Raises StoreError.
    """
    recorded = read_records(records)
    begin_ns = recorded.requests.begin_ns
    within = recorded.requests.select((window[0] <= begin_ns) & (begin_ns <= window[1]))
    right = within.select(within.violations == 0)
    layers = _layers(named, right)
    slowest = slowest_requests(right, layers) if len(right) else None
    counts = read_agent_counts(records)
    return LoadedLayers(
        requests=len(right),
        violations=len(within) - len(right),
        lost=recorded.lost,
        layers=_layer_means(right, layers) if len(right) else [],
        slow=None
        if slowest is None
        else f"the slowest {1 - slowest[0]:.0%} take {value_text(slowest[1])} ms more than the mean, {slowest[3]:.0%} of it in "
        f"{slowest[2].title}",
        outside=dict(counts.outside),
        unwatched=counts.unwatched,
        why_not=list(_why_not(recorded, answered)),
    )


def _layers(named: Sequence[Layer], right: RequestColumns) -> list[Layer]:
    """The service's own layers, else the agent's; with `other` where the records hold further layers."""
    layers = list(named or AGENT_LAYERS)
    tags = set(right.tags)
    layers = [layer for layer in layers if tags.intersection(layer.tags)]
    return [*layers, OTHER] if tags - {tag for layer in layers for tag in layer.tags} else layers


def _layer_means(right: RequestColumns, layers: Sequence[Layer]) -> list[LoadedLayer]:
    means = mean_layer_times(right, layers)
    whole = sum(means.values())
    return [
        LoadedLayer(
            layer=layer.name,
            title=layer.title,
            ms=means[layer.name],
            percent=100 * means[layer.name] / whole if whole else 0.0,
        )
        for layer in layers
    ]


def _why_not(recorded: RecordFolder, answered: int) -> Iterator[str]:
    records = len(recorded.requests)
    if not records:
        yield "nothing was recorded: is it a Java servlet service, and does its log (target.log) mention the agent?"
    elif records < answered:
        yield f"{plural(records, 'request')} recorded where {answered:,} were answered"
    if records and not recorded.whole:
        yield "a process of the target was killed: records may be missing"
    if recorded.lost:
        yield f"{plural(recorded.lost, 'record')} could not be written"
