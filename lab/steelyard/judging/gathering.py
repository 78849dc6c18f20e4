"""Results as they stream by, kept as counts a second: however long a file is, memory holds its seconds and no request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..base.errors import ConfigurationError
from ..base.histogram import Histogram
from ..loading.figures import Second

MOST_SECONDS = 86_400
MOST_NAMES = 1_000  # operations, and kinds of failures of each
MOST_MS = 86_400_000.0
_OTHERS = "others"
_DIGITS = 11  # bits of a time that are kept: 0.1%


@dataclass(frozen=True)
class Answered:
    """One request as a tool wrote it down: when it ended (seconds of any clock), how long it took, and of what kind its failure
    was (empty where it was right). `users` is how many there were (None: not said)."""

    ended_s: float
    ms: float
    operation: str
    failure: str = ""
    users: int | None = None


@dataclass
class OperationSums:
    """What became of one operation: right answers with the sum of their times in ms, and failures by kind."""

    completed: int = 0
    ms: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)


@dataclass
class SecondSums:
    """What ended in one second: right answers with the sum of their times in ms, failures, and how often each time (its lower bound
    in microseconds, and the bits that were cut off) was seen."""

    completed: int = 0
    failed: int = 0
    ms: float = 0.0
    bins: Counter[tuple[int, int]] = field(default_factory=Counter)


class Gathering:
    """What a file holds; requests that ended in the first `skip_seconds` are only counted (`skipped`).

    `checks` counts a tool's own by whether they were kept, and `said` are percentiles in ms that the tool computed itself, for lack
    of the times that they are of.
    """

    def __init__(self, skip_seconds: float = 0.0) -> None:
        self.notes: dict[str, None] = {}
        self.operations: dict[str, OperationSums] = {}
        self.users: tuple[int, int] | None = None
        self.checks: Counter[bool] = Counter()
        self.said: dict[str, float] = {}
        self.skipped = 0
        self._skip = skip_seconds
        self._first: float | None = None
        self._seconds: dict[int, SecondSums] = {}

    def add(self, answered: Answered, line: int) -> None:
        """Count one request; raises ConfigurationError where its time cannot be, or the file lasts too long."""
        if not 0 <= answered.ms <= MOST_MS or not 0 <= answered.ended_s < 1e11:
            said = f"a time of {answered.ms:g} ms that ends at {answered.ended_s:g} s cannot be"
            raise ConfigurationError(f"line {line}: {said}")
        if self._first is None:
            self._first = answered.ended_s
        if answered.ended_s < self._first + self._skip:
            self.skipped += 1
            return
        if answered.users is not None:
            self.saw_users(answered.users)
        second = self._seconds.setdefault(int(answered.ended_s), SecondSums())
        if len(self._seconds) > MOST_SECONDS:
            raise ConfigurationError(f"it has results of more than {MOST_SECONDS:,} seconds", hint="judge a part of it")
        operation = self.operations.setdefault(_bounded(answered.operation, self.operations), OperationSums())
        if answered.failure:
            second.failed += 1
            operation.failures[_bounded(answered.failure, operation.failures)] += 1
            return
        second.completed += 1
        second.ms += answered.ms
        second.bins[_bin_of(answered.ms)] += 1
        operation.completed += 1
        operation.ms += answered.ms

    def add_sums(self, index: int, sums: SecondSums) -> None:
        """Count what a tool summed up itself, as second number `index`; raises ConfigurationError as `add` does."""
        if len(self._seconds) >= MOST_SECONDS:
            raise ConfigurationError(f"it has results of more than {MOST_SECONDS:,} seconds", hint="judge a part of it")
        self._seconds[index] = sums

    def saw_users(self, users: int) -> None:
        """Remember that there were so many users."""
        least, most = self.users or (users, users)
        self.users = min(least, users), max(most, users)

    def seconds(self) -> list[Second]:
        """Every second from the first to the last in order, those without a result too; raises ConfigurationError as `add` does."""
        if not self._seconds:
            return []
        first, last = min(self._seconds), max(self._seconds)
        if last - first >= MOST_SECONDS:
            raise ConfigurationError(f"it lasts longer than {MOST_SECONDS:,} s", hint="judge a part of it")
        empty = SecondSums()
        return [_second(self._seconds.get(index, empty)) for index in range(first, last + 1)]


def _second(sums: SecondSums) -> Second:
    return Second(sums.completed + sums.failed, sums.completed, sums.failed, sums.ms / 1000, _histogram(sums.bins))


def _bin_of(ms: float) -> tuple[int, int]:
    microseconds = round(ms * 1000)
    cut = max(0, microseconds.bit_length() - _DIGITS)
    return microseconds >> cut, cut


def _histogram(bins: Counter[tuple[int, int]]) -> Histogram:
    rows = sorted((top << cut, (1 << cut) - 1, count) for (top, cut), count in bins.items())
    lowest, width, counts = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    return Histogram(lowest + width, lowest + width / 2, counts)


def _bounded(name: str, known: Mapping[str, object]) -> str:
    """A name shortened; where there are too many already, all further ones are one."""
    short = "".join(letter if letter.isprintable() else "?" for letter in name[:80]) or "without a name"
    return short if short in known or len(known) < MOST_NAMES else _OTHERS
