"""An XML catalog gives the imports of a WSDL files of the user's own; nothing is fetched, and nothing else is opened."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from lxml import etree
from small_descriptions import SERVER, XSD, body_content, openapi, wsdl
from steelyard.base.errors import ImportRefusedError
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.workload.importing.catalogs import read_catalog
from steelyard.workload.importing.convert import convert_description

FAR = "http://192.0.2.1/schemas/parts.xsd"  # an address that nobody has
PARTS = (
    f'<xs:schema xmlns:xs="{XSD}" targetNamespace="urn:parts" elementFormDefault="qualified">'
    '<xs:include schemaLocation="more.xsd"/><xs:element name="Part" type="xs:int"/></xs:schema>'
)
MORE = (
    f'<xs:schema xmlns:xs="{XSD}" targetNamespace="urn:parts"><xs:simpleType name="N"><xs:restriction base="xs:int"/>'
    "</xs:simpleType></xs:schema>"
)
DOCTYPE = '<!DOCTYPE catalog PUBLIC "-//OASIS//DTD XML Catalogs V1.1//EN" "http://192.0.2.1/catalog.dtd">'


def catalog(folder: Path, entries: str, name: str = "catalog.xml", doctype: str = "") -> str:
    text = f'{doctype}<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{entries}</catalog>'
    (folder / name).write_text(text)
    return str(folder / name)


def importing(location: str) -> str:
    """A WSDL whose request holds an element of another schema."""
    return wsdl(
        schema=f'<xs:schema xmlns:xs="{XSD}" xmlns:p="urn:parts" targetNamespace="urn:orders">'
        f'<xs:import namespace="urn:parts" {location}/><xs:element name="GetOrder"><xs:complexType><xs:sequence>'
        '<xs:element ref="p:Part"/></xs:sequence></xs:complexType></xs:element>'
        '<xs:element name="Order" type="xs:string"/></xs:schema>'
    )


def imported(folder: Path, location: str, entries: str, doctype: str = "") -> ImportOutput:
    """The outcome of an import in `folder`/own, with the catalog and its schemas in `folder`/kept."""
    for room in ("own", "kept/xsd"):
        (folder / room).mkdir(parents=True, exist_ok=True)
    (folder / "kept" / "xsd" / "parts.xsd").write_text(PARTS)
    (folder / "kept" / "xsd" / "more.xsd").write_text(MORE)
    (folder / "own" / "orders.wsdl").write_text(importing(location))
    file = catalog(folder / "kept", entries, doctype=doctype)
    return convert_description(str(folder / "own" / "orders.wsdl"), folder / "mine", (), catalog=file)


@pytest.mark.parametrize(
    ("location", "entries"),
    [
        (f'schemaLocation="{FAR}"', f'<uri name="{FAR}" uri="xsd/parts.xsd"/>'),
        (f'schemaLocation="{FAR}"', f'<system systemId="{FAR}" uri="xsd/parts.xsd"/>'),
        (f'schemaLocation="{FAR}"', '<rewriteURI uriStartString="http://192.0.2.1/schemas/" rewritePrefix="xsd/"/>'),
        (
            f'schemaLocation="{FAR}"',
            '<rewriteSystem systemIdStartString="http://192.0.2.1/" rewritePrefix="nowhere/"/>'
            '<rewriteSystem systemIdStartString="http://192.0.2.1/schemas/" rewritePrefix="xsd/"/>',
        ),
        (f'schemaLocation="{FAR}"', '<uriSuffix uriSuffix="/parts.xsd" uri="xsd/parts.xsd"/>'),
        ('schemaLocation="parts.xsd"', '<uri name="parts.xsd" uri="xsd/parts.xsd"/>'),
        ("", '<uri name="urn:parts" uri="xsd/parts.xsd"/>'),
        (f'schemaLocation="{FAR}"', f'<group xml:base="xsd/"><uri name="{FAR}" uri="parts.xsd"/></group>'),
    ],
)
def test_an_entry_gives_an_import_its_file(location: str, entries: str, tmp_path: Path) -> None:
    outcome = imported(tmp_path, location, entries, DOCTYPE)
    assert (outcome.operations, outcome.documents) == (1, 3), outcome
    body = body_content(tmp_path / "mine" / "samples" / "getOrder.xml")
    # libxml2 reads the user's own file of the schema.
    judge = etree.XMLSchema(etree.parse(str(tmp_path / "kept" / "xsd" / "parts.xsd")))
    judge.assertValid(etree.fromstring(etree.tostring(body[0])))


def test_a_catalog_leads_to_others_once_each(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    entry = f'<uri name="{FAR}" uri="xsd/parts.xsd"/><nextCatalog catalog="catalog.xml"/>'
    catalog(tmp_path / "kept", entry, "second.xml")
    outcome = imported(tmp_path, f'schemaLocation="{FAR}"', '<nextCatalog catalog="second.xml"/>')
    assert outcome.operations == 1


def test_the_longest_beginning_and_the_base_of_an_entry_hold_as_libxml2_reads_them(tmp_path: Path) -> None:
    entries = (
        '<uri name="http://a.test/a.xsd" uri="here/a.xsd"/><rewriteURI uriStartString="http://a.test/" rewritePrefix="there/"/>'
        '<rewriteURI uriStartString="http://a.test/deep/" rewritePrefix="deeper/"/>'
        '<group xml:base="group/"><uri name="urn:b" uri="b.xsd"/></group>'
    )
    file = catalog(tmp_path, entries)
    names = ["http://a.test/a.xsd", "http://a.test/b.xsd", "http://a.test/deep/c.xsd", "urn:b", "urn:unknown"]
    found = [read_catalog(file).place([name]) for name in names]
    assert found == [str(tmp_path / part) for part in ("here/a.xsd", "there/b.xsd", "deeper/c.xsd", "group/b.xsd")] + [
        None
    ]
    if shutil.which("xmlcatalog") is not None:
        told = [subprocess.run(["xmlcatalog", file, name], capture_output=True, text=True).stdout for name in names[:4]]
        assert [each.split()[-1].removeprefix("file://") for each in told] == found[:4]


@pytest.mark.parametrize(
    ("location", "entries", "why"),
    [
        (f'schemaLocation="{FAR}"', "", "no request was sent"),
        (f'schemaLocation="{FAR}"', f'<uri name="{FAR}" uri="http://192.0.2.7/a.xsd"/>', "no request was sent"),
        (f'schemaLocation="{FAR}"', f'<uri name="{FAR}" uri="gone.xsd"/>', "gone.xsd.*cannot be read"),
        (
            'schemaLocation="http://192.0.2.1/../../own/orders.wsdl"',
            '<rewriteURI uriStartString="http://192.0.2.1/" rewritePrefix="xsd/"/>',
            "no request was sent",
        ),
        ("", '<nextCatalog catalog="http://192.0.2.1/catalog.xml"/>', "is not a file; nothing is fetched"),
        ("", '<nextCatalog catalog="gone.xml"/>', "gone.xml cannot be read"),
        ("", "<uri", "not well-formed"),
    ],
)
def test_what_a_catalog_does_not_have_is_not_read(location: str, entries: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=why):
        imported(tmp_path, location, entries)
    assert not (tmp_path / "mine").exists()


def test_entities_and_other_documents_are_no_catalogs(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE catalog [<!ENTITY a "b">]>'
    with pytest.raises(ImportRefusedError, match="defines entities"):
        read_catalog(catalog(tmp_path, "", doctype=laughs))
    (tmp_path / "other.xml").write_text("<catalog/>")
    with pytest.raises(ImportRefusedError, match="its root is <catalog> of no namespace"):
        read_catalog(str(tmp_path / "other.xml"))
    for number in range(25):
        catalog(tmp_path, f'<nextCatalog catalog="{number + 1}.xml"/>', f"{number}.xml")
    with pytest.raises(ImportRefusedError, match="leads to more than 20 others"):
        read_catalog(str(tmp_path / "0.xml"))


def test_the_option_is_for_a_wsdl(tmp_path: Path) -> None:
    file = catalog(tmp_path, f'<uri name="{FAR}" uri="parts.xsd"/>')
    (tmp_path / "parts.xsd").write_text(PARTS.replace('<xs:include schemaLocation="more.xsd"/>', ""))
    (tmp_path / "orders.wsdl").write_text(importing(f'schemaLocation="{FAR}"'))
    ran = steelyard("import", "orders.wsdl", "--catalog", file, "--out", "mine", folder=tmp_path)
    assert ran.code == 0 and "1 operation" in ran.out, ran.err
    (tmp_path / "orders.yaml").write_text(
        openapi("  /a:\n    get: {operationId: a, responses: {'200': {description: fine}}}\n", f"[{{url: '{SERVER}'}}]")
    )
    ran = steelyard("import", "orders.yaml", "--catalog", file, "--out", "other", folder=tmp_path)
    assert ran.code == 1 and "is not well-formed XML" in ran.err and not (tmp_path / "other").exists()
