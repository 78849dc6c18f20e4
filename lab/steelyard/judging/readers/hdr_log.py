"""HdrHistogram's logs (.hlog): a compressed histogram of version 2 for each interval, with or without a tag.

A line has `Tag=NAME,` if any, start and length of the interval in s, the maximum in another unit than the values, and the
histogram in base64. The unit of values follows from the maximum, which a log gives in ms.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Sequence
from typing import IO

from ...base import histogram
from ...base.errors import ConfigurationError
from ..counts import SecondSums, bin_of
from ..gathering import ALL_TOGETHER, MOST_MS, Gathering
from ..limits import Holds
from .reader import Lines, ResultReader, tolerate_cut_end

MOST_PAYLOAD = 2**22  # bytes of an uncompressed histogram
UNIT = "maxima of the log are taken as milliseconds, HdrHistogram's default"
FINE = "times below a microsecond are rounded to one"
TAGS = "each tag counts as an operation"
LONG = "its intervals are longer than a second, so figures have no interval"
HEADER = "header and comment lines"
_LINE = re.compile(
    r"(?:Tag=(?P<tag>[^,]*),)?(?P<begin>\d{1,12}(?:\.\d{1,9})?),(?P<length>\d{1,9}(?:\.\d{1,9})?),"
    r"(?P<most>\d{1,15}(?:\.\d{1,9})?),(?P<packed>[A-Za-z0-9+/=]+)"
)
_FIRST = re.compile(r"^(?:Tag=[^,\n]*,)?[\d.]+,[\d.]+,[\d.]+,HIST", re.MULTILINE)
_START = re.compile(r"#\[(?:Start|Base)Time: (\d{1,12}(?:\.\d{1,9})?)")
_OUTER, _INNER = 0x1C849304, 0x1C849303  # of version 2, compressed and within, without the bits for the word size
_MASK = 0xFFFFFF0F
_HEADER = struct.Struct(">IIIIQQd")
_UNITS = (1.0, 1e3, 1e6)  # values in a unit of the maximum: none of its own, µs and ns of ms
_DEFAULT = 1e6
_LEAST_SHOWN = 0.1  # a smaller maximum has too few digits to show the unit
_ALIKE = 0.05
_SINCE_1970 = 1e8  # from this instant on in s, a start is on the clock
_LONGEST = 1.5  # s of an interval that stands for a second


class HdrLog(ResultReader):
    """Only answers are recorded, each in the interval in which it ended."""

    title = "HdrHistogram (log)"
    mark = "lines with start, length, maximum and a compressed histogram"
    holds = Holds.HISTOGRAMS
    cannot_show = ("how many requests failed: a histogram counts answers alone",)

    def recognizes(self, head: str) -> bool:
        start = head.lstrip("\ufeff")
        return _FIRST.search(start) is not None or (start.startswith("#[") and "Histogram log" in start)

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes |= dict.fromkeys((UNIT, FINE))
        lines, intervals = Lines(file), _Intervals()
        for line, text in enumerate(lines, 1):
            content = text.strip().lstrip("\ufeff")
            if not content:
                continue
            gathering.rows += 1
            with tolerate_cut_end(lines, gathering, line):
                if content.startswith(("#", '"')):
                    intervals.take_header(content)
                    gathering.leave_out(HEADER, line)
                else:
                    intervals.add(content, line, gathering)
        if intervals.longest_s > _LONGEST:
            gathering.lasted_s = intervals.lasted_s
            gathering.notes[LONG] = None


class _Intervals:
    """The state of a log: its base time, the unit of its values, and the time that its counted intervals cover."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._base_s = 0.0
        self._unit: float | None = None
        self._middle_s: float | None = None
        self._begin_s = float("inf")
        self._end_s = 0.0

    @property
    def lasted_s(self) -> float:
        """The time from the start of the first to the end of the last counted interval."""
        return max(0.0, self._end_s - self._begin_s)

    def take_header(self, text: str) -> None:
        """Take the base time from a header line."""
        match = _START.match(text)
        if match is not None:
            self._base_s = float(match[1])

    def add(self, text: str, line: int, gathering: Gathering) -> None:
        """Count one interval. Raises ConfigurationError with the line."""
        match = _LINE.fullmatch(text)
        if match is None:
            raise ConfigurationError(f"line {line}: not an interval of an HdrHistogram log")
        begin_s, length_s = float(match["begin"]), float(match["length"])
        begin_s += self._base_s if begin_s < _SINCE_1970 else 0.0
        end_s = begin_s + length_s
        if not 0 <= end_s < 1e11:
            raise ConfigurationError(f"line {line}: an interval that ends at {end_s:g} s is impossible")
        values = _decode(match["packed"], line)
        sums = _sums_of(values, self._unit_of(values, float(match["most"]), line), line)
        if match["tag"]:
            gathering.notes[TAGS] = None
        gathering.add_interval(begin_s, end_s, self._second(begin_s, length_s), sums, match["tag"] or ALL_TOGETHER)
        if gathering.window.leaves_out(end_s) is None:
            self.longest_s = max(self.longest_s, length_s)
            self._begin_s, self._end_s = min(self._begin_s, begin_s), max(self._end_s, end_s)

    def _second(self, begin_s: float, length_s: float) -> int:
        """The second of an interval. Those of about a second each have one, although their ends vary a little."""
        if not 0.5 < length_s <= _LONGEST:
            return int(begin_s + length_s)
        middle_s = begin_s + length_s / 2
        if self._middle_s is None:
            self._middle_s = middle_s
        return max(0, int(self._middle_s) + round(middle_s - self._middle_s))

    def _unit_of(self, values: histogram.Histogram, most: float, line: int) -> float:
        """The values of the log in a millisecond. Raises ConfigurationError where the maximum does not show it."""
        if not values.total or most < _LEAST_SHOWN:
            return self._unit or _DEFAULT
        ratio = float(values.highest[-1]) / most
        unit = next((unit for unit in _UNITS if abs(ratio / unit - 1) < _ALIKE), None)
        if unit == 1:
            raise ConfigurationError(
                f"line {line}: its maximum has the unit of its values, so this unit is unknown",
                hint="write the log with a ratio for milliseconds (1000000 for values in nanoseconds)",
            )
        if unit is None or (self._unit is not None and unit != self._unit):
            raise ConfigurationError(f"line {line}: its maximum of {most:g} contradicts its histogram")
        self._unit = unit
        return unit


def _decode(packed: str, line: int) -> histogram.Histogram:
    """The values of a histogram, in its own unit. Raises ConfigurationError with the line."""
    try:
        raw = base64.b64decode(packed, validate=True)
        cookie, length = struct.unpack_from(">II", raw)
        if cookie & _MASK != _OUTER:
            raise ConfigurationError(
                f"line {line}: not a compressed histogram of version 2",
                hint="write it with HdrHistogram 2.1.9 or later",
            )
        payload = _unpack(raw[8 : 8 + length], line)
        inner, _, offset, digits, _, _, ratio = _HEADER.unpack_from(payload)
        if inner & _MASK != _INNER or offset or not 0 <= digits <= 5 or ratio != 1:
            raise ConfigurationError(
                f"line {line}: a histogram with a shift, a scale or digits that judge does not read"
            )
        return histogram.decode(packed)
    except (binascii.Error, struct.error, zlib.error, ValueError):
        raise ConfigurationError(f"line {line}: its compressed histogram is damaged") from None


def _unpack(packed: bytes, line: int) -> bytes:
    unpacking = zlib.decompressobj()
    payload = unpacking.decompress(packed, MOST_PAYLOAD)
    if unpacking.unconsumed_tail:
        raise ConfigurationError(f"line {line}: its histogram is larger than {MOST_PAYLOAD >> 20} MiB")
    return payload


def _sums_of(values: histogram.Histogram, unit: float, line: int) -> SecondSums:
    times: Sequence[float] = (values.middle / unit).tolist()
    if times and times[-1] > MOST_MS:
        raise ConfigurationError(f"line {line}: a time of {times[-1]:g} ms is impossible")
    sums = SecondSums()
    for ms, count in zip(times, values.counts.tolist(), strict=True):
        sums.completed += count
        sums.ms += ms * count
        sums.bins[bin_of(ms)] += count
    return sums
