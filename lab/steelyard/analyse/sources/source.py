"""What a source of measures is: the numbers that it reads of a slice, and how several slices' are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...results.stored_run import Trial


@dataclass(frozen=True)
class Source:
    """One kind of stored numbers that formulas of measures may draw on, beside those of slices, which all may.

    `names` are the numbers; of slices put together they are added, but of `gauges` the highest is taken. `of_slice` reads
    them of one slice of a trial; it leaves out what was not recorded. `prefixes` begin further names, whose rest a run decides;
    of those of `gauge_prefixes` the highest is taken, too.
    `histograms`: formulas may take percentiles and deviations.
    """

    name: str
    names: frozenset[str]
    of_slice: Callable[[Trial, int], Mapping[str, float]]
    gauges: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    gauge_prefixes: tuple[str, ...] = ()
    histograms: bool = False
