"""HdrHistogram's logs: known answers of histograms that the test packs itself, and refusals with the line."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steelyard.base.errors import ConfigurationError
from steelyard.judging.judged import judged_file
from steelyard.judging.parts import SKIPPED, Selection
from steelyard.judging.readers import hdr_log

HEAD = "#[Histogram log format version 1.3]\n#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 2023]\n"
TITLES = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
MS = 1_000_000  # ns


def packed(counts: Mapping[int, int], cookie: int = 0x1C849304, digits: int = 3, ratio: float = 1.0) -> str:
    """A histogram of values in version 2, compressed, in base64: how often each value occurred."""
    by_index: dict[int, int] = {}
    for value, count in counts.items():
        bucket = max(0, value.bit_length() - 11)
        index = ((bucket + 1) << 10) + (value >> bucket) - 1024
        by_index[index] = by_index.get(index, 0) + count
    content, at = b"", 0
    for index, count in sorted(by_index.items()):
        content += zigzag(at - index) * (index > at) + zigzag(count)
        at = index + 1
    header = struct.pack(">IIIIQQd", 0x1C849303 | 0x10, len(content), 0, digits, 1, 3_600_000 * MS, ratio)
    compressed = zlib.compress(header + content)
    return base64.b64encode(struct.pack(">II", cookie | 0x10, len(compressed)) + compressed).decode()


def zigzag(number: int) -> bytes:
    rest, made = (number << 1) ^ (number >> 63), bytearray()
    while rest >= 0x80:
        made.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*made, rest])


def interval(begin: float, counts: Mapping[int, int], length: float = 1.0, tag: str = "", unit: int = MS) -> str:
    most = max(counts, default=0) / unit
    return f"{f'Tag={tag},' if tag else ''}{begin:.3f},{length:.3f},{most:.3f},{packed(counts)}\n"


def steady(seconds: int, length: float = 1.0) -> str:
    """Each interval has 90 answers of 10 ms, 9 of 20 ms and one of 30 ms; every third has ten more of 10 ms."""
    rows = [
        interval(at * length, {10 * MS: 100 if at % 3 == 0 else 90, 20 * MS: 9, 30 * MS: 1}, length)
        for at in range(seconds)
    ]
    return HEAD + TITLES + "".join(rows)


def test_histograms_give_response_times_and_throughput_with_intervals(tmp_path: Path) -> None:
    (tmp_path / "a.hlog").write_text(steady(60))
    judged = judged_file(tmp_path / "a.hlog")
    assert (judged.tool, judged.completed, judged.failed, judged.seconds) == ("HdrHistogram (log)", 6_200, 0, 60)
    assert judged.response_ms["mean"].value == pytest.approx((5_600 * 10 + 540 * 20 + 60 * 30) / 6_200, rel=2e-3)
    assert judged.response_ms["p50"].value == pytest.approx(10, rel=2e-3)
    assert judged.response_ms["p95"].value == pytest.approx(20, rel=2e-3)
    assert judged.throughput_per_s.value == pytest.approx(6_200 / 60, rel=0.01)
    assert judged.throughput_per_s.low is not None and judged.response_ms["mean"].low is not None
    assert any("how many requests failed" in question for question in judged.cannot_say)
    assert judged.rows.read == judged.rows.counted + 3
    late = judged_file(tmp_path / "a.hlog", Selection(skip_seconds=20.5))
    assert late.rows.left_out[SKIPPED] == 20 and late.rows.counted == 40


def test_long_intervals_have_a_distribution_and_no_interval(tmp_path: Path) -> None:
    (tmp_path / "a.hlog").write_text(steady(12, length=5.0))
    judged = judged_file(tmp_path / "a.hlog")
    assert judged.throughput_per_s.value == pytest.approx(1_240 / 60, rel=1e-4) and judged.throughput_per_s.low is None
    assert judged.response_ms["p95"].value == pytest.approx(20, rel=2e-3) and judged.response_ms["p95"].low is None
    assert hdr_log.LONG in judged.notes and any("an interval of any figure" in each for each in judged.cannot_say)
    (tmp_path / "b.hlog").write_text(steady(12))
    assert hdr_log.LONG not in judged_file(tmp_path / "b.hlog").notes


def test_tags_are_operations_and_values_in_microseconds_are_seen_by_their_maximum(tmp_path: Path) -> None:
    rows = [interval(at, {4_000: 50, 8_000: 10}, tag=tag, unit=1_000) for at in range(10) for tag in ("search", "buy")]
    (tmp_path / "a.hlog").write_text("".join(rows))
    judged = judged_file(tmp_path / "a.hlog")
    assert {each.operation: each.completed for each in judged.operations} == {"buy": 600, "search": 600}
    assert judged.operations[0].mean_ms == pytest.approx((50 * 4 + 10 * 8) / 60, rel=1e-3)
    assert hdr_log.TAGS in judged.notes


def test_times_beside_whole_seconds_do_not_make_empty_ones(tmp_path: Path) -> None:
    rows = [interval(0.97 + at + 0.02 * (at % 3), {10 * MS: 100}) for at in range(40)]
    (tmp_path / "a.hlog").write_text(HEAD + "".join(rows))
    judged = judged_file(tmp_path / "a.hlog")
    throughput = judged.throughput_per_s
    assert judged.seconds == 40 and throughput.low == throughput.value == throughput.high == 100


GOOD = interval(0, {10 * MS: 5})


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (GOOD.replace("HIST", "HISS"), "line 4: not a compressed histogram of version 2"),
        (GOOD.replace("=\n", "\n").replace("A", "B", 1), "line 4: "),
        (f"0,1,10,{packed({10 * MS: 5}, cookie=0x1C849302)}\n", "line 4: not a compressed histogram of version 2"),
        (f"0,1,10,{packed({10 * MS: 5}, digits=6)}\n", "line 4: a histogram with a shift, a scale or digits"),
        (f"0,1,10,{packed({10 * MS: 5}, ratio=0.5)}\n", "line 4: a histogram with a shift, a scale or digits"),
        (interval(0, {10 * MS: 5}, unit=1), "line 4: its maximum has the unit of its values"),
        (interval(0, {10 * MS: 5}, unit=7_000), "contradicts its histogram"),
        (GOOD.replace("0.000,", "soon,", 1), "line 4: not an interval of an HdrHistogram log"),
        (f"99999999999.5,1.0,10,{packed({10 * MS: 5})}\n", "line 4: an interval that ends at"),
    ],
)
def test_a_histogram_that_cannot_be_read_is_refused_with_its_line(row: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.hlog").write_text(HEAD + GOOD + row + GOOD)
    with pytest.raises(ConfigurationError) as refused:
        judged_file(tmp_path / "a.hlog")
    assert said in refused.value.message


def test_two_units_in_a_log_contradict_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.hlog").write_text(HEAD + GOOD + interval(1, {10_000: 5}, unit=1_000))
    with pytest.raises(ConfigurationError, match=r"line 4: its maximum of 10 contradicts"):
        judged_file(tmp_path / "a.hlog")


def test_a_small_text_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(100_000_000), 9)
    text = base64.b64encode(struct.pack(">II", 0x1C849314, len(bomb)) + bomb).decode()
    (tmp_path / "a.hlog").write_text(HEAD + GOOD + f"1,1,10,{text}\n")
    with pytest.raises(ConfigurationError, match="line 4: its histogram is larger than 4 MiB"):
        judged_file(tmp_path / "a.hlog")


def test_a_last_interval_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.hlog").write_text(steady(10) + GOOD[:40])
    assert judged_file(tmp_path / "a.hlog").rows.left_out["cut short at the end of the file"] == 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(damage=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=30), st.integers(0, 40)), max_size=3))
def test_whatever_is_broken_in_a_log_its_rows_add_up_or_it_is_refused(
    damage: list[tuple[float, bytes, int]], tmp_path: Path
) -> None:
    content = steady(4).encode()
    for place, other, cut in damage:
        at = int(place * len(content))
        content = content[:at] + other + content[at + cut :]
    (tmp_path / "a.hlog").write_bytes(content)
    try:
        judged = judged_file(tmp_path / "a.hlog")
    except ConfigurationError as error:
        assert error.message
    else:
        assert judged.rows.read == judged.rows.counted + sum(judged.rows.left_out.values())
