"""Vegeta's results (`vegeta encode --to json` or `--to csv`): one request a line, with its start and latency in ns."""

from __future__ import annotations

import json
import re
from typing import IO, Any

from ...base.errors import ConfigurationError
from ..counts import Answered
from ..gathering import Gathering
from .reader import Lines, ResultReader, Row, instant_of, number_of, read_rows, tolerate_cut_end
from .summaries import BY_STATUS, failure_of_status

SENDS = (
    "whether requests were sent when they were due: vegeta's times begin when a request is sent, and its workers may "
    "send late"
)
_COLUMNS = ("timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "attack")
_ROW = re.compile(r"\d{16,20},\d{1,3},\d+,\d+,\d+,")


class VegetaJson(ResultReader):
    """One JSON object on each line."""

    title = "vegeta (JSON)"
    mark = "lines of JSON with timestamp, latency and code"
    closed_loop = False
    cannot_show = (SENDS,)

    def recognizes(self, head: str) -> bool:
        first = head.lstrip("\ufeff").partition("\n")[0]
        return first.startswith("{") and all(f'"{name}":' in first for name in ("timestamp", "latency", "code", "seq"))

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[BY_STATUS] = None
        lines = Lines(file)
        for line, text in enumerate(lines, 1):
            if not text.strip():
                continue
            gathering.rows += 1
            with tolerate_cut_end(lines, gathering, line):
                gathering.add(_request_of(_fields(text, line), line), line)


class VegetaCsv(ResultReader):
    """Nine columns or more, without a header."""

    title = "vegeta (CSV)"
    mark = "rows that begin with a start in ns, a status and a latency"
    closed_loop = False
    cannot_show = (SENDS,)

    def recognizes(self, head: str) -> bool:
        return _ROW.match(head.lstrip("\ufeff")) is not None

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[BY_STATUS] = None

        def take_row(row: Row, line: int) -> None:
            gathering.add(_request_of(row, line), line)

        read_rows(file, gathering, take_row, columns=_COLUMNS)


def _fields(text: str, line: int) -> Row:
    try:
        row: Any = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        raise ConfigurationError(f"line {line}: not JSON") from None
    if not isinstance(row, dict):
        raise ConfigurationError(f"line {line}: not a JSON object")
    return {name: str(row.get(name) or "") for name in ("timestamp", "error", "attack", "method", "url")} | {
        name: str(row.get(name, "")) for name in ("code", "latency")
    }


def _request_of(row: Row, line: int) -> Answered:
    begun_s, ms = instant_of(row["timestamp"], line), number_of(row["latency"], line, "latency") / 1e6
    status = row["code"] if row["code"] != "0" else ""
    failure = failure_of_status(status) if status else "error"
    if not failure and row["error"]:
        failure = "error"
    return Answered(
        ended_s=begun_s + ms / 1000,
        ms=ms,
        operation=row["attack"] or "all requests",
        failure=failure,
        code=status,
        message=row["error"] if failure else "",
    )
