"""The description of a service that binds an element of a user's schema: its namespace is the schema's own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from lxml import etree

_SPEC = importlib.util.spec_from_file_location("describe", Path(__file__).with_name("describe.py"))
assert _SPEC is not None and _SPEC.loader is not None
describe = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(describe)

SCHEMA = """<?xml version="1.0"?>
<!-- <xs:schema targetNamespace="urn:not:this"> -->
<xsd:schema xmlns:xsd="x"
  {attribute}><xsd:a/></xsd:schema>"""


@pytest.mark.parametrize(
    ("attribute", "namespace"),
    [
        ('targetNamespace="http://www.openapplications.org/oagis/9"', "http://www.openapplications.org/oagis/9"),
        ("targetNamespace = 'urn:single'", "urn:single"),
    ],
)
def test_the_message_is_the_element_in_the_namespace_of_the_schema(attribute: str, namespace: str) -> None:
    wsdl = etree.fromstring(describe.described(SCHEMA.format(attribute=attribute), "Order", "../order.xsd").encode())
    parts = wsdl.findall(".//{*}part")
    assert [part.get("element") for part in parts] == ["d:Order", "d:Order"]
    assert wsdl.nsmap["d"] == namespace
    imported = wsdl.find(".//{http://www.w3.org/2001/XMLSchema}import")
    assert (imported.get("namespace"), imported.get("schemaLocation")) == (namespace, "../order.xsd")


def test_a_schema_without_a_namespace_is_refused() -> None:
    with pytest.raises(SystemExit, match="no targetNamespace"):
        describe.described(SCHEMA.format(attribute='version="1"'), "Order", "order.xsd")


def test_where_the_schema_lies_is_told_from_the_description(tmp_path: Path) -> None:
    (tmp_path / "a & b").mkdir()
    schema = tmp_path / "a & b" / "order.xsd"
    schema.write_text(SCHEMA.format(attribute='targetNamespace="urn:x"'))
    assert describe.main([str(schema), "Order", str(tmp_path / "own.wsdl"), str(tmp_path / "inside.wsdl")]) == 0
    declared = etree.parse(tmp_path / "inside.wsdl").find(".//{http://www.w3.org/2001/XMLSchema}element")
    assert declared.get("name") == "Order"
    imported = etree.parse(tmp_path / "own.wsdl").find(".//{http://www.w3.org/2001/XMLSchema}import")
    assert (tmp_path / imported.get("schemaLocation")).samefile(schema)
