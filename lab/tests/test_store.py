"""A run folder reads back as it was written; damage is named with file and line, and a broken trial stays a result."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from steelyard.analyse.analysis import analyse
from steelyard.base import configuration
from steelyard.base.csvfiles import read_table, write_document, write_table, write_text
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.base.histogram import Histogram, decode, merge_histograms
from steelyard.measure.resume import resume_state, set_aside_trials
from steelyard.models.records import Failure
from steelyard.report import write_report
from steelyard.report.keeping import keep
from steelyard.results.outcomes import total_counts
from steelyard.results.stored_run import Trial, read_run
from synthetic import Planted, write_run

SMALL = Planted(forks=2, pairs=3)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", SMALL)


def change(path: Path, line: int, old: str, new: str) -> None:
    lines = path.read_text().splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("\n".join(lines) + "\n")


def interrupted(tmp_path: Path) -> Path:
    failures = {2: Failure(kind="interrupted", message="stopped by the user")}
    return write_run(tmp_path / "stopped", Planted(forks=2, pairs=3, failures=failures))


def test_what_was_written_is_read_back(run: Path) -> None:
    found = read_run(run)
    trial = found.trials[0]
    assert [one.number for one in found.trials] == [1, 2]
    assert trial.status == "complete" and len(trial.slices) == 2 * (6 + 3)
    row = trial.slices[0]
    assert row.seconds == 2.0 and row.throughput_per_s == row.completed / 2
    assert trial.histogram([0], "response").total == row.completed
    assert trial.histogram([0, 1], "response").total == row.completed + trial.slices[1].completed
    assert trial.histogram([0], "queueing").total == 0
    assert trial.jit_share(0) == pytest.approx(0.3)
    assert trial.jit_share(999) is None


def test_the_measured_time_of_slices_in_turns_is_their_own_and_in_older_runs_all_of_it(run: Path) -> None:
    path = run / "trials" / "01" / "slices.csv"
    columns, *lines = [line.split(",") for line in path.read_text().splitlines()]
    place = columns.index("measured_ns")
    old = [line[:place] + line[place + 1 :] for line in [columns, *lines]]
    whole = read_run(run).trials[0]
    path.write_text("".join(",".join(line) + "\n" for line in old))
    assert read_run(run).trials[0].slices == whole.slices
    lines[0][place] = str(500_000_000)
    path.write_text("".join(",".join(line) + "\n" for line in [columns, *lines]))
    trial = read_run(run).trials[0]
    assert (trial.unbroken(0), trial.unbroken(1), trial.slices[0].seconds) == (False, True, 0.5)
    assert trial.observed_ns(1) == 2_000_000_000 and trial.observed_ns(999) is None
    assert trial.slices[0].throughput_per_s == 4 * whole.slices[0].throughput_per_s
    lines[0][place] = str(2_000_000_001)
    path.write_text("".join(",".join(line) + "\n" for line in [columns, *lines]))
    assert "slices.csv, line 2: slice 0 was measured for longer than it lasted" in (
        read_run(run).trials[0].damage or ""
    )


def test_runs_from_before_everything_outside_the_measured_time_was_counted_are_read_without_it(run: Path) -> None:
    path = run / "trials" / "01" / "slices.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    kept = [
        place
        for place, column in enumerate(lines[0])
        if not column.startswith("outside_") and column not in ("sent", "dropped")
    ]
    path.write_text("".join(",".join(line[place] for place in kept) + "\n" for line in lines))
    row = next(iter(read_run(run).trials[0].slices.values()))
    assert row.completed > 0
    assert (row.sent, row.dropped, row.outside_reset) == (0, 0, 0)


def test_whose_turn_it_was_is_known_of_slices_that_took_turns_and_of_none_in_older_runs(run: Path) -> None:
    path = run / "trials" / "01" / "slices.csv"
    columns, *lines = [line.split(",") for line in path.read_text().splitlines()]
    place = columns.index("cpu_own_ns")
    lines[1][place : place + 3] = ["70", "0", "10"]
    path.write_text("".join(",".join(line) + "\n" for line in [columns, *lines]))
    unbroken, taken = (read_run(run).trials[0].slices[number] for number in (0, 1))
    assert (unbroken.cpu_own_ns, unbroken.cpu_other_ns, unbroken.cpu_between_ns) == (None, None, None)
    assert (taken.cpu_own_ns, taken.cpu_other_ns, taken.cpu_between_ns) == (70, 0, 10)
    old = [line[:place] + line[place + 3 :] for line in [columns, *lines]]
    path.write_text("".join(",".join(line) + "\n" for line in old))
    assert read_run(run).trials[0].slices[1].cpu_own_ns is None


def test_a_folder_that_is_none_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a folder"):
        read_run(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("name", "line", "old", "new", "said"),
    [
        ("slices.csv", 4, ",warm-up,", ",warm-up,more,", r"slices\.csv, line 4: 66 fields where the header has 65"),
        ("slices.csv", 2, "0,", "-1,", r"slices\.csv, line 2: slice is '-1', not a whole number"),
        ("slices.csv", 1, "begin_ns", "start_ns", r"slices\.csv, line 1: the column begin_ns is missing"),
        ("slices.csv", 3, "1,", "0,", r"slices\.csv, line 3: slice 0 occurs twice"),
        ("machine.csv", 2, "1.2", "nan", r"machine\.csv, line 2: user_s is 'nan', not a number"),
        ("observations.csv", 5, ",100,", ",1e2,", r"observations\.csv, line 5: pid is '1e2'"),
        ("intervals.hlog", 3, "Tag=", "Teg=", r"intervals\.hlog, line 3: not a tagged interval"),
        ("ticks.csv", 2, "0", "x", r"ticks\.csv, line 2: time_ns"),
        ("observations.csv", 3, ",1900000000,", ",-5,", r"observations\.csv, line 3: cpu_ns is '-5'"),
        (
            "intervals.hlog",
            2,
            "HISTF",
            "HISTG",
            r"intervals\.hlog: the histogram tomcat-metro/0/echoStruct/response is",
        ),
    ],
)
def test_damage_sets_a_complete_trial_aside_and_is_named(
    run: Path, name: str, line: int, old: str, new: str, said: str
) -> None:
    change(run / "trials" / "01" / name, line, old, new)
    damaged, whole = read_run(run).trials
    assert (damaged.status, whole.status) == ("damaged", "complete")
    assert re.search(said, damaged.damage or ""), damaged.damage
    assert not damaged.slices and not damaged.plans and whole.slices


@pytest.mark.parametrize(
    "name", ["slices.csv", "observations.csv", "machine.csv", "ticks.csv", "intervals.hlog", "job.json"]
)
def test_a_complete_trial_without_a_file_is_named(run: Path, name: str) -> None:
    (run / "trials" / "02" / name).unlink()
    assert f"02/{name} is missing" in (read_run(run).trials[1].damage or "")


@pytest.mark.parametrize("name", ["slices.csv", "observations.csv", "machine.csv", "ticks.csv", "intervals.hlog"])
@pytest.mark.parametrize("how", ["within a line", "between two lines", "to nothing"])
def test_a_complete_trial_whose_file_was_cut_short_is_set_aside(run: Path, name: str, how: str) -> None:
    path = run / "trials" / "02" / name
    lines = path.read_text().splitlines(keepends=True)
    kept = {
        "within a line": "".join(lines)[:-2],
        "between two lines": "".join(lines[: len(lines) // 2]),
        "to nothing": "",
    }
    path.write_text(kept[how])
    trial = read_run(run).trials[1]
    assert trial.status == "damaged" and f"02/{name}" in (trial.damage or "")


@pytest.mark.parametrize(
    ("content", "said"), [("", "not JSON"), ('{\n"number": 1,\n oops', "line 3: not JSON"), ("{}", "is missing")]
)
def test_a_trial_whose_record_cannot_be_read_is_set_aside(run: Path, content: str, said: str) -> None:
    (run / "trials" / "01" / "trial.json").write_text(content)
    damaged, whole = read_run(run).trials
    assert "trial.json" in (damaged.damage or "") and said in (damaged.damage or "")
    assert (damaged.status, whole.status) == ("damaged", "complete")


@pytest.mark.timeout(60)
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(run: Path) -> None:
    for name in ("trials/01/ticks.csv", "environment.json"):
        (run / name).unlink()
        os.mkfifo(run / name)
    with pytest.raises(StoreError, match=r"environment\.json is not a regular file"):
        read_run(run)
    (run / "environment.json").unlink()
    damaged, whole = read_run(run).trials
    assert "ticks.csv is not a regular file" in (damaged.damage or "") and whole.damage is None
    os.mkfifo(run / "other.toml")
    with pytest.raises(ConfigurationError, match=r"other\.toml is not a regular file"):
        configuration.read(run / "other.toml")


def count_outcomes(trial: Trial, more: int) -> None:
    """Write an outcomes.csv for a trial, and the column `sent` of its slices; the last slice has so many `more` right answers."""
    table = trial.folder / "slices.csv"
    header, *lines = [line.split(",") for line in table.read_text().splitlines()]
    rows = [trial.slices[int(line[header.index("slice")])] for line in lines]
    sent = [total_counts(row).total for row in rows]
    table.write_text(
        "".join(
            ",".join(map(str, row)) + "\n"
            for row in [[*header, "sent"], *([*line, n] for line, n in zip(lines, sent, strict=True))]
        )
    )
    outcomes = ["slice,subject,operation,ended,outcome,cause,status,count"]
    for row in rows:
        counts = total_counts(row)
        right = counts.right + (more if row is rows[-1] else 0)
        for outcome, count in (
            ("right", right),
            ("wrong", counts.wrong),
            ("status", counts.failed),
            ("unanswered", counts.unanswered),
        ):
            outcomes += [f"{row.slice},{row.subject},echoStruct,measured,{outcome},,200,{count}"] * (count > 0)
    (trial.folder / "outcomes.csv").write_text("\n".join(outcomes) + "\n")


def test_a_trial_whose_tables_count_differently_is_damaged(run: Path) -> None:
    for trial, more in zip(read_run(run).trials, (0, 1), strict=True):
        count_outcomes(trial, more)
    whole, damaged = read_run(run).trials
    assert whole.damage is None and whole.slices
    assert "02/slices.csv: slice 17 has other counts of requests than outcomes.csv" in (damaged.damage or "")


def test_a_run_with_a_damaged_trial_is_not_kept(run: Path, tmp_path: Path) -> None:
    (run / "trials" / "01" / "job.json").write_text("no JSON")
    with pytest.raises(StoreError, match="a run with a damaged trial cannot be kept"):
        keep(run, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_schedule_without_subjects_is_refused(run: Path) -> None:
    schedule = json.loads((run / "schedule.json").read_text())
    write_document(run / "schedule.json", {**schedule, "subjects": []})
    with pytest.raises(StoreError, match="it names no subjects"):
        read_run(run)


def test_a_report_goes_without_a_damaged_trial_and_says_so(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=6, pairs=3))
    (run / "trials" / "03" / "trial.json").write_text("")
    found = analyse(run)
    assert found.valid and found.status == "partial"
    assert [one.forks for one in found.comparisons if one.primary] == [5]
    [failure] = found.failures
    assert (failure.trial, failure.status) == (3, "damaged") and "left out" in failure.message
    assert "03/trial.json, line 1: not JSON" in write_report(run).read_text()


def test_a_run_with_a_damaged_trial_is_taken_up_and_only_that_one_driven_again(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=4, pairs=3))
    (run / "trials" / "02" / "trial.json").write_text("")
    _, standing = resume_state(run)
    assert standing.done == {1, 3, 4}
    assert [said.partition(":")[0] for said in standing.damaged] == ["trial 2 is damaged and repeated"]
    set_aside_trials(run, standing)
    assert sorted(path.name for path in (run / "trials").iterdir()) == ["01", "02.stopped-1", "03", "04"]


def test_a_json_file_of_another_shape_is_named_with_its_key(run: Path) -> None:
    (run / "schedule.json").write_text("{}")
    with pytest.raises(StoreError, match=r"schedule\.json: study is missing"):
        read_run(run)


def test_a_trial_that_was_killed_before_its_record_is_an_interrupted_one(run: Path) -> None:
    (run / "trials" / "02" / "trial.json").unlink()
    trial = read_run(run).trials[1]
    assert trial.status == "interrupted" and trial.record is None and trial.slices


def test_a_trial_that_never_began_is_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", SMALL)
    for path in (run / "trials" / "02").iterdir():
        path.unlink()
    (run / "trials" / "02").rmdir()
    assert [trial.number for trial in read_run(run).trials] == [1]


def test_a_stopped_trials_half_written_last_line_is_left_out(tmp_path: Path) -> None:
    run = interrupted(tmp_path)
    path = run / "trials" / "02" / "slices.csv"
    whole = read_run(run).trials[1].slices
    path.write_text(path.read_text()[:-20])
    trial = read_run(run).trials[1]
    assert len(trial.slices) == len(whole) - 1 and not trial.problems


def test_a_stopped_trials_damage_is_a_problem_that_is_listed(tmp_path: Path) -> None:
    run = interrupted(tmp_path)
    change(run / "trials" / "02" / "machine.csv", 2, "1.2", "?")
    trial = read_run(run).trials[1]
    assert not trial.machine and "machine.csv, line 2" in trial.problems[0]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000))
def test_random_damage_never_ends_in_anything_but_a_store_error(seed: int) -> None:
    import tempfile

    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", Planted(forks=1, pairs=1))
        files = sorted(path for path in run.rglob("*") if path.is_file())
        path = draw.choice(files)
        content = bytearray(path.read_bytes())
        for _ in range(draw.randint(1, 5)):
            if content:
                content[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(bytes(content[: draw.randint(0, len(content))]) if draw.random() < 0.3 else bytes(content))
        try:
            for trial in read_run(run).trials:
                trial.histogram(list(trial.slices), "response")
        except StoreError:
            pass


def test_histograms_merge_without_loss_and_agree_with_the_library() -> None:
    draw, whole, parts = random.Random(2), HdrHistogram(1, 3_600_000_000, 3), []
    for _ in range(3):
        part = HdrHistogram(1, 3_600_000_000, 3)
        for _ in range(2000):
            value = int(draw.lognormvariate(7, 2)) + 1
            part.record_value(value)
            whole.record_value(value)
        parts.append(decode(part.encode().decode()))
    found = merge_histograms(parts)
    assert found.total == 6000
    for percent in (0.01, 50, 90, 99, 99.9, 99.999):
        # The Python library rounds the rank to the nearest, those of Java and Rust up: the same at whole ranks.
        rank = math.ceil(percent / 100 * 6000 - 1e-6)
        assert found.percentile(percent) == whole.get_value_at_percentile(100 * rank / 6000)
    assert found.mean() == pytest.approx(whole.get_mean_value(), rel=1e-3)


def test_a_percentile_is_the_value_of_the_rank_rounded_up() -> None:
    ten = Histogram(np.arange(1, 11), np.arange(1, 11) - 0.5, np.ones(10, np.int64))
    assert [ten.percentile(percent) for percent in (0.1, 10, 10.1, 50, 90, 90.1, 99.9)] == [1, 1, 2, 5, 9, 10, 10]


@pytest.mark.parametrize(
    "text", ["", "HISTF", "not base64 at all", "HISTFAAAAB542pNpmSzMwMDAxQABMJoRTM6Y1mD/ASIAAEQoBBA="]
)
def test_what_is_no_histogram_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a compressed histogram"):
        decode(text)


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_table(path, ("a", "b"), [(1, "x,y"), (2, 'say "hi"\nthere')])
    rows = list(read_table(path, ("a",)))
    assert [row.fields["b"] for row in rows] == ["x,y", 'say "hi"\nthere']
    with pytest.raises(StoreError, match="cannot write"):
        write_text(tmp_path / "absent" / "file", "text")
    write_document(tmp_path / "x.json", {"b": 1})
    assert sorted(item.name for item in tmp_path.iterdir()) == ["table.csv", "x.json"]


def test_a_file_that_does_not_fit_on_the_disk_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "trial.json"
    write_text(path, "old\n")
    # A limit on the size of files stands for the full disk: the same call fails in the same place.
    code = (
        "import resource, signal, sys, pathlib\n"
        "from steelyard.base.csvfiles import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_text(pathlib.Path(sys.argv[1]), 'new' * 1000)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "StoreError" in ran.stderr and "trial.json" in ran.stderr and "cannot write" in ran.stderr, ran.stderr
    assert path.read_text() == "old\n"
    assert [item.name for item in tmp_path.iterdir()] == ["trial.json"]
