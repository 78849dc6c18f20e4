"""How throughput falls as messages grow: planted exponents are found, a bend is called, and too little is not told."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Collection
from pathlib import Path

import pytest
from steelyard.analyse.analysis import Analysis, full_analysis
from steelyard.analyse.growth import growth_rows
from steelyard.base.errors import InsufficientDataError
from steelyard.report.sections import growth as section
from steelyard.statistics.growth import growth
from synthetic import Planted, write_run

SIZES = (1e4, 3e4, 1e5, 3e5, 1e6)


def forks(exponent: float, draw: random.Random, *, fixed: float = 0.0, count: int = 4) -> list[list[float]]:
    """Throughputs of forks whose servers differ by 5%, and each value by 2%; `fixed` bytes' worth is what any message costs."""
    rows = []
    for _ in range(count):
        pace = math.exp(draw.gauss(0, 0.05))
        rows.append([pace * 1e9 / (fixed + size) ** exponent * math.exp(draw.gauss(0, 0.02)) for size in SIZES])
    return rows


def test_an_exponent_is_found_and_its_interval_holds_it_about_as_often_as_it_says() -> None:
    draw, held = random.Random(11), 0
    for _ in range(400):
        law = growth(SIZES, forks(0.9, draw))
        assert law.exponent.estimate == pytest.approx(0.9, abs=0.05)
        held += law.exponent.low < 0.9 < law.exponent.high
    assert 0.92 * 400 <= held <= 0.98 * 400


def test_a_fall_that_grows_steeper_is_called_and_one_that_does_not_is_not() -> None:
    draw = random.Random(12)
    called = [growth(SIZES, forks(1.0, draw, fixed=2e5)).steepens for _ in range(20)]
    straight = [growth(SIZES, forks(1.0, draw)).steepens for _ in range(20)]
    assert sum(called) >= 19 and sum(straight) <= 1


def test_no_fall_has_an_exponent_of_0() -> None:
    law = growth(SIZES, [[1000.0] * 5, [1100.0] * 5])
    assert (law.exponent.estimate, law.exponent.low, law.exponent.high) == pytest.approx((0, 0, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("sizes", "throughputs", "said"),
    [
        (SIZES[:4], [[1.0] * 4] * 2, "needs 5 sizes, and there are 4"),
        ((*SIZES[:4], SIZES[0]), [[1.0] * 5] * 2, "needs 5 sizes, and there are 4"),
        (SIZES, [[1.0] * 5], "needs 2 forks, and there is 1"),
        (SIZES, [[1.0, 1, 1, 1, 0], [1.0] * 5], "above 0"),
        (SIZES, [[1.0, 1, 1, 1, math.nan], [1.0] * 5], "above 0"),
    ],
)
def test_what_is_too_little_has_no_exponent(
    sizes: tuple[float, ...], throughputs: list[list[float]], said: str
) -> None:
    with pytest.raises(InsufficientDataError, match=said):
        growth(sizes, throughputs)


def of_sizes(
    folder: Path, exponent: float, sizes: tuple[float, ...] = SIZES, unanswered: Collection[str] = ()
) -> Analysis:
    """A stored run of one operation in several sizes, in which throughput falls as planted, to nothing in some cells."""
    cells = {f"echoList{place}": (size / sizes[0]) ** -exponent for place, size in enumerate(sizes)}
    cells |= dict.fromkeys(unanswered, 0.0)
    write_run(folder, Planted(rates={"a": 8000.0, "b": 6000.0}, reference="a", cells=cells, pairs=3))
    schedule = json.loads((folder / "schedule.json").read_text())
    for place, cell in enumerate(schedule["cells"]):
        cell |= {"payload": {"Size": place}, "family": "grid 1", "primary": True, "mix": {"echoList": 1.0}}
    (folder / "schedule.json").write_text(json.dumps(schedule))
    (folder / "corpus").mkdir()
    lines = [f"echoList@Size={place},9,{size},{size},{size}" for place, size in enumerate(sizes)]
    (folder / "corpus" / "sizes.csv").write_text("\n".join(["operation,requests,least,mean,most", *lines]) + "\n")
    return full_analysis(folder)


def test_the_report_says_how_each_subject_falls_and_from_where_to_where(tmp_path: Path) -> None:
    analysis = of_sizes(tmp_path / "run", 0.8)
    curves = list(growth_rows(analysis))
    assert [curve.subject for curve in curves] == ["a", "b"]
    for curve in curves:
        assert curve.law is not None and curve.largest_answered is None
        assert curve.law.exponent.low < 0.8 < curve.law.exponent.high
        assert list(curve.points) == list(curve.memory) == sorted(SIZES)
    shown = section.content(analysis)
    assert shown is not None and len(shown["charts"]) == 1
    assert "echoList on b, 8 users: from 9.8 KiB to 976.6 KiB throughput falls as size^0." in shown["sentences"][1]
    assert [row[3] for row in shown["rows"]] == ["5, 9.8 KiB to 976.6 KiB"] * 2


def test_a_size_that_no_slice_answers_is_where_the_curve_ends(tmp_path: Path) -> None:
    analysis = of_sizes(tmp_path / "run", 0.8, (*SIZES, 3e6), unanswered={"echoList5"})
    assert [curve.largest_answered for curve in growth_rows(analysis)] == [1e6, 1e6]
    shown = section.content(analysis)
    assert shown is not None and "It ends at 976.6 KiB: " in shown["sentences"][0]


def test_a_grid_of_few_sizes_has_no_such_section(tmp_path: Path) -> None:
    assert section.content(of_sizes(tmp_path / "run", 0.8, SIZES[:4])) is None
