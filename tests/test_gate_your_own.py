"""`check` on services of a user's own: by folder, by command line and by git range, a planted slow-down is called, and none is."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import Lab, Ran
from steelyard.base import paths

PROGRAM = Path(__file__).parent / "planted"
EXAMPLE = paths.root() / "monitor" / "examples" / "spring-boot"
SHORT = ("--budget", "90s")
SHORTER = ("--budget", "60s", "--slice-seconds", "0.4", "--pairs", "3", "--warm-up", "2", "--users", "2")
WAYS = ("folder", "command line", "git range")
TO_CALL, OF = 9, 10
AGAIN = {"slower", "faster", "too few forks"}


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def build(folder: Path) -> None:
    subprocess.run(["go", "build", "-o", "items", "."], cwd=folder, check=True, capture_output=True, timeout=600)


def slow(folder: Path, share: float) -> None:
    """Make a folder's server take a share more of processor time for each request."""
    file = folder / "service.toml"
    file.write_text(file.read_text().replace('"{port}"', f'"{{port}}", "--planted", "{share}"'))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server, built."""
    folder = tmp_path_factory.mktemp("planted") / "items"
    shutil.copytree(PROGRAM, folder)
    build(folder)
    return folder


@dataclass(frozen=True)
class Services:
    """A lab with the server in its folder, and ways to ask for a comparison with one that is slower by a share."""

    lab: Lab

    def words(self, way: str, share: float) -> list[str]:
        """The words of `check` that compare the server with one that takes `share` more processor time a request."""
        folder = self.lab.folder
        if way == "command line":
            command = "items/items --port {port}"
            return [command, f"{command} --planted {share}", "--request", "GET /items/7"]
        if way == "folder":
            shutil.copytree(folder / "items", folder / "items-next", dirs_exist_ok=True)
            shutil.copy(folder / "items" / "service.toml", folder / "items-next")
            slow(folder / "items-next", share)
            return ["./items", "./items-next"]
        self.commit(share)
        return ["--git", "main..HEAD", "--build", "go build -o items .", "./repository/items"]

    def commit(self, share: float) -> None:
        """A repository whose main has the server, and whose HEAD one that is slower by a share."""
        top = self.lab.folder / "repository"
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(PROGRAM, top / "items")
        git(top, "init", "--quiet", "--initial-branch", "main")
        git(top, "add", ".")
        git(top, "commit", "--quiet", "--message", "The server")
        source = top / "items" / "main.go"
        source.write_text(source.read_text().replace("planted = 0.0", f"planted = {share}"))
        git(top, "switch", "--quiet", "--create", "next")
        git(top, "commit", "--quiet", "--all", "--message", "Slower")

    def left(self) -> str:
        """What the repository knows of changes and worktrees beside its own."""
        top = self.lab.folder / "repository"
        return git(top, "status", "--porcelain") + "".join(git(top, "worktree", "list").splitlines()[1:])


@pytest.fixture
def services(lab: Lab, built: Path) -> Services:
    shutil.copytree(built, lab.folder / "items")
    own_cache = {**lab.environment, "STEELYARD_CACHE": str(lab.folder / "cache")}
    return Services(Lab(lab.folder, own_cache))


def judged(ran: Ran) -> dict[str, Any]:
    """The judged change of a `check --json`."""
    told = ran.json()
    jsonschema.validate(told, json.loads((paths.root() / "contracts" / "check-output.schema.json").read_text()))
    (change,) = [change for change in told["changes"] if change["primary"]]
    return {**change, "sentence": told["sentence"], "answer": told["answer"]}


@pytest.mark.alone
@pytest.mark.long  # in short: tests/test_ci_gate.py measures the same range, and tests/test_compare.py calls a slower server
def test_a_large_slow_down_between_revisions_is_called_by_short_runs(services: Services) -> None:
    ran = services.lab.run_undisturbed("check", *services.words("git range", 0.6), *SHORT, "--json")
    assert ran.code == 1, ran.err
    change = judged(ran)
    assert change["answer"] == "regression" and change["verdict"] == "slower" and change["worse_percent"] > 15
    assert change["sentence"].startswith("items-HEAD is ") and "% slower than items-main on read" in change["sentence"]
    assert services.left() == ""


@pytest.mark.alone
def test_a_server_by_folder_is_not_called_different_from_itself_twice(services: Services) -> None:
    """One in twenty may be called: only then is it compared again. tests/test_compare.py has another such comparison."""
    verdicts: list[str] = []
    while len(verdicts) < 2 and AGAIN.issuperset(verdicts):
        ran = services.lab.run_undisturbed("check", "./items", "./items", *SHORTER, "--json")
        verdicts.append(judged(ran)["verdict"])
    assert any(verdict != "too few forks" for verdict in verdicts), verdicts
    assert sum(verdict in ("slower", "faster") for verdict in verdicts) <= 1, verdicts


@pytest.mark.alone
@pytest.mark.long
def test_of_twenty_comparisons_of_a_server_with_itself_at_most_one_is_called_different(services: Services) -> None:
    answers = [
        services.lab.run_undisturbed("check", "./items", "./items", "--budget", "2m", "--seed", str(seed), "--json")
        for seed in range(1, 21)
    ]
    verdicts = [judged(ran)["verdict"] for ran in answers]
    assert sum(verdict in ("slower", "faster") for verdict in verdicts) <= 1, verdicts


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_planted_tenth_is_called_in_nine_of_ten_within_five_minutes(services: Services, way: str) -> None:
    words = services.words(way, 0.1)
    changes = [
        judged(services.lab.run_undisturbed("check", *words, "--budget", "5m", "--seed", str(seed), "--json"))
        for seed in range(1, OF + 1)
    ]
    called = [change["verdict"] == "slower" for change in changes]
    assert sum(called) >= TO_CALL, [change["sentence"] for change in changes]


@pytest.mark.alone
@pytest.mark.long
def test_what_the_spring_boot_example_can_be_told_apart_by_is_reported(lab: Lab, record_property: Any) -> None:
    place = lab.folder / "shop"
    shutil.copytree(EXAMPLE, place)
    subprocess.run(["mvn", "-B", "-q", "package"], cwd=place, check=True, capture_output=True, timeout=1200)
    (jar,) = (path for path in (place / "target").glob("*.jar") if "original" not in path.name)
    words = [f"java -jar {jar} --server.port={{port}}"] * 2
    ran = lab.run_undisturbed("check", *words, "--request", "GET /books?author=Woolf", "--budget", "15m", "--json")
    change = judged(ran)
    assert change["verdict"] not in ("slower", "faster"), change["sentence"]
    low, high = change["interval"]
    record_property("spring_boot_interval_percent", f"{low:.2f} to {high:.2f}")
    print(f"power: the example against itself: {change['sentence']}")
    assert high - low < 20, "no slow-down of a fifth would be seen"


def test_a_build_that_is_interrupted_leaves_no_process_and_no_worktree(
    services: Services, until: Callable[[Callable[[], bool], float], None]
) -> None:
    services.commit(0.1)
    words = ["--git", "main..HEAD", "--build", "touch ../../begun && sleep 600", "./repository/items"]
    process = services.lab.start("check", *words)
    cache = services.lab.folder / "cache" / "revisions"
    until(lambda: any(cache.glob("*/begun")), 60)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert services.left() == "" and [path for path in cache.iterdir() if path.is_dir()] == []


def test_a_build_that_fails_is_told_in_two_sentences_and_the_gate_cannot_tell(services: Services) -> None:
    services.commit(0.1)
    words = ["--git", "main..HEAD", "--build", "go build -o items ./nowhere", "./repository/items"]
    ran = services.lab.run("check", *words)
    assert ran.code == 2, ran.err
    error, hint = ran.err.splitlines()[-2:]
    assert (
        error.startswith("error: cannot tell: 'go build -o items ./nowhere' failed for main (") and "nowhere" in error
    )
    assert hint.startswith("hint: the full output is in ") and services.left() == ""


def test_a_budget_that_holds_no_fork_is_refused_before_anything_starts(services: Services) -> None:
    ran = services.lab.run("check", "./items", "./items", "--budget", "5s")
    assert ran.code == 64, ran.err
    assert "a budget of 5 s is too small: one fork takes about " in ran.err and "starting" not in ran.err
