"""A target of the user's own, started by its service file and stopped with all its processes."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from ...base.errors import KeeperError, TargetError
from ...base.progress import Progress
from ...hosts import keeper, own_launch
from ...hosts.build import placeholders
from ...hosts.keeper import Keeper
from ...hosts.placement import LOOPBACK
from ...hosts.running import Words, last_words
from ...models.own_server import OwnServer
from ...workload.allowed_hosts import addresses_of_target, is_this_machine
from ...workload.load_target import LoadTarget

READY_SECONDS = 120.0
_PAUSE = 0.1
_READY_COMMAND_SECONDS = 10.0


def require_up(load_target: LoadTarget) -> None:
    """Raise TargetError where nothing listens at the address of a target that has no start line."""
    if load_target.own is None and not takes_connections(load_target):
        raise TargetError(
            f"no connection to {load_target.address}: nothing listens there",
            hint="start it, or check host and port",
        )


@contextmanager
def running_target(
    load_target: LoadTarget, own: OwnServer, log: Path, progress: Progress, environment: Mapping[str, str]
) -> Iterator[Keeper]:
    """The keeper of a target that its start line starts, until the end of this context, with these variables beside our own.

    It listens on the port of its address. Raises TargetError with its last words where it is not up.
    """
    if not is_this_machine(addresses_of_target(load_target)):
        raise TargetError(f"{load_target.address} is not this machine, so {load_target.name} cannot be started here")
    if takes_connections(load_target):
        raise TargetError(
            f"another process already listens at {load_target.address}, so {load_target.name} cannot be started there",
            hint="stop it first",
        )
    port = port_of(load_target.address)
    ports = own_launch.environment(own, port, None)
    words = Words({"port": str(port), "host": LOOPBACK.address}, {**ports, **environment})
    with ExitStack() as ending:
        try:
            kept = ending.enter_context(own_launch.keeper_of(own, words, log))
        except KeeperError as error:
            called = own_launch.start_name(own, load_target.name)
            raise TargetError(f"{called} could not be run: {error.message}", hint=error.hint) from None
        ending.callback(own_launch.stop, own, kept, words, log)
        _await_ready(load_target, own, words, kept, progress)
        yield kept


def _await_ready(load_target: LoadTarget, own: OwnServer, words: Words, kept: Keeper, progress: Progress) -> None:
    begun = time.monotonic()
    while not _is_ready(load_target, own, words, kept, begun):
        if kept.exit is not None:
            raise TargetError(
                f"{own_launch.start_name(own, load_target.name)} died before the server was ready ({kept.exit}): "
                f"{last_words(kept)}",
                hint=f"see {kept.log}",
            )
        if time.monotonic() > begun + READY_SECONDS:
            raise TargetError(
                f"{load_target.name} was not ready after {READY_SECONDS:g} s: {last_words(kept)}",
                hint=f"see {kept.log}",
            )
        progress.refresh()
        kept.wait(_PAUSE)


def _is_ready(load_target: LoadTarget, own: OwnServer, words: Words, kept: Keeper, begun: float) -> bool:
    """Whether it takes connections, or its own command says so; raises ProvisionError where it listens on another port."""
    if own.ready is not None:
        try:
            keeper.run(
                placeholders(own.ready, words.placeholders),
                log=kept.log.with_suffix(".ready.log"),
                cwd=Path(own.folder),
                environment=words.environment,
                seconds=_READY_COMMAND_SECONDS,
            )
        except KeeperError:
            return False
        return True
    if takes_connections(load_target):
        return True
    if own.port is None:
        own_launch.on_its_port(own, load_target.name, kept, LOOPBACK, port_of(load_target.address), begun)
    return False


def port_of(address: str) -> int:
    """The port of a target's address."""
    parts = urlsplit(address)
    return parts.port or {"http": 80, "https": 443}[parts.scheme]


def takes_connections(load_target: LoadTarget) -> bool:
    """Whether something listens at a target's address."""
    hosts = load_target.given_addresses or [urlsplit(load_target.address).hostname or ""]
    return any(port_takes_connections(host, port_of(load_target.address)) for host in hosts)


def port_takes_connections(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True
