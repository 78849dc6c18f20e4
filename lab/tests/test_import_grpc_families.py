"""What .proto files say in several ways makes samples that protoc reads whole, or is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google import rpc
from small_descriptions import import_text, reasons
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload import load_target
from steelyard.workload.importing.convert import convert_description

COMMON = Path(next(iter(rpc.__path__))).parents[1]  # Google's common files
CALL = "service Shop { rpc Ask (Query) returns (Query); }\n"


def sent(folder: Path, kind: str = "Query") -> str:
    """The sample of the method Ask as protoc writes it, on one line; a field that it does not know is a number."""
    target = load_target.of_service(entries.service_at(str(folder / "mine")), 1, Expect())
    message = target.operations["Ask"].bodies[0][5:]
    words = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"-I{COMMON}", f"--decode={kind}", "shop.proto"]
    done = subprocess.run(words, input=message, capture_output=True, check=True)
    return " ".join(done.stdout.decode().split())


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (
            'syntax = "proto2";',
            "message Query { required string a = 1; optional int32 b = 2 [default = 7]; repeated bool c = 3 [packed = true]; }",
            'a: "text" b: 1 c: true',
        ),
        (
            'syntax = "proto2";',
            "message Query { optional group Part = 1 { required int32 n = 2; } extensions 100 to 200; }\n"
            "extend Query { optional string more = 100; }",
            "Part { n: 1 }",
        ),
        (
            'syntax = "proto2";',
            "message Part { required int32 n = 1; } message Query { required Part p = 1; }",
            "p { n: 1 }",
        ),
        (
            'syntax = "proto3";',
            "message Query { map<int64, Query> deep = 1; map<bool, string> flags = 2; map<string, Kind> kinds = 3; }\n"
            "enum Kind { option allow_alias = true; NONE = 0; LOW = -1; LESS = -1; }",
            'flags { key: true value: "text" } kinds { key: "text" value: LOW }',
        ),
        (
            'syntax = "proto3";',
            "message Query { oneof a { Query again = 1; string text = 2; } oneof b { bytes raw = 3; double d = 4; } }",
            'text: "text" raw: "text"',
        ),
        (
            'syntax = "proto3";',
            "message Query { fixed64 a = 1; sfixed32 b = 2; sint64 c = 3; uint32 d = 4; float e = 5; repeated double f = 6; }",
            "a: 1 b: 1 c: 1 d: 1 e: 1.5 f: 1.5",
        ),
        (
            'syntax = "proto3";\nimport "google/protobuf/any.proto";\nimport "google/protobuf/struct.proto";\n'
            'import "google/protobuf/duration.proto";\nimport "google/protobuf/field_mask.proto";\n'
            'import "google/protobuf/wrappers.proto";',
            "message Query { google.protobuf.Any any = 1; google.protobuf.Duration wait = 2; google.protobuf.FieldMask mask = 3; "
            "google.protobuf.Value value = 4; google.protobuf.NullValue none = 5; google.protobuf.BoolValue yes = 6; "
            "repeated google.protobuf.Int64Value many = 7; }",
            'wait { seconds: 1 } mask { } value { string_value: "text" } yes { value: true } many { value: 1 }',
        ),
        (
            'edition = "2023";',
            "message Query { string a = 1; int32 b = 2 [features.field_presence = LEGACY_REQUIRED]; }",
            'a: "text" b: 1',
        ),
        (
            'syntax = "proto3";\nimport "google/api/annotations.proto";\nimport "google/rpc/status.proto";',
            "message Query { google.rpc.Status status = 1; }",
            'status { code: 1 message: "text" }',
        ),
    ],
)
def test_every_way_to_write_a_field_is_read_by_protoc(head: str, body: str, text: str, tmp_path: Path) -> None:
    outcome = import_text(f"{head}\n{body}\n{CALL}", tmp_path, "shop.proto")
    assert outcome.taken == ["Ask"] and not outcome.left_out
    assert sent(tmp_path) == text


def test_files_that_import_others_are_read_with_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "size.proto").write_text(
        'syntax = "proto3";\npackage parts;\nmessage Size { int32 n = 1; }\n'
    )
    (tmp_path / "all.proto").write_text('syntax = "proto3";\nimport public "parts/size.proto";\n')
    text = f'syntax = "proto3";\npackage shop;\nimport "all.proto";\nmessage Query {{ parts.Size size = 1; }}\n{CALL}'
    assert import_text(text, tmp_path, "shop.proto").taken == ["Ask"]
    assert sent(tmp_path, "shop.Query") == "size { n: 1 }"


def test_a_service_of_an_imported_file_is_taken_from_a_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "query.proto").write_text(
        'syntax = "proto3";\npackage common;\nmessage Query { string a = 1; }\n'
    )
    text = 'syntax = "proto3";\npackage shop;\nimport "common/query.proto";\n' + CALL.replace("Query", "common.Query")
    (tmp_path / "v1" / "shop.proto").write_text(text)
    outcome = convert_description(str(tmp_path / "v1" / "shop.proto"), tmp_path / "mine", [str(tmp_path)])
    assert outcome.taken == ["Ask"]


def test_streams_of_a_client_are_named_and_those_of_a_server_are_taken(tmp_path: Path) -> None:
    methods = (
        "rpc Ask (Query) returns (Query); rpc Up (stream Query) returns (Query); "
        "rpc Both (stream Query) returns (stream Query); rpc Down (Query) returns (stream Query);"
    )
    text = f'syntax = "proto3";\nmessage Query {{ string a = 1; }}\nservice Shop {{ {methods} }}\n'
    outcome = import_text(text, tmp_path, "shop.proto")
    assert outcome.taken == ["Ask", "Down"]
    assert reasons(outcome).splitlines() == [
        f"Shop.{name}: its client sends a stream of messages" for name in ("Up", "Both")
    ]
