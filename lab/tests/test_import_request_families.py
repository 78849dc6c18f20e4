"""Files of requests in the ways in which tools write them: what a tool sends is sent, and what a load lacks is named."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from imported_sessions import Imported, arguments, group, part, plan, sampler
from small_descriptions import SERVER, import_text, reasons, service_file
from steelyard.base.errors import ImportRefusedError
from test_har_sessions import entry, har
from test_postman_sessions import collection, request

# HAR


def posted(**asked: Any) -> str:
    return har(entry(1, "/fine"), entry(2, "/send", method="POST", **asked))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"bodySize": 120}, "its body of 120 bytes is not in the file"),
        ({"bodySize": 7, "postData": {"mimeType": "application/octet-stream"}}, "its body of 7 bytes"),
        ({"bodySize": 7, "postData": {"mimeType": "application/json", "text": ""}}, "its body of 7 bytes"),
    ],
)
def test_a_body_that_a_har_lost_is_named(asked: dict[str, Any], why: str, tmp_path: Path) -> None:
    visit = Imported(posted(**asked), tmp_path, "visit.har")
    assert visit.outcome.taken == ["get-fine"] and why in visit.left


@pytest.mark.parametrize("size", [0, -1, None])
def test_a_request_without_a_body_needs_none(size: int | None, tmp_path: Path) -> None:
    assert Imported(posted(bodySize=size), tmp_path, "visit.har").outcome.taken == ["get-fine", "post-send"]


# Postman


def sent_by_postman(body: dict[str, Any], folder: Path, url: str = f"{SERVER}/a") -> tuple[str, bytes]:
    """The content type and the body of one request of a collection."""
    made = Imported(collection(request("a", url, "POST", body=body)), folder, "c.json")
    operation = made.load().operations["a"]
    return operation.headers["Content-Type"], operation.bodies[0]


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ({"mode": "raw", "raw": "hello"}, "text/plain", b"hello"),
        (
            {"mode": "raw", "raw": "a()", "options": {"raw": {"language": "javascript"}}},
            "application/javascript",
            b"a()",
        ),
        ({"mode": "raw", "raw": "<a/>", "options": {"raw": {"language": "xml"}}}, "application/xml", b"<a/>"),
        (
            {"mode": "urlencoded", "urlencoded": [{"key": "a b", "value": "c&d"}, {"key": "off", "disabled": True}]},
            "application/x-www-form-urlencoded",
            b"a+b=c%26d",
        ),
        (
            {
                "mode": "graphql",
                "graphql": {"query": "query A { a } query B { b }", "operationName": "B", "variables": ""},
            },
            "application/json",
            b'{"query": "query A { a } query B { b }", "operationName": "B", "variables": {}}',
        ),
    ],
)
def test_a_body_of_postman_has_the_content_type_that_postman_sends(
    body: dict[str, Any], kind: str, text: bytes, tmp_path: Path
) -> None:
    assert sent_by_postman(body, tmp_path) == (kind, text)


def test_a_part_of_a_form_keeps_its_content_type(tmp_path: Path) -> None:
    parts = [{"key": "data", "value": '{"a": 1}', "contentType": "application/json"}, {"key": "plain", "value": "x"}]
    kind, text = sent_by_postman({"mode": "formdata", "formdata": parts}, tmp_path)
    boundary = kind.partition("boundary=")[2]
    assert text.decode().split(f"--{boundary}") == [
        "",
        '\r\nContent-Disposition: form-data; name="data"\r\nContent-Type: application/json\r\n\r\n{"a": 1}\r\n',
        '\r\nContent-Disposition: form-data; name="plain"\r\n\r\nx\r\n',
        "--\r\n",
    ]


def test_variables_of_a_folders_auth_and_of_paths_are_filled_in(tmp_path: Path) -> None:
    inner = request("see", {"raw": "{{base}}/users/:id/{{kind}}", "variable": [{"key": "id", "value": "{{user}}"}]})
    key = {"type": "apikey", "apikey": [{"key": "key", "value": "X-Shop"}, {"key": "value", "value": "{{shop}}"}]}
    folder = {"name": "outer", "auth": key, "item": [{"name": "inner", "item": [inner]}]}
    variables = {"base": f"{SERVER}/v1", "user": "a b/1", "kind": "{{sort}}", "sort": "new", "shop": "seven"}
    text = collection(folder, variable=[{"key": key, "value": value} for key, value in variables.items()])
    made = Imported(text, tmp_path, "c.json")
    (operation,) = made.file["operations"].values()
    assert operation["path"] == "/v1/users/a%20b%2F1/new"
    assert operation["headers"]["X-Shop"] == "{{secret_X_Shop}}"


def test_what_postman_encodes_in_an_address_is_encoded(tmp_path: Path) -> None:
    Imported(collection(request("a", f'{SERVER}/a b/<c>?q="x y"&z={{}}')), tmp_path, "c.json")
    (operation,) = service_file(tmp_path)["operations"].values()
    assert operation["path"] == "/a%20b/%3Cc%3E?q=%22x%20y%22&z={}"


# JMeter


def see(**properties: str) -> str:
    """A sampler with further properties."""
    text = "".join(f'<stringProp name="HTTPSampler.{name}">{value}</stringProp>' for name, value in properties.items())
    return sampler("see", "/items").replace("</HTTPSamplerProxy>", f"{text}</HTTPSamplerProxy>")


def test_a_ramp_without_a_duration_leaves_the_time_to_choose(tmp_path: Path) -> None:
    text = plan(group("customers", see(), users=20, ThreadGroup__ramp_time=30))
    notes = Imported(text, tmp_path, "plan.jmx").notes
    assert "its users start as in the plan with `steelyard load --stages 0..20/30s,20/TIME`: choose the TIME" in notes


def test_a_sampler_that_closes_its_connection_is_named_with_the_option_of_load(tmp_path: Path) -> None:
    made = Imported(plan(group("customers", see(use_keepalive="false"))), tmp_path, "plan.jmx")
    assert "see: the plan closes the connection; `load --new-connection`" in made.notes


def test_thread_groups_that_run_one_after_the_other_are_named(tmp_path: Path) -> None:
    text = plan(group("one", see()) + group("two", sampler("other", "/other")))
    serial = '<boolProp name="TestPlan.serialize_threadgroups">true</boolProp></TestPlan>'
    made = Imported(text.replace("</TestPlan>", serial), tmp_path, "plan.jmx")
    assert "the order of its thread groups: they run one after the other" in made.left


@pytest.mark.parametrize(("quoted", "values"), [("true", ["a,b", "c"]), ("false", ['"a', '"c"'])])
def test_quotes_of_a_table_are_read_as_the_plan_says(quoted: str, values: list[str], tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text('\ufeff"a,b",1\n"c",2\n', encoding="utf-8")
    table = part("CSVDataSet", "names", filename="names.csv", variableNames="name", delimiter=",", quotedData=quoted)
    below = sampler("see", "/items", who="${name}")
    made = Imported(plan(table + group("customers", below)), tmp_path, "plan.jmx")
    with (made.folder / "data" / "names.csv").open(newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == values


def test_controllers_within_controllers_keep_the_order_of_their_requests(tmp_path: Path) -> None:
    def controller(kind: str, below: str, **properties: object) -> str:
        return part(kind, kind, "", below, **properties)

    inner = controller("LoopController", sampler("b", "/b"), LoopController__loops=2)
    once = controller("OnceOnlyController", sampler("first", "/first"))
    whole = controller("TransactionController", controller("GenericController", sampler("a", "/a") + inner))
    never = controller("IfController", sampler("never", "/never"), IfController__condition="${x} == 1")
    made = Imported(plan(group("customers", once + whole + never + sampler("c", "/c"))), tmp_path, "plan.jmx")
    assert [step.partition(" ")[0] for step in made.outcome.sessions[0].steps] == ["first", "a", "b", "b-2", "c"]
    assert "IfController 'IfController' with 1 request: a session has only conditions of captured values" in made.left
    assert "1 transaction controller" in made.notes


def test_arguments_of_a_get_are_its_query_and_of_a_post_its_form(tmp_path: Path) -> None:
    below = sampler("get", "/a", a="x y", b="1&2") + sampler("post", "/a", "POST", a="x y")
    made = Imported(plan(group("customers", below)), tmp_path, "plan.jmx")
    get, post = made.sent("customers")
    assert get.path == "/a?a=x+y&b=1%262" and post.bodies == [b"a=x+y"]
    assert arguments("HTTPArgument", a="1").count("HTTPArgument.always_encode") == 1


# SoapUI


PROJECT = """<con:soapui-project xmlns:con="http://eviware.com/soapui/config" name="shop">
<con:testSuite name="s"><con:testCase name="c"><con:testStep type="httprequest" name="see"><con:config method="GET">
<con:endpoint>http://127.0.0.1:8080/fine</con:endpoint><con:request/></con:config></con:testStep>
<con:testStep type="request" name="ask"><con:config><con:interface>I</con:interface><con:operation>o</con:operation>
<con:request @ATTRIBUTES@><con:endpoint>http://127.0.0.1:8080/soap</con:endpoint>
<con:request>&lt;e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">&lt;e:Body/>&lt;/e:Envelope></con:request>
<con:credentials><con:username>ann</con:username><con:password>secret-of-ann</con:password></con:credentials>
</con:request></con:config></con:testStep></con:testCase></con:testSuite></con:soapui-project>"""


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ('outgoingWss="sign"', "the security (WSS) of request 'ask'"),
        ('useWsAddressing="true"', "the addressing (WS-A) of request 'ask'"),
        ('useWsReliableMessaging="true"', "the reliable messaging (WS-RM) of request 'ask'"),
        ('postQueryString="true"', "it posts its parameters as a form"),
        ('outgoingWss="" useWsAddressing="false" postQueryString="false"', ""),
    ],
)
def test_what_soapui_adds_to_a_message_is_named(attributes: str, said: str, tmp_path: Path) -> None:
    outcome = import_text(PROJECT.replace("@ATTRIBUTES@", attributes), tmp_path, "shop.xml")
    assert said in reasons(outcome) if said else reasons(outcome) == ""


@pytest.mark.parametrize(("kind", "said"), [("PasswordText", "password"), ("PasswordDigest", "password-digest")])
def test_a_user_name_token_of_soapui_is_one_of_the_service_file(kind: str, said: str, tmp_path: Path) -> None:
    text = PROJECT.replace("@ATTRIBUTES@", f'wssPasswordType="{kind}"')
    import_text(text, tmp_path, "shop.xml")
    assert service_file(tmp_path)["auth"] == {"kind": said, "user": "ann", "secret": "env:MINE_PASSWORD"}


# .http files, and other texts


def test_targets_of_vegeta_are_requests_with_their_files(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text('{"size": 1}')
    text = f"GET {SERVER}/a\nX-One: 1\n\nPOST {SERVER}/orders\nContent-Type: application/json\n@order.json\n\nDELETE {SERVER}/a\n"
    outcome = import_text(text, tmp_path, "targets.txt")
    assert outcome.taken == ["get-a", "post-orders", "delete-a"] and not outcome.left_out
    assert (tmp_path / "mine" / "samples" / "post-orders.json").read_text() == '{"size": 1}'
    operations = service_file(tmp_path)["operations"]
    assert operations["get-a"]["headers"] == {"X-One": "1"}
    assert not (tmp_path / "mine" / operations["get-a"]["sample"]).read_text()


def test_a_message_of_http_is_sent_to_its_host(tmp_path: Path) -> None:
    text = 'POST /login?a=1 HTTP/1.1\nHost: 127.0.0.1:8080\nContent-Type: application/json\n\n{"user": "a"}\n'
    assert import_text(text, tmp_path, "login.txt").taken == ["post-login"]
    file = service_file(tmp_path)
    assert (file["target"], file["operations"]["post-login"]["path"]) == (SERVER, "/login?a=1")
    (tmp_path / "mine").rename(tmp_path / "first")
    with pytest.raises(ImportRefusedError, match="nothing names its server"):
        import_text(text.replace("Host", "X-Host"), tmp_path, "login.txt")


def test_a_body_of_http_keeps_its_braces(tmp_path: Path) -> None:
    body = json.dumps({"a": {"b": {}}})
    import_text(f"POST {SERVER}/a\nContent-Type: application/json\n\n{body}\n", tmp_path, "a.http")
    assert (tmp_path / "mine" / "samples" / "post-a.json").read_text() == body
