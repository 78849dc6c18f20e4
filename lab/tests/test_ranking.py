"""The section of places and costs: places by each judged operation, figures of fresh starts, and the scatters."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.report.charts.scatter import _domain, _with_label_places
from steelyard.report.page import html_of
from steelyard.report.sections import ranking
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

RATES = {"go": 10_000.0, "fast": 14_000.0, "slow": 4_000.0}
STUDY = 'more_measures = ["time_to_first_answer", "time_until_steady", "memory_at_rest", "artifact_size", "requests_per_core"]'
SECONDS = {"go": 0.1, "fast": 0.05, "slow": 3.0}


def analysed(folder: Path, **planted: Any) -> Analysis:
    starts = {
        (fork, label): {
            "first_answer_seconds": seconds * (1 + 0.05 * fork),
            "rest_bytes": 50 * 2**20,
            "artifact_bytes": 2**20,
            "build_seconds": [4.0] if label == "go" else [20.0, 22.0],
        }
        for fork in range(1, 5)
        for label, seconds in SECONDS.items()
    }
    run = write_run(folder, Planted(rates=RATES, study=STUDY, starts=starts, **planted))
    return analyse_run(read_run(run))


def content(analysis: Analysis) -> dict[str, Any]:
    found = ranking.content(analysis)
    assert found is not None
    return dict(found)


def test_places_are_in_the_order_of_the_ratios_and_the_reference_has_one(tmp_path: Path) -> None:
    places = content(analysed(tmp_path))["places"]
    assert [row[0] for row in places] == ["fast", "go", "slow"]
    assert [row[1] for row in places] == ["1", "2", "3"]
    assert places[1][2] == "1" and places[0][2].startswith("1.395 (")


def test_a_lower_measure_ranks_the_lowest_first(tmp_path: Path) -> None:
    found = content(analysed(tmp_path, judged_by="cpu_per_request", open_rate=500.0))
    assert [row[0] for row in found["places"]] == ["fast", "go", "slow"]
    assert found["measure"] == "server CPU time per request"


def test_each_server_has_its_start_memory_size_and_build_with_intervals(tmp_path: Path) -> None:
    found = content(analysed(tmp_path, unsteady=frozenset({(2, "slow")})))
    headings = found["headings"]
    rows = {row[0]: dict(zip(headings, row, strict=True)) for row in found["figures"]}
    assert rows["slow"]["until steady, s"] == "not in 1 of 4 starts"
    first = rows["go"]["first answer, s"]
    assert first.startswith("0.11") and "\u2013" in first
    assert rows["go"]["artifact, MiB"] == "1.00"
    assert rows["go"]["build, s"] == "4.00 (one build)"
    assert rows["slow"]["build, s"].startswith("21.0 (")


def test_two_scatters_have_every_server_with_both_intervals(tmp_path: Path) -> None:
    memory, start = content(analysed(tmp_path))["pictures"]
    assert (memory.title, start.title) == (
        "Throughput and resident memory",
        "Throughput and time from start to first right answer",
    )
    for picture in (memory, start):
        assert {row[0] for row in picture.rows} == set(RATES)
        assert all(" to " in row[2] and row[5] == "4" for row in picture.rows)
        for svg in (str(picture.wide), str(picture.narrow)):
            assert all(label in svg for label in RATES) and "var(--series-0)" in svg


def test_the_page_has_the_section_only_where_starts_were_measured(tmp_path: Path) -> None:
    page = html_of(analysed(tmp_path / "with"))
    assert '<section id="ranking">' in page and "Places and costs" in page
    without = analyse_run(read_run(write_run(tmp_path / "without", Planted())))
    assert ranking.content(without) is None and '<section id="ranking">' not in html_of(without)


@pytest.mark.parametrize("count", [2, 14])
def test_labels_of_marks_at_one_place_do_not_overlap(count: int) -> None:
    points = [{"subject": f"server-{n}", "x": 100.0, "y": 1000.0 + n} for n in range(count)]
    placed = _with_label_places(points, _domain([90, 110]), _domain([900, 1100]), 690)
    heights = sorted(math.log(each["label_y"]) for each in placed)
    low, high = _domain([900, 1100])
    pixels = [(after - before) / math.log(high / low) * 320 for before, after in pairwise(heights)]
    assert min(pixels) >= 14.9
