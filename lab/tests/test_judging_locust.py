"""Locust's history: the selected stretch counts, and totals that restart are handled."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.judging.judged import judged_file
from steelyard.judging.parts import SKIPPED, Selection

BEGIN = 1_700_000_000
HISTORY = (
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,Total Request Count,Total Failure Count,"
    "Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,"
    "Total Average Content Size\n"
)


def row(instant: int, total: int, failed: int = 0, mean: float = 20.0, users: int = 8) -> str:
    return f"{instant},{users},,Aggregated,9,0,N/A,N/A,N/A,{total},{failed},5,{mean},1,9,3\n"


def history(seconds: int, a_second: int = 100, begin: int = BEGIN, users: int = 8) -> list[str]:
    """Rows of a steady load, of which every hundredth request fails."""
    return [row(begin + at, at * a_second, at * a_second // 100, users=users) for at in range(seconds)]


def test_the_totals_give_throughput_and_mean_and_its_percentiles_stay_its_own(tmp_path: Path) -> None:
    draw, total, ms, lines = random.Random(1), 0, 0.0, []
    for second in range(40):
        lines.append(row(BEGIN + second, total, total // 50, ms / max(1, total)))
        count = draw.randint(90, 110)
        total, ms = total + count, ms + 20.0 * count
    (tmp_path / "own_stats_history.csv").write_text(HISTORY + "".join(lines))
    judged = judged_file(tmp_path / "own_stats_history.csv")
    assert judged.throughput_per_s.value == pytest.approx(98, rel=0.03) and judged.throughput_per_s.low is not None
    assert judged.response_ms["mean"].value == pytest.approx(20, rel=1e-3)
    assert (judged.response_ms["p99"].value, judged.response_ms["p99"].why_not) == (None, "the file has none")
    assert judged.rows.read == judged.rows.counted == 40


def test_the_sums_have_no_stretch(tmp_path: Path) -> None:
    sums = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Requests/s,Failures/s,50%,95%,99%\n"
    (tmp_path / "own_stats.csv").write_text(
        sums + "GET,/a,90,10,5,20,9,1,5,30,40\n,Aggregated,90,10,5,20,9,1,5,30,40\n"
    )
    judged = judged_file(tmp_path / "own_stats.csv")
    assert (judged.completed, judged.failed, judged.throughput_per_s.value) == (80, 10, 8)
    assert (judged.response_ms["p99"].value, judged.response_ms["p99"].low) == (40, None)
    assert (judged.rows.read, judged.rows.counted, sum(judged.rows.left_out.values())) == (2, 1, 1)
    with pytest.raises(ConfigurationError, match="has no times, so no part of it can be judged"):
        judged_file(tmp_path / "own_stats.csv", Selection(skip_seconds=5))


def test_a_lead_in_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HISTORY + "".join(history(41)))
    whole = judged_file(tmp_path / "h.csv")
    assert (whole.completed, whole.failed, whole.rows.counted) == (3_960, 40, 41)
    late = judged_file(tmp_path / "h.csv", Selection(skip_seconds=10))
    assert (late.completed + late.failed, late.rows.counted, late.rows.left_out) == (3_100, 31, {SKIPPED: 10})


def test_rows_in_any_order_give_the_same(tmp_path: Path) -> None:
    rows = [*history(30), row(BEGIN + 7, 650, 6), row(BEGIN + 7, 720, 7)]
    (tmp_path / "h.csv").write_text(HISTORY + "".join(rows))
    expected = judged_file(tmp_path / "h.csv")
    assert expected.rows.left_out == {"rows of a second that a later row has too": 2}
    for seed in range(5):
        (tmp_path / "h.csv").write_text(HISTORY + "".join(random.Random(seed).sample(rows, len(rows))))
        assert judged_file(tmp_path / "h.csv") == expected


def test_totals_that_begin_anew_are_counted_on_and_named(tmp_path: Path) -> None:
    ramp = [row(BEGIN + at, at * 50, users=at + 1) for at in range(10)]
    steady = [row(BEGIN + 10 + at, at * 100 + 30) for at in range(30)]
    (tmp_path / "h.csv").write_text(HISTORY + "".join([*ramp, *steady]))
    judged = judged_file(tmp_path / "h.csv")
    assert judged.completed == 450 + 2_930
    assert any(
        "line 12: its totals were reset (22:13:30 UTC, 10 s after the first row)" in note for note in judged.notes
    )
    late = judged_file(tmp_path / "h.csv", Selection(skip_seconds=11))
    assert late.completed == 2_900 and late.users == (8, 8)
    assert late.throughput_per_s.value == pytest.approx(100)


def test_totals_that_only_rise_are_not_said_to_begin_anew(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HISTORY + "".join(history(20)))
    assert not any("were reset" in note for note in judged_file(tmp_path / "h.csv").notes)


def test_runs_appended_are_parts(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HISTORY + "".join([*history(20), *history(30, begin=BEGIN + 86_400)]))
    with pytest.raises(ConfigurationError, match="it has 2 parts"):
        judged_file(tmp_path / "h.csv")
    judged = judged_file(tmp_path / "h.csv", Selection(part=2))
    assert judged.completed + judged.failed == 2_900 and judged.seconds == 30


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (row(BEGIN, 5, 6), "line 2: its totals contradict each other"),
        (row(BEGIN, 10, 1) + row(BEGIN + 1, 11, 9), "line 3: its totals contradict earlier ones"),
        (row(-5, 1), "line 2: the time -5 s is impossible"),
        (row(BEGIN, 5).replace(",8,", ",many,"), "line 2: User Count is 'many'"),
    ],
)
def test_totals_that_cannot_be_are_refused(rows: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HISTORY + rows)
    with pytest.raises(ConfigurationError, match=said):
        judged_file(tmp_path / "h.csv")
