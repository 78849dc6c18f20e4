"""k6's results as JSON (`k6 run --out json=FILE`): one object on each line, a metric or a value of one."""

from __future__ import annotations

import json
from typing import IO, Any

from ...base.errors import ConfigurationError
from ..gathering import Gathering
from .k6_csv import NO_REQUEST, count_value
from .reader import Lines, ResultReader, tolerate_cut_end


class K6Json(ResultReader):
    """The same metrics as in k6's CSV."""

    title = "k6 (JSON)"
    mark = "lines of JSON with a metric and a type"

    def recognizes(self, head: str) -> bool:
        first = head.lstrip("\ufeff").partition("\n")[0]
        return first.startswith("{") and '"metric"' in first and '"type"' in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        lines = Lines(file)
        for line, text in enumerate(lines, 1):
            if not text.strip():
                continue
            gathering.rows += 1
            with tolerate_cut_end(lines, gathering, line):
                _take_line(text.lstrip("\ufeff"), line, gathering)


def _take_line(text: str, line: int, gathering: Gathering) -> None:
    try:
        row: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"line {line}: not JSON") from None
    if not isinstance(row, dict):
        raise ConfigurationError(f"line {line}: not a JSON object")
    data = row.get("data")
    if row.get("type") != "Point" or not isinstance(data, dict):
        gathering.leave_out(NO_REQUEST, line)
        return
    tags: Any = data.get("tags")
    known = {str(name): str(value) for name, value in tags.items()} if isinstance(tags, dict) else {}
    value = (str(data.get("time", "")), str(data.get("value", "")))
    count_value(gathering, str(row.get("metric", "")), value, known, line)
