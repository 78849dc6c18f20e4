"""`steelyard try`: its printed requests are answered correctly while it runs, and no process survives it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import HOUSE, Lab, ours, still_running
from rich.console import Console
from steelyard.base.errors import ProvisionError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.hosts import cpus, launch, subject
from steelyard.workload import exchanges
from steelyard.workload.body_formats import meaning_of

SECONDS = 600  # on a machine that is ten times slower
pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def started(lab: Lab, *words: str) -> tuple[subprocess.Popen[str], Any]:
    """The command once it is ready, and what it said."""
    process = lab.start("try", *words, "--json", TMPDIR=str(lab.folder))  # a log that is left is removed with it
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return process, json.loads(line)


def test_each_command_that_it_prints_is_answered_rightly_and_ctrl_c_ends_all(lab: Lab) -> None:
    process, said = started(lab, "null", "wstest")
    service = entries.service("wstest")
    meaning = meaning_of(service)
    written = [exchange for _, exchange in exchanges.contract_exchanges(service)]
    assert [request["operation"] for request in said["requests"]] == list(service.model.operations)
    for request in said["requests"]:
        asked = subprocess.run(shlex.split(request["curl"]), capture_output=True, timeout=SECONDS, check=True)
        (exchange,) = (each for each in written if each.request == request["body"])
        assert meaning.difference(asked.stdout, exchange.answer, request["operation"]) is None, request
    process.send_signal(signal.SIGINT)
    _, complained = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, complained
    assert still_running(lab.folder) == []
    assert not Path(said["folder"]).exists()


def test_with_a_time_it_ends_by_itself_and_nothing_of_it_is_left(lab: Lab) -> None:
    ran = lab.run("try", "null", "wstest", "--for", "0.2s")
    assert ran.code == 0, ran.err
    assert "http://127.0.0.1:" in ran.out.splitlines()[0] and ran.out.count("  curl ") == 5
    assert still_running(lab.folder) == []


def test_where_the_server_dies_the_end_says_so_and_names_its_log(lab: Lab) -> None:
    process, said = started(lab, "odd", "wstest")
    (server,) = said["processes"]
    # Not its keeper, whose command line ends in the same words.
    itself = re.compile(rf"(\d+) \S*python3 serve\.py {server['port']} ")
    (pid,) = (match[1] for match in map(itself.match, ours(lab.folder)) if match is not None)
    os.kill(int(pid), signal.SIGKILL)
    _, complained = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert "odd (server) ended with signal 9" in complained and "Traceback" not in complained
    assert said["folder"] in complained
    assert still_running(lab.folder) == []


def test_where_the_keeper_dies_the_end_says_so_and_the_server_is_gone(lab: Lab) -> None:
    process, _ = started(lab, "odd", "wstest")
    (keeper,) = (pid for pid in map(int, (line.split()[0] for line in ours(lab.folder))) if _parent(pid) == process.pid)
    os.kill(keeper, signal.SIGKILL)
    _, complained = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert re.search(r"the keeper of 'sh' (is gone|ended unexpectedly)", complained) and "Traceback" not in complained
    assert still_running(lab.folder) == []


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_who_starts_a_server_says_how_patient_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    usual = entries.server("odd").model.ready_seconds
    with Progress(Console(quiet=True)) as progress:
        never = subject.provide_subject(subject_of("odd@mode=never-ready"), entries.service("wstest"), progress)
        draw = Random(time.time_ns())
        up = launch.running_subject(never, tmp_path, cpus.share(), draw, progress, patience=0.05)
        with pytest.raises(ProvisionError, match=f"odd was not ready after {usual * 0.05:g} s") as error, up:
            pytest.fail("it never is")
    assert "; its ready command: 'steelyard-engine probe http://" in error.value.hint, error.value.hint
