"""Defaults: the demonstration's service and operation, and the floor of a service."""

from __future__ import annotations

from ..base.errors import UnknownNameError
from . import entries

DEMONSTRATION = "demo"


def resolve_service(name: str | None) -> str:
    """The service that the user named, else the demonstration's; raises UnknownNameError where neither exists."""
    return name or entries.study(DEMONSTRATION).model.service


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
        if server.floor and server.implementation and (known.folder / server.implementation).is_dir():
            return name
    raise UnknownNameError(f"{known.name} has no floor server", hint="set `floor = true` in a server.toml")
