"""Where requests spend their time inside a server, by layer and kind of request, and which layer makes slow requests slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ..base.text import value_text
from ..models.records import Cell
from ..models.service import Layer, RequestKind
from ..models.verdict import LayerFigure, SlowLayer
from ..plan.kinds import unbroken
from ..results.request_columns import Mask, RequestColumns, join_requests
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
    requests: RequestColumns
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
            shape = spread(own_ms(self.requests, layer, named))
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


def own_ms(requests: RequestColumns, layer: Layer, named: frozenset[str]) -> NDArray[np.float64]:
    """Each request's own time in a layer; for `other`, its time under tags that are not among those `named`."""
    tags = [tag for tag in requests.layers if tag not in named] if layer is OTHER else layer.tags
    own: NDArray[np.float64] = requests.own_ns(tags) / 1e6
    return own


def counted_request_records(run: Run, cell: Cell, subject: str) -> Iterator[tuple[Trial, RequestColumns]]:
    """For each trial with any, the requests in the measured time of its counted slices, without violations."""
    whole = unbroken(run.schedule, cell)
    for trial in run.trials:
        numbers = counted_slices(trial, cell.name, subject, unbroken=whole)
        requests = join_requests([records_of(trial, number) for number in numbers])
        if len(requests):
            yield trial, requests


def records_of(trial: Trial, number: int) -> RequestColumns:
    """A slice's requests in its measured time, without violations."""
    return trial.layers[number].right if number in trial.layers else join_requests([])


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
                mine = [kept for requests in trials if len(kept := _of_kind(requests, kind))]
                if mine:
                    means = tuple(mean_layer_times(requests, layers) for requests in mine)
                    broken_down.append(Breakdown(subject, cell, kind, join_requests(mine), tuple(layers), means))
    return broken_down


def _of_kind(requests: RequestColumns, kind: RequestKind | None) -> RequestColumns:
    """The requests of a kind: each context key has one of the given values."""
    return requests if kind is None else requests.select(requests.has_contexts(kind.where))


def mean_layer_times(requests: RequestColumns, layers: Sequence[Layer]) -> dict[str, float]:
    """The mean own time of one or more requests in each layer, in ms by layer name. The values add up to the whole."""
    named = frozenset(tag for layer in layers for tag in layer.tags)
    return {layer.name: fmean(own_ms(requests, layer, named).tolist()) for layer in layers}


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


def slowest_requests(requests: RequestColumns, layers: Sequence[Layer]) -> tuple[float, float, Layer, float] | None:
    """The slowest requests: their quantile, how many ms they are slower than all, their layer, and its share.

    The layer is the one with the most additional time. None for too few requests.
    """
    times = np.sort(requests.total_ns)
    quantile = next((candidate for candidate in _SLOW if len(times) >= least_requests(candidate)), None)
    if quantile is None:
        return None
    limit = times[min(len(times) - 1, int(quantile * len(times)))]
    slow = requests.select(requests.total_ns >= limit)
    all_means, slow_means = (mean_layer_times(each, layers) for each in (requests, slow))
    excess = {layer.name: slow_means[layer.name] - all_means[layer.name] for layer in layers}
    most = max(layers, key=lambda layer: excess[layer.name])
    more = sum(excess.values())
    return (quantile, more, most, excess[most.name] / more) if more > 0 else None


def nests(requests: RequestColumns, nesting: Sequence[str]) -> Mask:
    """Whether each request's times of `nesting` tags do not grow inwards: inner tags need outer ones and take no longer."""
    fits = np.ones(len(requests), dtype=bool)
    for outer, inner in pairwise(nesting):
        fits &= requests.totals_ns(outer) >= requests.totals_ns(inner)
    return fits
