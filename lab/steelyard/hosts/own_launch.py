"""Start support for a user's own server: words and variables with its port, readiness checks, and its own stop command."""

from __future__ import annotations

import os
import shlex
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..base.errors import KeeperError, NoAnswerError, ProvisionError
from ..base.http_client import HttpClient
from ..catalogue.container_images import container_name
from ..catalogue.entries import Entry
from ..models.own_server import PORT_VARIABLES, OwnServer
from ..models.service import Service
from . import keeper
from .build import placeholders
from .containers import Container, ContainerKeeper
from .keeper import Keeper
from .placement import LOOPBACK, Placement
from .running import Words

_OTHER_PORT_SECONDS = 10.0  # after this time on other ports alone, a server will not listen on its own
_NOT_THERE_SECONDS = 10.0  # after this time of 404 answers, a server has finished its deployment
_ASK_SECONDS = 2.0
_STOP_SECONDS = 60.0
_CONNECT_SECONDS = 1.0
_SHOWN = 200  # characters of a start line in a message
# What a client of HTTP/2 sends first, with settings that change nothing (RFC 9113, 3.4); the first frame of an answer is of type 4.
_FIRST_OF_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
_FRAME_HEAD_BYTES, _SETTINGS = 9, b"\4"


def environment(own: OwnServer, port: int, collector_log: str | None) -> dict[str, str]:
    """Variables that hold the server's port; for Java also the option for a collector log, where a file is given."""
    ports = dict.fromkeys(PORT_VARIABLES, str(port))
    if collector_log is None or not own.looks_like_java:
        return ports
    option = f'-Xlog:gc*:file="{collector_log}":timenanos,tags:filecount=0'
    return {**ports, "JDK_JAVA_OPTIONS": f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {option}".strip()}


def start_name(own: OwnServer, label: str) -> str:
    """A subject in a message about its start, with its start line, as `shop: the start command java -jar shop.jar`."""
    line = shlex.join(own.start)
    return f"{label}: the start command `{line if len(line) <= _SHOWN else line[:_SHOWN] + '...'}`"


def keeper_of(own: OwnServer, words: Words, log: Path, control: Path | None = None) -> Keeper:
    """The keeper of the server's own start line; of a container also what its engine ends in any case. Raises KeeperError."""
    argv = placeholders(own.start, words.placeholders)
    settings: dict[str, Any] = {
        "log": log,
        "cwd": Path(own.folder),
        "environment": words.environment,
        "control": control,
        "reach": words.site.reach,
    }
    if own.engine is None:
        return Keeper(argv, **settings)
    container = Container(own.engine, container_name(int(words.placeholders["port"])))
    return ContainerKeeper(container, argv, **settings, afterwards=container.removal)


def require_free(own: OwnServer, name: str, site: Placement) -> None:
    """Raise ProvisionError where another process already listens on the server's fixed port."""
    if own.port is None:
        return
    if _takes_connections(site.address, own.port):
        raise ProvisionError(
            f"{name} listens on port {own.port}, but another process already listens there", hint="stop it first"
        )


def _takes_connections(address: str, port: int) -> bool:
    with suppress(OSError):
        socket.create_connection((address, port), timeout=_CONNECT_SECONDS).close()
        return True
    return False


def on_its_port(own: OwnServer, name: str, kept: Keeper, site: Placement, port: int, begun: float) -> bool:
    """Whether the server's processes listen on its port; raises ProvisionError where they have listened on other ports alone for
    long.

    `begun` is its start on the monotonic clock.
    """
    if own.engine is not None:  # the container engine holds its port
        return _takes_connections(site.address, port)
    listening = site.reach.listening(kept.pids())
    ports = {listener.port for listener in listening}
    if port in ports:
        if site != LOOPBACK and all(listener.loopback for listener in listening if listener.port == port):
            raise ProvisionError(
                f"{name} listens on loopback alone, which cannot be reached in the network namespace that its fixed port needs",
                hint="write {port} where its start line takes the port, or make it listen on all addresses",
            )
        return True
    if ports and time.monotonic() - begun > _OTHER_PORT_SECONDS:
        shown = ", ".join(map(str, sorted(ports)))
        raise ProvisionError(
            f"{name} listens on port {shown} and not on {port}, which Steelyard gave it",
            hint=f"write {{port}} where its command line takes the port; {' and '.join(PORT_VARIABLES)} also hold it",
        )
    return False


def answers(service: Entry[Service], site: Placement, port: int) -> Callable[[], bool]:
    """A function that returns whether a server on a port answers the service's first plain GET; one of gRPC, a connection of
    HTTP/2.

    404 and 503 do not count, which a server may answer until its program is deployed; 404 counts after a while.
    """
    if service.model.meaning == "grpc":
        return lambda: _begins_http2(site.address, port)
    path, expected = _first_get(service.model)
    first_not_found: list[float] = []

    def is_answering() -> bool:
        talk = HttpClient(site.url(port, path or "/"), _ASK_SECONDS)
        try:
            status = talk.get(service.model.headers).status
        except NoAnswerError:
            return False
        finally:
            talk.close()
        if path is None or status in expected:
            return True
        if status == HTTPStatus.NOT_FOUND:
            first_not_found.append(time.monotonic())
            return first_not_found[-1] - first_not_found[0] > _NOT_THERE_SECONDS
        return status != HTTPStatus.SERVICE_UNAVAILABLE

    return is_answering


def _begins_http2(address: str, port: int) -> bool:
    """Whether a server answers the HTTP/2 connection preface as the protocol requires."""
    with suppress(OSError), socket.create_connection((address, port), timeout=_ASK_SECONDS) as talk:
        talk.sendall(_FIRST_OF_HTTP2)
        return talk.recv(_FRAME_HEAD_BYTES)[3:4] == _SETTINGS
    return False


def _first_get(service: Service) -> tuple[str | None, list[int]]:
    """The path of the first GET without data, and the statuses of its right answers; None without such a GET."""
    for operation in service.operations.values():
        path = operation.path or service.path
        if operation.method == "GET" and "{{" not in path:
            return path, operation.expect.status or service.expect.status or [HTTPStatus.OK]
    return None, []


def stop(own: OwnServer, kept: Keeper, words: Words, log: Path) -> None:
    """Thaw the server where it is paused, and run its own stop command; if that fails, its keeper ends it."""
    if own.stop is None or kept.exit is not None:
        return
    with suppress(KeeperError):
        kept.thaw()
        keeper.run(
            placeholders(own.stop, words.placeholders),
            log=log.with_suffix(".stop.log"),
            cwd=Path(own.folder),
            environment=words.environment,
            seconds=_STOP_SECONDS,
            reach=words.site.reach,
        )
