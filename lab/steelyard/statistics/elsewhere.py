"""The result of one more session: a prediction interval from few sessions and a prior on the spread between sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, median

from ..base.errors import InsufficientDataError
from .campaigns import Found
from .distributions import student_quantile
from .interval import CONFIDENCE, Interval

_AS_GOOD_AS_NORMAL = 1e6  # degrees of freedom from which Student's quantile equals the normal one


def prediction_interval(
    sessions: Sequence[Found], freedom: int, deviation: float, confidence: float = CONFIDENCE
) -> Interval:
    """The interval for the result of one more session, on the scale of the estimates (log ratios).

    `deviation` is the standard deviation of true log ratios between sessions, taken as known; `freedom` are the joint degrees of
    freedom of the sessions' standard errors. A session's result varies about the common mean by the deviation and by its own
    error. The interval is centred on the mean of the given sessions, which varies as well. So with one session both count twice:
    the variance is 2 (deviation^2 + error^2); without the factor the interval covers 83% instead of 95%. This is the prediction
    interval of Higgins, Thompson and Spiegelhalter 2009, "A re-evaluation of random-effects meta-analysis", section 4.1, with the
    next session's own error, as in `campaigns.between`. Only the errors are estimated, so the quantile is Student's with the
    degrees of freedom of Welch 1947 and Satterthwaite 1946, "An approximate distribution of estimates of variance components".

    Raises InsufficientDataError without a session, and ValueError for a deviation, an error or a freedom that is not above 0.
    """
    if not sessions:
        raise InsufficientDataError("a prediction needs at least one session")
    if deviation <= 0 or freedom <= 0 or any(session.error <= 0 for session in sessions):
        raise ValueError("the deviation between sessions, their errors and their freedom must be above 0")
    weights = [1 / (deviation**2 + session.error**2) for session in sessions]
    whole = math.fsum(weights)
    mean = math.fsum(weight * session.estimate for weight, session in zip(weights, sessions, strict=True)) / whole
    next_error = median(session.error for session in sessions)
    by_sessions = deviation**2 * (1 + math.fsum(weight**2 for weight in weights) / whole**2)
    by_errors = (
        next_error**2
        + math.fsum((weight * session.error) ** 2 for weight, session in zip(weights, sessions, strict=True)) / whole**2
    )
    variance = by_sessions + by_errors
    half = _quantile((1 + confidence) / 2, freedom * (variance / by_errors) ** 2) * math.sqrt(variance)
    return Interval(mean, mean - half, mean + half, confidence, len(sessions))


def _quantile(share: float, freedom: float) -> float:
    """Student's quantile, or the normal one for many degrees of freedom."""
    return student_quantile(share, freedom) if freedom < _AS_GOOD_AS_NORMAL else NormalDist().inv_cdf(share)
