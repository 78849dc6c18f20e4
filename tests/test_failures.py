"""Whatever goes wrong: one clear message that names it, a non-zero exit, what was measured kept, nothing left running."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Lab

GOOD = {"label": "a", "server": "odd"}


def records(run: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(run.glob("trials/*/trial.json"))]


def no_trace(text: str) -> bool:
    return "Traceback" not in text and "defect" not in text


@pytest.mark.parametrize(
    ("mode", "kind", "said"),
    [
        ("wrong", "wrong-answer", "answers were wrong"),
        ("fault", "no-answer", "every request failed"),
        ("die", "died", "exit code 3"),
        ("hang", "hung", "no answer came"),
    ],
)
def test_a_server_that_fails_under_load_is_named_with_what_it_did(lab: Lab, mode: str, kind: str, said: str) -> None:
    study = lab.study([GOOD, {"label": "b", "server": "odd", "mode": mode}], pairs=10, forks=1 if mode == "hang" else 2)
    ran = lab.run("run", study)
    assert ran.code == 1
    assert no_trace(ran.err)
    assert "error: " in ran.err and "b" in ran.err and said in ran.err, ran.err
    run = lab.runs()[0]
    kinds = {record["failure"]["kind"] for record in records(run) if record["failure"]}  # type: ignore[index]
    assert kinds == {kind}
    assert list(run.glob("trials/*/slices.csv"))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("never-ready", "was not ready after 8 s"),
        ("die-at-start", "there is no room for me here"),
        ("port-taken", "Address already in use"),
    ],
)
def test_a_server_that_does_not_come_up_is_named_with_the_end_of_its_log(lab: Lab, mode: str, said: str) -> None:
    ran = lab.run("run", lab.study([GOOD, {"label": "b", "server": "odd", "mode": mode}], forks=1))
    assert ran.code == 1
    assert "odd" in ran.err and said in ran.err
    assert no_trace(ran.err)


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["run", "wstset"], "no study 'wstset'; did you mean 'wstest'?", 1),
        (["run", "wstest", "--only", "tomcat-metr,go"], "no server 'tomcat-metr'; did you mean 'tomcat-metro'?", 1),
        (["run", "wstest", "--operation", "echoStrct"], "did you mean 'echoStruct'?", 1),
        (["run", "wstest", "--set", "Agent=3", "--dry-run"], "did you mean 'Agents'?", 1),
        (["run", "wstest", "--config", "nowhere.ini", "--dry-run"], "nowhere.ini cannot be read", 1),
        (["servers", "check", "nothing"], "no server 'nothing'", 1),
        (["report", "nowhere"], "nowhere", 1),
        (["run"], "study", 2),
        (["run", "wstest", "--users", "0"], "--users", 2),
        (["run", "wstest", "--forx", "1"], "--forx", 2),
    ],
)
def test_a_word_that_cannot_be_understood_is_named(lab: Lab, words: list[str], said: str, code: int) -> None:
    ran = lab.run(*words)
    assert (ran.code, said in ran.err, no_trace(ran.err)) == (code, True, True), ran.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("forkz = 3", "unknown key 'forkz'; did you mean 'forks'?"),
        ("forks = ", "not valid TOML"),
        ("forks = 0", "key 'forks'"),
    ],
)
def test_a_broken_study_file_is_named_with_the_key(lab: Lab, line: str, said: str) -> None:
    path = Path(lab.study([GOOD]))
    path.write_text(
        line + "\n" + path.read_text().replace("forks = 2\n", "" if "forks" in line.split() else "forks = 2\n")
    )
    ran = lab.run("run", str(path))
    assert (ran.code, said in ran.err) == (1, True), ran.err


def test_an_unwritable_folder_is_named(lab: Lab) -> None:
    (lab.folder / "file").write_text("")
    ran = lab.run("run", lab.study([GOOD], forks=1), "--out", str(lab.folder / "file" / "deeper"))
    assert ran.code == 1
    assert "cannot be made" in ran.err and "--out" in ran.err


def test_a_full_disk_is_named_and_what_was_measured_is_kept(lab: Lab) -> None:
    small = lab.folder / "small"
    small.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", small], check=False).returncode
    ):
        pytest.skip("a small disk can only be made by root")
    try:
        ran = lab.run("run", lab.study([GOOD, {"label": "b", "server": "odd"}], forks=4, pairs=20), "--out", str(small))
        assert ran.code != 0
        assert "No space left" in ran.err or "disk" in ran.err, ran.err
        assert no_trace(ran.err)
    finally:
        subprocess.run(["umount", "-l", small], check=True)


@pytest.mark.parametrize(("server", "said"), [("go", "'go'"), ("future", "JDK 99")])
def test_a_missing_toolchain_is_named_with_the_command_that_installs_it(lab: Lab, server: str, said: str) -> None:
    bare = lab.folder / "bin"
    bare.mkdir()
    for name in ("sh", "env"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    ran = lab.run("servers", "check", server, PATH=str(bare))
    assert ran.code == 1
    assert said in ran.out + ran.err
    for platform in ("apt install", "dnf install", "brew install"):
        assert platform in ran.out + ran.err
