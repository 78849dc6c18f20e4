"""The proxy: an ASGI application that forwards each request, records it with its answer, and limits its clients."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus

from ...base.asgi import Receive, Scope, Send
from ...base.errors import NoAnswerError
from ...base.loopback_server import whole_body
from .event_stream import EventStream
from .recorded_server import MOST_BYTES, PassedAnswer, PassedRequest, RecordedServer
from .remembering import Remembered

MOST_AT_ONCE = 16
CLIENT_SECONDS = 30.0  # to receive a request's body, and to send an answer
_PIECE_BYTES = 64 * 2**10
_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_DESCRIPTION = re.compile(r"(?i)[^?]*\?(single)?(wsdl|xsd)\b")


def asks_for_a_description(path: str) -> bool:
    """Whether a path with its query requests a WSDL or its schema."""
    return _DESCRIPTION.match(path) is not None


class RecordingProxy:
    """Forwards requests to `server` only, within the concurrency and rate that its service file allows.

    `own` is the proxy's address; it replaces the server's address in redirects and descriptions.
    """

    def __init__(self, server: RecordedServer, remembered: Remembered, own: str) -> None:
        self._server = server
        self._remembered = remembered
        self._own = own
        self._places = asyncio.Semaphore(MOST_AT_ONCE)
        self._next_turn = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with the server's answer."""
        if scope["type"] != "http":
            return
        async with self._places:
            with suppress(TimeoutError):  # a client that reads too slowly is dropped
                answer = await self._answer(scope, receive, send)
                if answer is not None:
                    async with asyncio.timeout(CLIENT_SECONDS):
                        await _send(answer, scope["method"], send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> PassedAnswer | None:
        """The answer to send; None if it was already sent while it arrived."""
        path = scope["raw_path"].decode("latin-1")
        if scope["query_string"]:
            path += f"?{scope['query_string'].decode('latin-1')}"
        if not path.startswith("/"):
            return _plain(HTTPStatus.BAD_REQUEST, "this proxy serves one server: send requests as to that server")
        try:
            async with asyncio.timeout(CLIENT_SECONDS):
                body = await whole_body(receive, MOST_BYTES)
        except TimeoutError:
            return _plain(HTTPStatus.REQUEST_TIMEOUT, f"the request was not complete within {CLIENT_SECONDS:g} s")
        if body is None:
            return _plain(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is incomplete or larger than {MOST_BYTES >> 20} MiB"
            )
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        request = PassedRequest(scope["method"], path, headers, body)
        await self._wait_for_turn()
        events = EventStream()
        asking = asyncio.ensure_future(_in_a_thread(self._server, request, events))
        if await events.has_begun(asking):
            self._remembered.add(request, await events.pass_on(asking, receive, send))
            asking.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # its outcome is not needed
            return None
        try:
            answer = await asking
        except NoAnswerError as error:
            self._remembered.failed[error.message] += 1
            return _plain(HTTPStatus.BAD_GATEWAY, f"{self._server.address}: {error.message}")
        self._remembered.add(request, answer)
        return self._with_own_address(request, answer)

    async def _wait_for_turn(self) -> None:
        if self._server.max_rate is None:
            return
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next_turn)
        self._next_turn = turn + 1 / self._server.max_rate
        await asyncio.sleep(turn - now)

    def _with_own_address(self, request: PassedRequest, answer: PassedAnswer) -> PassedAnswer:
        """The answer with the proxy's address in place of the server's in redirects and descriptions."""
        headers, body = list(answer.headers), answer.body
        for spelling in self._server.spellings():
            headers = [
                (name, self._own + value.removeprefix(spelling))
                if name.lower() == "location" and re.match(re.escape(spelling) + r"(?=[/?#]|$)", value)
                else (name, value)
                for name, value in headers
            ]
            if asks_for_a_description(request.path):
                body = re.sub(re.escape(spelling).encode() + rb"(?=[/?#\"'<])", self._own.encode(), body)
        return PassedAnswer(answer.status, headers, body)


async def _in_a_thread(server: RecordedServer, request: PassedRequest, events: EventStream) -> PassedAnswer:
    """Call a server in a daemon thread, so that a pending call does not delay the proxy's end. Raises NoAnswerError."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[PassedAnswer] = loop.create_future()

    def deliver(answer: PassedAnswer | None, error: Exception | None) -> None:
        if answered.done():  # the caller no longer waits
            return
        if answer is not None:
            answered.set_result(answer)
        else:
            answered.set_exception(error or NoAnswerError("no answer"))

    def ask() -> None:
        answer, failure = None, None
        try:
            answer = server.answer(request, events.on_head)
        except (
            Exception
        ) as error:  # raised where the answer is awaited: a caller that waits for nothing would never end
            failure = error
        with suppress(RuntimeError):  # the proxy has ended
            loop.call_soon_threadsafe(deliver, answer, failure)

    threading.Thread(target=ask, daemon=True).start()
    return await answered


async def _send(answer: PassedAnswer, method: str, send: Send) -> None:
    """Send an answer in pieces, so that a client that does not read holds at most one of them in memory."""
    bodiless = method == "HEAD" or answer.status in _BODILESS
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in answer.headers
        if bodiless or name.lower() != "content-length"
    ]
    if not bodiless:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    for piece in [] if bodiless else _pieces(answer.body):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _pieces(body: bytes) -> Sequence[bytes]:
    return [body[begin : begin + _PIECE_BYTES] for begin in range(0, len(body), _PIECE_BYTES)]


def _plain(status: HTTPStatus, text: str) -> PassedAnswer:
    return PassedAnswer(int(status), [("content-type", "text/plain; charset=utf-8")], text.encode())
