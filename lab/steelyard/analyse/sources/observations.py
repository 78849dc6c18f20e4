"""What the judged processes of a subject used during a slice (observations.csv): companions are shown apart."""

from __future__ import annotations

from collections.abc import Mapping

from ...store.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    seen = [one for one in trial.observations.get(number, ()) if one.judged]
    if not seen:
        return {}
    return {
        "cpu_ns": sum(one.cpu_ns for one in seen),
        "jit_ns": sum(one.jit_ns for one in seen),
        "rss_bytes": sum(one.rss_bytes for one in seen),
        "observed_ns": trial.observed_ns(number) or 0,
    }


SOURCE = Source(
    name="observations",
    names=frozenset({"cpu_ns", "jit_ns", "rss_bytes", "observed_ns"}),
    of_slice=_of_slice,
    gauges=frozenset({"rss_bytes"}),
)
