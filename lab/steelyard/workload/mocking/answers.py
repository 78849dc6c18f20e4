"""What a stand-in answers to an operation: what its user wrote down, else what keeps the schema, else what keeps the rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from lxml import etree

from ...base.errors import ContractError, SteelyardError
from ...catalogue.entries import Entry
from ...models.job import Rule
from ...models.service import Expect, Service
from .. import answer_rules
from ..body_formats import MEANINGS
from ..importing.names import ENVELOPES, local, space
from ..importing.openapi.json_samples import JsonSamples
from ..importing.samples import SampleMaker
from ..importing.schemas import Schemas
from ..importing.values import UnmetError
from ..load_target import expected_of, rule_of, schema_of
from ..soap.messages import parse

_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
_CONTENT_TYPES = {
    "xml": "text/xml; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "bin": "application/octet-stream",
}
_SOAP_12 = "application/soap+xml; charset=utf-8"
MOST_PADDING = 16 * 2**20  # bytes that are made up so that an answer is long enough


class NotMockedError(SteelyardError):
    """An operation cannot be stood in for."""


@dataclass(frozen=True)
class MockAnswer:
    """An answer as HTTP carries it, and in words where it came from."""

    status: int
    content_type: str
    body: bytes
    origin: str


def content_type(service: Service) -> str:
    """What an answer of a service is sent as."""
    return _CONTENT_TYPES[MEANINGS[service.meaning].answer_ending]


def default_answer(service: Entry[Service], name: str, request: bytes) -> MockAnswer:
    """The answer to an operation of a running target, right by all that its file says; `request` is a sample of it.

    Raises NotMockedError with what stands in the way.
    """
    expect = expected_of(service, service.model.operations[name])
    reasons = []
    for answer in _candidate_answers(service, name, request, expect):
        if isinstance(answer, str):
            reasons.append(answer)
            continue
        why = _not_right(service, name, expect, answer)
        if why is None:
            return answer
        reasons.append(f"{answer.origin}: {why}")
    ending = MEANINGS[service.model.meaning].answer_ending
    raise NotMockedError(
        "; ".join(dict.fromkeys(reasons)),
        hint=f"write its answer down in contract/exchanges/{name}/any.answer.{ending}",
    )


def sampled_answer(service: Entry[Service], name: str, request: bytes) -> bytes:
    """A body that keeps the service's schema as the answer to an operation; raises NotMockedError where none can be made."""
    if service.model.schema_file is None:
        raise NotMockedError("its service has no schema")
    try:
        if service.model.meaning == "json":
            return _json_sample(service.folder / service.model.schema_file, name)
        return _soap_sample(service, name, request)
    except UnmetError as error:
        raise NotMockedError(f"no answer keeps the schema: {error}") from None


def _candidate_answers(
    service: Entry[Service], name: str, request: bytes, expect: Expect
) -> Iterator[MockAnswer | str]:
    """Answers, the most trusted first; or why there is none of a kind."""
    statuses = expect.status or [200]
    status = next((each for each in statuses if each not in _BODILESS), None)
    kind = _SOAP_12 if ENVELOPES["1.2"].encode() in request else content_type(service.model)
    if status is None:
        yield MockAnswer(statuses[0], kind, b"", "its status has no body")
        return
    for file in answer_files(service, name):
        yield MockAnswer(status, kind, file.read_bytes(), str(file.relative_to(service.folder)))
    if expect.answer is not None:
        try:
            yield MockAnswer(status, kind, Path(expect.answer).read_bytes(), Path(expect.answer).name)
        except OSError as error:
            yield f"{expect.answer} cannot be read: {error.strerror}"
    if expect.fault == "present":
        yield fault(request, "a fault, as its rules ask for")
    if service.model.schema_file is not None and service.model.meaning in ("soap", "json"):
        try:
            yield MockAnswer(status, kind, sampled_answer(service, name, request), "made of the schema")
        except NotMockedError as error:
            yield error.message
    made = _by_rules(expect, service.model.meaning)
    if made is not None:
        yield MockAnswer(status, kind, made, "made of the rules of its answers")


def answer_files(service: Entry[Service], name: str) -> list[Path]:
    """The answers to an operation that its user wrote down, in order."""
    folder = service.folder / "contract" / "exchanges" / name
    return sorted(folder.glob(f"*.answer.{MEANINGS[service.model.meaning].answer_ending}"))


def fault(request: bytes, origin: str) -> MockAnswer:
    """The answer of a SOAP service that fails, in the version of SOAP that was asked in."""
    version = "1.2" if ENVELOPES["1.2"].encode() in request else "1.1"
    uri = ENVELOPES[version]
    if version == "1.1":
        inside = "<faultcode>s:Server</faultcode><faultstring>the stand-in fails, as it was told</faultstring>"
    else:
        inside = (
            "<s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason>"
            '<s:Text xml:lang="en">the stand-in fails, as it was told</s:Text></s:Reason>'
        )
    body = f'<s:Envelope xmlns:s="{uri}"><s:Body><s:Fault>{inside}</s:Fault></s:Body></s:Envelope>'
    kind = _SOAP_12 if version == "1.2" else _CONTENT_TYPES["xml"]
    return MockAnswer(HTTPStatus.INTERNAL_SERVER_ERROR, kind, body.encode(), origin)


def _json_sample(schema: Path, name: str) -> bytes:
    try:
        definitions = json.loads(schema.read_text(encoding="utf-8"))["$defs"]
        if name not in definitions:
            raise NotMockedError("its schema describes no answer")
        return json.dumps(JsonSamples(definitions).value(name), ensure_ascii=False).encode()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotMockedError(f"the schema {schema.name} cannot be read: {error!s:.200}") from None


def _soap_sample(service: Entry[Service], name: str, request: bytes) -> bytes:
    wanted = service.model.operations[name].answer_element
    version = "1.2" if ENVELOPES["1.2"].encode() in request else "1.1"
    uri = ENVELOPES[version]
    root = etree.Element(f"{{{uri}}}Envelope", nsmap={"soap": uri})
    body = etree.SubElement(root, f"{{{uri}}}Body")
    if wanted is not None:
        schema = answer_rules.schema_of_messages(service.folder / (service.model.schema_file or ""))
        asked = element_inside(request)
        tags = sorted(tag for tag in schema.maps.elements if local(tag) == wanted)
        if not tags:
            raise NotMockedError(f"its schema declares no element {wanted}")
        near = [tag for tag in tags if asked is not None and space(tag) == space(asked)]
        body.append(SampleMaker(Schemas(schema, {})).sample((near or tags)[0]))
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def element_inside(request: bytes) -> str | None:
    """The tag of what a SOAP request's body holds, of either version; None where it is empty, or no such request."""
    try:
        root = parse(request)
    except ContractError:
        return None
    inside: list[Any] = [
        child
        for uri in ENVELOPES.values()
        for body in root.iterfind(f"{{{uri}}}Body")
        for child in body.iterchildren(etree.Element)
    ]
    return str(inside[0].tag) if inside else None


def _by_rules(expect: Expect, meaning: str) -> bytes | None:
    """A body that holds what the rules ask for; None where they ask for more than a text and a length."""
    if expect.matches is not None or expect.xpath or expect.jsonpath:
        return None
    text = (expect.contains or "").encode()
    lacking = max(0, (expect.least or 0) - len(text))
    if lacking > MOST_PADDING:
        return None
    if meaning != "json" or expect.contains is not None:
        return text + b" " * lacking
    return b"{}" + b" " * max(0, lacking - 2)


def _not_right(service: Entry[Service], name: str, expect: Expect, answer: MockAnswer) -> str | None:
    """How an answer would not count as right where the service is loaded, as a sentence; None where it would."""
    broken = _broken_rule(rule_of(expect), answer)
    if broken is not None:
        return broken
    json_of = name if service.model.meaning == "json" else None
    return answer_rules.difference(answer.body, expect, schema_of(service), json_of)


def _broken_rule(rule: Rule, answer: MockAnswer) -> str | None:
    """Which of the rules for every answer is broken."""
    size = len(answer.body)
    if rule.length is not None and not rule.length.least <= size <= rule.length.most:
        return f"it has {size:,} bytes, and {rule.length.least:,} to {rule.length.most:,} are right"
    if rule.contains is not None and rule.contains.encode() not in answer.body:
        return f"it does not hold '{rule.contains:.80}'"
    if rule.matches is not None and not _matches(rule.matches, answer.body):
        return f"it does not match '{rule.matches:.80}'"
    if answer.status not in (rule.status or [200]):
        return f"its status is {answer.status}"
    return None


def _matches(expression: str, body: bytes) -> bool:
    """Whether an expression of the engine's is in a body; true of what only the engine can read."""
    try:
        return re.search(expression.encode(), body) is not None
    except re.error:
        return True
