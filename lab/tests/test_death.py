"""How a death in service is recognised and told, without any server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from steelyard.death import memory_line
from steelyard.keeper import Exit
from steelyard.models.records import Failure, Place, TrialRecord
from steelyard.report import write_report
from synthetic import Planted, write_run

PLACE = Place(slice=12, phase="measure", cell="echoStruct", users=8, request_bytes=4200)


@pytest.mark.parametrize(
    "line",
    [
        "Terminating due to java.lang.OutOfMemoryError: Java heap space",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "Unhandled Exception: System.OutOfMemoryException: Out of memory",
        "fatal error: runtime: out of memory",
        "memory allocation of 1048576 bytes failed",
        "  what():  std::bad_alloc",
        "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 4096 bytes)",
        "MemoryError",
    ],
)
def test_every_runtime_s_words_for_memory_that_ran_out_are_known(line: str) -> None:
    assert memory_line(f"started\n{line}\n  at somewhere") == line.strip()


def test_an_option_of_the_jvm_is_no_lack_of_memory() -> None:
    assert memory_line("JAVA_OPTS: -Xmx64m -XX:+HeapDumpOnOutOfMemoryError -XX:+ExitOnOutOfMemoryError") is None


@pytest.mark.parametrize(
    ("ended", "by", "words"),
    [
        (Exit(3, None), None, "exit code 3"),
        (Exit(None, 9), 9, "signal 9 (SIGKILL)"),
        (Exit(137, None), 9, "exit code 137, as after signal 9 (SIGKILL)"),
        (Exit(None, 11), 11, "signal 11 (SIGSEGV)"),
        (Exit(255, None), 127, "exit code 255, as after signal 127"),
    ],
)
def test_how_a_process_ended_is_told_with_the_signal_s_name(ended: Exit, by: int | None, words: str) -> None:
    assert (ended.by, str(ended)) == (by, words)


def test_the_same_death_in_two_trials_is_told_once_before_any_figure(tmp_path: Path) -> None:
    died = Failure(kind="deadlock", subject="go", message="go deadlocked at 8 users: no answer", place=PLACE)
    page = made(tmp_path, failures={2: died, 3: died})
    told = "<b>go</b> deadlocked at 8 users on echoStruct, requests of 4.1 KiB"
    assert page.count(told) == 1
    assert page.index(told) < page.index("Operation by operation")
    assert "trials 2, 3</a>" in page
    assert page.count("<dd>12, measure</dd>") == 2


def test_closed_connections_are_printed_per_thousand_requests(tmp_path: Path) -> None:
    page = made(tmp_path, rates={"go": 1000.0, "null": 1000.0}, changes={(1, 0, "null"): {"closes": 80}})
    assert "closed a 1,000" in page
    assert re.search(
        r">80</td><td class=\"number\">1<|>80</td><td class=\"number\">0\.9\d?<|>80</td><td class=\"number\">1\.\d+<",
        page,
    )
    assert "closed a 1,000" not in made(tmp_path / "none")


def test_a_floor_is_called_one_wherever_it_stands(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(rates={"go": 1000.0, "null": 2000.0}))
    for path in run.glob("trials/*/trial.json"):
        record = TrialRecord.model_validate_json(path.read_text())
        subjects = [one.model_copy(update={"floor": one.label == "null"}) for one in record.subjects]
        path.write_text(record.model_copy(update={"subjects": subjects}).model_dump_json())
    page = write_report(run).read_text()
    assert "null is a floor: it reads no XML" in page
    assert page.count("null (floor)") >= 5
    assert "go (floor)" not in page


def made(folder: Path, **planted: object) -> str:
    return write_report(write_run(folder / "run", Planted(**planted))).read_text()  # type: ignore[arg-type]
