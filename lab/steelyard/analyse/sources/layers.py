"""Time of requests inside the server (layers.csv): `self_ns_TAG`, `total_ns_TAG` and `entries_TAG` for each tag."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...results.stored_run import Trial
from ..layers import records_of
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    """Sums over the requests of the measured time. Requests in violation are counted, but are in no sum."""
    if not trial.layers:
        return {}
    timed = trial.layers.get(number)
    right = records_of(trial, number)
    values: dict[str, float] = {
        "recorded": len(right),
        "recorded_ns": int(right.total_ns.sum()),
        "violations": int(np.count_nonzero(timed.measured)) - len(right) if timed is not None else 0,
    }
    for tag in trial.layer_tags:  # a tag that no request of this slice entered took no time
        values[f"self_ns_{tag}"] = int(right.own_ns([tag]).sum())
        values[f"total_ns_{tag}"] = int(right.totals_ns(tag).sum())
        values[f"entries_{tag}"] = int(right.entries(tag).sum())
    return values


SOURCE = Source(
    name="layers",
    names=frozenset({"recorded", "recorded_ns", "violations"}),
    of_slice=_of_slice,
    prefixes=("self_ns_", "total_ns_", "entries_"),
)
