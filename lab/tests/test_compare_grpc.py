"""A gRPC service of the user's own is compared, gated and loaded like any: started, verified over HTTP/2, and driven in turns."""

from __future__ import annotations

import json
import socket
import sys
from collections import Counter
from pathlib import Path

import pytest
from command import Ran, steelyard
from small_descriptions import import_text
from steelyard.catalogue import entries
from steelyard.hosts import own_launch
from steelyard.hosts.placement import LOOPBACK
from test_grpc import hostile
from test_import_grpc import server

CONTRACT = """
syntax = "proto3";
package shop.v1;
message GetRequest { string id = 1; }
message Item { string id = 1; }
service Items {
  rpc Get (GetRequest) returns (Item);
  rpc Watch (GetRequest) returns (stream Item);
}
"""
SERVER = f"""
import signal
import sys

sys.path.insert(0, {str(Path(__file__).parent)!r})
import grpc
from serving_grpc import EveryCall, serving

ITEM = b"\\x0a\\x017"


def unary(path, body, context):
    if len(sys.argv) > 2:
        context.abort(grpc.StatusCode.NOT_FOUND, "no such item")
    return ITEM


with serving(EveryCall(unary, lambda path, body, context: iter([ITEM, ITEM])), port=int(sys.argv[1])):
    signal.pause()
"""
SHORT = ("--budget", "20s", "--slice-seconds", "0.5", "--warm-up", "1", "--users", "2", "--out", "runs")


def made(folder: Path, *more: str) -> None:
    """The service `mine` of the contract, with a server that its file starts."""
    import_text(CONTRACT, folder, "shop.proto")
    (folder / "mine" / "serve.py").write_text(SERVER)
    file = folder / "mine" / "service.toml"
    start = f"start = {json.dumps([sys.executable, 'serve.py', '{port}', *more])}\n"
    head, table, rest = file.read_text().partition("\n[headers]")
    file.write_text(f"{head}\n{start}{table}{rest}")
    assert entries.service_at(str(folder / "mine")).model.start


def run(folder: Path, *words: str) -> Ran:
    return steelyard(*words, *SHORT, folder=folder, environment={"STEELYARD_STRANGERS": "yes"})


@pytest.mark.alone
def test_a_grpc_service_is_compared_with_itself(tmp_path: Path) -> None:
    made(tmp_path)
    ran = run(tmp_path, "compare", "./mine", "./mine", "--json")
    assert ran.code in (0, 2), ran.err
    judged = json.loads(ran.out)["comparisons"][0]
    assert (judged["a"], judged["b"], judged["operation"]) == ("mine", "mine.again", "Get+Watch")
    trial = json.loads(next((tmp_path / "runs").glob("*/trials/01/trial.json")).read_text())
    assert trial["status"] == "complete" and {each["exchanges_verified"] for each in trial["subjects"]} == {2}
    assert trial["samples_checked"] > 0 and trial["wrong_samples"] == []


@pytest.mark.alone
@pytest.mark.long  # in short: the comparison with itself, which takes the same way
def test_a_grpc_service_is_gated(tmp_path: Path) -> None:
    made(tmp_path)
    ran = run(tmp_path, "check", "./mine", "./mine", "--operation", "Get", "--margin", "50%", "--json")
    assert ran.code in (0, 2), ran.err
    assert next((tmp_path / "runs").glob("*/trials/01/trial.json")).is_file()


@pytest.mark.alone
def test_two_grpc_services_that_run_are_compared(tmp_path: Path) -> None:
    import_text(CONTRACT, tmp_path, "shop.proto")
    compiled = tmp_path / "mine" / "contract" / "service.protoset"
    with server(compiled, Counter()) as one, server(compiled, Counter()) as two:
        ran = run(tmp_path, "compare", one, two, "--service", "./mine", "--operation", "Get", "--pairs", "4", "--json")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert [side["failed"] for side in outcome["subjects"]] == [0, 0] and outcome["pairs"] == 4
    assert all(side["completed"] > 0 for side in outcome["subjects"])


def test_a_status_of_failure_is_named_before_anything_is_measured(tmp_path: Path) -> None:
    made(tmp_path, "failing")
    ran = run(tmp_path, "compare", "./mine", "./mine", "--operation", "Get")
    assert ran.code == 1 and "verification of Get failed" in ran.err and "(fault)" in ran.err, ran.err


@pytest.mark.parametrize(
    ("said", "is_up"),
    [(b"\0\0\0\4\0\0\0\0\0", True), (b"HTTP/1.1 400 Bad Request\r\n\r\n", False), (b"", False)],
    ids=["settings", "http1", "silence"],
)
def test_a_grpc_server_is_up_when_it_answers_by_http_2(said: bytes, is_up: bool, tmp_path: Path) -> None:
    made(tmp_path)
    service = entries.service_at(str(tmp_path / "mine"))
    with hostile(said) as url:
        assert own_launch.answers(service, LOOPBACK, int(url.rpartition(":")[2]))() is is_up


def test_a_grpc_server_is_not_up_where_nothing_listens(tmp_path: Path) -> None:
    made(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert not own_launch.answers(entries.service_at(str(tmp_path / "mine")), LOOPBACK, port)()
