"""Gauges that processes reported (gauges.csv): `gauge_samples_NAME`, `gauge_sum_NAME` and `gauge_highest_NAME`."""

from __future__ import annotations

from collections.abc import Mapping

from ...results.stored_run import Trial
from .source import Source

_HIGHEST = "gauge_highest_"


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for gauge in trial.gauges.get(number, ()):
        if gauge.held:
            values.setdefault(gauge.name, []).append(gauge.value)
    quantities: dict[str, float] = {}
    for name, seen in values.items():
        quantities |= {
            f"gauge_samples_{name}": len(seen),
            f"gauge_sum_{name}": sum(seen),
            f"{_HIGHEST}{name}": max(seen),
        }
    return quantities


SOURCE = Source(
    name="gauges",
    names=frozenset(),
    of_slice=_of_slice,
    prefixes=("gauge_samples_", "gauge_sum_", _HIGHEST),
    gauge_prefixes=(_HIGHEST,),
)
