"""Messages of protocol buffers: read as Google's own library reads them, the same in every spelling, or refused by a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from grpc_tools import protoc
from hypothesis import given, settings
from hypothesis import strategies as st
from steelyard.base.errors import ContractError
from steelyard.base.paths import root
from steelyard.workload import protobuf
from steelyard.workload.protobuf import Writing, values

CONTRACT = root() / "services" / "wstest" / "contract"
COMPILED = CONTRACT / "wstest.protoset"
SYNTHETIC = protobuf.method_at(COMPILED, "/steelyard.wstest.WSTest/EchoSynthetic").input_type
LIST = protobuf.method_at(COMPILED, "/steelyard.wstest.WSTest/EchoList").input_type
STRUCTS = protobuf.method_at(COMPILED, "/steelyard.wstest.WSTest/EchoStruct").input_type

Type = descriptor_pb2.FieldDescriptorProto
SCALARS = [name for name, _ in Type.Type.items() if name not in ("TYPE_GROUP", "TYPE_MESSAGE", "TYPE_ENUM")]


def everything() -> Any:
    """A message with a field of each type, one of each that is repeated, and one that nests."""
    file = descriptor_pb2.FileDescriptorProto(name="all.proto", package="t", syntax="proto3")
    message = file.message_type.add(name="All")
    for number, name in enumerate(SCALARS, 1):
        one = name.removeprefix("TYPE_").lower()
        message.field.add(name=f"one_{one}", number=number, label=1, type=Type.Type.Value(name))
        message.field.add(name=f"all_{one}", number=100 + number, label=3, type=Type.Type.Value(name))
    for number, name, label in ((200, "inner", 1), (201, "inners", 3)):
        message.field.add(name=name, number=number, label=label, type=Type.TYPE_MESSAGE, type_name=".t.All")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool.FindMessageTypeByName("t.All")


ALL = everything()
CLASS = message_factory.GetMessageClass(ALL)


def sample() -> Any:
    """A message of the library with something in each field, edge values first of all."""
    whole = {"INT32": -(2**31), "INT64": -(2**63), "UINT32": 2**32 - 1, "UINT64": 2**64 - 1, "SINT32": -(2**31)}
    whole |= {"SINT64": -(2**63), "FIXED32": 2**32 - 1, "FIXED64": 2**64 - 1, "SFIXED32": -1, "SFIXED64": -(2**63)}
    other = {"DOUBLE": 0.1, "FLOAT": float("nan"), "BOOL": True, "STRING": "ä\r\n𝄞", "BYTES": b"\0\xff"}
    given = {f"one_{name.lower()}": value for name, value in (whole | other).items()}
    given |= {f"all_{name.lower()}": [value, value] for name, value in (whole | other).items()}
    return CLASS(**given, inner=CLASS(one_int32=5, inner=CLASS()), inners=[CLASS(), CLASS(one_string="x")])


def test_the_compiled_contract_is_the_one_that_people_read(tmp_path: Path) -> None:
    made = tmp_path / "made"
    assert protoc.main(["protoc", f"--proto_path={CONTRACT}", f"--descriptor_set_out={made}", "wstest.proto"]) == 0
    sets = [descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()) for path in (made, COMPILED)]
    assert sets[0] == sets[1], "wstest.proto was changed: run sh tools/protobuf.sh --go"


def test_every_type_is_read_as_the_library_reads_it() -> None:
    message = sample()
    read = values(message.SerializeToString(), ALL)
    for name in SCALARS:
        own = name.removeprefix("TYPE_").lower()
        for field, one in ((f"one_{own}", False), (f"all_{own}", True)):
            due = [getattr(message, field)] if not one else list(getattr(message, field))
            got = [read[field]] if not one else read[field]
            words = {True: "true", False: "false"} if own == "bool" else {}
            assert got == [words.get(value, "NaN" if value != value else value) for value in due]
    assert read["inner"]["one_int32"] == 5
    assert [each["one_string"] for each in read["inners"]] == ["", "x"]
    assert "inner" in read["inner"] and "inner" not in read["inner"]["inner"]  # absent is not empty


@pytest.mark.parametrize(
    "writing",
    [Writing(), Writing(backwards=True), Writing(long_numbers=True), Writing(defaults=True), Writing(in_pieces=True)],
)
def test_every_way_of_writing_means_the_same_to_us_and_to_the_library(writing: Writing) -> None:
    given = sample().SerializeToString()
    written = writing.message(values(given, ALL), ALL)
    assert values(written, ALL) == values(given, ALL)
    assert values(CLASS.FromString(written).SerializeToString(), ALL) == values(given, ALL)


def test_what_differs_is_told_apart() -> None:
    plain = values(b"", ALL)
    for field, value in (
        ("one_bool", True),
        ("one_int32", 1),
        ("one_float", 0.5),
        ("one_string", " "),
        ("one_bytes", b"\0"),
    ):
        assert values(CLASS(**{field: value}).SerializeToString(), ALL) != plain
    one, true = CLASS(all_int32=[1]), CLASS(all_bool=[True])
    assert values(one.SerializeToString(), ALL)["all_int32"] != values(true.SerializeToString(), ALL)["all_bool"]
    assert values(CLASS(one_float=-0.0).SerializeToString(), ALL) == plain  # which equals 0


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b"\x20\x01", "has a field 4, which is not in the contract"),
        (b"\x08\x01", "text has an encoding that does not fit its type"),
        (b"\x0a\x05ab", "ends within a field"),
        (b"\x0a\x02\xff\xfe", "text is not UTF-8"),
        (b"\x0a" + b"\xff" * 10, "an unterminated number"),
        (b"\x0a", "an unterminated number"),
        (b"\x0c", "the wire type 4"),
        (b"\0", "has a field 0"),
        (protobuf.unknown_field(), "has a field 15000"),
    ],
)
def test_what_is_no_message_of_the_contract_is_refused_by_a_sentence(message: bytes, said: str) -> None:
    with pytest.raises(ContractError, match=said):
        values(message, SYNTHETIC)


def nested(depth: int) -> bytes:
    """A list of so many items, of which nothing but the nesting is said."""
    pieces: list[bytes] = []
    length = 0
    for number in (*[2] * depth, 1):
        head = Writing()._number(number << 3 | 2) + Writing()._number(length)
        pieces.append(head)
        length += len(head)
    return b"".join(reversed(pieces))


def test_a_message_nests_as_deep_as_the_contract_lets_it_and_no_deeper() -> None:
    assert values(nested(200), LIST)["list"]
    for depth in (1_000, 100_000):
        with pytest.raises(ContractError, match="nests more than 300 deep"):
            values(nested(depth), LIST)


def test_a_hostile_message_is_read_no_further_than_any_answer_goes() -> None:
    with pytest.raises(ContractError, match="more than 200,000 values"):
        values(b"\x0a\x00" * 300_000, STRUCTS)
    with pytest.raises(ContractError, match="more than 200,000 values"):
        values(CLASS(all_bool=[True] * 300_000).SerializeToString(), ALL)


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_that_the_library_takes_too_or_are_refused(message: bytes) -> None:
    try:
        read = values(message, ALL)
    except ContractError:
        return
    assert values(CLASS.FromString(message).SerializeToString(), ALL) == read


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_a_damaged_message_is_never_more_than_refused(data: st.DataObject) -> None:
    whole = bytearray(sample().SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        read = values(bytes(whole), ALL)
    except ContractError:
        return
    try:
        again = CLASS.FromString(bytes(whole))
    except DecodeError:
        pytest.fail(f"the library does not take {bytes(whole)!r}")
    assert values(again.SerializeToString(), ALL) == read


def test_a_contract_that_is_not_there_or_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"has no method at /steelyard.wstest.WSTest/EchoNil"):
        protobuf.method_at(COMPILED, "/steelyard.wstest.WSTest/EchoNil")
    (tmp_path / "x.protoset").write_bytes(b"\xff\xff")
    for file in ("x.protoset", "y.protoset"):
        with pytest.raises(ContractError, match=f"{file} cannot be read"):
            protobuf.method_at(tmp_path / file, "/a/b")
