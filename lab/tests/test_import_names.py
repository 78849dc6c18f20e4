"""Names and schemas as they are found: what is sound is imported, and the rest is named with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from lxml import etree
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
from steelyard.catalogue import entries
from steelyard.workload.importing import bounded
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.mocking.known import MockRequest, mock_service
from steelyard.workload.soap import messages
from steelyard.workload.xml_reading import read_xml

ORDER = '<xs:element name="Order" type="xs:string"/>'


def question(content: str) -> str:
    """A request element with this content beside a simple answer element."""
    return (
        f'<xs:element name="GetOrder"><xs:complexType><xs:sequence>{content}</xs:sequence></xs:complexType></xs:element>'
        f"{ORDER}"
    )


@pytest.mark.parametrize(
    ("types", "inside"),
    [
        (question('<xs:element name="Grüße" type="xs:int"/>'), ["Grüße"]),
        (question('<xs:element name="名前" type="xs:string"/>'), ["名前"]),
        (question("<xs:any/>"), ["Order"]),
        (question('<xs:any minOccurs="2" maxOccurs="2" processContents="lax"/>'), ["Order", "Order"]),
        (question('<xs:any namespace="##other" processContents="skip"/>'), ["any"]),
        (PLAIN_TYPES, []),
    ],
)
def test_a_sample_with_such_names_and_wildcards_keeps_the_schema_of_its_author(
    types: str, inside: list[str], tmp_path: Path
) -> None:
    assert import_text(wsdl(types), tmp_path, "orders.wsdl").taken == ["getOrder"]
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert [etree.QName(child).localname for child in element] == inside
    require_valid(element, schema_of(types))


def test_a_data_set_carries_a_schema_and_something_that_is_described(tmp_path: Path) -> None:
    types = question('<xs:element ref="xs:schema"/><xs:any/>')
    assert import_text(wsdl(types), tmp_path, "orders.wsdl").taken == ["getOrder"]
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert [etree.QName(child).localname for child in element] == ["schema", "Order"]
    inner = etree.XMLSchema(etree.fromstring(etree.tostring(element[0])))
    assert inner.validate(etree.fromstring("<a/>")) is False  # libxml2 takes it for a schema, of nothing


def test_a_declared_namespace_that_is_no_uri_is_no_obstacle(tmp_path: Path) -> None:
    text = wsdl(namespaces='xmlns:odd="http://shop.example/My Shop"')
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder"]
    require_valid(body_content(tmp_path / "mine" / "samples" / "getOrder.xml"), schema_of(PLAIN_TYPES))
    with pytest.raises(ImportRefusedError, match="not well-formed XML"):
        import_text(text.replace("</w:service>", ""), tmp_path / "mine", "orders.wsdl")


@pytest.mark.parametrize("namespace", ["http://shop.example/My Shop", "urn:größe", "urn:a|b^c", "urn:名前"])
@pytest.mark.parametrize("style", ["document", "rpc"])
def test_a_namespace_of_messages_that_is_no_uri_is_sent_and_its_answers_are_judged(
    namespace: str, style: str, tmp_path: Path
) -> None:
    key = '<xs:complexType name="Key"><xs:sequence><xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType>'
    parts = {"request": 'type="o:Key"', "answer": 'type="o:Key"'} if style == "rpc" else {}
    text = wsdl(key + PLAIN_TYPES, style=style, **parts).replace("urn:orders", namespace)
    text = text.replace(f'soapAction="{namespace}/', 'soapAction="urn:orders/')
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder"]
    sample = (tmp_path / "mine" / "samples" / "getOrder.xml").read_bytes()
    (inside,) = messages.parse(sample).iterfind("{http://schemas.xmlsoap.org/soap/envelope/}Body/*")
    assert etree.QName(inside).namespace == namespace
    known = mock_service(entries.service_at(str(tmp_path / "mine")), 1)
    headers = {
        name.lower(): value for name, value in service_file(tmp_path)["operations"]["getOrder"]["headers"].items()
    }
    answered = known.answer(MockRequest("POST", "/orders", sample, headers["soapaction"].strip('"')))
    assert answered is not None and answered[1].origin == "made from the schema"
    if style == "document":
        source = schema_of(PLAIN_TYPES).replace("urn:orders", namespace).encode()
        etree.XMLSchema(read_xml(source)).assertValid(read_xml(etree.tostring(inside)))


@pytest.mark.parametrize(
    ("types", "note"),
    [
        (
            f'{PLAIN_TYPES}<xs:complexType name="Old"><xs:sequence><xs:element name="x" type="o:Gone"/></xs:sequence>'
            "</xs:complexType>",
            "complexType Old is not valid: unknown type 'o:Gone'",
        ),
        (
            f'{PLAIN_TYPES}<xs:complexType name="Old"><xs:sequence minOccurs="many"/></xs:complexType>',
            "complexType Old is not valid: ",
        ),
        (
            f'{PLAIN_TYPES}<xs:complexType name="Old"><xs:sequence><xs:element name="x" type="xs:int" minOccurs="0"/>'
            '<xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType>',
            "complexType Old is not valid: Unique Particle Attribution violation",
        ),
        (f'{PLAIN_TYPES}<xs:element name="Order" type="xs:string"/>', "Order is described twice in the same words"),
        (f'<xs:import namespace="urn:orders"/>{PLAIN_TYPES}', "a schema imports its own namespace"),
        (
            PLAIN_TYPES.replace('type="xs:string"/>', 'type="xs:string" label="the order"/>'),
            "attributes that XML Schema does not define: label",
        ),
    ],
)
def test_a_fault_that_no_message_depends_on_is_noted(types: str, note: str, tmp_path: Path) -> None:
    outcome = import_text(wsdl(types), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and note in "\n".join(outcome.notes)
    require_valid(body_content(tmp_path / "mine" / "samples" / "getOrder.xml"), schema_of(PLAIN_TYPES))


@pytest.mark.parametrize(
    "types",
    [
        f'<xs:element name="GetOrder" type="o:Gone"/>{ORDER}',
        '<xs:element name="GetOrder" type="xs:int"/><xs:element name="Order" type="o:Gone"/>',
        f'<xs:complexType name="Key"><xs:sequence><xs:element name="x" type="o:Gone"/></xs:sequence></xs:complexType>'
        f'<xs:element name="GetOrder" type="o:Key"/>{ORDER}',
    ],
)
def test_an_operation_whose_request_or_answer_is_faulty_is_named(types: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="operation getOrder: no valid request can be made for it: element"):
        import_text(wsdl(types), tmp_path, "orders.wsdl")


def test_a_sound_operation_is_taken_beside_a_faulty_one(tmp_path: Path) -> None:
    text = wsdl(f'{PLAIN_TYPES}<xs:element name="Bad" type="o:Gone"/>')
    text = text.replace(
        '<w:portType name="Orders">',
        '<w:message name="In2"><w:part name="p" element="o:Bad"/></w:message><w:portType name="Orders">'
        '<w:operation name="bad"><w:input message="o:In2"/><w:output message="o:Result"/></w:operation>',
    ).replace(
        'transport="http://schemas.xmlsoap.org/soap/http"/>',
        'transport="http://schemas.xmlsoap.org/soap/http"/><w:operation name="bad"><soap:operation soapAction=""/>'
        '<w:input><soap:body use="literal"/></w:input><w:output><soap:body use="literal"/></w:output></w:operation>',
    )
    outcome = import_text(text, tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and "operation bad: " in reasons(outcome)
    assert "unknown type 'o:Gone'" in reasons(outcome)


def test_an_object_of_one_branch_keeps_no_other(tmp_path: Path) -> None:
    branches = [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"c": {"type": "integer"}, "d": {"type": "string"}}},
    ]
    schema = {"oneOf": branches}
    body = f"requestBody: {{content: {{application/json: {{schema: {json.dumps(schema)}}}}}}}"
    paths = f"  /a:\n    post: {{operationId: a, {body}, responses: {{'200': {{description: fine}}}}}}\n"
    assert import_text(openapi(paths), tmp_path, "orders.yaml").taken == ["a"]
    sample = json.loads((tmp_path / "mine" / "samples" / "a.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(sample)
    assert service_file(tmp_path)["operations"]["a"]["method"] == "POST"


def test_a_crash_while_reading_says_that_it_is_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orders.wsdl").write_text(wsdl())
    (tmp_path / "sitecustomize.py").write_text(
        "import lxml.etree\ndef broken(*_, **__):\n    raise KeyError('unforeseen')\nlxml.etree.fromstring = broken\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    with pytest.raises(ImportRefusedError, match=r"a defect in Steelyard \(KeyError: 'unforeseen'\)"):
        bounded.convert_in_bounds(str(tmp_path / "orders.wsdl"), tmp_path / "mine", (), ())
    assert not (tmp_path / "mine").exists()
    monkeypatch.undo()
    assert convert_description(str(tmp_path / "orders.wsdl"), tmp_path / "mine", ()).operations == 1
