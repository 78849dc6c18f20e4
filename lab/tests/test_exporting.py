"""Exports to other load tools have the load of `load`; they list what a tool cannot express, and contain no secrets."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import steelyard
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.job import Rate, Think, UserStages
from steelyard.models.service import Expect
from steelyard.workload import load_spec
from steelyard.workload.exporting import export
from steelyard.workload.exporting.hyperfoil import hyperfoil_files
from steelyard.workload.exporting.k6 import k6_files
from steelyard.workload.exporting.planned import PlannedExport, plan_export
from steelyard.workload.load_target import of_service

SERVICE = """
name = "own"
title = "own"
meaning = "bytes"
path = "/"
target = "http://127.0.0.1:8123"
auth = { kind = "basic", user = "me", secret = "env:OWN" }
[data.who]
kind = "choice"
values = ["a", "b"]
[operations.read]
meaning = "r"
method = "GET"
sample = "empty"
path = "/read/{{who}}"
expect = { contains = "y\\\\E.", fault = "any" }
[operations.write]
meaning = "w"
sample = "body"
headers = { Content-Type = "text/plain", X-Of = "{{time}}" }
expect = { status = [200, 202], least = 2, matches = "^a", xpath = ["//a"] }
"""
BODY = 'one </script> `tick` ${x} @OPTIONS@ "quoted" \\ {{uuid}} é\n'


STAGES = UserStages.model_validate(
    {
        "stages": [
            {"from_users": 2, "to_users": 5, "seconds": 2},
            {"from_users": 5, "to_users": 5, "seconds": 5},
            {"from_users": 1, "to_users": 1, "seconds": 3},
        ]
    }
)
VIRTUAL_USERS = [
    {"target": 5, "duration": "2000ms"},
    {"target": 5, "duration": "0ms"},
    {"target": 5, "duration": "5000ms"},
    {"target": 1, "duration": "0ms"},
    {"target": 1, "duration": "3000ms"},
]
RATES = Rate.model_validate(
    {"stages": [{"from_rate": 0, "to_rate": 40, "seconds": 4}, {"from_rate": 40, "to_rate": 40, "seconds": 6}]}
)


def plan(folder: Path, **said: Any) -> PlannedExport:
    (folder / "service.toml").write_text(SERVICE)
    (folder / "empty").write_text("")
    (folder / "body").write_text(said.pop("body", BODY))
    asked = of_service(entries.service_at(str(folder)), 1, Expect())
    return plan_export(asked, load_spec.LoadSpec(**said), {"X-Key": "file:/there/key"})


def script_of(plan: PlannedExport) -> str:
    return k6_files(plan)[0]["own.k6.js"]


def options_of(plan: PlannedExport) -> dict[str, Any]:
    text = re.search(r"^export const options = (\{.*?^\});", script_of(plan), re.M | re.S)
    assert text is not None
    return dict(json.loads(text[1]))


def omitted(listed: list[Any]) -> dict[str, str]:
    return {each.what: each.why for each in listed}


def test_k6_is_told_requests_weights_rules_and_secrets_by_where_they_are(tmp_path: Path) -> None:
    made = plan(
        tmp_path, users=(8, 8), mix={"read": 3.0, "write": 1.0}, goals=load_spec.goals_of({0.95: "200ms"}, "1%")
    )
    files, left_out = k6_files(made)
    script, rows = files["own.k6.js"], json.loads(files["own.k6.json"])
    assert (
        'secret("file:/there/key")' in script and '"Basic " + encoding.b64encode("me:" + secret("env:OWN"))' in script
    )
    assert rows["write"] == [{"path": "/", "body": BODY}]
    assert {row["path"] for row in rows["read"]} == {"/read/a", "/read/b"} and len(rows["read"]) == 1_000
    listed = json.loads(re.search(r"^const OPERATIONS = (\[.*?^\]);", script, re.M | re.S)[1])  # type: ignore[index]
    assert [(each["name"], each["weight"], each["filled"]) for each in listed] == [
        ("read", 3, False),
        ("write", 1, True),
    ]
    assert listed[1]["right"]["status"] == [200, 202] and listed[1]["right"]["length"]["least"] == 2
    options = options_of(made)
    assert options["scenarios"]["load"]["vus"] == 8 and options["scenarios"]["load"]["startTime"] == "1000ms"
    assert options["scenarios"]["warm_up"]["duration"] == "1000ms"
    assert options["thresholds"]["http_req_duration{scenario:load}"] == ["p(95)<=200"]
    assert options["thresholds"]["checks{scenario:load}"] == ["rate>=0.99"]
    assert "rule xpath //a of write" in omitted(left_out)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_script_is_one_that_javascript_reads_and_judges_answers_as_the_engine_does(tmp_path: Path) -> None:
    script = script_of(plan(tmp_path))
    (tmp_path / "script.mjs").write_text(script)
    checked = subprocess.run(["node", "--check", "script.mjs"], cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    functions = re.findall(r"^function (?:length|isRight)\(.*?^}$", script, re.M | re.S)
    right = {"status": [200], "fault": "absent", "contains": "é", "matches": "^a", "length": {"least": 3, "most": 4}}
    answers = [(200, "aé"), (200, "aéé"), (500, "aé"), (200, "bé"), (200, "ab"), (200, "a<s:Fault>é"), (200, None)]
    judging = f"([status, body]) => isRight({{status, body}}, {json.dumps(right)})"
    ask = f"console.log(JSON.stringify({json.dumps(answers)}.map({judging})))"
    said = subprocess.run(["node", "-e", "\n".join([*functions, ask])], capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == [True, False, False, False, False, False, False]


@pytest.mark.parametrize(
    ("said", "executor", "key", "value"),
    [
        ({"rates": (10.0, 10.0), "poisson": True}, "constant-arrival-rate", "rate", 10),
        ({"rates": (2.5, 2.5)}, "constant-arrival-rate", "rate", 9_000),
        ({"rates": (10.0, 40.0)}, "ramping-arrival-rate", "startRate", 10),
        ({"most_requests": 9}, "shared-iterations", "iterations", 9),
        ({"users": (1, 5), "profile": "ramp"}, "ramping-vus", "stages", [{"target": 5, "duration": "10000ms"}]),
        ({"users": (1, 2), "profile": "steps"}, "ramping-vus", "startVUs", 1),
        ({"shape": STAGES}, "ramping-vus", "stages", VIRTUAL_USERS),
        ({"shape": RATES, "rates": (0.0, 40.0)}, "ramping-arrival-rate", "startRate", 0),
        ({"users": (3, 3), "profile": "bursts"}, "ramping-vus", "startVUs", 3),
    ],
)
def test_every_shape_of_load_has_its_executor_and_its_phases(
    said: dict[str, Any], executor: str, key: str, value: object, tmp_path: Path
) -> None:
    made = plan(tmp_path, **said)
    load = options_of(made)["scenarios"]["load"]
    assert (load["executor"], load[key]) == (executor, value)
    files, left_out = hyperfoil_files(made)
    phases = [next(iter(phase.items())) for phase in read(files["own.hf.yaml"])["phases"]]
    seconds = sum(float(next(iter(load.values()))["duration"][:-1]) for name, load in phases if name != "warmUp")
    assert seconds == 10
    assert ("--poisson" in omitted(k6_files(made)[1])) == bool(said.get("poisson"))
    assert ("--max-requests" in omitted(left_out)) == ("most_requests" in said)


class Reader(yaml.SafeLoader):
    """YAML with Hyperfoil's tags, as words."""


Reader.add_constructor("!param", lambda loader, node: f"<{loader.construct_scalar(node)}>")
Reader.add_constructor("!concat", lambda loader, node: "".join(loader.construct_sequence(node)))


def read(text: str) -> dict[str, Any]:
    return dict(yaml.load(text, Loader=Reader))


def test_hyperfoil_is_told_what_its_format_has_words_for(tmp_path: Path) -> None:
    made = plan(
        tmp_path, rates=(10.0, 10.0), poisson=True, think=Think(), goals=load_spec.goals_of({0.95: "200ms"}, "1%")
    )
    files, left_out = hyperfoil_files(made)
    benchmark = read(files["own.hf.yaml"])
    assert benchmark["http"]["host"] == "http://127.0.0.1:8123" and benchmark["http"]["allowHttp2x"] is False
    (warm_up,), (load,) = (phase.values() for phase in benchmark["phases"])
    assert warm_up["constantRate"]["isWarmup"] and load["constantRate"]["startAfterStrict"] == "warmUp"
    assert (load["constantRate"]["usersPerSec"], load["constantRate"]["variance"]) == (10, True)
    reading = load["constantRate"]["forks"]["read"]
    draw, request = reading["scenario"][0]["read"]
    assert reading["weight"] == 1 and set(draw["randomItem"]["list"]) == {"/read/a", "/read/b"}
    asked = request["httpRequest"]
    assert asked["GET"] == "${path}" and "body" not in asked
    assert asked["headers"] == {"X-Key": "<_there_key>", "Authorization": "Basic <OWN_BASE64>"}
    assert asked["handler"] == {"status": {"range": 200}, "body": {"check": {"regex": ".*(?:\\Qy\\E\\\\E\\Q.\\E).*"}}}
    assert asked["sla"] == [{"limits": {0.95: "200 ms"}, "errorRatio": 0.01, "invalidRatio": 0.01, "blockedRatio": 1.0}]
    assert "which Hyperfoil would expand" in omitted(left_out)["write"], "its body holds ${"


def test_hyperfoil_fills_what_we_fill_and_says_what_it_judges_otherwise(tmp_path: Path) -> None:
    made = plan(tmp_path, body="an {{uuid}}", think=load_spec.parse_think("1s..3s"))
    files, left_out = hyperfoil_files(made)
    (_, load) = read(files["own.hf.yaml"])["phases"]
    steps = load["load"]["always"]["forks"]["write"]["scenario"][0]["write"]
    assert [next(iter(step)) for step in steps] == ["timestamp", "randomUUID", "httpRequest", "thinkTime"]
    assert steps[2]["httpRequest"]["body"] == {"pattern": "an ${uuid}"}
    assert steps[2]["httpRequest"]["headers"]["X-Of"] == "${time}"
    assert steps[2]["httpRequest"]["handler"]["status"] == {"range": "200-202"}
    assert steps[3]["thinkTime"] == {"duration": "2000ms", "min": "1000ms", "max": "3000ms", "random": "LINEAR"}
    assert {"the mix", "status of write", "length of answers of write", "rule fault"} <= omitted(left_out).keys()
    with pytest.raises(ConfigurationError, match="exists already"):
        [export(made, "hyperfoil", tmp_path / "there") for _ in range(2)]


def test_the_command_writes_the_files_of_each_tool_and_names_what_is_not_said(tmp_path: Path) -> None:
    plan(tmp_path)
    ran = steelyard("export", "./", "--k6", "--hyperfoil", "--users", "2", "--out", "there", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["own.hf.yaml", "own.k6.js", "own.k6.json"]
    assert "k6: own at http://127.0.0.1:8123, 2 users for 10 s:" in ran.out and "not exported: the mix:" in ran.out
    ran = steelyard("export", "./", folder=tmp_path)
    assert ran.code == 64 and "no tool was chosen" in ran.err
    ran = steelyard("export", "http://127.0.0.1:1/x", "--k6", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["tools"][0]["operations"] == ["request"]
    assert (tmp_path / "127.0.0.1-1.k6.js").is_file()


def test_a_connection_for_each_request_is_left_out_and_named(tmp_path: Path) -> None:
    assert "--new-connection" in omitted(plan(tmp_path, new_connection=True).left_out)
    assert "--new-connection" not in omitted(plan(tmp_path).left_out)
