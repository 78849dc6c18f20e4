"""Defaults: the demonstration's service and operation, and the floor of a service."""

from __future__ import annotations

from ..base.errors import UnknownNameError
from ..models.server import Server
from ..models.service import Service
from . import entries
from .entries import Entry
from .known_subjects import why_unserved

DEMONSTRATION = "demo"


def resolve_service(name: str | None) -> str:
    """The service that the user named, else the demonstration's; raises UnknownNameError where neither exists."""
    return name or entries.study(DEMONSTRATION).model.service


def resolve_served(server: Server, name: str | None) -> str:
    """The service that the user named; else the demonstration's, or where this server has no implementation of that, the first of
    those that it serves."""
    usual = resolve_service(name)
    if name is not None or serves(server, entries.service(usual)):
        return usual
    others = (entries.service(other) for other in sorted(entries.service_files()))
    return next((other.name for other in others if serves(server, other) and not other.model.is_own), usual)


def serves(server: Server, service: Entry[Service]) -> bool:
    """Whether the service has an implementation that runs on this server."""
    return server.implementation is not None and why_unserved(server, service) is None


def resolve_operation(service: str, name: str | None) -> str:
    """The operation that the user named; else the demonstration's if the service has it, else the service's first that changes no
    data, or its first."""
    if name:
        return name
    shown = entries.study(DEMONSTRATION).model
    if shown.service == service:
        return shown.primary
    known = entries.service(service).model.operations
    return next((each for each, operation in known.items() if not operation.changes_data), next(iter(known)))


def floor_of(service: str) -> str:
    """The server that shows the cost of HTTP alone for this service; raises UnknownNameError where there is none."""
    known = entries.service(service)
    for name in entries.server_files():
        server = entries.server(name).model
        if server.floor and serves(server, known):
            return name
    raise UnknownNameError(f"{known.name} has no floor server", hint="set `floor = true` in a server.toml")
