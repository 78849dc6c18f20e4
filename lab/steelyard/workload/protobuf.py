"""Protocol buffers: decodes a message to typed values by its descriptor, and encodes other equivalent forms.

The wire format is Google's (protobuf.dev, "Encoding"). This module decodes messages itself, since the library would
accept unknown fields and limits the nesting, and a wrong answer may be any bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ContractError

if TYPE_CHECKING:  # imported only for services with such messages
    from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

Values = dict[str, Any]

MOST_DEPTH = 300  # nested messages
MOST_VALUES = 200_000
_MOST_VARINT = 10  # bytes
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_UNKNOWN = 15_000  # a field number that no contract uses
_MASK = (1 << 64) - 1


def method_at(compiled: Path, path: str) -> MethodDescriptor:
    """The method for the gRPC path `/PACKAGE.SERVICE/METHOD` in the compiled contract; raises ContractError if it has
    none."""
    service, _, name = path.strip("/").partition("/")
    try:
        return _pool(compiled).FindServiceByName(service).methods_by_name[name]
    except KeyError:
        raise ContractError(f"{compiled.name} has no method at {path}", hint="correct the format's paths") from None


@cache
def _pool(compiled: Path) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.message import DecodeError

    pool = descriptor_pool.DescriptorPool()
    try:
        for file in descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file:
            pool.Add(file)
    except (OSError, DecodeError, TypeError) as error:
        raise ContractError(f"the compiled contract {compiled} cannot be read: {error}") from None
    return pool


def encode_json(text: str, kind: Descriptor) -> bytes:
    """The message of a text in protobuf's JSON mapping; raises ContractError if it is none of this kind."""
    from google.protobuf import json_format, message_factory
    from google.protobuf.message import EncodeError

    try:
        message = json_format.Parse(text, message_factory.GetMessageClass(kind)(), descriptor_pool=kind.file.pool)
        return bytes(message.SerializeToString(deterministic=True))
    except (json_format.ParseError, EncodeError, TypeError, ValueError) as error:
        raise ContractError(f"it is no {kind.name} in JSON: {' '.join(str(error).split())[:300]}") from None


def decode_json(message: bytes, kind: Descriptor) -> str:
    """A message in protobuf's JSON mapping; raises ContractError if it is none of this kind."""
    from google.protobuf import json_format, message_factory
    from google.protobuf.message import DecodeError

    try:
        read = message_factory.GetMessageClass(kind).FromString(message)
        return str(json_format.MessageToJson(read, descriptor_pool=kind.file.pool))
    except (DecodeError, json_format.SerializeToJsonError, TypeError, ValueError) as error:
        raise ContractError(f"the answer is no {kind.name}: {' '.join(str(error).split())[:300]}") from None


def values(message: bytes, kind: Descriptor) -> Values:
    """A message's values by field name; raises ContractError if it is invalid.

    A field that is not in the contract makes it invalid. An absent scalar has its default; an absent message is
    omitted.
    """
    return _MessageReading(MOST_VALUES).message(memoryview(message), kind, MOST_DEPTH)


@dataclass
class _MessageReading:
    values_left: int

    def message(self, data: memoryview, kind: Descriptor, depth: int) -> Values:
        if depth == 0:
            raise ContractError(f"the message nests more than {MOST_DEPTH} deep")
        fields = kind.fields_by_number
        read = {
            field.name: _absent(field) for field in fields.values() if field.message_type is None or field.is_repeated
        }
        pieces: dict[str, list[memoryview]] = {}  # pieces of one message are merged as if concatenated
        at = 0
        while at < len(data):
            self._count()
            tag, at = _varint(data, at)
            field = fields.get(tag >> 3)
            if field is None:
                raise ContractError(f"{kind.name} has a field {tag >> 3}, which is not in the contract")
            wire, (raw, at) = tag & 7, _raw(data, at, tag & 7)
            if field.message_type is not None and not field.is_repeated:
                pieces.setdefault(field.name, []).append(_bytes_of(raw, wire, field))
            elif field.is_repeated:
                read[field.name].extend(self._several(raw, wire, field, depth))
            else:
                read[field.name] = _scalar(raw, wire, field)
        for name, parts in pieces.items():
            whole = parts[0] if len(parts) == 1 else memoryview(b"".join(parts))
            read[name] = self.message(whole, kind.fields_by_name[name].message_type, depth - 1)
        return read

    def _several(self, raw: int | memoryview, wire: int, field: FieldDescriptor, depth: int) -> Iterator[Any]:
        """The values of a repeated field: messages, scalars, or packed scalars."""
        if field.message_type is not None:
            yield self.message(_bytes_of(raw, wire, field), field.message_type, depth - 1)
            return
        own = _wire_of(field)
        if wire == own:
            yield _scalar(raw, wire, field)
            return
        data, at = _bytes_of(raw, wire, field), 0
        while at < len(data):
            self._count()
            scalar, at = _raw(data, at, own)
            yield _scalar(scalar, own, field)

    def _count(self) -> None:
        self.values_left -= 1
        if self.values_left < 0:
            raise ContractError(f"the message contains more than {MOST_VALUES:,} values")


def _absent(field: FieldDescriptor) -> Any:
    return [] if field.is_repeated else _comparable(field.default_value)


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(data[at : at + _MOST_VARINT]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & _MASK, at + place + 1
    raise ContractError(f"the message has an unterminated number at byte {at:,}")


def _raw(data: memoryview, at: int, wire: int) -> tuple[int | memoryview, int]:
    """The raw value after a tag, and the position after it."""
    if wire == _VARINT:
        return _varint(data, at)
    if wire == _LENGTH:
        length, at = _varint(data, at)
    elif wire in (_FIXED32, _FIXED64):
        length = 4 if wire == _FIXED32 else 8
    else:
        raise ContractError(f"the message has the wire type {wire}, which proto3 does not define, at byte {at:,}")
    if length > len(data) - at:
        raise ContractError(f"the message ends within a field, at byte {at:,}")
    return data[at : at + length], at + length


def _wire_of(field: FieldDescriptor) -> int:
    return _SCALARS[field.type].wire


def _bytes_of(raw: int | memoryview, wire: int, field: FieldDescriptor) -> memoryview:
    if wire != _LENGTH or isinstance(raw, int):
        raise ContractError(f"{field.name} has an encoding that does not fit its type")
    return raw


def _scalar(raw: int | memoryview, wire: int, field: FieldDescriptor) -> Any:
    scalar = _SCALARS[field.type]
    if wire != scalar.wire:
        raise ContractError(f"{field.name} has an encoding that does not fit its type")
    try:
        return _comparable(scalar.read(raw))
    except UnicodeDecodeError:
        raise ContractError(f"{field.name} is not UTF-8") from None


def _comparable(value: Any) -> Any:
    """A value in comparable form: NaN equals NaN, and booleans differ from numbers."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "NaN" if isinstance(value, float) and value != value else value


@dataclass(frozen=True)
class _Scalar:
    """The encoding of a scalar type: its wire type, and functions that decode and encode it."""

    wire: int
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def _signed_scalar(bits: int) -> _Scalar:
    half = 1 << (bits - 1)
    return _Scalar(_VARINT, lambda raw: ((raw + half) & ((1 << bits) - 1)) - half, lambda value: value & _MASK)


def _unsigned_scalar(bits: int) -> _Scalar:
    return _Scalar(_VARINT, lambda raw: raw & ((1 << bits) - 1), lambda value: value)


def _zigzag(bits: int) -> _Scalar:
    cut = (1 << bits) - 1
    return _Scalar(
        _VARINT,
        lambda raw: ((raw & cut) >> 1) ^ -(raw & 1),
        lambda value: ((value << 1) ^ (value >> (bits - 1))) & cut,
    )


def _fixed_scalar(form: str) -> _Scalar:
    wire = _FIXED32 if struct.calcsize(form) == 4 else _FIXED64
    return _Scalar(
        wire,
        lambda raw: struct.unpack(form, raw)[0],
        lambda value: struct.pack(form, float("nan") if value == "NaN" else value),
    )


# By the numbers of FieldDescriptorProto.Type.
_SCALARS = {
    1: _fixed_scalar("<d"),
    2: _fixed_scalar("<f"),
    3: _signed_scalar(64),
    4: _unsigned_scalar(64),
    5: _signed_scalar(32),
    6: _fixed_scalar("<Q"),
    7: _fixed_scalar("<I"),
    8: _Scalar(_VARINT, bool, lambda value: int(value == "true")),
    9: _Scalar(_LENGTH, lambda raw: bytes(raw).decode(), lambda value: value.encode()),
    12: _Scalar(_LENGTH, bytes, bytes),
    13: _unsigned_scalar(32),
    14: _signed_scalar(32),
    15: _fixed_scalar("<i"),
    16: _fixed_scalar("<q"),
    17: _zigzag(32),
    18: _zigzag(64),
}


@dataclass(frozen=True)
class Writing:
    """An encoding of a message: fields in reverse order, overlong numbers, explicit defaults, or messages in two
    pieces."""

    backwards: bool = False
    long_numbers: bool = False
    defaults: bool = False
    in_pieces: bool = False
    text: Callable[[str], bytes] = str.encode

    def message(self, message_values: Values, kind: Descriptor) -> bytes:
        """Encode a message from values as `values` returns them."""
        parts = [
            part
            for field in sorted(kind.fields, key=lambda field: field.number, reverse=self.backwards)
            if field.name in message_values
            for part in self._field(message_values[field.name], field)
        ]
        return b"".join(parts)

    def _field(self, value: Any, field: FieldDescriptor) -> Iterator[bytes]:
        if field.message_type is None:
            for each in value if field.is_repeated else [value]:
                if field.is_repeated or self.defaults or each != _absent(field):
                    yield self._scalar(each, field)
            return
        for each in value if field.is_repeated else [value]:
            names = list(each)
            halves = [names[: len(names) // 2], names[len(names) // 2 :]]
            split = self.in_pieces and not field.is_repeated
            for part in halves if split else [names]:
                inside = self.message({name: each[name] for name in part}, field.message_type)
                yield self._tag(field, _LENGTH) + self._number(len(inside)) + inside

    def _scalar(self, value: Any, field: FieldDescriptor) -> bytes:
        scalar = _SCALARS[field.type]
        raw: Any = self.text(value) if field.type == field.TYPE_STRING else scalar.write(value)
        tag = self._tag(field, scalar.wire)
        if scalar.wire == _VARINT:
            return tag + self._number(raw)
        return tag + (self._number(len(raw)) if scalar.wire == _LENGTH else b"") + bytes(raw)

    def _tag(self, field: FieldDescriptor, wire: int) -> bytes:
        return self._number(field.number << 3 | wire)

    def _number(self, value: int) -> bytes:
        written = bytearray()
        while value > 0x7F:
            written.append(value & 0x7F | 0x80)
            value >>= 7
        written.append(value)
        if self.long_numbers and len(written) < _MOST_VARINT:
            written[-1] |= 0x80
            written.append(0)
        return bytes(written)


def unknown_field() -> bytes:
    """A field that is in no contract, which readers skip."""
    plain = Writing()
    return plain._number(_UNKNOWN << 3 | _LENGTH) + plain._number(7) + b"unknown"
