"""HTTP samplers of a JMeter plan, with the configuration that applies to them, as requests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from lxml import etree

from ..names import local, one_line
from . import jmeter_parts as parts
from .filled_texts import as_place
from .imported_requests import (
    RIGHT_STATUSES,
    HeldCredentials,
    HeldRequest,
    ImportedRequests,
    LeftOutError,
    NotYetError,
    with_query,
)
from .rules import Rules
from .think_times import ThinkTime

SAMPLERS = ("HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2")
_REDIRECTS = (302, 303)
_KEPT = "/?&=%:@!$'()*+,;~-._{}"


@dataclass(frozen=True)
class Scope:
    """The configuration that applies to the samplers in a part of the plan."""

    defaults: dict[str, str] = field(default_factory=dict)
    arguments: tuple[etree._Element, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    assertions: tuple[etree._Element, ...] = ()
    extractors: tuple[etree._Element, ...] = ()
    pauses: tuple[ThinkTime, ...] = ()
    credentials: HeldCredentials | None = None


def element_name(element: etree._Element) -> str:
    """An element by its kind and name."""
    return f"{local(str(element.tag))} '{one_line(element.get('testname') or '', 60)}'"


def sampler_name(element: etree._Element) -> str:
    """A sampler by its name and line."""
    return f"sampler '{one_line(element.get('testname') or '', 60)}' in line {element.sourceline}"


class RequestReader:
    """Reads samplers; `redirected` are those whose redirects the plan follows, `closing` those that close their connection."""

    def __init__(self, held: ImportedRequests, texts: parts.Texts) -> None:
        self._held, self._texts = held, texts
        self.redirected: list[str] = []
        self.closing: list[str] = []

    def request(self, element: etree._Element, scope: Scope) -> HeldRequest:
        """The request of a sampler; raises LeftOutError."""
        where = sampler_name(element)
        own = scope.defaults | {name: text for name, text in parts.properties(element).items() if text}
        fill = self._texts.fill
        if own.get("HTTPSampler.DO_MULTIPART_POST") == "true" or parts.files_of(element):
            raise LeftOutError("its body is multipart or a file, which a sample cannot hold")
        method = fill(own.get("HTTPSampler.method") or "GET").upper()
        arguments = [*scope.arguments, *parts.argument_elements(element)]
        raw = own.get("HTTPSampler.postBodyRaw") == "true" or (
            bool(arguments) and not any(parts.properties(each).get("Argument.name") for each in arguments)
        )
        body, query = "", ""
        if raw:
            body = fill("".join(parts.properties(each).get("Argument.value", "") for each in arguments))
        else:
            query = parts.form_of(arguments, fill)
            if method in ("POST", "PUT", "PATCH"):
                body, query = query, ""
        url = self._url(own)
        headers = self._headers(scope, where)
        if body and not raw and not any(name.lower() == "content-type" for name, _ in headers):
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        if own.get("HTTPSampler.use_keepalive") == "false":
            self.closing.append(element.get("testname") or "")
        if own.get("HTTPSampler.image_parser") == "true":
            self._held.leave_out(f"{where}: embedded resources", "import each as a separate request")
        expect = self._expected_answer(scope, where)
        follows = "true" in (own.get("HTTPSampler.follow_redirects"), own.get("HTTPSampler.auto_redirects"))
        if follows and method != "GET" and "status" not in expect:
            expect = {"status": [*RIGHT_STATUSES, *_REDIRECTS], **expect}
            self.redirected.append(element.get("testname") or "")
        return HeldRequest(
            where,
            method,
            with_query(url, query),
            name=element.get("testname") or "",
            headers=tuple(headers),
            body=body,
            expect=expect,
            credentials=scope.credentials,
        )

    def _headers(self, scope: Scope, where: str) -> list[tuple[str, str]]:
        """The headers that have a value when the request is sent."""
        headers = []
        for name, value in scope.headers:
            try:
                headers.append((self._texts.fill(name), self._texts.fill(value)))
            except NotYetError as error:
                self._held.leave_out(f"header {one_line(name, 60)} of {where}", str(error))
        return headers

    def _expected_answer(self, scope: Scope, where: str) -> dict[str, object]:
        rules = Rules()
        for assertion in scope.assertions:
            check = parts.ASSERTIONS.get(parts.kind_of(assertion))
            try:
                if check is not None:
                    check(assertion, rules, self._texts.fill_fixed)
            except LeftOutError as error:
                self._held.leave_out(f"{element_name(assertion)} of {where}", str(error))
        return rules.collected

    def _url(self, own: dict[str, str]) -> str:
        fill = self._texts.fill
        path = fill(own.get("HTTPSampler.path", ""))
        if path.lower().startswith(("http://", "https://")):
            return path
        rest = f"/{quote(path.lstrip('/'), safe=_KEPT)}"
        filled = []
        for text in (own.get("HTTPSampler.domain", ""), own.get("HTTPSampler.port", "")):
            try:
                filled.append(fill(text))
            except LeftOutError:
                return as_place(re.findall(r"[A-Za-z0-9_.-]+", text)[-1]) + rest
        domain, port = filled
        if not domain:
            raise LeftOutError("it names no server")
        scheme = fill(own.get("HTTPSampler.protocol", "")) or "http"
        return f"{scheme}://{domain}{f':{port}' if port else ''}{rest}"


def with_headers(scope: Scope, listed: list[tuple[str, str]]) -> Scope:
    """The scope with further headers, which replace those of the same name."""
    named = {name.lower() for name, _ in listed}
    kept = (pair for pair in scope.headers if pair[0].lower() not in named)
    return replace(scope, headers=(*kept, *listed))
