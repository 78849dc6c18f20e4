"""Reads an OpenAPI document: each operation with its parameters, body, right answers, security and server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit

from ....base import paths
from ....base.errors import ImportRefusedError
from ....base.text import first_names
from ..documents import at_target, is_url, origin
from ..left_out import Left, NotTakenError
from ..names import one_line, unused_name
from .content_types import FORM, accept_of, is_json, is_wildcard, json_of, sendable_body
from .form_fields import fields_of
from .operations import SAFE, OpenApiDescription, RestBody, RestOperation, RestParameter, Scheme
from .parameters import STYLES, WireForm
from .references import Node, OpenApiDocuments

_OF_PATHS = ("parameters", "servers", "additionalOperations")
_OF_OPERATIONS = ("operationId", "parameters", "requestBody", "responses", "servers", "security", "callbacks")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
NOWHERE = paths.url(8080, "")  # used if the document names no server
_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_METHOD = re.compile("[A-Z]{1,20}")
_PLACE = re.compile(r"\{([^{}]+)\}")  # a parameter in a path
_LISTED = 5  # parameters that a note names
_IGNORED = ("accept", "content-type", "authorization")  # OpenAPI describes these elsewhere
_SUCCESS = tuple(int(status) for status in HTTPStatus if 200 <= status < 300)


class OpenApiReading:
    """A reading of one document of OpenAPI 3."""

    servers_key = "servers"  # by which an operation or a path has servers of its own
    in_body: tuple[str, ...] = ()  # places of parameters that are parts of a body

    def __init__(self, documents: OpenApiDocuments, target: str) -> None:
        self._documents = documents
        self._target = target
        self._root = documents.root
        info = self._root.children_by_name("info")
        title = info["title"].value if "title" in info else ""
        self._read = OpenApiDescription(one_line(title, 80) if isinstance(title, str) else "")
        self._names: set[str] = set()
        self._undescribed: list[str] = []
        self._unnamed: list[str] = []

    def description(self) -> OpenApiDescription:
        servers = self._servers(self._root)
        for template, item in self._root.children_by_name("paths").items():
            if template.startswith("x-"):
                continue
            try:
                item = self._elsewhere(item, (*METHODS, *_OF_PATHS))
                methods = [method for method in METHODS if method in item.object()]
            except NotTakenError as error:
                self._read.left.append(Left(f"path {one_line(template, 100)}", str(error)))
                continue
            for method in methods:
                self._read_operation(template, method, item, item.at(method), servers)
            self._read_additional(template, item, servers)
        if self._root.has("webhooks"):
            self._read.left.append(Left("webhooks", "the service sends these requests itself"))
        self._note_parameters(self._undescribed, "path parameters without a description have the value 'text'")
        self._note_parameters(self._unnamed, "path parameters that their path does not name were left out")
        return self._read

    def _elsewhere(self, node: Node, keys: Sequence[str]) -> Node:
        """Where a path or an operation stands; raises NotTakenError if it has a $ref and one of these keys beside it."""
        beside = [key for key in keys if node.has("$ref") and node.has(key)]
        if beside:
            raise NotTakenError(f"it has a $ref and, beside it, {', '.join(beside)}: OpenAPI leaves open which holds")
        return self._documents.resolve(node)

    def _note_parameters(self, names: Sequence[str], sentence: str) -> None:
        if names:
            self._read.notes.append(f"{sentence}: {first_names(names, _LISTED)}")

    def _read_additional(self, template: str, item: Node, servers: Sequence[str]) -> None:
        """Read the operations whose methods OpenAPI has no key for (3.2)."""
        try:
            additional = item.children_by_name("additionalOperations")
        except NotTakenError as error:
            self._read.left.append(Left(f"path {one_line(template, 100)}", str(error)))
            return
        for method, node in additional.items():
            if _METHOD.fullmatch(method):
                self._read_operation(template, method.lower(), item, node, servers)
            else:
                why = f"'{one_line(method, 40)}' is not a supported method"
                self._read.left.append(Left(f"an additional operation of {one_line(template, 100)}", why))

    def _read_operation(self, template: str, method: str, item: Node, at: Node, servers: Sequence[str]) -> None:
        where = f"{method.upper()} {one_line(template, 100)}"
        try:
            node = self._elsewhere(at, _OF_OPERATIONS)
            operation = self._operation(template, method, item, node, servers)
            if node.has("callbacks"):
                self._read.notes.append(f"{operation.name}: the service's callbacks are not answered")
            self._read.operations.append(operation)
        except NotTakenError as error:
            self._read.left.append(Left(f"operation {where}", str(error)))

    def _operation(self, template: str, method: str, item: Node, node: Node, servers: Sequence[str]) -> RestOperation:
        if method == "trace":
            raise NotTakenError("its method is TRACE, which echoes the request")
        if {"?", "#"} & set(template):
            raise NotTakenError("its path has a query or a fragment, which a path of OpenAPI cannot have")
        node.object()
        text = one_line(node.text("summary") or node.text("description"), 120)
        statuses, answers, has_body, accept = self._answers(node, method)
        own = next((level for level in (node, item) if level.nodes(self.servers_key)), None)
        here = servers if own is None else self._servers(own)
        return RestOperation(
            name=self._own_name(node.text("operationId") or f"{method}_{template}"),
            method=method,
            template=template,
            server=here[0],
            others=tuple(here[1:]),
            parameters=self._with_undescribed(method, template, tuple(self._parameters(item, node))),
            body=self._body(item, node, method),
            statuses=statuses,
            answers=answers,
            has_body=has_body,
            accept=accept,
            schemes=self._schemes(node),
            text=text,
        )

    def _own_name(self, wanted: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9.-]+", "_", wanted).strip("_.") or "operation"
        return unused_name(plain, self._names, ".", 80)

    def _servers(self, level: Node) -> list[str]:
        """The absolute URLs of a level's servers; NOWHERE if it names none."""
        addresses = self._addresses(level)
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
        refused: list[str] = []
        for address in addresses or ["/"]:
            try:
                whole[_address(urljoin(place if is_url(place) else NOWHERE, address))] = None
            except (NotTakenError, ValueError) as error:
                refused.append(str(error))
        if not whole:
            raise NotTakenError(f"{refused[0]}: --target URL names the server")
        self._read.notes += [f"{why}, and another one was taken" for why in refused]
        return list(whole)

    def _addresses(self, level: Node) -> list[str]:
        """The URLs of a level's servers as they are written, with the defaults of their variables."""
        addresses = []
        for server in level.nodes("servers"):
            url = server.text("url")
            for name, variable in server.children_by_name("variables").items():
                url = url.replace(f"{{{name}}}", variable.text("default"))
            addresses.append(url.strip())
        return addresses

    def _described_parameters(self, item: Node, node: Node) -> dict[tuple[str, str], Node]:
        """The parameters of the path and of the operation by their place and name; the operation's take precedence."""
        described: dict[tuple[str, str], Node] = {}
        for level in (item, node):
            for listed in level.nodes("parameters"):
                parameter = self._documents.resolve(listed)
                where, name = parameter.text("in"), parameter.text("name")
                for known in [key for key in described if where == "header" and _is_same_header(key, name)]:
                    del described[known]
                described[(where, name)] = parameter
        return described

    def _parameters(self, item: Node, node: Node) -> Iterator[RestParameter]:
        """The parameters that are sent outside the body."""
        for (where, name), parameter in self._described_parameters(item, node).items():
            if where in self.in_body:
                continue
            try:
                if where == "querystring":  # of 3.2
                    yield self._whole_query(name, parameter)
                elif self._is_sent(where, name, parameter):
                    yield self._parameter(where, name, parameter)
            except NotTakenError as error:
                if where == "path" or parameter.flag("required"):
                    raise
                self._read.notes.append(f"an optional parameter was left out: {error}")

    def _with_undescribed(
        self, method: str, template: str, described: tuple[RestParameter, ...]
    ) -> tuple[RestParameter, ...]:
        """The parameters, and those that the path names and nothing describes: any text."""
        where = f"{method.upper()} {one_line(template, 100)}"
        named = list(dict.fromkeys(_PLACE.findall(template)))
        known = [parameter.form.name for parameter in described if parameter.form.where == "path"]
        missing = [name for name in named if name not in known]
        self._undescribed += [f"{one_line(name, 60)} of {where}" for name in missing]
        self._unnamed += [f"{one_line(name, 60)} of {where}" for name in known if name not in named]
        more = [RestParameter(WireForm(name, "path", "simple", explode=False), True, None, ()) for name in missing]
        return (*described, *more)

    def _is_sent(self, where: str, name: str, parameter: Node) -> bool:
        """Whether a parameter is sent as one; raises NotTakenError if it is not a valid one."""
        if where not in STYLES or not name:
            raise NotTakenError(f"{parameter.where} is a parameter without a name or with an unknown `in`")
        if where == "header" and name.lower() in _IGNORED:
            return False
        if where == "header" and not _FIELD.fullmatch(name):
            raise NotTakenError(f"{parameter.where} has a name that is not a valid header name")
        return True

    def _whole_query(self, name: str, node: Node) -> RestParameter:
        """A parameter that is the whole query, as a URL-encoded form."""
        contents = self._contents(node)
        if list(contents) != [FORM]:
            raise NotTakenError(
                f"{node.where} describes the whole query as {', '.join(contents) or 'nothing'}, not a form"
            )
        holder = contents[FORM]
        schema = holder.at("schema") if holder.has("schema") else None
        form = WireForm(name, "query", "form", explode=True)
        return RestParameter(form, node.flag("required"), schema, self._example_values(holder))

    def _parameter(self, where: str, name: str, node: Node) -> RestParameter:
        style = node.text("style", STYLES[where][0])
        if style not in STYLES[where]:
            raise NotTakenError(
                f"{node.where} has the style '{one_line(style, 40)}', which is not supported for a {where}"
            )
        content = next(iter(self._contents(node).items()), None)
        if content is not None and not is_json(content[0]):
            raise NotTakenError(f"{node.where} has the content type {one_line(content[0], 60)}, not JSON")
        reserved = where == "query" and node.flag("allowReserved")
        form = WireForm(name, where, style, node.flag("explode", style == "form"), content is not None, reserved)
        holder = node if content is None else content[1]
        schema = holder.at("schema") if holder.has("schema") else None
        return RestParameter(form, where == "path" or node.flag("required"), schema, self._example_values(holder))

    def _example_values(self, holder: Node) -> tuple[Any, ...]:
        """The examples of a parameter or body: `example`, else the values of `examples` (3.2: or their `dataValue`)."""
        if holder.has("example"):
            return (holder.value["example"],)
        named = [self._documents.resolve(example) for example in holder.children_by_name("examples").values()]
        return tuple(example.value[key] for example in named for key in ("dataValue", "value") if example.has(key))

    def _contents(self, holder: Node) -> dict[str, Node]:
        """The media types of a parameter, body or answer, each followed to where it stands."""
        return {kind: self._documents.resolve(content) for kind, content in holder.children_by_name("content").items()}

    def _body(self, item: Node, node: Node, method: str) -> RestBody | None:
        """The body of an operation of the path `item`; None if it has none."""
        del item  # Swagger describes bodies among its parameters
        if not node.has("requestBody"):
            return None
        described = self._documents.resolve(node.at("requestBody"))
        contents = self._contents(described)
        chosen = sendable_body(contents)
        if chosen is None:
            if not described.flag("required") and method in SAFE:
                return None
            return self._shown_body(contents)
        content = contents[chosen[0]]
        schema = content.at("schema") if content.has("schema") else None
        fields = fields_of(content, chosen[1], self._documents) if chosen[1] in ("form", "multipart") else {}
        return RestBody(self._sent_type(chosen[0]), schema, self._example_values(content), chosen[1], fields)

    def _shown_body(self, contents: Mapping[str, Node]) -> RestBody:
        """The first text that the document shows as a body of another content type; raises NotTakenError without one."""
        for kind, content in contents.items():
            texts = [shown for shown in self._example_values(content) if isinstance(shown, str)]
            if texts and "*" not in kind:
                return RestBody(self._sent_type(kind), None, (texts[0],), "text")
        raise NotTakenError(self._unsent_text(list(contents)))

    @staticmethod
    def _unsent_text(kinds: Sequence[str]) -> str:
        listed = ", ".join(one_line(each, 60) for each in kinds) or "of unknown content type"
        return f"its body is {listed}, neither JSON nor a form nor plain text, and has no text as an example"

    @staticmethod
    def _sent_type(kind: str) -> str:
        return kind if "*" not in kind and kind.isascii() and kind.isprintable() else "application/json"

    def _answers(self, node: Node, method: str) -> tuple[tuple[int, ...], tuple[Node, ...], bool, str]:
        """The statuses of right answers, the schemas of which an answer must match one (none: not checked), whether
        every answer has a body, and the Accept header for them."""
        responses = node.children_by_name("responses")
        right = {
            code.upper(): response for code, response in responses.items() if re.fullmatch(r"2(\d\d|[Xx]{2})", code)
        }
        if not right:
            right = {code: response for code, response in responses.items() if re.fullmatch(r"3\d\d", code)}
        if not right and "default" in responses:
            right = {"200": responses["default"]}
        statuses: dict[int, None] = {}
        schemas, described, has_body, judged = [], [], True, True
        for code, response in right.items():
            statuses |= dict.fromkeys(_SUCCESS if code == "2XX" else (int(code),))
            contents = self._answer_contents(node, self._documents.resolve(response))
            described.append(contents)
            kind = json_of(contents)
            if kind is not None and contents[kind].has("schema") and not self._may_be_text(kind, contents[kind]):
                schemas.append(contents[kind].at("schema"))
            elif contents:
                judged = False  # not JSON, or without a schema
            has_body = has_body and kind is not None
        known = judged and bool(schemas) and method != "head"
        accept = accept_of(self._answered_types(node, described))
        return tuple(statuses) or (200,), tuple(schemas) if known else (), known and has_body, accept

    def _answer_contents(self, node: Node, response: Node) -> dict[str, Node]:
        """The contents of an answer by their media types, each with a `schema` if it is described."""
        del node  # Swagger describes the types at the operation
        return self._contents(response)

    def _answered_types(self, node: Node, contents: Sequence[Mapping[str, Node]]) -> list[str]:
        """The media types of right answers, of which `contents` has those of each."""
        del node
        return [kind for each in contents for kind in each]

    def _may_be_text(self, kind: str, content: Node) -> bool:
        """Whether an answer of any type is described as a text, which servers send as it is, and not as JSON."""
        schema = self._documents.resolve(content.at("schema"))
        return is_wildcard(kind) and isinstance(schema.value, dict) and schema.value.get("type") == "string"

    def _schemes(self, node: Node) -> tuple[Scheme, ...]:
        """The first alternative that is supported, else the first; nothing if credentials are optional."""
        level = node if node.has("security") else self._root
        alternatives = []
        for requirement in level.nodes("security"):
            alternatives.append(tuple(self._scheme(name) for name in requirement.object()))
        if not alternatives or () in alternatives:
            return ()
        supported = (schemes for schemes in alternatives if all(scheme.kind for scheme in schemes))
        return next(supported, alternatives[0])

    def _scheme(self, name: str) -> Scheme:
        described = self._security_schemes()
        if name not in described:
            raise NotTakenError(
                f"its security names the scheme '{one_line(name, 60)}', which the document does not define"
            )
        return self._scheme_of_kind(name, self._documents.resolve(described[name]))

    def _security_schemes(self) -> dict[str, Node]:
        components = self._root.at("components") if self._root.has("components") else self._root
        return components.children_by_name("securitySchemes")

    def _scheme_of_kind(self, name: str, scheme: Node) -> Scheme:
        kind, where = scheme.text("type"), scheme.text("in")
        if kind == "apiKey":
            key = scheme.text("name")
            if where != "query" and not _FIELD.fullmatch(key):
                raise NotTakenError(
                    f"{scheme.where} names '{one_line(key, 60)}', which is not a valid name of a header or cookie"
                )
            if where == "header":
                return Scheme(name, "api-key", f"an API key in the header {key}", header=key, key=key)
            if where == "cookie":
                return Scheme(name, "api-key", f"an API key in the cookie {key}", header="Cookie", key=key)
            return Scheme(name, "api-key", f"an API key in the query ({one_line(key, 60)})", key=key)
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


def _is_same_header(known: tuple[str, str], name: str) -> bool:
    """Whether a known parameter is the header of this name, written otherwise."""
    return known[0] == "header" and known[1] != name and known[1].lower() == name.lower()


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
