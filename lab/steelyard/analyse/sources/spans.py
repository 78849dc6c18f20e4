"""Times between a service's events (spans.csv): `spans_NAME` of them ended, `span_ns_NAME` in all, in `span_seconds` of load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...store.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    if trial.spans is None:
        return {}
    held = trial.plans[number].held_seconds
    sums: Counter[str] = Counter()
    for span in trial.spans.get(number, ()):
        if span.held and span.ns is not None:
            sums[f"spans_{span.name}"] += 1
            sums[f"span_ns_{span.name}"] += span.ns
    return {**sums, "span_seconds": trial.slices[number].seconds if held is None else held}


SOURCE = Source(name="spans", names=frozenset({"span_seconds"}), of_slice=_of_slice, prefixes=("spans_", "span_ns_"))
