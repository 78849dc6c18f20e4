"""The number of users from which a server refuses requests, and the refused share; or that it never refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import InsufficientDataError
from ..base.text import percent_text, plural, share_text
from .distributions import beta_quantile
from .interval import CONFIDENCE, student_interval

TOLERATED = 0.01


@dataclass(frozen=True)
class Share:
    """Failed requests of all requests, with the interval of Clopper and Pearson 1934."""

    failed: int
    requests: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The observed share, from 0 to 1."""
        return self.failed / self.requests


@dataclass(frozen=True)
class Refusal:
    """One fork's refusal. `onset_users` is None where none was found up to `most_users`.

    `share` and `kinds` count from the onset on, or over everything without an onset. `slow_down` is the mean response time at the
    most users divided by that at the fewest; None where either had no right answer.
    """

    onset_users: int | None
    most_users: int
    share: Share
    kinds: Mapping[str, int]
    slow_down: float | None


@dataclass(frozen=True)
class Refusals:
    """A server's refusal over forks: the lowest and the highest onset, and the share with Student's t interval.

    `low` and `high` are Clopper and Pearson's for one fork, or without any failure. Without a refusal the share is that of single
    failures.
    """

    refusing: int
    forks: int
    earliest_users: int | None
    latest_users: int | None
    most_users: int
    share: float
    low: float
    high: float
    confidence: float
    kinds: Mapping[str, int]
    slow_down: float | None

    def clause(self, name: str) -> str:
        """A clause, such as "tomcat refuses from 24 users on (9.8% of requests: reset)"."""
        slowed = (
            f" but takes {self.slow_down:.1f} times as long as with the fewest"
            if self.slow_down and self.slow_down >= 1.5
            else ""
        )
        if self.earliest_users is None:
            all_of_them = "nearly all requests" if self.kinds else "all requests"
            return f"{name} answers {all_of_them} up to {plural(self.most_users, 'user')}{slowed}"
        kinds = " and ".join(
            kind.replace("_", " ") for kind in sorted(self.kinds, key=self.kinds.__getitem__)[::-1][:2]
        )
        onset = plural(self.earliest_users, "user")
        if self.latest_users != self.earliest_users:
            onset = f"{self.earliest_users} to {self.latest_users} users"
        seen = "" if self.refusing == self.forks else f", in {self.refusing} of {self.forks} forks"
        return f"{name} refuses from {onset} on ({self.share:.1%} of requests: {kinds}{seen})"

    def sentence(self, name: str) -> str:
        """The clause, with the share's interval."""
        bounds = f"{percent_text(self.confidence)} interval {share_text(self.low)} to {share_text(self.high)}"
        share_name = "refused share" if self.earliest_users is not None else "share of failures"
        return f"{self.clause(name)}; {share_name}: {bounds}, {plural(self.forks, 'fork')}."


def share(failed: int, requests: int, confidence: float = CONFIDENCE) -> Share:
    """A share of requests with its exact two-sided interval. Source: Clopper and Pearson 1934, "The use of confidence or fiducial
    limits illustrated in the case of the binomial". It treats requests as independent, but failures cluster, so an interval over
    forks is preferred where there is one."""
    if not 0 <= failed <= requests or requests == 0:
        raise InsufficientDataError(f"{failed} of {requests} requests are no share")
    tail = (1 - confidence) / 2
    low = 0.0 if failed == 0 else beta_quantile(tail, failed, requests - failed + 1)
    high = 1.0 if failed == requests else beta_quantile(1 - tail, failed + 1, requests - failed)
    return Share(failed, requests, low, high)


def refusal(
    users: ArrayLike,
    completed: ArrayLike,
    failures: Mapping[str, ArrayLike],
    response_s_sum: ArrayLike,
    tolerated: float = TOLERATED,
    confidence: float = CONFIDENCE,
) -> Refusal:
    """One fork's refusal from its seconds: `users` active, `completed` right answers, `failures` by kind (wrong and missing
    answers may be among them) and the sum of right answers' response times in seconds, each (n,).

    The onset is the fewest users at which more than `tolerated` of the requests failed, both at that level and from it on, by the
    lower bound of the share's interval: a single failure or one bad second is no refusal. Raises InsufficientDataError without
    requests.
    """
    at, right, spent = (np.asarray(column, float) for column in (users, completed, response_s_sum))
    by_kind = {kind: np.asarray(counts, float) for kind, counts in failures.items()}
    failed = sum(by_kind.values(), np.zeros(len(at)))
    levels = sorted({int(level) for level in at[(at > 0) & (right + failed > 0)]})
    if not levels:
        raise InsufficientDataError("refusal needs at least one second with users and requests")

    def share_of_mask(mask: np.ndarray) -> Share:
        return share(int(failed[mask].sum()), int((failed + right)[mask].sum()), confidence)

    refusing = (
        level
        for level in levels
        if share_of_mask(at == level).low > tolerated and share_of_mask(at >= level).low > tolerated
    )
    onset = next(refusing, None)
    counted_from = at >= (levels[0] if onset is None else onset)
    kinds = {
        kind: int(counts[counted_from].sum()) for kind, counts in by_kind.items() if counts[counted_from].sum() > 0
    }
    first, last = (
        spent[at == level].sum() / right[at == level].sum() if right[at == level].sum() else None
        for level in (levels[0], levels[-1])
    )
    slow_down = float(last / first) if first and last else None
    return Refusal(onset, levels[-1], share_of_mask(counted_from), kinds, slow_down)


def refusals(forks: Sequence[Refusal], confidence: float = CONFIDENCE) -> Refusals:
    """A server's refusal over its forks: it refuses where at least half of them do. Raises InsufficientDataError without a
    fork."""
    if not forks:
        raise InsufficientDataError("refusal needs at least one fork")
    onsets = [fork.onset_users for fork in forks if fork.onset_users is not None]
    refuses = 2 * len(onsets) >= len(forks)
    counting = [fork for fork in forks if fork.onset_users is not None] if refuses else list(forks)
    failed = sum(fork.share.failed for fork in counting)
    if len(counting) == 1 or not failed:  # forks without a failure have no variance, but could have had one
        pooled = share(failed, sum(fork.share.requests for fork in counting), confidence)
        value, low, high = pooled.value, pooled.low, pooled.high
    else:
        interval = student_interval([fork.share.value for fork in counting], confidence)
        value, low, high = interval.estimate, max(0.0, interval.low), min(1.0, interval.high)
    kinds = {
        kind: sum(fork.kinds.get(kind, 0) for fork in counting)
        for kind in sorted({k for f in counting for k in f.kinds})
    }
    slowed = [fork.slow_down for fork in forks if fork.slow_down is not None]
    return Refusals(
        refusing=len(onsets),
        forks=len(forks),
        earliest_users=min(onsets) if refuses else None,
        latest_users=max(onsets) if refuses else None,
        most_users=min(fork.most_users for fork in forks),
        share=value,
        low=low,
        high=high,
        confidence=confidence,
        kinds=kinds,
        slow_down=fmean(slowed) if slowed else None,
    )


def overload_sentence(of_servers: Mapping[str, Refusals]) -> str:
    """All servers in one sentence, such as "this refuses from 24 users on (...), that answers all requests up to 50 users but
    takes 4.0 times as long as with the fewest."; refusing servers first, by their onset."""
    order = sorted(
        of_servers,
        key=lambda name: (of_servers[name].earliest_users is None, of_servers[name].earliest_users or 0, name),
    )
    return "; ".join(of_servers[name].clause(name) for name in order) + "."
