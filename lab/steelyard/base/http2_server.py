"""An ASGI application served over HTTP/2 without TLS, to clients that know so beforehand, as those of gRPC do."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error

from .asgi import Asgi

MOST_BYTES = 64 * 2**20  # of a request

Fields = Sequence[tuple[bytes, bytes]]


async def serve_http2(app: Asgi, listening: socket.socket) -> None:
    """Serve `app` on a listening socket until this is cancelled; open connections end then."""
    connections: set[_Connection] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(app, connections), sock=listening)
    try:
        await loop.create_future()
    finally:
        server.close()
        for connection in list(connections):
            connection.close()


@dataclass
class _Stream:
    """A request as it arrives, and the task that answers it."""

    fields: Fields
    body: bytearray = field(default_factory=bytearray)
    answering: asyncio.Task[None] | None = None


class _Connection(asyncio.Protocol):
    """A client's connection, with any number of requests at once; it is one of `connections` while it is open."""

    def __init__(self, app: Asgi, connections: set[_Connection]) -> None:
        self._app, self._connections = app, connections
        self._protocol = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        self._streams: dict[int, _Stream] = {}
        self._widened = asyncio.Event()  # set when the client takes more data
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._connections.add(self)
        self._protocol.initiate_connection()
        self._flush()

    def close(self) -> None:
        """End the connection."""
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        try:
            for event in self._protocol.receive_data(data):
                self._take(event)
        except H2Error:
            self._flush()  # tells the client why
            self._transport.close()
            return
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._connections.discard(self)
        for stream in self._streams.values():
            if stream.answering is not None:
                stream.answering.cancel()
        self._streams.clear()

    def _flush(self) -> None:
        self._transport.write(self._protocol.data_to_send())

    def _take(self, event: Event) -> None:
        number = getattr(event, "stream_id", 0) or 0
        stream = self._streams.get(number)
        if isinstance(event, RequestReceived):
            self._streams[number] = _Stream([(bytes(name), bytes(value)) for name, value in event.headers])
        elif isinstance(event, DataReceived) and stream is not None:
            stream.body += event.data or b""
            self._protocol.acknowledge_received_data(event.flow_controlled_length or 0, number)
            if len(stream.body) > MOST_BYTES:
                self._protocol.reset_stream(number, ErrorCodes.ENHANCE_YOUR_CALM)
                del self._streams[number]
        elif isinstance(event, StreamEnded) and stream is not None:
            stream.answering = asyncio.ensure_future(self._answer(number, stream))
        elif isinstance(event, StreamReset) and stream is not None:
            self._streams.pop(number)
            if stream.answering is not None:
                stream.answering.cancel()
        elif isinstance(event, WindowUpdated | RemoteSettingsChanged):
            self._widened.set()
        elif isinstance(event, ConnectionTerminated):
            self._transport.close()

    async def _answer(self, number: int, stream: _Stream) -> None:
        """Let the application answer a request."""
        answer = _Answer(self, number)
        waiting = [{"type": "http.request", "body": bytes(stream.body), "more_body": False}]

        async def receive() -> MutableMapping[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        try:
            await self._app(_scope(stream.fields, self._transport.get_extra_info("sockname")), receive, answer.send)
        except H2Error:
            pass  # the client has reset the stream, or closed the connection
        finally:
            self._streams.pop(number, None)

    def send_fields(self, number: int, fields: Fields, *, ends: bool) -> None:
        """Send the head of an answer, or its trailers."""
        self._protocol.send_headers(number, list(fields), end_stream=ends)
        self._flush()

    async def send_body(self, number: int, body: bytes, *, ends: bool) -> None:
        """Send a body as fast as the client takes it."""
        left = memoryview(body)
        while left:
            room = min(self._protocol.local_flow_control_window(number), self._protocol.max_outbound_frame_size)
            if room <= 0:
                self._widened.clear()
                await self._widened.wait()
                continue
            self._protocol.send_data(number, bytes(left[:room]), end_stream=ends and len(left) <= room)
            self._flush()
            left = left[room:]
        if ends and not body:
            self._protocol.end_stream(number)
            self._flush()


class _Answer:
    """The messages of an application about its answer, as frames."""

    def __init__(self, connection: _Connection, number: int) -> None:
        self._connection, self._number = connection, number
        self._has_trailers = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of the application."""
        kind = message["type"]
        if kind == "http.response.start":
            self._has_trailers = bool(message.get("trailers"))
            head = [(b":status", str(message["status"]).encode()), *message.get("headers", [])]
            self._connection.send_fields(self._number, head, ends=False)
        elif kind == "http.response.body":
            ends = not message.get("more_body", False) and not self._has_trailers
            await self._connection.send_body(self._number, message.get("body", b""), ends=ends)
        elif kind == "http.response.trailers":
            self._connection.send_fields(self._number, message["headers"], ends=True)


def _scope(fields: Fields, server: tuple[str, int]) -> MutableMapping[str, Any]:
    """The ASGI scope of a request, from its header fields."""
    pseudo = {name: value for name, value in fields if name.startswith(b":")}
    path, _, query = pseudo.get(b":path", b"/").partition(b"?")
    return {
        "type": "http",
        "http_version": "2",
        "method": pseudo.get(b":method", b"GET").decode("latin-1"),
        "scheme": pseudo.get(b":scheme", b"http").decode("latin-1"),
        "path": path.decode("latin-1"),
        "raw_path": path,
        "query_string": query,
        "headers": [(name, value) for name, value in fields if not name.startswith(b":")],
        "server": (server[0], server[1]),
    }
