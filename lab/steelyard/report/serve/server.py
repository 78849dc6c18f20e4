"""The server: on loopback, at a free port, until it is interrupted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ...base.errors import ConfigurationError
from ...base.loopback_server import listening_on, serve_until_interrupted
from ...base.paths import url
from .app import app_of
from .shelf import Shelf
from .starting import Starter


def serve(folder: Path, port: int, *, allow_run: bool, ready: Callable[[str], None]) -> None:
    """Serve a folder of runs on 127.0.0.1 (`port` 0: a free one) and call `ready` with the address, token included.

    Returns when it is interrupted. Raises ConfigurationError where there is no such folder, or the port is in use.
    """
    if not folder.is_dir():
        raise ConfigurationError(
            f"there is no folder {folder}", hint="name the folder of the runs of `steelyard run` (--out)"
        )
    token = secrets.token_urlsafe(24)
    with ExitStack() as stack:
        listening, bound = stack.enter_context(listening_on(port))
        starter = stack.enter_context(Starter(folder)) if allow_run else None
        ready(url(bound, f"/{token}/"))
        serve_until_interrupted(app_of(Shelf(folder), token, bound, starter), listening)
