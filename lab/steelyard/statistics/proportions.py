"""How often something happens, from few tries: the exact interval of Clopper and Pearson (1934), never narrower than it says."""

from __future__ import annotations

from .distributions import beta_quantile

CONFIDENCE = 0.95


def exact_interval(times: int, tries: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The share that `times` of `tries` independent ones may stand for, from 0 to 1; all of that where there was no try.

    Raises ValueError where there are more times than tries.
    """
    if not 0 <= times <= tries:
        raise ValueError(f"{times} of {tries} is no share")
    alpha = 1 - confidence
    low = 0.0 if times == 0 else beta_quantile(alpha / 2, times, tries - times + 1)
    high = 1.0 if times == tries else beta_quantile(1 - alpha / 2, times + 1, tries - times)
    return low, high
