"""The application refuses and counts as the contract says: make test-python-services."""

import asyncio
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

sys.path.append(str(Path(__file__).parents[2] / "common" / "python"))

from counting import SharedCount
from shop.application import app

HEADERS = {"content-type": "application/json"}


@pytest.fixture(autouse=True)
def counts(tmp_path):
    """A worker that has no database."""
    app.state.requests, app.state.accepted = SharedCount(tmp_path), SharedCount(tmp_path, "accepted")
    app.state.database = None


def ask(method, path, body=b"", **headers):
    """The status and the body of an answer."""
    parts = urlsplit(path)
    sent = {**HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "root_path": "",
        "method": method, "path": parts.path, "raw_path": parts.path.encode(), "query_string": parts.query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }  # fmt: skip
    events = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event):
        events.append(event)

    asyncio.run(app(scope, receive, send))
    return events[0]["status"], b"".join(event.get("body", b"") for event in events[1:])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/shop/items/0", b""),
        ("GET", "/shop/items/-1", b""),
        ("GET", "/shop/items/1.0", b""),
        ("GET", "/shop/items/9223372036854775808", b""),
        ("GET", f"/shop/items/{'9' * 5000}", b""),
        ("GET", "/shop/items?ids=", b""),
        ("GET", "/shop/items?ids=1,,2", b""),
        ("GET", f"/shop/items?ids={'1,' * 100}1", b""),
        ("GET", "/shop/search", b""),
        ("GET", "/shop/search?q=%00", b""),
        ("GET", "/shop/orders/x", b""),
        ("POST", "/shop/orders", b'{"customer": "c", "lines": [{"item": 1, "quantity": 1.5}]}'),
        ("POST", "/shop/orders", b'{"customer": "c", "lines": [{"item": "1", "quantity": 1}]}'),
        ("POST", "/shop/echo", b"[1]"),
        ("POST", "/shop/echo", b"not JSON"),
        ("POST", "/shop/echo", b""),
    ],
)
def test_an_invalid_request_is_refused_before_the_database(method, path, body):
    status, answer = ask(method, path, body)
    assert (status, json.loads(answer)) == (400, {"error": "not valid"})


@pytest.mark.parametrize("body", [b'{"\xff": 1}', b"[" * 100_000, b"{} {}"])
def test_a_body_that_cannot_be_read_is_the_clients_fault(body):
    assert 400 <= ask("POST", "/shop/echo", body)[0] < 500


def test_requests_of_operations_are_counted_and_no_others():
    ask("GET", "/shop/static")
    ask("POST", "/shop/echo", b"not JSON")
    ask("GET", "/shop/items/x")
    ask("GET", "/shop/accepted")
    ask("GET", "/elsewhere")
    assert ask("GET", "/shop/count") == (200, b"3")
    assert ask("GET", "/shop/accepted") == (200, b"0")


@pytest.mark.parametrize("asked", ["1000000.5", "-1", "NaN", "1e3", ""])
def test_a_request_keeps_the_processor_busy_for_a_second_at_most(asked):
    assert ask("GET", "/shop/static", steelyard_busy_us="1.8")[0] == 200
    assert ask("GET", "/shop/static", steelyard_busy_us=asked)[0] == 400
