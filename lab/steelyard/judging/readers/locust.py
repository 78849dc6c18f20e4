"""Locust's results (`locust --csv NAME`): its history, about one row a second, and its totals.

It records no single request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from ...base.errors import ConfigurationError
from ..counts import OperationSums, SecondSums, bounded_name
from ..gathering import ALL_TOGETHER, Gathering
from ..limits import Holds
from ..parts import GAP_SECONDS
from .reader import ResultReader, Row, number_of, read_rows

ALL = "Aggregated"
MOST_INSTANTS = 7 * 86_400
_NO_TIMES = "Locust records no single request: percentiles are its own, rounded, and have no interval"
_FAILED_TOO = "Locust's times include those of failed requests"
_TOTALS = ("Total Request Count", "Total Failure Count", "Total Average Response Time")
_OWN = {"50%": 0.5, "95%": 0.95, "99%": 0.99}
SINGLE = "rows of single operations: the rows for all operations are counted"
SAME_SECOND = "rows of a second that a later row has too"


@dataclass(frozen=True, order=True)
class _Totals:
    """A row for all operations together: totals of requests, failures and response time in ms since counting began."""

    requests: float
    failed: float
    ms: float
    line: int
    users: int

    def since(self, before: _Totals | None) -> tuple[float, float, float]:
        """Requests, failures and ms since an earlier row, or since a reset after it."""
        if before is None or self.began_anew(before):
            return self.requests, self.failed, self.ms
        return self.requests - before.requests, self.failed - before.failed, max(0.0, self.ms - before.ms)

    def began_anew(self, before: _Totals) -> bool:
        """Whether the totals were reset after an earlier row (`--reset-stats`, or another run)."""
        return self.requests < before.requests or self.failed < before.failed


class LocustHistory(ResultReader):
    """NAME_stats_history.csv: requests, failures and mean time between rows, from totals of all operations together."""

    title = "Locust (history)"
    mark = "the columns User Count and Total Request Count"
    holds = Holds.SECONDS

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "User Count" in first and all(name in first for name in _TOTALS)

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes |= dict.fromkeys((_NO_TIMES, _FAILED_TOO))
        by_second: dict[int, _Totals] = {}

        def take_row(row: Row, line: int) -> None:
            if row["Name"] != ALL:
                gathering.leave_out(SINGLE, line)
                return
            gathering.note_result()
            instant = number_of(row["Timestamp"], line, "Timestamp")
            if not 0 <= instant < 1e11:
                raise ConfigurationError(f"line {line}: the time {instant:g} s is impossible")
            totals = _totals_of(row, line)
            known = by_second.get(int(instant))
            if known is not None:
                gathering.leave_out(SAME_SECOND, line)
                totals = max(known, totals)
            by_second[int(instant)] = totals
            if len(by_second) > MOST_INSTANTS:
                raise ConfigurationError(f"line {line}: it has rows of more than {MOST_INSTANTS:,} seconds")

        read_rows(file, gathering, take_row, "Timestamp", "Name", "User Count", *_TOTALS)
        _count_all(gathering, sorted(by_second.items()))


def _totals_of(row: Row, line: int) -> _Totals:
    requests, failed, mean = (number_of(row[name] if row[name] != "N/A" else 0, line, name) for name in _TOTALS)
    if not 0 <= failed <= requests <= 1e12 or not 0 <= mean <= 1e9:
        raise ConfigurationError(f"line {line}: its totals contradict each other")
    return _Totals(requests, failed, requests * mean, line, int(number_of(row["User Count"], line, "User Count")))


def _count_all(gathering: Gathering, rows: Sequence[tuple[int, _Totals]]) -> None:
    """Count the results between consecutive rows, by the time of the later row."""
    for instant, _ in rows:
        gathering.parts.add_request(instant, instant)
    before_at, before = None, None
    for instant, totals in rows:
        reason = gathering.window.leaves_out(instant)
        if reason is None:
            gathering.counted += 1
            gathering.note_users(totals.users, instant)
            gone = instant - before_at if before_at is not None else 1
            _count(gathering, instant, gone if gone < GAP_SECONDS else 1, totals, before)
            if before is not None and totals.began_anew(before):
                at = datetime.fromtimestamp(instant, UTC)
                gathering.notes[
                    f"line {totals.line}: its totals were reset ({at:%H:%M:%S} UTC, {instant - rows[0][0]} s after the "
                    "first row), as with --reset-stats; requests between that row and the one before are missing"
                ] = None
        else:
            gathering.left_out[reason] += 1
        before_at, before = instant, totals


def _count(gathering: Gathering, instant: int, seconds: int, totals: _Totals, before: _Totals | None) -> None:
    """Count results of a period that ends at an instant, spread evenly over its seconds."""
    requests, failed, ms = totals.since(before)
    if failed > requests or requests > 1e9:
        raise ConfigurationError(f"line {totals.line}: its totals contradict earlier ones")
    completed, mean = requests - failed, ms / requests if requests else 0.0
    for place in range(seconds):
        done, lost = (
            round(sum_ * (place + 1) / seconds) - round(sum_ * place / seconds) for sum_ in (completed, failed)
        )
        gathering.add_sums(instant - seconds + 1 + place, SecondSums(done, lost, done * mean), ALL_TOGETHER)


class LocustSums(ResultReader):
    """NAME_stats.csv: totals of each operation, and percentiles as Locust computed them."""

    title = "Locust (sums)"
    mark = "the columns Request Count and Average Response Time"
    holds = Holds.TOTALS

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "Request Count" in first and "Average Response Time" in first and "User Count" not in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes |= dict.fromkeys((_NO_TIMES, _FAILED_TOO, "it has totals without times: no interval"))

        def take_row(row: Row, line: int) -> None:
            names = ("Request Count", "Failure Count", "Average Response Time")
            total, failed, mean = (number_of(row.get(name, 0), line, name) for name in names)
            if not 0 <= failed <= total <= 1e12:
                raise ConfigurationError(f"line {line}: {failed:g} of {total:g} requests failed")
            if row.get("Name") == ALL:
                _own_figures(gathering, row, line)
                gathering.leave_out("the row for all operations: the rows of single operations are counted", line)
                return
            gathering.counted += 1
            completed = round(total - failed)
            operations = gathering.counts.operations
            name = bounded_name(f"{row.get('Type', '')} {row.get('Name', '')}".strip(), operations)
            sums = operations.setdefault(name, OperationSums())
            sums.completed += completed
            sums.ms += completed * mean
            sums.failures.update({"failed": round(failed)} if failed else {})

        read_rows(file, gathering, take_row)


def _own_figures(gathering: Gathering, row: Mapping[str, str], line: int) -> None:
    """Locust's own figures for all operations together."""
    gathering.own_figures |= {
        f"p{share * 100:g}": number_of(row[column], line, column)
        for column, share in _OWN.items()
        if row.get(column) not in (None, "", "N/A")
    }
    rates = [number_of(row.get(name, 0), line, name) for name in ("Requests/s", "Failures/s")]
    gathering.own_figures["throughput"] = max(0.0, rates[0] - rates[1])
