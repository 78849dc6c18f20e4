"""A target with a start line: started for a load, its count and processor time judged, and stopped in any case."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest
from command import Ran, steelyard
from own_service import SERVER, service
from rich.console import Console
from steelyard.base import paths
from steelyard.base.errors import KeeperError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.commands.find_limit import LimitOptions, search_of
from steelyard.commands.targets import started_or_running
from steelyard.measure.load.starting import running_target
from steelyard.models.service import Expect
from steelyard.workload import load_target

SCHEMA = json.loads((paths.root() / "contracts" / "load-output.schema.json").read_text())
WORDS = ("--users", "1", "--max-requests", "20", "--json", "--out", "runs")


def load(folder: Path, *words: str) -> Ran:
    return steelyard("load", *words, *WORDS, folder=folder)


def is_gone(made: Path) -> bool:
    """Whether nothing listens any more where a service said that it would."""
    target = next(line for line in (made / "service.toml").read_text().splitlines() if line.startswith("target"))
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(target.rstrip('"').rpartition(":")[2]))) != 0


def test_what_was_started_is_counted_measured_and_stopped(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, counter="/count", stop=["touch", "stopped"])
    ran = load(tmp_path, "./own")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    jsonschema.validate(outcome, SCHEMA)
    used = outcome["started"]
    assert used["counted"] == outcome["sent"] == 21 and used["counted_alike"] is True
    assert used["memory_mib"] > 1 and used["cpu_s"] >= 0
    assert not any("processor time" in what for what in outcome["not_judged"])
    assert (made / "starts").read_text().count("started") == 1 and (made / "stopped").is_file() and is_gone(made)


def test_a_service_that_counts_otherwise_voids_the_figures(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, counter="/count")
    text = (made / "serve.py").read_text()
    (made / "serve.py").write_text(text.replace("Answer.served += 1", "Answer.served += 2"))
    ran = load(tmp_path, "./own")
    assert ran.code == 1 and "counted 42 requests where 21 were sent" in ran.err, ran.err
    assert is_gone(made)


def test_requests_for_challenges_that_the_service_counts_void_nothing(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, counter="/count")
    text = (made / "serve.py").read_text()
    challenge = """
        if self.headers["Authorization"] is None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", \'Digest realm="r", qop="auth", nonce="n%d"\' % Answer.served)
            self.send_header("Content-Length", "0")
            return self.end_headers()
"""
    (made / "serve.py").write_text(text.replace("        time.sleep(", challenge + "        time.sleep("))
    (tmp_path / "secret").write_text("open sesame")
    ran = load(tmp_path, "./own", "--auth", "digest", "--user", "me", "--secret", f"file:{tmp_path}/secret")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    # One for the verification and one for the load's one user.
    assert outcome["started"]["counted"] == outcome["sent"] + 2 and outcome["started"]["counted_alike"] is True
    assert is_gone(made)


def test_what_runs_already_is_loaded_as_it_is(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, counter="/count")
    argv = json.loads(next(line for line in (made / "service.toml").read_text().splitlines() if "start" in line)[8:])
    with subprocess.Popen(argv, cwd=made) as running:
        try:
            deadline = time.monotonic() + 60
            while is_gone(made) and time.monotonic() < deadline:
                time.sleep(0.05)
            outcome = json.loads(load(tmp_path, "./own").out)
            assert outcome["started"] is None and running.poll() is None
            assert (made / "starts").read_text().count("started") == 1
        finally:
            running.kill()


SERVE = f"{sys.executable} serve.py {{port}} 0.001"


def test_a_command_line_is_started_on_a_port_of_its_own_and_ended(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(SERVER)
    ran = load(tmp_path, SERVE, "--request", "POST /orders", "--body", "{}")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert outcome["service"] == Path(sys.executable).name and outcome["operations"][0]["operation"] == "post-orders"
    assert outcome["started"]["cpu_s"] > 0 and outcome["judged"]["right"] > 0
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", urlsplit(outcome["target"]).port or 0), timeout=1)


def test_a_folder_that_takes_the_port_listens_at_its_target(tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, start=SERVE.split())
    ran = load(tmp_path, "./own")
    assert ran.code == 0 and json.loads(ran.out)["started"] is not None, ran.err
    assert is_gone(made)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((SERVE,), 64, f"{SERVE} has no requests"),
        ((SERVE, "--request", "GET /", "--method", "GET"), 64, "--method needs a URL"),
        (("./own", "--service", "own", "--request", "GET /"), 64, "exclude each other"),
        (("http://127.0.0.1:1/", "--request", "GET /"), 64, "are for servers of your own"),
        (("./none {port}", "--request", "GET /"), 64, "none: the start command './none' was not found in"),
        ((f"{sys.executable} -c raise(SystemExit(3))", "--request", "GET /"), 1, "died before the server was ready"),
    ],
)
def test_a_target_that_cannot_be_started_is_named(words: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    service(tmp_path, "own", 0.001)
    ran = load(tmp_path, *words)
    assert ran.code == code and said in ran.err, ran.err


def test_a_limit_is_looked_for_on_what_a_load_starts() -> None:
    options = LimitOptions(service=SERVE, request=["GET /items/7"], p95="200ms")
    asked = started_or_running(options, search_of(options).load)
    assert asked.own is not None and asked.own.start == shlex.split(SERVE)
    assert list(asked.operations) == ["get-items-7"] and asked.address.startswith("http://127.0.0.1:")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_load_stops_what_it_started(number: signal.Signals, tmp_path: Path) -> None:
    made = service(tmp_path, "own", 0.001, stop=["touch", "stopped"])
    argv = [sys.executable, "-m", "steelyard", "load", "./own", "--for", "10m", "--out", "runs"]
    own = {
        "STEELYARD_AWAKE": "no",
        "STEELYARD_LOCK": str(tmp_path / "lock"),
        "STEELYARD_STATE": str(tmp_path / "state"),
    }
    with subprocess.Popen(argv, cwd=tmp_path, env={**os.environ, **own}, stderr=subprocess.PIPE, text=True) as lab:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("runs/*/trials/01/ticks.csv")) and time.monotonic() < deadline:
            time.sleep(0.1)
        lab.send_signal(number)
        _, said = lab.communicate(timeout=120)
    assert lab.returncode != 0 and "Traceback" not in said, said
    assert (made / "stopped").is_file() and is_gone(made)


def test_what_goes_wrong_in_a_load_is_not_said_to_be_its_targets_start(tmp_path: Path) -> None:
    service(tmp_path, "own", 0.001)
    asked = load_target.of_service(entries.service_at(str(tmp_path / "own")), 1, Expect())
    assert asked.own is not None
    with (
        pytest.raises(KeeperError, match="in the midst"),
        running_target(asked, asked.own, tmp_path / "target.log", Progress(Console(quiet=True)), {}),
    ):
        raise KeeperError("in the midst of the load")
    assert is_gone(tmp_path / "own")
