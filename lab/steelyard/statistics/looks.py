"""Looking at a comparison more than once without raising more alarms: fixed looks, and the alpha of each."""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
LOOKS = (4, 6, 9, 12)
# Fixed before any verdict was made with it; a test holds its overall rate between 4.7% and 5% by the simulation below.
_KNOWN: dict[tuple[int, ...], float] = {(4, 6, 9, 12): 0.0168}


def alpha_of(looks: Sequence[int], overall: float = ALPHA) -> float:
    """The per-look alpha for looks after these numbers of forks; `overall` itself where there is one look."""
    if len(looks) <= 1:
        return overall
    if overall == ALPHA and tuple(looks) in _KNOWN:
        return _KNOWN[tuple(looks)]
    from .look_simulation import per_look_alpha  # takes numpy, which no command that only reads LOOKS should wait for

    return per_look_alpha(tuple(looks), overall)
