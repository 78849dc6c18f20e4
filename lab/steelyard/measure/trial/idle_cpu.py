"""The processor time of subjects without load: periodic work.

A subject that is paused during the others' turns does its periodic work afterwards, in its own turns, where it is measured. So it
may be charged up to twice for such work, and more where turns are shorter than the period.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ...models.records import AtRest
from ...plan.slices import QUIET_AT_REST

WINDOW_SECONDS = 1.0
MOST_WINDOWS = 6  # wait for work that was deferred during load

Used = Callable[[], int]  # processor time of a subject so far, in ns, without its JIT compilers


def measure_idle_cpu(used: Mapping[str, Used], refresh: Callable[[], None] = lambda: None) -> list[AtRest]:
    """The least use of each subject in any window; windows are added until one has all subjects quiet."""
    least = dict.fromkeys(used, float("inf"))
    windows = 0
    while windows < MOST_WINDOWS and any(share > QUIET_AT_REST for share in least.values()):
        windows += 1
        for label, share in _window(used, refresh).items():
            least[label] = min(least[label], share)
    return [AtRest(subject=label, share=round(share, 5), windows=windows) for label, share in least.items()]


def _window(used: Mapping[str, Used], refresh: Callable[[], None]) -> dict[str, float]:
    begun = {label: (time.monotonic_ns(), read()) for label, read in used.items()}
    end = time.monotonic() + WINDOW_SECONDS
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(0.1, left))
        refresh()
    shares = {}
    for label, read in used.items():
        at_ns, before = begun[label]
        shares[label] = max(0.0, (read() - before) / (time.monotonic_ns() - at_ns))
    return shares
