"""Reads SoapUI projects: the requests of test steps, else of interfaces, with assertions.

Scripts are listed, never run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from ....base.errors import ImportRefusedError
from ..documents import parse
from ..names import local, one_line
from .filled_texts import quote_text
from .imported_requests import (
    COOKIES_ARE_KEPT,
    RIGHT_STATUSES,
    HeldCredentials,
    HeldRequest,
    HeldSession,
    HeldStep,
    ImportedRequests,
    LeftOutError,
    load_words,
    with_query,
)
from .rules import FORBIDS_TEXT, ONLY_FOUND, Rules, plain
from .soapui_values import CON, C, CaseValues, SentStep
from .think_times import ThinkTime, sum_of
from .xml_head import root_of

_HEADERS = "com.eviware.soapui.impl.wsdl.WsdlRequest@request-headers"
_UNFILLED = re.compile(r">\s*\?\s*</")
_NEVER_RUN = "a script; scripts are not run"
_STEPS = {
    "groovy": _NEVER_RUN,
    "goto": "a session has no conditions and no jumps",
    "calltestcase": "its requests are imported with their own test case",
}
# Settings by which SoapUI adds headers to a message, and what they add.
_ADDED = {
    "outgoingWss": "the security (WSS)",
    "useWsAddressing": "the addressing (WS-A)",
    "useWsReliableMessaging": "the reliable messaging (WS-RM)",
}
_TOKENS = {"PasswordText": "password", "PasswordDigest": "password-digest"}
_OWN_HEADERS = "SoapUI adds it when it sends: write the headers into the sample"
_SOAP_TYPES = {"1_1": "text/xml; charset=utf-8", "1_2": "application/soap+xml; charset=utf-8"}


class SoapUiProject:
    """A SoapUI or ReadyAPI project in one file."""

    title = "a SoapUI project"
    mark = "it is XML with the root <soapui-project>"

    def recognizes(self, head: str) -> bool:
        """Whether the root element is that of a project."""
        return root_of(head) == "soapui-project"

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all test steps, or of the interfaces if there are no tests."""
        root = parse(content, str(place))
        if root.tag != f"{C}soapui-project":
            raise ImportRefusedError(f"{place} is not a SoapUI project: the namespace of its root is not {CON}")
        project = _Project(root, ImportedRequests(self.title, statuses=RIGHT_STATUSES))
        project.tests()
        if not project.held.sessions:
            project.interfaces()
        elif project.operations:
            project.held.notes.append("the requests of test steps were imported, those of the interfaces were not")
        if project.held.sessions:
            project.held.notes += [
                "an answer is right with a status from 200 to 206, unless an assertion names others; `load --follow-redirects` "
                "follows redirects",
                COOKIES_ARE_KEPT,
            ]
        project.leave_out_scripts()
        return project.held


@dataclass(frozen=True)
class _Operation:
    """An interface's description of a SOAP operation, or of a REST method."""

    address: str
    action: str = ""
    version: str = "1_1"
    method: str = "POST"
    path: str = ""
    styles: Mapping[str, str] | None = None


class _Project:
    def __init__(self, root: etree._Element, held: ImportedRequests) -> None:
        self._root, self.held = root, held
        self.operations = dict(_operations(root))

    def tests(self) -> None:
        """Read the steps of all enabled tests, each case as a session."""
        for suite in self._root.iterfind(f"{C}testSuite"):
            for case in suite.iterfind(f"{C}testCase"):
                named = f"test case '{one_line(case.get('name') or '', 60)}'"
                if "true" in (suite.get("disabled"), case.get("disabled")):
                    self.held.leave_out(named, "it is disabled")
                    continue
                values = CaseValues(self.held, self._root, suite, case)
                for step in case.iterfind(f"{C}testStep"):
                    self._step(step, values)
                steps = [
                    HeldStep(sent.request, think=sent.think.think(), captures=sent.captures) for sent in values.steps
                ]
                if steps:
                    self.held.sessions.append(HeldSession(case.get("name") or "case", steps))
                for load in case.iterfind(f"{C}loadTest"):
                    self._load(load)

    def interfaces(self) -> None:
        """Read the requests of operations and methods."""
        texts = CaseValues(self.held, self._root)
        for call in self._root.iterfind(f"{C}interface/{C}operation/{C}call"):
            operation = call.getparent()
            assert operation is not None
            interface = operation.getparent()
            assert interface is not None
            known = self.operations[interface.get("name") or "", operation.get("name") or ""]
            self._add(self._read_request(call, known, f"{operation.get('name')}", texts))
        for request in self._root.iter(f"{C}request"):
            method = request.getparent()
            if method is not None and method.tag == f"{C}method":
                self._add(self._read_request(request, _method(method), method.get("name") or "", texts))

    def _add(self, request: HeldRequest | None) -> None:
        if request is not None:
            self.held.requests.append(request)

    def leave_out_scripts(self) -> None:
        """List what is never run: scripts of the project and of its mocks."""
        for element in self._root.iter(
            f"{C}setupScript", f"{C}tearDownScript", f"{C}afterLoadScript", f"{C}beforeSaveScript"
        ):
            if (element.text or "").strip():
                self.held.leave_out(f"{local(str(element.tag))} in line {element.sourceline}", _NEVER_RUN)
        for element in self._root.iterfind(f"{C}eventHandlers"):
            self.held.leave_out(f"event handler '{one_line(element.get('name') or '', 60)}'", _NEVER_RUN)
        for kind in ("mockService", "restMockService"):
            for element in self._root.iterfind(f"{C}{kind}"):
                self.held.leave_out(
                    f"{kind} '{one_line(element.get('name') or '', 60)}'", "it answers requests and sends none"
                )

    def _step(self, step: etree._Element, values: CaseValues) -> None:
        kind, name = step.get("type") or "", step.get("name") or ""
        named = f"step '{one_line(name, 60)}'"
        config = step.find(f"{C}config")
        if step.get("disabled") == "true":
            self.held.leave_out(named, "it is disabled")
        elif kind in ("request", "restrequest", "httprequest") and config is not None:
            self._sent_step(config, kind, name, values)
        elif kind == "transfer" and config is not None:
            for transfer in config.iterfind(f"{C}transfers"):
                self._transfer(transfer, named, values)
        elif kind == "delay" and config is not None:
            self._delay(config, named, values)
        elif kind == "properties":
            values.add_properties(name, config)
        else:
            self.held.leave_out(f"{named} ({kind})", _STEPS.get(kind, "it sends no supported HTTP request"))

    def _sent_step(self, config: etree._Element, kind: str, name: str, values: CaseValues) -> None:
        if kind == "request":
            key = (config.findtext(f"{C}interface") or "", config.findtext(f"{C}operation") or "")
            request, known = config.find(f"{C}request"), self.operations.get(key, _Operation(""))
        elif kind == "restrequest":
            path = _join_path(config.get("resourcePath") or "")
            key = (config.get("service") or "", f"{path} {config.get('methodName') or ''}")
            request = config.find(f"{C}restRequest")
            known = self.operations.get(key) or _Operation("", method="GET", path=path)
        else:
            request, known = config, _Operation("", method=config.get("method") or "GET")
        made = self._read_request(request, known, name, values)
        if made is not None:
            values.steps.append(SentStep(name, made))

    def _transfer(self, transfer: etree._Element, named: str, values: CaseValues) -> None:
        if transfer.get("disabled") == "true":
            return
        try:
            values.transfer(transfer)
        except LeftOutError as error:
            name = one_line(transfer.findtext(f"{C}name") or "", 60)
            self.held.leave_out(f"transfer '{name}' of {named}", str(error))

    def _delay(self, config: etree._Element, named: str, values: CaseValues) -> None:
        """Note a delay as the pause after the request before it."""
        text = (config.findtext(f"{C}delay") or "").strip()
        if not text.isdecimal() or len(text) > 8:
            self.held.leave_out(f"{named} (delay)", "its time is not a plain number")
        elif values.steps:
            before = values.steps[-1]
            before.think = sum_of([before.think, ThinkTime(int(text), int(text))])
        else:
            self.held.leave_out(f"{named} (delay)", "a session has no pause before its first request")

    def _read_request(
        self, request: etree._Element | None, known: _Operation, name: str, texts: CaseValues
    ) -> HeldRequest | None:
        line = "" if request is None else f" in line {request.sourceline}"
        where = f"request '{one_line(name, 60)}'{line}"
        try:
            if request is None:
                raise LeftOutError("it has no request")
            return self._request(request, known, name, where, texts)
        except LeftOutError as error:
            self.held.leave_out(where, str(error))
            return None

    def _request(
        self, request: etree._Element, known: _Operation, name: str, where: str, texts: CaseValues
    ) -> HeldRequest:
        if request.find(f"{C}attachment") is not None:
            raise LeftOutError("it has attachments, which a sample cannot hold")
        if request.get("postQueryString") == "true":
            raise LeftOutError("it posts its parameters as a form: write them as its body")
        for attribute, added in _ADDED.items():
            if request.get(attribute, "false") not in ("false", ""):
                self.held.leave_out(f"{added} of {where}", _OWN_HEADERS)
        endpoint = texts.fill((request.findtext(f"{C}endpoint") or known.address).strip())
        if not endpoint:
            raise LeftOutError("it has no URL")
        written = (request.findtext(f"{C}request") or "").replace("\\r\n", "\n").replace("\r\n", "\n")
        body = texts.fill(texts.with_transfers(name, written))
        if _UNFILLED.search(body):
            raise LeftOutError("it contains ? in place of values")
        headers = [(pair, texts.fill(value)) for pair, value in _headers(request)]
        has_type = any(pair.lower() == "content-type" for pair, _ in headers)
        if known.styles is None and known.method == "POST" and request.tag != f"{C}config":
            url = endpoint
            headers += _soap_headers(known, has_type)
        else:
            url, more = _rest_address(request, known, endpoint, texts, texts.parameters.get(name, {}))
            headers += more
            kind = request.get("mediaType")
            if body.strip() and kind and not has_type:
                headers.append(("Content-Type", kind))
        if known.method in ("GET", "HEAD"):
            body = ""
        return HeldRequest(
            where,
            known.method,
            url,
            name=name,
            headers=tuple(headers),
            body=body,
            expect=self._expected_answer(request, where, texts),
            credentials=_credentials(request),
        )

    def _expected_answer(self, request: etree._Element, where: str, texts: CaseValues) -> dict[str, object]:
        rules = Rules()
        for assertion in request.iterfind(f"{C}assertion"):
            if assertion.get("disabled") == "true":
                continue
            kind = assertion.get("type") or ""
            settings = {local(str(each.tag)): each.text or "" for each in assertion.iterfind(f"{C}configuration/*")}
            try:
                mapped = _ASSERTIONS.get(kind)
                if mapped is None:
                    raise LeftOutError(_why_left(kind))
                mapped(rules, {key: texts.fill_fixed(text) for key, text in settings.items()})
            except LeftOutError as error:
                self.held.leave_out(f"assertion '{one_line(kind, 60)}' of {where}", str(error))
        if rules.collected.get("fault") == "present":
            rules.collected.setdefault("status", [200, 500])
        return rules.collected

    def _load(self, load: etree._Element) -> None:
        named = f"load test '{one_line(load.get('name') or '', 60)}'"
        strategy = load.findtext(f"{C}loadStrategy/{C}type") or "Simple"
        settings = {
            local(str(each.tag)): (each.text or "").strip() for each in load.iterfind(f"{C}loadStrategy/{C}config/*")
        }
        users = (load.findtext(f"{C}threadCount") or "").strip()
        seconds = (load.findtext(f"{C}testLimit") or "").strip() if load.findtext(f"{C}limitType") == "TIME" else ""
        for script in ("setupScript", "tearDownScript"):
            if (load.findtext(f"{C}{script}") or "").strip():
                self.held.leave_out(f"{script} of {named}", _NEVER_RUN)
        if strategy == "Simple":
            self.held.notes.append(f"{named}: `{load_words(users, seconds, _pause(settings))}`")
        elif (
            strategy == "Thread"
            and settings.get("startThreadCount", "").isdecimal()
            and settings.get("endThreadCount", "").isdecimal()
        ):
            shape = f"--users {settings['startThreadCount']}..{settings['endThreadCount']} --profile ramp"
            self.held.notes.append(f"{named}: `{load_words('', seconds, shape)}`")
        elif strategy == "Burst":
            self.held.notes.append(
                f"{named}: `{load_words(users, seconds, '--profile bursts')}`, whose bursts take a tenth of the time"
            )
        else:
            self.held.leave_out(named, f"no profile corresponds to its strategy, {one_line(strategy, 40)}")


def _pause(settings: Mapping[str, str]) -> str:
    delay, factor = settings.get("testDelay", ""), settings.get("randomFactor", "")
    if not delay.isdecimal() or int(delay) == 0:
        return ""
    try:
        least = int(delay) * (1 - min(1.0, max(0.0, float(factor or 0))))
    except ValueError:
        least = float(delay)
    return f"--think {delay}ms" if least >= int(delay) else f"--think {max(1.0, least):.0f}ms..{delay}ms"


def _operations(root: etree._Element) -> Iterator[tuple[tuple[str, str], _Operation]]:
    """The known operations by interface and name, and REST methods by service, path and name."""
    for interface in root.iterfind(f"{C}interface"):
        name = interface.get("name") or ""
        address = interface.findtext(f"{C}endpoints/{C}endpoint") or ""
        for operation in interface.iterfind(f"{C}operation"):
            version = interface.get("soapVersion") or "1_1"
            yield (name, operation.get("name") or ""), _Operation(address, operation.get("action") or "", version)
        for method in interface.iter(f"{C}method"):
            known = _method(method)
            yield (name, f"{known.path} {method.get('name') or ''}"), known


def _method(method: etree._Element) -> _Operation:
    """A REST method with the path of its resources and the styles of its parameters."""
    above = [element for element in method.iterancestors() if element.tag in (f"{C}resource", f"{C}interface")]
    base = next((element.get("basePath") or "" for element in above if element.tag == f"{C}interface"), "")
    address = next((e.findtext(f"{C}endpoints/{C}endpoint") or "" for e in above if e.tag == f"{C}interface"), "")
    path = _join_path(
        base, *(element.get("path") or "" for element in reversed(above) if element.tag == f"{C}resource")
    )
    styles = {
        parameter.findtext(f"{C}name") or "": parameter.findtext(f"{C}style") or "QUERY"
        for element in [*above, method]
        for parameter in element.iterfind(f"{C}parameters/{C}parameter")
    }
    return _Operation(address, method=method.get("method") or "GET", path=path, styles=styles)


def _join_path(*parts: str) -> str:
    """A path of resources, one slash before each."""
    return re.sub(r"/{2,}", "/", "/".join(["", *parts]))


def _soap_headers(known: _Operation, has_type: bool) -> list[tuple[str, str]]:
    headers = [] if has_type else [("Content-Type", _SOAP_TYPES.get(known.version, _SOAP_TYPES["1_1"]))]
    action = known.action.replace('"', "")
    if known.version == "1_1":
        return [*headers, ("SOAPAction", f'"{action}"')]
    return [(name, f'{value}; action="{action}"' if action else value) for name, value in headers]


def _rest_address(
    request: etree._Element, known: _Operation, endpoint: str, texts: CaseValues, transferred: Mapping[str, str]
) -> tuple[str, list[tuple[str, str]]]:
    """The URL of a REST request, and the headers from its parameters; raises LeftOutError."""
    values = {
        each.get("key") or "": texts.fill(each.get("value") or "") for each in request.iterfind(f"{C}parameters/*")
    } | dict(transferred)
    path, query, headers = known.path, [], []
    for name, value in values.items():
        style = (known.styles or {}).get(name, "TEMPLATE" if f"{{{name}}}" in path else "QUERY")
        if style == "TEMPLATE":
            path = path.replace(f"{{{name}}}", quote_text(value))
        elif style == "QUERY":
            query.append(f"{quote(name, safe='')}={quote_text(value)}")
        elif style == "HEADER":
            headers.append((name, value))
        else:
            raise LeftOutError(f"its parameter {name[:40]} is sent as {style}, which is not supported")
    missing = re.search(r"(?<!\{)\{([^{}]+)\}(?!\})", path)
    if missing:
        raise LeftOutError(f"{{{missing[1][:40]}}} in its path has no value")
    address = endpoint.rstrip("/") + path if path.strip("/") else endpoint
    return with_query(address, "&".join(query)), headers


def _headers(request: etree._Element) -> list[tuple[str, str]]:
    """The headers of a request, which the project stores as XML within a setting."""
    for setting in request.iterfind(f"{C}settings/{C}setting"):
        if setting.get("id") == _HEADERS and (setting.text or "").strip():
            try:
                within = parse((setting.text or "").encode(), "a setting")
            except ImportRefusedError:
                raise LeftOutError("its headers are not well-formed XML") from None
            entries = [within] if local(str(within.tag)) == "entry" else list(within.iter(f"{C}entry"))
            return [(entry.get("key") or "", entry.get("value") or "") for entry in entries if entry.get("key")]
    return []


def _credentials(request: etree._Element) -> HeldCredentials | None:
    user = request.findtext(f"{C}credentials/{C}username") or ""
    token = _TOKENS.get(request.get("wssPasswordType") or "")
    if user and token:
        return HeldCredentials(token, user)
    kind = request.findtext(f"{C}credentials/{C}authType") or ""
    return (
        HeldCredentials("basic", user) if user and kind not in ("No Authorization", "NTLM", "SPNEGO/Kerberos") else None
    )


def _why_left(kind: str) -> str:
    if "Script" in kind:
        return _NEVER_RUN
    return _WHY_LEFT.get(kind, "`expect` has no such rule")


def _contains(rules: Rules, settings: Mapping[str, str]) -> None:
    token = settings.get("token", "")
    ignore = settings.get("ignoreCase") == "true"
    if settings.get("useRegEx") == "true":
        # The expression must match the whole answer, as with Java's `matches`.
        flags = re.match(r"\(\?([ims]+)\)", token)
        kept = "".join(sorted({*(flags[1] if flags else ""), *("i" if ignore else "")}))
        rules.matches(rf"\A(?{kept}:{token[flags.end() if flags else 0 :]})$")
    elif ignore and token:
        rules.matches(f"(?i:{plain(token)})")
    else:
        rules.contains(token)


def _codes(rules: Rules, settings: Mapping[str, str]) -> None:
    words = re.split(r"[\s,]+", settings.get("codes", "").strip())
    if not all(re.fullmatch(r"\d{3}", word) for word in words):
        raise LeftOutError("it names no plain status codes")
    rules.status([int(word) for word in words])


def _xpath(rules: Rules, settings: Mapping[str, str]) -> None:
    declared = dict(
        re.findall(r"declare\s+namespace\s+([\w.-]+)\s*=\s*['\"]([^'\"]*)['\"]\s*;", settings.get("path", ""))
    )
    path = re.sub(r"declare\s+namespace[^;]*;", "", settings.get("path", "")).strip()
    # An answer is checked with its own prefixes, not the project's: paths by local name mean the same.
    for prefix in sorted(declared, key=len, reverse=True):
        path = re.sub(rf"(?<![\w.-]){re.escape(prefix)}:([\w.-]+)(?!\s*\()", r"*[local-name()='\1']", path)
    if path.startswith(("exists(", "count(", "matches(", "boolean(", "not(")):
        raise LeftOutError("its path computes a value and does not select nodes")
    rules.path("xpath", path)
    _require_any_value(settings)


def _json_path(rules: Rules, settings: Mapping[str, str]) -> None:
    rules.path("jsonpath", settings.get("path", ""))
    _require_any_value(settings)


def _require_any_value(settings: Mapping[str, str]) -> None:
    if settings.get("content", "").strip() not in ("", "*"):
        raise LeftOutError(ONLY_FOUND)


def _json_exists(rules: Rules, settings: Mapping[str, str]) -> None:
    if settings.get("content", "true").strip() != "true":
        raise LeftOutError(FORBIDS_TEXT)
    rules.path("jsonpath", settings.get("path", ""))


def _fault(word: str) -> Callable[[Rules, Mapping[str, str]], None]:
    return lambda rules, _: rules.fault(word)


def _envelope(rules: Rules, _: Mapping[str, str]) -> None:
    rules.matches("<(?:[^<>:]*:)?Envelope")


# SoapUI's names of the two fault assertions mean the opposite of what they check.
_ASSERTIONS: dict[str, Callable[[Rules, Mapping[str, str]], None]] = {
    "Simple Contains": _contains,
    "Valid HTTP Status Codes": _codes,
    "SOAP Fault Assertion": _fault("absent"),
    "Not SOAP Fault Assertion": _fault("present"),
    "SOAP Response": _envelope,
    "XPath Match": _xpath,
    "JsonPath Match": _json_path,
    "JsonPath Existence Match": _json_exists,
}
_WHY_LEFT = {
    "Simple NotContains": FORBIDS_TEXT,
    "Invalid HTTP Status Codes": "it forbids a status, and `expect` has no such rule",
    "Response SLA Assertion": "limits on response time apply to the whole load: --p95, --p99",
    "Schema Compliance": "import the WSDL: answers are then checked against its schema",
}
