"""Locust's results (`locust --csv NAME`): its history, a row every second or so, and its sums; it writes down no single request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

from ...base.errors import ConfigurationError
from ..gathering import Gathering, OperationSums, SecondSums
from .reader import ResultReader, number_of, rows_of

ALL = "Aggregated"
_NO_TIMES = "Locust writes down no single request: percentiles are its own, rounded, and have no interval"
_FAILED_TOO = "Locust's times are those of failed requests, too"
_TOTALS = ("Total Request Count", "Total Failure Count", "Total Average Response Time")
_OWN = {"50%": 0.5, "95%": 0.95, "99%": 0.99}


class LocustHistory(ResultReader):
    """NAME_stats_history.csv: requests, failures and mean from one row to the next, from its totals; of all operations together."""

    title = "Locust (history)"

    def knows(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "User Count" in first and all(name in first for name in _TOTALS)

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes |= dict.fromkeys((_NO_TIMES, _FAILED_TOO))
        before: tuple[float, float, float, float] | None = None
        index = 0
        for line, row in rows_of(file, gathering):
            if row.get("Name") != ALL:
                continue
            total, failed, mean = (number_of(row[name] if row[name] != "N/A" else 0, line, name) for name in _TOTALS)
            instant = number_of(row.get("Timestamp"), line, "Timestamp")
            gathering.saw_users(max(0, min(int(number_of(row["User Count"], line, "User Count")), 10**6)))
            now = (instant, total, failed, total * mean)
            if before is not None:
                index = _count(gathering, index, before, now, line)
            if before is None or instant > before[0]:
                before = now


def _count(gathering: Gathering, index: int, before: tuple[float, ...], now: tuple[float, ...], line: int) -> int:
    """Count what came between two rows as so many seconds, evenly; the number of the next second is returned."""
    seconds, requests, failed, ms = (later - earlier for later, earlier in zip(now, before, strict=True))
    if seconds < 1:
        return index  # two rows of one second
    if requests < failed or failed < 0 or seconds > 3600 or requests > 1e9:
        raise ConfigurationError(f"line {line}: its totals contradict those before")
    completed, mean = requests - failed, max(0.0, ms) / requests if requests else 0.0
    whole = round(seconds)
    for place in range(whole):
        done, lost = (round(sum_ * (place + 1) / whole) - round(sum_ * place / whole) for sum_ in (completed, failed))
        gathering.add_sums(index + place, SecondSums(done, lost, done * mean))
    sums = gathering.operations.setdefault("all together", OperationSums())
    sums.completed += round(completed)
    sums.ms += completed * mean
    if failed:
        sums.failures["failed"] += round(failed)
    return index + whole


class LocustSums(ResultReader):
    """NAME_stats.csv: sums of each operation, and percentiles as Locust computed them."""

    title = "Locust (sums)"

    def knows(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "Request Count" in first and "Average Response Time" in first and "User Count" not in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes |= dict.fromkeys((_NO_TIMES, _FAILED_TOO, "it holds sums and no course over time: no interval"))
        for line, row in rows_of(file, gathering):
            names = ("Request Count", "Failure Count", "Average Response Time")
            total, failed, mean = (number_of(row.get(name, 0), line, name) for name in names)
            if not 0 <= failed <= total <= 1e12:
                raise ConfigurationError(f"line {line}: {failed:g} of {total:g} requests failed")
            if row.get("Name") != ALL:
                completed = round(total - failed)
                sums = OperationSums(completed, completed * mean)
                sums.failures.update({"failed": round(failed)} if failed else {})
                gathering.operations[f"{row.get('Type', '')} {row.get('Name', '')}".strip()[:80]] = sums
                continue
            _own_figures(gathering, row, line)


def _own_figures(gathering: Gathering, row: Mapping[str, str], line: int) -> None:
    """What Locust says of all operations together."""
    gathering.said |= {
        f"p{share * 100:g}": number_of(row[column], line, column)
        for column, share in _OWN.items()
        if row.get(column) not in (None, "", "N/A")
    }
    rates = [number_of(row.get(name, 0), line, name) for name in ("Requests/s", "Failures/s")]
    gathering.said["throughput"] = max(0.0, rates[0] - rates[1])
