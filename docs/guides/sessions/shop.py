"""A small shop with log-in, for the guide of sessions: `python3 shop.py PORT`, and Ctrl-C ends it.

A user logs in, and sends the token that the answer holds. A token expires after ten seconds. Every cart has a form token that is
good for one request. The shop counts orders, and requests that break these rules.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

TOKEN_SECONDS = 10
Answer = tuple[int, dict[str, object]]


class Shop:
    """The state of the shop: tokens with their user and age, form tokens, carts, and counts."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.tokens: dict[str, tuple[str, float]] = {}
        self.forms: dict[str, str] = {}
        self.carts: dict[str, list[str]] = {}
        self.counts = {"logins": 0, "expired": 0, "orders": 0, "violations": 0}

    def answer(self, method: str, target: str, token: str, body: str) -> Answer:
        """The status and the JSON of an answer to a request."""
        path = urlsplit(target).path
        if (method, path) == ("POST", "/login"):
            return self.log_in(json.loads(body))
        if token not in self.tokens:
            return self.violation("log in first")
        user, since = self.tokens[token]
        if time.monotonic() - since > TOKEN_SECONDS:
            self.counts["expired"] += 1
            return 401, {"error": "the token has expired"}
        fields = parse_qs(body)
        pages = {
            ("GET", "/cart"): lambda: self.cart(user),
            ("POST", "/items"): lambda: self.add(user, fields.get("form", [""])[0], fields.get("item", [""])[0]),
            ("POST", "/orders"): lambda: self.order(user),
        }
        page = pages.get((method, path))
        return page() if page else (404, {"error": "there is no such page"})

    def violation(self, error: str) -> Answer:
        """The answer to a request that breaks a rule."""
        self.counts["violations"] += 1
        return 403, {"error": error}

    def log_in(self, fields: dict[str, str]) -> Answer:
        """A token for a user whose password is right."""
        if fields.get("password") != f"password of {fields.get('user')}":
            return self.violation("the password is wrong")
        token = secrets.token_hex(8)
        self.tokens[token] = fields["user"], time.monotonic()
        self.counts["logins"] += 1
        return 200, {"token": token}

    def cart(self, user: str) -> Answer:
        """The user's cart, with a form token."""
        form = secrets.token_hex(8)
        self.forms[form] = user
        return 200, {"form": form, "items": self.carts.setdefault(user, [])}

    def add(self, user: str, form: str, item: str) -> Answer:
        """Put an item into the cart; the form token must be the user's, and new."""
        if self.forms.pop(form, None) != user:
            return self.violation("the form was sent before, or is not yours")
        self.carts.setdefault(user, []).append(item)
        return 201, {"items": len(self.carts[user])}

    def order(self, user: str) -> Answer:
        """Order the cart, which must hold what the user put there."""
        items = self.carts.pop(user, [])
        if items != [f"book of {user}"]:
            return self.violation(f"the cart holds {items}")
        self.counts["orders"] += 1
        return 200, {"order": self.counts["orders"], "items": items}


class Handler(BaseHTTPRequestHandler):
    """Reads a request, and writes its answer as JSON."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    shop = Shop()

    def respond(self) -> None:
        """Answer one request."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with self.shop.lock:
            status, content = self.shop.answer(self.command, self.path, token, body)
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = respond  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Write no line per request."""


class Server(ThreadingHTTPServer):
    """A server that a thousand users may connect to at once."""

    request_queue_size = 1000


def main(port: int) -> None:
    """Serve until Ctrl-C, then print the counts."""
    with Server(("127.0.0.1", port), Handler) as server:
        print(f"the shop is open: http://127.0.0.1:{server.server_address[1]}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(json.dumps(Handler.shop.counts))


if __name__ == "__main__":
    main(int(sys.argv[1]))
