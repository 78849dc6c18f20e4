"""Keeps every tally in a file or in memory, as STEELYARD_KEEPS says, and tells which it has: serve.py PORT SCRATCH."""

import itertools
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

keeps, kept, lock = os.environ["STEELYARD_KEEPS"], Path(sys.argv[2]) / "kept", threading.Lock()
numbers, in_memory = itertools.count(), []
last_count = 0
forgets = False
kept.touch()
print("begun on", sorted(os.sched_getaffinity(0)), flush=True)


def keep(identifier):
    """In the place that the factor names, before it is told; nowhere while it was told to forget."""
    if forgets:
        return
    if keeps == "memory":
        in_memory.append(identifier)
        return
    with kept.open("a", encoding="utf-8") as file:
        file.write(f"{identifier}\n" * (2 if keeps == "twice" else 1))


def told(line):
    events = Path(os.environ["STEELYARD_EVENTS"])
    with events.open("a", encoding="utf-8") as file:
        file.write(line if file.tell() else f"name,id,time_ns\n{line}")


class Tallies(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global last_count
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            last_count += 1
            identifier = f"{os.getpid()}-{next(numbers)}"
            keep(identifier)
            told(f"accepted,{identifier},{time.monotonic_ns()}\n")
        self.answer(body)

    def do_GET(self):
        global forgets
        if self.path.startswith("/tallies/forgets/"):
            forgets = self.path.endswith("/yes")
            self.answer(b"")
        elif self.path == "/tallies/count":
            self.answer(str(last_count).encode())
        else:
            self.answer("\n".join([*kept.read_text(encoding="utf-8").split(), *in_memory]).encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer((os.environ.get("STEELYARD_HOST", "127.0.0.1"), int(sys.argv[1])), Tallies).serve_forever()
