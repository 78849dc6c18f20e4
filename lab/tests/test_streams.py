"""The events of an answer are timed: server-sent ones over HTTP/1.1, and the messages of a gRPC stream over HTTP/2."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
import pytest
from command import steelyard
from serving_grpc import serving
from small_descriptions import import_text, openapi
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload import load_target
from test_import_grpc import SHOP
from test_load_runs import rows_of

BEFORE_FIRST, BETWEEN, EVENTS = 0.03, 0.06, 4
USERS = 8
WORDS = ("--users", str(USERS), "--max-requests", "40", "--warm-up", "0", "--json", "--out", "runs")


class Streaming(BaseHTTPRequestHandler):
    """Sends events with pauses, and what is none between them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        time.sleep(BEFORE_FIRST)
        for number in range(EVENTS):
            if number:
                time.sleep(BETWEEN)
            self.send(f": a comment\n\nid: {number}\n")
            self.send(f"data: {number}\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def send(self, text: str) -> None:
        self.wfile.write(f"{len(text):x}\r\n{text}\r\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def event_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Streaming) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def grpc_server() -> Iterator[str]:
    """A server of Google's library whose streams have pauses between their messages."""

    def stream(_: bytes, context: object) -> Iterator[bytes]:
        del context
        time.sleep(BEFORE_FIRST)
        for number in range(EVENTS):
            time.sleep(BETWEEN if number else 0)
            yield b"\x0a\x01" + str(number).encode()  # an Item with an id

    class Every(grpc.GenericRpcHandler):
        def service(self, _: Any) -> Any:
            return grpc.unary_stream_rpc_method_handler(stream)

    with serving(Every(), USERS) as address:
        yield address


def require_timed(stream: dict[str, Any], name: str) -> None:
    """Assert that the events of an operation were timed as its server sends them, whose pauses may be longer on a busy machine."""
    assert stream["operation"] == name and stream["answers"] == 40
    assert 3 * 40 <= stream["events"] - stream["answers"] <= 3 * (40 + USERS)
    first, between = stream["first_event_ms"]["p50"], stream["between_events_ms"]["p50"]
    assert BEFORE_FIRST * 1000 <= first < BEFORE_FIRST * 3000, stream
    assert BETWEEN * 900 <= between < BETWEEN * 2000, stream


def test_server_sent_events_of_a_description_are_timed(tmp_path: Path) -> None:
    content = "{'200': {description: events, content: {text/event-stream: {schema: {type: string}}}}}"
    with event_server() as address:
        paths = f"  /events:\n    get: {{operationId: watch, responses: {content}}}\n"
        outcome = import_text(openapi(paths, f"[{{url: '{address}'}}]"), tmp_path, "a.yaml")
        assert any("the answers of watch are server-sent events" in note for note in outcome.notes)
        loaded = steelyard("load", "./mine", *WORDS, folder=tmp_path).outcome
        shown = steelyard("load", "./mine", *(word for word in WORDS if word != "--json"), folder=tmp_path)
    assert (loaded["completed"], loaded["failed"]) == (40, 0)
    (stream,) = loaded["streams"]
    require_timed(stream, "watch")
    assert shown.code == 0 and "an event to the next" in shown.out and "the first event" in shown.out, shown.err
    page = (tmp_path / loaded["run"] / "report.html").read_text()
    assert [row[:2] for row in rows_of(page, "<h2>Events in answers")[1:]] == [
        ["watch", "to the first event"],
        ["watch", "from an event to the next"],
    ]


def test_messages_of_a_grpc_stream_are_timed(tmp_path: Path) -> None:
    import_text(SHOP, tmp_path, "shop.proto", "shop.v1.Items")
    with grpc_server() as address:
        words = ("load", "./mine", "--operation", "Watch", "--target", address, *WORDS)
        loaded = steelyard(*words, folder=tmp_path).outcome
    assert (loaded["completed"], loaded["failed"]) == (40, 0), loaded["failure_causes"]
    (stream,) = loaded["streams"]
    require_timed(stream, "Watch")


@pytest.mark.parametrize(
    ("kinds", "events"),
    [
        ("text/event-stream: {}", "event-stream"),
        ("application/json: {}, text/event-stream: {}", None),
        ("text/plain: {}", None),
    ],
)
def test_only_what_is_described_as_events_is_timed(kinds: str, events: str | None, tmp_path: Path) -> None:
    content = f"{{'200': {{description: a, content: {{{kinds}}}}}}}"
    import_text(openapi(f"  /a:\n    get: {{operationId: see, responses: {content}}}\n"), tmp_path, "a.yaml")
    target = load_target.of_service(entries.service_at(str(tmp_path / "mine")), 1, Expect())
    assert target.operations["see"].rule().events == events
