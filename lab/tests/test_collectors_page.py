"""The table of collectors is made from kept forks: ratio, interval, and how far each way is from each server alone."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from types import ModuleType

import pytest
from programs import program
from steelyard.statistics.interval import student_interval

ROOT = Path(__file__).parents[2]


@pytest.fixture
def collectors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """docs/decisions/collectors.py, with its forks in a scratch folder."""
    module = program("collectors", ROOT / "docs" / "decisions")
    monkeypatch.setattr(module, "KEPT", tmp_path)
    return module


def fork(place: Path, rates: dict[str, int], cpu_ns: dict[str, int]) -> None:
    """A kept fork of three slices of a second a subject, at these rates and processor time a request."""
    place.mkdir()
    slices = [(f"{3 * n + k}", one, rate) for n, (one, rate) in enumerate(rates.items()) for k in range(3)]
    with (place / "slices.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["slice", "subject", "phase", "completed", "lead_in_completed", "measured_ns"])
        out.writerows([number, one, "measure", rate, 0, 10**9] for number, one, rate in slices)
    with (place / "observations.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["slice", "cpu_ns"])
        out.writerows([number, rate * cpu_ns[one]] for number, one, rate in slices)


def table_of(collectors: ModuleType, rates_alone: list[int]) -> list[str]:
    """The lines of two ways, a round for each rate of the server alone."""
    for number, rate in enumerate(rates_alone, start=1):
        fork(collectors.folder(number, "go", "alone", "25"), {"25": rate}, {"25": 125})
        fork(collectors.folder(number, "go", "alone", "400"), {"400": 10_000}, {"400": 100})
        both = {"25": 6000, "400": 10_000}
        fork(collectors.folder(number, "go", "turns of 150 ms, frozen"), both, {"25": 125, "400": 100})
    return [one for one in collectors.table().splitlines() if "gogc 25 against 400" in one]


def test_a_way_that_lets_one_pay_for_the_other_is_off_the_truth(collectors: ModuleType) -> None:
    lines = table_of(collectors, [5000, 5020, 5010])
    assert [one.split(" | ")[1] for one in lines] == ["alone", "turns of 150 ms, frozen"]
    assert "| 3 | 0.501, 0.499 to 0.503 | 0.800 |" in lines[0]
    off = [math.log(6000 / rate) for rate in (5000, 5020, 5010)]
    interval = student_interval(off).exp()
    assert "| 0.800 | -25.0%, -25.0% to -25.0% |" in lines[1], "its clock says 0.8 where 0.6 came out"
    assert lines[1].endswith(f" | +19.8%, {interval.low - 1:+.1%} to {interval.high - 1:+.1%} |")


def test_two_rounds_are_no_truth_to_be_off(collectors: ModuleType) -> None:
    assert table_of(collectors, [5000, 5020])[1].endswith(
        "| 2 | 0.600, 0.600 to 0.600 | 0.800 | -25.0%, -25.0% to -25.0% |  |"
    )


def test_how_much_the_host_moved_from_round_to_round_is_said_of_the_server_alone(collectors: ModuleType) -> None:
    table_of(collectors, [5000])
    assert "Alone, from round" not in collectors.table()
    for number, rate in ((2, 9000), (3, 11_000)):
        fork(collectors.folder(number, "go", "alone", "25"), {"25": rate}, {"25": 125})
        fork(collectors.folder(number, "go", "alone", "400"), {"400": rate}, {"400": 100})
    assert collectors.table().endswith("Alone, from round to round, in requests/s: go with gogc 400 9,000 to 11,000.")


def test_without_a_kept_fork_the_page_says_how_to_measure(collectors: ModuleType) -> None:
    assert "Not measured yet" in collectors.table()
