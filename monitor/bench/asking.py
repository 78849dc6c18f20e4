"""What the measurements of a service's processor time share: requests at Poisson arrivals, and those of the service flight."""

from __future__ import annotations

import http.client
import json
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steelyard.catalogue import entries
from steelyard.provision.running import RunningSubject

WORKERS = 16  # connections: open arrivals wait for nobody, so there are more than are ever busy
ANSWER_SECONDS = 60.0
SOAP = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}


@dataclass(frozen=True)
class Asked:
    """One request as it is sent."""

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Half:
    """A turn of one way of watching: requests answered, and the ns of processor time that the server took for them."""

    answered: int
    cpu_ns: int

    @property
    def per_request_ns(self) -> float:
        return self.cpu_ns / self.answered


def send(address: tuple[str, int], requests: Sequence[Asked], arrivals: Sequence[float]) -> int:
    """Sends a request at each of `arrivals` (s from now), and returns how many there were; raises RuntimeError where one fails."""
    due: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
    failures: list[str] = []

    def work() -> None:
        connection = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS)
        while (asked := due.get()) is not None:
            try:
                connection.request(asked.method, asked.path, asked.body, dict(asked.headers))
                connection.getresponse().read()
            except (OSError, http.client.HTTPException) as error:
                failures.append(f"{type(error).__name__}: {error}")
                connection.close()
        connection.close()

    workers = [threading.Thread(target=work, daemon=True) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    begun = time.monotonic()
    for place, arrival in enumerate(arrivals):
        time.sleep(max(0.0, begun + arrival - time.monotonic()))
        due.put(requests[place % len(requests)])
    for _ in workers:
        due.put(None)
    for worker in workers:
        worker.join()
    if failures:
        raise RuntimeError(f"{len(failures)} of {len(arrivals)} requests had no answer: {failures[0]}")
    return len(arrivals)


def one_after_the_other(address: tuple[str, int], requests: Sequence[Asked], count: int) -> None:
    """So many requests, none before the last was answered; raises RuntimeError where an answer does not come."""
    for place in range(count):
        send(address, [requests[place % len(requests)]], [0.0])


def poisson(draw: random.Random, rate: float, seconds: float) -> list[float]:
    """Instants of arrival, in s, of which there is at least one."""
    arrivals = [draw.expovariate(rate)]
    while arrivals[-1] < seconds:
        arrivals.append(arrivals[-1] + draw.expovariate(rate))
    return arrivals


def flight_requests(operation: str, permille: int) -> list[Asked]:
    """Requests of the service's own generator; of no operation, a search and a reservation in turn."""
    service, made = entries.service("flight"), []
    for asked in (operation,) if operation else ("searchFlights", "createReservation"):
        generator = service.folder / "contract" / "flight_load.py"
        words = ["--operation", asked, "--seed", "1", "--count", "50", "--set", f"ErrorPermille={permille}"]
        ran = subprocess.run([sys.executable, generator, *words], check=True, capture_output=True, text=True)
        bodies = [json.loads(line)["request"].encode() for line in ran.stdout.splitlines()]
        made.append([Asked("POST", service.model.path, body, SOAP) for body in bodies])
    return [request for session in zip(*made, strict=True) for request in session]


def judged_cpu_ns(running: RunningSubject) -> int:
    """The processor time of all threads of the server but the compilers'."""
    used = running.use()[running.front.part.place]
    return sum(process.cpu_ns - process.jit_ns for process in used)
