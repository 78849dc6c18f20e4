"""Result files side by side: no verdict, and no comparison of response times where failures differ beyond chance."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command import steelyard
from result_files import Request, jtl_csv, keep_load, requests
from steelyard.judging.compared import judge
from steelyard.judging.parts import Selection
from steelyard.judging.readers import READERS
from synthetic import Planted, write_run

TOTALS = Path(__file__).parent / "judged_totals"
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "weigh-your-own.md"
COMMANDS = [line.strip() for line in GUIDE.read_text().splitlines() if line.startswith("    steelyard judge ")]


def failing(every: int) -> list[Request]:
    """Requests of which every so manieth fails."""
    return [(at, ms, number % every != 0) for number, (at, ms, _) in enumerate(requests(60))]


def test_two_files_stand_side_by_side_without_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "before.jtl").write_text(jtl_csv(requests(12)))
    (tmp_path / "after.jtl").write_text(jtl_csv([(at, 2 * ms, right) for at, ms, right in requests(12)]))
    output = judge([tmp_path / "before.jtl", tmp_path / "after.jtl"], Selection())
    assert output.ratios["mean"] == [1.0, pytest.approx(2.0, rel=1e-3)]
    assert output.compared == [] and output.failures_differ == [False, False]
    assert "not measured in turns" in output.cannot_say[0]
    ran = steelyard("judge", "before.jtl", "after.jtl", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "before.jtl: JMeter (CSV), 13 s, 4 to 4 users" in ran.out and "there is no verdict" in ran.out
    assert "rows read: 240; counted: 240; left out: none" in ran.out and "response codes: 238 200, 2 503" in ran.out
    ran = steelyard("judge", "before.jtl", "--json", "--skip", "2s", folder=tmp_path)
    assert json.loads(ran.out)["files"][0]["tool"] == "JMeter (CSV)"


def test_where_failures_differ_they_come_first_and_response_times_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "before.jtl").write_text(jtl_csv(failing(100)))
    (tmp_path / "after.jtl").write_text(jtl_csv([(at, ms // 2, right) for at, ms, right in failing(6)]))
    output = judge([tmp_path / "before.jtl", tmp_path / "after.jtl"], Selection())
    assert output.failures_differ == [False, True]
    assert all(output.ratios[name][1] is None for name in output.ratios if name != "throughput")
    assert output.ratios["throughput"][1] == pytest.approx((1 - 1 / 6) / 0.99, rel=0.01)
    ran = steelyard("judge", "before.jtl", "after.jtl", folder=tmp_path)
    first = ran.out.splitlines()[0]
    assert first.startswith(
        "after.jtl failed 16.67% of its requests (200 of 1,200) and before.jtl failed 1.00% of its requests (12 of 1,200)"
    )
    assert "not compared. Right answers per second: 16.7 against 19.8, a ratio of" in first


def test_failures_that_chance_explains_hide_nothing(tmp_path: Path) -> None:
    (tmp_path / "before.jtl").write_text(jtl_csv(failing(100)))
    (tmp_path / "after.jtl").write_text(jtl_csv(failing(80)))
    output = judge([tmp_path / "before.jtl", tmp_path / "after.jtl"], Selection())
    assert output.failures_differ == [False, False] and output.ratios["mean"][1] == pytest.approx(1.0, rel=0.01)


def test_the_guides_commands_are_what_judge_takes(tmp_path: Path) -> None:
    assert len(COMMANDS) == 5
    keep_load(tmp_path / "runs" / "load-2026-01-31-120000")
    write_run(tmp_path / "runs" / "compare-2026-01-31-120000", Planted(forks=2, pairs=3))
    (tmp_path / "wrk.txt").write_text((TOTALS / "wrk.txt").read_text())
    for command in COMMANDS:
        days = [requests(60), [(at + 86_400_000, ms, right) for at, ms, right in requests(60)]]
        made = [request for day in days[: 1 + ("--part 2" in command)] for request in day]
        for name in ("results.jtl", "before.csv", "after.csv"):
            (tmp_path / name).write_text(jtl_csv(made))
        ran = steelyard(*shlex.split(command)[1:], folder=tmp_path)
        assert ran.code == 0 and "rows read:" in ran.out, ran.err


def test_the_guide_lists_every_kind_that_judge_reads() -> None:
    table = (
        GUIDE.read_text().partition("`judge` recognizes a file by its content")[2].partition("Other files of these")[0]
    )
    assert [reader.title for reader in READERS if reader.title not in table] == []
