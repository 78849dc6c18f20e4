"""Where requests spend their time inside a server, by layer and kind of request, and which layer makes slow requests slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean

from ..base.text import value_text
from ..models.records import Cell
from ..models.service import Layer, RequestKind
from ..models.verdict import LayerFigure, SlowLayer
from ..plan.kinds import unbroken
from ..results.layer_records import RequestRecord
from ..results.stored_run import Run, Trial
from ..statistics.checks import least_requests
from ..statistics.interval import CONFIDENCE
from ..statistics.margins import Margins, margins, spread
from .pairing import counted_slices

OTHER = Layer.model_construct(name="other", title="Other", tags=[])  # timed by a monitor, but in no named layer
_SLOW = (0.99, 0.95, 0.90)


@dataclass(frozen=True)
class Breakdown:
    """A subject's requests of one kind in a cell (`kind` None: all), with the mean of each trial by layer, in ms."""

    subject: str
    cell: Cell
    kind: RequestKind | None
    requests: tuple[RequestRecord, ...]
    layers: tuple[Layer, ...]
    by_trial: tuple[Mapping[str, float], ...]

    def margins_of(self, layer: Layer) -> Margins:
        """The layer's mean ms per request over trials, with its margins of error."""
        return margins([means[layer.name] for means in self.by_trial])

    @cached_property
    def figures(self) -> tuple[LayerFigure, ...]:
        """One row per layer; the shares add up to 100 percent."""
        return tuple(self._figures())

    def _figures(self) -> Iterator[LayerFigure]:
        named = frozenset(tag for layer in self.layers for tag in layer.tags)
        margins = {layer.name: self.margins_of(layer) for layer in self.layers}
        whole = sum(margin_of_layer.mean for margin_of_layer in margins.values())
        for layer in self.layers:
            mine = margins[layer.name]
            shape = spread([self_ms(request, layer, named) for request in self.requests])
            margin = mine.by_level.get(CONFIDENCE)
            yield LayerFigure(
                subject=self.subject,
                cell=self.cell.name,
                kind=self.kind.name if self.kind is not None else "",
                layer=layer.name,
                title=layer.title,
                ms=mine.mean,
                percent=100 * mine.mean / whole if whole else 0.0,
                interval=None if margin is None else (mine.mean - margin, mine.mean + margin),
                margins={f"{level:.0%}": value for level, value in mine.by_level.items()},
                deviation=shape.deviation,
                quartiles=(shape.lower_quartile, shape.median, shape.upper_quartile),
                requests=len(self.requests),
                runs=mine.runs,
            )


def self_ms(request: RequestRecord, layer: Layer, named: frozenset[str]) -> float:
    """A request's own time in a layer; for `other`, its time under tags that are not among those `named`."""
    tags = [tag for tag in request.layers if tag not in named] if layer is OTHER else layer.tags
    return sum(request.layers[tag].self_ns for tag in tags if tag in request.layers) / 1e6


def is_of(request: RequestRecord, kind: RequestKind | None) -> bool:
    """Whether a request is of a kind: each context key has one of the given values."""
    return kind is None or all(request.contexts.get(key, "") in values for key, values in kind.where.items())


def counted_request_records(run: Run, cell: Cell, subject: str) -> Iterator[tuple[Trial, tuple[RequestRecord, ...]]]:
    """For each trial, the requests in the measured time of its counted slices, without violations."""
    whole = unbroken(run.schedule, cell)
    for trial in run.trials:
        numbers = counted_slices(trial, cell.name, subject, unbroken=whole)
        requests = tuple(request for number in numbers for request in records_of(trial, number))
        if requests:
            yield trial, requests


def records_of(trial: Trial, number: int) -> tuple[RequestRecord, ...]:
    """A slice's requests in its measured time, without violations."""
    rows = trial.layers.get(number, ())
    return tuple(row.record for row in rows if row.measured and not row.record.violations)


def layers_of(run: Run) -> list[Layer]:
    """The layers of the run, plus `other` where a monitor timed something outside them; empty without layers."""
    layers = run.schedule.layers
    named = frozenset(tag for layer in layers for tag in layer.tags)
    if layers and any(not trial.layer_tags <= named for trial in run.trials):
        return [*layers, OTHER]
    return layers


def breakdowns(run: Run) -> list[Breakdown]:
    """For each subject and cell, a breakdown of all requests first, then one for each kind that occurs; computed once a run."""
    if "breakdowns" not in run.memo:
        run.memo["breakdowns"] = _breakdowns(run)
    known: list[Breakdown] = run.memo["breakdowns"]
    return known


def _breakdowns(run: Run) -> list[Breakdown]:
    layers = layers_of(run)
    if not layers:
        return []
    broken_down = []
    for cell in run.schedule.cells:
        for subject in run.schedule.subjects:
            trials = [requests for _, requests in counted_request_records(run, cell, subject)]
            for kind in (None, *run.schedule.request_kinds):
                mine = [
                    kept
                    for requests in trials
                    if (kept := tuple(request for request in requests if is_of(request, kind)))
                ]
                if mine:
                    means = tuple(mean_layer_times(requests, layers) for requests in mine)
                    every = tuple(request for requests in mine for request in requests)
                    broken_down.append(Breakdown(subject, cell, kind, every, tuple(layers), means))
    return broken_down


def mean_layer_times(requests: Sequence[RequestRecord], layers: Sequence[Layer]) -> dict[str, float]:
    """The mean own time of one or more requests in each layer, in ms by layer name. The values add up to the whole."""
    named = frozenset(tag for layer in layers for tag in layer.tags)
    return {layer.name: fmean(self_ms(request, layer, named) for request in requests) for layer in layers}


def slow_layer(breakdown: Breakdown) -> SlowLayer | None:
    """The layer in which the slowest requests spend the most additional time; None for too few requests."""
    slowest = slowest_requests(breakdown.requests, breakdown.layers)
    if slowest is None:
        return None
    quantile, more, most, share = slowest
    sentence = (
        f"the slowest {1 - quantile:.0%} of {breakdown.subject}'s requests on {breakdown.cell.name} take "
        f"{value_text(more)} ms more than the mean, {share:.0%} of it in {most.title}"
    )
    return SlowLayer(
        subject=breakdown.subject,
        cell=breakdown.cell.name,
        percentile=100 * quantile,
        layer=most.name,
        share=share,
        sentence=sentence,
    )


def slowest_requests(
    requests: Sequence[RequestRecord], layers: Sequence[Layer]
) -> tuple[float, float, Layer, float] | None:
    """The slowest requests: their quantile, how many ms they are slower than all, their layer, and its share.

    The layer is the one with the most additional time. None for too few requests.
    """
    times = sorted(request.total_ns for request in requests)
    quantile = next((candidate for candidate in _SLOW if len(times) >= least_requests(candidate)), None)
    if quantile is None:
        return None
    limit = times[min(len(times) - 1, int(quantile * len(times)))]
    slow = [request for request in requests if request.total_ns >= limit]
    all_means, slow_means = (mean_layer_times(each, layers) for each in (requests, slow))
    excess = {layer.name: slow_means[layer.name] - all_means[layer.name] for layer in layers}
    most = max(layers, key=lambda layer: excess[layer.name])
    more = sum(excess.values())
    return (quantile, more, most, excess[most.name] / more) if more > 0 else None


def nests(request: RequestRecord, nesting: Sequence[str]) -> bool:
    """Whether the times of `nesting` tags do not grow inwards: inner tags need outer ones and take no longer."""
    times = [request.layers[tag].total_ns if tag in request.layers else 0 for tag in nesting]
    return all(outer >= inner for outer, inner in pairwise(times))
