"""Runs the parts of `make test`, each a target of the Makefile, and prints the time of each part and the skipped tests.

Fetching and compiling run in parallel; parts that measure time run alone. Tests that depend on times may fail beside others: a few
failed tests run once more at the end, one after the other, and must pass then. With STEELYARD_TEST_MINUTES, no Python test starts
after that time, and the remaining ones are reported as skipped. Ctrl-C, SIGTERM and SIGHUP end all processes of the parts, in any
session. It needs only Python.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Lane = tuple[str, ...]  # parts one after the other
# Sequential stages of parallel lanes. A lane that has ended takes the last part of another one, if that is movable. After a failed
# build no part starts; failing tests stop nothing, so that one run shows all of them.
BUILDS = {"build", "build-rust-tests", "provide"}
AFTER_BUILD = {"build-rust-tests", "provide"}  # parts that wait for the part `build` of another lane, as moved ones do
MOVABLE = {
    "test-python-services",
    "check",
}  # parts that may run beside any other: they write into no folder that others build
STAGES: tuple[tuple[Lane, ...], ...] = (
    (
        ("build", "test-python", "test-java-25", "test-python-services", "check"),
        ("page-checkers", "test-java", "test-go", "test-node", "build-rust-tests", "provide"),
    ),
    (("test-rust",),),
    (("test-alone",),),
    (("test-e2e",),),
)
# The share of the remaining minutes in which a part may start tests, where another part follows: a machine too slow for all
# tests still runs some of every part.
SHARES = {"test-alone": 0.5}
# Parts whose failed tests run again at the end, and the target that runs them. More failures than that are not due to time.
AGAIN = {
    "test-python": "test-python-again",
    "test-alone": "test-alone-again",
    "test-e2e": "test-e2e-again",
    "test-rust": "test-rust",
}
MOST_AGAIN = 5
LEAST_SECONDS = 180.0  # minimum time in s of a part to start tests
AGAIN_SECONDS = 15.0  # seconds between progress lines
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# signals that end processes, and seconds for each: on the first, pytest removes its tests' files
ENDINGS = ((signal.SIGINT, 15.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
# Marks the environment of all processes of these parts. The name is unique per run, since tests run this program, too.
MARK = f"STEELYARD_PARTS_{os.getpid()}"
_sessions: set[int] = set()  # process ids of the active parts; each leads a session
_stopped_by: list[int] = []  # the signal that ended this run
_ends = float("inf")  # on the monotonic clock: no test starts after this
_built = threading.Event()  # set where no part has to wait for `build`
_broken: list[str] = []  # failed builds
_taking = threading.Lock()  # held while a lane takes a part
_at_work: dict[str, float] = {}  # active parts, with their start on the monotonic clock
# Lines about skipped tests of pytest (-rs), cargo, node and the end-to-end suite. Cargo's tests ignored as "not a test" are
# processes that its tests start.
_FAILED_TEST = re.compile(r"FAILED \S+::|test .* \.\.\. FAILED")
_SKIPPED = re.compile(
    r"^(?:SKIPPED .*|test .* \.\.\. ignored(?!, not a test).*|\S skipped [1-9].*|\d+ of \d+ were disturbed by the host.*)$",
    re.M,
)
# Lines about failures of pytest, cargo, node, Go and Maven, and pytest's reasons, which it cuts short beside the name: what a
# command printed is among them, since a log that is cut keeps its end.
_FAILED = re.compile(
    r"^(?:(?:FAILED|ERROR) .*|E  .*|test .* \.\.\. FAILED|\S failed [1-9].*|--- FAIL: .*|not ok .*"
    r"|\[ERROR\] (?:Failed to execute goal|  \S+Tests?\b).*)$",
    re.M,
)
MOST_LINES = 100  # lines of a part about its failures, the last ones
LAST_LINES = 5  # last lines of a failed part without such lines, such as of formatters and compilers


@dataclass(frozen=True)
class Part:
    """The result of a part: its exit code, seconds of wall time and CPU time, its skipped and its failed tests."""

    name: str
    code: int
    seconds: float
    cpu_seconds: float
    skipped: tuple[str, ...]
    failed: tuple[str, ...] = ()
    passed_again: tuple[str, ...] = ()  # failed tests that passed when they ran again


def run(name: str, make: Sequence[str] = ("make", "--no-print-directory"), ends: float | None = None) -> Part:
    """Run one part to its end; its whole output is printed then, so that lanes do not mix.

    No test starts after `ends`, a time of the monotonic clock; that is the end of all parts if it is None.
    """
    print(f"started: {name}", file=sys.stderr, flush=True)
    begun = _at_work[name] = time.monotonic()
    with subprocess.Popen(
        [*make, name],
        cwd=ROOT,
        env={**os.environ, MARK: "1", **until(name, (_ends if ends is None else ends) - begun)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        _sessions.add(process.pid)
        assert process.stdout is not None
        said = process.stdout.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        _sessions.discard(process.pid)
    del _at_work[name]
    failed = _FAILED.findall(said)[-MOST_LINES:] or (said.splitlines()[-LAST_LINES:] if process.returncode else [])
    part = Part(
        name,
        process.returncode,
        time.monotonic() - begun,
        used.ru_utime + used.ru_stime,
        tuple(line.strip() for line in _SKIPPED.findall(said)),
        tuple(dict.fromkeys(line.strip() for line in failed)),
    )
    print(f"\n==== {name} ====\n{said}", flush=True)
    return part


def of_these_parts() -> list[int]:
    """The ids of all live processes of the parts, including descendants; empty without /proc."""
    numbers = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):  # ended meanwhile, or another user's
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"\0{MARK}=1\0".encode() in b"\0" + (folder / "environ").read_bytes():
                numbers.append(int(folder.name))
    return numbers


def end_processes() -> None:
    """End all processes of the parts: Ctrl-C goes to the parts' sessions, other signals to each process by its id."""
    for number, seconds in ENDINGS:
        for session in list(_sessions):
            with suppress(OSError):  # ended meanwhile
                os.killpg(session, number)
        for process in of_these_parts() if number != signal.SIGINT else ():
            with suppress(OSError):
                os.kill(process, number)
        deadline = time.monotonic() + seconds
        while (left := bool(_sessions or of_these_parts())) and time.monotonic() < deadline:
            time.sleep(0.1)
        if not left:
            return


def stop(number: int, _frame: object) -> None:
    """End all parts after a signal; a further signal changes nothing, since the time for the end is limited."""
    _stopped_by.append(number)
    if len(_stopped_by) == 1:
        print(f"{signal.Signals(number).name}: ending active parts", file=sys.stderr, flush=True)
        threading.Thread(target=end_processes).start()


def until(name: str, left: float, now: Callable[[], float] = time.time) -> dict[str, str]:
    """The environment variable with the time after which a part starts no test: seconds of the epoch, empty without a limit.

    `left` is the seconds that all parts have left.
    """
    if left == float("inf"):
        return {}
    return {"STEELYARD_TESTS_UNTIL": f"{now() + max(left * SHARES.get(name, 1.0), LEAST_SECONDS):.0f}"}


def minutes() -> float:
    """The time limit of all parts, in minutes; infinite without one."""
    given = os.environ.get("STEELYARD_TEST_MINUTES", "")
    try:
        return float(given or "inf")
    except ValueError:
        sys.exit(f"STEELYARD_TEST_MINUTES is {given!r}, which is not a number of minutes; leave it empty for no limit.")


def say_what_is_at_work(ended: threading.Event) -> None:
    """Print the active parts repeatedly until all have ended: a part's own output is printed at its end."""
    while not ended.wait(AGAIN_SECONDS):
        now = time.monotonic()
        parts = ", ".join(f"{name} ({now - begun:.0f} s)" for name, begun in sorted(_at_work.items()))
        print(f"running: {parts}", file=sys.stderr, flush=True)


def parts_of_lane(own: deque[str], lanes: Sequence[deque[str]]) -> Iterator[str]:
    """The parts that a lane runs, each taken when the one before has ended: its own in order, then movable ones of other lanes."""
    while True:
        with _taking:
            movable = [lane for lane in lanes if lane and lane[-1] in MOVABLE]
            if not own and not movable:
                return
            taken, is_own = (own.popleft(), True) if own else (movable[0].pop(), False)
        if not is_own or taken in AFTER_BUILD:
            _built.wait()
        yield taken


def run_stage(stage: Sequence[Lane]) -> list[Part]:
    """Run the lanes of a stage in parallel."""
    lanes = [deque(lane) for lane in stage]
    with ThreadPoolExecutor(len(lanes)) as pool:
        ran = pool.map(run_lane, [parts_of_lane(own, lanes) for own in lanes])
        return [part for parts in ran for part in parts]


def run_lane(names: Iterable[str]) -> list[Part]:
    """Run parts one after the other; begin none after a signal to stop or a failed build."""
    parts: list[Part] = []
    try:
        for name in names:
            if _stopped_by or _broken:
                break
            parts.append(run(name))
            if parts[-1].code and name in BUILDS:
                _broken.append(name)
            if name == "build":
                _built.set()
    finally:
        _built.set()  # a lane ends when no part is left that waits for the build, or when none may begin
    return parts


def run_again(parts: Sequence[Part]) -> list[Part]:
    """Run the failed tests of each part again, where they are few, and count the part by that result."""
    results = list[Part]()
    for part in parts:
        count = sum(bool(_FAILED_TEST.match(line)) for line in part.failed)
        if part.code and part.name in AGAIN and 0 < count <= MOST_AGAIN and not _stopped_by:
            # without the time limit, under which a failed test would count as skipped
            again = run(AGAIN[part.name], ends=float("inf"))
            passed_now = () if again.code else part.failed
            part = replace(part, code=again.code, seconds=part.seconds + again.seconds, passed_again=passed_now)
        results.append(part)
    return results


def summary(parts: Sequence[Part], seconds: float) -> str:
    """A table of the parts, and below it their skipped and failed tests."""
    lines = [f"{'part':<20}{'seconds':>9}{'CPU s':>9}  "]
    lines += [
        f"{part.name:<20}{part.seconds:>9.0f}{part.cpu_seconds:>9.0f}  {'FAILED' if part.code else 'ok'}"
        for part in parts
    ]
    lines.append(f"{'in all':<20}{seconds:>9.0f}{sum(part.cpu_seconds for part in parts):>9.0f}")
    skipped = [f"{part.name}: {line}" for part in parts for line in part.skipped]
    lines += ["", "skipped:", *skipped] if skipped else ["", "nothing was skipped"]
    for title, tests in (
        ("failed once, and passed when run again one after the other:", [(part, part.passed_again) for part in parts]),
        ("failed:", [(part, part.failed) for part in parts if not part.passed_again]),
    ):
        listed = [f"{part.name}: {line}" for part, of_part in tests for line in of_part]
        lines += ["", title, *listed] if listed else []
    return "\n".join(lines)


def main() -> int:
    """Run all stages; 1 where a part failed, 128 and the signal's number where one ended them."""
    global _ends
    begun, parts, ended = time.monotonic(), list[Part](), threading.Event()
    _ends = begun + 60 * minutes()
    threading.Thread(target=say_what_is_at_work, args=(ended,), daemon=True).start()
    _broken.clear()
    _built.clear()
    if not any("build" in lane for stage in STAGES for lane in stage):
        _built.set()
    for stage in STAGES:
        parts += run_stage(stage)
    parts = run_again(parts)
    ended.set()
    print(summary(parts, time.monotonic() - begun))
    if _stopped_by:
        return 128 + _stopped_by[0]
    return 1 if any(part.code for part in parts) else 0


if __name__ == "__main__":
    for number in STOPS:
        signal.signal(number, stop)
    sys.exit(main())
