"""Converts an OpenAPI document to a service folder, and reports what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ....base.errors import ImportRefusedError
from ....base.text import first_names
from ....models.outputs.own_service import ImportOutput
from ..documents import is_url, origin
from ..folder import first_reason, import_output
from ..left_out import Left, NotTakenError
from ..names import one_line
from ..new_folder import name_of
from ..values import UnmetError
from .credentials import credentials_of
from .folder import RestFolder, write_rest_service
from .forms import WrittenBody, unwritable_fields, write_body
from .json_samples import JsonSamples
from .json_schemas import SchemaBook
from .operations import OpenApiDescription, RestBody, RestOperation, RestParameter, SampledRequest
from .parameters import path_of, template_of
from .references import Node, OpenApiDocuments
from .versions import has_old_schemas, read_openapi

_LISTED = 3  # operations that a note names


def import_openapi(
    documents: OpenApiDocuments, made: Path, out: Path, servers: Sequence[str], target: str
) -> ImportOutput:
    """Write the service of a description into the folder `made`, which will be moved to `out`. `servers` selects the server whose
    operations are imported.

    Raises ImportRefusedError if the document cannot be read or no operation can be imported.
    """
    place, name = documents.root.place, name_of(out)
    description = read_openapi(documents, target)
    _keep_one_server(description, servers)
    taking = _Taking(documents, description)
    sampled = taking.sample_requests()
    if not sampled:
        raise ImportRefusedError(f"no operation of {place} can be imported{first_reason(description.left)}")
    target = origin_of(sampled[0].operation.server)
    credentials = credentials_of(sampled)
    sampled = [credentials.fill_in(sample) for sample in sampled]
    description.notes += credentials.notes(name)
    judged = [sample.operation.name for sample in sampled if sample.operation.answers]
    content = RestFolder(
        name=name,
        title=description.title,
        place=place,
        target=target,
        credentials=credentials,
        sampled=sampled,
        answers=taking.answers.file_content(judged) if judged else {},
        requests=taking.requests.file_content(taking.sent_names(sampled)),
    )
    write_rest_service(made, content)
    _keep_documents(documents, made / "contract" / "document")
    notes = [*description.notes, *taking.notes(), *_notes(place, target, sampled)]
    taken = {sample.operation.name: sample.operation.changes_data for sample in sampled}
    return import_output(out, place, taken, description.left, notes, len(documents.raw))


def origin_of(server: str) -> str:
    """The address of a server's URL, without its path."""
    parts = urlsplit(server)
    return f"{parts.scheme}://{parts.netloc}"


class _Taking:
    """Makes samples of a description's operations, and the two schemas: one of requests, one of answers."""

    def __init__(self, documents: OpenApiDocuments, description: OpenApiDescription) -> None:
        old = has_old_schemas(documents.root)
        self.requests = SchemaBook(documents, old=old, sent=True)
        self.answers = SchemaBook(documents, old=old, sent=False)
        self._samples = JsonSamples(self.requests.definitions)
        self._description = description
        self._sent: dict[str, list[str]] = {}

    def sample_requests(self) -> list[SampledRequest]:
        """The operations with a valid sample request. The others are noted as left out, with the reason."""
        sampled = []
        for operation in self._description.operations:
            try:
                if operation.answers:
                    self.answers.define(operation.name, operation.answers)
                sampled.append(self._request(operation))
            except (NotTakenError, UnmetError) as error:
                why = f"no valid request can be made for it: {error}" if isinstance(error, UnmetError) else str(error)
                self._description.left.append(Left(f"operation {operation.name}", why))
        return sampled

    def notes(self) -> list[str]:
        """Notes on what was changed during the import."""
        return [*self.requests.notes, *self.answers.notes, *self._samples.notes]

    def sent_names(self, sampled: Sequence[SampledRequest]) -> list[str]:
        """The names of the definitions that the sampled requests use."""
        return [name for sample in sampled for name in self._sent[sample.operation.name]]

    def _request(self, operation: RestOperation) -> SampledRequest:
        sent = self._sent[operation.name] = []
        written: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}, "cookie": {}}
        left_open = []
        for parameter in operation.parameters:
            form = parameter.form
            name = f"{operation.name}.{form.where}.{form.name}"
            try:
                value = self._value(name, parameter)
                if value is not None:
                    written[form.where][form.name] = form.serialize(value)
                    sent += [name] if name in self.requests.definitions else []
                    continue
            except UnmetError as error:
                if parameter.required:
                    raise UnmetError(f"parameter {form.name}: {error}") from None
            left_open.append(f"{one_line(form.name, 60)} ({form.where})")
        body = None
        if operation.body is not None:
            body, unsent = self._body(f"{operation.name}.body", operation.body)
            sent += [f"{operation.name}.body"] if operation.body.schema is not None else []
            left_open += [f"{one_line(field, 60)} (form)" for field in unsent]
        prefix = urlsplit(operation.server).path
        path = path_of(prefix + operation.template, written["path"])
        if not path.startswith("/"):
            raise NotTakenError(f"its path '{operation.template[:100]}' does not begin with /")
        query = "&".join(filter(None, written["query"].values()))  # a list may be empty
        headers = dict(written["header"])
        if written["cookie"]:
            headers["Cookie"] = "; ".join(filter(None, written["cookie"].values()))
        template = template_of(prefix + operation.template) if written["path"] else ""
        return SampledRequest(operation, f"{path}{'?' if query else ''}{query}", headers, body, left_open, template)

    def _body(self, name: str, body: RestBody) -> tuple[WrittenBody, list[str]]:
        """A body as it is sent, and the optional fields of a form whose values cannot be written; raises UnmetError."""
        value = self._make_value(name, body.schema, body.offered, "text" if body.kind == "text" else {})
        unsent: list[str] = []
        if body.kind in ("form", "multipart") and isinstance(value, dict):
            unsent = unwritable_fields(body.kind, value, body.fields)
            value = {field: item for field, item in value.items() if field not in unsent}
            if unsent and not self._samples.accepts(name, value):
                raise UnmetError(f"the field {one_line(unsent[0], 60)} holds a value that a form cannot represent")
        return write_body(body.kind, body.content_type, value, body.fields), unsent

    def _value(self, name: str, parameter: RestParameter) -> Any:
        """The value to send. An optional parameter is sent only if the document shows an example; else None."""
        if parameter.required or parameter.offered:
            return self._make_value(name, parameter.schema, parameter.offered, "text")
        if parameter.schema is None:
            return None
        self.requests.define(name, [parameter.schema])
        schema = self.requests.definitions[name]
        shown = (
            [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]
            if schema is not True
            else []
        )
        return self._samples.value(name, shown) if shown else None

    def _make_value(self, name: str, schema: Node | None, offered: Sequence[Any], otherwise: Any) -> Any:
        if schema is None:
            return offered[0] if offered else otherwise
        self.requests.define(name, [schema])
        return self._samples.value(name, offered)


def _keep_one_server(description: OpenApiDescription, wanted: Sequence[str]) -> None:
    """Keep the operations of the `wanted` server (http://HOST:PORT, or with its path), or of the one with most operations; leave
    out the others, with the reason. Raises ImportRefusedError if no operation runs at a wanted server."""
    operations = [_at_wanted(operation, wanted) for operation in description.operations]
    times = Counter(origin_of(operation.server) for operation in operations)
    if not times:
        return
    chosen = max(times, key=lambda server: times[server])
    if wanted:
        matching = [each.server for each in operations if any(_is_server(each.server, named) for named in wanted)]
        if not matching:
            known = dict.fromkeys(server for each in operations for server in (each.server, *each.others))
            raise ImportRefusedError(
                f"no operation runs at {', '.join(wanted)}"[:300], hint=f"there are {', '.join(list(known)[:10])}"
            )
        chosen = origin_of(matching[0])
    kept: list[RestOperation] = []
    for operation in operations:
        server = origin_of(operation.server)
        if server == chosen:
            kept.append(operation)
        else:
            why = f"it runs at {server}, the others at {chosen}; import it into another folder with --port {server}"
            description.left.append(Left(f"operation {operation.name}", why))
    description.operations[:] = kept
    description.notes += _other_servers(kept)


def _at_wanted(operation: RestOperation, wanted: Sequence[str]) -> RestOperation:
    """An operation at the first of its servers that is wanted, if one is."""
    servers = (operation.server, *operation.others)
    server = next((each for each in servers if any(_is_server(each, named) for named in wanted)), operation.server)
    return replace(operation, server=server, others=tuple(each for each in servers if each != server))


def _is_server(server: str, wanted: str) -> bool:
    """Whether a server's URL is the wanted one, which may lack its scheme, and its path."""
    whole = wanted if is_url(wanted) else f"http://{wanted}"
    path = urlsplit(whole).path.rstrip("/")
    return origin(server) == origin(whole) and path in ("", urlsplit(server).path.rstrip("/"))


def _other_servers(operations: Sequence[RestOperation]) -> list[str]:
    """Notes on the servers that were not chosen, by those that were."""
    others: dict[str, dict[str, None]] = {}
    for operation in operations:
        others.setdefault(operation.server, {}).update(dict.fromkeys(operation.others))
    return [
        f"servers: {server} was chosen; the others are {', '.join(list(more)[:5])}: --port URL takes another"
        for server, more in others.items()
        if more
    ]


def _notes(place: str, target: str, sampled: Sequence[SampledRequest]) -> list[str]:
    notes = []
    if is_url(place) and origin(place) != origin(target):
        where = f"the description came from {origin(place)}, but gives {origin(target)} as the service's address"
        notes.append(f"{where}: check `target` in service.toml")
    streamed = [sample.operation.name for sample in sampled if sample.operation.accept.startswith("text/event-stream")]
    if streamed:
        notes.append(
            f"the answers of {first_names(streamed, _LISTED)} are server-sent events: their time is that of the whole "
            "stream, which must end; `load` also shows the time to the first event and between two"
        )
    unjudged = [sample.operation.name for sample in sampled if not sample.operation.answers]
    if unjudged:
        notes.append(
            f"the description has no JSON schema for the answers of {first_names(unjudged, _LISTED)}: only their status is "
            "checked"
        )
    return notes


def _keep_documents(documents: OpenApiDocuments, folder: Path) -> None:
    """Save the documents as they were read: those of the description's folder with the same relative paths, others by
    their names and a number."""
    root = documents.root.place
    own_folder = None if is_url(root) else Path(root).resolve().parent
    for number, (place, raw) in enumerate(documents.raw.items()):
        if place == root:
            begins = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            name = Path(("openapi.json" if begins == b"{" else "openapi.yaml") if is_url(root) else Path(root).name)
        elif own_folder is not None and not is_url(place) and Path(place).is_relative_to(own_folder):
            name = Path(place).relative_to(own_folder)
        else:
            plain = re.sub(
                r"[^A-Za-z0-9._-]", "_", (urlsplit(place).path if is_url(place) else place).rpartition("/")[2]
            )
            name = Path(f"elsewhere-{number}-{plain[-60:] or 'document'}")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)
