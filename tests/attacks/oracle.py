"""Judges the end of an attack by what anybody can see: processes, files, counts, the exit code and the printed text.

Nothing here uses the laboratory's code, so that an error of it cannot hide itself.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import stat
import struct
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MARK = "STEELYARD_ATTACK"  # in the environment of every process of an attack; the value is its folder
UNAFFECTED, RECORDED, RESUMED, DEFECT = "unaffected", "recorded failure", "resumed without loss", "defect"
NOT_STRUCK, NOT_HERE = "did not strike", "not possible here"  # no outcome: left out of every share
OUTCOMES = (UNAFFECTED, RECORDED, RESUMED, DEFECT)
GONE_SECONDS = 30.0  # what was killed needs a processor to end
RATE_TOLERANCE = 0.1  # of a rate over whole seconds
EXIT_CODES = (0, 1, 2, 64, 130)  # of the help; 70 is an internal error
# Texts that no user may see, whatever happened.
TRACES = re.compile(
    r"Traceback \(most recent|Exception ignored|Fatal Python error|panicked at|defect (?:of|in) Steelyard|Exception in thread"
)
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COUNTS = struct.Struct("<QQQQ")  # as target.py writes them
KINDS = (
    *("wrong", "refused", "reset", "timeout", "tls", "malformed", "status", "fault", "truncated", "stale_failed"),
    "capture",
)
# Requests that ended so may not have reached the server whole.
MAYBE_UNSENT = ("refused", "reset", "timeout", "tls", "malformed", "truncated", "stale_failed")


@dataclass(frozen=True)
class Ended:
    """The end of a command: its exit code (negative: a signal; None: it had to be killed), its output, and seconds."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def last_line(self) -> str:
        """The last line on standard error that is not empty, without colours."""
        plain = COLOURS.sub("", self.err)
        return next((line for line in reversed(plain.splitlines()) if line.strip()), "")


@dataclass(frozen=True)
class Verdict:
    """The outcome of an attack, the exit code of its last command, and the reasons."""

    outcome: str
    code: int | None
    detail: str


@dataclass(frozen=True)
class Process:
    """A live process of an attack."""

    pid: int
    parent: int
    words: str


def processes(mark: str) -> list[Process]:
    """The live processes with this mark in their environment or as an argument, whoever their parents are."""
    found = []
    wanted, word = f"{MARK}={mark}\0".encode(), f"\0{mark}\0".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state in "ZX":
                continue
            line = (place / "cmdline").read_bytes()
            if wanted in (place / "environ").read_bytes() + b"\0" or word in line:
                words = line.replace(b"\0", b" ").decode(errors="replace").strip()
                found.append(Process(int(place.name), int(parent), words))
        except OSError:
            continue  # it ended meanwhile
    return found


def left_running(mark: str, seconds: float = GONE_SECONDS) -> list[Process]:
    """What of the marked processes has not ended after so long."""
    end = time.monotonic() + seconds
    while (left := processes(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def fingerprints(*roots: Path, but: Collection[str] = ()) -> dict[str, str]:
    """The SHA-256 of every file under `roots`, and what else is there, by path; names in `but` are left out."""
    found = {}
    for path in (path for root in roots for path in (root, *root.rglob("*"))):
        if but and not {*path.parts}.isdisjoint(but):
            continue
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[str(path)] = f"link to {path.readlink()}" if stat.S_ISLNK(kind) else f"mode {stat.S_IFMT(kind):o}"
    return found


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A sentence for each path that appeared, vanished or changed."""
    return [
        f"{path} {'appeared' if path not in before else 'is gone' if path not in now else 'changed'}"
        for path in sorted({*before, *now})
        if before.get(path) != now.get(path)
    ]


@dataclass(frozen=True)
class Served:
    """The counts of the counting servers: requests that came whole, right answers, other answers, and requests elsewhere."""

    asked: int = 0
    right: int = 0
    other: int = 0
    strayed: int = 0


def served(folder: Path) -> Served:
    """The sum of all counting servers' files in a folder."""
    counts = [COUNTS.unpack(path.read_bytes()) for path in folder.iterdir()]
    return Served(*(sum(column) for column in zip(*counts, strict=True))) if counts else Served()


@dataclass
class Claims:
    """The counts of a run folder: requests sent, right answers, requests that may not have reached the server, and repetitions
    on another connection. `problems` are sums that do not hold."""

    sent: int = 0
    right: int = 0
    maybe_unsent: int = 0
    resent: int = 0
    problems: list[str] = field(default_factory=list)


def claims(run: Path, but: Collection[str] = ()) -> Claims:
    """The sum of all of the engine's tables in a run folder. Tables whose SHA-256 is in `but` are older than the attack."""
    found = Claims()
    for table in sorted(path for path in run.rglob("slices.csv") if path.is_file()):
        content = table.read_bytes()
        if hashlib.sha256(content).hexdigest() in but:
            continue
        for row in _rows(content):
            _add(found, table, row)
    return found


def _rows(content: bytes) -> Iterator[dict[str, str]]:
    """The whole rows of a table: a killed writer leaves the last one cut."""
    text = content.decode(errors="replace")
    return csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))


def _add(found: Claims, table: Path, row: Mapping[str, str]) -> None:
    number = {name: int(value) for name, value in row.items() if name and value and value.isdecimal()}
    failed = sum(number[name] + number[f"outside_{name}"] for name in KINDS)
    right = number["completed"] + number["lead_in_completed"]
    if right + failed + number["dropped"] != number["sent"]:
        found.problems.append(
            f"{table.name}, slice {row['slice']}: {number['sent']} sent, but {right} right, {failed} wrong or failed, "
            f"{number['dropped']} unanswered"
        )
    found.sent += number["sent"]
    found.right += right
    found.maybe_unsent += sum(number[name] + number[f"outside_{name}"] for name in MAYBE_UNSENT) + number["dropped"]
    found.resent += number["stale"] + number["outside_stale"] + number["stale_failed"] + number["outside_stale_failed"]


def document(path: Path) -> Any:
    """A JSON file; None where there is none, or it is no JSON."""
    try:
        return json.loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError):
        return None


def trial_folders(run: Path) -> list[Path]:
    """The folders of a run's trials, also of one on several machines. Those set aside are left out."""
    found = (path for pattern in ("trials/*", "machines/*/trials/*") for path in run.glob(pattern))
    return sorted(path for path in found if path.is_dir() and ".stopped-" not in path.name)


def trial_name(folder: Path, run: Path) -> str:
    """The name of a trial: that of its folder, on several machines after the machine's."""
    return folder.name if folder.parent.parent == run else f"{folder.parent.parent.name}/{folder.name}"


def trials(run: Path) -> dict[str, str]:
    """The status of each trial of a run by its name; `none` without a record."""
    return {
        trial_name(path, run): (document(path / "trial.json") or {}).get("status", "none")
        for path in trial_folders(run)
    }


def wrong_counts(run: Path, ours: Served, *, exact: bool, but: Collection[str] = ()) -> list[str]:
    """What the counts of a run folder say that the server's do not allow. `exact`: every request is in a table."""
    claimed = claims(run, but)
    wrong = list(claimed.problems)
    if claimed.right > ours.right:
        wrong.append(f"{claimed.right} right answers are stored, and the server gave {ours.right}")
    if exact and not claimed.sent - claimed.maybe_unsent <= ours.asked <= claimed.sent + claimed.resent:
        wrong.append(
            f"{claimed.sent} requests are stored as sent ({claimed.maybe_unsent} may not have come, "
            f"{claimed.resent} were repeated), and the server got {ours.asked}"
        )
    load = document(run / "load.json")
    if load is not None:
        if load["completed"] + load["failed"] + load["outside"] != load["sent"]:
            wrong.append("load.json: completed + failed + outside is not sent")
        if exact and not but and load["sent"] != claimed.sent:
            wrong.append(f"load.json has {load['sent']} requests, the tables have {claimed.sent}")
    if ours.strayed:
        wrong.append(f"{ours.strayed} requests went where only a redirection led")
    return wrong


def wrong_times(run: Path, begun_ns: int, ended_ns: int, but: Collection[str] = ()) -> list[str]:
    """The instants and lengths of a run folder that cannot be, for a command between these instants of CLOCK_MONOTONIC."""
    wrong = []
    for table in sorted(path for path in run.rglob("slices.csv") if path.is_file()):
        content = table.read_bytes()
        if hashlib.sha256(content).hexdigest() in but:
            continue
        for row in _rows(content):
            begin, end = int(row["begin_ns"]), int(row["end_ns"])
            if not begun_ns <= begin <= end <= ended_ns:
                wrong.append(
                    f"{table.name}, slice {row['slice']}: it lasts from {begin - begun_ns} to {end - begun_ns} ns"
                )
    most = (ended_ns - begun_ns) / 1e9
    load = document(run / "load.json")
    if load is not None and not (
        0 < load["seconds"] <= most
        and math.isclose(load["throughput_per_s"]["value"], load["completed"] / load["seconds"], rel_tol=RATE_TOLERANCE)
    ):
        rate = load["throughput_per_s"]["value"]
        wrong.append(
            f"load.json: {load['completed']} requests in {load['seconds']} s at {rate} per s, within {most:.1f} s"
        )
    return wrong


def wrong_end(ended: Ended, signals: Collection[int] = ()) -> list[str]:
    """What is wrong with the end of a command that got these signals."""
    if ended.code is None:
        return [f"it did not end within {ended.seconds:.0f} s"]
    wrong = [f"it printed '{found[0]}'" for found in [TRACES.search(f"{ended.err}\n{ended.out}")] if found]
    if -ended.code not in signals and ended.code not in EXIT_CODES:
        wrong.append(f"its exit code is {ended.code}")
    if ended.code in (1, 2, 64) and not ended.last_line.startswith(("error: ", "hint: ")):
        wrong.append(f"its last line is neither an error nor a hint: {ended.last_line}")
    if ended.code == 130 and not signals:
        wrong.append("its exit code is 130, but nothing interrupted it")
    return wrong


def verdict(ended: Ended, wrong: Sequence[str], *, failed: bool = False, resumed: bool = False) -> Verdict:
    """The outcome of an attack with these findings. `failed`: a stored trial failed; `resumed`: a stopped run was completed."""
    if wrong:
        return Verdict(DEFECT, ended.code, "; ".join(wrong))
    if resumed:
        return Verdict(RESUMED, ended.code, "")
    if failed or ended.code not in (0, 2):
        return Verdict(RECORDED, ended.code, next((line for line in ended.err.splitlines() if "error: " in line), ""))
    return Verdict(UNAFFECTED, ended.code, "")
