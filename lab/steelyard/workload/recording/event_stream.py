"""An answer that is passed on while it arrives: server-sent events, which a client waits for one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ...base.asgi import Receive, Send
from .recorded_server import PassedAnswer, passed_fields

_EVENTS = "text/event-stream"


class EventStream:
    """Passes pieces from the thread that asks the server to the client, in the loop that was running when it was made."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._begun = asyncio.Event()
        self._arrived: list[bytes] = []
        self._head: tuple[int, list[tuple[str, str]]] = (200, [])
        self._client_gone = False

    def on_head(self, status: int, fields: Sequence[tuple[str, str]]) -> Callable[[bytes], None] | None:
        """Take the pieces of an answer of events; leave any other answer whole. It is called in the asking thread."""
        kinds = [value for name, value in fields if name.lower() == "content-type"]
        if not kinds or not kinds[0].strip().lower().startswith(_EVENTS):
            return None
        self._head = status, passed_fields(fields)
        self._call(self._begun.set)
        return self._take

    def _take(self, piece: bytes) -> None:
        if self._client_gone:
            raise ConnectionAbortedError("the client has gone")
        self._arrived.append(piece)
        self._call(self._pieces.put_nowait, piece)

    def _call(self, function: Callable[..., None], *words: bytes) -> None:
        with suppress(RuntimeError):  # the proxy has ended
            self._loop.call_soon_threadsafe(function, *words)

    async def has_begun(self, whole: asyncio.Future[PassedAnswer]) -> bool:
        """Wait until the answer turns out to be one of events, or is there `whole`."""
        waiting = asyncio.ensure_future(self._begun.wait())
        either: set[asyncio.Future[Any]] = {waiting, whole}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return self._begun.is_set()

    async def pass_on(self, whole: asyncio.Future[PassedAnswer], receive: Receive, send: Send) -> PassedAnswer:
        """Send each piece as it arrives, until the server ends or the client leaves; the answer as far as it came."""
        whole.add_done_callback(lambda _: self._pieces.put_nowait(None))
        gone = asyncio.ensure_future(_disconnect(receive))
        gone.add_done_callback(lambda _: self._pieces.put_nowait(None))
        status, fields = self._head
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        while (piece := await self._pieces.get()) is not None:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        self._client_gone = gone.done()
        gone.cancel()
        await send({"type": "http.response.body", "body": b""})
        return PassedAnswer(status, fields, b"".join(self._arrived))


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
