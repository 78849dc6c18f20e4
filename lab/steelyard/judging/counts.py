"""Counts of requests by second and operation. Memory holds seconds, not requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..analyse.load_figures import Second
from ..base.errors import ConfigurationError
from ..base.histogram import Histogram

MOST_SECONDS = 86_400
MOST_NAMES = 1_000  # operations, kinds of failure, response codes
MOST_MESSAGES = 50
_OTHERS = "others"
_DIGITS = 11  # leading bits of a time: 0.1%
NO_CODE = "no code"


class LastsTooLongError(ConfigurationError):
    """A file covers more seconds than memory may hold."""

    def __init__(self) -> None:
        super().__init__(
            f"it lasts longer than {MOST_SECONDS:,} s", hint="judge a part of it: --skip 1h --for 10h, or --part 2"
        )


@dataclass(frozen=True)
class Answered:
    """One request as a tool recorded it.

    `ended_s` is in seconds on any clock. `failure` is the kind of its failure, empty if the answer was right.
    `users` is the number of users at the time (None: unknown), `code` the response code as the tool wrote it, `message`
    the text of the failure, `thread` the virtual user.
    """

    ended_s: float
    ms: float
    operation: str
    failure: str = ""
    users: int | None = None
    code: str = ""
    message: str = ""
    thread: str = ""

    @property
    def begun_s(self) -> float:
        """The start of the request, in seconds on the same clock."""
        return self.ended_s - self.ms / 1000


@dataclass
class OperationSums:
    """The results of one operation: right answers with the sum of their times in ms, and failures by kind."""

    completed: int = 0
    ms: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)


@dataclass
class SecondSums:
    """The results that ended in one second: right answers with the sum of their times in ms, failures, and a histogram
    of times by `bin_of`."""

    completed: int = 0
    failed: int = 0
    ms: float = 0.0
    bins: Counter[int] = field(default_factory=Counter)


class Counts:
    """Results summed by second, operation, response code and failure message, each limited in number."""

    def __init__(self) -> None:
        self.operations: dict[str, OperationSums] = {}
        self.codes: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        self._seconds: dict[int, SecondSums] = {}

    def add(self, answered: Answered) -> None:
        """Count one request. Raises LastsTooLongError."""
        second = self._second(int(answered.ended_s))
        operation = self.operations.setdefault(bounded_name(answered.operation, self.operations), OperationSums())
        self.codes[bounded_name(answered.code or NO_CODE, self.codes)] += 1
        if answered.failure:
            second.failed += 1
            operation.failures[bounded_name(answered.failure, operation.failures)] += 1
            if answered.message:
                self.messages[bounded_name(answered.message, self.messages, MOST_MESSAGES)] += 1
            return
        second.completed += 1
        second.ms += answered.ms
        second.bins[bin_of(answered.ms)] += 1
        operation.completed += 1
        operation.ms += answered.ms

    def add_sums(self, index: int, sums: SecondSums, operation: str) -> None:
        """Add a tool's own totals for second number `index`. Raises LastsTooLongError."""
        self._merge_second(index, sums)
        own = self.operations.setdefault(operation, OperationSums())
        own.completed += sums.completed
        own.ms += sums.ms
        if sums.failed:
            own.failures["failed"] += sums.failed

    def merge(self, other: Counts) -> None:
        """Add all counts of another object. Raises LastsTooLongError."""
        for index, sums in other._seconds.items():
            self._merge_second(index, sums)
        for name, operation in other.operations.items():
            own = self.operations.setdefault(bounded_name(name, self.operations), OperationSums())
            own.completed += operation.completed
            own.ms += operation.ms
            own.failures.update(operation.failures)
        self.codes.update(other.codes)
        self.messages.update(other.messages)

    def total(self) -> int:
        """The number of counted requests."""
        return sum(sums.completed + sums.failures.total() for sums in self.operations.values())

    def seconds(self) -> list[Second]:
        """Every second from the first to the last in order, with empty ones. Raises LastsTooLongError."""
        if not self._seconds:
            return []
        first, last = min(self._seconds), max(self._seconds)
        if last - first >= MOST_SECONDS:
            raise LastsTooLongError
        empty = SecondSums()
        return [_figures_of(self._seconds.get(index, empty)) for index in range(first, last + 1)]

    def _second(self, index: int) -> SecondSums:
        known = self._seconds.get(index)
        if known is None:
            if len(self._seconds) >= MOST_SECONDS:
                raise LastsTooLongError
            known = self._seconds[index] = SecondSums()
        return known

    def _merge_second(self, index: int, sums: SecondSums) -> None:
        own = self._second(index)
        own.completed += sums.completed
        own.failed += sums.failed
        own.ms += sums.ms
        own.bins.update(sums.bins)


def bounded_name(name: str, known: Mapping[str, object], most: int | None = None) -> str:
    """A name of at most 80 printable characters, or `others` where `known` already holds `most` (MOST_NAMES)."""
    short = name[:80]
    if not short.isprintable():
        short = "".join(letter if letter.isprintable() else "?" for letter in short)
    short = short or "unnamed"
    return short if short in known or len(known) < (MOST_NAMES if most is None else most) else _OTHERS


def _figures_of(sums: SecondSums) -> Second:
    return Second(sums.completed + sums.failed, sums.completed, sums.failed, sums.ms / 1000, _histogram(sums.bins))


def bin_of(ms: float) -> int:
    """A time as its leading bits in microseconds, followed by six bits for the number of bits cut off."""
    microseconds = round(ms * 1000)
    cut = max(0, microseconds.bit_length() - _DIGITS)
    return microseconds >> cut << 6 | cut


def _histogram(bins: Counter[int]) -> Histogram:
    rows = sorted((code >> 6 << (code & 63), (1 << (code & 63)) - 1, count) for code, count in bins.items())
    lowest, width, counts = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    return Histogram(lowest + width, lowest + width / 2, counts)
