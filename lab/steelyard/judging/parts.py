"""The parts of a file, separated by gaps without requests, and the window of one part that is judged."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..base.errors import ConfigurationError
from ..base.text import plural

GAP_SECONDS = 600.0  # a longer time without requests in progress begins a new part
MOST_PARTS = 1_000
_MOST_LISTED = 10
SKIPPED = "ended in the skipped time (--skip)"
LATER = "ended after the judged time (--for)"
OTHER_PART = "in another part of the file (--part)"


@dataclass
class FilePart:
    """A period with requests in progress, without a gap of GAP_SECONDS: its start and end in seconds, and its number of
    results."""

    begin_s: float
    end_s: float
    results: int = 1

    def sentence(self) -> str:
        """A sentence with its times in UTC and the number of its results."""
        return f"{_time(self.begin_s)} to {_time(self.end_s)} UTC ({plural(self.results, 'result')})"


class Parts:
    """The parts of the requests so far, in any order. Memory holds parts only."""

    def __init__(self) -> None:
        self._parts: list[FilePart] = []
        self._begins: list[float] = []
        self._at = 0  # the part of the last request

    def add_request(self, begun_s: float, ended_s: float) -> None:
        """Add one request's time. Raises ConfigurationError for too many parts."""
        if self._parts:
            last = self._parts[self._at]
            if last.begin_s <= begun_s and ended_s <= last.end_s:
                last.results += 1
                return
        at = max(0, bisect_right(self._begins, begun_s) - 1)
        if at < len(self._parts) and begun_s - self._parts[at].end_s >= GAP_SECONDS:
            at += 1
        end = at
        merged = FilePart(begun_s, ended_s)
        while end < len(self._parts) and self._parts[end].begin_s - ended_s < GAP_SECONDS:
            near = self._parts[end]
            merged.begin_s, merged.end_s = min(merged.begin_s, near.begin_s), max(merged.end_s, near.end_s)
            merged.results += near.results
            end += 1
        self._parts[at:end] = [merged]
        self._begins[at:end] = [merged.begin_s]
        self._at = at
        if len(self._parts) > MOST_PARTS:
            raise ConfigurationError(
                f"it has more than {MOST_PARTS:,} parts, separated by {GAP_SECONDS:g} s without requests"
            )

    def in_order(self) -> Sequence[FilePart]:
        """The parts by time."""
        return self._parts


@dataclass(frozen=True)
class Selection:
    """The judged selection of a file: its `part` (from 1), without the first `skip_seconds`, for at most
    `for_seconds`."""

    skip_seconds: float = 0.0
    part: int | None = None
    for_seconds: float | None = None

    @property
    def is_everything(self) -> bool:
        """Whether it selects everything."""
        return self == Selection()

    def window(self, parts: Sequence[FilePart]) -> Window:
        """The window to judge.

        Raises ConfigurationError if the part does not exist, or several exist and none is given.
        """
        if self.part is None:
            require_one_part(parts)
        elif not 1 <= self.part <= len(parts):
            raise ConfigurationError(f"it has no part {self.part}", hint=_list_parts(parts))
        part = parts[(self.part or 1) - 1]
        begin_s = part.begin_s + self.skip_seconds
        end_s = math.inf if self.for_seconds is None else begin_s + self.for_seconds
        return Window(part.begin_s, part.end_s, begin_s, end_s)


def require_one_part(parts: Sequence[FilePart]) -> None:
    """Raise ConfigurationError with the list of parts where there are several."""
    if len(parts) > 1:
        said = f"it has {len(parts)} parts, separated by {GAP_SECONDS:g} s or more without requests"
        raise ConfigurationError(said, hint=f"choose one with --part: {_list_parts(parts)}")


@dataclass(frozen=True)
class Window:
    """The judged time in seconds, from `begin_s` to before `end_s`, within a part. By default all time."""

    part_begin_s: float = -math.inf
    part_end_s: float = math.inf
    begin_s: float = -math.inf
    end_s: float = math.inf

    def leaves_out(self, ended_s: float) -> str | None:
        """Why a request that ended then is left out. None if it counts."""
        if not self.part_begin_s <= ended_s <= self.part_end_s:
            return OTHER_PART
        if ended_s < self.begin_s:
            return SKIPPED
        return None if ended_s < self.end_s else LATER


def _list_parts(parts: Sequence[FilePart]) -> str:
    listed = [f"part {number}: {part.sentence()}" for number, part in enumerate(parts[:_MOST_LISTED], 1)]
    more = [f"and {len(parts) - _MOST_LISTED} more"] if len(parts) > _MOST_LISTED else []
    return "; ".join([*listed, *more])


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
