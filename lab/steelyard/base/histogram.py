"""Latency histograms in the engine's format: decoded on demand, merged without loss, never averaged."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from .csvfiles import read_text
from .errors import StoreError

# The bounds of the engine's histograms: from 1 µs to an hour, with this many significant digits.
MOST_US, DIGITS = 3_600_000_000, 3
_COOKIE = 0x1C849304  # of the compressed form of version 2, without the bits for the word size
_COOKIE_MASK = 0xFFFFFF0F
_WORD = 0x10  # those bits, as all libraries write them
_MAGIC = b"\x1c\x84\x93"  # of any histogram of version 2
_UNFOLDED = "0x"
_BASE = re.compile(r"#\[BaseTime: (\d+(?:\.\d+)?) ")
_INTERVAL = re.compile(r"(?:Tag=([^,]*),)?\d*\.?\d*,\d*\.?\d*,\d*\.?\d*,([A-Za-z0-9+/=]+)")


@dataclass(frozen=True)
class Histogram:
    """How often each value occurred.

    `highest` (rising) has the upper bounds of the values in microseconds, `middle` their centres. The bounds are
    HdrHistogram's equivalent ranges, 0.1% wide, so merging loses nothing.
    """

    highest: NDArray[np.int64]
    middle: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """The number of recorded values."""
        return int(self.counts.sum())

    def percentile(self, percent: float) -> float:
        """The value in microseconds that at least `percent` of the values do not exceed; needs a value.

        The rank is rounded up, as HdrHistogram does in Java and Rust: of ten values the 91st percentile is the tenth.
        """
        wanted = max(1, math.ceil(math.nextafter(percent, 0) / 100 * self.total))
        return float(self.highest[int(np.searchsorted(np.cumsum(self.counts), wanted))])

    def mean(self) -> float:
        """The mean in microseconds, within 0.1%; needs a value."""
        return float(np.dot(self.middle, self.counts) / self.counts.sum())

    def length_biased_mean(self) -> float:
        """The mean in microseconds of the value in which an instant drawn by chance lies: each counts by its length; needs a value.

        Of response times: the mean of those in progress at a random instant (Feller 1971, "An Introduction to Probability Theory
        and Its Applications", volume II, on the waiting time paradox). The plain mean where all are alike.
        """
        return float(np.dot(self.middle**2, self.counts) / np.dot(self.middle, self.counts))

    def deviation(self) -> float:
        """The standard deviation in microseconds, within 0.1% of the mean; needs two values."""
        squares = np.dot((self.middle - self.mean()) ** 2, self.counts)
        return float(np.sqrt(squares / (self.counts.sum() - 1)))


def empty() -> Histogram:
    """A histogram without a value."""
    return Histogram(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))


def merge_histograms(histograms: Iterable[Histogram]) -> Histogram:
    """All values of all histograms in one."""
    parts = [part for part in histograms if len(part.counts)]
    if not parts:
        return empty()
    if len(parts) == 1:
        return parts[0]
    highest, first, place = np.unique(
        np.concatenate([p.highest for p in parts]), return_index=True, return_inverse=True
    )
    counts = np.zeros(len(highest), np.int64)
    np.add.at(counts, place, np.concatenate([part.counts for part in parts]))
    return Histogram(highest, np.concatenate([part.middle for part in parts])[first], counts)


def subtract(whole: Histogram, part: Histogram) -> Histogram:
    """The values of `whole` without those of `part`, which must be a subset."""
    counts = whole.counts.copy()
    np.subtract.at(counts, np.searchsorted(whole.highest, part.highest), part.counts)
    return Histogram(whole.highest, whole.middle, counts)


@lru_cache(maxsize=2048)
def decode(encoded: str) -> Histogram:
    """Decode a histogram from its V2 compressed form in base64. Raises ValueError."""
    try:
        histogram = HdrHistogram.decode(encoded)
        # HdrHistogram may end the counts before the nominal length
        counts = np.array(histogram.encoder.payload.get_counts()).astype(np.int64)
    except (
        HdrCookieException,
        HdrLengthException,
        HdrHistogramSettingsException,
        zlib.error,
        ArithmeticError,
        IndexError,
        MemoryError,
        OverflowError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(f"not a compressed histogram ({error or type(error).__name__})") from None
    if np.any(counts < 0):
        raise ValueError("a histogram with counts below 0")
    index = np.flatnonzero(counts)
    half = histogram.sub_bucket_half_count_magnitude
    bucket = np.maximum((index >> half) - 1, 0)
    in_bucket = np.where(
        index >> half == 0, index, (index & (histogram.sub_bucket_half_count - 1)) + histogram.sub_bucket_half_count
    )
    width = np.left_shift(np.int64(1), bucket + histogram.unit_magnitude)
    lowest = in_bucket * width
    return Histogram(lowest + width - 1, lowest + width / 2 if width.size else np.empty(0), counts[index])


def encode(histogram: Histogram) -> str:
    """Encode a histogram within the engine's bounds as V2 compressed base64, without loss.

    Raises ValueError for a value beyond the bounds.
    """
    made = HdrHistogram(1, MOST_US, DIGITS)
    for value, count in zip(histogram.highest.tolist(), histogram.counts.tolist(), strict=True):
        if not made.record_value(value, count):
            raise ValueError(f"{value} µs is beyond the histogram's bounds")
    encoded: bytes = made.encode()
    return encoded.decode()


def intact(encoded: str) -> bool:
    """Whether a compressed histogram has a valid header, length and checksum. Much cheaper than decoding it."""
    try:
        raw = base64.b64decode(encoded, validate=True)
        cookie, length = struct.unpack_from(">II", raw)
        zlib.decompress(raw[8:])
    except (binascii.Error, struct.error, zlib.error):
        return False
    return bool(cookie & _COOKIE_MASK == _COOKIE and length == len(raw) - 8)


def parse_tagged_line(line: str) -> tuple[str, str] | None:
    """The tag and the encoded histogram of a line of an HdrHistogram log. None for other lines."""
    interval = _INTERVAL.fullmatch(line)
    return None if interval is None or interval[1] is None else (interval[1], _compressed_base64(interval[2]))


def uncompressed_hex(encoded: str) -> str:
    """An intact histogram with nothing of it compressed, in hexadecimal: what packs a whole log packs that better. A log may hold
    either form."""
    return f"{_UNFOLDED}{zlib.decompress(base64.b64decode(encoded)[8:]).hex()}"


def _compressed_base64(text: str) -> str:
    """The compressed form in base64, of a histogram in either form. A text in neither form is returned as it is: its reader
    reports the error."""
    if not text.startswith(_UNFOLDED):
        return text
    try:
        raw = bytes.fromhex(text.removeprefix(_UNFOLDED))
    except ValueError:
        return text
    if not raw.startswith(_MAGIC):
        return text
    compressed = zlib.compress(raw)
    return base64.b64encode(struct.pack(">II", _COOKIE | _WORD, len(compressed)) + compressed).decode()


def read_log(path: Path, *, may_be_cut: bool = False) -> dict[str, str]:
    """The encoded histograms of an HdrHistogram log by tag; raises StoreError that names the file and the line.

    They are left encoded since a run has thousands and a report needs some. `may_be_cut` as in csvfiles.read_table.
    """
    encoded_by_tag: dict[str, str] = {}
    for number, line in _lines(path, may_be_cut):
        if not line or line.startswith(("#", '"')):
            continue
        interval = parse_tagged_line(line)
        if interval is None:
            raise StoreError(f"{path}, line {number}: not a tagged interval of an HdrHistogram log")
        tag, encoded = interval
        if tag in encoded_by_tag:
            raise StoreError(f"{path}, line {number}: the tag {tag[:80]} occurs twice")
        encoded_by_tag[tag] = encoded
    return encoded_by_tag


def read_seconds(path: Path) -> list[tuple[str, str]]:
    """The encoded histograms of a log with one interval a second for each tag, with their tags, in order.

    Raises StoreError.
    """
    seconds = []
    for number, line in _lines(path, True):
        if not line or line.startswith(("#", '"')):
            continue
        interval = parse_tagged_line(line)
        if interval is None or not intact(interval[1]):
            raise StoreError(f"{path}, line {number}: not a tagged interval of an HdrHistogram log")
        seconds.append(interval)
    return seconds


class LoggedInterval(NamedTuple):
    """A line of an HdrHistogram log: start (since the log's base time) and length in seconds, and the maximum in ms."""

    tag: str
    begin_s: float
    length_s: float
    most_ms: float
    encoded: str


@dataclass(frozen=True)
class IntervalLog:
    """A whole HdrHistogram log: its header lines, its base time in seconds since 1970, and its intervals in order."""

    head: Sequence[str]
    base_s: float
    intervals: Sequence[LoggedInterval]


def read_interval_log(path: Path) -> IntervalLog:
    """Read a log that may still be written. Raises StoreError with file and line."""
    head, base, intervals = [], 0.0, []
    for number, line in _lines(path, True):
        if line.startswith(("#", '"')):
            head.append(line)
            base_line = _BASE.match(line)
            base = float(base_line[1]) if base_line else base
        elif line:
            interval = parse_tagged_line(line)
            if interval is None or not intact(interval[1]):
                raise StoreError(f"{path}, line {number}: not a tagged interval of an HdrHistogram log")
            begin, length, most = (float(field or 0) for field in line.split(",")[1:4])
            intervals.append(LoggedInterval(interval[0], begin, length, most, interval[1]))
    return IntervalLog(head, base, intervals)


def _lines(path: Path, may_be_cut: bool) -> Iterator[tuple[int, str]]:
    text = read_text(path, may_be_cut=may_be_cut)
    yield from enumerate(text.split("\n"), 1)
