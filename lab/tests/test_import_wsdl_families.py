"""What XML Schema and WSDL say in several ways makes valid samples, as libxml2 judges by the source, or is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree
from small_descriptions import XSD, body_content, import_text, require_valid, schema_of, wsdl
from steelyard.base.errors import ImportRefusedError
from test_import_truth import POLICY, guarded

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
ORDER = '<xs:element name="Order" type="xs:string"/>'


def request_of(content: str) -> str:
    """An element GetOrder with this content, and the answer."""
    return f'<xs:element name="GetOrder"><xs:complexType>{content}</xs:complexType></xs:element>{ORDER}'


def sampled(types: str, folder: Path) -> etree._Element:
    """The sample of a WSDL with these types, which libxml2 takes."""
    outcome = import_text(wsdl(types), folder, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and not outcome.left_out
    element = body_content(folder / "mine" / "samples" / "getOrder.xml")
    require_valid(element, schema_of(types))
    return element


def tags(element: etree._Element) -> list[str]:
    return [etree.QName(child).localname for child in element]


def test_a_choice_takes_the_first_branch_that_can_be_made(tmp_path: Path) -> None:
    loop = '<xs:complexType name="Loop"><xs:sequence><xs:element name="again" type="o:Loop"/></xs:sequence></xs:complexType>'
    content = '<xs:choice><xs:element name="by" type="o:Loop"/><xs:element name="id" type="xs:int"/></xs:choice>'
    assert tags(sampled(request_of(content) + loop, tmp_path)) == ["id"]


def test_a_choice_that_is_repeated_and_one_within_another_are_met(tmp_path: Path) -> None:
    pair = '<xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/>'
    inner = f"<xs:choice><xs:sequence>{pair}</xs:sequence></xs:choice>"
    content = f'<xs:choice minOccurs="2" maxOccurs="2">{inner}<xs:element name="c" type="xs:int"/></xs:choice>'
    assert tags(sampled(request_of(content), tmp_path)) == ["a", "b", "a", "b"]


def test_the_member_of_a_members_group_stands_for_an_abstract_element(tmp_path: Path) -> None:
    types = request_of('<xs:sequence><xs:element ref="o:Payment"/></xs:sequence>') + (
        '<xs:element name="Payment" type="xs:string" abstract="true"/>'
        '<xs:element name="Card" type="xs:string" abstract="true" substitutionGroup="o:Payment"/>'
        '<xs:element name="Visa" type="xs:string" substitutionGroup="o:Card"/>'
    )
    assert tags(sampled(types, tmp_path)) == ["Visa"]


def test_a_type_that_extends_an_abstract_one_twice_is_said_by_its_name(tmp_path: Path) -> None:
    def extending(name: str, base: str, inside: str, kind: str) -> str:
        extension = f'<xs:extension base="o:{base}"><xs:sequence>{inside}</xs:sequence></xs:extension>'
        return (
            f'<xs:complexType name="{name}" {kind}><xs:complexContent>{extension}</xs:complexContent></xs:complexType>'
        )

    types = request_of('<xs:sequence><xs:element name="shape" type="o:Shape"/></xs:sequence>') + (
        '<xs:complexType name="Shape" abstract="true"><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence>'
        "</xs:complexType>"
        + extending("Round", "Shape", '<xs:element name="size" type="xs:int"/>', 'abstract="true"')
        + extending("Circle", "Round", '<xs:element name="centre" type="xs:int"/>', "")
    )
    (shape,) = sampled(types, tmp_path)
    assert str(shape.get(XSI_TYPE)).endswith(":Circle") and tags(shape) == ["id", "size", "centre"]


def test_an_element_that_may_be_nil_has_a_value_where_one_can_be_made(tmp_path: Path) -> None:
    loop = (
        '<xs:complexType name="Loop"><xs:sequence><xs:element name="again" type="o:Loop" nillable="true"/></xs:sequence>'
        "</xs:complexType>"
    )
    content = (
        '<xs:sequence><xs:element name="size" type="xs:int" nillable="true"/>'
        '<xs:element name="loop" type="o:Loop"/></xs:sequence>'
    )
    size, ring = sampled(request_of(content) + loop, tmp_path)
    assert size.text and not size.attrib
    assert [child.get("{http://www.w3.org/2001/XMLSchema-instance}nil") for child in ring] == ["true"]


def test_attributes_are_there_with_their_fixed_values_and_prohibited_ones_are_not(tmp_path: Path) -> None:
    base = (
        '<xs:complexType name="Base"><xs:attribute name="unit" type="xs:string" use="required"/>'
        '<xs:attribute name="old" type="xs:string"/></xs:complexType>'
    )
    content = (
        '<xs:complexContent><xs:restriction base="o:Base"><xs:attribute name="old" use="prohibited"/>'
        '<xs:attribute name="unit" type="xs:string" use="required" fixed="kg"/></xs:restriction></xs:complexContent>'
    )
    assert dict(sampled(request_of(content) + base, tmp_path).attrib) == {"unit": "kg"}


def test_a_required_attribute_of_xml_itself_is_there(tmp_path: Path) -> None:
    own = '<xs:import namespace="http://www.w3.org/XML/1998/namespace"/>'
    content = '<xs:attribute ref="xml:lang" use="required"/><xs:attribute ref="xml:space"/>'
    outcome = import_text(wsdl(own + request_of(content)), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"], outcome.left_out
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    assert list(element.attrib) == [lang] and re.fullmatch("[A-Za-z]{1,8}", str(element.get(lang)))  # xs:language


def test_schemas_that_import_one_another_in_a_chain_are_read_to_its_end(tmp_path: Path) -> None:
    def schema(namespace: str, inside: str) -> str:
        own = f'xmlns:own="{namespace}" targetNamespace="{namespace}"' if namespace else ""
        return f'<xs:schema xmlns:xs="{XSD}" {own} elementFormDefault="qualified">{inside}</xs:schema>'

    size = '<xs:simpleType name="Size"><xs:restriction base="xs:int"><xs:minInclusive value="7"/></xs:restriction></xs:simpleType>'
    files = {
        "sizes.xsd": schema("", size),
        "places.xsd": schema(
            "urn:places",
            '<xs:include schemaLocation="sizes.xsd"/><xs:complexType name="Place"><xs:sequence>'
            '<xs:element name="city" type="own:Size"/></xs:sequence></xs:complexType>',
        ),
        "people.xsd": schema(
            "urn:people",
            '<xs:import namespace="urn:places" schemaLocation="places.xsd"/><xs:element name="person"><xs:complexType><xs:sequence>'
            '<xs:element name="home" type="l:Place" xmlns:l="urn:places"/></xs:sequence></xs:complexType></xs:element>',
        ),
        "orders.xsd": schema(
            "urn:orders",
            '<xs:include schemaLocation="sizes.xsd"/><xs:import namespace="urn:people" schemaLocation="people.xsd"/>'
            + request_of(
                '<xs:sequence><xs:element ref="p:person" xmlns:p="urn:people"/>'
                '<xs:element name="size" type="own:Size"/></xs:sequence>'
            ),
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    only = f'<xs:schema xmlns:xs="{XSD}"><xs:import namespace="urn:orders" schemaLocation="orders.xsd"/></xs:schema>'
    assert import_text(wsdl(schema=only), tmp_path, "orders.wsdl").taken == ["getOrder"]
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    etree.XMLSchema(etree.parse(str(tmp_path / "orders.xsd"))).assertValid(etree.fromstring(etree.tostring(element)))


SECURED = '<wsp:Policy wsu:Id="secure"><sp:SignedParts><sp:Body/></sp:SignedParts></wsp:Policy>'
REFERENCE = '<wsp:PolicyReference URI="#secure"/>'


@pytest.mark.parametrize(
    ("place", "instead"),
    [
        ('<w:service name="OrderService">', f'<w:service name="OrderService">{REFERENCE}'),
        ('<w:portType name="Orders">', f'<w:portType name="Orders">{REFERENCE}'),
        ('<w:message name="Query">', '<w:message name="Query" wsp:PolicyURIs="#secure">'),
        ('<w:binding name="OrdersSoap"', '<w:binding wsp:PolicyURIs="#other #secure" name="OrdersSoap"'),
        ('<w:input message="o:Query"/>', f'<w:input message="o:Query">{REFERENCE}</w:input>'),
    ],
    ids=["service", "port type", "message", "attribute of the binding", "input"],
)
def test_a_policy_is_kept_wherever_it_is_attached(place: str, instead: str, tmp_path: Path) -> None:
    text = wsdl(namespaces=POLICY, outside=SECURED)
    assert place in text
    with pytest.raises(ImportRefusedError, match=r"its policy requires signatures \(SignedParts\)"):
        import_text(text.replace(place, instead), tmp_path, "orders.wsdl")


def test_attachments_by_a_policy_are_named_and_no_obstacle_where_they_are_optional(tmp_path: Path) -> None:
    space = "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"
    with pytest.raises(ImportRefusedError, match=r"MTOM \(attachments by a policy\)"):
        import_text(guarded(f'<m:OptimizedMimeSerialization xmlns:m="{space}"/>'), tmp_path, "orders.wsdl")
    optional = guarded(f'<m:OptimizedMimeSerialization xmlns:m="{space}" wsp:Optional="true"/>')
    outcome = import_text(optional, tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and any("MTOM is optional" in note for note in outcome.notes)


def test_one_service_of_both_versions_of_soap_has_both_and_each_can_be_chosen(tmp_path: Path) -> None:
    binding = (
        '<w:binding name="Newer" type="o:Orders"><n:binding transport="http://schemas.xmlsoap.org/soap/http"/>'
        '<w:operation name="getOrder"><n:operation soapAction="urn:orders/getOrder"/><w:input><n:body use="literal"/></w:input>'
        '<w:output><n:body use="literal"/></w:output></w:operation></w:binding><w:service'
    )
    port = '<w:port name="NewPort" binding="o:Newer"><n:address location="http://127.0.0.1:8080/new"/></w:port></w:service>'
    text = wsdl(namespaces='xmlns:n="http://schemas.xmlsoap.org/wsdl/soap12/"')
    text = text.replace("<w:service", binding).replace("</w:service>", port)
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder", "getOrder.NewPort"]
    spaces = [
        etree.QName(etree.parse(str(tmp_path / "mine" / "samples" / f"{name}.xml")).getroot()).namespace
        for name in ("getOrder", "getOrder.NewPort")
    ]
    assert spaces == ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
    (tmp_path / "mine").rename(tmp_path / "both")
    assert import_text(text, tmp_path, "orders.wsdl", "NewPort").taken == ["getOrder"]
