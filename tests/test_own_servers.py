"""A user's own servers: by folder, by command line, on a fixed port, and the files that a run of them leaves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab
from test_far_host import may_make_hosts

SHORT = ["--slice-seconds", "0.4", "--pairs", "3", "--warm-up", "2", "--users", "2"]
SERVICE = """
name = "{name}"
title = "Items"
meaning = "json"
path = "/items"
target = "http://127.0.0.1:8080"
start = {start}
[operations.first]
meaning = "the first item"
method = "GET"
path = "/items/1"
expect = {{ jsonpath = ["$.sum"] }}
[operations.any]
meaning = "any item"
method = "GET"
path = "/items/{{{{id}}}}"
[data.id]
kind = "sequence"
last = 50
"""

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="the server is built with Go")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test's own server, built once."""
    built = tmp_path_factory.mktemp("own-go") / "items"
    subprocess.run(["go", "build", "-o", built, "."], cwd=Path(__file__).parent / "own_go", check=True)
    return built


def folder(lab: Lab, name: str, program: Path, *words: str) -> str:
    """A service folder with the program in it, and the words of its start line."""
    made = lab.folder / name
    made.mkdir()
    shutil.copy(program, made / "items")
    (made / "service.toml").write_text(SERVICE.format(name=name, start=json.dumps(["./items", *words])))
    return f"./{name}"


def primary(outcome: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in outcome["comparisons"] if each["primary"])


def test_a_comparison_of_a_folder_with_itself_leaves_a_run_like_any(lab: Lab, program: Path) -> None:
    shop = folder(lab, "shop", program, "100", "127.0.0.1:{port}")
    ran = lab.run("compare", shop, shop, "--budget", "20s", "--json", *SHORT, STEELYARD_STRANGERS="yes")
    assert ran.code in (0, 2), ran.err
    outcome = ran.json()
    judged = primary(outcome)
    assert (judged["a"], judged["b"], judged["operation"]) == ("shop", "shop.again", "first+any")
    by_operation = outcome["operations"]
    assert [(row["operation"], row["subject"]) for row in by_operation] == [
        (operation, subject) for subject in ("shop", "shop.again") for operation in ("first", "any")
    ]
    assert all(row["right"] > 0 and row["failures"] == {} for row in by_operation)
    [run] = lab.runs()
    assert "<h2>By operation</h2>" in (run / "report.html").read_text()
    record = json.loads((run / "trials" / "01" / "trial.json").read_text())
    assert record["server_cpus"] and {each["exchanges_verified"] for each in record["subjects"]} == {2}
    assert "shop.again" in (run / "report.html").read_text()
    assert "cpu_per_request" in (run / "results.csv").read_text()
    for words in (["report", str(run)], ["keep", str(run), "kept"]):
        done = lab.run(*words)
        assert done.code == 0, done.err


@pytest.mark.alone
@pytest.mark.long
def test_two_command_lines_of_which_one_does_more_work_are_told_apart(lab: Lab, program: Path) -> None:
    lines = [f"{program} 100", f"{program} 2000"]
    ran = lab.run_undisturbed("compare", *lines, "--request", "GET /items/7", "--budget", "5m", "--json", *SHORT)
    assert ran.code == 0, ran.err
    judged = primary(ran.json())
    assert judged["verdict"] == "faster" and judged["ratio"] > 1, ran.out


@pytest.mark.alone
@pytest.mark.long
def test_a_calibration_measures_a_folder_against_itself_and_plants_nothing(lab: Lab, program: Path) -> None:
    shop = folder(lab, "shop", program, "100", "127.0.0.1:{port}")
    ran = lab.run("calibrate", "--server", shop, "--budget", "45s", "--pairs", "3", "--slice-seconds", "0.5", "--json")
    assert ran.code == 0, ran.err
    calibration = ran.json()
    assert calibration["operation"] == "first+any" and calibration["planted"] == [] and calibration["forks"] >= 2
    low, high = calibration["server_interval"]
    assert low < calibration["server_ratio"] < high


@pytest.mark.skipif(not may_make_hosts(), reason="a network namespace and its link need root rights")
@pytest.mark.alone  # it looks at the links of the whole machine
def test_two_on_one_fixed_port_have_a_network_namespace_each(lab: Lab, program: Path) -> None:
    shop = folder(lab, "shop", program, "100", ":8080")
    ran = lab.run("compare", shop, shop, "--budget", "15s", "--json", *SHORT, STEELYARD_STRANGERS="yes")
    assert ran.code in (0, 2) and "a network namespace of its own" in ran.err, ran.err
    [run] = lab.runs()
    record = json.loads((run / "trials" / "01" / "trial.json").read_text())
    urls = [subject["url"] for subject in record["subjects"]]
    assert len(set(urls)) == 2 and all(url.endswith(":8080/items") for url in urls)
    left = subprocess.run(["ip", "-oneline", "link"], capture_output=True, text=True, check=True).stdout
    assert "sy" not in {line.split(": ")[1][:2] for line in left.splitlines()}


def test_a_server_that_dies_under_load_is_said_and_its_words_are_shown(lab: Lab, program: Path) -> None:
    script = f"{program} 100 127.0.0.1:{{port}} & sleep 4; kill $!; echo no more room; exit 1"
    ran = lab.run(
        *("compare", f"sh -c '{script}'", f"{program} 100", "--request", "GET /items/7"),
        *("--budget", "20s", "--slice-seconds", "1", "--users", "2"),
        STEELYARD_STRANGERS="yes",
    )
    assert ran.code != 0 and "Traceback" not in ran.err, ran.err
    assert "no more room" in ran.err, ran.err


@pytest.mark.long  # in short: tests/test_resume.py, on a study
def test_a_stopped_comparison_is_resumed_from_its_folder_wherever_that_is(lab: Lab, program: Path) -> None:
    shop = folder(lab, "shop", program, "100", "127.0.0.1:{port}")
    words = ["compare", shop, shop, "--budget", "40s", *SHORT]
    begun = lab.start(*words, STEELYARD_STRANGERS="yes")
    assert begun.stderr is not None
    for line in begun.stderr:
        if "trial 2 of" in line:
            break
    os.killpg(begun.pid, 2)
    begun.communicate(timeout=60)
    [run] = lab.runs()
    moved = lab.folder / "elsewhere"
    run.rename(moved)
    ran = lab.run("run", "--resume", str(moved), STEELYARD_STRANGERS="yes")
    assert ran.code in (0, 2), ran.err
    assert len(list(moved.glob("trials/*/trial.json"))) >= 2
