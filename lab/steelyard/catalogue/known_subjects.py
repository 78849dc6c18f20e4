"""What can be known of subjects before anything is fetched: their servers are here, have these factors, and serve this service."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import ConfigurationError
from ..models.server import Server
from ..models.service import Service
from ..models.study import PartSpec, SubjectSpec
from . import entries, factors
from .entries import Entry


def require_known(subjects: Sequence[SubjectSpec], service: Entry[Service]) -> None:
    """Raises ConfigurationError for the first server, factor or value that is not there, or server that has nothing to serve."""
    for subject in subjects:
        for part in subject.companions:
            factors.factor_values(entries.server_of(part), None, part.factors)
        if len(subject.parts) == 1:  # among several parts, one may stand before the others, as a balancer does
            require_no_companion(entries.server_of(subject.parts[0]))
        for part in subject.parts:
            _require_served(part, service)


def require_no_companion(server: Entry[Server]) -> None:
    """Raises ConfigurationError for what only stands beside servers."""
    if server.model.kind == "companion":
        raise ConfigurationError(
            f"{server.name} stands beside servers and has no service of its own",
            hint="`steelyard servers` lists the servers",
        )


def _require_served(part: PartSpec, service: Entry[Service]) -> None:
    server = entries.server_of(part)
    factors.factor_values(server, service, part.factors)
    implementation = server.model.implementation
    if implementation is not None and not (service.folder / implementation).is_dir():
        raise ConfigurationError(
            f"{server.name} cannot serve {service.name}, which has no implementation '{implementation}'",
            hint="`steelyard services` lists what each service has",
        )
