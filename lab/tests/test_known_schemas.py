"""The schemas of standards that WSDLs import are known: nothing is fetched, and libxml2 accepts what is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
import xmlschema
from lxml import etree
from small_descriptions import XSD, body_content, import_text, require_valid, schema_of, wsdl
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing import known_schemas
from steelyard.workload.importing.known_schemas import KNOWN, write_known

WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity"
ADDRESSING_2004 = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
ADDRESSING = "http://www.w3.org/2005/08/addressing"
SIGNATURE = "http://www.w3.org/2000/09/xmldsig#"
XLINK = "http://www.w3.org/1999/xlink"
MIME = "http://www.w3.org/2005/05/xmlmime"
UNREACHABLE = "http://192.0.2.1/elsewhere/schema.xsd"
XML_SCHEMA = Path(xmlschema.__file__).parent / "schemas" / "XML" / "xml.xsd"


def importing(namespace: str, content: str, location: str = UNREACHABLE) -> str:
    """A schema whose request holds what another namespace declares."""
    question = f'<xs:element name="GetOrder"><xs:complexType><xs:sequence>{content}</xs:sequence></xs:complexType></xs:element>'
    types = f'<xs:import namespace="{namespace}" schemaLocation="{location}"/>{question}<xs:element name="Order" type="xs:string"/>'
    return schema_of(types, f'xmlns:k="{namespace}"')


def of_type(kind: str) -> str:
    return f'<xs:element name="part" type="k:{kind}"/>'


@pytest.mark.parametrize(
    ("namespace", "content", "inside"),
    [
        (
            ADDRESSING,
            '<xs:element ref="k:EndpointReference"/><xs:element ref="k:RelatesTo"/>',
            f"{{{ADDRESSING}}}Address",
        ),
        (ADDRESSING, of_type("ProblemActionType"), "SoapAction"),
        (ADDRESSING_2004, of_type("EndpointReferenceType"), f"{{{ADDRESSING_2004}}}Address"),
        (f"{WSS}-utility-1.0.xsd", '<xs:element ref="k:Timestamp"/>', f"{{{WSS}-utility-1.0.xsd}}Created"),
        (f"{WSS}-secext-1.0.xsd", '<xs:element ref="k:UsernameToken"/>', f"{{{WSS}-secext-1.0.xsd}}Username"),
        (f"{WSS}-secext-1.0.xsd", '<xs:element ref="k:BinarySecurityToken"/>', "BinarySecurityToken"),
        (SIGNATURE, '<xs:element ref="k:DigestValue"/><xs:element ref="k:KeyName"/>', f"{{{SIGNATURE}}}KeyName"),
        (MIME, of_type("base64Binary"), "part"),
        (
            XLINK,
            '<xs:element name="part"><xs:complexType><xs:attribute ref="k:href" use="required"/></xs:complexType></xs:element>',
            "part",
        ),
    ],
)
def test_a_schema_of_a_standard_is_known_without_a_network(
    namespace: str, content: str, inside: str, tmp_path: Path
) -> None:
    outcome = import_text(wsdl(schema=importing(namespace, content)), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and not outcome.left_out and outcome.documents == 1
    assert any(f"the schema of {namespace} is the one that Steelyard has" in note for note in outcome.notes)
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert inside.rpartition("}")[2] in etree.tostring(element).decode()
    libxml2_judges(element, importing(namespace, content), tmp_path)


def libxml2_judges(element: etree._Element, schema: str, folder: Path) -> None:
    """Assert that libxml2 takes an element by the schema as its author wrote it, which imports the known one."""
    namespace = etree.fromstring(schema).find(f"{{{XSD}}}import").get("namespace", "")  # type: ignore[union-attr]
    room = folder / "for-libxml2"
    room.mkdir()
    files = write_known([namespace], room)
    (room / "xml.xsd").write_bytes(XML_SCHEMA.read_bytes())
    for file in files.values():
        tree = etree.parse(str(room / file))
        for reference in tree.getroot().findall(f"{{{XSD}}}import[@namespace='http://www.w3.org/XML/1998/namespace']"):
            reference.set("schemaLocation", "xml.xsd")
        tree.write(str(room / file))
    require_valid(element, schema.replace(UNREACHABLE, (room / files[namespace]).as_uri()))


@pytest.mark.parametrize("namespace", KNOWN)
def test_every_known_schema_is_one_of_its_namespace_and_valid(namespace: str, tmp_path: Path) -> None:
    files = write_known([namespace], tmp_path)
    schema = xmlschema.XMLSchema(str(tmp_path / files[namespace]), allow="local", defuse="always")
    assert schema.target_namespace == namespace and len(schema.maps.all_errors) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files.values())


def test_own_schemas_stand_in_the_list_and_no_others() -> None:
    folder = Path(known_schemas.__file__).parent / "standards"
    listed = {known.file for known in KNOWN.values() if not known.is_of_library}
    assert {path.name for path in folder.iterdir()} == listed


def test_an_unqualified_value_of_a_header_is_told_from_a_right_one(tmp_path: Path) -> None:
    files = write_known([ADDRESSING], tmp_path)
    judge = etree.XMLSchema(etree.parse(str(tmp_path / files[ADDRESSING])))
    reference = f'<a:ReplyTo xmlns:a="{ADDRESSING}">INSIDE</a:ReplyTo>'
    assert judge.validate(etree.fromstring(reference.replace("INSIDE", "<a:Address>urn:a</a:Address>")))
    assert not judge.validate(etree.fromstring(reference.replace("INSIDE", "<Address>urn:a</Address>")))
    assert not judge.validate(etree.fromstring(reference.replace("INSIDE", "")))


def test_a_copy_beside_the_description_takes_precedence(tmp_path: Path) -> None:
    own = f'<xs:schema xmlns:xs="{XSD}" targetNamespace="{ADDRESSING}"><xs:element name="Ours" type="xs:int"/></xs:schema>'
    (tmp_path / "ws-addr.xsd").write_text(own)
    schema = importing(ADDRESSING, '<xs:element ref="k:Ours"/>', "ws-addr.xsd")
    outcome = import_text(wsdl(schema=schema), tmp_path, "orders.wsdl")
    assert outcome.taken == ["getOrder"] and outcome.documents == 2
    element = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    assert [child.tag for child in element] == [f"{{{ADDRESSING}}}Ours"]


def test_a_copy_that_is_missing_is_no_obstacle_and_an_unknown_namespace_is_one(tmp_path: Path) -> None:
    content = '<xs:element ref="k:Action"/>'
    missing = wsdl(schema=importing(ADDRESSING, content, "gone/ws-addr.xsd"))
    assert import_text(missing, tmp_path, "orders.wsdl").taken == ["getOrder"]
    with pytest.raises(ImportRefusedError, match="from a server that was not named"):
        import_text(wsdl(schema=importing("urn:own", content)), tmp_path / "mine", "orders.wsdl")
