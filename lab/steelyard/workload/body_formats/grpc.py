"""gRPC: one protobuf message each way, compared by typed values; the status after an answer tells whether it is a
fault."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import ContractError
from ...base.http_client import Answer
from ...models.job import Length, Rule
from ...models.service import Exchange
from .. import protobuf
from ..body_format import BadRequest, Spelling, first_difference
from .raw_bytes import RawBytes

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor

_PREFIX = struct.Struct(">BI")  # whether the message is compressed, and its length
_SUCCESS = "0"


class Grpc(RawBytes):
    """Calls over HTTP/2: the operation's path names a method of the compiled contract (`schema`), which has the message
    types.

    In exchanges, bodies are base64, each with gRPC's prefix. Every status but 0 is a fault.
    """

    request_ending = answer_ending = "grpc"
    content_type = "application/grpc"
    fault_status = HTTPStatus.OK

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        kind = self._method(operation).output_type
        try:
            got = protobuf.values(_message(answer, "the answer"), kind)
            wanted = protobuf.values(_message(self.body(expected), "the expected answer"), kind)
        except ContractError as error:
            return error.message
        return None if got == wanted else first_difference(got, wanted)

    def check_fields(self, answer: Answer, exchange: Exchange) -> str | None:
        code = _code(answer)
        if code is None:
            return None if answer.status != HTTPStatus.OK else "the answer has no grpc-status"
        if exchange.fault:
            return "an answer came, but a status other than 0 is expected" if code == _SUCCESS else None
        return (
            None if code == _SUCCESS else f"grpc-status {code} came: {' '.join(answer.values_of('grpc-message'))[:200]}"
        )

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        yield Spelling("as given", self.body(exchange.request))
        kind = self._method(exchange.operation).input_type
        given = _message(self.body(exchange.request), "the request")
        message_values = protobuf.values(given, kind)
        for name, writing in {
            "other order of fields": protobuf.Writing(backwards=True),
            "long numbers": protobuf.Writing(long_numbers=True),
            "defaults written": protobuf.Writing(defaults=True),
            "messages in pieces": protobuf.Writing(in_pieces=True),
        }.items():
            yield Spelling(name, frame(writing.message(message_values, kind)))
        yield Spelling("an unknown field", frame(given + protobuf.unknown_field()))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        del file  # no message can name a file
        exchange = written[0][1]
        good = self.body(exchange.request)
        bodies = {
            "not-framed": b"this is no frame of gRPC",
            "cut-off": frame(b"x" * 10)[:-1],
            "no-field-0": frame(b"\0"),
            "number-without-end": frame(b"\xff" * 20),
            "length-beyond-the-end": frame(b"\x0a\xff\x7f"),
            "end-of-no-group": frame(b"\x0c"),
            "packed-nobody-knows-how": b"\1" + frame(good)[1:],
            "twenty-megabytes": frame(b"\0" * 20_000_000),
        }
        requests = [BadRequest(name, body, exchange.operation) for name, body in bodies.items()]
        requests.append(BadRequest("other-content", good, exchange.operation, {"Content-Type": "text/plain"}))
        wrong = protobuf.Writing(text=lambda text: text.encode() + b"\xff")
        for _, each in written:
            kind = self._method(each.operation).input_type
            good = _message(self.body(each.request), "the request")
            spoilt = wrong.message(protobuf.values(good, kind), kind)
            if len(spoilt) > len(good):
                return [*requests, BadRequest("not-utf-8", frame(spoilt), each.operation)]
        return requests

    def refusal_problem(self, answer: Answer) -> str | None:
        code = _code(answer)
        if code not in (None, _SUCCESS):
            return None
        refused = super().refusal_problem(answer) is None
        return None if refused else f"HTTP status {answer.status} and grpc-status {code}, but another is expected"

    def rule(self, exchange: Exchange) -> Rule:
        """The marker is in the message as it is; without a marker, there is at least a frame."""
        fault = "present" if exchange.fault else "absent"
        least = None if exchange.fault else Length(least=_PREFIX.size)
        return Rule(
            status=[self.status(exchange)], fault=fault, fault_in="grpc-status", length=least, contains=exchange.marker
        )

    def _method(self, operation: str) -> MethodDescriptor:
        path = self.service.model.operations[operation].path or self.service.model.path
        return protobuf.method_at(self._compiled_schema, path)

    @cached_property
    def _compiled_schema(self) -> Path:
        return self.service.folder / (self.service.model.schema_file or "")


def frame(message: bytes) -> bytes:
    """A message with gRPC's prefix."""
    return _PREFIX.pack(0, len(message)) + message


def messages(body: bytes) -> list[bytes]:
    """The messages of an answer: one of a unary call, any number of a stream. Raises ContractError if it is not made of frames."""
    parts, at = [], 0
    while at < len(body):
        rest = body[at:]
        if len(rest) < _PREFIX.size:
            raise ContractError(f"the answer ends with {len(rest)} bytes that are not a gRPC frame")
        end = _PREFIX.size + _PREFIX.unpack_from(rest)[1]
        parts.append(_message(rest[:end], "the answer"))
        at += end
    return parts


def _message(body: bytes, role: str) -> bytes:
    """The single message of a body; raises ContractError if there is none, more than one, or a compressed one."""
    if len(body) < _PREFIX.size:
        raise ContractError(f"{role} is not a gRPC frame: it has {len(body)} bytes")
    packed, length = _PREFIX.unpack_from(body)
    if packed:
        raise ContractError(f"{role} is compressed, or not a gRPC frame: it begins {body[:8]!r}")
    if length != len(body) - _PREFIX.size:
        raise ContractError(
            f"{role} announces a message of {length:,} bytes, but contains {len(body) - _PREFIX.size:,}"
        )
    return body[_PREFIX.size :]


def _code(answer: Answer) -> str | None:
    """gRPC's status: a success only if all status fields are 0; None if there is no status."""
    codes = answer.values_of("grpc-status")
    return next((code for code in codes if code != _SUCCESS), codes[0] if codes else None)
