"""Errors of all kinds: one clear message with the cause, a non-zero exit, stored measurements, no leftover process."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import Lab, trial_records

GOOD = {"label": "a", "server": "odd"}

PATIENCE = """
[parameters.Drain]
default = 5
sets = "drain_seconds"
meaning = "how long answers in flight are waited for"
"""


def no_trace(text: str) -> bool:
    return "Traceback" not in text and "defect" not in text


@pytest.mark.parametrize(
    ("mode", "kind", "said"),
    [
        ("wrong", "wrong-answer", "answers were wrong"),
        ("fault", "no-answer", "every request failed"),
        ("die", "died", "exit code 3"),
        ("hang", "hung", "no answer came"),
        ("uncounted", "hung", "does not report its request count: no answer: the answer is not HTTP"),
    ],
)
def test_a_server_that_fails_under_load_is_named_with_what_it_did(lab: Lab, mode: str, kind: str, said: str) -> None:
    study = lab.study([GOOD, {"label": "b", "server": "odd", "mode": mode}], pairs=10, forks=1)
    with Path(study).open("a") as file:
        file.write(PATIENCE)
    ran = lab.run("run", study)
    assert ran.code == 1
    assert no_trace(ran.err)
    assert "error: " in ran.err and "b" in ran.err and said in ran.err, ran.err
    run = lab.runs()[0]
    kinds = {record["failure"]["kind"] for record in trial_records(run) if record["failure"]}  # type: ignore[index]
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
        assert no_trace(ran.err), ran.err
    finally:
        subprocess.run(["umount", "-l", small], check=True)
