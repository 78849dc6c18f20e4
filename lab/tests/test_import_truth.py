"""An import never takes something over as what it is not: each family of such mistakes, and a sound input beside it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from small_descriptions import (
    PLAIN_TYPES,
    body_content,
    import_text,
    openapi,
    reasons,
    require_valid,
    schema_of,
    service_file,
    wsdl,
)
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing.convert_requests import read_known_file
from test_importing_requests import recording

KEY = "parameters: [{name: id, in: path, required: true, schema: {type: integer}}]"
ITEM = f"  /items/{{id}}:\n    get:\n      operationId: getItem\n      {KEY}\n"
ANSWERED = "      responses: {'200': {description: fine}}\n"


def test_an_operation_in_a_file_of_its_own_keeps_its_body_and_parameters(tmp_path: Path) -> None:
    (tmp_path / "make.yml").write_text(
        "operationId: makeItem\nrequestBody: {required: true, content: {application/json: {schema: {type: object, "
        "required: [size], properties: {size: {type: integer}}}}}}\nresponses: {'201': {description: made}}\n"
    )
    (tmp_path / "see.yml").write_text(
        "operationId: seeItem\nparameters: [{name: id, in: path, required: true, schema: {type: integer}}]\n"
        "responses: {'200': {description: fine}}\n"
    )
    paths = "  /items:\n    post: {$ref: make.yml}\n  /items/{id}:\n    get: {$ref: see.yml}\n"
    outcome = import_text(openapi(paths), tmp_path, "orders.yaml")
    assert outcome.taken == ["makeItem", "seeItem"] and not outcome.left_out
    assert json.loads((tmp_path / "mine" / "samples" / "makeItem.json").read_text()) == {"size": 1}


def test_a_path_with_a_reference_and_operations_beside_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "part.yml").write_text("get: {operationId: a, responses: {'200': {description: fine}}}\n")
    paths = ITEM + ANSWERED + "  /a:\n    $ref: part.yml\n    delete: {responses: {'204': {description: gone}}}\n"
    outcome = import_text(openapi(paths), tmp_path, "orders.yaml")
    assert outcome.taken == ["getItem"] and "path /a: it has a $ref and, beside it, delete" in reasons(outcome)


# What cmd.exe receives, and the same request in words of bash, which curl itself is asked with below.
WINDOWS = [
    ('curl "URL/a?x=1&y=2" -H "Accept: text/plain"', "curl 'URL/a?x=1&y=2' -H 'Accept: text/plain'"),
    (
        'curl "URL/b" ^\n  -H "sec-ch-ua: ""Browser"";v=""1""" ^\n  --data-raw "{""name"":""a b"",""n"":1}"',
        """curl 'URL/b' -H 'sec-ch-ua: "Browser";v="1"' --data-raw '{"name":"a b","n":1}'""",
    ),
    (
        'curl ^"URL/c?x=1^&y=2^" ^\r\n  -H ^"X-Quoted: ^\\^"Browser^\\^"^" ^\r\n'
        '  --data-raw ^"^{^\\^"a^\\^":^\\^"50^% ^^ b^\\^"^}^"',
        """curl 'URL/c?x=1&y=2' -H 'X-Quoted: "Browser"' --data-raw '{"a":"50% ^ b"}'""",
    ),
    (
        'curl ^"URL/d^" ^\n  --data-raw ^"first^\n\nsecond \\\\ third^"',
        "curl 'URL/d' --data-raw $'first\\nsecond \\\\\\\\ third'",
    ),
    ('curl URL/e -d "{""a"":""""}"', """curl URL/e -d '{"a":""}'"""),
]


@pytest.mark.parametrize(("windows", "bash"), WINDOWS)
def test_a_command_quoted_for_windows_is_what_curl_sends(windows: str, bash: str, tmp_path: Path) -> None:
    with recording() as (url, seen):
        command = bash.replace("URL", url)
        subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    (tmp_path / "commands").write_text(windows.replace("URL", url), newline="")
    known = read_known_file(str(tmp_path / "commands"))
    assert known is not None
    held = known.reader.read(known.content, tmp_path / "commands")
    assert not held.left and len(held.requests) == 1
    (method, path, body, headers), request = seen[0], held.requests[0]
    assert (request.method, request.url, request.body.encode()) == (method, url + path, body)
    assert {name.lower(): text for name, text in request.headers}.items() <= headers.items()


def test_a_command_for_windows_that_does_not_end_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="line 1: its quote does not end"):
        import_text('curl ^"http://127.0.0.1/ ^\n', tmp_path, "commands")


POLICY = (
    'xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" '
    'xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'
)
REFERENCE = '<wsp:PolicyReference URI="#secure"/>'


def guarded(assertions: str) -> str:
    policy = f'<wsp:Policy wsu:Id="secure">{assertions}</wsp:Policy>'
    return wsdl(namespaces=POLICY, outside=policy, in_binding=REFERENCE)


@pytest.mark.parametrize(
    ("assertions", "demand"),
    [
        ("<sp:SignedParts><sp:Body/></sp:SignedParts>", "signatures (SignedParts)"),
        ("<wsp:All><sp:AsymmetricBinding/></wsp:All>", "signed or encrypted messages (AsymmetricBinding)"),
        (
            "<wsp:ExactlyOne><wsp:All><sp:SymmetricBinding/></wsp:All><wsp:All><sp:EncryptedParts/></wsp:All></wsp:ExactlyOne>",
            "(SymmetricBinding)",
        ),
        (
            "<sp:SupportingTokens><wsp:Policy><sp:SamlToken/></wsp:Policy></sp:SupportingTokens>",
            "a SAML token (SamlToken)",
        ),
    ],
)
def test_a_policy_that_demands_protection_leaves_its_port_out(assertions: str, demand: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError) as refused:
        import_text(guarded(assertions), tmp_path, "orders.wsdl")
    assert demand in refused.value.message and "port OrderPort: its policy requires" in refused.value.message


@pytest.mark.parametrize(
    "assertions",
    [
        "<sp:TransportBinding/><sp:SignedParts/>",
        '<sp:SignedParts wsp:Optional="true"/>',
        "<wsp:ExactlyOne><wsp:All><sp:SignedParts/></wsp:All><wsp:All/></wsp:ExactlyOne>",
        "<sp:SupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SupportingTokens>",
    ],
)
def test_a_policy_that_a_load_can_keep_is_no_obstacle(assertions: str, tmp_path: Path) -> None:
    outcome = import_text(guarded(assertions), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and not outcome.left_out
    require_valid(body_content(tmp_path / "mine" / "samples" / "getOrder.xml"), schema_of(PLAIN_TYPES))


def test_a_policy_that_is_elsewhere_is_noted(tmp_path: Path) -> None:
    outcome = import_text(wsdl(namespaces=POLICY, in_binding=REFERENCE), tmp_path, "orders.wsdl")
    assert any("policy 'secure' is not in the description" in note for note in outcome.notes)


RPC_TYPES = (
    '<xs:complexType name="Key"><xs:sequence><xs:element name="number" type="xs:int"/></xs:sequence></xs:complexType>'
)


def test_an_rpc_message_is_made_of_its_parts_though_a_global_element_has_its_name(tmp_path: Path) -> None:
    types = f'{RPC_TYPES}<xs:element name="getOrder" type="o:Key"/>'
    text = wsdl(types, style="rpc", request='type="o:Key"', answer='type="xs:string"')
    outcome = import_text(text, tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and any("that of an rpc message" in note for note in outcome.notes)
    wrapper = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert wrapper.tag == "{urn:orders}getOrder" and [part.tag for part in wrapper] == ["query"]
    part = wrapper[0]
    part.tag = "{urn:orders}part"
    require_valid(part, schema_of(f'{RPC_TYPES}<xs:element name="part" type="o:Key"/>'))


def test_an_rpc_message_whose_name_something_else_needs_is_left_out(tmp_path: Path) -> None:
    types = (
        f'{RPC_TYPES}<xs:element name="getOrder" type="o:Key"/><xs:complexType name="Other">'
        '<xs:sequence><xs:element ref="o:getOrder"/></xs:sequence></xs:complexType>'
    )
    with pytest.raises(ImportRefusedError, match="the element getOrder around its parts is described as another one"):
        import_text(wsdl(types, style="rpc", request='type="o:Key"', answer='type="xs:string"'), tmp_path, "o.wsdl")


def test_an_rpc_answer_that_is_an_element_leaves_the_request_as_it_is(tmp_path: Path) -> None:
    types = f'{RPC_TYPES}<xs:element name="getOrder" type="o:Key"/>'
    text = wsdl(types, style="rpc", request='type="o:Key"', answer='element="o:getOrder"')
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder"]
    assert [part.tag for part in body_content(tmp_path / "mine" / "samples" / "getOrder.xml")] == ["query"]


PLAN = """<jmeterTestPlan version="1.2"><hashTree><TestPlan testname="plan"/><hashTree>
<ThreadGroup testname="customers"><stringProp name="ThreadGroup.num_threads">USERS</stringProp>
<stringProp name="ThreadGroup.ramp_time">30</stringProp><boolProp name="ThreadGroup.scheduler">true</boolProp>
<stringProp name="ThreadGroup.duration">120</stringProp></ThreadGroup><hashTree>
<HTTPSamplerProxy testname="see"><stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
<stringProp name="HTTPSampler.path">/items</stringProp></HTTPSamplerProxy><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>"""


@pytest.mark.parametrize(
    ("users", "said"),
    [
        ("20", ["--users 20 --for 120s", "`steelyard load --stages 0..20/30s,20/90s`"]),
        ("${__P(users,7)}", ["--users 7 --for 120s"]),
        ("${__P(users)}", ["its users is ${__P(users)}: choose a number"]),
    ],
)
def test_a_plans_ramp_and_duration_are_said_as_load_takes_them(users: str, said: list[str], tmp_path: Path) -> None:
    outcome = import_text(PLAN.replace("USERS", users), tmp_path, "plan.jmx")
    notes = "\n".join(outcome.notes)
    assert outcome.taken == ["see"] and all(words in notes for words in said), notes


def test_the_server_of_most_operations_is_taken_and_another_by_its_name(tmp_path: Path) -> None:
    fine = "responses: {'200': {description: fine}}"
    other = f"  /login:\n    get: {{operationId: login, servers: [{{url: 'http://127.0.0.1:9090'}}], {fine}}}\n"
    gone = f"    delete: {{operationId: dropItem, {KEY}, {fine}}}\n"
    text = openapi(other + ITEM + ANSWERED + gone)
    outcome = import_text(text, tmp_path, "orders.yaml")
    assert outcome.taken == ["getItem", "dropItem"] and service_file(tmp_path)["target"] == "http://127.0.0.1:8080"
    assert "operation login: it runs at http://127.0.0.1:9090" in reasons(outcome)
    (tmp_path / "mine").rename(tmp_path / "first")
    assert import_text(text, tmp_path, "orders.yaml", "http://127.0.0.1:9090").taken == ["login"]
    with pytest.raises(ImportRefusedError, match="no operation runs at"):
        import_text(text, tmp_path / "first", "orders.yaml", "http://127.0.0.1:1")


def test_the_summary_counts_what_was_taken_and_what_was_not_by_reason(tmp_path: Path) -> None:
    body = "requestBody: {required: true, content: {image/png: {}}}"
    upload = f"  /UP:\n    post: {{operationId: UP, {body}, responses: {{'200': {{description: fine}}}}}}\n"
    (tmp_path / "orders.yaml").write_text(
        openapi(ITEM + ANSWERED + upload.replace("UP", "one") + upload.replace("UP", "two"))
    )
    ran = steelyard("import", "orders.yaml", "--out", "mine", folder=tmp_path)
    assert ran.code == 0 and "imported: 1; not imported: 2" in ran.out
    assert (
        "not imported (2): operation POST /one, operation POST /two: its body is image/png, neither JSON nor" in ran.out
    )
