"""A .proto file becomes a service: protoc reads its samples, and a server of Google's library answers them under load."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from command import steelyard
from google.protobuf import descriptor_pb2, message_factory
from serving_grpc import EveryCall, serving
from small_descriptions import import_text, reasons, service_file
from steelyard.base.errors import ConfigurationError, ImportRefusedError
from steelyard.catalogue import entries
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.models.service import Expect
from steelyard.workload import load_target, protobuf
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.grpc.compiling import compile_proto

SHOP = """
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum Size { SIZE_UNKNOWN = 0; SIZE_SMALL = 1; }
message Item { string id = 1; int64 price = 2; Size size = 3; google.protobuf.Timestamp made = 4; Item like = 5; }
message GetRequest { string id = 1; }
message OrderRequest {
  repeated Item items = 1;
  map<string, int32> counts = 2;
  oneof payment { string card = 3; bytes token = 4; }
  google.protobuf.StringValue note = 5;
  double discount = 6;
  optional bool express = 7;
}
message Order { string id = 1; }
service Items {
  rpc Get (GetRequest) returns (Item);
  rpc Watch (GetRequest) returns (stream Item);
  rpc Upload (stream Item) returns (Order);
}
service Orders {
  rpc PlaceOrder (OrderRequest) returns (Order);
  rpc Get (GetRequest) returns (Order);
}
"""
NAMES = ["Items.Get", "Watch", "PlaceOrder", "Orders.Get"]


def imported(folder: Path, text: str = SHOP, name: str = "shop.proto", **options: str) -> ImportOutput:
    return import_text(text, folder, name, **options)


def bodies(folder: Path) -> dict[str, list[bytes]]:
    """What `load` sends of the imported service."""
    target = load_target.of_service(entries.service_at(str(folder / "mine")), 1, Expect())
    return {name: list(operation.bodies) for name, operation in target.operations.items()}


def decoded(folder: Path, kind: str, message: bytes) -> str:
    """A message as protoc writes it, which shows unknown fields by their numbers."""
    words = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--decode=shop.v1.{kind}", "shop.proto"]
    done = subprocess.run(words, input=message, capture_output=True, check=True)
    return done.stdout.decode()


@contextmanager
def server(compiled: Path, asked: Counter[str], surplus: bytes = b"", status: Any = None) -> Iterator[str]:
    """A server by Google's library; `surplus` follows each message, `status` is that of every answer."""

    def message(method: str, **values: Any) -> bytes:
        kind = protobuf.method_at(compiled, method).output_type
        return bytes(message_factory.GetMessageClass(kind)(**values).SerializeToString()) + surplus

    def unary(method: str, body: bytes, context: Any) -> bytes:
        request = message_factory.GetMessageClass(protobuf.method_at(compiled, method).input_type).FromString(body)
        asked[f"{method} {getattr(request, 'id', '')}"] += 1
        if status is not None:
            context.abort(status, "no such item")
        return message(method, id="7")

    def stream(method: str, body: bytes, context: Any) -> Iterator[bytes]:
        yield from (unary(method, body, context) for _ in range(3))

    with serving(EveryCall(unary, stream)) as address:
        yield address


def test_each_method_with_one_message_is_an_operation_and_the_rest_is_named(tmp_path: Path) -> None:
    outcome = imported(tmp_path, target="http://127.0.0.1:9191")
    assert outcome.taken == NAMES and outcome.changing == ["PlaceOrder"]
    assert reasons(outcome) == "shop.v1.Items.Upload: its client sends a stream of messages"
    assert any("answers of Watch are streams" in note for note in outcome.notes)
    file = service_file(tmp_path)
    assert (file["meaning"], file["target"]) == ("grpc", "http://127.0.0.1:9191")
    assert file["operations"]["Items.Get"]["path"] == "/shop.v1.Items/Get"


def test_protoc_reads_every_field_of_the_samples(tmp_path: Path) -> None:
    imported(tmp_path)
    sent = {name: each[0] for name, each in bodies(tmp_path).items()}
    order = sent["PlaceOrder"]
    assert order[:5] == b"\0" + (len(order) - 5).to_bytes(4, "big")
    assert " ".join(decoded(tmp_path, "OrderRequest", order[5:]).split()) == (
        'items { id: "text" price: 1 size: SIZE_SMALL made { seconds: 1767268800 } } '
        'counts { key: "text" value: 1 } card: "text" note { value: "text" } discount: 1.5 express: true'
    )
    for name in ("Items.Get", "Watch", "Orders.Get"):
        assert decoded(tmp_path, "GetRequest", sent[name][5:]) == 'id: "text"\n'


def test_a_compiled_contract_gives_the_same_service(tmp_path: Path) -> None:
    for room in ("one", "two"):
        (tmp_path / room).mkdir()
    imported(tmp_path / "one")
    compiled = (tmp_path / "one" / "mine" / "contract" / "service.protoset").read_bytes()
    for number, name in enumerate(("shop.protoset", "unnamed")):
        (tmp_path / "two" / name).write_bytes(compiled)
        convert_description(str(tmp_path / "two" / name), tmp_path / "two" / f"{number}" / "mine", ())
        assert bodies(tmp_path / "two" / f"{number}") == bodies(tmp_path / "one")


def test_one_service_may_be_chosen(tmp_path: Path) -> None:
    assert import_text(SHOP, tmp_path, "shop.proto", "shop.v1.Orders").taken == ["PlaceOrder", "Get"]
    with pytest.raises(ImportRefusedError, match=r"there is no service 'shop\.v2\.Orders'"):
        convert_description(str(tmp_path / "shop.proto"), tmp_path / "other", (), ["shop.v2.Orders"])


def test_calls_and_streams_are_loaded_and_compared_with_the_contract(tmp_path: Path) -> None:
    imported(tmp_path)
    asked: Counter[str] = Counter()
    with server(tmp_path / "mine" / "contract" / "service.protoset", asked) as address:
        words = ("--target", address, "--users", "3", "--max-requests", "30", "--json", "--out", "runs")
        outcome = steelyard("load", "./mine", *words, folder=tmp_path).outcome
    assert (outcome["completed"], outcome["failed"], outcome["sent"]) == (30, 0, 34)
    assert asked["/shop.v1.Orders/PlaceOrder "] == 1, "it changes data: one request verifies it"
    assert asked["/shop.v1.Items/Watch text"] % 3 == 0 and outcome["kept_rules"] == ["schema"]


def test_a_status_and_a_field_that_the_contract_does_not_have_are_named(tmp_path: Path) -> None:
    imported(tmp_path, SHOP.replace("rpc Watch (GetRequest) returns (stream Item);", ""))
    compiled = tmp_path / "mine" / "contract" / "service.protoset"
    words = ("--operation", "Items.Get", "--max-requests", "4")
    with server(compiled, Counter(), status=grpc.StatusCode.NOT_FOUND) as address:
        ran = steelyard("load", "./mine", "--target", address, *words, folder=tmp_path)
    assert ran.code == 1 and "verification of Items.Get failed" in ran.err and "(fault)" in ran.err, ran.err
    with server(compiled, Counter(), surplus=protobuf.unknown_field()) as address:
        ran = steelyard("load", "./mine", "--target", address, *words, folder=tmp_path)
    assert ran.code == 1 and "Item has a field 15000, which is not in the contract" in ran.err, ran.err


def test_data_fills_samples_before_they_are_encoded(tmp_path: Path) -> None:
    imported(tmp_path)
    made = tmp_path / "mine"
    (made / "samples" / "Items.Get.json").write_text('{"id": "{{number}}"}')
    with (made / "service.toml").open("a") as file:
        file.write('\n[data.number]\nkind = "sequence"\nfirst = 5\n')
    texts = [decoded(tmp_path, "GetRequest", body[5:]) for body in bodies(tmp_path)["Items.Get"][:2]]
    assert texts == ['id: "5"\n', 'id: "6"\n']
    for sample, why in (
        ('{"id": "{{uuid}}"}', "the engine fills no placeholders"),
        ('{"ID": 1}', "no GetRequest in JSON"),
    ):
        (made / "samples" / "Items.Get.json").write_text(sample)
        with pytest.raises(ConfigurationError, match=why):
            bodies(tmp_path)


def test_what_grpc_does_not_allow_is_refused_by_name(tmp_path: Path) -> None:
    imported(tmp_path)
    for words, why in (
        (("load", "./mine", "--new-connection"), "over HTTP/2"),
        (("load", "./mine", "--follow-redirects"), "over HTTP/2"),
        (("export", "./mine", "--jmeter"), "which the export to jmeter does not support\nhint: --k6 exports it"),
        (("export", "./mine", "--k6", "--hyperfoil"), "which the export to hyperfoil does not support"),
    ):
        ran = steelyard(*words, folder=tmp_path)
        assert ran.code == 64 and why in ran.err, ran.err


REFLECTION = """
syntax = "proto3";
package grpc.reflection.v1alpha;
message ServerReflectionRequest {
  string host = 1;
  oneof message_request { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; }
}
message ServerReflectionResponse {
  string valid_host = 1;
  ServerReflectionRequest original_request = 2;
  oneof message_response {
    FileDescriptorResponse file_descriptor_response = 4;
    ListServiceResponse list_services_response = 6;
    ErrorResponse error_response = 7;
  }
}
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ListServiceResponse { repeated ServiceResponse service = 1; }
message ServiceResponse { string name = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
service ServerReflection {
  rpc ServerReflectionInfo (stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
}
"""


@contextmanager
def reflecting(folder: Path, compiled: bytes) -> Iterator[str]:
    """A server that tells its contract, each file alone, by the older version of reflection."""
    (folder / "reflection.proto").write_text(REFLECTION)
    (folder / "reflection.protoset").write_bytes(compile_proto(str(folder / "reflection.proto"), ()))
    path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    method = protobuf.method_at(folder / "reflection.protoset", path)
    question, answer = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
    files = descriptor_pb2.FileDescriptorSet.FromString(compiled).file

    def tell(raw: bytes) -> bytes:
        asked, said = question.FromString(raw), answer()
        if asked.WhichOneof("message_request") == "list_services":
            for name in ("grpc.reflection.v1alpha.ServerReflection", "shop.v1.Items", "shop.v1.Orders"):
                said.list_services_response.service.add(name=name)
            return bytes(said.SerializeToString())
        named = [each for each in files if each.name == asked.file_by_filename]
        wanted = named or [each for each in files if asked.file_containing_symbol.startswith(f"{each.package}.")]
        if wanted:
            said.file_descriptor_response.file_descriptor_proto.append(wanted[0].SerializeToString())
        else:
            said.error_response.error_code, said.error_response.error_message = 5, "not here"
        return bytes(said.SerializeToString())

    class Reflecting(grpc.GenericRpcHandler):
        def service(self, call: Any) -> Any:
            known = call.method == path
            return grpc.stream_stream_rpc_method_handler(lambda asked, _: map(tell, asked)) if known else None

    with serving(Reflecting()) as address:
        yield address.replace("http:", "grpc:")


def test_a_server_tells_its_contract_by_reflection(tmp_path: Path) -> None:
    for room in ("one", "two", "three"):
        (tmp_path / room).mkdir()
    imported(tmp_path / "one")
    compiled = (tmp_path / "one" / "mine" / "contract" / "service.protoset").read_bytes()
    with reflecting(tmp_path / "two", compiled) as place:
        ran = steelyard("import", place, "--out", "three/mine", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["taken"] == NAMES
    assert service_file(tmp_path / "three")["target"] == place.replace("grpc:", "http:")
    assert bodies(tmp_path / "three") == bodies(tmp_path / "one")


def test_a_server_without_reflection_or_with_half_a_contract_is_refused_by_name(tmp_path: Path) -> None:
    for room in ("one", "two"):
        (tmp_path / room).mkdir()
    imported(tmp_path / "one")
    compiled = tmp_path / "one" / "mine" / "contract" / "service.protoset"
    files = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes())
    del files.file[0]
    with (
        reflecting(tmp_path / "two", files.SerializeToString()) as place,
        pytest.raises(ImportRefusedError, match="not here"),
    ):
        convert_description(place, tmp_path / "mine", ())
    with serving() as address, pytest.raises(ImportRefusedError, match="has no reflection service"):
        convert_description(address.replace("http:", "grpc:"), tmp_path / "mine", ())
    ended = address.replace("http:", "grpc:")
    for place, why in ((ended, "could not be asked"), ("grpc:///a", "is not a gRPC server")):
        with pytest.raises(ImportRefusedError, match=why):
            convert_description(place, tmp_path / "mine", ())


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ('syntax = "proto3";\nimport "gone.proto";\nservice A {}', "a.proto", "gone.proto.*not found"),
        ('syntax = "proto3";\nservice A { rpc B (C) returns (D); }', "a.proto", '"C" is not defined'),
        ('syntax = "proto3";\nmessage A {}', "a.proto", "no method of .* can be called"),
        (
            'syntax = "proto3";\nmessage A {}\nservice B { rpc C (stream A) returns (A); }',
            "a.proto",
            "its client sends a stream",
        ),
        (
            'syntax = "proto2";\nmessage A { required A a = 1; }\nservice B { rpc C (A) returns (A); }',
            "a.txt.proto",
            "no valid request can be made",
        ),
        ("not a contract", "a.protoset", "not a complete compiled contract"),
    ],
)
def test_what_is_no_contract_is_refused_in_a_sentence(text: str, name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=why) as refused:
        imported(tmp_path, text, name)
    assert "\n" not in refused.value.message and not (tmp_path / "mine").exists()


def test_the_command_imports_within_its_bounds(tmp_path: Path) -> None:
    (tmp_path / "shop.proto").write_text(SHOP)
    ran = steelyard("import", "shop.proto", "--out", "mine", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["taken"] == NAMES
