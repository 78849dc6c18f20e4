"""What another day or machine is expected to find, from the prior of the kind of pair, and whether the verdict holds there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..base import configuration
from ..models.between_sessions import BetweenSessions, Deviation, KindName, PairKind
from ..models.verdict import Elsewhere
from ..results.stored_run import Run
from ..statistics.campaigns import Found
from ..statistics.elsewhere import prediction_interval
from ..statistics.interval import Interval
from ..statistics.verdict_words import Word
from .contradictions import contradictions
from .ratios import Compared
from .verdicts import Judgement

_FILE = Path(__file__).with_name("between_sessions.toml")


@cache
def priors() -> BetweenSessions:
    """The priors between sessions; raises ConfigurationError."""
    return configuration.load(_FILE, BetweenSessions)


def kind_of_pair(environment: Mapping[str, Any], a: str, b: str) -> KindName:
    """The kind of a pair by the judged parts in environment.json; where they are unknown, that of unlike servers."""
    subjects = environment.get("subjects")
    parts = [subjects.get(label) for label in (a, b)] if isinstance(subjects, Mapping) else [None, None]
    servers, on_jvm = (
        [_part_values(each, "server") for each in parts],
        [bool(_part_values(each, "jdk")) for each in parts],
    )
    if not all(servers):
        return "two-runtimes"
    if servers[0] == servers[1]:
        return "one-server"
    return "one-runtime" if on_jvm[0] == on_jvm[1] else "two-runtimes"


def _part_values(parts: object, name: str) -> list[str]:
    """The values of a key in the parts of a subject; parts without it are left out."""
    known = parts if isinstance(parts, Sequence) else ()
    return [str(part[name]) for part in known if isinstance(part, Mapping) and part.get(name)]


def prior_of(environment: Mapping[str, Any], a: str, b: str) -> PairKind:
    """The prior of a pair's kind."""
    kind = kind_of_pair(environment, a, b)
    return next(prior for prior in priors().kinds if prior.name == kind)


def predict_comparison(run: Run, compared: Compared) -> Elsewhere | None:
    """The prediction for another session of a judged comparison; None without an interval, or for a measure without a prior."""
    if compared.interval is None or compared.standard_error <= 0 or compared.measure.name not in priors().measures:
        return None
    session = Found(math.log(compared.interval.estimate), compared.standard_error)
    freedom = len(compared.counted_forks) - 1
    return of_sessions(prior_of(run.environment, compared.a, compared.b), [session], freedom, compared.interval)


def of_sessions(prior: PairKind, sessions: Sequence[Found], freedom: int, here: Interval) -> Elsewhere:
    """The prediction for one more session beside these. It is never narrower than `here`, the interval of the ratio."""

    def bounds(deviation: Deviation) -> tuple[float, float]:
        predicted = prediction_interval(sessions, freedom, deviation.used).exp()
        return min(predicted.low, here.low), max(predicted.high, here.high)

    like, any_machine = prior.like_machines, prior.any_machines
    return Elsewhere(
        kind=prior.name,
        interval=bounds(like),
        deviation=like.used,
        any_machine=bounds(any_machine),
        any_machine_deviation=any_machine.used,
        assumed=like.assumed,
        any_machine_assumed=any_machine.assumed,
    )


def predict_judgement(run: Run, judgement: Judgement) -> tuple[Elsewhere | None, bool | None]:
    """The prediction for another session of a comparison, and whether its verdict holds there.

    It does not hold where an earlier run of the same question contradicts this run and lies outside the prediction: then sessions
    differ more than the prior assumes.
    """
    if (
        judgement.word in (None, Word.TOO_FEW_FORKS)
        or (expected := predict_comparison(run, judgement.compared)) is None
    ):
        return None, None
    held = holds(judgement.word, expected.interval, run.schedule.margin)
    low, high = expected.interval
    otherwise = any(not low <= earlier.earlier_ratio <= high for earlier in contradictions(run, [judgement]))
    return expected, held and not otherwise


def holds(word: Word | None, expected: tuple[float, float] | None, margin: float) -> bool | None:
    """Whether a decided verdict is expected elsewhere too.

    Faster and slower hold where the predicted interval `expected` excludes 1, equivalent where it lies within the margin. None
    where nothing was decided, or where there is no prediction.
    """
    if word is None or not word.decides or expected is None:
        return None
    low, high = expected
    return 1 / (1 + margin) <= low and high <= 1 + margin if word is Word.EQUIVALENT else low > 1 or high < 1
