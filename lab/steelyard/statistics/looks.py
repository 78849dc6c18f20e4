"""Fixed looks at a comparison, and the alpha of each that keeps the overall rate of false alarms."""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
LOOKS = (4, 6, 9, 12)
# of each look, where the run has these looks; a test holds the overall rate of each between 4.7% and 5% by simulation
_KNOWN: dict[tuple[int, ...], float] = {
    (4, 5): 0.0318,
    (4, 6): 0.0290,
    (4, 7): 0.0272,
    (4, 8): 0.0272,
    (4, 6, 9): 0.0209,
    (4, 6, 10): 0.0202,
    (4, 6, 11): 0.0200,
    (4, 6, 9, 12): 0.0168,
}


def alpha_of(looks: Sequence[int], overall: float = ALPHA) -> float:
    """The per-look alpha for looks after these numbers of forks; `overall` itself for one look."""
    if len(looks) <= 1:
        return overall
    if overall == ALPHA and tuple(looks) in _KNOWN:
        return _KNOWN[tuple(looks)]
    from .look_simulation import per_look_alpha  # imported late: numpy would slow down commands that only read LOOKS

    return per_look_alpha(tuple(looks), overall)


def looks_within(looks: Sequence[int], forks: int) -> list[int]:
    """The looks of a run that has at most so many forks: those that it reaches, the last of them at its last fork.

    All of alpha is spent on them. Where the run does not reach the first look, the looks are unchanged, and there is no verdict.
    """
    reached = [look for look in looks if look <= forks]
    if not reached or forks >= looks[-1] or forks in reached:
        return reached or list(looks)
    return [*(reached[:-1] or reached), forks]
