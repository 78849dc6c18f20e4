"""The server itself: on loopback, at a port that is free, until it is interrupted."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import uvicorn

from ..base.errors import ConfigurationError
from ..base.house import HOST, url
from .app import app_of
from .shelf import Shelf
from .starting import Starter


def serve(folder: Path, port: int, *, allow_run: bool, ready: Callable[[str], None]) -> None:
    """Serve a folder of runs on 127.0.0.1 (`port` 0: one that is free) and call `ready` with the address, token and all.

    Returns when it is interrupted. Raises ConfigurationError where there is no such folder, or the port is another's.
    """
    if not folder.is_dir():
        raise ConfigurationError(
            f"there is no folder {folder}", hint="name the one that `steelyard run` kept its runs in (--out)"
        )
    token = secrets.token_urlsafe(24)
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise ConfigurationError(
                f"port {port} cannot be had: {error.strerror}", hint="--port 0 takes a free one"
            ) from None
        bound = int(listening.getsockname()[1])
        starter = stack.enter_context(Starter(folder)) if allow_run else None
        config = uvicorn.Config(
            app_of(Shelf(folder), token, bound, starter),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,  # it would hold the token
            server_header=False,
            timeout_graceful_shutdown=1,  # pages that watch a run never end by themselves
        )
        listening.listen(128)
        ready(url(bound, f"/{token}/"))
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
