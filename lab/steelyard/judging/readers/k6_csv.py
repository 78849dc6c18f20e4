"""k6's results as a table (`k6 run --out csv=FILE`): a row a value of a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO
from urllib.parse import parse_qs

from ..gathering import Answered, Gathering
from .reader import ResultReader, instant_of, number_of, rows_of

TIME, CHECKS, USERS = "http_req_duration", "checks", "vus"
BEGINS = "k6's times begin when a request is sent on a connection that stands: connecting and waiting for one are not in them"
BY_STATUS = "k6 says of a request whether its status was expected; whether its checks were kept stands apart"


class K6Csv(ResultReader):
    """Of the metrics response times, checks and users are read."""

    title = "k6 (CSV)"

    def knows(self, head: str) -> bool:
        return head.lstrip("\ufeff").startswith("metric_name,timestamp,metric_value")

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        for line, row in rows_of(file, gathering):
            tags = {**row, **{name: values[0] for name, values in parse_qs(row.get("extra_tags", "")).items()}}
            count_value(gathering, row["metric_name"], (row["timestamp"], row["metric_value"]), tags, line)


def count_value(gathering: Gathering, metric: str, value: tuple[str, str], tags: Mapping[str, str], line: int) -> None:
    """Count one value of a metric, given with its instant; raises ConfigurationError."""
    instant, text = value
    if metric not in (TIME, CHECKS, USERS):
        return
    number = number_of(text, line, metric)
    if metric == USERS:
        gathering.saw_users(max(0, min(int(number), 10**6)))
    elif metric == CHECKS:
        gathering.checks[number != 0] += 1
    else:
        gathering.notes |= dict.fromkeys((BEGINS, BY_STATUS))
        gathering.add(Answered(instant_of(instant, line), number, tags.get("name", ""), _failure_of(tags)), line)


def _failure_of(tags: Mapping[str, str]) -> str:
    status = tags.get("status", "")
    expected = tags.get("expected_response", "")
    right = expected == "true" if expected else status[:1] in ("2", "3") and not tags.get("error", "")
    if right:
        return ""
    code = tags.get("error_code", "")
    return f"status {status}" if status not in ("", "0") else f"error {code}" if code else "failed"
