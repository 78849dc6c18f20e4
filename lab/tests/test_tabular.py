"""Stored tables: every column has a type, unit and meaning, and frames and files hold the same values."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import polars
import pyarrow.parquet
import pytest
import steelyard as package
from command import steelyard
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_runs import KEPT_RUNS
from own_service import serving
from steelyard import StoredTable, open_run
from steelyard.base.csvfiles import is_stored, read_bytes
from steelyard.base.errors import ConfigurationError, SteelyardError, StoreError, ToolchainError
from steelyard.models.cluster import ClusterRun, Machine
from steelyard.models.records import Failure, Schedule
from steelyard.results import cluster_folder
from steelyard.results.stored_run import read_run
from steelyard.results.tabular import files, known_tables
from synthetic import Planted, write_run

DEMO = KEPT_RUNS["demo"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", Planted(forks=2, pairs=2))


def test_a_kept_run_s_slices_are_those_of_its_trials_with_what_each_was_for() -> None:
    stored, table = read_run(DEMO), open_run(DEMO).table("slices")
    expected = [(trial.number, row) for trial in stored.trials for row in trial.slices.values()]
    assert [column.name for column in table.columns[:4]] == ["trial", "cell", "pair", "slice"]
    assert [(row.trial, row.slice, row.completed, row.valid) for row in table.rows()] == [
        (trial, row.slice, row.completed, row.valid == 1) for trial, row in expected
    ]
    paired = [row for row in table.dicts() if row["pair"] is not None]
    assert {row["phase"] for row in paired} == {"measure"}
    assert {row["cell"] for row in paired} == {cell.name for cell in stored.schedule.cells}
    assert (
        table.units["measured_ns"] == "ns" and table.units["completed"] == "requests" and "subject" not in table.units
    )


def test_percentiles_are_those_of_the_histograms_and_missing_where_requests_are_too_few() -> None:
    run, stored = open_run(DEMO), read_run(DEMO)
    rows = run.percentiles([50, 99, 99.99]).rows()
    trial = stored.trials[0]
    row = next(row for row in rows if row.trial == trial.number and row.kind == "response")
    times = trial.histogram([row.slice], "response", row.operation)
    assert (row.count, row.p50_us, row.p99_us) == (times.total, times.percentile(50), times.percentile(99))
    assert row.subject == trial.plans[row.slice].subject and row.pair == trial.plans[row.slice].pair
    assert {row.p99_99_us for row in rows} == {None}  # a slice has not the 100,000 requests that it needs
    with pytest.raises(ConfigurationError, match="between 0 and 100"):
        run.percentiles([100])


def test_verdicts_trials_and_processes_are_tables_too() -> None:
    run = open_run(DEMO)
    (judged,) = [row for row in run.table("comparisons").rows() if row.primary]
    verdict = next(each for each in run.verdicts.comparisons if each.primary)
    assert (judged.verdict, judged.interval_low, judged.interval_high) == (verdict.verdict, *(verdict.interval or ()))
    assert json.loads(judged.voided) == verdict.voided
    assert run.table("trials").units["seconds"] == "s"
    assert [row.status for row in run.table("trials").rows()] == ["complete"] * len(run.schedule.trials)
    subjects = {(row.trial, row.label) for row in run.table("subjects").rows()}
    assert {(row.trial, row.subject) for row in run.table("processes").rows()} == subjects
    with pytest.raises(ConfigurationError, match="has no table 'slcies'; did you mean 'slices'"):
        run.table("slcies")


@pytest.mark.parametrize(
    "table",
    [
        name
        for name in known_tables.tables_by_name()
        if name not in ("grid", "requests", "network", "outcomes", "foreign", "strangers")
    ],
)
def test_every_column_of_every_kept_run_is_known(table: str) -> None:
    data = known_tables.tables_by_name()[table]
    places = ("", "trials/01") if data.of == "place" else ("",)
    paths = [run / place / data.file for run in KEPT_RUNS.values() for place in places]
    headers = [read_bytes(path).decode().splitlines()[0] for path in paths if is_stored(path)]
    assert headers
    columns = {name: known_tables.column(data, name) for header in headers for name in header.split(",")}
    assert [name for name, column in columns.items() if not column.meaning] == []
    suffixes = {"_ns": "ns", "_s": "s", "_bytes": "bytes", "_ms": "ms"}
    numbers = [column for column in columns.values() if column.type in ("int", "float")]
    expected = {column.name: unit for column in numbers for end, unit in suffixes.items() if column.name.endswith(end)}
    assert {name: columns[name].unit for name in expected} == expected


def test_a_request_s_layers_and_a_collector_s_pauses_are_tables_of_a_run_that_observed_them() -> None:
    run, stored = open_run(KEPT_RUNS["flight-types"]), read_run(KEPT_RUNS["flight-types"])
    layers, pauses = run.table("layers"), run.table("pauses")
    assert len(layers) == sum(len(rows) for trial in stored.trials for rows in trial.layers.values())
    own = [column for column in layers.columns if column.name.endswith("_self_ns")]
    assert {(column.type, column.unit) for column in own} == {("int", "ns")}
    assert any(None in layers.values[column.name] for column in own)  # a request that did not enter the layer
    assert len(pauses) == sum(len(log.pauses) for trial in stored.trials for log in trial.collectors.values()) > 0


def test_data_frames_hold_the_same_values_with_types_of_their_own_and_what_is_missing_as_missing() -> None:
    table = open_run(DEMO).table("slices")
    rows = table.dicts()
    frame, polars_frame, arrow = table.to_pandas(), table.to_polars(), table.to_arrow()
    assert polars_frame.to_dicts() == rows == arrow.to_pylist()
    assert list(frame.columns) == list(table.values) and len(frame) == len(table)
    assert frame.attrs["units"] == table.units
    assert (
        str(frame["pair"].dtype) == "Int64" and int(frame["pair"].isna().sum()) == table.values["pair"].count(None) > 0
    )
    per_second = frame["completed"].sum() / (frame["measured_ns"].sum() / 1e9)
    assert per_second == pytest.approx(
        sum(row["completed"] for row in rows) / sum(row["measured_ns"] for row in rows) * 1e9
    )
    assert polars_frame.schema["valid"] == polars.Boolean and isinstance(frame, pandas.DataFrame)
    assert arrow.schema.field("measured_ns").metadata[b"unit"] == b"ns"


@pytest.mark.parametrize(
    ("library", "read"), [("pandas", "to_pandas"), ("polars", "to_polars"), ("parquet", "to_arrow")]
)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    library: str, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, {"parquet": "pyarrow"}.get(library, library), None)
    table = StoredTable("none", "nothing", (), {})
    with pytest.raises(ToolchainError, match="is not installed here") as refused:
        getattr(table, read)()
    assert f"steelyard[{library}]" in refused.value.hint and table.rows() == []


def test_nonsense_in_a_table_is_named_with_its_line_and_other_tables_are_read(run: Path) -> None:
    path = run / "trials" / "02" / "ticks.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "soon", 1), *lines[2:]]) + "\n")
    opened = open_run(run)
    with pytest.raises(StoreError, match=r"trials/02/ticks\.csv, line 2: time_ns is 'soon', not a whole number"):
        opened.table("ticks")
    assert len(opened.table("slices")) > 0
    path.write_text("\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "9" * 20, 1)]) + "\n")
    with pytest.raises(StoreError, match=r"line 2: time_ns is 9+, which does not fit in 63 bits"):
        opened.table("ticks")


def test_of_a_stopped_trial_what_was_written_whole_is_read(tmp_path: Path) -> None:
    failures = {2: Failure(kind="interrupted", message="stopped by the user")}
    run = write_run(tmp_path / "stopped", Planted(forks=2, pairs=2, failures=failures))
    path = run / "trials" / "02" / "slices.csv"
    whole = path.read_text()
    path.write_text(whole[:-5])
    rows = open_run(run).table("slices").rows()
    assert sum(row.trial == 2 for row in rows) == len(whole.splitlines()) - 2
    (stopped,) = [row for row in open_run(run).table("trials").rows() if row.trial == 2]
    assert (stopped.status, stopped.failure_kind) == ("interrupted", "interrupted")


def test_a_run_without_an_analysis_says_how_to_make_it_and_a_folder_without_a_run_that_there_is_none(
    run: Path, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match=r"verdicts\.json is missing") as refused:
        _ = open_run(run).verdicts
    assert "steelyard report" in refused.value.hint
    with pytest.raises(ConfigurationError, match="contains no run"):
        open_run(tmp_path)
    with pytest.raises(ConfigurationError, match="is not a folder"):
        open_run(tmp_path / "nowhere")


def test_the_machines_of_a_cluster_stand_in_a_column(run: Path, tmp_path: Path) -> None:
    cluster = tmp_path / "cluster"
    for name in ("machine-1", "machine-2"):
        shutil.copytree(run, cluster_folder.machine_folder(cluster, name))
    schedule = Schedule.model_validate_json((run / "schedule.json").read_text())
    machines = [Machine(name=name, identity=name, trials=[1, 2]) for name in ("machine-1", "machine-2")]
    cluster_folder.write_cluster(cluster, ClusterRun(schedule=schedule, machines=machines))
    slices = open_run(cluster).table("slices").to_pandas()
    alone = open_run(run).table("slices")
    assert slices.groupby("machine").size().to_dict() == {"machine-1": len(alone), "machine-2": len(alone)}


@settings(max_examples=25, deadline=None)
@given(content=st.binary(max_size=200))
def test_whatever_a_file_holds_it_is_a_table_or_refused_in_a_sentence(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("broken")
    (folder / "schedule.json").write_bytes(read_bytes(DEMO / "schedule.json"))
    for file in ("trials/01/slices.csv", "trials/01/intervals.hlog", "results.csv", "verdicts.json"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
        try:
            for table in open_run(folder).tables:
                open_run(folder).table(table).to_polars()
        except SteelyardError as error:
            assert str(folder) in error.message
        (folder / file).unlink()


def test_csv_holds_every_value_and_a_file_beside_every_unit(tmp_path: Path) -> None:
    ran = steelyard("export", str(DEMO), "--csv", "tables", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    run = open_run(DEMO)
    assert [table["table"] for table in said["tables"]] == run.tables
    for table in ("slices", "comparisons"):
        with (tmp_path / "tables" / f"{table}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows == [
            {
                name: "" if value is None else str(int(value) if isinstance(value, bool) else value)
                for name, value in row.items()
            }
            for row in run.table(table).dicts()
        ]
    with (tmp_path / "tables" / files.COLUMNS_FILE).open(newline="") as file:
        units = {(row["table"], row["column"]): row["unit"] for row in csv.DictReader(file)}
    assert units["slices", "measured_ns"] == "ns" and units["percentiles", "p99_us"] == "µs"
    again = steelyard("export", str(DEMO), "--csv", "tables", folder=tmp_path)
    assert again.code == 64 and "exists already" in again.err


def test_parquet_holds_types_units_and_values(tmp_path: Path) -> None:
    ran = steelyard("export", str(DEMO), "--parquet", "tables", "--table", "ticks", folder=tmp_path)
    assert ran.code == 0, ran.err
    expected = open_run(DEMO).table("ticks")
    assert ran.out.splitlines() == [f"tables/ticks.parquet: {len(expected)} rows, {len(expected.columns)} columns"]
    stored = pyarrow.parquet.read_table(tmp_path / "tables" / "ticks.parquet")
    assert stored.to_pylist() == expected.dicts()
    assert {
        field.name: field.metadata[b"unit"].decode() for field in stored.schema if field.metadata[b"unit"]
    } == expected.units


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--csv", "tables", "--users", "9"), "--users belongs to a service"),
        (("--csv", "tables", "--k6"), "--k6 belongs to a service"),
        (("--csv", "tables", "--parquet", "more"), "--csv and --parquet are two exports"),
        (("--csv", "tables", "--table", "slcies"), "did you mean 'slices'"),
        (("--table", "slices", "--k6"), "--table needs --csv or --parquet"),
    ],
)
def test_words_of_a_load_and_of_a_run_are_kept_apart(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ran = steelyard("export", str(DEMO), *words, folder=tmp_path)
    assert ran.code == 64 and said in ran.err and not (tmp_path / "tables").exists()


def test_without_pyarrow_nothing_is_written_as_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    ran = steelyard("export", str(DEMO), "--parquet", "tables", folder=tmp_path)
    assert ran.code == 1 and "steelyard[parquet]" in ran.err and not (tmp_path / "tables").exists()


def test_a_load_s_seconds_and_stretches_are_tables(tmp_path: Path) -> None:
    with serving(0.0) as url:
        ran = steelyard("load", url, "--users", "2", "--for", "2s", "--json", folder=tmp_path)
    loaded = json.loads(ran.out)
    run = open_run(tmp_path / loaded["run"])
    (row,) = run.table("slices").rows()
    assert (row.trial, row.cell, row.completed) == (1, "request", loaded["completed"])
    seconds = run.table("seconds").rows()
    assert [row.second for row in seconds] == list(range(1, len(seconds) + 1))
    assert sum(row.count for row in seconds) <= loaded["completed"]
    (operation,) = run.table("operations").rows()
    assert (operation.completed, operation.mean_ms) == (loaded["completed"], loaded["operations"][0]["mean_ms"])
    assert run.table("load").rows()[0].throughput_per_s_value == loaded["throughput_per_s"]["value"]


def test_the_package_offers_what_it_says_and_imports_nothing_until_it_is_asked() -> None:
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'opn_run'"):
        _ = package.opn_run  # type: ignore[attr-defined]
    code = "import sys, steelyard; print([name for name in sys.modules if name.startswith('steelyard.')])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
