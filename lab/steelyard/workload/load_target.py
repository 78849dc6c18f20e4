"""What is loaded: the requests of a service folder that names its target, or of one URL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..base.configuration import nearest
from ..base.errors import ConfigurationError, TargetError
from ..base.in_ascii import ascii_address, ascii_path
from ..catalogue.entries import Entry
from ..models.job import Length, Rule, Tls
from ..models.service import OF_THE_ENGINE, Auth, Expect, Operation, Service
from .data import Format, rows_of

MOST_BYTES = 256 * 2**20  # of all requests together
_PLACE = re.compile(r"\{\{([A-Za-z0-9_]{1,64})\}\}")
_FORMATS: Mapping[str, Format] = {"soap": "xml", "json": "json"}
_CHANGING_METHODS = ("PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class LoadOperation:
    """One kind of request: `bodies` are sent in a seeded order, again and again; `expect` is what its answers must be.

    `paths` are those of the bodies, one each, where data fills `path`; else none. `filled`: places of it are filled by the
    engine when it is sent.
    """

    name: str
    method: str
    path: str
    headers: Mapping[str, str]
    bodies: Sequence[bytes]
    expect: Expect
    filled: bool
    changes_data: bool
    paths: Sequence[str] = ()

    def rule(self) -> Rule:
        """What the engine judges every answer by."""
        return rule_of(self.expect)


@dataclass(frozen=True)
class LoadTarget:
    """A target with what is asked of it. `address` is its server's; `schema` the file that answers are held against; `folder`
    is what relative files are relative to. `meaning` is how its answers are judged. `declared`: a service file stands behind it,
    which may allow more than this machine; `service` is that service."""

    name: str
    address: str
    operations: Mapping[str, LoadOperation]
    folder: Path
    declared: bool = True
    owned: bool = False
    contact: str | None = None
    max_rate: float | None = None
    tls: Tls = field(default_factory=Tls)
    auth: Auth | None = None
    schema: Path | None = None
    meaning: str = "bytes"
    service: Entry[Service] | None = None

    def select(self, names: Sequence[str]) -> LoadTarget:
        """With these operations only, all where none is named; raises ConfigurationError."""
        for name in names:
            if name not in self.operations:
                raise ConfigurationError(f"{self.name} has no operation '{name}'{nearest(name, list(self.operations))}")
        return replace(
            self,
            operations={name: operation for name, operation in self.operations.items() if not names or name in names},
        )


def label_of(name: str) -> str:
    """The label of a subject that is called so: `127.0.0.1-8080` of `127.0.0.1:8080`."""
    return re.sub(r"[^A-Za-z0-9._@=-]+", "-", name).strip("-._@=")[:100] or "target"


def rule_of(expect: Expect) -> Rule:
    """What of `expect` every answer is judged by: status 200 and no fault where nothing else is said."""
    bounded = expect.least is not None or expect.most is not None
    return Rule(
        status=expect.status or [200],
        fault=expect.fault or "absent",
        length=Length(least=expect.least or 0, most=2**53 if expect.most is None else expect.most) if bounded else None,
        contains=expect.contains,
        matches=expect.matches,
    )


def expected_of(service: Entry[Service], operation: Operation) -> Expect:
    """When an answer to an operation of a running target is right, by its file; files that are named there as from anywhere."""
    return _with_absolute_file(operation.expect.overriding(service.model.expect), service.folder)


def schema_of(service: Entry[Service]) -> Path | None:
    """The file that the kept answers of a running target are held against; None if there is none."""
    model = service.model
    return service.folder / model.schema_file if model.schema_file and model.meaning in ("soap", "json") else None


def of_service(service: Entry[Service], seed: int, expect: Expect) -> LoadTarget:
    """The requests of a service that names its target; `expect` goes before the rules of its file. Raises ConfigurationError."""
    model = service.model
    if model.target is None:
        raise ConfigurationError(
            f"{service.name} names no target: it runs on Steelyard's servers",
            hint=f"`steelyard compare A B --service {service.name}` starts it, `steelyard load URL` needs no folder",
        )
    operations = {
        name: _operation(service, name, operation, seed, expect) for name, operation in model.operations.items()
    }
    if sum(len(body) for operation in operations.values() for body in operation.bodies) > MOST_BYTES:
        raise ConfigurationError(
            f"the requests of {service.name} are more than {MOST_BYTES >> 20} MiB", hint="use fewer rows of data"
        )
    return LoadTarget(
        name=service.name,
        address=_address(model.target),
        operations=operations,
        folder=service.folder,
        owned=model.owned,
        contact=model.contact,
        max_rate=model.max_rate,
        tls=model.tls,
        auth=model.auth,
        schema=schema_of(service),
        meaning=model.meaning,
        service=service,
    )


def _operation(service: Entry[Service], name: str, operation: Operation, seed: int, expect: Expect) -> LoadOperation:
    model = service.model
    file = service.folder / (operation.sample or service.file.name)
    texts = [_sample(service, name, sample) for sample in (operation.sample, *operation.samples)]
    path = operation.path or model.path
    headers = {**model.headers, **operation.headers}
    used = [
        place
        for place in _PLACE.findall("\n".join([*texts, path, *headers.values()]))
        if not OF_THE_ENGINE.fullmatch(f"{{{{{place}}}}}")
    ]
    for place in used:
        if place not in model.data:
            raise ConfigurationError(
                f"{file}: nothing fills the place {{{{{place}}}}}{nearest(place, list(model.data))}",
                hint=f"describe it under [data.{place}] in {service.file.name}",
            )
    if any(f"{{{{{place}}}}}" in part for place in used for part in headers.values()):
        raise ConfigurationError(
            f"{name}: places of data stand in a request's body and path, not in its headers", hint=f"see {service.file}"
        )
    columns = {place: model.data[place] for place in sorted(set(used))}
    rows = rows_of(columns, service.folder, seed, _FORMATS.get(model.meaning))
    bodies = [_fill_sample(text, row).encode() for text in texts for row in rows]
    paths: list[str] = []
    if any(f"{{{{{place}}}}}" in path for place in used):
        # The same rows, as a path must have them.
        plain = rows_of(columns, service.folder, seed, None)
        paths = [_fill_sample(path, {place: quote(value, safe="") for place, value in row.items()}) for row in plain]
        paths *= len(texts)
    return LoadOperation(
        name=name,
        method=operation.method,
        path=path,
        headers=headers,
        bodies=bodies,
        expect=expect.overriding(expected_of(service, operation)),
        filled=any(OF_THE_ENGINE.search(part) for part in [*texts, path, *headers.values()]),
        changes_data=operation.changes_data,
        paths=paths,
    )


def _sample(service: Entry[Service], name: str, sample: str | None) -> str:
    file = service.folder / (sample or "")
    try:
        return "" if sample is None else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the sample {file} of {name} cannot be read: {error}") from None


def _with_absolute_file(expect: Expect, folder: Path) -> Expect:
    """Rules whose file is named as from anywhere; those of the command line are as from where it was given."""
    return expect if expect.answer is None else expect.model_copy(update={"answer": str(folder / expect.answer)})


def _fill_sample(text: str, row: Mapping[str, str]) -> str:
    """A sample with the values of one row; places of the engine's stay."""
    return _PLACE.sub(lambda place: row.get(place[1], place[0]), text)


def of_url(url: str, method: str | None, body: bytes, headers: Mapping[str, str], expect: Expect) -> LoadTarget:
    """One request for one URL; raises TargetError if it is none."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or "@" in urlsplit(url).netloc or not url.isprintable() or " " in url:
        shown = re.sub("//[^/@]*@", "//...@", url[:200])  # who asks may stand there, with a password
        raise TargetError(
            f"'{shown}' is not a URL that can be loaded", hint="write http://HOST:PORT/PATH; --auth says who asks"
        )
    if expect.schema_kept:
        raise ConfigurationError(
            "a URL alone has no schema that answers could keep",
            hint="`steelyard import` makes a folder of its description, which has one",
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


def _address(address: str) -> str:
    """A server's address as it is asked; raises TargetError if its host's name cannot be."""
    try:
        return ascii_address(address)
    except ValueError as error:
        raise TargetError(str(error), hint="is it spelled right?") from None


def _kind_of(body: bytes) -> str:
    """What a body is sent as where nobody says: XML and JSON by how they begin."""
    begins = body.lstrip()[:1]
    kinds = {b"<": "text/xml; charset=utf-8", b"{": "application/json", b"[": "application/json"}
    return kinds.get(begins, "application/octet-stream")
