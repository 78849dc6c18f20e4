"""Collects a file's results: each row is counted, or left out with a reason."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ..base.errors import ConfigurationError
from .counts import MOST_MESSAGES, Answered, Counts, OperationSums, SecondSums, bounded_name
from .parts import Parts, Window
from .transactions import Transactions

MOST_MS = 86_400_000.0
MOST_WITHOUT_RESULT = 1_000_000  # consecutive rows
MOST_USERS = 10**6
MOST_COUNT = 10**12  # requests
MOST_SECONDS = 1e9  # of a load
_ROUNDED = 0.99  # of a figure that a tool rounded
ALL_TOGETHER = "all together"
CUT = "cut short at the end of the file"
REPEATED = "transactions whose requests are rows of the file"
AS_REQUESTS = "a transaction counts as one request where the file has no rows for its requests"
EMPTY_TRANSACTION = "transactions without a request"


@dataclass(frozen=True)
class Totals:
    """What a tool summed over a whole load: right answers, failures by kind, and answers by response code.

    `mean_ms` is their mean time. `figures` are other response times in ms by name (`p99`, `max`), as the tool computed
    them. `lasted_s` is the length of the load. None: the tool does not write it.
    """

    completed: int
    failures: Mapping[str, int] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    mean_ms: float | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    lasted_s: float | None = None
    operation: str = ALL_TOGETHER


class Gathering:
    """The content of a file: `rows` read = `counted` + those in `left_out` by reason.

    Only requests in `window` count. `transactions` are examples from an earlier, complete pass over the file; without
    it they are collected. `checks` counts a tool's own checks by whether they passed, `dropped` iterations that it was
    too slow to send. `own_figures` are percentiles in ms and throughput that the tool computed. `apart` counts the
    transactions that were left out. `lasted_s` is the length of a load without results by second (0: unknown); None
    where its length follows from its seconds. `is_steady` is whether the load was constant, where the tool's own events
    show it; None: the number of users decides.
    """

    def __init__(self, window: Window | None = None, transactions: Transactions | None = None) -> None:
        self.rows = 0
        self.counted = 0
        self.left_out: Counter[str] = Counter()
        self.notes: dict[str, None] = {}
        self.counts = Counts()
        self.apart = Counts()
        self.users: tuple[int, int] | None = None
        self.checks: Counter[bool] = Counter()
        self.dropped = 0
        self.own_figures: dict[str, float] = {}
        self.lasted_s: float | None = None
        self.is_steady: bool | None = None
        self.parts = Parts()
        self.window = window or Window()
        self.transactions = transactions or Transactions()
        self._held: dict[str, Counts] = {}
        self._without_result = 0

    def add(self, answered: Answered, line: int) -> None:
        """Count one request, or leave it out because of its time. Raises ConfigurationError for an impossible time."""
        self._see(answered, line)
        self.transactions.check_row(answered, transaction=False)
        if self._is_in_window(answered):
            self.counted += 1
            self.counts.add(answered)

    def add_transaction(self, answered: Answered, requests: int, line: int) -> None:
        """Hold one row of a transaction with this many requests, until `finish` knows whether it repeats rows of the
        file."""
        self._see(answered, line)
        if not requests:
            self.left_out[EMPTY_TRANSACTION] += 1
            return
        self.transactions.check_row(answered, transaction=True)
        name = self.transactions.name_of(answered)
        self.transactions.add_example(answered)
        if self._is_in_window(answered):
            self._held.setdefault(name, Counts()).add(answered)

    def set_apart(self, answered: Answered, line: int) -> None:
        """Leave out one transaction whose requests have rows."""
        self._see(answered, line)
        if self._is_in_window(answered):
            self.left_out[REPEATED] += 1
            self.apart.add(answered)

    def add_sums(self, instant_s: float, sums: SecondSums, operation: str) -> None:
        """Count a tool's totals for the second that ended at `instant_s`."""
        self.counts.add_sums(int(instant_s), sums, operation)

    def add_interval(self, begun_s: float, ended_s: float, second: int, sums: SecondSums, operation: str) -> None:
        """Count the results of an interval in second number `second`, or leave its row out because of its time."""
        self.note_result()
        self.parts.add_request(begun_s, ended_s)
        reason = self.window.leaves_out(ended_s)
        if reason is not None:
            self.left_out[reason] += 1
            return
        self.counted += 1
        self.counts.add_sums(second, sums, bounded_name(operation, self.counts.operations))

    def add_totals(self, totals: Totals) -> None:
        """Count one row of totals. Raises ConfigurationError for impossible ones."""
        _require_possible(totals)
        self.rows += 1
        self.counted += 1
        self.lasted_s = totals.lasted_s or 0.0
        sums = self.counts.operations.setdefault(totals.operation, OperationSums())
        sums.completed += totals.completed
        sums.ms += totals.completed * (totals.mean_ms or 0.0)
        for kind, count in totals.failures.items():
            if count:
                sums.failures[bounded_name(kind, sums.failures)] += count
        for code, count in totals.codes.items():
            if count:
                self.counts.codes[bounded_name(code, self.counts.codes)] += count
        self.own_figures |= {name[:20]: ms for name, ms in totals.figures.items()}
        if totals.mean_ms is not None:
            self.own_figures["mean"] = totals.mean_ms

    def count_messages(self, messages: Mapping[str, int]) -> None:
        """Count the texts of failures that are in the totals."""
        for message, count in messages.items():
            self.counts.messages[bounded_name(message, self.counts.messages, MOST_MESSAGES)] += count

    def leave_out(self, reason: str, line: int, count: int = 1) -> None:
        """Leave out rows without a result. Raises ConfigurationError for too many in a row."""
        self.left_out[reason] += count
        self._without_result += count
        if self._without_result > MOST_WITHOUT_RESULT:
            said = f"line {line}: the {MOST_WITHOUT_RESULT:,} rows before it have no result ({reason})"
            raise ConfigurationError(said, hint="check that this is the result file")

    def note_result(self) -> None:
        """Record that a row had a result."""
        self._without_result = 0

    def finish(self) -> None:
        """Count or drop the held transactions. Call it once, after the last row."""
        for name, held in self._held.items():
            if self.transactions.repeats(name):
                self.left_out[REPEATED] += held.total()
                self.apart.merge(held)
            else:
                self.notes[AS_REQUESTS] = None
                self.counted += held.total()
                self.counts.merge(held)
        self._held.clear()

    def note_users(self, users: int, instant_s: float) -> None:
        """Record the number of users at an instant, if it is in the window."""
        if self.window.leaves_out(instant_s) is None:
            self._saw_users(max(0, min(users, MOST_USERS)))

    def _see(self, answered: Answered, line: int) -> None:
        if not 0 <= answered.ms <= MOST_MS or not 0 <= answered.ended_s < 1e11:
            said = f"a time of {answered.ms:g} ms that ends at {answered.ended_s:g} s is impossible"
            raise ConfigurationError(f"line {line}: {said}")
        self.note_result()
        self.parts.add_request(answered.begun_s, answered.ended_s)

    def _is_in_window(self, answered: Answered) -> bool:
        reason = self.window.leaves_out(answered.ended_s)
        if reason is not None:
            self.left_out[reason] += 1
            return False
        if answered.users is not None:
            self._saw_users(answered.users)
        return True

    def _saw_users(self, users: int) -> None:
        least, most = self.users or (users, users)
        self.users = min(least, users), max(most, users)


def share_of(name: str) -> float:
    """The place of a figure of response time among others, in percent: of `p99` 99, of `min` 0, of `max` 100.

    Raises ConfigurationError for another name.
    """
    if name in ("min", "max"):
        return 0.0 if name == "min" else 100.0
    try:
        share = float(name.removeprefix("p"))
    except ValueError:
        share = math.nan
    if not name.startswith("p") or not 0 <= share <= 100:
        raise ConfigurationError(f"'{name[:20]}' is not a percentile")
    return share


def _require_possible(totals: Totals) -> None:
    counts = [totals.completed, *totals.failures.values(), *totals.codes.values()]
    if not all(0 <= count <= MOST_COUNT for count in counts):
        raise ConfigurationError("a number of its requests is impossible")
    times = [totals.mean_ms or 0.0, *totals.figures.values()]
    if not all(0 <= ms <= MOST_MS for ms in times):
        raise ConfigurationError("one of its response times is impossible")
    if totals.lasted_s is not None and not 0 <= totals.lasted_s <= MOST_SECONDS:
        raise ConfigurationError(f"a load of {totals.lasted_s:g} s is impossible")
    by_share = [ms for _, ms in sorted(totals.figures.items(), key=lambda item: share_of(item[0]))]
    if any(later < earlier * _ROUNDED for earlier, later in pairwise(by_share)):
        raise ConfigurationError("its percentiles contradict each other: a higher one is smaller")
