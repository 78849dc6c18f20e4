"""What XML Schema and WSDL say in several ways makes valid samples, as libxml2 judges by the source, or is named."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree
from small_descriptions import (
    XSD,
    body_content,
    import_text,
    reasons,
    require_valid,
    schema_of,
    service_file,
    wsdl,
)
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


EXPRESSIONS = (
    '<xs:element name="expr" type="xs:anyType" abstract="true"/>'
    '<xs:complexType name="Two"><xs:sequence><xs:element ref="o:expr" minOccurs="2" maxOccurs="2"/></xs:sequence></xs:complexType>'
    '<xs:element name="and" type="o:Two" substitutionGroup="o:expr"/>'
    '<xs:element name="not" substitutionGroup="o:expr"><xs:complexType><xs:sequence><xs:element ref="o:expr"/></xs:sequence>'
    "</xs:complexType></xs:element>"
    '<xs:element name="zero" substitutionGroup="o:expr"><xs:complexType><xs:attribute name="unit" type="xs:string"/>'
    "</xs:complexType></xs:element>"
)


def test_of_substitutes_and_derived_types_the_first_that_can_be_made_is_taken(tmp_path: Path) -> None:
    types = request_of('<xs:sequence><xs:element ref="o:expr"/></xs:sequence>') + EXPRESSIONS
    (taken,) = sampled(types, tmp_path)
    assert etree.QName(taken).localname == "and" and [tags(child) for child in taken] == [["zero"], ["zero"]]


def test_of_derived_types_the_first_that_ends_is_taken(tmp_path: Path) -> None:
    def derived(name: str, inside: str) -> str:
        extension = f'<xs:extension base="o:Shape"><xs:sequence>{inside}</xs:sequence></xs:extension>'
        return f'<xs:complexType name="{name}"><xs:complexContent>{extension}</xs:complexContent></xs:complexType>'

    types = request_of('<xs:sequence><xs:element name="shape" type="o:Shape"/></xs:sequence>') + (
        '<xs:complexType name="Shape" abstract="true"/>'
        + derived("All", '<xs:element name="part" type="o:All" maxOccurs="unbounded"/>')
        + derived("Ball", '<xs:element name="size" type="xs:int"/>')
    )
    (shape,) = sampled(types, tmp_path)
    assert str(shape.get(XSI_TYPE)).endswith(":Ball") and tags(shape) == ["size"]


@pytest.mark.parametrize("namespace", ["##local", "##targetNamespace", "urn:else urn:more", "##other", "##any"])
@pytest.mark.parametrize("contents", ["lax", "skip"])
def test_what_a_wildcard_requires_is_of_a_namespace_that_it_admits(
    namespace: str, contents: str, tmp_path: Path
) -> None:
    wildcard = f'<xs:sequence><xs:any namespace="{namespace}" processContents="{contents}"/></xs:sequence>'
    assert len(sampled(request_of(wildcard), tmp_path)) == 1


@pytest.mark.parametrize(
    "content",
    [
        '<xs:all><xs:element name="b" type="xs:int"/><xs:element name="a" type="xs:date" minOccurs="0"/></xs:all>',
        '<xs:group ref="o:Pair"/>',
        '<xs:sequence><xs:group ref="o:Pair" minOccurs="2" maxOccurs="3"/></xs:sequence><xs:attributeGroup ref="o:Marks"/>',
        '<xs:simpleContent><xs:extension base="o:Size"><xs:attributeGroup ref="o:Marks"/></xs:extension></xs:simpleContent>',
        '<xs:sequence><xs:element name="list"><xs:simpleType><xs:list itemType="o:Size"/></xs:simpleType></xs:element>'
        "</xs:sequence>",
        '<xs:sequence><xs:element name="one"><xs:simpleType><xs:union memberTypes="o:Size xs:date"/></xs:simpleType></xs:element>'
        "</xs:sequence>",
        '<xs:sequence><xs:element name="x" minOccurs="3" maxOccurs="unbounded" type="o:Size"/></xs:sequence>',
        '<xs:sequence><xs:element name="x" type="xs:anyType"/><xs:element name="y" type="xs:anySimpleType"/></xs:sequence>',
        '<xs:sequence><xs:element name="x" type="xs:int" fixed="7"/><xs:element name="y" type="xs:int" default="8"/></xs:sequence>',
        '<xs:sequence><xs:element name="id" type="xs:ID"/><xs:element name="other" type="xs:ID"/></xs:sequence>',
        '<xs:choice maxOccurs="unbounded"><xs:sequence minOccurs="0"/><xs:element name="x" type="xs:int"/></xs:choice>',
        '<xs:sequence><xs:sequence><xs:choice><xs:element name="x" type="xs:hexBinary"/></xs:choice></xs:sequence></xs:sequence>',
    ],
)
def test_every_way_to_compose_a_type_makes_a_valid_sample(content: str, tmp_path: Path) -> None:
    shared = (
        '<xs:group name="Pair"><xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="o:Size"/></xs:sequence>'
        '</xs:group><xs:attributeGroup name="Marks"><xs:attribute name="m" type="o:Size" use="required"/></xs:attributeGroup>'
        '<xs:simpleType name="Size"><xs:restriction base="xs:decimal"><xs:minExclusive value="7"/><xs:totalDigits value="4"/>'
        '<xs:fractionDigits value="2"/></xs:restriction></xs:simpleType>'
    )
    sampled(request_of(content) + shared, tmp_path)


CHAINED = (
    '<wsp:Policy wsu:Id="secure"><wsp:PolicyReference URI="#middle"/></wsp:Policy>'
    '<wsp:Policy wsu:Id="middle"><wsp:All><wsp:PolicyReference URI="#last"/></wsp:All></wsp:Policy>'
    '<wsp:Policy wsu:Id="last"><sp:SignedParts><sp:Body/></sp:SignedParts></wsp:Policy>'
)


def referring(policies: str) -> str:
    return wsdl(namespaces=POLICY, outside=policies, in_binding=REFERENCE)


def test_a_policy_is_followed_through_those_that_it_refers_to(tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=r"its policy requires signatures \(SignedParts\)"):
        import_text(referring(CHAINED), tmp_path, "orders.wsdl")
    ended = CHAINED.replace("<wsp:All>", "<wsp:ExactlyOne><wsp:All/>").replace("</wsp:All>", "</wsp:ExactlyOne>")
    assert import_text(referring(ended), tmp_path, "orders.wsdl").taken == ["getOrder"]


def test_policies_that_refer_to_each_other_end_soon(tmp_path: Path) -> None:
    circle = CHAINED.replace("<sp:SignedParts><sp:Body/></sp:SignedParts>", '<wsp:PolicyReference URI="#secure"/>')
    assert import_text(referring(circle), tmp_path, "orders.wsdl").taken == ["getOrder"]
    (tmp_path / "mine").rename(tmp_path / "first")
    names = ["secure", *(f"p{number}" for number in range(1, 40))]
    twice = "".join(
        f'<wsp:Policy wsu:Id="{name}">{REFERENCE * 2}</wsp:Policy>'.replace("#secure", f"#{following}")
        for name, following in pairwise(names)
    )
    with pytest.raises(ImportRefusedError, match="its policies refer to each other more than 10,000 times"):
        import_text(referring(twice), tmp_path, "orders.wsdl")


@pytest.mark.parametrize(
    ("assertion", "demand"),
    [
        ('<r:RMAssertion xmlns:r="http://docs.oasis-open.org/ws-rx/wsrmp/200702"/>', "reliable messaging"),
        (
            '<b:BinaryEncoding xmlns:b="http://schemas.microsoft.com/ws/06/2004/mspolicy/netbinary1"/>',
            "binary messages",
        ),
        ('<c:CompositeDuplex xmlns:c="http://schemas.microsoft.com/net/2006/06/duplex"/>', "an address of the client"),
        ('<o:Integrity xmlns:o="http://schemas.xmlsoap.org/ws/2002/12/secext"/>', r"signatures \(Integrity\)"),
        ("<sp:ProtectionToken><wsp:Policy><sp:KerberosToken/></wsp:Policy></sp:ProtectionToken>", "a Kerberos token"),
    ],
)
def test_a_protocol_that_a_policy_requires_and_load_lacks_is_named(assertion: str, demand: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=demand):
        import_text(guarded(assertion), tmp_path, "orders.wsdl")
    assert import_text(
        guarded(f"<wsp:ExactlyOne><wsp:All>{assertion}</wsp:All><wsp:All/></wsp:ExactlyOne>"), tmp_path, "orders.wsdl"
    ).taken == ["getOrder"]


@pytest.mark.parametrize(
    ("assertions", "note"),
    [
        (
            '<h:NegotiateAuthentication xmlns:h="urn:http"/>',
            "requires NegotiateAuthentication, which is not known here",
        ),
        ('<a:UsingAddressing xmlns:a="http://www.w3.org/2006/05/addressing/wsdl"/>', ""),
        (
            "<sp:TransportBinding><wsp:Policy><sp:IncludeTimestamp/></wsp:Policy></sp:TransportBinding>",
            "requires a timestamp; `valid_seconds` in [auth]",
        ),
    ],
)
def test_an_assertion_that_nothing_here_knows_is_noted(assertions: str, note: str, tmp_path: Path) -> None:
    outcome = import_text(guarded(assertions), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"]
    assert any(note in each for each in outcome.notes) if note else not any("policy" in each for each in outcome.notes)


def test_a_policy_that_is_attached_from_outside_is_noted(tmp_path: Path) -> None:
    outside = "<wsp:PolicyAttachment><wsp:AppliesTo/></wsp:PolicyAttachment>"
    outcome = import_text(wsdl(namespaces=POLICY, outside=outside), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and any("PolicyAttachment are not read" in note for note in outcome.notes)


HEADED = '<w:message name="Result"><w:part name="head" element="o:Head"/><w:part name="result" element="o:Order"/></w:message>'
PLAIN_RESULT = '<w:message name="Result"><w:part name="result" element="o:Order"/></w:message>'
OUTPUT = '<w:output><soap:body use="literal" namespace="urn:orders"/></w:output>'


@pytest.mark.parametrize(
    "output",
    [
        '<w:output><soap:header message="o:Result" part="head" use="literal"/><soap:body use="literal"/></w:output>',
        '<w:output><soap:body parts="result" use="literal"/></w:output>',
    ],
)
def test_a_part_of_an_answer_that_is_a_header_is_not_expected_in_its_body(output: str, tmp_path: Path) -> None:
    text = wsdl('<xs:element name="GetOrder" type="xs:int"/><xs:element name="Head" type="xs:string"/>' + ORDER)
    assert PLAIN_RESULT in text and OUTPUT in text
    import_text(text.replace(PLAIN_RESULT, HEADED).replace(OUTPUT, output), tmp_path, "orders.wsdl")
    operation = service_file(tmp_path)["operations"]["getOrder"]
    assert operation["answer_element"] == "Order" and operation["expect"]["contains"] == "Order"


def test_an_answer_that_no_schema_declares_leaves_its_operation_out(tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=r"operation getOrder: .* element Gone of its answer is not declared"):
        import_text(wsdl(answer='element="o:Gone"'), tmp_path, "orders.wsdl")


def test_a_header_of_a_request_is_sent_and_an_encoded_one_is_named(tmp_path: Path) -> None:
    types = '<xs:element name="GetOrder" type="xs:int"/><xs:element name="Shop" type="xs:int"/>' + ORDER
    shop = '<w:message name="Shop"><w:part name="shop" element="o:Shop"/></w:message><w:portType name="Orders">'
    begin = '<w:input><soap:body use="literal" namespace="urn:orders"/>'
    header = '<soap:header message="o:Shop" part="shop" use="literal"/>'
    text = wsdl(types).replace('<w:portType name="Orders">', shop).replace(begin, begin + header)
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder"]
    root = etree.parse(str(tmp_path / "mine" / "samples" / "getOrder.xml")).getroot()
    (sent,) = root.iterfind("{http://schemas.xmlsoap.org/soap/envelope/}Header/*")
    require_valid(sent, schema_of(types))
    encoded = text.replace('part="shop" use="literal"', 'part="shop" use="encoded"')
    with pytest.raises(ImportRefusedError, match="its header 'shop' is SOAP-encoded, which is not supported"):
        import_text(encoded, tmp_path / "mine", "orders.wsdl")


def other_binding(name: str, inside: str, port: str) -> str:
    """A WSDL with a second binding and port."""
    binding = f'<w:binding name="{name}" type="o:Orders">{inside}</w:binding><w:service'
    text = wsdl(
        namespaces='xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" xmlns:n="http://schemas.xmlsoap.org/wsdl/soap12/"'
    )
    return text.replace("<w:service", binding).replace("</w:service>", f"{port}</w:service>")


@pytest.mark.parametrize(
    ("inside", "address", "why"),
    [
        ('<h:binding verb="GET"/>', '<h:address location="http://127.0.0.1:8080/h"/>', "its binding is not SOAP"),
        (
            '<soap:binding transport="http://www.w3.org/2010/soapjms/"/>',
            '<soap:address location="jms:queue:a"/>',
            "its transport is http://www.w3.org/2010/soapjms, not HTTP",
        ),
        (
            '<n:binding transport="http://www.w3.org/2010/soapjms/"/>',
            '<n:address location="http://127.0.0.1:8080/n"/>',
            "its transport is http://www.w3.org/2010/soapjms, not HTTP",
        ),
    ],
)
def test_a_port_of_another_protocol_is_named(inside: str, address: str, why: str, tmp_path: Path) -> None:
    port = f'<w:port name="Other" binding="o:OtherBinding">{address}</w:port>'
    outcome = import_text(other_binding("OtherBinding", inside, port), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and f"port Other: {why}" in reasons(outcome)


def test_services_of_other_servers_are_named_and_can_be_chosen(tmp_path: Path) -> None:
    more = (
        '</w:service><w:service name="Far"><w:port name="FarPort" binding="o:OrdersSoap">'
        '<soap:address location="http://127.0.0.1:9090/far"/></w:port></w:service>'
    )
    text = wsdl().replace("</w:service>", more)
    outcome = import_text(text, tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and "it runs at http://127.0.0.1:9090" in reasons(outcome)
    (tmp_path / "mine").rename(tmp_path / "near")
    assert import_text(text, tmp_path, "orders.wsdl", "FarPort").taken == ["getOrder"]
    assert service_file(tmp_path)["target"] == "http://127.0.0.1:9090"


def test_a_message_without_an_answer_is_right_with_202(tmp_path: Path) -> None:
    text = wsdl().replace('<w:output message="o:Result"/>', "").replace(OUTPUT, "")
    assert import_text(text, tmp_path, "orders.wsdl").taken == ["getOrder"]
    assert service_file(tmp_path)["operations"]["getOrder"]["expect"] == {"status": [200, 202]}


def test_an_encoded_message_is_named_as_such(tmp_path: Path) -> None:
    types = (
        '<xs:complexType name="Key"><xs:sequence><xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType>'
    )
    text = wsdl(types, style="rpc", request='type="o:Key"', answer='type="xs:string"')
    encoded = text.replace('use="literal"', 'use="encoded" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"')
    assert import_text(encoded, tmp_path, "orders.wsdl").taken == ["getOrder"]
    operation = service_file(tmp_path)["operations"]["getOrder"]
    assert "rpc/encoded" in operation["meaning"] and operation["expect"]["schema"] is False
    (tmp_path / "mine").rename(tmp_path / "first")
    with pytest.raises(ImportRefusedError, match="no standard defines document/encoded"):
        import_text(wsdl().replace('use="literal"', 'use="encoded"'), tmp_path, "orders.wsdl")


def test_schemas_that_import_each_other_without_a_location_are_read_by_their_namespaces(tmp_path: Path) -> None:
    def schema(space: str, inside: str) -> str:
        own = f'xmlns:own="{space}" targetNamespace="{space}" elementFormDefault="qualified"'
        return f'<xs:schema xmlns:xs="{XSD}" {own}>{inside}</xs:schema>'

    sizes = schema("urn:sizes", '<xs:simpleType name="Size"><xs:restriction base="xs:int"/></xs:simpleType>')
    places = schema(
        "urn:places",
        '<xs:import namespace="urn:sizes"/><xs:element name="place" type="s:Size" xmlns:s="urn:sizes"/>',
    )
    orders = schema(
        "urn:orders",
        '<xs:import namespace="urn:places"/>'
        + request_of('<xs:sequence><xs:element ref="p:place" xmlns:p="urn:places"/></xs:sequence>'),
    )
    outcome = import_text(wsdl(schema=orders + places + sizes), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and not outcome.left_out
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert [child.tag for child in element] == ["{urn:places}place"] and int(element[0].text or "") == 1
