"""Reads the engine's interval log: HdrHistogram's log format, V2 compressed histograms."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

# With the word size, which the V2 encoding always gives as 1.
COOKIE_COMPRESSED = 0x1C849304 | 0x10
COOKIE = 0x1C849303 | 0x10


def read(path: Path) -> dict[str, Counter[int]]:
    """By tag: how often each value (the greatest of its bucket, in microseconds) was recorded."""
    found: dict[str, Counter[int]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("Tag="):
            tag, _, _, _, histogram = line.split(",", 4)
            found.setdefault(tag[4:], Counter()).update(decode(base64.b64decode(histogram)))
    return found


def decode(compressed: bytes) -> Counter[int]:
    """One histogram's counts by value. The layout is that of HdrHistogram's V2 encoding."""
    cookie, _ = struct.unpack_from(">ii", compressed)
    if cookie != COOKIE_COMPRESSED:
        raise ValueError(f"not a compressed V2 histogram: cookie {cookie:#x}")
    payload = zlib.decompress(compressed[8:])
    cookie, length, _, digits, lowest, _, _ = struct.unpack_from(">iiiiqqd", payload)
    if cookie != COOKIE:
        raise ValueError(f"not a V2 histogram: cookie {cookie:#x}")
    sub_bucket_bits = (2 * 10**digits - 1).bit_length()
    unit_bits = max(lowest.bit_length() - 1, 0)
    counts: Counter[int] = Counter()
    index = 0
    for word in zigzag(payload[40 : 40 + length]):
        if word < 0:
            index -= word
            continue
        if word:
            counts[greatest_value(index, sub_bucket_bits, unit_bits)] += word
        index += 1
    return counts


def zigzag(data: bytes) -> Iterable[int]:
    """Variable-length integers of at most nine bytes, the ninth with all its bits."""
    place = 0
    while place < len(data):
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)


def greatest_value(index: int, sub_bucket_bits: int, unit_bits: int) -> int:
    """The greatest value that falls into the bucket at this place of the array."""
    half_bits = sub_bucket_bits - 1
    bucket = (index >> half_bits) - 1
    sub_bucket = (index & ((1 << half_bits) - 1)) + (1 << half_bits)
    if bucket < 0:
        sub_bucket -= 1 << half_bits
        bucket = 0
    return ((sub_bucket + 1) << (bucket + unit_bits)) - 1


def quantile(counts: Counter[int], share: float) -> int:
    """The value that `share` of what was recorded does not exceed."""
    left = max(1, -int(-share * counts.total() // 1))
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    raise ValueError("nothing was recorded")
