"""Engines on hosts of their own share one load: a real sshd in a network of its own, whose steady clock is set apart from ours."""

from __future__ import annotations

import csv
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import Lab
from far_hosts import HOSTS, LONG, NEAR, Far, children, far_host, missing
from test_far_clock import SET_APART

TOKEN = "what-nobody-is-to-read"
RATE, SECONDS, WARM_UP_SECONDS = 200, 3, 1
ENGINES = HOSTS.replace('role = "server"', 'role = "engine"')

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


@dataclass
class Counted:
    """What a service was asked: how often, by which addresses, and how often without the token."""

    asked: int = 0
    strangers: int = 0


@pytest.fixture
def far(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    for host in far_host(lab, tmp_path_factory.mktemp("far"), within=SET_APART):
        (lab.folder / "engines.toml").write_text(ENGINES)
        own = {**host.lab.environment, "TOKEN": TOKEN}
        yield replace(host, lab=replace(host.lab, environment=own))


@pytest.fixture
def counted(far: Far) -> Iterator[Counted]:
    """A service on the link, which the user's own folder `shop` declares."""
    counts, lock = Counted(), threading.Lock()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                counts.asked += 1
                counts.strangers += self.headers["Authorization"] != f"Bearer {TOKEN}"
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer((NEAR, 0), Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = far.lab.folder / "shop"
    folder.mkdir()
    (folder / "order.json").write_text("{}")
    (folder / "service.toml").write_text(
        'name = "shop"\ntitle = "A shop"\nmeaning = "json"\npath = "/"\n'
        f'target = "http://{NEAR}:{server.server_address[1]}"\n'
        'owned = true\ncontact = "whoever runs these tests"\nmax_rate = 100000\n'
        '[operations.order]\nmeaning = "an order"\nsample = "order.json"\n'
    )
    try:
        yield counts
    finally:
        server.shutdown()
        server.server_close()


def words(*more: str) -> list[str]:
    return ["load", "./shop", "--hosts", "engines.toml", "--auth", "bearer", "--secret", "env:TOKEN", *more]


def connections(far: Far) -> list[int]:
    """The processes of sshd that each serve a login; sshd is a child of what set its clock apart."""
    (sshd,) = children(far.sshd.pid)
    return children(sshd)


def begun_ns(load: Path, engine: int) -> int:
    with (load / f"engine-{engine}" / "slices.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    return int(row["begin_ns"])


def test_engines_on_two_hosts_send_what_one_would_and_tell_time_by_one_clock(far: Far, counted: Counted) -> None:
    ran = far.lab.run(
        *words("--rate", f"{RATE}/s", "--for", f"{SECONDS}s", "--warm-up", f"{WARM_UP_SECONDS}s", "--json")
    )
    outcome = ran.json()
    engines, said = outcome["engines"], (outcome["why_not"], ran.err)
    assert [engine["host"] for engine in engines] == ["", "rack"], said
    assert all(engine["sent"] > 0 for engine in engines)
    assert outcome["sent"] == counted.asked == sum(engine["sent"] for engine in engines) + 1, said
    assert outcome["sent"] == pytest.approx(RATE * (WARM_UP_SECONDS + SECONDS) + 1, abs=2), said
    # What is sent just before the measured time is answered in it where the machine is slow.
    assert outcome["completed"] + outcome["failed"] == pytest.approx(RATE * SECONDS, rel=0.1), said
    assert counted.strangers == 0
    run = far.lab.folder / outcome["run"]
    assert begun_ns(run / "trials" / "01", 1) == begun_ns(run / "trials" / "01", 2), (
        "the other machine's clock is 1000 s ahead"
    )
    assert 0 <= outcome["began_apart_ms"] < 1000
    kept = json.loads((run / "environment.json").read_text())
    assert kept["engine_hosts"]["rack"]["processors"] > 0 and "contact" not in json.dumps(kept)
    stored = [path for path in (*run.rglob("*"), *far.cache.rglob("*")) if path.is_file()]
    assert stored and not [path for path in stored if TOKEN.encode() in path.read_bytes()]
    assert list(far.cache.glob("sessions/*")) == [] and not connections(far)


def test_a_host_that_is_lost_ends_the_load_of_all_with_its_reason(far: Far, counted: Counted) -> None:
    process = far.lab.start(*words("--users", "4", "--for", "600s", "--json"))
    deadline = time.monotonic() + LONG
    while not list(far.lab.folder.glob("runs/*/trials/01/engine-1/ticks.csv")) or counted.asked < 50:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.1)
    for connection in connections(far):
        os.kill(connection, signal.SIGKILL)
    out, err = process.communicate(timeout=LONG)
    outcome = json.loads(out)
    assert process.returncode == 1 and not outcome["valid"] and outcome["seconds"] < 600
    assert "engine 2 of 2 on rack was lost" in "; ".join(outcome["why_not"]) and "on rack was lost" in err
    assert outcome["engines"][1]["lost"] and outcome["completed"] > 0


def test_a_host_that_cannot_be_had_is_said_before_anything_is_asked(far: Far, counted: Counted) -> None:
    (far.folder / "known_hosts").write_text("")
    ran = far.lab.run(*words("--for", "1s"))
    assert ran.code == 1 and "host 'rack' has a host key that is not known here" in ran.err
    assert counted.asked == 0 and not (far.lab.folder / "runs").exists()
