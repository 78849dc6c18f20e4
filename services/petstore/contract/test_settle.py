"""Orders that are left when the time to wait is over: in work still, or lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread

import pytest


def asked(port: int, seconds: str) -> dict[str, dict[str, int]]:
    script = Path(__file__).parent / "settle.py"
    printed = subprocess.run(
        [sys.executable, str(script), "127.0.0.1", str(port), str(port), seconds],
        check=True,
        capture_output=True,
        timeout=60,
    ).stdout
    found: dict[str, dict[str, int]] = json.loads(printed)
    return found


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a shop of 1,000 orders that completes as many of them as it is told for each question."""
    step: int = request.param
    questions = count(1)

    class Told(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            done = step * next(questions) if self.path == "/petstore/settlement" else 0
            store = {"accepted": 1000, "completed": min(done, 1000), "denied": 0, "mails": 3 * min(done, 1000)}
            mails = "".join(f"to\torder {n}\n" for n in range(3000 if step >= 1000 else 0))
            body = (json.dumps(store) if "settlement" in self.path else mails).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize("shop", [1], indirect=True)
def test_orders_of_a_shop_that_still_gets_on_are_open_and_not_lost(shop: int) -> None:
    found = asked(shop, "4")
    counts = found["counts"]
    assert not found["settled"] and counts["orders.lost"] == 0
    assert counts["orders.open"] == 1000 - counts["orders.completed"] > 900


@pytest.mark.parametrize("shop", [0], indirect=True)
def test_orders_of_a_shop_in_which_nothing_moves_are_lost(shop: int) -> None:
    found = asked(shop, "4")
    assert not found["settled"]
    assert (found["counts"]["orders.open"], found["counts"]["orders.lost"]) == (0, 1000)


@pytest.mark.parametrize("shop", [1000], indirect=True)
def test_a_shop_that_has_done_all_its_work_is_settled_at_once(shop: int) -> None:
    found = asked(shop, "60")
    assert found["settled"] and found["counts"]["orders.open"] == found["counts"]["orders.lost"] == 0
