"""Charts are drawn in processes of their own: where one dies, the page has every number and says which charts it lacks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from steelyard.base import children
from steelyard.report import chart_processes
from steelyard.report.chart_processes import ChartPool
from steelyard.report.drawing import marks
from synthetic import Planted, write_run

# Kilobytes of addresses. Python and its numerical library need less, the JavaScript engine of the chart library more.
LIMIT = 2_000_000
REPORT = '{} exec "$0" -m steelyard report "$1"'
MISSING = "This chart could not be drawn. Its numbers are below."


def bars(width: int) -> str:
    """A chart of two bars in Vega-Lite."""
    rows = marks([{"name": "a", "value": 1}, {"name": "b", "value": 2}])
    return json.dumps(rows.as_marks("bar").encode(x="value:Q", y="name:N").to_chart(width, 80).json())


def test_charts_of_one_pool_are_drawn_whatever_their_order() -> None:
    pool = ChartPool()
    drawn = [pool.submit(bars(width)) for width in (100, 200, 300, 400, 500)]
    widths = [float(re.findall(r'width="([\d.]+)"', each.result(60) or "")[0]) for each in reversed(drawn)]
    assert widths == sorted(widths, reverse=True) and len(set(widths)) == 5 and not pool.failure


def test_a_chart_that_the_library_refuses_is_a_defect() -> None:
    with pytest.raises(ValueError):
        ChartPool().submit('{"data": 1, "mark": {"type": 2}}').result(60)


def test_a_process_that_ended_between_two_charts_is_started_again() -> None:
    pool, before = ChartPool(), {*children._begun}
    assert pool.submit(bars(100)).result(60)
    (process,) = {*children._begun} - before
    process.kill()
    process.wait()
    assert pool.submit(bars(200)).result(60) and not pool.failure


def test_a_process_that_dies_of_a_chart_is_named_and_no_other_one_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, starts = tmp_path / "program.py", tmp_path / "starts"
    program.write_text(f"open({str(starts)!r}, 'a').write('.'); import os; input(); os.kill(os.getpid(), 5)")
    monkeypatch.setattr(chart_processes, "_PROGRAM", program)
    pool = ChartPool()
    assert pool.submit(bars(200)).result(60) is None and "SIGTRAP" in pool.failure
    assert pool.submit(bars(300)).result(60) is None and starts.read_text() == "."


def test_a_report_under_a_memory_limit_has_every_number_and_says_what_it_lacks(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=2, pairs=3))
    pages = []
    for limit in (f"ulimit -v {LIMIT};", ""):
        command = ["sh", "-c", REPORT.format(limit), sys.executable, folder]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "STEELYARD_CACHE": str(tmp_path / "cache")}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode in (0, 2), ran.stderr
        assert ("report.html lacks charts: " in ran.stderr) is bool(limit), ran.stderr
        pages.append((folder / "report.html").read_text())
    assert [MISSING in page for page in pages] == [True, False]
    limited, whole = (re.sub(r"<svg viewBox.*?</svg>", "", page, flags=re.DOTALL) for page in pages)
    assert limited == whole
