"""Gatling's simulation.log as text (versions before 3.12): tab-separated records of requests and users.

A request has its groups, name, start and end in ms, OK or KO, and a message. Versions before 3.4 write the user's number
before them, those of 2.x also the scenario.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import IO

from ...base.errors import ConfigurationError
from ..counts import MOST_SECONDS, Answered, LastsTooLongError
from ..gathering import Gathering
from .reader import Lines, ResultReader, tolerate_cut_end

WHOLE = "Gatling writes whole milliseconds: figures of few milliseconds are rough"
ARRIVALS = "users arrive all the time, so the load is judged by their arrivals"
NO_REQUEST = "records other than requests (run, users, groups, assertions, errors)"
_RECORDS = ("RUN", "USER", "REQUEST", "GROUP", "ERROR", "ASSERTION")
_STATUSES = ("OK", "KO")
_FIRST_INSTANTS = (3, 4, 5)  # the field of a request's start: of version 3.4 on, 3.0 to 3.3, and 2.x
_DEVIATIONS = 4.0  # between the arrivals of two halves of a load, until they differ


class GatlingLog(ResultReader):
    """Requests with their times. The number of users follows from the records of their starts and ends."""

    title = "Gatling (simulation.log)"
    mark = "tab-separated records that begin with RUN, USER, REQUEST or ASSERTION"

    def recognizes(self, head: str) -> bool:
        lines = head.lstrip("\ufeff").split("\n")[:50]
        return lines[0].partition("\t")[0] in _RECORDS and any(
            line.startswith(("RUN\t", "REQUEST\t", "USER\t")) and line.count("\t") >= 3 for line in lines
        )

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None
        lines, users = Lines(file), _Users()
        for line, text in enumerate(lines, 1):
            fields = text.rstrip("\r\n").lstrip("\ufeff").split("\t")
            if fields == [""]:
                continue
            gathering.rows += 1
            with tolerate_cut_end(lines, gathering, line):
                if fields[0] == "REQUEST":
                    gathering.add(_request_of(fields, line), line)
                elif fields[0] in _RECORDS:
                    users.take(fields)
                    gathering.leave_out(NO_REQUEST, line)
                else:
                    raise ConfigurationError(f"line {line}: '{fields[0][:20]}' is not a record of Gatling")
        users.describe(gathering)


def _request_of(fields: Sequence[str], line: int) -> Answered:
    for at in _FIRST_INSTANTS:
        if fields[at + 2 : at + 3] and fields[at + 2] in _STATUSES and _is_instant(fields[at], fields[at + 1]):
            begun_ms, ended_ms = int(fields[at]), int(fields[at + 1])
            message = "".join(fields[at + 3 : at + 4]).strip()
            groups = [name for name in fields[at - 2].split(",") if name]
            return Answered(
                ended_s=ended_ms / 1000,
                ms=float(ended_ms - begun_ms),
                operation=" / ".join([*groups, fields[at - 1]]),
                failure="" if fields[at + 2] == "OK" else "failed",
                message=message if fields[at + 2] == "KO" else "",
            )
    raise ConfigurationError(f"line {line}: a request without start, end and OK or KO")


def _is_instant(*texts: str) -> bool:
    return all(text.isascii() and text.isdecimal() and len(text) <= 15 for text in texts)


class _Users:
    """Starts and ends of users by second."""

    def __init__(self) -> None:
        self._starts: Counter[int] = Counter()
        self._ends: Counter[int] = Counter()

    def take(self, fields: Sequence[str]) -> None:
        """Count a user's start or end. Raises LastsTooLongError."""
        for kind, by_second in (("START", self._starts), ("END", self._ends)):
            if fields[0] == "USER" and kind in fields[2:4] and _is_instant(fields[-1]):
                by_second[int(fields[-1]) // 1000] += 1
                if len(by_second) > MOST_SECONDS:
                    raise LastsTooLongError

    def describe(self, gathering: Gathering) -> None:
        """Record the number of users at the end of each whole second, and whether the load was constant.

        Where users start in most seconds and their number changes, the arrivals decide: they are constant if the two
        halves of the load differ no more than chance explains (by four standard deviations of a Poisson process).
        """
        known = sorted({*self._starts, *self._ends})
        if not known or known[-1] - known[0] > 2 * MOST_SECONDS:
            return
        active, arrivals = 0, []
        for second in range(known[0], known[-1]):
            active += self._starts[second] - self._ends[second]
            if second > known[0] and gathering.window.leaves_out(second + 1) is None:
                gathering.note_users(active, second + 1)
                arrivals.append(self._starts[second])
        if gathering.users is None or gathering.users[0] == gathering.users[1]:
            return
        if sum(map(bool, arrivals)) > len(arrivals) / 2:
            half = len(arrivals) // 2
            earlier, later = sum(arrivals[:half]), sum(arrivals[len(arrivals) - half :])
            gathering.is_steady = abs(earlier - later) <= _DEVIATIONS * math.sqrt(earlier + later)
            gathering.notes[ARRIVALS] = None
