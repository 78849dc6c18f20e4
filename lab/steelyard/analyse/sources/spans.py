"""Times between a service's events (spans.csv): `spans_NAME` ended, `span_ns_NAME` in total, in `span_seconds` of load.

`spans_NAME_meeting_OTHER` counts the spans of NAME that overlap a span of another name. If work was unfinished at the end of the
wait, only the quick spans have ended: then only their number is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ...results.stored_run import Trial
from ...results.tables import SpanRow
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    if trial.spans is None:
        return {}
    held = trial.plans[number].held_seconds
    spans = [span for span in trial.spans.get(number, ()) if span.ns is not None]
    whole = trial.unfinished_slices.get(trial.plans[number].subject) != number
    sums: Counter[str] = Counter()
    for span in spans:
        if span.held and span.ns is not None:
            sums[f"spans_{span.name}"] += 1
            if whole:
                sums[f"span_ns_{span.name}"] += span.ns
    seconds = trial.slices[number].seconds if held is None else held
    return {**sums, **(_meetings(spans) if whole else {}), "span_seconds": seconds}


def _meetings(spans: Sequence[SpanRow]) -> dict[str, float]:
    """How many counted spans of a name overlap at least one span of each other name."""
    by_name: dict[str, list[SpanRow]] = {}
    for span in spans:
        by_name.setdefault(span.name, []).append(span)
    return {
        f"spans_{name}_meeting_{other}": _overlap_count([span for span in mine if span.held], by_name[other])
        for name, mine in by_name.items()
        for other in by_name
        if other != name
    }


def _overlap_count(mine: Sequence[SpanRow], others: Sequence[SpanRow]) -> int:
    begins = np.array([span.begin_ns for span in others])
    ends = np.array([span.begin_ns + (span.ns or 0) for span in others])
    # Before a span ends so many others have begun, and before it begins so many have ended: the rest went on meanwhile.
    begun = np.searchsorted(np.sort(begins), [span.begin_ns + (span.ns or 0) for span in mine], side="left")
    over = np.searchsorted(np.sort(ends), [span.begin_ns for span in mine], side="right")
    return int(np.count_nonzero(begun > over))


SOURCE = Source(name="spans", names=frozenset({"span_seconds"}), of_slice=_of_slice, prefixes=("spans_", "span_ns_"))
