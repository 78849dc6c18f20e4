"""Timers and pauses of a JMeter plan, as the pauses of a session's steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from .imported_requests import LeftOutError
from .jmeter_parts import Fill
from .think_times import MOST_MS, ThinkTime


def timer_pause(kind: str, own: Mapping[str, str], fill: Fill) -> ThinkTime:
    """The pause of a timer; raises LeftOutError if its times are not plain numbers."""
    try:
        delay = float(fill(own.get("ConstantTimer.delay", "")) or 0)
        spread = float(fill(own.get("RandomTimer.range", "")) or 0)
    except ValueError:
        raise LeftOutError("its pause is not a plain number") from None
    if not (0 <= delay <= MOST_MS and 0 <= spread <= MOST_MS):
        raise LeftOutError("its pause is negative, or longer than a day")
    return TIMERS[kind](delay, spread)


def action_pause(own: Mapping[str, str], fill: Fill) -> ThinkTime:
    """The pause of a flow control action; raises LeftOutError for any other action."""
    if own.get("ActionProcessor.action") != "1":
        raise LeftOutError("it stops or skips, and a session does so only after a failure")
    text = fill(own.get("ActionProcessor.duration", "")).strip()
    if not text.isdecimal() or int(text) > MOST_MS:
        raise LeftOutError("its pause is not a plain number")
    return ThinkTime(int(text), int(text))


def _constant(delay: float, _: float) -> ThinkTime:
    return ThinkTime(delay, delay)


def _uniform(delay: float, spread: float) -> ThinkTime:
    return ThinkTime(delay, delay + spread)


def _gaussian(delay: float, deviation: float) -> ThinkTime:
    return _spread(delay, deviation)


def _poisson(delay: float, mean: float) -> ThinkTime:
    return _spread(delay + mean, math.sqrt(mean))


def _spread(mean: float, deviation: float) -> ThinkTime:
    """The uniform pause with this mean and standard deviation, without negative times."""
    half = math.sqrt(3) * deviation
    least, most = float(round(max(0.0, mean - half))), float(round(mean + half))
    return ThinkTime(least, most, "drawn uniformly, with the same mean and spread")


TIMERS: dict[str, Callable[[float, float], ThinkTime]] = {
    "ConstantTimer": _constant,
    "UniformRandomTimer": _uniform,
    "GaussianRandomTimer": _gaussian,
    "PoissonRandomTimer": _poisson,
}
