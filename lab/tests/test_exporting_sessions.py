"""Sessions exported to k6 and JMeter: the same steps, captures, pauses, data and weights; what a tool lacks is named."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from lxml import etree
from session_shop import SESSION, service_folder
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload import load_spec
from steelyard.workload.exporting.hyperfoil import hyperfoil_files
from steelyard.workload.exporting.jmeter import jmeter_files
from steelyard.workload.exporting.k6 import k6_files
from steelyard.workload.exporting.planned import PlannedExport, plan_export
from steelyard.workload.load_target import of_service

LOOK = """
[sessions.look]
weight = 3
[[sessions.look.steps]]
name = "form"
path = "/form"
captures.csrf = { kind = "regex", expression = '(?s)name="csrf".*?value="([^"]+)"' }
[[sessions.look.steps]]
name = "sent"
path = "/form?csrf={{csrf}}&at={{time}}"
captures.visitor = { kind = "cookie", name = "visitor" }
[[sessions.look.steps]]
name = "seen"
path = "/seen/{{visitor}}"
"""


def plan(folder: Path, more: str = SESSION, **said: Any) -> PlannedExport:
    """The export of the shop's sessions."""
    made = service_folder(folder, "http://127.0.0.1:8123", more, users=5)
    target = of_service(entries.service_at(str(made)), 1, Expect())
    return plan_export(target, load_spec.LoadSpec(**said), {})


def omitted(listed: list[Any]) -> dict[str, str]:
    return {each.what: each.why for each in listed}


def listed(script: str, name: str) -> Any:
    """A constant of a k6 script."""
    found = re.search(rf"^const {name} = (.*?);$", script, re.M | re.S)
    assert found is not None
    return json.loads(found[1])


def texts(tree: Any, element: str, name: str) -> list[str]:
    """A property of all elements of a kind, in order."""
    return [found.text or "" for found in tree.iterfind(f".//{element}/*[@name='{name}']")]


def test_k6_has_the_steps_captures_pauses_and_data_of_sessions(tmp_path: Path) -> None:
    files, left_out = k6_files(plan(tmp_path, SESSION + LOOK, users=(4, 4)))
    script, rows = files["shop.k6.js"], json.loads(files["shop.k6.json"])
    visit, look = listed(script, "SESSIONS")
    assert (visit["weight"], look["weight"]) == (1, 3)
    assert [step["name"] for step in visit["steps"]] == ["visit.login", "visit.cart", "visit.add", "visit.checkout"]
    assert (visit["once"], visit["againOn"], visit["dataOf"], visit["goesOn"]) == (1, [401], "user", False)
    assert visit["steps"][1]["captures"] == [{"name": "csrf", "kind": "json", "path": ["csrf"]}]
    assert visit["steps"][2]["captures"] == [{"name": "next", "kind": "header", "header": "X-Csrf"}]
    assert visit["steps"][2]["needs"] == ["csrf", "token", "user"]
    assert visit["steps"][1]["think"] == {"kind": "uniform", "ms": 40, "to_ms": 160}
    assert look["steps"][0]["captures"] == [
        {"name": "csrf", "kind": "regex", "expression": 'name="csrf".*?value="([^"]+)"', "flags": "s"}
    ]
    assert len(rows["visit"]) == 5 and rows["visit"][1] == {"user": "u 1", "password": 'pw-u 1"&'}
    assert rows["look"] == [{}] and rows["visit.add"][0]["body"] == "csrf={{csrf:url}}&item=book%20of%20{{user:url}}"
    options = json.loads(re.search(r"^export const options = (\{.*?^\});", script, re.M | re.S)[1])  # type: ignore[index]
    assert options["noCookiesReset"] is True and list(options["scenarios"]) == ["load"]
    assert options["scenarios"]["load"]["duration"] == "11000ms", "users keep their sessions through the warm-up"
    assert "the warm-up of sessions" in omitted(left_out)
    if shutil.which("node") is not None:
        (tmp_path / "script.mjs").write_text(script)
        checked = subprocess.run(["node", "--check", "script.mjs"], cwd=tmp_path, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_k6_codes_and_finds_values_as_the_engine_does(tmp_path: Path) -> None:
    script = k6_files(plan(tmp_path))[0]["shop.k6.js"]
    functions = re.findall(r"^function (?:coded|filled|found|isCaptured)\(.*?^}$", script, re.M | re.S)
    answer = {
        "headers": {"X-Csrf": "h"},
        "cookies": {"a": [{"value": "1"}, {"value": "2"}]},
        "body": '{"items": [{"id": 7}], "none": null, "text": "code=9;"}',
    }
    captures = [
        {"kind": "header", "header": "x-csrf"},
        {"kind": "cookie", "cookie": "a"},
        {"kind": "json", "path": ["items", 0, "id"]},
        {"kind": "regex", "expression": "code=(\\d+)", "flags": ""},
        {"kind": "json", "path": ["none"]},
        {"kind": "cookie", "cookie": "b"},
    ]
    named = [{"name": f"v{number}", **capture} for number, capture in enumerate(captures)]
    ask = f"""
const values = {{ odd: 'a "<é+' }};
const taken = {json.dumps(named)}.map((capture) => isCaptured(capture, {json.dumps(answer)}, values));
const text = '{{{{odd:url}}}} {{{{odd:json}}}} {{{{odd:xml}}}} {{{{v2}}}} {{{{other}}}}';
console.log(JSON.stringify([taken, values, filled(text, values)]));
"""
    said = subprocess.run(["node", "-e", "\n".join([*functions, ask])], capture_output=True, text=True, check=True)
    taken, values, text = json.loads(said.stdout)
    assert taken == [True, True, True, True, False, False]
    assert [values[f"v{number}"] for number in range(4)] == ["h", "2", "7", "9"]
    assert text == 'a%20%22%3C%C3%A9%2B a \\"<é+ a &quot;&lt;é+ 7 {{other}}'


def test_jmeter_has_the_steps_captures_pauses_and_data_of_sessions(tmp_path: Path) -> None:
    made = plan(tmp_path, SESSION + LOOK, users=(4, 4))
    files, left_out = jmeter_files(made)
    assert list(files) == ["shop.jmx"], "each user's row is in the plan"
    tree = etree.fromstring(files["shop.jmx"].encode())
    samplers = [sampler.get("testname") for sampler in tree.iterfind(".//HTTPSamplerProxy")]
    assert samplers == [
        *("visit.login", "visit.cart", "visit.add", "visit.checkout"),
        *("look.form", "look.sent", "look.seen"),
    ]
    assert [each.get("testname") for each in tree.iterfind(".//OnceOnlyController")] == ["visit: once"]
    (once,) = tree.xpath("//OnceOnlyController/following-sibling::hashTree[1]")
    assert [each.get("testname") for each in once.iterfind(".//HTTPSamplerProxy")] == ["visit.login"]
    assert texts(tree, "ThroughputController", "ThroughputController.style") == ["1", "1"]
    assert [each.text for each in tree.iterfind(".//FloatProperty/value")] == ["25", "75"]
    bodies = texts(tree, "elementProp", "Argument.value")
    assert bodies[1] == "csrf=" + urlencoded("csrf") + "&item=book%20of%20" + urlencoded("user")
    assert 'escapeJson(vars.get("password"))' in bodies[0]
    assert texts(tree, "JSONPostProcessor", "JSONPostProcessor.jsonPathExprs") == ["$['access_token']", "$['csrf']"]
    expressions = texts(tree, "RegexExtractor", "RegexExtractor.regex")
    assert expressions[0].startswith("(?im)^X\\-Csrf:") and expressions[2].startswith(
        "(?im)^Set-Cookie:[ \\t]*visitor="
    )
    assert texts(tree, "TestAction", "ActionProcessor.duration") == [
        "${__Random(40,160)}",
        "${__groovy((long) (-Math.log(1 - Math.random()) * 60))}",
        "60",
    ]
    users = tree.findall(".//UserParameters/collectionProp[@name='UserParameters.thread_values']/collectionProp")
    assert [[cell.text for cell in user] for user in users][1] == ['pw-u 1"&', "u 1"]
    assert texts(tree, "ThreadGroup", "ThreadGroup.duration") == ["11"]
    assert texts(tree, "ThreadGroup", "ThreadGroup.on_sample_error") == ["startnextloop"]
    assert {"again_on of visit", "the end of sessions", "the warm-up", "the order of the mix"} <= omitted(
        left_out
    ).keys()


def urlencoded(name: str) -> str:
    """A value that JMeter percent-encodes."""
    return f'${{__groovy(java.net.URLEncoder.encode(vars.get("{name}")\\, "UTF-8").replace("+"\\, "%20"))}}'


def test_jmeter_takes_the_next_row_of_a_file_where_sessions_have_rows(tmp_path: Path) -> None:
    each = SESSION.replace('data_each = "user"', 'data_end = "stop"')
    files, _ = jmeter_files(plan(tmp_path, each, rates=(5.0, 5.0), poisson=True))
    tree = etree.fromstring(files["shop.jmx"].encode())
    assert files["shop.visit.csv"].splitlines()[:2] == ["password,user", '"pw-u 0""&",u 0']
    assert texts(tree, "CSVDataSet", "variableNames") == ["password,user"]
    assert texts(tree, "CSVDataSet", "recycle") == ["false"]
    schedule = tree.find(".//*[@name='OpenModelThreadGroup.schedule']")
    assert schedule is not None and schedule.text == "rate(5/s) random_arrivals(10 s) rate(5/s)"


def test_what_a_tool_cannot_send_is_left_out_by_its_name(tmp_path: Path) -> None:
    path = LOOK.replace('kind = "cookie", name = "visitor"', 'kind = "path", path = "a/b/@id"')
    computed = path.replace("/seen/{{visitor}}", "/seen/{{sha256(visitor)}}")
    made = plan(tmp_path, SESSION + path)
    assert omitted(k6_files(made)[1])["look"] == "k6 finds no value by a path of elements"
    tree = etree.fromstring(jmeter_files(made)[0]["shop.jmx"].encode())
    (query,) = texts(tree, "XPath2Extractor", "XPathExtractor2.xpathQuery")
    assert query == "/*[local-name()='a']/*[local-name()='b']/@*[local-name()='id']"
    assert {"visit", "look"} <= omitted(hyperfoil_files(made)[1]).keys()
    (tmp_path / "other").mkdir()
    made = plan(tmp_path / "other", SESSION + computed)
    assert omitted(k6_files(made)[1])["look"] == "k6 has no equivalent of sha256()"
    assert omitted(jmeter_files(made)[1])["look"] == "JMeter has no equivalent of sha256()"


def test_a_load_that_jmeter_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no load of this shape"):
        jmeter_files(plan(tmp_path, users=(1, 4), profile="steps"))


def test_the_command_exports_sessions_and_their_login_without_its_secret(tmp_path: Path) -> None:
    login = '[auth]\nkind = "client-credentials"\nuser = "shop"\nsecret = "env:SHOP_SECRET"\npath = "/token"\n'
    steps = '[[sessions.visit.steps]]\nname = "cart"\npath = "/cart?user=shop"\n'
    service_folder(tmp_path, "http://127.0.0.1:8123", login + steps)
    ran = steelyard("export", "shop", "--k6", "--jmeter", "--users", "2", "--out", "there", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert sorted(file.name for file in (tmp_path / "there").iterdir()) == ["shop.jmx", "shop.k6.js", "shop.k6.json"]
    script = (tmp_path / "there" / "shop.k6.js").read_text()
    assert '"auth_secret": secret("env:SHOP_SECRET")' in script and "encoding.b64encode(" + '"shop' not in script
    plan_text = (tmp_path / "there" / "shop.jmx").read_text()
    assert "${__groovy(System.getenv('SHOP_SECRET'))}" in plan_text
    assert "  visit" in ran.out and "not exported: again_on of visit:" in ran.out
