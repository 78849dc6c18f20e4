"""The flight service with its database: each layer of a request is timed, and a planted delay is found in its layer."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from conftest import Lab, lab_in
from steelyard.base import paths
from steelyard.base.csvfiles import read_table

pytestmark = pytest.mark.alone  # it counts on times

LAYERS = ["web", "web_service", "service", "hibernate_engine", "hibernate_writes", "hibernate_reads"]
PLANTED_MS = 25.0  # more than a host that changes its speed between two blocks adds to any layer
SMALL_MS = 5.0  # what a quiet machine can place, over several starts


def faces(planted_ms: float) -> list[dict[str, Any]]:
    """Two faces of the same processes, so that both are as warm as each other, and a delay in the service layer of one."""
    parts = [{"server": "tomcat-metro", "factors": {"access_log": "on"}}]
    return [
        {"label": "plain", "parts": parts, "companions": [{"server": "h2"}]},
        {
            "label": "delayed",
            "same_as": "plain",
            "headers": {"Steelyard-Layer-Delay": f"si {planted_ms * 1000:.0f}"},
        },
    ]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    yield from lab_in(tmp_path_factory.mktemp("flight"))


def breakdown(lab: Lab, planted_ms: float, *words: str) -> Any:
    """What a run of the study's breakdown says, of two subjects that differ by a delay in the service layer."""
    study = tomllib.loads((paths.root() / "papers" / "flight" / "flight.toml").read_text(encoding="utf-8"))
    study |= {"subjects": faces(planted_ms), "reference": "plain"}
    shutil.copytree(
        paths.root() / "papers" / "flight",
        lab.folder / "flight",
        ignore=shutil.ignore_patterns("results"),
        dirs_exist_ok=True,
    )  # what the paper printed
    (lab.folder / "flight.toml").write_text(tomli_w.dumps(study), encoding="utf-8")
    ran = lab.run("run", "flight.toml", "--tests", "breakdown", "--slice-seconds", "1", *words, "--json")
    assert "Traceback" not in ran.err
    return ran.json()


@pytest.fixture(scope="module")
def told(lab: Lab) -> Any:
    return breakdown(lab, PLANTED_MS, "--forks", "1", "--warm-up", "4", "--scale", "0.4")


@pytest.fixture(scope="module")
def trial(lab: Lab, told: Any) -> Path:
    (folder,) = lab.folder.glob("runs/*/trials/01")
    record = json.loads((folder / "trial.json").read_text())
    assert record["status"] == "complete", (record["failure"], told["failures"])
    return folder


def rows(told: Any, subject: str, kind: str = "") -> dict[str, Any]:
    found = told["layers_by_kind"] if kind else told["layers"]
    return {one["layer"]: one for one in found if one["subject"] == subject and one["kind"] == kind}


def test_six_layers_make_up_the_whole_request(told: Any, trial: Path) -> None:
    for subject in ("plain", "delayed"):
        layers = rows(told, subject)
        assert list(layers) == LAYERS
        assert sum(one["percent"] for one in layers.values()) == pytest.approx(100, abs=0.1)
        assert all(one["ms"] > 0 for one in layers.values()), "each layer is passed by some request"
    assert (trial / "layers.csv").is_file()


def test_layers_add_up_to_the_time_that_the_server_itself_logs(told: Any, trial: Path) -> None:
    """One user asks one request at a time, and the last ones were those that were measured of both."""
    both = [rows(told, subject) for subject in ("plain", "delayed")]
    counts = [layers["web"]["requests"] for layers in both]
    log = (trial / "plain.server.log").read_text(encoding="utf-8")
    logged = [int(micros) for micros in re.findall(r"^access POST /flight/Flight \d+ (\d+)$", log, re.M)]
    assert len(logged) > sum(counts)
    measured_ms = sum(logged[-sum(counts) :]) / 1000
    layers_ms = sum(one["ms"] * one["requests"] for layers in both for one in layers.values())
    # Tomcat tells the monitor when it began to read; what it does after the last layer, it counts alone.
    assert layers_ms == pytest.approx(measured_ms, rel=0.02)


def test_every_answer_has_its_record_and_none_is_in_violation(trial: Path) -> None:
    verdicts = json.loads((trial.parents[1] / "verdicts.json").read_text())
    assert len(verdicts["recorded"]) == 2
    for one in verdicts["recorded"]:
        assert one["records"] == one["completed"] > 0 and one["whole"]
        assert one["lost"] == one["more"] == one["violations"] == one["unnested"] == 0


def test_searches_and_faults_write_nothing_and_reservations_do(told: Any) -> None:
    for kind in ("searches", "faults"):
        assert rows(told, "plain", kind)["hibernate_writes"]["ms"] == 0
    assert rows(told, "plain", "reservations")["hibernate_writes"]["ms"] > 0


def test_a_delay_planted_in_the_service_layer_is_found_there_and_nowhere_else(told: Any) -> None:
    """Lower quartiles of the delay itself, which ends late where a processor is busy, but never early; medians of the rest."""

    def quartile(place: int) -> list[dict[str, float]]:
        return [
            {layer: figure["quartiles"][place] for layer, figure in rows(told, subject).items()}
            for subject in ("plain", "delayed")
        ]

    plain, delayed = quartile(0)
    assert delayed["service"] - plain["service"] == pytest.approx(PLANTED_MS, rel=0.3)
    plain, delayed = quartile(1)
    for layer in set(LAYERS) - {"service"}:
        # Whichever block comes first is the colder one, which shows where much is done: in the engine above all.
        drift = max(PLANTED_MS / 2, max(delayed[layer], plain[layer]) / 2)
        assert abs(delayed[layer] - plain[layer]) < drift, layer


@pytest.mark.long
def test_a_small_delay_is_placed_to_half_a_millisecond_over_several_starts(lab: Lab) -> None:
    """Which face comes first, and so is the colder one, is drawn in each start."""
    told = breakdown(lab, SMALL_MS, "--forks", "8", "--warm-up", "12", "--out", "small")
    plain, delayed = (
        {layer: one["ms"] for layer, one in rows(told, subject).items()} for subject in ("plain", "delayed")
    )
    moved = {layer: delayed[layer] - plain[layer] for layer in LAYERS}
    assert moved.pop("service") == pytest.approx(SMALL_MS, abs=0.5)
    assert moved == pytest.approx(dict.fromkeys(moved, 0.0), abs=0.5)


@pytest.mark.long
def test_by_the_papers_own_layers_the_service_has_what_it_loads_lazily(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    for lab in lab_in(tmp_path_factory.mktemp("layers")):
        words = ("--tests", "breakdown", "--only", "tomcat-metro,tomcat-metro@papers-layers", "--scale", "0.2")
        told = lab.run("run", "flight", *words, "--forks", "1", "--warm-up", "6", "--json").json()
        ours, papers = (rows(told, f"tomcat-metro{name}") for name in ("", "@papers-layers"))
        assert list(papers) == LAYERS and sum(one["percent"] for one in papers.values()) == pytest.approx(100, abs=0.1)
        assert papers["service"]["percent"] > 2 * ours["service"]["percent"]
        assert papers["hibernate_engine"]["percent"] < ours["hibernate_engine"]["percent"]


def test_nothing_is_logged_where_nobody_asks_for_it(trial: Path) -> None:
    assert not (trial / "gauges.csv").exists()


def test_the_database_began_with_the_flights_of_the_paper(trial: Path) -> None:
    record = json.loads((trial / "trial.json").read_text())
    states = [
        one["state"] for subject in record["subjects"] for one in subject["processes"] if one["role"] == "database"
    ]
    assert len(set(states)) == 1
    assert re.search(r"^FLIGHT_INSTANCE 2820 [0-9a-f]+$", states[0], re.M)


def test_the_work_was_done_exactly_and_its_errors_of_input_were_answered_as_such(trial: Path) -> None:
    for row in read_table(trial / "slices.csv", ("phase", "sessions", "expected_faults", "completed", "wrong")):
        if row.text("phase") == "measure":
            assert row.whole("sessions") == 20 and row.whole("wrong") == 0
            assert 0.08 < row.whole("expected_faults") / row.whole("completed") < 0.17


def test_the_report_has_the_papers_layers_beside_ours(trial: Path) -> None:
    page = (trial.parents[1] / "report.html").read_text(encoding="utf-8")
    assert 'id="paper-layers"' in page and "70.07" in page and 'id="layers"' in page
