"""Sample messages by their descriptors, in protobuf's JSON mapping."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

MOST_DEPTH = 4  # messages within one another
_MOST_NEEDED = 50  # the same, of required ones
_MOST_FIELDS = 500
_KINDS: dict[int, Any] = {
    FieldDescriptor.CPPTYPE_INT32: 1,
    FieldDescriptor.CPPTYPE_INT64: "1",
    FieldDescriptor.CPPTYPE_UINT32: 1,
    FieldDescriptor.CPPTYPE_UINT64: "1",
    FieldDescriptor.CPPTYPE_DOUBLE: 1.5,
    FieldDescriptor.CPPTYPE_FLOAT: 1.5,
    FieldDescriptor.CPPTYPE_BOOL: True,
    FieldDescriptor.CPPTYPE_STRING: "text",
}
# Messages that JSON writes in a form of their own; None: they are left out.
_WELL_KNOWN: dict[str, Any] = {
    "google.protobuf.Timestamp": "2026-01-01T12:00:00Z",
    "google.protobuf.Duration": "1s",
    "google.protobuf.FieldMask": "",
    "google.protobuf.Empty": {},
    "google.protobuf.Struct": {},
    "google.protobuf.Value": "text",
    "google.protobuf.ListValue": [],
    "google.protobuf.Any": None,
    "google.protobuf.DoubleValue": 1.5,
    "google.protobuf.FloatValue": 1.5,
    "google.protobuf.Int64Value": "1",
    "google.protobuf.UInt64Value": "1",
    "google.protobuf.Int32Value": 1,
    "google.protobuf.UInt32Value": 1,
    "google.protobuf.BoolValue": True,
    "google.protobuf.StringValue": "text",
    "google.protobuf.BytesValue": "dGV4dA==",
}


class MessageSamples:
    """Makes one sample message, with a bounded number of fields."""

    def __init__(self) -> None:
        self._fields_left = _MOST_FIELDS

    def message(self, kind: Descriptor, path: tuple[str, ...] = ()) -> Any:
        """A message with a value in each field, one of each choice (oneof), and one item in each list. None if it is left out."""
        if kind.full_name in _WELL_KNOWN:
            return _WELL_KNOWN[kind.full_name]
        path = (*path, kind.full_name)
        made: dict[str, Any] = {}
        chosen: set[str] = set()
        for field in kind.fields:
            choice = field.containing_oneof
            if choice is not None and choice.name in chosen:
                continue
            needed = not field.is_repeated and field.is_required
            if self._fields_left <= 0 and not needed:
                continue
            self._fields_left -= 1
            value = self._field(field, path, needed=needed)
            if value is not None:
                made[field.json_name] = value
                chosen |= set() if choice is None else {choice.name}
        return made

    def _field(self, field: FieldDescriptor, path: tuple[str, ...], *, needed: bool) -> Any:
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            key, item = inner.fields_by_name["key"], inner.fields_by_name["value"]
            value = self._single(item, path, needed=False)
            return None if value is None else {_key_text(self._single(key, path, needed=False)): value}
        value = self._single(field, path, needed=needed)
        return [value] if field.is_repeated and value is not None else value

    def _single(self, field: FieldDescriptor, path: tuple[str, ...], *, needed: bool) -> Any:
        if field.message_type is not None:
            within = len(path) < MOST_DEPTH and field.message_type.full_name not in path
            taken = within or (needed and len(path) < _MOST_NEEDED)
            return self.message(field.message_type, path) if taken else None
        if field.enum_type is not None:
            names = [value.name for value in field.enum_type.values if value.number] or [field.enum_type.values[0].name]
            return names[0]
        return "dGV4dA==" if field.type == FieldDescriptor.TYPE_BYTES else _KINDS[field.cpp_type]


def _key_text(value: Any) -> str:
    """A map's key as JSON writes it."""
    return "true" if value is True else str(value)
