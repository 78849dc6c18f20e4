"""A grid's throughput as indices: recomputed from the measurements, with resource use and the end of each cell."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.analyse.indices import figure, rows
from steelyard.base import paths
from steelyard.models.records import Failure
from steelyard.report import write_report
from steelyard.report.page import html_of
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

SIZES = {"echoStruct": 1000, "echoList": 3000}


def gridded(folder: Path, **planted: Any) -> Analysis:
    """A run of two cells with payloads of their own, on which the second subject is 20% slower."""
    given = {"rates": {"a": 1000.0, "b": 1000.0 / 1.2}, "reference": "a", "cells": {"echoStruct": 1.0, "echoList": 0.4}}
    write_run(folder, Planted(**{**given, **planted}))
    schedule = json.loads((folder / "schedule.json").read_text())
    for place, cell in enumerate(schedule["cells"]):
        cell |= {"payload": {"Size": 10 * (place + 1)}, "family": "grid 1", "primary": True}
    (folder / "schedule.json").write_text(json.dumps(schedule))
    (folder / "corpus").mkdir()
    lines = [
        f"{name}@Size={10 * (place + 1)},9,{size},{size}.0,{size}" for place, (name, size) in enumerate(SIZES.items())
    ]
    (folder / "corpus" / "sizes.csv").write_text("\n".join(["operation,requests,least,mean,most", *lines]) + "\n")
    return analyse_run(read_run(folder))


def test_an_index_is_the_ratio_of_the_throughputs_beside_it(tmp_path: Path) -> None:
    found = rows(gridded(tmp_path / "run"))
    assert [(row.use_case, row.payload, row.subject) for row in found] == [
        ("echoStruct", {"Size": 10}, "a"), ("echoStruct", {"Size": 10}, "b"),
        ("echoList", {"Size": 20}, "a"), ("echoList", {"Size": 20}, "b"),
    ]  # fmt: skip
    for row in found:
        reference = next(one for one in found if one.use_case == row.use_case and one.subject == "a")
        assert row.tps is not None
        assert reference.tps is not None
        assert row.index == pytest.approx(row.tps / reference.tps, rel=1e-5)


def test_a_subject_that_is_slowed_by_20_percent_reads_083(tmp_path: Path) -> None:
    slowed = [row for row in rows(gridded(tmp_path / "run")) if row.subject == "b"]
    for row in slowed:
        assert row.index == pytest.approx(1 / 1.2, abs=0.03)
        assert row.interval is not None
        assert row.interval[0] < 1 / 1.2 < row.interval[1]


def test_bytes_are_those_of_the_corpus(tmp_path: Path) -> None:
    found = rows(gridded(tmp_path / "run"))
    assert {row.use_case: row.bytes for row in found} == SIZES


def test_processor_use_is_told_by_its_mean_and_its_highest(tmp_path: Path) -> None:
    for row in rows(gridded(tmp_path / "run")):
        assert row.cpu_mean is not None
        assert row.cpu_max is not None
        assert 0 < row.cpu_mean <= row.cpu_max


def test_the_engines_processor_use_is_told_beside_it(tmp_path: Path) -> None:
    for row in rows(gridded(tmp_path / "run", engine_share=0.4)):
        assert row.engine_cpu_mean == pytest.approx(40, rel=0.01)
        assert row.engine_cpu_max is not None
        assert row.engine_cpu_max >= row.engine_cpu_mean


def test_a_cell_whose_answers_all_came_after_their_slice_says_so_beside_those_that_were_measured(
    tmp_path: Path,
) -> None:
    analysis = gridded(tmp_path / "run")
    for path in (tmp_path / "run").glob("trials/*/slices.csv"):
        with path.open(newline="") as file:
            lines = list(csv.DictReader(file))
        for line in lines:
            if (line["operation"], line["subject"]) == ("echoList", "b"):
                line["completed"] = "0"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)
    again = analyse_run(read_run(analysis.run.folder))
    found = {(row.use_case, row.subject): row for row in rows(again)}
    late = found.pop(("echoList", "b"))
    assert (late.tps, late.index, late.ended) == (None, None, "too-slow")
    assert {row.ended for row in found.values()} == {"complete"}
    assert found["echoStruct", "b"].index == pytest.approx(1 / 1.2, abs=0.03)
    nothing = figure(
        again, next(cell for cell in again.run.schedule.cells if cell.name == "echoList"), "b", "throughput"
    )
    assert nothing is not None
    assert nothing.refusal == "none of its slices counts: answers only after the slice, which is too short in 40"


def sent(folder: Path, **environment: object) -> Analysis:
    """A run in which the engine sent 3 MB and the servers 1 MB in each measured slice, but for one that does not count."""
    of_slice = {"bytes_out": 3_000_000, "bytes_in": 1_000_000}
    changes = {(trial, pair, subject): of_slice for trial in range(1, 5) for pair in range(4) for subject in "ab"}
    changes[1, 3, "b"] = {"bytes_out": 3_000_000_000, "bytes_in": 1_000_000_000, "valid": 0, "why_not": "it was late"}
    return gridded(folder, pairs=4, slice_seconds=1.0, changes=changes, environment=environment)


def test_what_both_sent_is_told_in_bytes_and_in_percent_of_what_the_device_carries(tmp_path: Path) -> None:
    analysis = sent(tmp_path / "run", loopback_bytes_per_s=2e9)
    trial = analysis.run.trials[0]
    measured = [trial.slices[number] for number in trial.measured_slices["echoStruct", "a"].values()]
    long = sum(row.seconds for row in measured) / len(measured)  # all trials are alike
    for row in rows(analysis):
        assert row.engine_bytes_per_s == pytest.approx(3e6 / long, rel=0.01)
        assert row.server_bytes_per_s == pytest.approx(1e6 / long, rel=0.01)
        assert row.engine_bandwidth == pytest.approx(0.15 / long, rel=0.01)
        assert row.server_bandwidth == pytest.approx(0.05 / long, rel=0.01)


def test_a_run_that_did_not_look_what_the_device_carries_has_bytes_and_no_share(tmp_path: Path) -> None:
    for row in rows(sent(tmp_path / "run")):
        assert row.engine_bytes_per_s is not None
        assert row.engine_bandwidth is None
        assert row.server_bandwidth is None


def test_the_table_beside_the_report_has_the_same_rows(tmp_path: Path) -> None:
    analysis = sent(tmp_path / "run", loopback_bytes_per_s=2e9)
    page = write_report(tmp_path / "run").read_text()
    with (tmp_path / "run" / "grid.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    for line, row in zip(table, rows(analysis), strict=True):
        assert (line["use_case"], line["payload"]) == (row.use_case, f"Size={row.payload['Size']}")
        told = row.model_dump()
        for name in ("tps", "index", "cpu_mean", "engine_bytes_per_s", "engine_bandwidth", "server_bandwidth"):
            assert float(line[name]) == told[name]
    assert "at least 2,000 MB/s" in page


def test_how_a_subject_ended_is_told_by_the_kind_of_its_failure(tmp_path: Path) -> None:
    failed = {4: Failure(kind="hung", subject="b", message="it answers no more")}
    found = rows(gridded(tmp_path / "run", failures=failed))
    assert {(row.subject, row.ended) for row in found} == {("a", "complete"), ("b", "hung")}


def test_the_report_has_the_indices_the_papers_own_and_the_claims_that_these_contradict(tmp_path: Path) -> None:
    analysis = gridded(tmp_path / "run")
    for name in ("indices.csv", "hardware.csv", "claims.toml"):
        shutil.copyfile(paths.root() / "papers" / "soakit" / name, tmp_path / "run" / name)
    schedule = (tmp_path / "run" / "schedule.json").read_text().replace("echoStruct", "sushi-boats")
    plain = html_of(analysis)
    assert "Indices against a" in plain
    assert "The paper's indices" not in plain
    (tmp_path / "run" / "schedule.json").write_text(schedule)
    for record in tmp_path.glob("run/trials/*/trial.json"):
        record.write_text(record.read_text().replace("echoStruct", "sushi-boats"))
    shown = html_of(analyse_run(read_run(tmp_path / "run")))
    assert "The paper's indices, as printed" in shown.replace("&#39;", "'")
    assert "outperforms WebSphere 6 by 78%" in shown
    assert "161" in shown


def test_a_run_without_a_grid_has_no_indices(tmp_path: Path) -> None:
    assert rows(analyse_run(read_run(write_run(tmp_path / "run", Planted())))) == ()
