"""Reads JMeter plans: thread groups as sessions, with their samplers, extractors, pauses and tables of data.

Scripts are listed, never run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxml import etree

from ....base.errors import ImportRefusedError
from ....base.text import plural
from ..documents import parse
from ..names import one_line
from . import jmeter_extractors as extractors
from . import jmeter_load as loads
from . import jmeter_parts as parts
from . import jmeter_pauses as pauses
from .imported_requests import (
    COOKIES_ARE_KEPT,
    COOKIES_ARE_UNKNOWN,
    RIGHT_STATUSES,
    HeldRequest,
    HeldSession,
    HeldStep,
    ImportedRequests,
    LeftOutError,
)
from .jmeter_requests import SAMPLERS, RequestReader, Scope, element_name, sampler_name, with_headers
from .jmeter_trees import enabled_parts, included_parts, module_of, pairs_of
from .think_times import ThinkTime, sum_of
from .xml_head import root_of

_MOST_REPEATED = 200  # requests of a loop, written out
_SILENT = (
    *("TestPlan", "ResultCollector", "Summariser", "GenericController", "CriticalSectionController"),
    *("DNSCacheManager", "DebugPostProcessor", "DebugSampler"),
)
_WHY = {
    "CacheManager": "`load` sends every request in full",
    "RunTime": "its time limit; its requests are sent once in a session",
    "WhileController": "its condition; its requests are sent once in a session",
    "RandomController": "its choice; each session sends all of its requests",
    "InterleaveControl": "its choice; each session sends all of its requests",
    "SwitchController": "its choice; each session sends all of its requests",
    "RandomOrderController": "its order; its requests are sent in the plan's order",
    "ThroughputController": "its share; each session sends its requests",
    "DurationAssertion": "limits on response time apply to the whole load: --p95, --p99",
    "SyncTimer": "users do not wait for each other: `--profile bursts` sends requests in bursts",
}
_UNSENT = {
    "SetupThreadGroup": "it runs once before the load: send its requests before, by a script of yours",
    "PostThreadGroup": "it runs once after the load: send its requests afterwards, by a script of yours",
    "ForeachController": "it repeats its requests for each of several values, and a capture takes one",
    "TestFragmentController": "a fragment is sent only where it is included",
    "IncludeController": "it sends requests of another file: import that file",
}
# Conditions that hold in every session that goes on.
_WRAPPED = re.compile(r"\$\{__(?:groovy|jexl2|jexl3|javaScript)\((.*?),?\)\}", re.DOTALL)
# Conditions that a variable has a value, each with the variable's name.
_IS_CAPTURED = [
    re.compile(r"vars\.get\([\"'](\w+)[\"']\)!=null"),
    re.compile(r"!\(?vars\.get\([\"'](\w+)[\"']\)(?:\?:(?:''|\"\"))?\)?\.isEmpty\(\)"),
    re.compile(r"([\"'])\$\{(?P<name>\w+)\}\1!=(?:''|\"\"|([\"'])\\?\$\{(?P=name)\}\3)"),
]
_ALWAYS = ("true", '"true"', "${JMeterThread.last_sample_ok}", "${__jexl3(${JMeterThread.last_sample_ok},)}")


class JMeterPlan:
    """A `.jmx` file."""

    title = "a JMeter plan"
    mark = "it is XML with the root <jmeterTestPlan>"

    def recognizes(self, head: str) -> bool:
        """Whether the root element is that of a plan."""
        return root_of(head) == "jmeterTestPlan"

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The sessions of all enabled thread groups."""
        root = parse(content, str(place))
        trees = root.findall("hashTree")
        if not trees:
            raise ImportRefusedError(f"{place} is a JMeter plan without a hashTree, so it has nothing to run")
        plan = _Plan(ImportedRequests(self.title, statuses=RIGHT_STATUSES), place, trees)
        plan.read_variables()
        for tree in trees:
            plan.session("plan", plan.walk(tree, Scope()), weight=1, options={})
        plan.add_notes()
        return plan.held


@dataclass(frozen=True)
class _Draft:
    """A request of a session, or a pause between requests (None), with the pause before it."""

    request: HeldRequest | None
    before: ThinkTime = field(default_factory=ThinkTime)
    once: bool = False
    captures: dict[str, dict[str, object]] = field(default_factory=dict)
    if_captured: str | None = None


class _Plan:
    def __init__(self, held: ImportedRequests, place: Path, trees: Sequence[etree._Element]) -> None:
        self.held, self._place, self._trees = held, place, trees
        self._modules: list[etree._Element] = []  # those that are being read, outermost first
        self._included = included_parts(trees)
        self._texts = parts.Texts(held)
        self._requests = RequestReader(held, self._texts)
        self._loads: list[loads.GroupLoad] = []
        self._transactions = 0
        self._new_visitor = False

    def read_variables(self) -> None:
        """Remember the plan's variables, the columns of its tables, and the variables of extractors, wherever they take effect."""
        for element in enabled_parts(self._trees):
            if element.tag == "TestPlan" and parts.properties(element).get("TestPlan.serialize_threadgroups") == "true":
                self.held.leave_out(
                    "the order of its thread groups", "they run one after the other; sessions run side by side"
                )
            if element.tag == "CSVDataSet":
                try:
                    parts.import_table(element, self._texts, self._place, self.held)
                except LeftOutError as error:
                    self.held.leave_out(element_name(element), str(error))
            elif element.tag in ("Arguments", "TestPlan"):
                self._texts.variables.update(parts.arguments_of(element))
            elif extractors.is_extractor(element):
                self._texts.coming.update(extractors.variables_of(element))

    def walk(self, tree: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of a tree in order, with the configuration that applies to them, placed before or after them."""
        scope = self._scope_of(tree, scope)
        drafts: list[_Draft] = []
        for element, below in pairs_of(tree):
            if parts.is_enabled(element):
                drafts += self._drafts(element, below, scope)
            elif element not in self._included:
                self._leave_out_tree(element, below, "it is disabled")
        return drafts

    def _drafts(self, element: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of a part and of what is below it."""
        kind = parts.kind_of(element)
        if kind in SAMPLERS:
            return self._sample(element, below, scope)
        if kind == "TestAction":
            return self._pause(element, below, scope)
        if kind in _UNSENT:
            if element not in self._included:
                self._leave_out_tree(element, below, _UNSENT[kind])
            return []
        if kind.endswith("ThreadGroup"):
            self._group(element, self.walk(below, scope), kind)
            return []
        if kind in _CONTROLLERS:
            return _CONTROLLERS[kind](self, element, below, scope)
        self._note_element(element, kind)
        return self.walk(below, scope)

    def session(self, name: str, drafts: Sequence[_Draft], weight: int, options: dict[str, object]) -> None:
        """Add the session of these requests, if there are any."""
        before: list[ThinkTime] = []
        steps: list[tuple[_Draft, ThinkTime]] = []
        for draft in drafts:
            before.append(draft.before)
            if draft.request is not None:
                steps.append((draft, sum_of(before)))
                before = []
        if not steps:
            return
        repeated = next((number for number, (draft, _) in enumerate(steps) if not draft.once), 0)
        # A pause stands after an answer in a session, and before a request in a plan; the first follows the last.
        after = [pause for _, pause in steps[1:]] + [sum_of([*before, steps[repeated][1]])]
        held = [
            HeldStep(
                request=draft.request,
                once=draft.once and number < repeated,
                think=pause.think(),
                captures=draft.captures,
                if_captured=draft.if_captured,
            )
            for number, ((draft, _), pause) in enumerate(zip(steps, after, strict=True))
            if draft.request is not None
        ]
        late = sum(draft.once for draft, _ in steps[repeated:])
        if late:
            why = "requests made once come first in a session; these are made in each"
            self.held.leave_out(f"once only: {plural(late, 'request')} of {name}", why)
        if self._texts.stops:
            options = {**options, "data_end": "stop"}
        if self._new_visitor or options.pop("new_visitor", False):
            if any(step.once for step in held):
                self.held.leave_out(f"new users in {name}", "users of a session with requests made once stay the same")
            else:
                options["new_visitor"] = True
        self.held.sessions.append(HeldSession(name, held, weight, options))

    def add_notes(self) -> None:
        """Note what of the plan is different in a load."""
        notes = self.held.notes
        notes += loads.total_load(self._loads)
        if self._texts.defaults:
            set_to = ", ".join(f"{name}={value}" for name, value in self._texts.defaults.items())
            notes.append(f"properties of the command line have their defaults: {one_line(set_to)}")
        if self._transactions:
            notes.append(
                f"{plural(self._transactions, 'transaction controller')}: times are per step and per session, not per "
                "transaction"
            )
        if self._requests.redirected:
            names = one_line(", ".join(dict.fromkeys(self._requests.redirected)), 100)
            notes.append(
                f"`load --follow-redirects` follows redirects; without it a redirect is a right answer to {names}"
            )
        if self._requests.closing:
            names = one_line(", ".join(dict.fromkeys(self._requests.closing)), 100)
            notes.append(f"{names}: the plan closes the connection; `load --new-connection` opens one for each request")
        if any(step.captures for session in self.held.sessions for step in session.steps):
            notes.append("an answer without a value that a later request needs is a failure; defaults are not used")
        notes.append(COOKIES_ARE_KEPT)

    def _group(self, element: etree._Element, drafts: Sequence[_Draft], kind: str) -> None:
        load = loads.group_load(element, self._texts)
        self._loads.append(load)
        self.held.notes.append(f"{element_name(element)}: {load.sentence}")
        if kind != "ThreadGroup":
            self.held.leave_out(
                f"the load of {element_name(element)}", f"{kind} is not a thread group of JMeter itself"
            )
        options: dict[str, object] = {}
        try:
            options = loads.group_options(parts.properties(element))
        except LeftOutError as error:
            self.held.leave_out(element_name(element), str(error))
        self.session(element.get("testname") or "users", drafts, max(1, load.users), options)

    def _sample(self, element: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        scope = self._scope_within(below, scope)
        where = sampler_name(element)
        try:
            request = self._requests.request(element, scope)
        except LeftOutError as error:
            self.held.leave_out(where, str(error))
            for extractor in scope.extractors:
                self._texts.lost.update(extractors.variables_of(extractor))
            return []
        return [_Draft(request, sum_of(scope.pauses), captures=self._captures(scope, where))]

    def _captures(self, scope: Scope, where: str) -> dict[str, dict[str, object]]:
        captures = {}
        for element in scope.extractors:
            try:
                for variable, taken in extractors.captures_of(element, self._texts.fill_fixed).items():
                    captures[self._texts.capture(variable)] = dict(taken.capture)
                    if taken.note:
                        self.held.notes.append(f"{element_name(element)}: {taken.note}")
            except LeftOutError as error:
                self.held.leave_out(f"{element_name(element)} of {where}", str(error))
                self._texts.lost.update(extractors.variables_of(element))
        return captures

    def _pause(self, element: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        scope = self._scope_within(below, scope)
        try:
            own = pauses.action_pause(parts.properties(element), self._texts.fill)
        except LeftOutError as error:
            self.held.leave_out(element_name(element), str(error))
            return []
        return [_Draft(None, sum_of([*scope.pauses, own]))]

    def _scope_within(self, tree: etree._Element, scope: Scope) -> Scope:
        """The scope of a sampler or a pause with what is below it; names the parts that do not affect it."""
        scope = self._scope_of(tree, scope)
        self._name_rest(tree)
        return scope

    def _scope_of(self, tree: etree._Element, scope: Scope) -> Scope:
        """The scope with the configuration of the enabled parts of a tree."""
        for element, _ in pairs_of(tree):
            if parts.is_enabled(element):
                scope = self._inner_scope(element, scope)
        return scope

    def _inner_scope(self, element: etree._Element, scope: Scope) -> Scope:
        kind = parts.kind_of(element)
        if kind == "ConfigTestElement" and "Http" in str(element.get("guiclass")):
            own = {name: text for name, text in parts.properties(element).items() if text}
            arguments = (*scope.arguments, *parts.argument_elements(element))
            return replace(scope, defaults={**scope.defaults, **own}, arguments=arguments)
        if kind == "HeaderManager":
            return with_headers(scope, parts.pairs(element, "Header.name", "Header.value"))
        if kind == "AuthManager":
            return replace(scope, credentials=parts.credentials_of(element, self.held) or scope.credentials)
        if kind in pauses.TIMERS:
            return replace(scope, pauses=(*scope.pauses, self._timer(element, kind)))
        if kind == "CookieManager":
            self._keep_cookies(element)
        assertion = (element,) if kind.endswith("Assertion") else ()
        extractor = (element,) if extractors.is_extractor(element) else ()
        return replace(scope, assertions=(*scope.assertions, *assertion), extractors=(*scope.extractors, *extractor))

    def _timer(self, element: etree._Element, kind: str) -> ThinkTime:
        try:
            pause = pauses.timer_pause(kind, parts.properties(element), self._texts.fill)
        except LeftOutError as error:
            self.held.leave_out(element_name(element), str(error))
            return ThinkTime()
        if pause.note:
            self.held.notes.append(f"{element_name(element)}: {pause.note}")
        return pause

    def _keep_cookies(self, element: etree._Element) -> None:
        if parts.properties(element).get("CookieManager.clearEachIteration") == "true":
            self._new_visitor = True
        for cookie in element.iterfind("collectionProp[@name='CookieManager.cookies']/elementProp"):
            name = one_line(cookie.get("name") or "", 60)
            self.held.leave_out(f"cookie {name} of {element_name(element)}", COOKIES_ARE_UNKNOWN)

    def _name_rest(self, tree: etree._Element) -> None:
        """List what is below a sampler and does not affect its request."""
        for element, below in pairs_of(tree):
            if not parts.is_enabled(element):
                self.held.leave_out(element_name(element), "it is disabled")
            else:
                self._note_element(element, parts.kind_of(element))
            self._name_rest(below)

    def _note_element(self, element: etree._Element, kind: str) -> None:
        """Note that an element is left out, unless it is read elsewhere."""
        if kind in ("HeaderManager", "AuthManager", "CookieManager", "CSVDataSet", "Arguments", *_SILENT):
            return
        if kind == "ConfigTestElement" and "Http" in str(element.get("guiclass")):
            return
        if kind in pauses.TIMERS or extractors.is_extractor(element) or kind in parts.ASSERTIONS:
            return
        if kind in ("ConstantThroughputTimer", "PreciseThroughputTimer"):
            self.held.leave_out(element_name(element), "`steelyard load --rate 100/s` sends at a fixed rate")
        else:
            self.held.leave_out(element_name(element), _WHY.get(kind, _why_of(kind)))

    def _leave_out_tree(self, element: etree._Element, below: etree._Element, why: str) -> None:
        """Note that an element is left out with all requests in it."""
        count = sum(1 for each in below.iter(*SAMPLERS) if parts.is_enabled(each))
        requests = f" with {plural(count, 'request')}" if count else ""
        self.held.leave_out(element_name(element) + requests, why)

    def transaction(self, _: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of a transaction."""
        self._transactions += 1
        return self.walk(below, scope)

    def once(self, _: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests that each user makes once."""
        return [replace(draft, once=True) for draft in self.walk(below, scope)]

    def loop(self, element: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of a loop, as often as it repeats them."""
        own = parts.properties(element)
        try:
            text = self._texts.fill(own.get("LoopController.loops", "")).strip()
        except LeftOutError:
            text = ""
        if text == "0":
            self._leave_out_tree(element, below, "it repeats its requests 0 times")
            return []
        drafts = self.walk(below, scope)
        if not text.isdecimal() or len(text) > 6:
            self.held.leave_out(element_name(element), "it has no fixed number of loops: its requests are sent once")
            return drafts
        times = min(int(text), max(1, _MOST_REPEATED // max(1, len(drafts))))
        if times < int(text):
            self.held.leave_out(
                f"{int(text) - times} of {text} rounds of {element_name(element)}", "a session is shorter"
            )
        return drafts * times

    def module(self, element: etree._Element, _: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of the part that a module controller names, which may be a fragment, or disabled where it is."""
        target = module_of(self._trees, element)
        if target is None or target[0] in self._modules:
            why = "it names no part of the plan" if target is None else "it includes itself"
            self.held.leave_out(element_name(element), why)
            return []
        self._modules.append(target[0])
        is_fragment = parts.kind_of(target[0]) == "TestFragmentController"
        drafts = self.walk(target[1], scope) if is_fragment else self._drafts(*target, scope)
        self._modules.pop()
        return drafts

    def condition(self, element: etree._Element, below: etree._Element, scope: Scope) -> list[_Draft]:
        """The requests of a condition that holds in every session that goes on, or of one that a value was captured; others are
        left out."""
        wanted = parts.properties(element).get("IfController.condition", "").strip()
        if wanted.replace(" ", "") in _ALWAYS:
            return self.walk(below, scope)
        place = self._texts.captured.get(_captured_variable(wanted))
        if place is None:
            why = f"a session has only conditions of captured values: {one_line(wanted, 60)}"
            self._leave_out_tree(element, below, why)
            return []
        drafts = self.walk(below, scope)
        return [replace(draft, if_captured=draft.if_captured or place) for draft in drafts]


def _captured_variable(condition: str) -> str:
    """The variable of a condition that it has a value; empty where the condition is another one."""
    plain = re.sub(r"\s", "", condition)
    wrapped = _WRAPPED.fullmatch(plain)
    for expression in _IS_CAPTURED:
        match = expression.fullmatch(wrapped[1] if wrapped else plain)
        if match:
            return match.groupdict().get("name") or match[1]
    return ""


_CONTROLLERS: dict[str, Callable[[_Plan, etree._Element, etree._Element, Scope], list[_Draft]]] = {
    "TransactionController": _Plan.transaction,
    "OnceOnlyController": _Plan.once,
    "LoopController": _Plan.loop,
    "IfController": _Plan.condition,
    "ModuleController": _Plan.module,
}


def _why_of(kind: str) -> str:
    if any(word in kind for word in ("JSR223", "BeanShell", "BSF", "Groovy", "JavaSampler", "SystemSampler")):
        return "a script or a program; these are not run"
    if "Extractor" in kind or "PostProcessor" in kind:
        return "a capture has no equivalent of it"
    if kind.endswith("Assertion"):
        return "`expect` has no such rule"
    if kind.endswith("Controller"):
        return "its requests are imported without it"
    return "`load` has nothing that corresponds to it"
