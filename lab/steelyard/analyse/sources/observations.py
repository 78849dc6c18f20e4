"""Resources used by a subject's judged processes during a slice (observations.csv), without companions."""

from __future__ import annotations

from collections.abc import Mapping

from ...results.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    seen = [process for process in trial.observations.get(number, ()) if process.judged]
    if not seen:
        return {}
    return {
        "cpu_ns": sum(process.cpu_ns for process in seen),
        "jit_ns": sum(process.jit_ns for process in seen),
        "rss_bytes": sum(process.rss_bytes for process in seen),
        "observed_ns": trial.observed_ns(number) or 0,
    }


SOURCE = Source(
    name="observations",
    names=frozenset({"cpu_ns", "jit_ns", "rss_bytes", "observed_ns"}),
    of_slice=_of_slice,
    gauges=frozenset({"rss_bytes"}),
)
