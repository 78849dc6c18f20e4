"""Time of requests inside the server (layers.csv): `self_ns_TAG`, `total_ns_TAG` and `entries_TAG` for each tag."""

from __future__ import annotations

from collections.abc import Mapping

from ...results.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    """Sums over the requests of the measured time. Requests in violation are counted, but are in no sum."""
    if not trial.layers:
        return {}
    measured = [request.record for request in trial.layers.get(number, ()) if request.measured]
    right = [record for record in measured if not record.violations]
    values: dict[str, float] = {
        "recorded": len(right),
        "recorded_ns": sum(record.total_ns for record in right),
        "violations": len(measured) - len(right),
    }
    for tag in trial.layer_tags:  # a tag that no request of this slice entered took no time
        times = [record.layers[tag] for record in right if tag in record.layers]
        values[f"self_ns_{tag}"] = sum(time.self_ns for time in times)
        values[f"total_ns_{tag}"] = sum(time.total_ns for time in times)
        values[f"entries_{tag}"] = sum(time.entries for time in times)
    return values


SOURCE = Source(
    name="layers",
    names=frozenset({"recorded", "recorded_ns", "violations"}),
    of_slice=_of_slice,
    prefixes=("self_ns_", "total_ns_", "entries_"),
)
