"""Checks of subjects before anything is fetched: their servers exist, have these factors, and serve this service."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import ConfigurationError
from ..base.text import join_words
from ..models.server import Server
from ..models.service import Service
from ..models.study import PartSpec, SubjectSpec
from . import entries, factors
from .entries import Entry


def require_known(subjects: Sequence[SubjectSpec], service: Entry[Service]) -> None:
    """Raise ConfigurationError for the first unknown server, factor or value, or a server without an implementation of the
    service."""
    for subject in subjects:
        for part in subject.companions:
            factors.factor_values(entries.server_of(part), None, part.factors)
        if len(subject.parts) == 1:  # among several parts, one may be a proxy, such as a load balancer
            require_no_companion(entries.server_of(subject.parts[0]))
        for part in subject.parts:
            _require_served(part, service)


def require_no_companion(server: Entry[Server]) -> None:
    """Raise ConfigurationError for a server that only runs beside others."""
    if server.model.kind == "companion":
        raise ConfigurationError(
            f"{server.name} is a companion and has no service of its own",
            hint="`steelyard servers` lists the servers",
        )


def _require_served(part: PartSpec, service: Entry[Service]) -> None:
    server = entries.server_of(part)
    factors.factor_values(server, service, part.factors)
    if (reason := why_unserved(server.model, service)) is not None:
        raise ConfigurationError(
            f"{server.name} cannot serve {service.name}, which {reason}",
            hint="`steelyard services` lists the implementations of each service",
        )


def why_unserved(server: Server, service: Entry[Service]) -> str | None:
    """What the service lacks to run on the server, as a clause; None where it can run there."""
    implementation = server.implementation
    if implementation is None:
        return None
    if not (service.folder / implementation).is_dir():
        return f"has no implementation '{implementation}'"
    servers = service.model.runs_on.get(implementation)
    if servers is not None and server.name not in servers:
        return f"has its implementation '{implementation}' for {join_words(servers)} alone"
    return None
