"""Runs the parts of `make test`, each a target of the Makefile, and says at the end what each took and what was skipped.

What fetches and what compiles go side by side; what measures time has the machine for itself. Where STEELYARD_TEST_MINUTES is
set, no Python test is begun after that time, and those that were not are named as skipped. Ctrl-C, SIGTERM and SIGHUP end all
processes that the parts started, whatever session they are in. It needs nothing but Python.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Lane = tuple[str, ...]  # parts one after the other
# Stages one after the other, of lanes side by side. Where something cannot be built, no later stage is begun; tests that
# fail stop nothing, so that one run shows all of them.
BUILDS = {"build", "build-rust-tests", "provide"}
STAGES: tuple[tuple[Lane, ...], ...] = (
    (("build",), ("test-java", "test-go", "test-node")),
    (("build-rust-tests", "provide", "test-rmi", "check"), ("test-python",)),
    (("test-rust",),),
    (("test-alone",),),
    (("test-e2e",),),
)
# Of the minutes that are left when a part is begun, the share it may begin tests in, where another comes after it: a machine
# too slow for all of them still asks for verdicts, and for the breadth of what ends in none.
SHARES = {"test-alone": 0.5}
LEAST_SECONDS = 180.0  # to begin tests in, for a part of a machine that had no time left for it
AGAIN_SECONDS = 15.0  # between lines that say what is at work
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# How processes are ended, and the seconds that each way is given: pytest removes what its tests made on the first.
ENDINGS = ((signal.SIGINT, 15.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
# In the environment of all processes of these parts, and of no others. A name of its own, since tests run this program too.
MARK = f"STEELYARD_PARTS_{os.getpid()}"
_sessions: set[int] = set()  # ids of the processes of the parts at work, which lead a session each
_stopped_by: list[int] = []  # the signal that ended this run
_ends = float("inf")  # on the monotonic clock: when no further test is begun
_at_work: dict[str, float] = {}  # parts that were begun and have not ended, with their begin on the monotonic clock
# How pytest (-rs), cargo, node and the end-to-end suite's own count say that something was not run. What cargo is told to ignore
# as "not a test" are processes that its tests start.
_SKIPPED = re.compile(
    r"^(?:SKIPPED .*|test .* \.\.\. ignored(?!, not a test).*|\S skipped [1-9].*|\d+ of \d+ were disturbed by the host.*)$",
    re.M,
)
# How pytest, cargo, node, Go and Maven name what failed, and how pytest says why: beside the name it cuts that short.
_FAILED = re.compile(
    r"^(?:(?:FAILED|ERROR) .*|E +[\w.]*(?:Error|Exception)\b.*|test .* \.\.\. FAILED|\S failed [1-9].*|--- FAIL: .*|not ok .*"
    r"|\[ERROR\] (?:Failed to execute goal|  \S+Tests?\b).*)$",
    re.M,
)
LAST_LINES = 5  # of a part that failed and named nothing: formatters and compilers have ways of their own to say why


@dataclass(frozen=True)
class Part:
    """How a part went: its exit code, seconds by the clock and of all its processes' CPU, what it said that it skipped, and which
    tests failed."""

    name: str
    code: int
    seconds: float
    cpu_seconds: float
    skipped: tuple[str, ...]
    failed: tuple[str, ...] = ()


def run(name: str, make: Sequence[str] = ("make", "--no-print-directory")) -> Part:
    """Run one part to its end; its output is printed whole then, so that lanes do not mix."""
    print(f"begun: {name}", file=sys.stderr, flush=True)
    begun = _at_work[name] = time.monotonic()
    with subprocess.Popen(
        [*make, name],
        cwd=ROOT,
        env={**os.environ, MARK: "1", **until(name, _ends - begun)},
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
    failed = _FAILED.findall(said) or (said.splitlines()[-LAST_LINES:] if process.returncode else [])
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
    """The ids of all live processes that parts started, directly or not; none where there is no /proc."""
    numbers = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):  # it ended meanwhile, or is another user's
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"\0{MARK}=1\0".encode() in b"\0" + (folder / "environ").read_bytes():
                numbers.append(int(folder.name))
    return numbers


def end_processes() -> None:
    """End all processes that parts started: Ctrl-C asks the parts' sessions, the other signals each process by its id."""
    for number, seconds in ENDINGS:
        for session in list(_sessions):
            with suppress(OSError):  # it ended meanwhile
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
        print(f"{signal.Signals(number).name}: ending what is at work", file=sys.stderr, flush=True)
        threading.Thread(target=end_processes).start()


def until(name: str, left: float, now: Callable[[], float] = time.time) -> dict[str, str]:
    """What tells a part's tests, in its environment, when no further one is begun: seconds of the epoch, nothing without a limit.

    `left` is the seconds that all parts have left.
    """
    if left == float("inf"):
        return {}
    return {"STEELYARD_TESTS_UNTIL": f"{now() + max(left * SHARES.get(name, 1.0), LEAST_SECONDS):.0f}"}


def minutes() -> float:
    """The time that was given for all parts, in minutes; without an end where none was given."""
    given = os.environ.get("STEELYARD_TEST_MINUTES", "")
    try:
        return float(given or "inf")
    except ValueError:
        sys.exit(f"STEELYARD_TEST_MINUTES is {given!r}, which is no number of minutes; leave it empty for no limit.")


def say_what_is_at_work(ended: threading.Event) -> None:
    """Say it again and again until all has ended: a part's own output is printed whole at its end."""
    while not ended.wait(AGAIN_SECONDS):
        now = time.monotonic()
        parts = ", ".join(f"{name} ({now - begun:.0f} s)" for name, begun in sorted(_at_work.items()))
        print(f"at work: {parts}", file=sys.stderr, flush=True)


def run_lane(names: Iterable[str]) -> list[Part]:
    """Run parts one after the other, up to the first that fails; begin none after a signal to stop."""
    parts: list[Part] = []
    for name in names:
        if _stopped_by:
            break
        parts.append(run(name))
        if parts[-1].code:
            break
    return parts


def summary(parts: Sequence[Part], seconds: float) -> str:
    """A table of the parts, and below it what they skipped and which tests failed."""
    lines = [f"{'part':<20}{'seconds':>9}{'CPU s':>9}  "]
    lines += [
        f"{part.name:<20}{part.seconds:>9.0f}{part.cpu_seconds:>9.0f}  {'FAILED' if part.code else 'ok'}"
        for part in parts
    ]
    lines.append(f"{'in all':<20}{seconds:>9.0f}{sum(part.cpu_seconds for part in parts):>9.0f}")
    skipped = [f"{part.name}: {line}" for part in parts for line in part.skipped]
    lines += ["", "skipped:", *skipped] if skipped else ["", "nothing was skipped"]
    failed = [f"{part.name}: {line}" for part in parts for line in part.failed]
    return "\n".join([*lines, *(["", "failed:", *failed] if failed else [])])


def main() -> int:
    """Run all stages; 1 where a part failed, 128 and the signal's number where one ended them."""
    global _ends
    begun, parts, ended = time.monotonic(), list[Part](), threading.Event()
    _ends = begun + 60 * minutes()
    threading.Thread(target=say_what_is_at_work, args=(ended,), daemon=True).start()
    for stage in STAGES:
        with ThreadPoolExecutor(len(stage)) as pool:
            parts += [part for lane in pool.map(run_lane, stage) for part in lane]
        if _stopped_by or any(part.code and part.name in BUILDS for part in parts):
            break
    ended.set()
    print(summary(parts, time.monotonic() - begun))
    if _stopped_by:
        return 128 + _stopped_by[0]
    return 1 if any(part.code for part in parts) else 0


if __name__ == "__main__":
    for number in STOPS:
        signal.signal(number, stop)
    sys.exit(main())
