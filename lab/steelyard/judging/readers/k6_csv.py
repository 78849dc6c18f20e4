"""k6's results as CSV (`k6 run --out csv=FILE`): one row for each value of a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO
from urllib.parse import parse_qs

from ..counts import Answered
from ..gathering import Gathering
from .reader import ResultReader, Row, instant_of, number_of, read_rows

TIME, CHECKS, USERS, DROPPED = "http_req_duration", "checks", "vus", "dropped_iterations"
GRPC_TIME = "grpc_req_duration"
BEGINS = (
    "k6's times begin when a request is sent on an open connection, so connecting and waiting for one are not included"
)
BY_STATUS = "k6 reports whether the status of a request was expected; its checks are reported separately"
BY_GRPC_STATUS = "an answer of gRPC is right by its status 0; k6's checks are reported separately"
NO_REQUEST = "values other than response times (other metrics, checks, users)"
MOST_DROPPED = 10**9  # of one value


class K6Csv(ResultReader):
    """Reads the metrics for response times, checks, users and dropped iterations."""

    title = "k6 (CSV)"
    mark = "the columns metric_name, timestamp and metric_value"

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff").startswith("metric_name,timestamp,metric_value")

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        def take_row(row: Row, line: int) -> None:
            tags = {**row, **{name: values[0] for name, values in parse_qs(row.get("extra_tags", "")).items()}}
            count_value(gathering, row["metric_name"], (row["timestamp"], row["metric_value"]), tags, line)

        read_rows(file, gathering, take_row)


def count_value(gathering: Gathering, metric: str, value: tuple[str, str], tags: Mapping[str, str], line: int) -> None:
    """Count one value of a metric with its time. Raises ConfigurationError."""
    instant, text = value
    if metric not in (TIME, GRPC_TIME, CHECKS, USERS, DROPPED):
        gathering.leave_out(NO_REQUEST, line)
        return
    number, at = number_of(text, line, metric), instant_of(instant, line)
    if metric == TIME:
        gathering.notes |= dict.fromkeys((BEGINS, BY_STATUS))
        gathering.add(_parse_request(tags, at, number), line)
        return
    if metric == GRPC_TIME:
        gathering.notes |= dict.fromkeys((BEGINS, BY_GRPC_STATUS))
        gathering.add(_parse_call(tags, at, number), line)
        return
    if metric == USERS:
        gathering.note_users(int(number), at)
    elif gathering.window.leaves_out(at) is None:
        if metric == DROPPED:
            gathering.dropped += int(max(0.0, min(number, MOST_DROPPED)))
        else:
            gathering.checks[number != 0] += 1
    gathering.leave_out(NO_REQUEST, line)


def _parse_request(tags: Mapping[str, str], ended_s: float, ms: float) -> Answered:
    failure = _failure_of(tags)
    status = tags.get("status", "")
    code = "" if status in ("", "0") else status
    return Answered(ended_s, ms, tags.get("name", ""), failure, code=code, message=tags.get("error", ""))


def _parse_call(tags: Mapping[str, str], ended_s: float, ms: float) -> Answered:
    """A call of gRPC, whose status is that of gRPC."""
    status = tags.get("status", "")
    failure = "" if status == "0" else f"gRPC status {status}" if status else "failed"
    return Answered(ended_s, ms, tags.get("name", ""), failure, message=tags.get("error", ""))


def _failure_of(tags: Mapping[str, str]) -> str:
    status = tags.get("status", "")
    expected = tags.get("expected_response", "")
    right = expected == "true" if expected else status[:1] in ("2", "3") and not tags.get("error", "")
    if right:
        return ""
    code = tags.get("error_code", "")
    return f"status {status}" if status not in ("", "0") else f"error {code}" if code else "failed"
