"""gRPC is exported to k6: its compiled contract, its messages in JSON, and a script that checks the status of answers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from google.protobuf import descriptor_pb2
from small_descriptions import import_text
from steelyard.models.outputs.other_tools import ExportOutput
from test_import_grpc import SHOP

TARGET = "http://127.0.0.1:9191"
STREAM = "its answer is a stream of messages, which the script does not read"


def exported(folder: Path, *words: str, more: str = "") -> Ran:
    """What the command says of the service; `more` is added to its file."""
    import_text(SHOP, folder, "shop.proto", target=TARGET)
    with (folder / "mine" / "service.toml").open("a") as file:
        file.write(more)
    return steelyard("export", "./mine", "--k6", "--out", "there", "--json", *words, folder=folder)


def script_of(folder: Path) -> str:
    return (folder / "there" / "mine.k6.js").read_text()


def value_of(script: str, name: str) -> Any:
    """The value of a constant of the script."""
    text = re.search(rf"^(?:export )?const {name} = ([\[{{].*?^[\]}}]);", script, re.M | re.S)
    assert text is not None, name
    return json.loads(text[1])


def test_the_contract_the_messages_and_the_load_are_beside_each_other(tmp_path: Path) -> None:
    ran = exported(tmp_path, "--users", "8", "--writes", "--p95", "200ms", "--errors", "1%")
    assert ran.code == 0, ran.err
    (tool,) = ExportOutput.model_validate_json(ran.out).tools
    assert tool.operations == ["Items.Get", "PlaceOrder", "Orders.Get"]
    assert {each.what: each.why for each in tool.left_out}["Watch"] == STREAM
    assert tool.files == ["there/mine.k6.js", "there/mine.k6.json", "there/mine.protoset"]
    contract = descriptor_pb2.FileDescriptorSet.FromString((tmp_path / "there" / "mine.protoset").read_bytes())
    described = {f"{file.package}.{each.name}": each for file in contract.file for each in file.service}
    assert [method.name for method in described["shop.v1.Items"].method] == ["Get", "Watch", "Upload"]
    messages = json.loads((tmp_path / "there" / "mine.k6.json").read_text())
    assert messages["Items.Get"] == [{"id": "text"}] and "Watch" not in messages
    (order,) = messages["PlaceOrder"]
    assert order["items"][0]["made"] == "2026-01-01T12:00:00Z" and order["express"] is True and order["note"] == "text"


def test_the_script_has_the_methods_by_weight_and_the_goals_as_thresholds(tmp_path: Path) -> None:
    exported(tmp_path, "--users", "8", "--mix", "Items.Get=3,Orders.Get=1", "--p95", "200ms", "--errors", "1%")
    script = script_of(tmp_path)
    called = value_of(script, "OPERATIONS")
    assert [(each["method"], each["weight"]) for each in called] == [
        ("shop.v1.Items/Get", 3),
        ("shop.v1.Orders/Get", 1),
    ]
    assert called[0] == {**called[0], "metadata": {}, "filled": False, "fault": "absent"}
    options = value_of(script, "options")
    assert options["scenarios"]["load"]["vus"] == 8 and "maxRedirects" not in options
    assert options["thresholds"] == {
        "grpc_req_duration{scenario:load}": ["p(95)<=200"],
        "checks{scenario:load}": ["rate>=0.99"],
    }
    for line in (
        "import grpc from 'k6/net/grpc';",
        f"const TARGET = __ENV.TARGET || {json.dumps(TARGET)};",
        "client.loadProtoset('./mine.protoset');",
        'client.connect(address(), { plaintext: PLAINTEXT, timeout: "30000ms" });',
    ):
        assert line in script, line
    assert "@" not in script


def test_metadata_has_what_the_user_added_and_secrets_by_where_they_are(tmp_path: Path) -> None:
    more = '[operations."Items.Get".headers]\nX-Id = "{{uuid}}"\n'
    exported(tmp_path, "--header", "X-Of: me", "--secret-header", "Authorization: env:TOKEN", more=more)
    script = script_of(tmp_path)
    filled, plain = value_of(script, "OPERATIONS")
    assert (filled["metadata"], filled["filled"]) == ({"X-Id": "{{uuid}}", "X-Of": "me"}, True)
    assert (plain["metadata"], plain["filled"]) == ({"X-Of": "me"}, False)
    assert '"Authorization": secret("env:TOKEN"),' in script and "function uuid()" in script


def test_rules_on_bytes_are_named_since_k6_has_none(tmp_path: Path) -> None:
    ran = exported(tmp_path, more='[operations."Items.Get".expect]\ncontains = "text"\n')
    left = {each["what"]: each["why"] for each in json.loads(ran.out)["tools"][0]["left_out"]}
    assert "as JSON, without its bytes" in left["rule contains of Items.Get"]
    assert "rule contains of Orders.Get" not in left


def test_a_stream_alone_is_refused_by_name(tmp_path: Path) -> None:
    ran = exported(tmp_path, "--operation", "Watch")
    assert ran.code == 64 and "k6 supports no operation of mine: " in ran.err and f"Watch: {STREAM}" in ran.err
    assert not (tmp_path / "there").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_script_is_one_that_javascript_reads(tmp_path: Path) -> None:
    exported(tmp_path)
    script = script_of(tmp_path)
    (tmp_path / "script.mjs").write_text(script)
    checked = subprocess.run(["node", "--check", "script.mjs"], cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    functions = re.findall(r"^function (?:address|isRight)\(.*?^}$", script, re.M | re.S)
    judged = "[0, 5].map((status) => ['absent', 'present', 'any'].map((fault) => isRight({ status }, fault)))"
    known = ["const grpc = { StatusOK: 0 };", "let TARGET, PLAINTEXT;", *functions]
    known.append("function at(target) { TARGET = target; PLAINTEXT = !TARGET.startsWith('https:'); return address(); }")
    places = ["http://127.0.0.1:9191", "https://shop.example/", "http://[::1]"]
    known.append(f"console.log(JSON.stringify([{judged}, {json.dumps(places)}.map(at)]))")
    told = subprocess.run(["node", "-e", "\n".join(known)], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == [
        [[True, False, True], [False, True, True]],
        ["127.0.0.1:9191", "shop.example:443", "[::1]:80"],
    ]
