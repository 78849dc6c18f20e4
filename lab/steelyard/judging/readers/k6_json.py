"""k6's results as JSON (`k6 run --out json=FILE`): an object a line, each a metric or a value of one."""

from __future__ import annotations

import json
from typing import IO, Any

from ...base.errors import ConfigurationError
from ..gathering import Gathering
from .k6_csv import count_value
from .reader import ResultReader, lines_of


class K6Json(ResultReader):
    """The same metrics as of k6's table."""

    title = "k6 (JSON)"

    def knows(self, head: str) -> bool:
        first = head.lstrip("\ufeff").partition("\n")[0]
        return first.startswith("{") and '"metric"' in first and '"type"' in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        cut: int | None = None
        for line, text in enumerate(lines_of(file), 1):
            if cut is not None:
                raise ConfigurationError(f"line {cut}: it is no JSON")
            try:
                row: Any = json.loads(text) if text.strip() else {}
            except (ValueError, RecursionError):
                cut = line
                continue
            if not isinstance(row, dict):
                raise ConfigurationError(f"line {line}: it is no object")
            data = row.get("data")
            if row.get("type") == "Point" and isinstance(data, dict):
                tags: Any = data.get("tags")
                known = {str(name): str(value) for name, value in tags.items()} if isinstance(tags, dict) else {}
                value = (str(data.get("time", "")), str(data.get("value", "")))
                count_value(gathering, str(row.get("metric", "")), value, known, line)
        if cut is not None:
            gathering.notes["its last line was cut short, and is left out"] = None
