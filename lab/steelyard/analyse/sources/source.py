"""The interface of a source of measures: the numbers that it reads from a slice, and how several slices are combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...results.stored_run import Trial


@dataclass(frozen=True)
class Source:
    """One kind of stored numbers for the formulas of measures, in addition to those of slices.

    `names` are the numbers. Over several slices they are added; of `gauges` the highest is taken. `of_slice` reads them from one
    slice of a trial and leaves out what was not recorded. `prefixes` start further names whose rest depends on the run; of those of
    `gauge_prefixes` the highest is taken too. `histograms`: formulas may use percentiles and deviations.
    """

    name: str
    names: frozenset[str]
    of_slice: Callable[[Trial, int], Mapping[str, float]]
    gauges: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    gauge_prefixes: tuple[str, ...] = ()
    histograms: bool = False
