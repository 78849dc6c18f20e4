"""What subjects use while nobody asks them: work that the clock brings.

Who stands frozen while others have their turns does the work of that time, too, once it may go on: in its own turns, where it is
measured. So it may be charged for such work up to twice, and for the more where turns are short beside what lies between two such.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ...models.records import AtRest
from ...plan.slices import QUIET_AT_REST

WINDOW_SECONDS = 1.0
MOST_WINDOWS = 6  # for what was put off while there was load, and is done now

Used = Callable[[], int]  # the processor time of a subject so far, in ns, its compilers' left out


def measure_idle_cpu(used: Mapping[str, Used], refresh: Callable[[], None] = lambda: None) -> list[AtRest]:
    """The least that each used in any of the windows, of which more are looked at until one shows all of them quiet."""
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
