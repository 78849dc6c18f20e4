"""A service in one of its message formats: the same operations, with other messages at other paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..models.job import Http2, Rmi
from ..models.server import FORMAT
from ..models.service import Service
from .entries import Entry


@dataclass(frozen=True)
class Spoken(Entry[Service]):
    """A service in a format that is not its own: `own` is the original service."""

    own: Entry[Service]
    form: str


def service_in_format(service: Entry[Service], factors: Mapping[str, str]) -> Entry[Service]:
    """The service in the format of a subject's factors; the service itself where that is its own format."""
    own = service.own if isinstance(service, Spoken) else service
    form = factors.get(FORMAT, "")
    if form not in own.model.formats:
        return own
    return Spoken(own.name, own.folder, own.file, own.model.in_format(form), own, form)


def deviations_in(service: Entry[Service], deviations: Mapping[str, str]) -> dict[str, str]:
    """A server's deviations in the service's format: those for all formats, and those of `FORMAT/`."""
    form = service.form if isinstance(service, Spoken) else service.model.meaning
    return {name.removeprefix(f"{form}/"): why for name, why in deviations.items()}


def http2_of(service: Entry[Service]) -> Http2 | None:
    """The service's HTTP/2 settings in its format; None for HTTP/1.1."""
    if isinstance(service, Spoken):
        return service.own.model.formats[service.form].http2
    return Http2() if service.model.meaning == "grpc" else None


def rmi_of(service: Entry[Service]) -> Rmi | None:
    """The Java RMI interface in the service's format, with absolute paths of its jars; None for other protocols."""
    calls = service.own.model.formats[service.form].rmi if isinstance(service, Spoken) else None
    if calls is None:
        return None
    return calls.model_copy(update={"classes": [str(service.folder / jar) for jar in calls.classes]})


def format_of(service: Service, implementation: str | None, given: Mapping[str, str]) -> str:
    """The name of an implementation's format: from the factors, else its only format, else the service's own, whose name is
    empty."""
    if FORMAT in given:
        return given[FORMAT] if given[FORMAT] in service.formats else ""
    alone = (name for name, form in service.formats.items() if form.alone and implementation in form.implementations)
    return next(alone, "")
