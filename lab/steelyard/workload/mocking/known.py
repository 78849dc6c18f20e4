"""The operations that a mock server knows: how requests are matched to them, and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...base.errors import ConfigurationError, ContractError
from ...catalogue.entries import Entry
from ...models.outputs.own_service import LeftOut
from ...models.service import Exchange, Service
from .. import contract, wildcards
from ..body_format import BodyFormat
from ..body_formats import MEANINGS, meaning_of
from ..importing.names import ENVELOPES
from .answers import (
    MockAnswer,
    NotMockedError,
    answer_files,
    content_type,
    default_answer,
    element_inside,
    sampled_answer,
)

_PLACE = re.compile(r"\{\{[A-Za-z0-9_]{1,64}\}\}")
_ACTION = re.compile(r';\s*action="?([^";]*)', re.IGNORECASE)
_NAMED = re.compile(r"\{[^{}]*\}")  # what may be anything in a template
_ANYTHING = "[^/]+"
_REMEMBERED = 1_000  # requests whose answer is cached by their bytes
_REMEMBERED_BYTES = 16_384  # of such a request
# Values for wildcards: the mock server uses the first that the contract accepts.
_MADE_UP = ("1", "text", "2026-01-31", "2026-01-31T12:00:00Z", "true", "00000000-0000-4000-8000-000000000001")


@dataclass(frozen=True)
class MockRequest:
    """An HTTP request: `path` with its query; `action` is the SOAP action, empty if there is none."""

    method: str
    path: str
    body: bytes
    action: str = ""


@dataclass(frozen=True)
class SoapEnvelope:
    """What distinguishes SOAP requests: the version, and the tag of the element in the body (None: an empty body)."""

    is_12: bool
    element: str | None


@dataclass(frozen=True)
class WrittenPair:
    """A request with a written answer: its value (BodyFormat.request_value), and the answer."""

    method: str
    path: str
    value: object
    answer: MockAnswer


@dataclass(frozen=True)
class MockedOperation:
    """An operation, recognized by its method and one of its `paths` (texts between places with any value), and for SOAP
    by the `envelope`.

    The SOAP `action`, then the texts of a `sample` body (a character per byte), distinguish operations that are otherwise
    equal. A path that no operation has may be one of a `template`. `usual` answers requests that match no pair.
    """

    name: str
    method: str
    paths: tuple[tuple[str, ...], ...]
    envelope: SoapEnvelope | None
    sample: tuple[str, ...]
    usual: MockAnswer
    pairs: tuple[WrittenPair, ...] = ()
    action: str = ""
    template: re.Pattern[str] | None = None


@dataclass
class MockedService:
    """The operations that the mock server answers; `left_out` are the others, with reasons."""

    service: Entry[Service]
    operations: Sequence[MockedOperation]
    left_out: Sequence[LeftOut]
    meaning: BodyFormat | None = None
    _remembered: dict[MockRequest, tuple[MockedOperation, MockAnswer]] = field(default_factory=dict)

    def answer(self, request: MockRequest) -> tuple[MockedOperation, MockAnswer] | None:
        """The operation of a request, and its right answer; None if no operation matches."""
        known = self._remembered.get(request)
        if known is not None:
            return known
        operation = self._matching_operation(request)
        if operation is None:
            return None
        answered = operation, self._paired_answer(operation, request) or operation.usual
        if len(self._remembered) < _REMEMBERED and len(request.body) <= _REMEMBERED_BYTES:
            self._remembered[request] = answered
        return answered

    def _matching_operation(self, request: MockRequest) -> MockedOperation | None:
        candidates = [
            each for each in self.operations if each.method == request.method and _matches_path(each, request.path)
        ]
        if not candidates:  # a query may have other values than the sample
            bare = request.path.partition("?")[0]
            candidates = [
                each for each in self.operations if each.method == request.method and _matches_bare_path(each, bare)
            ] or self._of_template(request.method, bare)
        if any(each.envelope is not None for each in candidates):
            envelope = _envelope(request.body)
            candidates = [each for each in candidates if each.envelope == envelope]
            candidates = [each for each in candidates if each.action == request.action] or candidates
        body = request.body.decode("latin-1")
        alike = [each for each in candidates if _fits(each.sample, body)]
        return next(iter(alike or candidates), None)

    def _of_template(self, method: str, bare: str) -> list[MockedOperation]:
        """The operations whose template a path without its query fits, those with the most fixed parts first."""
        fitting = [
            (each.template.pattern.count(_ANYTHING), each)
            for each in self.operations
            if each.method == method and each.template is not None and each.template.fullmatch(bare)
        ]
        least = min((places for places, _ in fitting), default=0)
        return [each for places, each in fitting if places == least]

    def _paired_answer(self, operation: MockedOperation, request: MockRequest) -> MockAnswer | None:
        here = [pair for pair in operation.pairs if (pair.method, pair.path) == (request.method, request.path)]
        if not here or self.meaning is None:
            return None
        value = _value(self.meaning, request.body)
        return next((pair.answer for pair in here if pair.value == value), None)


def mock_service(service: Entry[Service], seed: int) -> MockedService:
    """Prepare the answers for a service: from samples and rules if it names its target, else from its contract's
    exchanges and those that `seed` generates.

    Raises ConfigurationError if no operation can be answered.
    """
    known = _of_contract(service, seed) if service.model.target is None else _of_target(service)
    if not known.operations:
        reasons = "; ".join(f"{omitted.what}: {omitted.why}" for omitted in known.left_out)
        raise ConfigurationError(f"no operation of {service.name} can be mocked: {reasons}")
    return known


def _of_target(service: Entry[Service]) -> MockedService:
    operations, left_out = [], []
    paired = False
    for name, operation in service.model.operations.items():
        try:
            sample = _sample(service, name)
            path = operation.path or service.model.path
            usual = _usual_answer(service, name, sample)
            pairs = _written_pairs(service, name, usual)
        except NotMockedError as error:
            left_out.append(LeftOut(what=name, why=f"{error.message}: {error.hint}" if error.hint else error.message))
            continue
        paired = paired or bool(pairs)
        operations.append(
            MockedOperation(
                name=name,
                method=operation.method,
                paths=(_pieces(path),),
                envelope=_envelope(_PLACE.sub("", sample).encode()) if service.model.meaning == "soap" else None,
                sample=_pieces(sample.encode().decode("latin-1")),
                usual=usual,
                pairs=pairs,
                action=soap_action({**service.model.headers, **operation.headers}),
                template=_template(operation.template),
            )
        )
    return MockedService(service, operations, left_out, _body_format(service) if paired else None)


def _template(text: str | None) -> re.Pattern[str] | None:
    """The paths of a template as an expression."""
    return None if text is None else re.compile(_ANYTHING.join(map(re.escape, _NAMED.split(text))))


def _usual_answer(service: Entry[Service], name: str, sample: str) -> MockAnswer:
    if service.model.meaning != "grpc":
        return default_answer(service, name, sample.encode())
    from .grpc_answers import grpc_answer  # loaded late: other services need no protobuf

    return grpc_answer(service, name)


def _sample(service: Entry[Service], name: str) -> str:
    file = service.model.operations[name].sample
    try:
        return "" if file is None else (service.folder / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"the sample {service.folder / (file or '')} of {name} cannot be read: {error}"
        ) from None


def _body_format(service: Entry[Service]) -> BodyFormat:
    """The body format of requests; without a schema, plain bytes."""
    return meaning_of(service) if service.model.schema_file is not None else _Bytes(service)


class _Bytes(BodyFormat):
    """Requests compared byte by byte."""

    request_ending = answer_ending = "bin"
    content_type = "application/octet-stream"

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        del operation
        return None if answer == expected.encode() else "the bytes differ"


def _written_pairs(service: Entry[Service], name: str, usual: MockAnswer) -> tuple[WrittenPair, ...]:
    """The user's own answers with their requests."""
    model = service.model
    request_ending = f".request.{MEANINGS[model.meaning].request_ending}"
    operation, pairs = model.operations[name], []
    for file in answer_files(service, name):
        request_file = file.with_name(file.name.rpartition(".answer.")[0] + request_ending)
        if request_file.is_file():
            answer = MockAnswer(usual.status, usual.content_type, file.read_bytes(), file.name)
            value = _value(_body_format(service), request_file.read_bytes())
            pairs.append(WrittenPair(operation.method, operation.path or model.path, value, answer))
    return tuple(pairs)


def _of_contract(service: Entry[Service], seed: int) -> MockedService:
    meaning = meaning_of(service)
    held: dict[str, str] = {}
    pairs: dict[str, list[WrittenPair]] = {name: [] for name in service.model.operations}
    bodies: dict[str, bytes] = {}
    why: dict[str, str] = {}
    for name, exchange in contract.all_exchanges(service, seed):
        if exchange.filled:  # its places hold values of earlier answers
            why.setdefault(exchange.operation, "its requests use values of earlier answers")
            continue
        try:
            pair, body = _pair(service, meaning, exchange, name, held)
        except (ContractError, NotMockedError) as error:
            why.setdefault(exchange.operation, error.message)
            continue
        pairs[exchange.operation].append(pair)
        bodies.setdefault(exchange.operation, body)
    operations = [_by_pairs(service, name, bodies[name], written) for name, written in pairs.items() if written]
    left_out = [
        LeftOut(what=name, why=why.get(name, "its contract has no exchange"))
        for name, written in pairs.items()
        if not written
    ]
    return MockedService(service, operations, left_out, meaning)


def _by_pairs(service: Entry[Service], name: str, body: bytes, written: Sequence[WrittenPair]) -> MockedOperation:
    right = next((pair for pair in written if pair.answer.status < 400), written[0])
    soap = service.model.meaning in ("soap", "soap-schema")
    return MockedOperation(
        name=name,
        method=service.model.operations[name].method,
        paths=tuple(dict.fromkeys((pair.path,) for pair in written)),
        envelope=_envelope(body) if soap else None,
        sample=(body.decode("latin-1"),),
        usual=right.answer,
        pairs=tuple(written),
        action=soap_action({**service.model.headers, **service.model.operations[name].headers}) if soap else "",
    )


def _pair(
    service: Entry[Service], meaning: BodyFormat, exchange: Exchange, name: str, held: dict[str, str]
) -> tuple[WrittenPair, bytes]:
    """A written exchange as a pair of the mock server, and the body of its request."""
    operation = service.model.operations[exchange.operation]
    body = meaning.body(wildcards.fill(exchange.request, held))
    if exchange.answer or exchange.fault or not meaning.answers_may_lack:
        content, origin = meaning.body(_without_holes(meaning, exchange, held)), f"the contract's {name}"
    else:
        content, origin = sampled_answer(service, exchange.operation, body), "made of the schema"
    answer = MockAnswer(meaning.status(exchange), content_type(service.model), content, origin)
    path = exchange.path or operation.path or service.model.path
    return WrittenPair(exchange.method or operation.method, path, _value(meaning, body), answer), body


def _value(meaning: BodyFormat, body: bytes) -> object:
    """A request's value; its bytes if it cannot be parsed, as a bad request cannot."""
    try:
        return meaning.request_value(body)
    except ContractError:
        return body


def _without_holes(meaning: BodyFormat, exchange: Exchange, held: dict[str, str]) -> str:
    """The answer with a valid value in place of each wildcard; raises NotMockedError."""
    names = {hole[1] for hole in wildcards.HOLE.finditer(exchange.answer)}
    lacking = names - held.keys()
    if not names:
        return exchange.answer
    for value in _MADE_UP:
        filled = wildcards.fill(exchange.answer, {**held, **dict.fromkeys(lacking, value)})
        if meaning.difference(filled.encode(), exchange.answer, exchange.operation) is None:
            held |= dict.fromkeys(lacking, value)
            return filled
    raise NotMockedError(
        f"none of the mock server's values is valid for {', '.join(sorted(names))}, which the service generates"
    )


def _envelope(body: bytes) -> SoapEnvelope:
    return SoapEnvelope(ENVELOPES["1.2"].encode() in body, element_inside(body))


def soap_action(headers: Mapping[str, str]) -> str:
    """The SOAP action of a request without its quotes, from its own header field or the content type; empty if there is none."""
    fields = {name.lower(): value for name, value in headers.items()}
    named = _ACTION.search(fields.get("content-type", ""))
    return fields.get("soapaction", named[1] if named else "").strip().strip('"')


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PLACE.split(text))


def _matches_path(operation: MockedOperation, path: str) -> bool:
    return any(_fits(pieces, path) for pieces in operation.paths)


def _matches_bare_path(operation: MockedOperation, bare: str) -> bool:
    return any(_fits(_without_query(pieces), bare) for pieces in operation.paths)


def _without_query(pieces: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for piece in pieces:
        before, mark, _ = piece.partition("?")
        kept.append(before)
        if mark:
            break
    return tuple(kept)


def _fits(pieces: tuple[str, ...], text: str) -> bool:
    """Whether a text consists of these pieces in order, with anything between them; a single piece must be the whole
    text."""
    if len(pieces) == 1:
        return text == pieces[0]
    first, *middle, last = pieces
    if not text.startswith(first):
        return False
    rest = text[len(first) :]
    for piece in middle:
        _, between, rest = rest.partition(piece) if piece else (rest, piece, rest)
        if piece and not between:
            return False
    return rest.endswith(last)
