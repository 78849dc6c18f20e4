"""The mock server's answer to a gRPC method: the user's own messages, else messages made from the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from google.protobuf.descriptor import MethodDescriptor

from ...base.errors import ContractError
from ...catalogue.entries import Entry
from ...models.service import Expect, Service
from .. import answer_rules, protobuf
from ..body_formats.grpc import frame
from ..importing.grpc.samples import MessageSamples
from ..load_operation import expected_of, rule_of
from .answers import MockAnswer, NotMockedError, broken_rule

UNIMPLEMENTED, UNAVAILABLE = 12, 14  # statuses of gRPC
_CONTENT_TYPE = "application/grpc"
_STREAMED = 3  # messages of a stream that is made


def grpc_answer(service: Entry[Service], name: str) -> MockAnswer:
    """The answer to a method that meets the rules of its file: messages in JSON of contract/exchanges/NAME/any.answer.json (a list
    for a stream), else a message with a value in every field. Raises NotMockedError with the reasons if there is none."""
    operation = service.model.operations[name]
    expect = expected_of(service, operation)
    if expect.fault == "present":
        return grpc_failure(UNAVAILABLE, "a failure, as its rules require")
    try:
        method = protobuf.method_at(
            service.folder / (service.model.schema_file or ""), operation.path or service.model.path
        )
    except ContractError as error:
        raise NotMockedError(error.message) from None
    reasons = []
    for origin, messages in _candidates(service, name, method):
        try:
            return _right_answer(messages, method, expect, origin)
        except ContractError as error:
            reasons.append(f"{origin}: {error.message}")
    raise NotMockedError(
        "; ".join(reasons), hint=f"write an answer in JSON to contract/exchanges/{name}/any.answer.json"
    )


def grpc_failure(code: int, message: str) -> MockAnswer:
    """An answer without a message, with a status of gRPC that is no success."""
    said = {"grpc-status": str(code), "grpc-message": quote(message, safe=" ,.:;-()")}
    return MockAnswer(HTTPStatus.OK, _CONTENT_TYPE, b"", message, said)


def _candidates(service: Entry[Service], name: str, method: MethodDescriptor) -> Iterator[tuple[str, Sequence[Any]]]:
    """The messages of possible answers in JSON, the user's own first, each with its origin."""
    for file in sorted((service.folder / "contract" / "exchanges" / name).glob("*.answer.json")):
        yield str(file.relative_to(service.folder)), _messages_in(file, method)
    sample = MessageSamples().message(method.output_type)
    yield "made from the contract", [{} if sample is None else sample] * (_STREAMED if method.server_streaming else 1)


def _messages_in(file: Path, method: MethodDescriptor) -> Sequence[Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotMockedError(f"{file} cannot be read: {error!s:.200}") from None
    return content if method.server_streaming and isinstance(content, list) else [content]


def _right_answer(messages: Sequence[Any], method: MethodDescriptor, expect: Expect, origin: str) -> MockAnswer:
    """The answer of these messages; raises ContractError if it would count as wrong under load."""
    texts = [json.dumps(message) for message in messages]
    body = b"".join(frame(protobuf.encode_json(text, method.output_type)) for text in texts)
    answer = MockAnswer(HTTPStatus.OK, _CONTENT_TYPE, body, origin, {"grpc-status": "0"})
    broken = broken_rule(rule_of(expect), answer)
    for text in texts:
        broken = broken or answer_rules.difference(text.encode(), expect, None)
    if broken is not None:
        raise ContractError(broken)
    return answer
