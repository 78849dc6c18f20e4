"""Commands that stand until they are stopped: `mock`, `record` and `serve` get a signal, idle or under requests."""

from __future__ import annotations

import http.client
import json
import random
import signal
import threading
import time
import urllib.request
from contextlib import nullcontext
from itertools import product

from .. import oracle
from ..ground import Ground
from ..oracle import Ended, Verdict

SHARE = 60
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT, "hup": signal.SIGHUP}
WHEN = ("idle", "under requests")
COMMANDS = ("mock", "record", "serve")
VARIANTS = tuple(f"{command}: {name}, {when}" for command, name, when in product(COMMANDS, SIGNALS, WHEN))
ADDRESS = r"http://127\.0\.0\.1:(\d+)(/\S*)?"
MOST_SECONDS = 1.5
CLIENTS = 3


class Clients:
    """Clients that send requests until they are told to stop, and count requests and good answers."""

    def __init__(self, url: str, body: bytes | None) -> None:
        self.sent = self.answered = 0
        self._asked = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._send_all) for _ in range(CLIENTS)]

    def __enter__(self) -> Clients:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _send_all(self) -> None:
        while not self._over.is_set():
            with self._lock:
                self.sent += 1
            try:
                with urllib.request.urlopen(self._asked, timeout=10) as answer:
                    answer.read()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            with self._lock:
                self.answered += 1


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Send the signal while the command stands."""
    command, _, rest = variant.partition(": ")
    name, _, when = rest.partition(", ")
    number = SIGNALS[name]
    ground.protect()
    with ground.serving() as port:
        words = {
            "mock": ["mock", str(ground.user / "shop"), "--port", "0", "--json"],
            "record": [
                "record",
                "--to",
                f"http://127.0.0.1:{port}",
                "--out",
                str(ground.folder / "recorded"),
                "--json",
            ],
            "serve": ["serve", str(ground.runs)],
        }[command]
        lab = ground.start(*words)
        address = lab.await_text(ADDRESS)
        if address is None:
            ended = lab.end()
            return oracle.verdict(ended, [*ground.wrong(ended), "it printed no address"])
        is_page = command == "serve"
        url = address[0] if is_page else f"http://127.0.0.1:{address[1]}/work"
        clients = Clients(url, None if is_page else b'{"work": 1}')
        with clients if when == WHEN[1] else nullcontext():
            time.sleep(draw.uniform(0.2, MOST_SECONDS))
            lab.send(number)
            ended = lab.end()
        wrong = ground.wrong(ended, [number], killed=name == "kill")
    if command != "serve" and not wrong and ended.code == 0:
        wrong += _wrong_count(command, ended, clients)
    return oracle.verdict(ended, wrong)


def _wrong_count(command: str, ended: Ended, clients: Clients) -> list[str]:
    """A finding where the printed count is not between the answers that came and the requests that went."""
    printed = json.loads(ended.out)
    count = printed["passed"] if command == "record" else sum(each["answered"] for each in printed["operations"])
    if clients.answered <= count <= clients.sent:
        return []
    return [f"it counts {count} requests; clients sent {clients.sent} and got {clients.answered} answers"]
