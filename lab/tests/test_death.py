"""The detection and description of a subject's failure in service, without a server."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest
from steelyard.hosts.keeper import Exit
from steelyard.hosts.sockets import Calls
from steelyard.measure.trial.watch import Watch, memory_line, self_wait_reason
from steelyard.models.job import BigBang
from steelyard.models.records import Cell, Failure, Place, SlicePlan, TrialRecord
from steelyard.report import write_report
from steelyard.results.tables import FAILURE_KINDS, SliceRow
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


@pytest.mark.parametrize("kind", sorted({*FAILURE_KINDS} - {"timeout"}))  # where all time out, threads are asked why
def test_a_slice_in_which_all_failed_ends_the_trial_whatever_the_kind(tmp_path: Path, kind: str) -> None:
    cell = Cell(name="echoStruct", mix={"echoStruct": 1.0}, users=8, profile=BigBang(users=8, seconds=1), primary=True)
    watch = Watch({}, {"echoStruct": cell}, {"echoStruct": 900.0}, tmp_path)
    columns = ("completed", "wrong", "unfinished", "dropped", *FAILURE_KINDS)
    row = dict.fromkeys(columns, "0") | {kind: "7", "end_ns": "1", "measured_ns": "1000000000"}
    plan = SlicePlan(number=1, subject="go", cell="echoStruct", phase="measure", pair=0)
    failure = watch.failure_after(plan, row)
    assert failure is not None and failure.kind == "no-answer"
    assert f"every request failed: 7 {kind}" in failure.message


@pytest.mark.parametrize("phase", ["warm-up", "measure"])
@pytest.mark.parametrize(("may_refuse", "kind"), [(True, None), (False, "no-answer")])
def test_a_cell_that_may_be_refused_ends_no_trial_while_the_server_lives(
    tmp_path: Path, phase: Literal["warm-up", "measure"], may_refuse: bool, kind: str | None
) -> None:
    profile = BigBang(users=8, seconds=1)
    cell = Cell(name="large", mix={"large": 1.0}, users=8, profile=profile, primary=True, may_refuse=may_refuse)
    watch = Watch({}, {"large": cell}, {"large": 9e6}, tmp_path)
    row = dict.fromkeys(("completed", "wrong", "unfinished", "dropped", *FAILURE_KINDS), "0") | {"status": "7"}
    row |= {"end_ns": "1", "measured_ns": "1000000000"}
    failure = watch.failure_after(SlicePlan(number=1, subject="go", cell="large", phase=phase, pair=0), row)
    assert (failure.kind if failure is not None else None) == kind


@pytest.mark.parametrize(("after", "kind"), [("3", None), ("0", "hung")])
def test_answers_that_come_only_after_their_slice_are_no_hang_where_they_may_be_late(
    tmp_path: Path, after: str, kind: str | None
) -> None:
    profile = BigBang(users=8, seconds=1)
    cell = Cell(name="large", mix={"large": 1.0}, users=8, profile=profile, primary=True, may_refuse=True)
    silent = SimpleNamespace(ended_part=lambda: None, parts=[])
    watch = Watch({"go": silent}, {"large": cell}, {"large": 9e6}, tmp_path)  # type: ignore[dict-item]
    row = dict.fromkeys(("completed", "wrong", *FAILURE_KINDS), "0") | {"unfinished": "8", "lead_in_completed": after}
    row |= {"dropped": "8", "end_ns": "1", "measured_ns": "1000000000"}
    failure = watch.failure_after(SlicePlan(number=1, subject="go", cell="large", phase="measure", pair=0), row)
    assert (failure.kind if failure is not None else None) == kind


@pytest.mark.parametrize(("phase", "kind"), [("head-start", None), ("warm-up", None), ("measure", "too-slow")])
def test_answers_that_come_after_their_slice_end_a_trial_only_where_it_is_measured(
    tmp_path: Path, phase: Literal["head-start", "warm-up", "measure"], kind: str | None
) -> None:
    cell = Cell(name="echoStruct", mix={"echoStruct": 1.0}, users=8, profile=BigBang(users=8, seconds=1), primary=True)
    watch = Watch({}, {"echoStruct": cell}, {"echoStruct": 900.0}, tmp_path)
    columns = ("completed", "wrong", "unfinished", "dropped", *FAILURE_KINDS)
    row = dict.fromkeys(columns, "0") | {"end_ns": str(time.monotonic_ns()), "measured_ns": "1000000000"}
    failure = watch.failure_after(SlicePlan(number=1, subject="go", cell="echoStruct", phase=phase, pair=0), row)
    assert (failure.kind if failure is not None else None) == kind


def test_answers_that_come_after_their_slice_leave_the_other_cells_of_a_trial_to_be_measured(tmp_path: Path) -> None:
    profile = BigBang(users=8, seconds=1)
    names = ("echoStruct", "echoList")
    cells = {name: Cell(name=name, mix={name: 1.0}, users=8, profile=profile, primary=True) for name in names}
    watch = Watch({}, cells, dict.fromkeys(names, 900.0), tmp_path)
    columns = ("completed", "wrong", "unfinished", "dropped", *FAILURE_KINDS)
    late = dict.fromkeys(columns, "0") | {"end_ns": str(time.monotonic_ns()), "measured_ns": "1000000000"}
    plan = SlicePlan(number=1, subject="go", cell="echoStruct", phase="measure", pair=0)
    assert watch.failure_after(plan, late) is None
    failure = watch.failure_after(plan, late | {"reset": "7"})
    assert failure is not None and failure.kind == "no-answer"


@pytest.mark.parametrize(
    ("judged", "loaded", "words"),
    [
        (True, "a", "a died at 8 users on echoStruct, requests of 900 B: go (mail) ended with exit code 3"),
        (False, "a", "go (mail of a) died at 8 users on echoStruct, requests of 900 B: go (mail) ended"),
        (False, "b", "go (mail of a) died while b was under load at 8 users on echoStruct, requests of 900 B: go"),
    ],
)
def test_a_process_that_ended_is_named_with_the_subject_that_was_under_load(
    tmp_path: Path, judged: bool, loaded: str, words: str
) -> None:
    cell = Cell(name="echoStruct", mix={"echoStruct": 1.0}, users=8, profile=BigBang(users=8, seconds=1), primary=True)
    part = SimpleNamespace(
        part=SimpleNamespace(server=SimpleNamespace(name="go"), place="mail", judged=judged),
        keeper=SimpleNamespace(exit=Exit(3, None), log_tail=lambda: "no space", bring_log=lambda: None),
        site=SimpleNamespace(reach=SimpleNamespace(kernel_kills=lambda: 0)),
        log=tmp_path / "none.log",
    )
    running = {
        "a": SimpleNamespace(ended_part=lambda: part, parts=[part]),
        "b": SimpleNamespace(ended_part=lambda: None, parts=[]),
    }
    watch = Watch(running, {"echoStruct": cell}, {"echoStruct": 900.0}, tmp_path)  # type: ignore[arg-type]
    plan = SlicePlan(number=1, subject=loaded, cell="echoStruct", phase="measure", pair=0)
    failure = watch.failure_after(plan, {"completed": "7"})
    assert failure is not None and (failure.kind, failure.subject) == ("died", "a")
    assert words in failure.message and "its log ends: no space" in failure.message


def test_the_kinds_of_failure_are_those_of_the_format_s_description() -> None:
    described = (Path(__file__).parents[2] / "contracts" / "engine-output.md").read_text()
    assert ",".join(FAILURE_KINDS) in re.sub(r",\s+", ",", described)
    assert set(FAILURE_KINDS) <= set(SliceRow.__dataclass_fields__)


def test_the_same_death_in_two_trials_is_told_once_before_any_figure(tmp_path: Path) -> None:
    died = Failure(kind="deadlock", subject="go", message="go deadlocked at 8 users: no answer", place=PLACE)
    page = made(tmp_path, failures={2: died, 3: died})
    told = "<b>go</b> deadlocked at 8 users on echoStruct, requests of 4.1 KiB"
    assert page.count(told) == 1
    assert page.index(told) < page.index(">Operation by operation</h2>")
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


CALLING = """"exec-1" #31 daemon
   java.lang.Thread.State: RUNNABLE
\tat sun.nio.ch.Net.poll(java.base@25/Native Method)
\tat sun.nio.ch.NioSocketImpl.park(java.base@25/NioSocketImpl.java:196)
\tat sun.net.www.protocol.http.HttpURLConnection.getInputStream(java.base@25/HttpURLConnection.java:1370)
\tat jakarta.servlet.http.HttpServlet.service(HttpServlet.java:710)
"""
JOINING = """"exec-2" #32 daemon
   java.lang.Thread.State: WAITING (parking)
\tat java.util.concurrent.CompletableFuture.join(java.base@25/CompletableFuture.java:2117)
\tat jakarta.servlet.api@6.1.0//jakarta.servlet.http.HttpServlet.service(HttpServlet.java:710)
"""
WORKING = """"exec-3" #33 daemon
   java.lang.Thread.State: RUNNABLE
\tat com.ctc.wstx.sr.BasicStreamReader.next(BasicStreamReader.java:1122)
\tat jakarta.servlet.http.HttpServlet.service(HttpServlet.java:710)
"""
IDLE = """"exec-4" #34 daemon
   java.lang.Thread.State: WAITING (parking)
\tat java.util.concurrent.LinkedBlockingQueue.take(java.base@25/LinkedBlockingQueue.java:435)
"""


def test_a_server_whose_workers_all_wait_for_calls_to_itself_waits_for_itself() -> None:
    said = self_wait_reason("\n".join([CALLING, JOINING, IDLE]), Calls(to_themselves=2, elsewhere=0))
    assert said is not None and said.startswith("it waits for itself: all 2 threads that serve requests wait")


@pytest.mark.parametrize(
    ("threads", "calls"),
    [
        ([CALLING, WORKING], Calls(2, 0)),
        ([CALLING, JOINING], Calls(1, 1)),
        ([CALLING, JOINING], Calls(0, 0)),
        ([JOINING, IDLE], Calls(2, 0)),
        ([IDLE], Calls(2, 0)),
        ([], Calls(0, 0)),
    ],
    ids=["one works", "one calls another", "no call is open", "none calls", "none serves", "no dump"],
)
def test_a_server_that_waits_for_something_else_does_not(threads: list[str], calls: Calls) -> None:
    assert self_wait_reason("\n".join(threads), calls) is None


def with_jdks(tmp_path: Path, **jdks: str) -> str:
    environment = {"subjects": {label: [{"place": "server", "jdk": jdk}] for label, jdk in jdks.items()}}
    rates = dict.fromkeys(jdks, 1000.0)
    run = write_run(tmp_path / "run", Planted(rates=rates, reference=next(iter(jdks)), environment=environment))
    return write_report(run).read_text()


def test_a_subject_on_another_jdk_than_its_neighbours_is_named_with_it_wherever_it_stands(tmp_path: Path) -> None:
    page = with_jdks(
        tmp_path, go="Adoptium 25.0.3+9-LTS", tomee="Debian 17.0.15+6-Debian-1deb12u1", liberty="Oracle 25+36"
    )
    assert "the subjects ran on different JDKs: tomee ran on JDK 17; a difference may be due to the JDK" in page
    assert page.count("tomee (JDK 17)") >= 5
    assert "(JDK 25)" not in page


def test_where_no_jdk_is_the_usual_one_each_is_named(tmp_path: Path) -> None:
    page = with_jdks(tmp_path, go="Adoptium 25.0.3+9-LTS", tomee="Debian 17.0.15+6-Debian-1deb12u1")
    assert "tomee (JDK 17)" in page and "go (JDK 25)" in page


def test_one_jdk_for_all_is_no_word_worth(tmp_path: Path) -> None:
    page = with_jdks(tmp_path, go="Adoptium 25.0.3+9-LTS", tomee="Debian 25.0.1+6")
    assert "not all were on the same JDK" not in page and "(JDK" not in page
