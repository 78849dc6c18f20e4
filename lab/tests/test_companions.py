"""The resource use of a subject's companions is stored separately by place, and not judged."""

import json
import re
from pathlib import Path

import pytest
from steelyard.analyse.analysis import analyse
from steelyard.report import write_report
from synthetic import Planted, write_run

DATABASE = {"role": "database", "server": "postgres", "title": "PostgreSQL", "version": "18", "judged": False}
PROVED = {"processors": [2, 3], "state": "journal 0 d41d8cd9"}


def beside(path: Path, place: str, judged: str) -> None:
    """A process of go's in observations.csv: 7 s of processor time a slice, 64 MiB."""
    lines = path.read_text().splitlines()
    added = []
    for line in lines[1:]:
        columns = line.split(",")
        if columns[1] == "go":
            columns[2], columns[4], columns[7], columns[9] = place, "postgres", "7000000000", str(64 * 2**20)
            added.append(",".join([*columns[:10], judged]))
    path.write_text("\n".join([*lines, *added]) + "\n")


def without_judged(path: Path) -> None:
    """The table as it was before it said who is judged."""
    path.write_text("".join(line.rpartition(",")[0] + "\n" for line in path.read_text().splitlines()))


@pytest.mark.parametrize(("place", "today"), [("database", True), ("companion1", False)])
def test_a_companion_is_in_no_judged_figure_and_is_shown_apart(tmp_path: Path, place: str, today: bool) -> None:
    plain = analyse(write_run(tmp_path / "plain", Planted()))
    run = write_run(tmp_path / "with-database", Planted())
    for path in run.glob("trials/*/observations.csv"):
        beside(path, place, "0")
        if not today:
            without_judged(path)
    found = analyse(run)
    assert {one.measure for one in found.figures} >= {"cpu_per_request", "memory"}
    assert found.figures == plain.figures
    page = write_report(run).read_text()
    number = '<td class="number">(.*?)</td>'
    row = re.search(rf"<td>go</td><td>{place}</td><td></td><td></td><td>no</td>{number}{number}", page)
    assert row is not None and row[2] == "64.0"
    assert 300 < float(row[1].replace(",", "")) < 400  # 7 s for 2.2 s of about 10,000 requests a second, as planted
    assert re.search(r"<td>go</td><td>server</td><td></td><td></td><td>yes</td>", page)
    assert "<td>tomcat-metro</td><td>server</td>" not in page, "of one process its figures say all"
    assert "Resources used by each process" not in write_report(tmp_path / "plain").read_text()


def test_what_a_place_is_how_it_began_and_what_the_trial_ended_with_are_shown(tmp_path: Path) -> None:
    run = write_run(tmp_path / "with-database", Planted())
    for path in run.glob("trials/*/trial.json"):
        record = json.loads(path.read_text())
        next(one for one in record["subjects"] if one["label"] == "go")["processes"] = [DATABASE | PROVED]
        record["reconciled"] = [{"subject": "go", "name": "journal", "found": "4711"}]
        path.write_text(json.dumps(record))
        beside(path.with_name("observations.csv"), "database", "0")
    page = write_report(run).read_text()
    assert "<td>go</td><td>database</td><td>PostgreSQL 18</td><td>2, 3</td><td>no</td>" in page
    assert page.count("<li>go, database: journal 0 d41d8cd9</li>") == 1
    assert "<li>trial 1, go, journal: 4711</li>" in page
