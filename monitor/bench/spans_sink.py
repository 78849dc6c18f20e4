"""A receiver of OpenTelemetry's spans on this machine (OTLP over HTTP), which counts them and drops them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ADDRESS = "127.0.0.1"


class SpansSink:
    """Takes spans at http://127.0.0.1:PORT/v1/traces while its context lasts."""

    def __init__(self) -> None:
        messages: list[bytes] = []
        self._messages = messages
        self._counted = 0

        class Take(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                messages.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer((ADDRESS, 0), Take)
        self.port = self._server.server_address[1]

    @property
    def spans(self) -> int:
        """How many came so far: what came is looked into when asked, since that takes a processor."""
        while self._messages:
            told = ExportTraceServiceRequest.FromString(self._messages.pop())
            self._counted += sum(len(scope.spans) for one in told.resource_spans for scope in one.scope_spans)
        return self._counted

    def __enter__(self) -> SpansSink:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
