"""A test case of SoapUI becomes a session: its steps in order, property transfers, expansions of answers, delays."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from imported_sessions import Imported

ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body></s:Envelope>'
CALL = '<o:Get xmlns:o="urn:o"><o:id>?</o:id><o:key>1</o:key></o:Get>'


def soap(name: str, body: str, more: str = "") -> str:
    """A step that sends a SOAP request."""
    text = escape(ENVELOPE.format(body))
    return (
        f'<con:testStep type="request" name="{name}"><con:config><con:interface>I</con:interface>'
        f"<con:operation>Get</con:operation><con:request><con:endpoint>http://127.0.0.1:8080/o</con:endpoint>"
        f"<con:request>{text}</con:request>{more}</con:request></con:config></con:testStep>"
    )


def rest(name: str, path: str, **parameters: str) -> str:
    """A step that sends a GET by HTTP."""
    listed = "".join(f'<con:entry key="{key}" value="{escape(value)}"/>' for key, value in parameters.items())
    return (
        f'<con:testStep type="restrequest" name="{name}"><con:config service="R" resourcePath="{path}" methodName="m">'
        f"<con:restRequest><con:endpoint>http://127.0.0.1:8080</con:endpoint><con:request/>"
        f"<con:parameters>{listed}</con:parameters></con:restRequest></con:config></con:testStep>"
    )


def transfer(source: str, path: str, target: str, kind: str, into: str = "", language: str = "XPATH") -> str:
    """A step with one property transfer of an answer."""
    return (
        '<con:testStep type="transfer" name="carry on"><con:config><con:transfers><con:name>t</con:name>'
        f"<con:sourceType>Response</con:sourceType><con:sourceStep>{source}</con:sourceStep>"
        f"<con:sourcePath>{escape(path)}</con:sourcePath><con:targetType>{kind}</con:targetType>"
        f"<con:targetStep>{target}</con:targetStep><con:targetPath>{escape(into)}</con:targetPath>"
        f"<con:type>{language}</con:type></con:transfers></con:config></con:testStep>"
    )


def project(*steps: str) -> str:
    """A project of one test case."""
    return (
        '<con:soapui-project xmlns:con="http://eviware.com/soapui/config">'
        '<con:interface name="I" soapVersion="1_1"><con:operation name="Get" action="urn:get"/></con:interface>'
        f'<con:testSuite name="All"><con:testCase name="Case">{"".join(steps)}</con:testCase></con:testSuite>'
        "</con:soapui-project>"
    )


NAMESPACE = "declare namespace o='urn:o';\n"
CONTAINS = (
    '<con:assertion type="Simple Contains"><con:configuration><token>GetResponse</token></con:configuration>'
    "</con:assertion>"
)
GROOVY = '<con:testStep type="groovy" name="g"><con:config><script>new File("ran")</script></con:config></con:testStep>'
LOGIN = soap("log in", '<o:Login xmlns:o="urn:o"/>')


def test_transfers_into_requests_parameters_and_properties_are_captures(tmp_path: Path) -> None:
    made = Imported(
        project(
            LOGIN,
            transfer("log in", f"{NAMESPACE}//o:LoginResponse/o:ticket", "get", "Request", f"{NAMESPACE}//o:Get/o:id"),
            transfer("log in", "/s:Envelope/s:Body/o:LoginResponse/o:user/@id", "#TestCase#", "who"),
            transfer("log in", "//o:cart", "see", "cart"),
            '<con:testStep type="delay" name="wait"><con:config><con:delay>250</con:delay></con:config></con:testStep>',
            soap("get", CALL, CONTAINS),
            rest("see", "/carts/{cart}", cart="0", of="${#TestCase#who}"),
            rest("again", "/sums/{sum}", sum="${get#Response#//*:sum}"),
        ),
        tmp_path,
        "project.xml",
    )
    assert [(one.session, one.steps) for one in made.outcome.sessions] == [("Case", ["log-in", "get", "see", "again"])]
    steps = made.steps("Case")
    captured = steps["log-in"]["captures"]
    assert set(captured) == {"ticket", "id", "cart"} and steps["log-in"]["think"] == {"kind": "constant", "ms": 250}
    assert captured["id"] == {"kind": "path", "path": "Envelope/Body/LoginResponse/user/@id"}
    assert captured["ticket"]["kind"] == "regex" and "LoginResponse" in captured["ticket"]["expression"]
    assert list(steps["get"]["captures"]) == ["sum"]
    _, get, see, again = made.sent("Case")
    assert b"<o:id>{{ticket}}</o:id>" in get.bodies[0] and b"<o:key>1</o:key>" in get.bodies[0]
    assert get.expect.contains == "GetResponse" and get.headers["SOAPAction"] == '"urn:get"'
    assert (see.path, again.path) == ("/carts/{{cart}}?of={{id:url}}", "/sums/{{sum}}")
    assert not made.outcome.left_out


def test_a_json_answer_is_carried_on_by_its_path(tmp_path: Path) -> None:
    made = Imported(
        project(
            rest("a", "/a"), transfer("a", "$.items[0].id", "b", "item", language="JSONPATH"), rest("b", "/b", item="0")
        ),
        tmp_path,
        "project.xml",
    )
    assert made.steps("Case")["a"]["captures"] == {"id": {"kind": "json", "path": ["items", 0, "id"]}}
    assert made.sent("Case")[1].path == "/b?item={{id:url}}"


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (transfer("a", "count(//a)", "b", "item"), "more than names"),
        (transfer("a", "for $x in //a return $x", "b", "item", language="XQUERY"), "its path is XQUERY"),
        (transfer("nowhere", "//a", "b", "item"), "step 'nowhere', whose answer it takes, is not imported"),
        (GROOVY, "scripts are not run"),
        ('<con:testStep type="goto" name="g"><con:config/></con:testStep>', "no conditions and no jumps"),
    ],
)
def test_steps_without_equivalent_are_named(step: str, why: str, tmp_path: Path) -> None:
    made = Imported(project(rest("a", "/a"), step, rest("b", "/b", item="0")), tmp_path, "project.xml")
    assert why in made.left and list(made.steps("Case")) == ["a", "b"]


def test_a_request_whose_value_is_not_imported_is_left_out(tmp_path: Path) -> None:
    made = Imported(
        project(rest("a", "/a"), rest("b", "/b/${a#Response#count(//x)}"), rest("c", "/c")), tmp_path, "p.xml"
    )
    assert "request 'b'" in made.left and list(made.steps("Case")) == ["a", "c"]


def test_properties_that_make_a_text_too_long_leave_their_request_out(tmp_path: Path) -> None:
    value = f"<con:name>long</con:name><con:value>{'x' * 2**20}</con:value>"
    properties = f"<con:properties><con:property>{value}</con:property></con:properties></con:testCase>"
    steps = project(soap("fine", "<a/>"), soap("grown", "${#TestCase#long}" * 80))
    made = Imported(steps.replace("</con:testCase>", properties), tmp_path, "shop.xml")
    assert "its text is too long with its variables filled in" in made.left and made.outcome.taken == ["fine"]
