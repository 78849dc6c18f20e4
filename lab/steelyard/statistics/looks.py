"""Fixed looks at a comparison, and the alpha of each that keeps the overall rate of false alarms."""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
LOOKS = (4, 6, 9, 12)
# fixed before the first verdict; a test holds the overall rate between 4.7% and 5% by simulation
_KNOWN: dict[tuple[int, ...], float] = {(4, 6, 9, 12): 0.0168}


def alpha_of(looks: Sequence[int], overall: float = ALPHA) -> float:
    """The per-look alpha for looks after these numbers of forks; `overall` itself for one look."""
    if len(looks) <= 1:
        return overall
    if overall == ALPHA and tuple(looks) in _KNOWN:
        return _KNOWN[tuple(looks)]
    from .look_simulation import per_look_alpha  # imported late: numpy would slow down commands that only read LOOKS

    return per_look_alpha(tuple(looks), overall)
