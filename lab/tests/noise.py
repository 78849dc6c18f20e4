"""Noise like that of real per-second figures: what a second did is remembered by the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A pilot's pairs deviate by 2.6 to 7.5% within a fork, its forks by 1.8%.
WITHIN, BETWEEN, MEMORY = 0.05, 0.018, 0.5


def fork_noise(
    draw: np.random.Generator, seconds: int, deviation: float = WITHIN, memory: float = MEMORY
) -> NDArray[np.float64]:
    """Factors around 1, one a second: first-order autocorrelated logarithms, and one factor for the whole fork."""
    steps = draw.standard_normal(seconds) * deviation
    for second in range(1, seconds):
        steps[second] = memory * steps[second - 1] + (1 - memory**2) ** 0.5 * steps[second]
    return np.exp(steps + BETWEEN * draw.standard_normal())
