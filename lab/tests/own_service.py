"""A service of the user's own that says how it is started, and counts what it was asked; and a server that runs."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from answering import Reply, answering

SERVER = """\
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served = 0
    def do_GET(self):
        self.answer(str(Answer.served).encode())
    def do_POST(self):
        Answer.served += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(float(sys.argv[2]))
        self.answer(b"ok")
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *said):
        pass
with open("starts", "a") as starts:
    starts.write("started\\n")
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


def service(folder: Path, name: str, seconds: float, **more: object) -> Path:
    """A service folder of the user's own that says how it is started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    made = folder / name
    made.mkdir()
    (made / "serve.py").write_text(SERVER)
    (made / "order.json").write_text("{}")
    start = [sys.executable, "serve.py", str(port), str(seconds)]
    said = {
        "name": name,
        "title": name,
        "meaning": "json",
        "path": "/",
        "target": f"http://127.0.0.1:{port}",
        "start": start,
    }
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in {**said, **more}.items())
    text += '[operations.order]\nmeaning = "an order"\nsample = "order.json"\n'
    (made / "service.toml").write_text(text)
    return made


@contextmanager
def serving(seconds: float) -> Iterator[str]:
    """The address of a server whose answers take so long."""

    def answer(*_: object) -> Reply:
        time.sleep(seconds)
        return 200, {}, b"ok"

    with answering(answer) as address:
        yield f"{address}/"
