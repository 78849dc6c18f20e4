"""A target of the user's own, started by its service file and stopped with all its processes."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from ...base.errors import KeeperError, TargetError
from ...base.progress import Progress
from ...catalogue.entries import Entry
from ...hosts import keeper
from ...models.service import Service
from ...workload.allowed_hosts import addresses_of, is_this_machine

READY_SECONDS = 120.0
_PAUSE = 0.1


def can_start(service: Entry[Service] | None) -> bool:
    """Whether a service's file has a start line."""
    return service is not None and service.model.start is not None


def require_up(address: str, service: Entry[Service] | None) -> None:
    """Raise TargetError where nothing listens at the address of a target that its file does not start."""
    if not can_start(service) and not takes_connections(address):
        raise TargetError(
            f"no connection to {address}: nothing listens there",
            hint="start it, or check host and port",
        )


@contextmanager
def running_target(
    service: Entry[Service], log: Path, progress: Progress, environment: Mapping[str, str] | None = None
) -> Iterator[keeper.Keeper]:
    """The keeper of the service's target, which runs until this context ends, with `environment` added to our variables; raises
    TargetError with the end of its log where it does not start."""
    model = service.model
    address = model.target or ""
    if not is_this_machine(addresses_of(address)):
        raise TargetError(f"{address} is not this machine, so {service.name} cannot be started here")
    if takes_connections(address):
        raise TargetError(
            f"something is already running at {address}, so {service.name} cannot be started", hint="stop it first"
        )
    with ExitStack() as ending:
        try:
            kept = ending.enter_context(
                keeper.Keeper(model.start or [], log=log, cwd=service.folder, environment=environment)
            )
        except KeeperError as error:
            raise TargetError(f"{service.name} could not be started: {error.message}", hint=error.hint) from None
        _await_ready(service, address, kept, log, progress)
        try:
            yield kept
        finally:
            if model.stop is not None:
                with suppress(KeeperError):  # the keeper stops it in any case
                    keeper.run(
                        model.stop, log=log.with_suffix(".stop.log"), cwd=service.folder, environment={}, seconds=60
                    )


def _await_ready(service: Entry[Service], address: str, kept: keeper.Keeper, log: Path, progress: Progress) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not _is_ready(service, address, log):
        if kept.exit is not None:
            raise TargetError(
                f"{service.name} ended before it was ready ({kept.exit}): {kept.log_tail()}", hint=f"see {log}"
            )
        if time.monotonic() > deadline:
            raise TargetError(
                f"{service.name} was not ready after {READY_SECONDS:g} s: {kept.log_tail()}", hint=f"see {log}"
            )
        progress.refresh()
        kept.wait(_PAUSE)


def _is_ready(service: Entry[Service], address: str, log: Path) -> bool:
    if service.model.ready is None:
        return takes_connections(address)
    try:
        keeper.run(
            service.model.ready, log=log.with_suffix(".ready.log"), cwd=service.folder, environment={}, seconds=10
        )
    except KeeperError:
        return False
    return True


def takes_connections(address: str) -> bool:
    """Whether something listens at a target's address."""
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    try:
        socket.create_connection((parts.hostname or "", port), timeout=2).close()
    except OSError:
        return False
    return True
