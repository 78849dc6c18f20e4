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
from steelyard.hosts.running import RunningSubject

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


class Connections:
    """So many connections to a server, which stay open from one load to the next; a context manager."""

    def __init__(self, address: tuple[str, int], count: int = WORKERS) -> None:
        self._due: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._workers = [threading.Thread(target=self._work, args=(address,), daemon=True) for _ in range(count)]
        for worker in self._workers:
            worker.start()

    def __enter__(self) -> Connections:
        return self

    def __exit__(self, *_: object) -> None:
        for _worker in self._workers:
            self._due.put(None)
        for worker in self._workers:
            worker.join()

    def send(self, requests: Sequence[Asked], arrivals: Sequence[float]) -> int:
        """Sends a request at each of `arrivals` (s from now), and returns how many there were once all are answered; raises
        RuntimeError where one fails."""
        begun = time.monotonic()
        for place, arrival in enumerate(arrivals):
            time.sleep(max(0.0, begun + arrival - time.monotonic()))
            self._due.put(requests[place % len(requests)])
        failures = [failure for _ in arrivals if (failure := self._done.get()) is not None]
        if failures:
            raise RuntimeError(f"{len(failures)} of {len(arrivals)} requests had no answer: {failures[0]}")
        return len(arrivals)

    def _work(self, address: tuple[str, int]) -> None:
        connection = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS)
        while (asked := self._due.get()) is not None:
            try:
                connection.request(asked.method, asked.path, asked.body, dict(asked.headers))
                connection.getresponse().read()
                self._done.put(None)
            except (OSError, http.client.HTTPException) as error:
                self._done.put(f"{type(error).__name__}: {error}")
                connection.close()
        connection.close()


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
