"""A real HTTP server on loopback that answers as a test says."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, dict[str, str], bytes]  # status, header fields and content
Answer = Callable[[BaseHTTPRequestHandler, bytes], Reply]  # given the request and its body
POLL_SECONDS = 0.01  # until a server that is to end looks up


@contextmanager
def answering(answer: Answer, secure: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a server, without a path; with `secure` it speaks TLS."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, content = answer(self, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if secure is not None:
            server.socket = secure.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": POLL_SECONDS})
        thread.start()
        try:
            yield f"http{'' if secure is None else 's'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
