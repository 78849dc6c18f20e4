"""What the end-to-end tests share: the command line as a user calls it, small studies, and a look at what still runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import undisturbed
from undisturbed import pytest_sessionfinish, pytest_terminal_summary  # noqa: F401  hooks of this suite

if (
    "PYTEST_XDIST_WORKER" in os.environ
):  # two tests at once keep the processors busy, and what only keeps them awake ends late
    os.environ.setdefault("STEELYARD_AWAKE", "no")
    os.environ.setdefault("STEELYARD_STRANGERS", "yes")
    # No speed is judged here, and the second compiler of a JVM takes most of its processor time in the first minute.
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")

HOUSE = Path(__file__).parent / "house"
STEELYARD = Path(sys.executable).with_name("steelyard")

# What a verdict stands on, before the breadth of it: where `make test` was given too little time for all, the last are not asked.
FIRST = (
    "test_weighing.py",
    "test_compare.py",
    "test_closed.py",
    "test_servers.py",
    "test_failures.py",
    "test_endings.py",
)
# Then those that take longest: a file is one worker's, and none is left to a single worker in the end.
SLOWEST = (
    *("test_soakit.py", "test_shop_servers.py", "test_faults.py", "test_soaservers.py", "test_paths.py"),
    *("test_ssh_host.py", "test_attacks.py", "test_petstore.py", "test_frameworks.py", "test_death.py"),
)
MARK = "STEELYARD_TEST"
GONE_SECONDS = 60.0  # what was killed may take on a machine that is ten times slower
STUDY = """
name = "{name}"
title = "A test's own study"
question = "Does it do what it says?"
service = "wstest"
reference = "a"
operations = ["{operation}"]
primary = "{operation}"
forks = {forks}
pairs = {pairs}
slice_seconds = {slice_seconds}
warm_up_limit_seconds = {warm_up}
corpus_entries = 20
{subjects}
"""

SUBJECT = """
[[subjects]]
label = "{label}"
headers = {{ {headers} }}
parts = [{{ server = "{server}", factors = {{ {factors} }} }}]
"""


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed with `--json`; where that is nothing, why."""
        assert self.out.strip(), f"nothing was printed, exit code {self.code}: {self.err[-4000:]}"
        return json.loads(self.out)

    @property
    def disturbed(self) -> bool:
        """Whether the host or other processes took too much time for a verdict; `check` says so on standard output."""
        said = self.out + self.err
        return "o verdict: the host took" in said or "o verdict: this machine is busy" in said


@dataclass(frozen=True)
class Lab:
    """The command line in a folder of its own, with the test servers in reach."""

    folder: Path
    environment: dict[str, str]
    program: Path = STEELYARD

    def run(self, *words: str, seconds: float = 1200, **environment: str) -> Ran:
        done = subprocess.run(
            [self.program, *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def run_undisturbed(self, *words: str) -> Ran:
        """The same for a test that needs the verdict: again, twice at most, where the host disturbed it; then it is skipped."""
        assert "PYTEST_XDIST_WORKER" not in os.environ, (
            "a verdict needs the machine for itself: mark the test as `alone`"
        )
        command = f"steelyard {' '.join(words)}"
        ran = next((ran for ran in (self.run(*words) for _ in range(3)) if not ran.disturbed), None)
        if ran is None:
            undisturbed.skip(command)
        undisturbed.had(command)
        return ran

    def compare_two(self, word: str, microseconds: Mapping[str, int], *options: str, **wishes: Any) -> dict[str, Any]:
        """The throughput comparison of b against a, two servers that spend or delay (`word`) so long for each request."""
        subjects = [{"label": label, "server": "odd", word: str(each)} for label, each in microseconds.items()]
        ran = self.run_undisturbed("run", self.study(subjects, forks=4, warm_up=8, **wishes), "--json", *options)
        assert ran.code == 0, ran.err
        found: dict[str, Any] = next(one for one in ran.json()["comparisons"] if one["primary"])
        assert (found["a"], found["b"], found["measure"]) == ("b", "a", "throughput")
        return found

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.program, *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def runs(self) -> list[Path]:
        return sorted((self.folder / "runs").glob("*"))

    def study(self, subjects: list[dict[str, str]], **wishes: Any) -> str:
        """Path of a study with these subjects: label, server, mode, and the microseconds that a request is busy, is delayed or
        spends."""
        settings = {
            "name": "small",
            "operation": "echoStruct",
            "forks": 2,
            "pairs": 3,
            "slice_seconds": 0.3,
            "warm_up": 0.3,  # one slice, too few to be judged: a test that asks what is steady says so
        }
        settings.update(wishes)
        written = "".join(
            SUBJECT.format(
                label=subject["label"],
                server=subject["server"],
                factors=f'mode = "{subject["mode"]}"' if "mode" in subject else "",
                headers=", ".join(
                    f'"Steelyard-{word.title()}-Us" = "{subject[word]}"'
                    for word in ("busy", "delay", "spend")
                    if word in subject
                ),
            )
            for subject in subjects
        )
        path = self.folder / f"{settings['name']}.toml"
        path.write_text(STUDY.format(subjects=written, **settings))
        return str(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate((*FIRST, *SLOWEST))}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    yield from lab_in(tmp_path)


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One for all tests of a module that only read what it ran."""
    yield from lab_in(tmp_path_factory.mktemp("shared"))


def lab_in(tmp_path: Path) -> Iterator[Lab]:
    """A lab in an empty folder; nothing of it may be left running, and the folder is removed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {
        "STEELYARD_PATH": str(HOUSE),
        "PATH": path,
        "NO_COLOR": "1",
        MARK: str(tmp_path),
        "STEELYARD_LOCK": str(tmp_path / "lock"),
        "STEELYARD_STATE": str(tmp_path / "state"),
    }
    yield Lab(tmp_path, {**os.environ, **own})
    left = still_running(tmp_path)
    assert left == [], f"still running: {left}"
    shutil.rmtree(tmp_path, ignore_errors=True)


def trial_records(run: Path) -> list[dict[str, Any]]:
    """What was stored of each trial of a run, in their order."""
    return [json.loads(path.read_text()) for path in sorted(run.glob("trials/*/trial.json"))]


def still_running(folder: Path, seconds: float = GONE_SECONDS) -> list[str]:
    """What of a test's processes does not end by itself; what takes a moment to be gone is named in a warning.

    One that was told to end, or killed, needs a processor to do so, and a busy machine may have none for it.
    """
    outlived = left = ours(folder)
    begun = time.monotonic()
    while left and time.monotonic() - begun < seconds:
        time.sleep(0.05)
        left = ours(folder)
    if outlived and not left:
        warnings.warn(f"gone {time.monotonic() - begun:.1f} s after its command ended: {outlived}", stacklevel=2)
    return left


def ours(folder: Path) -> list[str]:
    """Live processes that a test started, however far they strayed: each inherited the test's mark in its environment."""
    mark = f"{MARK}={folder}\0".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark in (place / "environ").read_bytes():
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                found.append(f"{place.name} {words}")
        except OSError:
            continue  # it ended meanwhile
    return found


@pytest.fixture
def until() -> Callable[[Callable[[], bool], float], None]:
    """Waits for something to come true, and fails where it does not."""

    def wait(true: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, f"did not come true within {seconds} s"
            time.sleep(0.05)

    return wait


@pytest.fixture
def kept_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Looks at a server, `name` or `name@factor=value`, as `servers check --quick` does: it must keep WSTest's whole contract, hold
    one connection and leave nothing running. Gives the row of what was found."""
    from rich.console import Console
    from steelyard.base.progress import Progress
    from steelyard.measure.conformance import examination

    monkeypatch.setenv(MARK, str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def check(words: str) -> Any:
        row = examination.check(words, "wstest", Progress(Console(quiet=True)), quick=True)
        assert (row.contract, row.reason) == (True, None)
        assert row.keep_alive is not None and row.keep_alive.answered == examination.REQUESTS_ON_ONE_CONNECTION
        assert still_running(tmp_path) == [], "still running"
        return row

    return check
