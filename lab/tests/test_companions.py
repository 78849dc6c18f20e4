"""A companion of a subject is not what is judged: what it uses stands apart."""

import re
from pathlib import Path

from steelyard.analyse.analysis import analyse
from steelyard.report import write_report
from synthetic import Planted, write_run


def test_a_companion_is_in_no_judged_figure_and_is_shown_apart(tmp_path: Path) -> None:
    plain = analyse(write_run(tmp_path / "plain", Planted()))
    run = write_run(tmp_path / "with-database", Planted())
    for path in run.glob("trials/*/observations.csv"):
        beside = []
        for line in path.read_text().splitlines()[1:]:
            columns = line.split(",")
            if columns[1] == "go":
                columns[2], columns[4], columns[7], columns[9] = "companion1", "postgres", "7000000000", str(64 * 2**20)
                beside.append(",".join(columns) + "\n")
        path.write_text(path.read_text() + "".join(beside))
    found = analyse(run)
    assert {one.measure for one in found.figures} >= {"cpu_per_request", "memory"}
    assert found.figures == plain.figures
    page = write_report(run).read_text()
    row = re.search(
        r"<td>go</td><td>companion1</td><td class=\"number\">(.*?)</td><td class=\"number\">(.*?)</td>", page
    )
    assert row is not None and row[2] == "64.0"
    assert 300 < float(row[1].replace(",", "")) < 400  # 7 s for 2.2 s of about 10,000 requests a second, as planted
    assert "What the companions used" not in write_report(tmp_path / "plain").read_text()
