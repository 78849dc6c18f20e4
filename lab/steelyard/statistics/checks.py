"""Checks on the instrument and on what a sample can support."""

from __future__ import annotations

import math

from ..base.text import existence_clause

LITTLE_TOLERANCE = 0.02
LITTLE_LEAST_BLOCK = 200.0
TAIL_SUPPORT = 10.0


def littles_law(throughput: float, mean_response_seconds: float, mean_think_seconds: float, users: float) -> float:
    """Relative deviation of throughput x (response + think) from the number of users; 0 where the law holds exactly.

    Little 1961, "A proof for the queuing formula L = lambda W"; with think time: Denning and Buzen 1978, "The
    operational analysis of queueing network models" (the interactive response time law).
    """
    if users <= 0:
        raise ValueError(f"users must be above 0, not {users}")
    return throughput * (mean_response_seconds + mean_think_seconds) / users - 1


def littles_law_applies(slice_seconds: float, mean_response_seconds: float, mean_think_seconds: float = 0.0) -> bool:
    """Whether a slice without a lead-in is long enough for Little's law.

    At its start no requests are in flight that would replace those cut off at its end, so the law misses about half a cycle: the
    slice must exceed LITTLE_LEAST_BLOCK cycles. With a lead-in the law holds on average for slices of any length.
    """
    return slice_seconds > LITTLE_LEAST_BLOCK * (mean_response_seconds + mean_think_seconds)


def least_requests(quantile: float) -> int:
    """The number of requests that a quantile needs: 10 / (1 - q), so that ten lie beyond it."""
    if not 0 <= quantile < 1:
        raise ValueError(f"a quantile must be in [0, 1), not {quantile}")
    return math.ceil(TAIL_SUPPORT / (1 - quantile) * (1 - 1e-12))


def percentile_refusal(quantile: float, requests: int, unfinished: int = 0) -> str | None:
    """Why a quantile of `requests` answered requests cannot be shown; None where it can.

    `unfinished` requests have waited longer than the quantile without an answer: a quantile among their share is unknown.
    """
    needed = least_requests(quantile)
    if requests < needed:
        return f"p{quantile * 100:g} needs {needed:,} requests, and {existence_clause(requests)}"
    share = unfinished / (requests + unfinished)
    if unfinished and quantile > 1 - share:
        return f"p{quantile * 100:g} lies among the {share:.2%} of requests that were not answered"
    return None
