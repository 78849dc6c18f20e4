"""Reads an OpenAPI document: each operation with its parameters, body, right answers, security and server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit

from ....base import paths
from ....base.errors import ImportRefusedError
from ..documents import at_target, is_url, origin
from ..kinds import graphql_refusal
from ..names import one_line
from ..wsdl import Left, NotTakenError
from .parameters import STYLES, WireForm
from .references import Node, OpenApiDocuments

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
SAFE = ("get", "head", "options")
NOWHERE = paths.url(8080, "")  # used if the document names no server
_JSON = re.compile(r"application/([a-z0-9.+-]+\+)?json\s*(;.*)?", re.IGNORECASE)
_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_IGNORED = ("accept", "content-type", "authorization")  # OpenAPI describes these elsewhere
_SUCCESS = tuple(int(status) for status in HTTPStatus if 200 <= status < 300)


@dataclass(frozen=True)
class RestParameter:
    """A parameter: its serialization, its schema (None: any text), and the document's examples."""

    form: WireForm
    required: bool
    schema: Node | None
    offered: tuple[Any, ...]


@dataclass(frozen=True)
class RestBody:
    """A request's JSON body: its content type, its schema (None: anything), and the document's examples."""

    content_type: str
    schema: Node | None
    offered: tuple[Any, ...]


@dataclass(frozen=True)
class Scheme:
    """A security scheme: its `kind` as in a service file (empty: not supported), the `header` of an API key, its name,
    and `words` that describe it."""

    name: str
    kind: str
    words: str
    header: str = ""


@dataclass(frozen=True)
class RestOperation:
    """One operation.

    `statuses` are those of right answers; an answer must match one of the schemas `answers`. `has_body`: every right
    answer has a body. `schemes` are all required together; empty: no credentials are needed.
    """

    name: str
    method: str
    template: str
    server: str
    parameters: tuple[RestParameter, ...]
    body: RestBody | None
    statuses: tuple[int, ...]
    answers: tuple[Node, ...]
    has_body: bool
    schemes: tuple[Scheme, ...]
    text: str

    @property
    def changes_data(self) -> bool:
        """Whether its method changes data, as all but GET, HEAD and OPTIONS do."""
        return self.method not in SAFE


@dataclass
class OpenApiDescription:
    """The operations of a document in order, what was left out and why, and notes on what was changed."""

    title: str
    operations: list[RestOperation] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_openapi(documents: OpenApiDocuments, target: str = "") -> OpenApiDescription:
    """The operations of every path; raises ImportRefusedError if the document is not OpenAPI 3.0 or 3.1."""
    root = documents.root
    require_spoken(root)
    try:
        return _OpenApiReading(documents, target).description()
    except NotTakenError as error:
        raise ImportRefusedError(f"{root.place} cannot be used: {error}") from None


def require_spoken(root: Node) -> None:
    """Raises ImportRefusedError with the document's kind if it is not OpenAPI 3.0 or 3.1."""
    if not isinstance(root.value, dict):
        raise ImportRefusedError(f"{root.place} is not an OpenAPI document: its top level is not an object")
    data = root.value.get("data")
    if "__schema" in root.value or (isinstance(data, dict) and "__schema" in data):
        raise graphql_refusal(root.place)
    for key, name in (("swagger", "Swagger 2.0"), ("asyncapi", "AsyncAPI")):
        if key in root.value:
            hint = "convert it to OpenAPI 3 first" if key == "swagger" else "it does not describe HTTP requests"
            raise ImportRefusedError(f"{root.place} is {name}; only OpenAPI 3.0 and 3.1 are supported", hint=hint)
    version = root.value.get("openapi")
    if not isinstance(version, str) or not re.match(r"3\.[01](\.|$)", version):
        problem = (
            "has no version in a text field 'openapi'"
            if not isinstance(version, str)
            else f"is OpenAPI {one_line(version, 40)}"
        )
        raise ImportRefusedError(f"{root.place} {problem}; only OpenAPI 3.0 and 3.1 are supported")


class _OpenApiReading:
    def __init__(self, documents: OpenApiDocuments, target: str) -> None:
        self._documents = documents
        self._target = target
        self._root = documents.root
        info = self._root.children_by_name("info")
        title = info["title"].value if "title" in info else ""
        self._read = OpenApiDescription(one_line(title, 80) if isinstance(title, str) else "")
        self._names: set[str] = set()

    def description(self) -> OpenApiDescription:
        servers = self._servers(self._root)
        for template, item in self._root.children_by_name("paths").items():
            if template.startswith("x-"):
                continue
            try:
                beside = [key for key in METHODS if item.has("$ref") and item.has(key)]
                if beside:
                    raise NotTakenError(
                        f"it has a $ref and, beside it, {', '.join(beside)}: OpenAPI leaves open which holds"
                    )
                item = self._documents.resolve(item)
                item.object()
            except NotTakenError as error:
                self._read.left.append(Left(f"path {one_line(template, 100)}", str(error)))
                continue
            for method in METHODS:
                if item.has(method):
                    self._read_operation(template, method, item, servers)
        if self._root.has("webhooks"):
            self._read.left.append(Left("webhooks", "the service sends these requests itself"))
        others = servers[1:]
        if others and self._read.operations:
            listed = ", ".join(others[:5])
            self._read.notes.append(
                f"servers: {servers[0]} was chosen; the others are {listed}: see `target` in service.toml"
            )
        return self._read

    def _read_operation(self, template: str, method: str, item: Node, servers: Sequence[str]) -> None:
        where = f"{method.upper()} {one_line(template, 100)}"
        try:
            node = self._documents.resolve(item.at(method))
            operation = self._operation(template, method, item, node, servers)
            if node.has("callbacks"):
                self._read.notes.append(f"{operation.name}: the service's callbacks are not answered")
            self._read.operations.append(operation)
        except NotTakenError as error:
            self._read.left.append(Left(f"operation {where}", str(error)))

    def _operation(self, template: str, method: str, item: Node, node: Node, servers: Sequence[str]) -> RestOperation:
        if method == "trace":
            raise NotTakenError("its method is TRACE, which echoes the request")
        node.object()
        text = one_line(node.text("summary") or node.text("description"), 120)
        statuses, answers, has_body = self._answers(node, method)
        own = next((level for level in (node, item) if level.has("servers")), None)
        return RestOperation(
            name=self._own_name(node.text("operationId") or f"{method}_{template}"),
            method=method,
            template=template,
            server=self._servers(own)[0] if own is not None else servers[0],
            parameters=tuple(self._parameters(item, node)),
            body=self._body(node, method),
            statuses=statuses,
            answers=answers,
            has_body=has_body,
            schemes=self._schemes(node),
            text=text,
        )

    def _own_name(self, wanted: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9.-]+", "_", wanted).strip("_.")[:80] or "operation"
        numbers = (f"{plain}{f'.{number}' if number > 1 else ''}" for number in range(1, len(self._names) + 2))
        name = next(
            name for name in numbers if name.lower() not in self._names
        )  # file names are case-insensitive on some systems
        self._names.add(name.lower())
        return name

    def _servers(self, level: Node) -> list[str]:
        """The absolute URLs of a level's servers; NOWHERE if it names none."""
        addresses = []
        for server in level.nodes("servers"):
            url = server.text("url")
            for name, variable in server.children_by_name("variables").items():
                url = url.replace(f"{{{name}}}", variable.text("default"))
            addresses.append(url.strip())
        place = self._root.place
        if self._target:
            return list(dict.fromkeys(at_target(address, self._target).rstrip("/") for address in addresses or ["/"]))
        relative = [address for address in addresses if not is_url(address)]
        if relative and not is_url(place):
            self._read.notes.append(
                f"the server {one_line(relative[0], 80)} is relative, and the document a file: `target` in service.toml is "
                f"set to {NOWHERE}; --target URL names another"
            )
        if not addresses and not is_url(place):
            self._read.notes.append(
                f"the document names no server: `target` in service.toml is set to {NOWHERE}; --target URL names another"
            )
        whole: dict[str, None] = {}
        refused = None
        for address in addresses or ["/"]:
            try:
                whole[_address(urljoin(place if is_url(place) else NOWHERE, address))] = None
            except (NotTakenError, ValueError) as error:
                refused = str(error)
        if not whole:
            raise NotTakenError(refused or "it has no server")
        return list(whole)

    def _parameters(self, item: Node, node: Node) -> Iterator[RestParameter]:
        """The parameters of the path and of the operation; the operation's take precedence."""
        described: dict[tuple[str, str], Node] = {}
        for level in (item, node):
            for listed in level.nodes("parameters"):
                parameter = self._documents.resolve(listed)
                described[(parameter.text("in"), parameter.text("name"))] = parameter
        for (where, name), parameter in described.items():
            if where not in STYLES or not name:
                raise NotTakenError(f"{parameter.where} is a parameter without a name or with an unknown `in`")
            if where == "header" and name.lower() in _IGNORED:
                continue
            if where == "header" and not _FIELD.fullmatch(name):
                raise NotTakenError(f"{parameter.where} has a name that is not a valid header name")
            yield self._parameter(where, name, parameter)

    def _parameter(self, where: str, name: str, node: Node) -> RestParameter:
        style = node.text("style", STYLES[where][0])
        if style not in STYLES[where]:
            raise NotTakenError(
                f"{node.where} has the style '{one_line(style, 40)}', which is not defined for a {where}"
            )
        content = next(iter(self._contents(node).items()), None)
        if content is not None and not _JSON.fullmatch(content[0]):
            raise NotTakenError(f"{node.where} has the content type {one_line(content[0], 60)}, not JSON")
        form = WireForm(
            name, where, style, node.flag("explode", style == "form"), content is not None, node.flag("allowReserved")
        )
        holder = node if content is None else content[1]
        schema = holder.at("schema") if holder.has("schema") else None
        return RestParameter(form, where == "path" or node.flag("required"), schema, self._example_values(holder))

    def _example_values(self, holder: Node) -> tuple[Any, ...]:
        """The examples of a parameter or body: `example`, else the values of `examples`."""
        if holder.has("example"):
            return (holder.value["example"],)
        named = (self._documents.resolve(example) for example in holder.children_by_name("examples").values())
        return tuple(example.value["value"] for example in named if example.has("value"))

    def _contents(self, holder: Node) -> dict[str, Node]:
        """The media types of a parameter, body or answer, each followed to where it stands."""
        return {kind: self._documents.resolve(content) for kind, content in holder.children_by_name("content").items()}

    def _body(self, node: Node, method: str) -> RestBody | None:
        if not node.has("requestBody"):
            return None
        described = self._documents.resolve(node.at("requestBody"))
        contents = self._contents(described)
        kind = _json_of(contents)
        if kind is None:
            if not described.flag("required") and method in SAFE:
                return None
            listed = ", ".join(one_line(each, 60) for each in contents) or "of unknown content type"
            raise NotTakenError(f"its body is {listed}, not JSON")
        content = contents[kind]
        schema = content.at("schema") if content.has("schema") else None
        sent = kind if "*" not in kind and kind.isascii() and kind.isprintable() else "application/json"
        return RestBody(sent, schema, self._example_values(content))

    def _answers(self, node: Node, method: str) -> tuple[tuple[int, ...], tuple[Node, ...], bool]:
        """The statuses of right answers, the schemas of which an answer must match one (none: not checked), and whether
        every answer has a body."""
        responses = node.children_by_name("responses")
        right = {code: response for code, response in responses.items() if re.fullmatch(r"2(\d\d|XX)", code)}
        if not right:
            right = {code: response for code, response in responses.items() if re.fullmatch(r"3\d\d", code)}
        if not right and "default" in responses:
            right = {"200": responses["default"]}
        statuses: dict[int, None] = {}
        schemas, has_body, judged = [], True, True
        for code, response in right.items():
            statuses |= dict.fromkeys(_SUCCESS if code == "2XX" else (int(code),))
            contents = self._contents(self._documents.resolve(response))
            kind = _json_of(contents)
            if kind is not None and contents[kind].has("schema"):
                schemas.append(contents[kind].at("schema"))
            elif contents:
                judged = False  # not JSON, or without a schema
            has_body = has_body and kind is not None
        known = judged and bool(schemas) and method != "head"
        return tuple(statuses) or (200,), tuple(schemas) if known else (), known and has_body

    def _schemes(self, node: Node) -> tuple[Scheme, ...]:
        """The first alternative that is supported, else the first; nothing if credentials are optional."""
        level = node if node.has("security") else self._root
        alternatives = []
        for requirement in level.nodes("security"):
            alternatives.append(tuple(self._scheme(name) for name in requirement.object()))
        if not alternatives or () in alternatives:
            return ()
        spoken = (schemes for schemes in alternatives if all(scheme.kind for scheme in schemes))
        return next(spoken, alternatives[0])

    def _scheme(self, name: str) -> Scheme:
        components = self._root.at("components") if self._root.has("components") else self._root
        described = components.children_by_name("securitySchemes")
        if name not in described:
            raise NotTakenError(
                f"its security names the scheme '{one_line(name, 60)}', which the document does not define"
            )
        scheme = self._documents.resolve(described[name])
        kind, where = scheme.text("type"), scheme.text("in")
        if kind == "apiKey":
            key = scheme.text("name")
            if where != "query" and not _FIELD.fullmatch(key):
                raise NotTakenError(
                    f"{scheme.where} names '{one_line(key, 60)}', which is not a valid name of a header or cookie"
                )
            if where == "header":
                return Scheme(name, "api-key", f"an API key in the header {key}", key)
            if where == "cookie":
                return Scheme(name, "api-key", f"an API key in the cookie {key}: the secret is {key}=VALUE", "Cookie")
            return Scheme(
                name,
                "",
                f"an API key in the query ({one_line(key, 60)}), which would be stored with the run: append it to the paths",
            )
        if kind == "http":
            way = scheme.text("scheme").lower()
            return Scheme(
                name, way if way in ("basic", "digest", "bearer") else "", f"HTTP authentication '{one_line(way, 40)}'"
            )
        if kind in ("oauth2", "openIdConnect"):
            return Scheme(name, "bearer", f"a bearer token of {kind}, which you get from its issuer")
        if kind == "mutualTLS":
            return Scheme(name, "", "a client certificate: [tls] in service.toml names it")
        raise NotTakenError(f"{scheme.where} is not a known type of security scheme")


def _json_of(contents: dict[str, Node]) -> str | None:
    """The JSON media type of a content; None if it has none."""
    return next((kind for kind in contents if _JSON.fullmatch(kind) or kind.strip() in ("*/*", "application/*")), None)


def _address(url: str) -> str:
    """A server's URL without query, fragment and credentials; raises NotTakenError if it is not an HTTP URL."""
    refused = NotTakenError(f"its server '{one_line(url, 80)}' is not a valid http or https URL")
    try:
        parts = urlsplit(url)
        origin(url)
    except (ValueError, ImportRefusedError):
        raise refused from None
    if parts.scheme not in ("http", "https") or set("{}@ ") & set(parts.netloc) or not parts.netloc.isascii():
        raise refused
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
