"""A loopback port, and an ASGI application served on it until it is interrupted."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from .asgi import Asgi, Receive
from .errors import ConfigurationError
from .paths import HOST


@contextmanager
def listening_on(port: int) -> Iterator[tuple[socket.socket, int]]:
    """A socket that listens on 127.0.0.1, and its port (`port` 0: a free one).

    Raises ConfigurationError where the port is in use.
    """
    # asyncio sets TCP_NODELAY on connections only where the socket names its protocol; without it, answers wait for 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise ConfigurationError(
                f"port {port} is not available: {error.strerror}", hint="use --port 0 for a free one"
            ) from None
        listening.listen(1024)
        yield listening, int(listening.getsockname()[1])


def serve_until_interrupted(
    app: Asgi,
    listening: socket.socket,
    seconds: float | None = None,
    certificate: tuple[Path, Path] | None = None,
) -> None:
    """Serve `app` until it is interrupted, or for this many seconds.

    Open requests then have one more second. With `certificate` and key files, it is served over TLS.
    """
    import asyncio

    import uvicorn  # imported late, so that other commands start faster

    shown, key = certificate or (None, None)
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,  # no access log: addresses may hold secrets
        server_header=False,
        timeout_keep_alive=75,  # keep connections open while a user pauses
        timeout_graceful_shutdown=1,  # live pages never close by themselves
        ssl_certfile=shown,
        ssl_keyfile=key,
    )
    server = uvicorn.Server(config)

    async def serve() -> None:
        if seconds is not None:
            asyncio.get_running_loop().call_later(seconds, setattr, server, "should_exit", True)
        await server.serve(sockets=[listening])

    # uvicorn handles the other signals itself. An exception out of a handler is lost where it hits a callback of the interpreter.
    with suppress(KeyboardInterrupt), _signals_call(lambda: setattr(server, "should_exit", True), signal.SIGHUP):
        asyncio.run(serve())


def serve_http2_until_interrupted(app: Asgi, listening: socket.socket, seconds: float | None = None) -> None:
    """Serve `app` over HTTP/2 until it is interrupted, or for this many seconds."""
    import asyncio

    from .http2_server import serve_http2  # imported late, so that other commands start faster

    async def serve() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        stop = partial(loop.call_soon_threadsafe, task.cancel)
        with suppress(TimeoutError), _signals_call(stop, signal.SIGTERM, signal.SIGHUP):
            async with asyncio.timeout(seconds):
                await serve_http2(app, listening)

    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(serve())


@contextmanager
def _signals_call(stop: Callable[[], object], *numbers: signal.Signals) -> Iterator[None]:
    """Within this context these signals call `stop`. Python runs signal handlers only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: stop()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


async def whole_body(receive: Receive, most_bytes: int) -> bytes | None:
    """The whole body of a request. None where it is too long (it is still read) or the client disconnected."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size <= most_bytes:
            parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts) if size <= most_bytes else None
