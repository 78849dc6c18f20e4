"""The mock server's answer to an operation: the user's own, else one made from the schema, else one made from the
rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
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
from ..load_operation import expected_of, rule_of
from ..load_target import schema_of
from ..soap.messages import parse

_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
_CONTENT_TYPES = {
    "xml": "text/xml; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "bin": "application/octet-stream",
}
_SOAP_12 = "application/soap+xml; charset=utf-8"
MOST_PADDING = 16 * 2**20  # bytes of padding, to reach a required length


class NotMockedError(SteelyardError):
    """The mock server cannot answer an operation."""


@dataclass(frozen=True)
class MockAnswer:
    """An HTTP answer, and a description of its origin; `trailers` follow the body, as those of gRPC do."""

    status: int
    content_type: str
    body: bytes
    origin: str
    trailers: Mapping[str, str] = field(default_factory=dict)


def content_type(service: Service) -> str:
    """The content type of a service's answers."""
    return _CONTENT_TYPES[MEANINGS[service.meaning].answer_ending]


def default_answer(service: Entry[Service], name: str, request: bytes) -> MockAnswer:
    """The answer to an operation of a running target that meets all rules of its file; `request` is a sample of it.

    Raises NotMockedError with the reasons if there is none.
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
        hint=f"write an answer to contract/exchanges/{name}/any.answer.{ending}",
    )


def sampled_answer(service: Entry[Service], name: str, request: bytes) -> bytes:
    """A body that matches the service's schema for an operation's answer; raises NotMockedError if none can be made."""
    if service.model.schema_file is None:
        raise NotMockedError("its service has no schema")
    try:
        if service.model.meaning == "json":
            return _json_sample(service.folder / service.model.schema_file, name)
        return _soap_sample(service, name, request)
    except UnmetError as error:
        raise NotMockedError(f"no answer could be made for the schema: {error}") from None


def _candidate_answers(
    service: Entry[Service], name: str, request: bytes, expect: Expect
) -> Iterator[MockAnswer | str]:
    """Candidate answers, the most reliable first, or a reason why one kind is missing."""
    statuses = expect.status or [200]
    status = next((each for each in statuses if each not in _BODILESS), None)
    kind = _answered_type(service.model, name, request)
    if status is None:
        yield MockAnswer(statuses[0], kind, b"", "an empty body, by its status")
        return
    for file in answer_files(service, name):
        yield MockAnswer(status, kind, file.read_bytes(), str(file.relative_to(service.folder)))
    if expect.answer is not None:
        try:
            yield MockAnswer(status, kind, Path(expect.answer).read_bytes(), Path(expect.answer).name)
        except OSError as error:
            yield f"{expect.answer} cannot be read: {error.strerror}"
    if expect.fault == "present":
        yield fault(request, "a fault, as its rules require")
    if service.model.schema_file is not None and service.model.meaning in ("soap", "json"):
        try:
            yield MockAnswer(status, kind, sampled_answer(service, name, request), "made from the schema")
        except NotMockedError as error:
            yield error.message
    made = _by_rules(expect, service.model.meaning, kind)
    if made is not None:
        yield MockAnswer(status, kind, made, "made from the rules for its answers")


def _answered_type(service: Service, name: str, request: bytes) -> str:
    """The content type of an operation's answers: the first that its request accepts, or the service's own."""
    if ENVELOPES["1.2"].encode() in request:
        return _SOAP_12
    headers = {key.lower(): value for key, value in {**service.headers, **service.operations[name].headers}.items()}
    accepted = headers.get("accept", "").partition(",")[0].partition(";")[0].strip()
    return accepted if service.meaning == "json" and accepted and "*" not in accepted else content_type(service)


def answer_files(service: Entry[Service], name: str) -> list[Path]:
    """The user's own answers to an operation, in order."""
    folder = service.folder / "contract" / "exchanges" / name
    return sorted(folder.glob(f"*.answer.{MEANINGS[service.model.meaning].answer_ending}"))


def fault(request: bytes, origin: str) -> MockAnswer:
    """A SOAP fault in the request's version of SOAP."""
    version = "1.2" if ENVELOPES["1.2"].encode() in request else "1.1"
    uri = ENVELOPES[version]
    if version == "1.1":
        inside = "<faultcode>s:Server</faultcode><faultstring>a failure of the mock server, as configured</faultstring>"
    else:
        inside = (
            "<s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason>"
            '<s:Text xml:lang="en">a failure of the mock server, as configured</s:Text></s:Reason>'
        )
    body = f'<s:Envelope xmlns:s="{uri}"><s:Body><s:Fault>{inside}</s:Fault></s:Body></s:Envelope>'
    kind = _SOAP_12 if version == "1.2" else _CONTENT_TYPES["xml"]
    return MockAnswer(HTTPStatus.INTERNAL_SERVER_ERROR, kind, body.encode(), origin)


def _json_sample(schema: Path, name: str) -> bytes:
    try:
        definitions, samples = _json_samples(schema)
        if name not in definitions:
            raise NotMockedError("its schema does not describe the answer")
        return json.dumps(samples.value(name), ensure_ascii=False).encode()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotMockedError(f"the schema {schema.name} cannot be read: {error!s:.200}") from None


@cache
def _json_samples(schema: Path) -> tuple[dict[str, Any], JsonSamples]:
    """The definitions in a file, which is read once, and what makes values of them."""
    definitions = json.loads(schema.read_text(encoding="utf-8"))["$defs"]
    return definitions, JsonSamples(definitions)


@cache
def _soap_samples(schema: Path) -> SampleMaker:
    """What makes elements of the schema in a file, which is read once."""
    return SampleMaker(Schemas(answer_rules.schema_of_messages(schema), {}))


def _soap_sample(service: Entry[Service], name: str, request: bytes) -> bytes:
    wanted = service.model.operations[name].answer_element
    version = "1.2" if ENVELOPES["1.2"].encode() in request else "1.1"
    uri = ENVELOPES[version]
    root = etree.Element(f"{{{uri}}}Envelope", nsmap={"soap": uri})
    body = etree.SubElement(root, f"{{{uri}}}Body")
    if wanted is not None:
        file = service.folder / (service.model.schema_file or "")
        schema = answer_rules.schema_of_messages(file)
        request_tag = element_inside(request)
        tags = sorted(tag for tag in schema.maps.elements if local(tag) == wanted)
        if not tags:
            raise NotMockedError(f"its schema declares no element {wanted}")
        near = [tag for tag in tags if request_tag is not None and space(tag) == space(request_tag)]
        body.append(_soap_samples(file).sample((near or tags)[0]))
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def element_inside(request: bytes) -> str | None:
    """The tag of the element in a SOAP request's body, of either version; None if it is empty, or not SOAP."""
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


def _by_rules(expect: Expect, meaning: str, kind: str) -> bytes | None:
    """A body of a content type that meets the rules; None if they require more than a text and a length."""
    if expect.matches is not None or expect.xpath or expect.jsonpath:
        return None
    text = _least_body(meaning, kind) if expect.contains is None else expect.contains.encode()
    lacking = max(0, (expect.least or 0) - len(text))
    return None if lacking > MOST_PADDING else text + b" " * lacking


def _least_body(meaning: str, kind: str) -> bytes:
    """A body without any content; a client that reads its type reads it."""
    if meaning != "json":
        return b""
    if "json" in kind:
        return b"{}"
    if "event-stream" in kind:
        return b"data: text\n\n" * 3
    return b"<answer/>" if "xml" in kind else b"text"


def _not_right(service: Entry[Service], name: str, expect: Expect, answer: MockAnswer) -> str | None:
    """Why an answer would count as wrong under load, as a sentence; None if it is right."""
    broken = broken_rule(rule_of(expect), answer)
    if broken is not None:
        return broken
    json_of = name if service.model.meaning == "json" else None
    return answer_rules.difference(answer.body, expect, schema_of(service), json_of)


def broken_rule(rule: Rule, answer: MockAnswer) -> str | None:
    """The first rule that an answer breaks, as a sentence."""
    size = len(answer.body)
    if rule.length is not None and not rule.length.least <= size <= rule.length.most:
        return f"it has {size:,} bytes, but must have {rule.length.least:,} to {rule.length.most:,}"
    if rule.contains is not None and rule.contains.encode() not in answer.body:
        return f"it does not contain '{rule.contains:.80}'"
    if rule.matches is not None and not _matches(rule.matches, answer.body):
        return f"it does not match '{rule.matches:.80}'"
    if answer.status not in (rule.status or [200]):
        return f"its status is {answer.status}"
    return None


def _matches(expression: str, body: bytes) -> bool:
    """Whether an engine expression matches a body; true if only the engine can parse the expression."""
    try:
        return re.search(expression.encode(), body) is not None
    except re.error:
        return True
