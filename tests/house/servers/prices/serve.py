"""The services prices (JSON) and page (HTML) in Python for the tests of Steelyard: right, right otherwise, or wrong.

    serve.py PORT SERVICE MODE

`otherwise` answers correctly in another spelling; `wrong` with another value, `type` with a value of another type; `wrong-later`
does so only after LATER requests, and leaves the text that the engine looks for.
"""

import json
import os
import signal
import sys
import threading
import time
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

LATER = 60  # more than the contract test asks
MOST_BYTES = 1_000_000
MOST_BUSY_MICROSECONDS = 1_000_000

served = 0
lock = threading.Lock()


def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def quote(body, mode):
    asked = json.loads(body.decode(), object_pairs_hook=unique)
    thing, pieces, price = asked["thing"], asked["pieces"], asked["price"]
    if not isinstance(thing, str) or type(pieces) is not int or isinstance(price, bool | str):
        raise ValueError("a value has another type")
    answer = {
        "thing": thing,
        "pieces": pieces,
        "total": pieces * price,
        "discounted": pieces > 50,
        "notes": [f"{pieces}/{thing}", "née à côté ☃"],
    }
    if mode == "wrong":
        answer["total"] += 1
    if mode == "type":
        answer["pieces"] = str(pieces)
    if mode == "otherwise":
        return json.dumps(dict(reversed(answer.items())), indent=4, ensure_ascii=False).encode()
    return json.dumps(answer).encode()


def search(body, mode):
    asked = parse_qs(body.decode(), strict_parsing=True)
    words, rows = asked["words"][0], int(asked["rows"][0])
    links = [(f"/thing/{row}", f"{words} {row}") for row in range(rows)]
    if mode == "wrong":
        links[-1] = (links[-1][0], f"{words} {rows}")
    if mode == "otherwise":
        listed = "".join(f"<TR>\n <TD id=r><a class=x href={to}>\n{escape(text)}</a>" for to, text in links)
        return f'<!DOCTYPE html><title>x</title><h1 id="a">Found for {escape(words)}</h1><table id=f class=found>{listed}'.encode()
    listed = "".join(f'<tr><td><a href="{to}" class="x">{escape(text)}</a></td></tr>' for to, text in links)
    table = f'<table class="found" id="f">{listed}</table>'
    return f"<!DOCTYPE html><html><body><h1>Found for {escape(words)}</h1>{table}</body></html>".encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(200, str(served).encode(), "text/plain")

    def do_POST(self):
        global served
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        with lock:
            served += 1
            mode = MODE if MODE != "wrong-later" else "wrong" if served > LATER else "right"
        microseconds = float(self.headers.get("Steelyard-Busy-Us", 0))
        if length > MOST_BYTES or not 0 <= microseconds <= MOST_BUSY_MICROSECONDS:
            return self.send(400, b"too much", "text/plain")
        end = time.thread_time() + microseconds / 1e6
        while time.thread_time() < end:
            pass
        try:
            return self.send(200, ANSWER(body, mode), KIND)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            return self.send(400, type(error).__name__.encode(), "text/plain")

    def send(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


PORT, MODE = int(sys.argv[1]), sys.argv[3]
KIND, ANSWER = {"prices": ("application/json", quote), "page": ("text/html; charset=utf-8", search)}[sys.argv[2]]
server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
server.daemon_threads = True
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
server.serve_forever()
