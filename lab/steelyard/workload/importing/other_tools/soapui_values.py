"""Values of a SoapUI test case that are carried on: property transfers and expansions of answers, as captures."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ....base.errors import ImportRefusedError
from ..documents import parse
from ..names import local
from . import captures
from .filled_texts import FilledTexts, as_place, free_place
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError
from .think_times import ThinkTime

CON = "http://eviware.com/soapui/config"
C = f"{{{CON}}}"
_HOLDERS = {"#TestCase#": "TestCase", "#TestSuite#": "TestSuite", "#Project#": "Project"}
_NAMES = re.compile(r"(//?)((?:(?:[\w.-]+|\*):)?[\w.-]+(?:/(?:(?:[\w.-]+|\*):)?[\w.-]+)*)(?:/text\(\))?")


@dataclass
class SentStep:
    """A request of a test case, with the values that later steps take from its answer, and the pause after it."""

    name: str
    request: HeldRequest
    captures: dict[str, dict[str, object]] = field(default_factory=dict)
    think: ThinkTime = field(default_factory=ThinkTime)


class CaseValues(FilledTexts):
    """The properties of a project, suite and test case, and the values of the answers of its steps.

    `steps` are the requests so far; `parameters` and `bodies` are what transfers set in those to come, by step.
    """

    variable = re.compile(r"\$\{([^{}]+)\}")

    def __init__(self, held: ImportedRequests, *holders: etree._Element) -> None:
        super().__init__(held)
        self._values: dict[str, str] = {}
        self.steps: list[SentStep] = []
        self.parameters: dict[str, dict[str, str]] = {}
        self.bodies: dict[str, list[tuple[str, str, str]]] = {}
        for scope, holder in zip(("Project", "TestSuite", "TestCase"), holders, strict=False):
            for name, value in _properties(holder.find(f"{C}properties")):
                self._values[f"#{scope}#{name}"] = self._values[name] = value

    def add_properties(self, step: str, config: etree._Element | None) -> None:
        """Remember the properties of a step of properties."""
        for name, value in _properties(config.find(f"{C}properties") if config is not None else None):
            self._values[f"{step}#{name}"] = value

    def transfer(self, element: etree._Element) -> None:
        """Carry out one property transfer; raises LeftOutError."""
        source, kind, path = (element.findtext(f"{C}source{key}") or "" for key in ("Step", "Type", "Path"))
        target, wanted, into = (element.findtext(f"{C}target{key}") or "" for key in ("Step", "Type", "Path"))
        language = (element.findtext(f"{C}type") or "XPATH").upper()
        if kind.startswith("Response"):
            value = self._from_answer(source, path.strip(), language)
        elif path.strip():
            raise LeftOutError("it takes a part of a property, not of an answer")
        else:
            value = self._value(f"{source}{kind}" if source in _HOLDERS else f"{source}#{kind}")
        if target in _HOLDERS:
            self._values[f"#{_HOLDERS[target]}#{wanted}"] = self._values[wanted] = value
        elif wanted == "Request" and into.strip():
            language = (element.findtext(f"{C}targetTransferType") or language).upper()
            self.bodies.setdefault(target, []).append((language, into.strip(), value))
        elif wanted in ("Request", "Endpoint", "Response") or not wanted:
            raise LeftOutError(f"its target is the {wanted or 'whole'} of a step")
        else:
            self._values[f"{target}#{wanted}"] = value
            self.parameters.setdefault(target, {})[wanted] = value

    def with_transfers(self, step: str, body: str) -> str:
        """The body of a step with the values that transfers put there; raises LeftOutError."""
        for language, path, value in self.bodies.get(step, []):
            body = _in_json(body, path, value) if language == "JSONPATH" else _in_xml(body, path, value)
        return body

    def _value(self, name: str, depth: int = 0) -> str:
        del depth  # a property holds no others
        if name in self._values:
            return self._values[name]
        step, _, rest = name.partition("#")
        kind, _, path = rest.partition("#")
        if kind.startswith("Response") and any(sent.name == step for sent in self.steps):
            return self._from_answer(step, path.strip(), "JSONPATH" if path.strip().startswith("$") else "XPATH")
        if name.startswith("="):
            raise LeftOutError(f"${{{name[:60]}}} is a script; scripts are not run")
        raise LeftOutError(f"${{{name[:60]}}} is filled by a script, a table or another answer")

    def _from_answer(self, step: str, path: str, language: str) -> str:
        """The place of a value in the answer of an earlier step; raises LeftOutError."""
        sent = next((each for each in reversed(self.steps) if each.name == step), None)
        if sent is None:
            raise LeftOutError(f"step '{step[:60]}', whose answer it takes, is not imported before it")
        if language == "JSONPATH":
            taken = captures.by_json_path(path)
        elif language == "XPATH":
            taken = captures.by_xpath(path)
        else:
            raise LeftOutError(f"its path is {language[:20]}; a capture has JSONPath and XPath")
        capture = dict(taken.capture)
        known = next((place for place, each in sent.captures.items() if each == capture), None)
        if known is not None:
            return as_place(known)
        if taken.note:
            self._held.notes.append(f"step '{step[:60]}': {taken.note}")
        words = re.findall(r"[A-Za-z_]\w*", path) or ["value"]
        name = free_place(words[-1], {name for each in self.steps for name in each.captures})
        sent.captures[name] = capture
        return as_place(name)


def _properties(holder: etree._Element | None) -> list[tuple[str, str]]:
    listed = [] if holder is None else holder.findall(f"{C}property")
    return [(each.findtext(f"{C}name") or "", each.findtext(f"{C}value") or "") for each in listed]


def _in_xml(body: str, path: str, value: str) -> str:
    """An XML body with a value as the text of the first element at a path; raises LeftOutError."""
    plain = re.sub(r"declare\s+namespace[^;]*;", "", path).strip()
    match = _NAMES.fullmatch(plain)
    if match is None:
        raise LeftOutError(f"its target path {plain[:60]} is more than names of elements")
    names = [name.rpartition(":")[2] for name in match[2].split("/")]
    try:
        root = parse(body.encode(), "a body")
    except ImportRefusedError:
        raise LeftOutError("its body, into which a value goes, is not well-formed XML") from None
    for element in root.iter(etree.Element):
        way = [local(str(each.tag)) for each in (*reversed(list(element.iterancestors())), element)]
        if way[-len(names) :] == names and (match[1] == "//" or len(way) == len(names)):
            if len(element):
                raise LeftOutError("a value goes into an element that has others within")
            element.text = value
            return str(etree.tostring(root, encoding="unicode"))
    raise LeftOutError(f"its body has no element at {plain[:60]}, into which a value goes")


def _in_json(body: str, path: str, value: str) -> str:
    """A JSON body with a value at a path of keys and indexes; raises LeftOutError."""
    capture = captures.by_json_path(path).capture
    keys: Any = capture.get("path")
    if not isinstance(keys, list):
        raise LeftOutError(f"its target path {path[:60]} is more than keys and indexes")
    try:
        document = json.loads(body)
        holder = _inside(document, keys[:-1])
        old = holder[keys[-1]]
        holder[keys[-1]] = value
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        raise LeftOutError(f"its body has nothing at {path[:60]}, into which a value goes") from None
    written = json.dumps(document, ensure_ascii=False)
    is_number = isinstance(old, int | float) and re.fullmatch(r"\{\{\w+\}\}", value)
    return written.replace(f'"{value}"', value) if is_number else written


def _inside(document: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        document = document[key]
    return document
