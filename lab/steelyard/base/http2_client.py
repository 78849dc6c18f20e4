"""A kept-alive HTTP/2 connection for Steelyard's own requests, with the same limits as over HTTP/1.1."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)
from h2.exceptions import H2Error

from .errors import NoAnswerError
from .http_client import ANSWER_BYTES, ANSWER_SECONDS, Answer, AnswerBounds

_ALPN = "h2"  # RFC 9113, section 3.2
_READ_BYTES = 2**16
_ENDS = (StreamEnded, StreamReset, ConnectionTerminated)
_PSEUDO = (":method", ":scheme", ":authority", ":path")


class Http2Client:
    """`HttpClient` over HTTP/2, negotiated by TLS (ALPN), or by prior knowledge without TLS.

    Trailers follow the header fields of an answer.
    """

    def __init__(
        self,
        url: str,
        seconds: float = ANSWER_SECONDS,
        *,
        most_bytes: int = ANSWER_BYTES,
        once: bool = False,
        context: ssl.SSLContext | None = None,
    ) -> None:
        place = urlsplit(url)
        self._scheme, self._context = place.scheme, None
        if self._scheme == "https":
            self._context = context or ssl.create_default_context()
            self._context.set_alpn_protocols([_ALPN])
        self._host, self._port, self._path = (
            place.hostname or "",
            place.port or (443 if self._context else 80),
            place.path,
        )
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._once = once
        self._open: _Http2Connection | None = None
        if once:
            try:
                self._open = _Http2Connection(self._host, self._port, seconds, self._context)
            except OSError as error:
                raise NoAnswerError(f"no connection: {error}") from None

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """The answer to one request, for the URL's own path where `path` is empty.

        Raises NoAnswerError as `HttpClient` does.
        """
        bounds = AnswerBounds(self._seconds, self._most_bytes)
        kept = self._open is not None
        try:
            return self._exchange(bounds, method, path, body, headers)
        except _ClosedError:
            if not kept or self._once:
                raise
        return self._exchange(bounds, method, path, body, headers)  # retry only a connection closed meanwhile

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def _exchange(
        self, bounds: AnswerBounds, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        first = dict(
            zip(_PSEUDO, (method, self._scheme, f"{self._host}:{self._port}", path or self._path), strict=True)
        )
        fields = [*first.items(), *((name.lower(), value) for name, value in headers.items())]
        try:
            if self._open is None:
                if self._once:
                    raise _ClosedError("no answer: the connection was closed")
                self._open = _Http2Connection(self._host, self._port, self._seconds, self._context)
            return self._open.exchange(fields, body or b"", bounds)
        except NoAnswerError:
            self.close()
            raise
        except TimeoutError:
            self.close()
            raise bounds.late_error() from None
        except (ConnectionError, BrokenPipeError) as error:
            self.close()
            raise _ClosedError(f"no answer: {error}") from None
        except (OSError, H2Error, ValueError) as error:
            self.close()
            raise NoAnswerError(f"no answer by HTTP/2: {error}"[:250]) from None


class _ClosedError(NoAnswerError):
    """The server closed the connection before it answered."""


class _Http2Connection:
    """An open connection and its protocol state."""

    def __init__(self, host: str, port: int, seconds: float, context: ssl.SSLContext | None) -> None:
        self._socket = _connect(host, port, seconds, context)
        self._protocol = H2Connection(H2Configuration(header_encoding="utf-8"))
        self._protocol.initiate_connection()

    def exchange(self, fields: list[tuple[str, str]], body: bytes, bounds: AnswerBounds) -> Answer:
        """The answer to one request. Raises the errors of sockets, h2 and `_answer`."""
        events: list[Event] = []
        self._protocol.send_headers(
            stream := self._protocol.get_next_available_stream_id(), fields, end_stream=not body
        )
        left = memoryview(body)
        while left and not any(isinstance(event, _ENDS) for event in events):
            room = min(
                self._protocol.local_flow_control_window(stream), self._protocol.max_outbound_frame_size, len(left)
            )
            if room:
                self._protocol.send_data(stream, bytes(left[:room]), end_stream=room == len(left))
                left = left[room:]
                self._send(bounds)
            else:
                events += self._receive_events(bounds)
        self._send(bounds)
        return self._answer(stream, events, bounds)

    def close(self) -> None:
        self._socket.close()

    def _answer(self, stream: int, events: list[Event], bounds: AnswerBounds) -> Answer:
        """The events of a stream until it ends. Raises NoAnswerError where they are no answer."""
        head: list[tuple[str, str]] = []
        behind: list[tuple[str, str]] = []
        body = bytearray()
        while True:
            for event in events:
                if isinstance(event, ConnectionTerminated):
                    raise _ClosedError(f"no answer: the server closed the connection (error {event.error_code})")
                if getattr(event, "stream_id", None) != stream:
                    continue
                if isinstance(event, ResponseReceived):
                    head = _texts(event.headers)
                elif isinstance(event, TrailersReceived):
                    behind = _texts(event.headers)
                elif isinstance(event, DataReceived):
                    bounds.take(len(event.data or b""))
                    body += event.data or b""
                    self._protocol.acknowledge_received_data(event.flow_controlled_length or 0, stream)
                elif isinstance(event, StreamReset):
                    raise NoAnswerError(f"no answer: the request was reset (error {event.error_code})")
                elif isinstance(event, StreamEnded):
                    status = next((value for name, value in head if name == ":status"), "")
                    return Answer(int(status), bytes(body), [*head, *behind])
            self._send(bounds)
            events = self._receive_events(bounds)

    def _send(self, bounds: AnswerBounds) -> None:
        self._socket.settimeout(bounds.seconds_left())
        self._socket.sendall(self._protocol.data_to_send())

    def _receive_events(self, bounds: AnswerBounds) -> list[Event]:
        self._socket.settimeout(bounds.seconds_left())
        received = self._socket.recv(_READ_BYTES)
        if not received:
            raise ConnectionResetError("the server closed the connection")
        return list(self._protocol.receive_data(received))


def _connect(host: str, port: int, seconds: float, context: ssl.SSLContext | None) -> socket.socket:
    """A connected socket for HTTP/2. Raises OSError."""
    plain = socket.create_connection((host, port), timeout=seconds)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if context is None:
        return plain
    try:
        secure = context.wrap_socket(plain, server_hostname=host)
    except OSError:
        plain.close()
        raise
    if secure.selected_alpn_protocol() != _ALPN:
        secure.close()
        raise OSError("the server does not support HTTP/2")
    return secure


def _texts(fields: object) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in fields]  # type: ignore[attr-defined]  # h2 has pairs
