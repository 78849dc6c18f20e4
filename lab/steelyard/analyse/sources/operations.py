"""Right answers and failures by operation (ticks.csv), for a mix of several: `completed_OPERATION`, `failed_OPERATION`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...models.records import in_own_format
from ...results.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    counts: Counter[str] = Counter()
    for tick in trial.ticks_by_slice.get(number, ()):
        name = in_own_format(tick.operation)
        counts[f"completed_{name}"] += tick.completed
        counts[f"failed_{name}"] += sum(tick.failures.values())
    return counts


SOURCE = Source(name="operations", names=frozenset(), of_slice=_of_slice, prefixes=("completed_", "failed_"))
