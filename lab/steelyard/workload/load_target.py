"""The target of a load: the requests of a service folder that names its target, or of one URL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import SplitResult, quote, urlsplit

from ..base.configuration import nearest
from ..base.errors import ConfigurationError, ContractError, TargetError
from ..base.in_ascii import ascii_address, ascii_path
from ..catalogue import own_subjects
from ..catalogue.entries import Entry
from ..models.job import Tls
from ..models.own_server import OwnServer
from ..models.service import OF_THE_ENGINE, Auth, Expect, Operation, Service
from .data import Format, rows_of
from .load_operation import LoadOperation, LoadSession, expected_of, sample_text
from .own_sessions import OwnSessions, read_sessions
from .places import NAMED_PLACE, PlaceError, Spot, computed_places, spot_of_header, with_literals

MOST_BYTES = 256 * 2**20  # of all requests together
_PLACE = re.compile(r"\{\{([A-Za-z0-9_]{1,64})\}\}")
_FORMATS: Mapping[str, Format] = {"soap": "xml", "json": "json", "grpc": "json"}
_CODINGS: Mapping[str, str] = {
    "form": "url",
    "json": "json",
    "xml": "xml",
}  # of computed values, by the format of a body
_CHANGING_METHODS = ("PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class LoadTarget:
    """A target with its operations. `address` is its server's; `schema` is the file that answers are checked against;
    relative files are relative to `folder`.

    `meaning` is the body format of its answers. `declared`: it comes from a service file, which may allow other
    machines; `service` is that service. `own` is how it is started where it does not run yet. `sessions` link some of the
    operations. `secrets` are the sources of secret values, by the names of their places. Redirects may lead to `redirect_hosts`
    too. `resolved` has the IP addresses of hosts whose names are not resolved.
    """

    name: str
    address: str
    operations: Mapping[str, LoadOperation]
    folder: Path
    sessions: Mapping[str, LoadSession] = field(default_factory=dict)
    declared: bool = True
    owned: bool = False
    contact: str | None = None
    max_rate: float | None = None
    tls: Tls = field(default_factory=Tls)
    redirect_hosts: Sequence[str] = ()
    resolved: Mapping[str, Sequence[str]] = field(default_factory=dict)
    auth: Auth | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    schema: Path | None = None
    meaning: str = "bytes"
    service: Entry[Service] | None = None
    own: OwnServer | None = None

    @property
    def given_addresses(self) -> Sequence[str]:
        """The IP addresses that the user gave for its host; none where its name is resolved."""
        return self.resolved.get(urlsplit(self.address).hostname or "", ())

    @property
    def weights(self) -> dict[str, float]:
        """What a mix may name, with its usual weight: the sessions, and the operations that are no steps of one."""
        steps = {name for session in self.sessions.values() for name in session.operations}
        alone = dict.fromkeys((name for name in self.operations if name not in steps), 1.0)
        return {name: session.weight for name, session in self.sessions.items()} | alone

    def changes_data(self, name: str) -> bool:
        """Whether an operation, or a step of the session of this name, changes data."""
        names = self.sessions[name].operations if name in self.sessions else [name]
        return any(self.operations[operation].changes_data for operation in names)

    def move_to(self, url: str) -> LoadTarget:
        """The same requests to the server at `url`, which is not started. Its host is only declared where the file's target has the
        same. Raises ConfigurationError, TargetError."""
        parts = _split_url(url)
        if parts.path not in ("", "/") or parts.query:
            raise ConfigurationError(
                f"--target {url[:200]} has a path, but each operation of {self.name} has its own",
                hint="write http://HOST:PORT",
            )
        same = parts.hostname == urlsplit(self.address).hostname
        address = _address(f"{parts.scheme}://{parts.netloc}")
        return replace(self, address=address, own=None, declared=self.declared and same)

    def resolve_name(self, name: str) -> str:
        """The session or operation of a name, or the one session's step of this name; raises ConfigurationError."""
        if name in self.sessions or name in self.operations:
            return name
        steps = [operation for operation in self.operations if operation.partition(".")[2] == name]
        if len(steps) == 1:
            return steps[0]
        if steps:
            raise ConfigurationError(f"several sessions have a step '{name}'", hint=f"write {' or '.join(steps)}")
        raise ConfigurationError(
            f"{self.name} has no operation, session or step '{name}'{nearest(name, [*self.sessions, *self.operations])}"
        )

    def select(self, names: Sequence[str]) -> LoadTarget:
        """The target with only these operations and sessions. If none is named: all sessions, or without sessions all
        operations. Raises ConfigurationError."""
        known = self.weights
        for name in names:
            if name not in known:
                kind = "session or operation" if self.sessions else "operation"
                raise ConfigurationError(f"{self.name} has no {kind} '{name}'{nearest(name, list(known))}")
        chosen = list(names) or list(self.sessions or self.operations)
        sessions = {name: session for name, session in self.sessions.items() if name in chosen}
        steps = {name for session in sessions.values() for name in session.operations}
        operations = {name: known for name, known in self.operations.items() if name in chosen or name in steps}
        return replace(self, operations=operations, sessions=sessions)


def label_of(name: str) -> str:
    """The label for a subject's name: `127.0.0.1-8080` for `127.0.0.1:8080`."""
    return re.sub(r"[^A-Za-z0-9._@=-]+", "-", name).strip("-._@=")[:100] or "target"


def schema_of(service: Entry[Service]) -> Path | None:
    """The file that stored answers of a running target are checked against; None without one."""
    model = service.model
    return (
        service.folder / model.schema_file if model.schema_file and model.meaning in ("soap", "json", "grpc") else None
    )


def of_service(service: Entry[Service], seed: int, expect: Expect) -> LoadTarget:
    """The requests of a service that names its target;

    `expect` overrides the rules of its file. Raises ConfigurationError.
    """
    model = service.model
    if model.target is None:
        raise ConfigurationError(
            f"{service.name} names no target: it runs on Steelyard's servers",
            hint=f"`steelyard compare A B --service {service.name}` starts it, `steelyard load URL` needs no folder",
        )
    own = read_sessions(service, seed, expect) if model.sessions else OwnSessions()
    alone = {
        name: _operation(service, name, operation, seed, expect)
        for name, operation in model.operations.items()
        if name not in own.used
    }
    operations = {**alone, **own.operations}
    if sum(len(body) for operation in operations.values() for body in operation.bodies) > MOST_BYTES:
        raise ConfigurationError(
            f"the requests of {service.name} are more than {MOST_BYTES >> 20} MiB", hint="use fewer rows of data"
        )
    return LoadTarget(
        name=service.name,
        address=_address(model.target),
        operations=operations,
        sessions=own.sessions,
        folder=service.folder,
        owned=model.owned,
        contact=model.contact,
        max_rate=model.max_rate,
        tls=model.tls,
        redirect_hosts=[host.lower() for host in model.redirect_hosts],
        auth=model.auth,
        secrets=model.secrets,
        schema=schema_of(service),
        meaning=model.meaning,
        service=service,
        own=own_subjects.started_server(service),
    )


def _operation(service: Entry[Service], name: str, operation: Operation, seed: int, expect: Expect) -> LoadOperation:
    model = service.model
    file = service.folder / (operation.sample or service.file.name)
    texts = [sample_text(service, name, sample) for sample in (operation.sample, *operation.samples)]
    path = operation.path or model.path
    headers = {**model.headers, **operation.headers}
    computed = _computed_texts(file, name, texts, path, headers)
    named = [*_PLACE.findall("\n".join([*texts, path, *headers.values()])), *(each for _, each in computed)]
    used = [place for place in named if not _is_filled_later(place, model)]
    _check_data(service, name, file, used, headers, [each for spot, each in computed if spot in ("header", "cookie")])
    columns = {place: model.data[place] for place in sorted(set(used))}
    form = _format_of(headers, model)
    rows = rows_of(columns, service.folder, seed, form)
    plain = rows if form is None else rows_of(columns, service.folder, seed, None)  # the same rows
    coding = _CODINGS.get(form or "", "")
    filled = [
        _fill_sample(text, row, values, coding) for text in texts for row, values in zip(rows, plain, strict=True)
    ]
    grpc = model.meaning == "grpc"
    streams = grpc and _is_stream(service, path)
    bodies = _grpc_bodies(service, name, path, filled) if grpc else [text.encode() for text in filled]
    paths: list[str] = []
    in_path = {*_PLACE.findall(path), *(each for spot, each in computed if spot == "path")}
    if in_path & {*used}:
        escaped = [{place: quote(value, safe="") for place, value in row.items()} for row in plain]
        paths = [_fill_sample(path, row, values, "") for row, values in zip(escaped, plain, strict=True)]
        paths *= len(texts)
    return LoadOperation(
        name=name,
        method=operation.method,
        path=path,
        headers=headers,
        bodies=bodies,
        expect=expect.overriding(expected_of(service, operation)),
        filled=any(
            OF_THE_ENGINE.search(part) or computed_places(part) or _holds_secret(part, model)
            for part in [*texts, path, *headers.values()]
        ),
        changes_data=operation.changes_data,
        paths=paths,
        grpc=grpc,
        streams=streams,
    )


def _is_filled_later(place: str, model: Service) -> bool:
    """Whether the engine fills a place when it sends the request: by a value of its own, or by a secret."""
    return OF_THE_ENGINE.fullmatch(f"{{{{{place}}}}}") is not None or place in model.secrets


def _check_data(
    service: Entry[Service],
    name: str,
    file: Path,
    used: Sequence[str],
    headers: Mapping[str, str],
    in_headers: Sequence[str],
) -> None:
    """Raise ConfigurationError where an operation uses data that is not described, or in a header."""
    data = service.model.data
    for place in used:
        if place not in data:
            raise ConfigurationError(
                f"{file}: nothing fills the placeholder {{{{{place}}}}}{nearest(place, list(data))}",
                hint=f"describe it under [data.{place}] in {service.file.name}",
            )
    if any(f"{{{{{place}}}}}" in part or place in in_headers for place in used for part in headers.values()):
        raise ConfigurationError(
            f"{name}: placeholders of data are allowed in a request's body and path, not in its headers",
            hint=f"see {service.file}",
        )


def _is_stream(service: Entry[Service], path: str) -> bool:
    """Whether the answers of a gRPC method are streams; one that its contract does not have is refused later."""
    from . import protobuf

    try:
        return bool(protobuf.method_at(service.folder / (service.model.schema_file or ""), path).server_streaming)
    except ContractError:
        return False


def _grpc_bodies(service: Entry[Service], name: str, path: str, texts: Sequence[str]) -> list[bytes]:
    """The bodies of gRPC calls, of their messages in JSON; raises ConfigurationError."""
    from . import protobuf
    from .body_formats.grpc import frame

    if any(OF_THE_ENGINE.search(text) or computed_places(text) or _holds_secret(text, service.model) for text in texts):
        raise ConfigurationError(
            f"{name}: the engine fills no placeholders in gRPC messages",
            hint="fill them by [data.NAME] in service.toml",
        )
    try:
        kind = protobuf.method_at(service.folder / (service.model.schema_file or ""), path).input_type
        return [frame(protobuf.encode_json(text, kind)) for text in texts]
    except ContractError as error:
        raise ConfigurationError(
            f"the sample of {name} cannot be sent: {error.message}", hint=f"see {service.file}"
        ) from None


def _format_of(headers: Mapping[str, str], model: Service) -> Format | None:
    """The format that data is written in: that of a form by the content type, else the service's."""
    kind = next((text.strip().lower() for name, text in headers.items() if name.lower() == "content-type"), "")
    if kind.startswith("application/x-www-form-urlencoded"):
        return "form"
    return None if kind.startswith("multipart/") else _FORMATS.get(model.meaning)


def _computed_texts(
    file: Path, name: str, texts: Sequence[str], path: str, headers: Mapping[str, str]
) -> list[tuple[Spot, str]]:
    """The names that an operation's computed values need, each with its location; raises ConfigurationError."""
    spots: list[tuple[Spot, str]] = [("path", path), *(("body", text) for text in texts)]
    spots += [(spot_of_header(header), text) for header, text in headers.items()]
    try:
        return [(spot, each) for spot, text in spots for place in computed_places(text, spot) for each in place.names]
    except PlaceError as error:
        raise ConfigurationError(
            f"{file}: {name} has a wrong place: {error}", hint="see contracts/service.md"
        ) from None


def _holds_secret(text: str, model: Service) -> bool:
    return not model.secrets.keys().isdisjoint(name for name, _ in NAMED_PLACE.findall(text))


def _fill_sample(text: str, row: Mapping[str, str], plain: Mapping[str, str], coding: str) -> str:
    """A sample with the values of one row, which computed values take as they are in `plain`; the engine's places stay."""
    pieces, at = [], 0
    for place in computed_places(text):
        literal = with_literals(text, place, plain)
        coded = literal if place.coding or not coding else f"{literal[:-2]}:{coding}}}}}"
        pieces += [_fill_named(text[at : place.begin], row), coded]
        at = place.end
    return "".join([*pieces, _fill_named(text[at:], row)])


def _fill_named(text: str, row: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: row.get(place[1], place[0]), text)


def of_url(url: str, method: str | None, body: bytes, headers: Mapping[str, str], expect: Expect) -> LoadTarget:
    """One request to one URL; raises TargetError if the URL is invalid."""
    parts = _split_url(url)
    if expect.schema_kept:
        raise ConfigurationError(
            "a URL alone has no schema to check answers against",
            hint="import its description with `steelyard import`, and load that",
        )
    path = ascii_path((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
    used = (method or ("POST" if body else "GET")).upper()
    if not re.fullmatch("[A-Z]{1,20}", used):
        raise ConfigurationError(f"'{used[:40]}' is not an HTTP method", hint="write GET, POST, PUT, PATCH or DELETE")
    own = (
        {} if any(name.lower() == "content-type" for name in headers) or not body else {"Content-Type": _kind_of(body)}
    )
    operation = LoadOperation(
        name="request",
        method=used,
        path=path,
        headers=own,
        bodies=[body],
        expect=expect.overriding(Expect(fault="any")) if expect.fault is None else expect,
        filled=False,
        changes_data=used in _CHANGING_METHODS,
    )
    address = _address(f"{parts.scheme}://{parts.netloc}")
    return LoadTarget(parts.netloc, address, {"request": operation}, Path(), declared=False)


def _split_url(url: str) -> SplitResult:
    """The parts of an HTTP URL; raises TargetError if it is invalid."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or "@" in urlsplit(url).netloc or not url.isprintable() or " " in url:
        shown = re.sub("//[^/@]*@", "//...@", url[:200])  # it may contain a user and password
        raise TargetError(
            f"'{shown}' is not a valid HTTP URL", hint="write http://HOST:PORT/PATH; give credentials with --auth"
        )
    return parts


def _address(address: str) -> str:
    """A server's address with its host in ASCII; raises TargetError if the host's name is invalid."""
    try:
        return ascii_address(address)
    except ValueError as error:
        raise TargetError(str(error), hint="check its spelling") from None


def _kind_of(body: bytes) -> str:
    """The default content type of a body: XML and JSON by their first character."""
    begins = body.lstrip()[:1]
    kinds = {b"<": "text/xml; charset=utf-8", b"{": "application/json", b"[": "application/json"}
    return kinds.get(begins, "application/octet-stream")
