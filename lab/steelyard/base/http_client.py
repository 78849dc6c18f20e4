"""A kept-alive HTTP connection for Steelyard's own requests. Each answer has a deadline and a maximum size."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import NoAnswerError

ANSWER_SECONDS = 30.0
ANSWER_BYTES = 64 * 2**20  # the largest answer of a contract has a hundredth of that
_BUFFER_BYTES = 2**16
OnHead = Callable[[int, Sequence[tuple[str, str]]], Callable[[bytes], None] | None]
_GZIP_OR_DEFLATE = zlib.MAX_WBITS + 32  # zlib detects the format with this value


def trusted_context(authority: Path | None) -> ssl.SSLContext | None:
    """The TLS context that trusts the certificate in this PEM file. None for None: the system's roots decide.

    Raises NoAnswerError where the file contains no certificate.
    """
    if authority is None:
        return None
    try:
        return ssl.create_default_context(cafile=authority)
    except OSError as error:  # ssl.SSLError is one
        raise NoAnswerError(f"{authority} contains no certificate: {error}") from None


@dataclass(frozen=True)
class Access:
    """Credentials for a server: headers for every request, and over TLS a trusted certificate (a PEM file).

    None: one that the system's roots signed.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    authority: Path | None = None


PLAIN = Access()


@dataclass(frozen=True)
class Answer:
    """An HTTP answer: status, whole body, and header fields in order."""

    status: int
    body: bytes
    fields: Sequence[tuple[str, str]] = ()

    def values_of(self, name: str) -> list[str]:
        """The values of all fields with a name."""
        return [value for own, value in self.fields if own.lower() == name.lower()]

    def unpack(self) -> bytes:
        """The body after decompression (gzip or deflate). Raises NoAnswerError where that fails."""
        codings = self.values_of("Content-Encoding")
        if codings in ([], ["identity"]):
            return self.body
        if codings not in (["gzip"], ["x-gzip"], ["deflate"]):
            raise NoAnswerError(f"the answer has the unknown content encoding {', '.join(codings)[:60]}")
        unpacking = zlib.decompressobj(_GZIP_OR_DEFLATE)
        try:
            body = unpacking.decompress(self.body, ANSWER_BYTES)
        except zlib.error:
            body = b""
        if not unpacking.eof:
            raise NoAnswerError(f"the compressed answer is damaged, or larger than {ANSWER_BYTES:,} bytes")
        return body


class AnswerBounds:
    """The limits of one answer: `seconds` from now and `most_bytes`. Raises NoAnswerError where one is exceeded."""

    def __init__(self, seconds: float, most_bytes: int) -> None:
        self._seconds, self._most_bytes = seconds, most_bytes
        self._end, self._bytes_left = time.monotonic() + seconds, most_bytes

    def seconds_left(self) -> float:
        """The remaining time, for the next operation on the socket."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.late_error()
        return left

    def take(self, count: int) -> None:
        """Count received bytes."""
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise NoAnswerError(f"the answer is larger than {self._most_bytes:,} bytes")

    def late_error(self) -> NoAnswerError:
        """The error for an answer that is not complete in time."""
        return NoAnswerError(f"no answer within {self._seconds:g} s")


class HttpClient:
    """A connection to a server's URL, opened again where the server closed it, unless `once`.

    `seconds` and `most_bytes` limit one whole answer, with its header. `context` verifies the server's certificate;
    None: the system's roots do. With `addresses` (IP), the first that accepts a connection is used, and the host name
    is not resolved.
    """

    def __init__(
        self,
        url: str,
        seconds: float = ANSWER_SECONDS,
        *,
        most_bytes: int = ANSWER_BYTES,
        once: bool = False,
        context: ssl.SSLContext | None = None,
        addresses: Sequence[str] = (),
    ) -> None:
        place = urlsplit(url)
        self._path = place.path + (f"?{place.query}" if place.query else "")
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._attempts = 1 if once else 2
        host, secure = place.hostname or "", place.scheme == "https"
        self._connection: _Bounded = (
            _SecureConnection(host, place.port, timeout=seconds, context=context)
            if secure
            else _PlainConnection(host, place.port, timeout=seconds)
        )
        self._connection.addresses = addresses
        if once:
            try:
                self._connection.connect()
            except OSError as error:
                raise NoAnswerError(f"no connection: {error}") from None
            self._connection.auto_open = 0

    def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """The answer to one POST. Raises NoAnswerError where no complete answer arrives in time."""
        return self.ask("POST", self._path, body, headers)

    def get(self, headers: Mapping[str, str]) -> Answer:
        """The answer to one GET. Raises NoAnswerError where no complete answer arrives in time."""
        return self.ask("GET", self._path, None, headers)

    def ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], on_head: OnHead | None = None
    ) -> Answer:
        """The answer to one request, for the URL's own path where `path` is empty.

        `on_head` is called with the answer's status and fields before its body comes; where it returns a function, that is
        called with each piece of the body as it arrives. Raises NoAnswerError as the others do.
        """
        bounds = self._connection.bounds = AnswerBounds(self._seconds, self._most_bytes)
        for attempt in range(1, self._attempts + 1):
            try:
                self._connection.request(method, path or self._path, body, dict(headers))
                return self._whole_answer(self._connection.getresponse(), on_head)
            except TimeoutError:
                self.close()
                raise bounds.late_error() from None
            except NoAnswerError:
                self.close()
                raise
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.close()
                if isinstance(error, http.client.NotConnected):
                    raise NoAnswerError("the server had announced that it would close the connection") from None
                if attempt == self._attempts or not isinstance(
                    error, OSError
                ):  # only a closed connection is worth a retry
                    raise NoAnswerError(f"no answer: {_words(error)}") from None
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _whole_answer(self, answer: http.client.HTTPResponse, on_head: OnHead | None) -> Answer:
        on_piece = None if on_head is None else on_head(answer.status, answer.getheaders())
        if on_piece is None:
            body = answer.read(self._most_bytes)  # never `read()`: it allocates whatever length was announced
        else:
            pieces = []
            while piece := answer.read1(_BUFFER_BYTES):
                on_piece(piece)
                pieces.append(piece)
            body = b"".join(pieces)
        if answer.length:
            raise http.client.IncompleteRead(body, answer.length)
        return Answer(answer.status, body, answer.getheaders())


class _Bounded(http.client.HTTPConnection):
    """The standard library's connection on a socket whose reads and writes are all limited."""

    bounds = AnswerBounds(float("inf"), ANSWER_BYTES)
    addresses: Sequence[str] = ()

    def __init__(self, *place: Any, **settings: Any) -> None:
        super().__init__(*place, **settings)
        self._create_connection = self._open_socket  # the standard library calls this to open its socket

    def _open_socket(self, place: tuple[str, int], *settings: Any) -> socket.socket:
        """A socket to the host, or to the first of its known addresses that accepts a connection."""
        failed: OSError = OSError("the host has no address")
        for address in self.addresses or (place[0],):
            try:
                return socket.create_connection((address, place[1]), *settings)
            except OSError as error:
                failed = error
        raise failed

    def send(self, data: object) -> None:
        if self.sock is None and self.auto_open:
            self.timeout = self.bounds.seconds_left()
            self.connect()
        if self.sock is not None:
            self.sock.settimeout(self.bounds.seconds_left())
        super().send(data)  # type: ignore[arg-type]

    def response_class(self, sock: socket.socket, **settings: object) -> http.client.HTTPResponse:  # type: ignore[override]
        return http.client.HTTPResponse(_Reading(sock, self.bounds), **settings)  # type: ignore[arg-type]


class _PlainConnection(_Bounded):
    """HTTP over TCP."""


class _SecureConnection(_Bounded, http.client.HTTPSConnection):
    """HTTP over TLS."""


class _Reading:
    """HTTPResponse calls this for a file to read from."""

    def __init__(self, sock: socket.socket, bounds: AnswerBounds) -> None:
        self._raw = _BoundedReads(sock, bounds)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._raw, _BUFFER_BYTES)


class _BoundedReads(io.RawIOBase):
    """Reads from a socket within the time and size of one answer."""

    def __init__(self, sock: socket.socket, bounds: AnswerBounds) -> None:
        self._file = sock.makefile("rb", buffering=0)  # keeps the socket open until this object is closed
        self._sock = sock
        self._bounds = bounds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._bounds.seconds_left())
        count = self._file.readinto(buffer) or 0
        self._bounds.take(count)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def _words(error: Exception) -> str:
    if isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
        return f"the answer is not HTTP: {error.args[0][:60]!r}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return f"{error}"[:200] or type(error).__name__
