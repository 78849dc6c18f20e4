"""Reads JMeter plans: HTTP samplers with their configuration, tables of data, users and pauses.

Scripts are listed, never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from ....base.errors import ImportRefusedError
from ..documents import parse
from ..names import local, one_line
from . import jmeter_parts as parts
from .imported_requests import Asker, HeldRequest, ImportedRequests, LeftOutError, load_words
from .rules import Rules
from .xml_head import root_of

_SAMPLERS = ("HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2")
_SILENT = ("TestPlan", "ResultCollector", "Summariser", "GenericController", "TransactionController", "DNSCacheManager")
_WHY = {
    "CookieManager": "`load` does not keep cookies",
    "CacheManager": "`load` sends every request in full",
    "LoopController": "requests are sent in a random mix: set weights with `--mix`",
    "RunTime": "requests are sent in a random mix: set weights with `--mix`",
    "DurationAssertion": "limits on response time apply to the whole load: --p95, --p99",
    "GaussianRandomTimer": "a pause is constant or uniform: `--think 1s..4s`",
    "PoissonRandomTimer": "a pause is constant or uniform: `--think 1s..4s`; `--rate --poisson` sends at random times",
    "SyncTimer": "users do not wait for each other: `--profile bursts` sends requests in bursts",
}


@dataclass(frozen=True)
class _Scope:
    """The configuration that applies to the samplers in a part of the plan."""

    defaults: dict[str, str] = field(default_factory=dict)
    arguments: tuple[etree._Element, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    assertions: tuple[etree._Element, ...] = ()
    asker: Asker | None = None


class JMeterPlan:
    """A `.jmx` file."""

    def recognizes(self, head: str) -> bool:
        """Whether the root element is that of a plan."""
        return root_of(head) == "jmeterTestPlan"

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all enabled samplers."""
        root = parse(content, str(place))
        trees = root.findall("hashTree")
        if not trees:
            raise ImportRefusedError(f"{place} is a JMeter plan without a hashTree, so it has nothing to run")
        plan = _Plan(ImportedRequests("a JMeter plan"), place)
        plan.variables_of(root)
        for tree in trees:
            plan.walk(tree, _Scope())
        plan.held.notes += [
            "requests are sent in a random mix from a seed, not in the plan's order; redirects are not followed"
        ]
        return plan.held


class _Plan:
    def __init__(self, held: ImportedRequests, place: Path) -> None:
        self.held, self._place = held, place
        self._texts = parts.Texts(held)

    def variables_of(self, root: etree._Element) -> None:
        """Remember the plan's variables, and the columns of its tables, wherever they are."""
        for element in root.iter("Arguments", "TestPlan", "CSVDataSet"):
            if not parts.is_enabled(element):
                continue
            if element.tag == "CSVDataSet":
                try:
                    parts.import_table(element, self._texts, self._place, self.held)
                except LeftOutError as error:
                    self.held.leave_out(_element_name(element), str(error))
            else:
                self._texts.variables.update(parts.arguments_of(element))

    def walk(self, tree: etree._Element, scope: _Scope) -> None:
        """Read the samplers of a tree with the configuration that applies to them, placed before or after them."""
        pairs = list(_pairs(tree))
        for element, _ in pairs:
            if parts.is_enabled(element):
                scope = self._inner_scope(element, scope)
        for element, below in pairs:
            if not parts.is_enabled(element):
                self.held.leave_out(_element_name(element), "it is disabled")
                continue
            kind = local(str(element.tag))
            inner = scope
            if kind in _SAMPLERS:
                for nested, _ in _pairs(below):
                    inner = self._inner_scope(nested, inner) if parts.is_enabled(nested) else inner
                self._sample(element, inner)
                self._name_rest(below)
            else:
                self._note_element(element, kind)
                self.walk(below, inner)

    def _inner_scope(self, element: etree._Element, scope: _Scope) -> _Scope:
        kind = local(str(element.tag))
        if kind == "ConfigTestElement" and "Http" in str(element.get("guiclass")):
            own = {name: text for name, text in parts.properties(element).items() if text}
            return replace(
                scope,
                defaults={**scope.defaults, **own},
                arguments=(*scope.arguments, *parts.argument_elements(element)),
            )
        if kind == "HeaderManager":
            inner = parts.pairs(element, "Header.name", "Header.value")
            named = {name.lower() for name, _ in inner}
            kept = (pair for pair in scope.headers if pair[0].lower() not in named)
            return replace(scope, headers=(*kept, *inner))
        if kind == "AuthManager":
            return replace(scope, asker=parts.asker_of(element, self.held) or scope.asker)
        if kind.endswith("Assertion"):
            return replace(scope, assertions=(*scope.assertions, element))
        return scope

    def _name_rest(self, tree: etree._Element) -> None:
        """List what is below a sampler and does not affect its request."""
        for element, below in _pairs(tree):
            if not parts.is_enabled(element):
                self.held.leave_out(_element_name(element), "it is disabled")
            else:
                self._note_element(element, local(str(element.tag)))
            self._name_rest(below)

    def _note_element(self, element: etree._Element, kind: str) -> None:
        """Note the options of `load` that correspond to an element, or that it is left out."""
        own = parts.properties(element)
        if kind in ("HeaderManager", "AuthManager", "CSVDataSet", "Arguments", *_SILENT):
            return
        if kind == "ConfigTestElement" and "Http" in str(element.get("guiclass")):
            return
        if kind in ("ThreadGroup", "SetupThreadGroup", "PostThreadGroup"):
            self.held.notes.append(f"{_element_name(element)}: {_load_of(own, self._texts)}")
        elif kind in ("ConstantTimer", "UniformRandomTimer"):
            pause = parts.pause_of(own, uniform=kind == "UniformRandomTimer")
            if pause is None:
                self.held.leave_out(_element_name(element), "its pause is not a plain number")
            else:
                self.held.notes.append(f"{_element_name(element)}: `steelyard load --think {pause}`")
        elif kind in ("ConstantThroughputTimer", "PreciseThroughputTimer"):
            self.held.leave_out(_element_name(element), "`steelyard load --rate 100/s` sends at a fixed rate")
        elif kind.endswith("Assertion") and kind in parts.ASSERTIONS:
            return
        else:
            self.held.leave_out(_element_name(element), _WHY.get(kind, _why_of(kind)))

    def _sample(self, element: etree._Element, scope: _Scope) -> None:
        where = f"sampler '{one_line(element.get('testname') or '', 60)}' in line {element.sourceline}"
        try:
            self.held.requests.append(self._request(element, scope, where))
        except LeftOutError as error:
            self.held.leave_out(where, str(error))

    def _request(self, element: etree._Element, scope: _Scope, where: str) -> HeldRequest:
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
        if raw and method != "GET":
            body = fill("".join(parts.properties(each).get("Argument.value", "") for each in arguments))
        else:
            query = parts.form_of(arguments, fill)
            if method in ("POST", "PUT", "PATCH"):
                body, query = query, ""
        url = _url(own, fill)
        headers = [(fill(name), fill(value)) for name, value in scope.headers]
        if body and not raw and not any(name.lower() == "content-type" for name, _ in headers):
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        if own.get("HTTPSampler.image_parser") == "true":
            self.held.leave_out(f"{where}: embedded resources", "import each as a separate request")
        return HeldRequest(
            where,
            method,
            url + (("&" if "?" in url else "?") + query if query else ""),
            name=element.get("testname") or "",
            headers=tuple(headers),
            body=body,
            expect=self._expected_answer(scope, where),
            asker=scope.asker,
        )

    def _expected_answer(self, scope: _Scope, where: str) -> dict[str, object]:
        rules = Rules()
        for assertion in scope.assertions:
            kind = local(str(assertion.tag))
            try:
                if kind in parts.ASSERTIONS:
                    parts.ASSERTIONS[kind](assertion, rules, self._texts.fill)
            except LeftOutError as error:
                self.held.leave_out(f"{_element_name(assertion)} of {where}", str(error))
        return rules.collected


def _pairs(tree: etree._Element) -> Iterator[tuple[etree._Element, etree._Element]]:
    """Each element of a hashTree with the hashTree after it, or an empty one."""
    children = [child for child in tree if isinstance(child.tag, str)]
    for number, child in enumerate(children):
        if child.tag != "hashTree":
            behind = children[number + 1] if number + 1 < len(children) else None
            yield child, behind if behind is not None and behind.tag == "hashTree" else etree.Element("hashTree")


def _element_name(element: etree._Element) -> str:
    return f"{local(str(element.tag))} '{one_line(element.get('testname') or '', 60)}'"


def _why_of(kind: str) -> str:
    if any(word in kind for word in ("JSR223", "BeanShell", "BSF", "Groovy", "JavaSampler", "SystemSampler")):
        return "a script or a program; these are not run"
    if "Extractor" in kind or "PostProcessor" in kind:
        return "values of answers are not used in later requests"
    if kind.endswith("Assertion"):
        return "`expect` has no such rule"
    if kind.endswith("Controller"):
        return "its requests are imported without it"
    return "`load` has nothing that corresponds to it"


def _load_of(own: Mapping[str, str], texts: parts.Texts) -> str:
    """A thread group as options of `load`: its users, ramp, and duration or loops; values that are not numbers are listed."""

    def number(key: str) -> str:
        try:
            return texts.fill(own.get(key, "")).strip()
        except LeftOutError:
            return own.get(key, "")

    users, ramp, loops = (
        number(key) for key in ("ThreadGroup.num_threads", "ThreadGroup.ramp_time", "LoopController.loops")
    )
    scheduled = own.get("ThreadGroup.scheduler") == "true"
    duration = number("ThreadGroup.duration") if scheduled else ""
    said = [f"`{load_words(users, duration)}`"]
    if ramp.isdecimal() and users.isdecimal() and int(ramp) > 0 and int(users) > 1:
        said.append(f"its users start over {ramp} s: `steelyard load --users 1..{users} --over {ramp}s --profile ramp`")
    delay = number("ThreadGroup.delay") if scheduled else ""
    if delay.isdecimal() and int(delay) > 0:
        said.append(f"it begins after {delay} s, which `load` cannot do")
    if not scheduled and loops.isdecimal() and users.isdecimal():
        said.append(f"each user repeats it {loops} times")
    open_ended = {"users": users, "ramp": ramp, "duration": duration}
    said += [f"its {name} is {text[:60]}: choose a number" for name, text in open_ended.items() if "$" in text]
    return "; ".join(said)


def _url(own: dict[str, str], fill: parts.Fill) -> str:
    path = fill(own.get("HTTPSampler.path", ""))
    if path.lower().startswith(("http://", "https://")):
        return path
    domain, port = fill(own.get("HTTPSampler.domain", "")), fill(own.get("HTTPSampler.port", ""))
    if not domain:
        raise LeftOutError("it names no server")
    scheme = fill(own.get("HTTPSampler.protocol", "")) or "http"
    return f"{scheme}://{domain}{f':{port}' if port else ''}/{quote(path.lstrip('/'), safe=_KEPT)}"


_KEPT = "/?&=%:@!$'()*+,;~-._{}"
