"""The ground of one attack: a user's files, folders for all that the laboratory stores, and its command line.

Every process that it starts inherits a mark in its environment, by which the oracle finds it.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from . import oracle
from .oracle import Ended, Process, Served, Verdict

if TYPE_CHECKING:
    from .templates import Templates

HERE = Path(__file__).resolve().parent
TARGET = HERE / "target.py"
LYING_SHOP = HERE / "lying_shop.py"
GUIDE = HERE.parent.parent / "docs" / "guides" / "sessions"
STEELYARD = Path(sys.executable).with_name("steelyard")
MOST_SECONDS = 300.0  # of a command; each takes some seconds, and a busy machine is ten times slower
PROCESS_SECONDS = 15.0  # until a process that is waited for is there
PAUSES = (0.5, 3.0)  # seconds that a paused process stands still
NOBODY = 65_534
UNKNOWN_USER = 54_321  # without an entry in the user database, as in many containers
START = ["python3", "-I", "-B", str(TARGET), "{port}"]
REQUESTS = """\
name = "work"
title = "Counted work"
meaning = "json"
path = "/work"
target = "http://127.0.0.1:{port}"
expect = {{ contains = "done" }}
{more}
[operations.work]
meaning = "one request"
sample = "work.json"
headers = {{ "Content-Type" = "application/json" }}
"""
STUDY = """\
name = "tiny"
title = "Two equal servers, two forks"
question = "Does a run survive the attack?"
service = "./requests"
reference = "b"
operations = ["work"]
primary = "work"
mix = { work = 1.0 }
forks = 2
pairs = 3
slice_seconds = 0.2
warm_up_limit_seconds = 0.3
"""
SUBJECT = """
[[subjects]]
label = "{label}"
[[subjects.parts]]
server = "{label}"
own = {{ title = "{label}", folder = "{folder}", start = {start} }}
"""
# Steps of a command, as its progress shows them on standard error; `…` stands for any text.
LOAD_STEPS = ("verifying 1 operation", "loading", "writing the page")
STUDY_STEPS = (
    "generating the requests",
    "trial 1 … watching the machine",
    "trial 1 … starting a",
    "trial 1 … verifying the answers of b",
    "trial 1 … warming up",
    "trial 1 … measuring idle subjects",
    "trial 1 … measuring work",
    "trial 2 … starting a",
    "trial 2 … measuring work",
    "analysing",
)


class NotHereError(Exception):
    """An attack needs rights or a program that this machine does not have."""


class Lab:
    """A command of the laboratory that runs."""

    def __init__(self, argv: Sequence[str], cwd: Path, environment: dict[str, str], user: int | None) -> None:
        self._begun = time.monotonic()
        self._texts: dict[str, list[str]] = {"out": [], "err": []}
        self._process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        self._readers = [
            threading.Thread(target=self._read, args=(name, stream), daemon=True)
            for name, stream in (("out", self._process.stdout), ("err", self._process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """The process id of the laboratory."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def await_step(self, step: str, seconds: float = MOST_SECONDS) -> bool:
        """Wait until its progress shows this step; returns whether it does."""
        return self.await_text(".*".join(re.escape(part.strip()) for part in step.split("…")), seconds) is not None

    def await_text(self, pattern: str, seconds: float = MOST_SECONDS) -> re.Match[str] | None:
        """Wait until it prints a line with this pattern; returns the match, None where it ends without."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            runs = self.runs
            for line in [*self._texts["err"], *self._texts["out"]]:
                if (found := re.search(pattern, line)) is not None:
                    return found
            if not runs:
                return None
            time.sleep(0.01)
        return None

    def send(self, number: int) -> bool:
        """Send it a signal; returns whether it still ran."""
        return self.runs and send_signal(self.pid, number)

    def end(self, seconds: float = MOST_SECONDS) -> Ended:
        """Wait for its end; after so many seconds it is killed, and its exit code is None."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(seconds)
        if code is None:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(2.0)  # a process that outlived it may hold the pipe: the oracle finds that
        return Ended(code, "".join(self._texts["out"]), "".join(self._texts["err"]), time.monotonic() - self._begun)

    def _read(self, name: str, stream: Iterator[str]) -> None:
        with suppress(ValueError, OSError):
            for line in stream:
                self._texts[name].append(line)


class Ground:
    """The folder of one attack. `runs` is where run folders are made, `user` the user's own folder, where commands run."""

    def __init__(self, folder: Path, templates: Templates | None = None) -> None:
        self.folder = folder.resolve()
        self._templates = templates
        self.user, self.runs, self.counts, self.tmp = (self.folder / name for name in ("user", "runs", "counts", "tmp"))
        self._uid: int | None = None
        for name in ("home", "cache", "state"):
            (self.folder / name).mkdir(parents=True)
        for path in (self.user, self.runs, self.counts, self.tmp):
            path.mkdir()
        (self.user / "beside.txt").write_text("a file of the user's\n")
        self.port = free_port()
        self._write_requests(self.user / "requests")
        self.write_shop(START)
        subjects = (SUBJECT.format(label=label, folder=HERE, start=toml_list(START)) for label in "ab")
        (self.user / "tiny.toml").write_text(STUDY + "".join(subjects))
        kept = ("PATH", "LANG", "LC_ALL", "UV_PYTHON_DOWNLOADS")
        modules = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        self.environment: dict[str, str] = {name: os.environ[name] for name in kept if name in os.environ} | {
            "PYTHONPATH": os.pathsep.join(os.path.realpath(folder) for folder in modules),  # for any current folder
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.tmp),
            "NO_COLOR": "1",
            "STEELYARD_CACHE": str(self.folder / "cache"),
            "STEELYARD_STATE": str(self.folder / "state"),
            "STEELYARD_LOCK": str(self.folder / "lock"),
            "STEELYARD_AWAKE": "no",
            "STEELYARD_STRANGERS": "yes",
            "ATTACK_COUNTS": str(self.counts),
            "ATTACK_SHOP": str(self.folder),
            oracle.MARK: str(self.folder),
        }
        self._before: dict[str, str] = {}
        self._left_before: set[Path] = set()
        self.older_tables: set[str] = set()  # SHA-256 of tables that were stored before the attack

    def write_shop(self, start: Sequence[str]) -> None:
        """Write the service `./shop`, which the laboratory starts with this line and asks for its count."""
        self._write_requests(self.user / "shop", f'counter = "/count"\nstart = {toml_list(start)}')

    def _write_requests(self, folder: Path, more: str = "") -> None:
        folder.mkdir(exist_ok=True)
        (folder / "service.toml").write_text(REQUESTS.format(port=self.port, more=more))
        (folder / "work.json").write_text('{"work": 1}\n')

    @property
    def templates(self) -> Templates:
        """The run folders of which it may damage copies."""
        assert self._templates is not None, "this ground has no templates"
        return self._templates

    def become(self, uid: int = NOBODY) -> None:
        """Run the laboratory as another user than root, whom permissions and limits bind; raises NotHereError."""
        if os.geteuid() != 0:
            if uid == NOBODY:
                return
            raise NotHereError("only root can run a command as any user")
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, uid, uid)
        self._uid = uid
        try:
            code = self.run("--version").code
        except PermissionError:
            code = None
        if code != 0:
            raise NotHereError("another user may not run the laboratory's files")

    def start(self, *words: str, shell: str = "", **environment: str | None) -> Lab:
        """Start a command of the laboratory in the user's folder; `shell` are commands that a shell runs before, such as limits. A
        variable that is None is removed."""
        own = {name: value for name, value in {**self.environment, **environment}.items() if value is not None}
        argv = [str(STEELYARD), *words]
        if shell:
            argv = [shutil.which("bash") or "/bin/sh", "-c", f'{shell}; exec "$0" "$@"', *argv]
        return Lab(argv, self.user, own, self._uid)

    def run(self, *words: str, shell: str = "", **environment: str | None) -> Ended:
        """Run a command of the laboratory to its end."""
        return self.start(*words, shell=shell, **environment).end()

    @contextmanager
    def serving(self, lie: str = "", after: int = 0) -> Iterator[int]:
        """A counting server that runs already, and its port."""
        with self.beside([sys.executable, "-I", "-B", str(TARGET), "0", "--until-eof"], lie, after) as (_, port):
            yield port

    @contextmanager
    def shop_with_login(self, lie: str = "", after: int = 0) -> Iterator[tuple[int, int]]:
        """The shop of the guide of sessions that runs already and counts: its process id, and its port."""
        with self.beside([sys.executable, "-B", str(LYING_SHOP), str(GUIDE / "shop.py"), "0"], lie, after) as started:
            yield started

    def write_sessions(self, port: int) -> None:
        """Write the service `./sessions` of the guide for a shop on this port, with pauses of milliseconds."""
        folder = Path(shutil.copytree(GUIDE, self.user / "sessions"))
        file = folder / "service.toml"
        text = file.read_text().replace(":8088", f":{port}")
        for long, short in (("ms = 500, to_ms = 1500", "ms = 5, to_ms = 20"), ("ms = 1000", "ms = 10")):
            assert long in text, f"the guide has no pause of {long}"
            text = text.replace(long, short)
        file.write_text(text)

    @contextmanager
    def beside(self, argv: Sequence[str], lie: str = "", after: int = 0) -> Iterator[tuple[int, int]]:
        """A server that is no part of the attack: its process id, and the port that it prints."""
        environment = {**self.environment, "ATTACK_LIE": lie, "ATTACK_AFTER": str(after)}
        del environment[oracle.MARK]
        with subprocess.Popen(
            argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            try:
                yield process.pid, int(process.stdout.readline())
            finally:
                process.kill()

    def load_words(self, target: int | str, *more: str, seconds: str = "1s") -> list[str]:
        """The words of a short load, on a port where the counting server runs or on a service's folder."""
        where = (
            [f"http://127.0.0.1:{target}/work", "--body", '{"work": 1}', "--expect", "contains=done"]
            if isinstance(target, int)
            else [target]
        )
        times = ["--for", seconds, "--warm-up", "0", "--timeout", "2s", "--give-up", "3s"]
        return ["load", *where, "--users", "2", *times, "--out", str(self.runs), *more]

    def study_words(self, *more: str) -> list[str]:
        """The words of a run of the tiny study."""
        return ["run", "tiny.toml", "--users", "2", "--out", str(self.runs), *more]

    def words(self, command: str, seconds: str = "2s") -> list[str]:
        """The words of a `load` of the service `./shop` for so many seconds, or of a `run` of the tiny study."""
        return self.load_words("./shop", seconds=seconds) if command == "load" else self.study_words()

    def run_folder(self) -> Path | None:
        """The newest folder of a run; None where there is none."""
        folders = sorted(path for path in self.runs.glob("*") if path.is_dir()) if self.runs.is_dir() else []
        return folders[-1] if folders else None

    def processes(self) -> list[Process]:
        """The live processes of the attack."""
        return oracle.processes(str(self.folder))

    def await_process(self, lab: Lab, find: Callable[[dict[int, Process]], int | None]) -> int | None:
        """The process id that `find` returns for the processes of the attack, by their ids; None where the command ends before, or
        PROCESS_SECONDS pass."""
        end = time.monotonic() + PROCESS_SECONDS
        while lab.runs and time.monotonic() < end:
            pid = find({process.pid: process for process in self.processes()})
            if pid is not None:
                return pid
            time.sleep(0.02)
        return None

    def remember_tables(self, run: Path) -> None:
        """Remember the tables of a run folder as older than the attack: this ground's servers did not answer their requests."""
        tables = (path for path in run.rglob("slices.csv") if path.is_file())
        self.older_tables |= {hashlib.sha256(table.read_bytes()).hexdigest() for table in tables}

    def protect(self, *more: Path, but: Sequence[str] = ()) -> None:
        """Remember the files that must not change: the user's, the counting server's program, and `more`. Names in `but` may."""
        self._but = {*but, "__pycache__"}
        self._protected = (self.user, HERE, *more)
        self._before = oracle.fingerprints(*self._protected, but=self._but)
        self._left_before = set(self.tmp.iterdir()) if self.tmp.is_dir() else set()

    def wrong(
        self, ended: Ended, signals: Sequence[int] = (), *, killed: bool = False, counted: bool = True
    ) -> list[str]:
        """What is wrong after a command that got these signals. `killed`: the laboratory had no chance to remove its temporary
        files. `counted`: the server's counts must agree with those of the run."""
        left = oracle.left_running(str(self.folder))
        wrong = [f"left running: {process.words[:80]}" for process in left]
        for process in left:
            send_signal(process.pid, signal.SIGKILL)
        wrong += oracle.wrong_end(ended, signals)
        if self._before:
            wrong += oracle.changes(self._before, oracle.fingerprints(*self._protected, but=self._but))
        if self.tmp.is_dir() and not killed:
            wrong += [f"left in TMPDIR: {path.name}" for path in self.tmp.iterdir() if path not in self._left_before]
        run = self.run_folder()
        if run is not None and counted:
            wrong += oracle.wrong_counts(run, self.served(), exact=self._is_exact(run), but=self.older_tables)
        return wrong

    def served(self) -> Served:
        """The counts of this attack's servers."""
        return oracle.served(self.counts)

    def verdict(self, command: str, ended: Ended, wrong: Sequence[str]) -> Verdict:
        """The outcome of a `load`, or of the study's `run`, or of its `resume`."""
        if command == "load":
            return self.load_verdict(ended, wrong)
        return self.study_verdict(ended, wrong, resumed=command == "resume")

    def load_verdict(self, ended: Ended, wrong: Sequence[str]) -> Verdict:
        """The outcome of a load; a load whose server gave other answers than right ones must not end well."""
        other = self.served().other
        lied = [f"exit code 0, but the server gave {other} answers that are not right"] if other else []
        return oracle.verdict(ended, [*wrong, *(lied if ended.code == 0 else [])])

    def study_verdict(self, ended: Ended, wrong: Sequence[str], *, resumed: bool = False) -> Verdict:
        """The outcome of a run of the study: one that ends well must have recorded every trial."""
        run = self.run_folder()
        statuses = oracle.trials(run) if run is not None else {}
        lost = [f"trial {name} has the status {status}" for name, status in statuses.items() if status == "none"]
        unfinished = [name for name, status in statuses.items() if status != "complete"]
        return oracle.verdict(
            ended,
            [*wrong, *(lost if ended.code in (0, 2) else [])],
            failed=bool(unfinished),
            resumed=resumed and not unfinished and ended.code in (0, 2),
        )

    def _is_exact(self, run: Path) -> bool:
        """Whether a run folder claims that it has all requests: a load with its outcome, or only complete trials."""
        statuses = oracle.trials(run)
        set_aside = list(run.glob("trials/*.stopped-*"))
        whole = bool(statuses) and set(statuses.values()) == {"complete"} and not set_aside
        return whole and ((run / "load.json").exists() or (run / "verdicts.json").exists())


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def send_signal(pid: int, number: int) -> bool:
    """Send a signal; returns whether the process was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def strike(pid: int, number: int, draw: random.Random) -> None:
    """Send a process a signal; a paused one goes on after a moment."""
    send_signal(pid, number)
    if number == signal.SIGSTOP:
        time.sleep(draw.uniform(*PAUSES))
        send_signal(pid, signal.SIGCONT)


def toml_list(words: Sequence[str]) -> str:
    """Words as a TOML list."""
    return json.dumps(words, ensure_ascii=False)


def quoted(path: Path | str) -> str:
    """A path as a word of a shell."""
    return shlex.quote(str(path))
