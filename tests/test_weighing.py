"""The main job on real servers: equal servers are not called different, slower ones are called slower, counts agree."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import Lab, trial_records

CONTRACTS = Path(__file__).parent.parent / "contracts"
PAPERS_FILE = """\
#Agents determines the number of concurrent threads
Agents          = 4
RampUp          = 2
SteadyState     = 3
RampDown        = 10
#Output directory where the results are generated
OutputDir       = results
OutputFilePrefix = WSTestReportSummary
EchoVoidMix     = 100
EchoStructMix   = 0
EchoListMix     = 0
EchoSyntheticMix = 0
NumBytes        = 1024
ListSize        = 20
"""


def schema(name: str) -> Any:
    return json.loads((CONTRACTS / f"{name}.schema.json").read_text())


def slices(run: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for path in sorted(run.glob("trials/*/slices.csv")):
        with path.open(newline="") as file:
            rows += list(csv.DictReader(file))
    return rows


@pytest.fixture(scope="module")
def weighed(shared_lab: Lab) -> Path:
    """One stored run of two equal subjects."""
    pair = [{"label": "a", "server": "odd"}, {"label": "b", "server": "odd"}]
    ran = shared_lab.run("run", shared_lab.study(pair, forks=2), "--json")
    jsonschema.validate(ran.json(), schema("run-output"))
    return shared_lab.folder / str(ran.json()["run"])


@pytest.mark.alone
@pytest.mark.long  # in short: tests/test_compare.py calls a slower server, lab/tests a planted slow-down in stored data
def test_a_planted_slow_down_is_called_and_the_engines_count_is_the_servers(lab: Lab) -> None:
    pilot = lab.run("run", lab.study([{"label": "a", "server": "go"}], name="pilot", forks=1, warm_up=1), "--json")
    assert pilot.code in (0, 2), pilot.err
    rows = [row for row in slices(lab.runs()[0]) if row["phase"] == "measure"]
    throughput = sum(int(row["completed"]) for row in rows) / sum(int(row["measured_ns"]) for row in rows) * 1e9
    busy = max(1, round(0.25 / throughput * 1e6))  # a quarter more time a request: 20% less throughput
    study = lab.study(
        [{"label": "a", "server": "go"}, {"label": "slower", "server": "go", "busy": str(busy)}],
        name="planted", forks=4, pairs=3, slice_seconds=1.0, warm_up=1,
    )  # fmt: skip
    # Twelve seconds of each may leave it open on a machine whose speed comes and goes, but never call it otherwise.
    for _ in range(3):
        ran = lab.run_undisturbed("run", study, "--json")
        assert ran.code == 0, ran.err
        primary = next(one for one in ran.json()["comparisons"] if one["primary"])
        slower_first = primary["a"] == "slower"
        if primary["verdict"] in ("faster", "slower", "equivalent"):
            break
    assert primary["verdict"] == ("slower" if slower_first else "faster"), primary
    ratio = primary["ratio"] if slower_first else 1 / primary["ratio"]
    measured = [row for row in slices(lab.runs()[-1]) if row["phase"] == "measure"]
    # The spin is of the clock and a request is work of the processor, whose speed a host may change between pilot and run: what was
    # planted is told by the processor time that a request took here, in turns (too slow answers are measured in stretches).
    plain = [row for row in measured if row["subject"] == "a" and row["cpu_own_ns"]]
    assert plain, "none in turns"
    own_us = sum(int(row["cpu_own_ns"]) for row in plain) / sum(int(row["completed"]) for row in plain) / 1000
    planted = own_us / (own_us + busy)
    assert 0.4 < planted < 0.95, "about 20% less"
    assert ratio == pytest.approx(planted, rel=0.2)
    counted = [one for trial in trial_records(lab.runs()[-1]) for one in trial["counted"]]
    assert len(counted) == 8
    assert all(one["by_service"] == one["by_engine"] > 0 for one in counted), counted


def test_planted_wrong_answers_void_their_slices(lab: Lab) -> None:
    study = lab.study(
        [{"label": "a", "server": "odd"}, {"label": "b", "server": "odd", "mode": "wrong"}], pairs=6, forks=1
    )
    ran = lab.run("run", study, "--json")
    assert ran.code == 1
    assert ran.json()["valid"] is False
    wrong = sum(int(row["wrong"]) for row in slices(lab.runs()[0]))
    assert wrong > 0
    page = (lab.runs()[0] / "report.html").read_text()
    assert "wrong" in page


def test_the_report_is_rebuilt_from_stored_files_alone_and_is_the_same(shared_lab: Lab, weighed: Path) -> None:
    moved = shared_lab.folder / "moved elsewhere"
    shutil.copytree(weighed, moved)
    before = {name: (moved / name).read_bytes() for name in ("report.html", "verdicts.json", "results.csv")}
    for name in before:
        (moved / name).unlink()
    rebuilt = shared_lab.run("report", str(moved), "--json", STEELYARD_PATH="")
    assert "Traceback" not in rebuilt.err and "defect" not in rebuilt.err
    jsonschema.validate(rebuilt.json(), schema("run-output"))
    assert (moved / "results.csv").read_bytes() == before["results.csv"]
    assert (moved / "report.html").read_bytes().count(b"<svg") == before["report.html"].count(b"<svg") > 0


@pytest.mark.alone
def test_as_published_runs_the_papers_own_file_unbroken_and_calls_nothing(lab: Lab) -> None:
    (lab.folder / "WSTest.ini").write_text(PAPERS_FILE)
    ran = lab.run_undisturbed("run", "wstest", "--only", "go,odd", "--config", "WSTest.ini", "--as-published", "--json")
    assert ran.code == 0, ran.err
    run = max((lab.folder / "results").iterdir())
    assert run.name.startswith("WSTestReportSummary-")
    assert [[one["label"] for one in trial["subjects"]] for trial in trial_records(run)] == [["go"], ["odd"]]
    measured = [row for row in slices(run) if row["phase"] == "measure"]
    assert [round((int(row["end_ns"]) - int(row["begin_ns"])) / 1e9) for row in measured] == [3, 3]
    assert {row["operation"] for row in measured} == {"echoVoid"}
    (primary,) = [one for one in ran.json()["comparisons"] if one["primary"]]
    assert (primary["verdict"], primary["interval"]) == ("too few forks", None)
    assert "nearly 3 times better than .NET" in (run / "report.html").read_text()


def test_what_machines_read_keeps_the_schemas_of_contracts(shared_lab: Lab, weighed: Path) -> None:
    listed = shared_lab.run("servers", "--json")
    jsonschema.validate(listed.json(), schema("servers-output"))
    checked = shared_lab.run("servers", "check", "odd", "--json")
    assert checked.code == 0, checked.err
    jsonschema.validate(checked.json(), schema("servers-output"))
    assert [(one["name"], one["contract"]) for one in checked.json()["servers"]] == [("odd", True)]
    jsonschema.validate(json.loads((weighed / "schedule.json").read_text()), schema("schedule"))
    jsonschema.validate(json.loads((weighed / "verdicts.json").read_text()), schema("verdicts"))
    jsonschema.validate(json.loads((weighed / "trials" / "01" / "trial.json").read_text()), schema("trial"))
    jsonschema.validate(json.loads((weighed / "trials" / "01" / "job.json").read_text()), schema("job"))
