"""A kept run is one archive with its figures as text beside it; it gives the same report to the byte, and stays small."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from kept_runs import KEPT_RUNS
from steelyard.analyse.analysis import full_analysis
from steelyard.base import paths, raw_archive
from steelyard.base.csvfiles import names_in, read_bytes
from steelyard.base.errors import StoreError
from steelyard.models.records import Failure
from steelyard.report import keeping, write_report
from steelyard.results.stored_run import read_run
from steelyard.results.tabular.opened_run import open_run
from synthetic import Planted, write_run

RAW_DIGESTS = {  # SHA-256 of the names and the SHA-256 of all raw files
    "demo": "79bb5e00b1ccf4cccf3290a07e48a50135f41e742d16fa7bf0acea926f8d9c9c",
    "envelope": "40cee5141b4b44d8c133d06493ffab27048b831110ba90ac22de9d380b8a8076",
    "envelope-secured": "c23adca7b87834f6291d82ed370a176a8c312222eed67e28776b48a0c82bee04",
    "flight-types": "952724a4df083062167f894de2d460c6fedc07950ddfe339a01b80a7200efe6b",
    "flight-variations": "6a88d878b5b0ca3b63dfed40e76db0386790af506eddc8dd50cd14e60129da55",
    "frameworks-item": "b4bfbfe19b0c517c74a8eeca0d212179ba882ca578cdbfb52fa711dc070fade8",
    "petstore": "d602b561ccd55692a6b6085aa45a0549c38e491986879db5003222c7b24d7949",
    "petstore-faults": "720d8ea718ee8f4a49ae4aa5bcdc7efc6874bc13623ef0bccc092219d3fa47d0",
    "petstore-safe": "184c7fcd4c2ed4cc5fb3bb568f0e5658eb8767d02fc15be5912aade94a7c1589",
    "petstore-unreachable": "a539004a1c5cc79d4033508cf298ad695ca707ea2af4b3ee513428f3f2625730",
    "soakit-buffet": "2aa47803554efb1a674fdfb57fa2da1e526c20f7cc531eaa39230d036575ead0",
    "soakit-reliability": "cdf47328904caaa67de3ab4589bc8f0b946aa8b548ec36a55322a970a3dc74be",
    "soakit-sushi-boats": "1a0656b9087c64a07f5290d4ce4b3795cdfb5eea178029d87ad655930a2f56d9",
    "soakit-tv-dinner": "77779d9b81fedbf2dd0a4e49d0548c8e4bac5aedf77a0896daf7563d9395fc3c",
    "soaservers": "ee0927bb96be7684d21bb1c00da7fd52fdc4900411a1405d7d5614329a3fc0c7",
    "soaservers-stress": "b30fc21f0a722cfd95793335b58947e39c356b7884d4a9b6ab7f080f0aeb782f",
    "wstest": "06defb3ae86791c1fa210d2fb4d3c07f1aad994359f64d241ac7bd2d5ed00ef3",
}
INDEX = ("sample", "slice", "subject", "operation", "entry", "outcome")


def write_samples(trial: Path, outcomes: list[str]) -> None:
    """Sampled answers of the subjects in turn, with these outcomes."""
    (trial / "samples").mkdir()
    with (trial / "samples" / "index.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(INDEX)
        for number, outcome in enumerate(outcomes):
            writer.writerow((number, 0, ("tomcat-metro", "go")[number % 2], "echoStruct", 7, outcome))
            (trial / "samples" / f"{number}.answer").write_bytes(b"<answer/>" * 100)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = write_run(tmp_path / "whole" / "run", Planted(forks=2, pairs=3))
    write_samples(folder / "trials" / "01", ["right"] * 20)
    write_samples(folder / "trials" / "02", [*["right"] * 19, "wrong"])
    (folder / "corpus").mkdir()
    (folder / "corpus" / "corpus.bin").write_bytes(b"requests")
    (folder / "trials" / "01" / "go.server.log").write_text("started")
    return folder


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def samples(run: Path) -> list[dict[str, str]]:
    """The rows of the sampled answers that are there."""
    found = []
    for trial in names_in(run / "trials"):
        folder = run / "trials" / trial / "samples"
        if "index.csv" in names_in(folder):
            rows = csv.DictReader(read_bytes(folder / "index.csv").decode().splitlines())
            found += [row for row in rows if read_bytes(folder / f"{row['sample']}.answer")]
    return found


def with_changed(kept: Path, name: str, content: bytes) -> None:
    """Write the archive of a kept run anew, with other content in one file."""
    with zipfile.ZipFile(kept / raw_archive.NAME) as archive:
        files = {member: archive.read(member) for member in archive.namelist()}
    raw_archive.write_archive(kept / raw_archive.NAME, {**files, name: content}.items())


def test_a_kept_run_is_one_archive_beside_its_figures_and_notes_as_text(run: Path, tmp_path: Path) -> None:
    (run / "notes.md").write_text("what it shows\n")
    write_report(run)
    kept = keeping.keep(run, tmp_path / "run")
    assert {path.name for path in kept.iterdir()} == {"raw.zip", "results.csv", "verdicts.json", "notes.md"}
    assert json.loads((kept / "verdicts.json").read_text())["comparisons"]
    assert (kept / "notes.md").read_text() == "what it shows\n"


def test_a_kept_run_is_smaller_and_its_report_is_the_whole_runs_to_the_byte(run: Path, tmp_path: Path) -> None:
    kept = keeping.keep(run, tmp_path / "run")
    assert size(kept) < size(run) / 2
    assert write_report(kept).read_bytes() == write_report(run).read_bytes()


def test_the_tables_of_a_kept_run_are_those_of_the_whole_one(run: Path, tmp_path: Path) -> None:
    full_analysis(run)
    kept, whole = open_run(keeping.keep(run, tmp_path / "run")), open_run(run)
    assert kept.tables == whole.tables and "slices" in kept.tables
    for name in kept.tables:
        assert kept.table(name).columns == whole.table(name).columns, name
    assert kept.table("slices").values == whole.table("slices").values


def test_the_raw_files_of_a_kept_run_are_those_of_the_run_byte_for_byte(run: Path, tmp_path: Path) -> None:
    kept = keeping.keep(run, tmp_path / "run")
    for name in ("schedule.json", "environment.json", "study.toml", "trials/01/slices.csv", "trials/02/ticks.csv"):
        assert read_bytes(kept / name) == (run / name).read_bytes(), name


def test_the_same_run_is_kept_as_the_same_bytes(run: Path, tmp_path: Path) -> None:
    first, second = (keeping.keep(run, tmp_path / place / "run") for place in ("first", "second"))
    again = keeping.keep(first, tmp_path / "third" / "run")
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes() == (again / path.name).read_bytes(), path.name


def test_ten_sampled_answers_stay_those_that_were_wrong_among_them(run: Path, tmp_path: Path) -> None:
    rows = samples(keeping.keep(run, tmp_path / "run"))
    assert len(rows) == 10
    assert [row["outcome"] for row in rows].count("wrong") == 1
    assert {row["subject"] for row in rows} == {"tomcat-metro", "go"}


def test_logs_stay_of_trials_that_failed_alone_and_the_users_home_is_not_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    failures = {2: Failure(kind="interrupted", message="stopped by the user")}
    run = write_run(tmp_path / "whole", Planted(forks=2, pairs=3, failures=failures))
    for trial in ("01", "02"):
        (run / "trials" / trial / "go.server.log").write_text("/home/somebody/x is not /home/somebody-else/x")
    kept = keeping.keep(run, tmp_path / "kept")
    assert "go.server.log" not in names_in(kept / "trials" / "01")
    assert read_bytes(kept / "trials" / "02" / "go.server.log") == b"~/x is not /home/somebody-else/x"


def test_requests_are_left_out_and_what_is_no_request_stays(run: Path, tmp_path: Path) -> None:
    (run / "corpus" / "graph.xml").write_text("<graph/>")
    kept = keeping.keep(run, tmp_path / "run")
    assert names_in(kept / "corpus") == ["graph.xml"]


def test_a_run_that_would_say_less_is_not_kept(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "_kinds", lambda _: frozenset())
    with pytest.raises(StoreError, match="would give another report than the run itself"):
        keeping.keep(run, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_no_folder_is_replaced(run: Path, tmp_path: Path) -> None:
    kept = keeping.keep(run, tmp_path / "run")
    for source, to in ((run, run), (run, kept), (kept, kept)):
        with pytest.raises(StoreError, match="exists already"):
            keeping.keep(source, to)


def test_a_damaged_file_in_the_archive_is_named(run: Path, tmp_path: Path) -> None:
    kept = keeping.keep(run, tmp_path / "run")
    for damaged in (b"", b"not a table\n", b"\xff"):
        with_changed(kept, "trials/01/slices.csv", damaged)
        (trial, *_) = read_run(kept).trials
        assert trial.status == "damaged" and "slices.csv" in (trial.damage or "")


def test_there_are_kept_runs() -> None:
    assert KEPT_RUNS.keys() >= {"demo", "wstest", "soaservers"}


@pytest.mark.parametrize("run", KEPT_RUNS.values(), ids=lambda path: path.name)
def test_a_run_of_this_repository_is_kept_small(run: Path) -> None:
    trials = names_in(run / "trials")
    slices = sum(read_bytes(run / "trials" / trial / "slices.csv").count(b"\n") - 1 for trial in trials)
    assert (run / raw_archive.NAME).stat().st_size < max(2_750_000, 180_000 * len(trials), 1_000 * slices)
    assert len(samples(run)) <= 10


@pytest.mark.parametrize("name", RAW_DIGESTS)
def test_the_raw_files_of_a_run_of_this_repository_are_those_of_its_former_folder(name: str) -> None:
    """The digests were computed from the folders of packed files that the archives replaced."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(KEPT_RUNS[name] / raw_archive.NAME) as archive:
        for member in sorted(archive.namelist()):
            digest.update(f"{member} {hashlib.sha256(archive.read(member)).hexdigest()}\n".encode())
    assert digest.hexdigest() == RAW_DIGESTS[name]


@pytest.mark.skipif(shutil.which("git") is None or not (paths.root() / ".git").exists(), reason="not a git checkout")
def test_the_tree_beside_the_kept_runs_stays_small() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=paths.root(), capture_output=True, check=True, text=True)
    files = [paths.root() / name for name in names.stdout.split("\0") if name]
    kept = set(KEPT_RUNS.values())  # each is bounded by its own trials
    others = [path for path in files if path.parent not in kept and path.exists()]
    assert len(others) < len(files) and sum(path.lstat().st_size for path in others) < 18_000_000


def test_a_kept_runs_histograms_are_unfolded_and_read_as_before(run: Path, tmp_path: Path) -> None:
    whole = read_run(run)
    kept = keeping.keep(run, tmp_path / "run")
    log = read_bytes(kept / "trials" / "01" / "intervals.hlog").decode()
    assert ",0x1c8493" in log and "HISTF" not in log
    for before, after in zip(whole.trials, read_run(kept).trials, strict=True):
        assert after.histograms
        for place, of_kind in after.histograms.items():
            numbers, kind = [place[0]], place[1]
            assert [tag for tag, _ in of_kind] == [tag for tag, _ in before.histograms[place]]
            was, now = before.histogram(numbers, kind), after.histogram(numbers, kind)
            assert was.highest.tolist() == now.highest.tolist() and was.counts.tolist() == now.counts.tolist()


def test_a_damaged_unfolded_histogram_is_named(run: Path, tmp_path: Path) -> None:
    kept = keeping.keep(run, tmp_path / "run")
    log = read_bytes(kept / "trials" / "01" / "intervals.hlog").decode()
    for wrong in ("0x1c84930", "0x", "0xyz"):
        with_changed(kept, "trials/01/intervals.hlog", re.sub(r"0x[0-9a-f]+", wrong, log, count=1).encode())
        (trial, *_) = read_run(kept).trials
        assert trial.status == "damaged" and "intervals.hlog" in (trial.damage or "")
