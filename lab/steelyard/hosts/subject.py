"""A subject before it runs: its processes by role, with their servers fetched and built."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base.errors import ConfigurationError, ProvisionError
from ..base.progress import Progress
from ..base.text import plural
from ..catalogue import entries
from ..catalogue import factors as settings
from ..catalogue.companions import role_of
from ..catalogue.entries import Entry
from ..catalogue.formats import Spoken, rmi_of, service_in_format
from ..models.own_server import OwnServer
from ..models.server import PROCESSORS, TLS, Server
from ..models.service import PROTECTED, Reconciliation, Service
from ..models.study import PartSpec, SubjectSpec
from . import build, rmi_driver
from .cpus import Owner, Shares
from .first_answer import AskOnce
from .toolchain import require
from .topology import read_topology

BUSY_HEADER = "Steelyard-Busy-Us"  # µs of processor time that a service spends before it answers


def require_processors(server: str, wanted: str, given: Sequence[int]) -> None:
    """Raise ProvisionError where a server is to have more processors than its share."""
    if int(wanted) > len(given):
        raise ProvisionError(
            f"{server} needs {plural(int(wanted), 'processor')}, but subjects have {len(given)} here",
            hint=f"leave out {PROCESSORS}={wanted}, or use a machine with more",
        )


@dataclass(frozen=True)
class Part:
    """One process of a subject before it runs: its place, which is its role in the subject, and its server.

    `server` is resolved by these `factors`: its version, stack and artifacts are those that run. `processors` names whose
    processors it shares; None: its own, or else the engine's. `own` describes the start of a user's own server.
    """

    place: str
    server: Entry[Server]
    factors: dict[str, str]
    cache: Path
    judged: bool
    processors: Owner | None
    own: OwnServer | None = None

    @property
    def secure(self) -> bool:
        """Whether the part uses TLS."""
        return self.factors.get(TLS) == "on"

    def share_of(self, shares: Shares) -> list[int]:
        """The processors of this process, as many as its factor `cpus` requires; raises ProvisionError where there are fewer."""
        given, wanted = shares.of(self.processors), self.factors.get(PROCESSORS)
        if not wanted:
            return given
        require_processors(self.server.name, wanted, given)
        if shares.elsewhere:
            return given[: int(wanted)]
        return read_topology(given).choose(int(wanted), given)


@dataclass(frozen=True)
class Subject:
    """A subject with its servers fetched and built. The first part takes the load.

    `service` is in the subject's message format. `same_as` names the subject whose running processes it shares, as another face
    of them. `operation_headers` go with the requests of an operation, by its name. `ask_once` is the request for its first right
    answer, where that is observed.
    """

    label: str
    service: Entry[Service]
    parts: list[Part]
    headers: dict[str, str]
    same_as: str | None = None
    operation_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ask_once: AskOnce | None = None

    @property
    def front(self) -> Part:
        """The part that receives the engine's requests and is judged."""
        return next(part for part in self.parts if part.judged)

    def factors_for(self, part: Part) -> dict[str, str]:
        """The factors of a part's start: its own, and for a companion also the service's, since its initial data may depend on
        them."""
        of_service = {name: self.front.factors[name] for name in self.service.model.factors}
        return {**of_service, **part.factors}

    @property
    def form(self) -> str:
        """The subject's message format; empty where it is the service's own."""
        return self.service.form if isinstance(self.service, Spoken) else ""

    @property
    def keys(self) -> Path | None:
        """The folder of this machine's key stores, for protected messages; raises ProvisionError, ToolchainError."""
        if self.service.model.meaning not in PROTECTED:
            return None
        from . import security_keys  # imported late: few users need its library

        return security_keys.folder()

    def in_own_format(self, service: Entry[Service]) -> Entry[Service]:
        """A service in this subject's message format."""
        return service_in_format(service, self.front.factors)

    def path(self) -> str:
        """The path of the service on the front part."""
        return self.path_on(self.front)

    def path_on(self, part: Part) -> str:
        """The path of the service on a part."""
        return part.server.model.path_of(self.service.model.path, part.factors)

    def reconciliations(self) -> list[Reconciliation]:
        """The reconciliations at the end of the subject's trial."""
        factors = self.front.factors.items()
        return [
            reconciliation
            for reconciliation in self.service.model.reconciliations
            if reconciliation.when.items() <= factors
        ]

    @property
    def may_freeze(self) -> bool:
        """Whether the subject may be paused. A pause breaks database and broker connections, so subjects with companions are
        never paused.

        STEELYARD_FREEZE=no disables pauses, which shows their effect; raises ConfigurationError for other values.
        """
        return parse_freeze(os.environ.get("STEELYARD_FREEZE", "")) and all(
            part.judged and part.server.model.freeze for part in self.parts
        )


def parse_freeze(value: str) -> bool:
    """Whether idle subjects are paused, from the user's value: yes, no, or empty; raises ConfigurationError."""
    if value not in ("", "yes", "no"):
        raise ConfigurationError(f"STEELYARD_FREEZE is '{value}', but must be yes or no")
    return value != "no"


def provide_subject(spec: SubjectSpec, service: Entry[Service], progress: Progress) -> Subject:
    """`spec` with all its servers fetched and built; raises the errors of catalogue, fetch and build."""
    _require_places(spec)
    companions = [_part(part, None, progress) for part in spec.companions]
    parts = [_part(part, service, progress) for part in spec.parts]
    if len(parts) > 1 and any(part.secure for part in parts):
        raise ProvisionError(
            f"{spec.label} has {len(parts)} servers, which call each other without TLS", hint=f"leave out {TLS}=on"
        )
    own = service_in_format(service, parts[0].factors)
    if rmi_of(own) is not None:
        rmi_driver.provide(progress)
    headers = {**_headers_of(parts[0], service), **spec.headers}
    subject = Subject(spec.label, own, [*companions, *parts], headers, operation_headers=spec.operation_headers)
    places = {part.place for part in subject.parts}
    for reconciliation in subject.reconciliations():
        if service.model.counter is None and "{requests}" in reconciliation.expect:
            raise ProvisionError(
                f"the reconciliation {reconciliation.name} expects a count of requests, but {service.name} has no counter",
                hint="give the service a counter, or expect a value that needs none",
            )
        for role in sorted(reconciliation.roles() - places):
            raise ProvisionError(
                f"{spec.label} has no {role}, which the reconciliation {reconciliation.name} of {service.name} needs",
                hint="add it to the companions, as CONTRIBUTING.md shows",
            )
    settle = service.model.settle
    for role in sorted(settle.roles() - places if settle is not None else ()):
        raise ProvisionError(
            f"{spec.label} has no {role}, from which {service.name} reads when its work is complete",
            hint="add it to the companions, as CONTRIBUTING.md shows",
        )
    return subject


def _headers_of(front: Part, service: Entry[Service]) -> dict[str, str]:
    """The request headers that factor values add, of the server and the service."""
    known = {**front.server.model.all_factors(), **service.model.factors}
    return {
        header: value
        for name, factor in known.items()
        for header, value in factor.headers.get(front.factors[name], {}).items()
    }


def _require_places(spec: SubjectSpec) -> None:
    """Raise ProvisionError where two processes have the same place, since a role must name one process."""
    places = [role_of(part) for part in (*spec.companions, *spec.parts)]
    for place in places:
        if places.count(place) > 1:
            raise ProvisionError(
                f"{spec.label} has {places.count(place)} processes in the role of {place}",
                hint='give one of them another role in the study, such as role = "callee"',
            )


def all_provided(specs: Sequence[SubjectSpec], service: Entry[Service], progress: Progress) -> list[Subject]:
    """Every subject, in the order given; a face shares the parts of its other subject."""
    require_available(specs, service)
    made = {spec.label: provide_subject(spec, service, progress) for spec in specs if spec.same_as is None}
    for spec in specs:
        if spec.slowed is not None and BUSY_HEADER not in spec.headers:
            raise ProvisionError(
                f"{spec.label} is slowed by a share of the cost per request, which must be measured first",
                hint="run `steelyard calibrate`",
            )
        if spec.same_as is not None:
            if spec.same_as not in made:
                raise ProvisionError(f"{spec.label} is the same as {spec.same_as}, which is not among the subjects")
            made[spec.label] = replace(
                made[spec.same_as],
                label=spec.label,
                headers=spec.headers,
                same_as=spec.same_as,
                operation_headers=spec.operation_headers,
            )
    return [made[spec.label] for spec in specs]


def require_available(specs: Sequence[SubjectSpec], service: Entry[Service]) -> None:
    """Raise ToolchainError for the first server that cannot run on this machine, before anything is fetched or built."""
    for spec in specs:
        for part in (*spec.companions, *spec.parts):
            server, factors = _as_run(part, service if part in spec.parts else None)
            require(server.model.needs_with(factors), server.name)
            if part.own is None:
                build.require_available(server)


def service_as_run(service: Entry[Service], subjects: Sequence[Subject]) -> Entry[Service]:
    """The service as these subjects run it; raises ProvisionError where its right answers differ between them."""
    first = subjects[0]
    for subject in subjects:
        for name in service.model.generate_with:
            values = [each.front.factors[name] for each in (first, subject)]
            if values[0] != values[1]:
                raise ProvisionError(
                    f"{first.label} and {subject.label} answer differently: factor {name} is '{values[0]}' and '{values[1]}'",
                    hint="all subjects of a run get the same requests",
                )
    return replace(service, model=service.model.as_set(first.front.factors))


def _part(spec: PartSpec, service: Entry[Service] | None, progress: Progress) -> Part:
    as_run, factors = _as_run(spec, service)
    require(as_run.model.needs_with(factors), as_run.name)
    judged = service is not None
    processors = spec.processors or ("server" if judged else None)
    cache = as_run.folder if spec.own is not None else build.provide(as_run, service, progress)
    return Part(role_of(spec), as_run, factors, cache, judged, processors, spec.own)


def _as_run(spec: PartSpec, service: Entry[Service] | None) -> tuple[Entry[Server], dict[str, str]]:
    """The server of a part as it runs under the part's factors, and the value of each factor."""
    server = entries.server_of(spec)
    factors = settings.factor_values(server, service, spec.factors)
    return replace(server, model=server.model.as_run(factors)), factors
