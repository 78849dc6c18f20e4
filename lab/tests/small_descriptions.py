"""Small descriptions that tests fill in, and what a second library makes of the samples that an import writes for them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.workload.importing.convert import convert_description

XSD = "http://www.w3.org/2001/XMLSchema"
SERVER = "http://127.0.0.1:8080"
_WSDL = """<?xml version="1.0" encoding="UTF-8"?>
<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:orders" @NAMESPACES@ targetNamespace="urn:orders">
  @OUTSIDE@
  <w:types>@SCHEMA@</w:types>
  <w:message name="Query"><w:part name="query" @REQUEST@/></w:message>
  <w:message name="Result"><w:part name="result" @ANSWER@/></w:message>
  <w:portType name="Orders">
    <w:operation name="@NAME@"><w:input message="o:Query"/><w:output message="o:Result"/></w:operation>
  </w:portType>
  <w:binding name="OrdersSoap" type="o:Orders">@IN_BINDING@
    <soap:binding style="@STYLE@" transport="http://schemas.xmlsoap.org/soap/http"/>
    <w:operation name="@NAME@"><soap:operation soapAction="urn:orders/@NAME@"/>
      <w:input><soap:body use="literal" namespace="urn:orders"/></w:input>
      <w:output><soap:body use="literal" namespace="urn:orders"/></w:output>
    </w:operation>
  </w:binding>
  <w:service name="OrderService">
    <w:port name="OrderPort" binding="o:OrdersSoap"><soap:address location="@ADDRESS@"/></w:port>
  </w:service>
</w:definitions>
"""
PLAIN_TYPES = '<xs:element name="GetOrder" type="xs:int"/><xs:element name="Order" type="xs:string"/>'


def schema_of(types: str, attributes: str = "") -> str:
    """A schema of the namespace urn:orders."""
    return (
        f'<xs:schema xmlns:xs="{XSD}" xmlns:o="urn:orders" targetNamespace="urn:orders" '
        f'elementFormDefault="qualified" {attributes}>{types}</xs:schema>'
    )


def wsdl(types: str = PLAIN_TYPES, **parts: str) -> str:
    """A WSDL of one operation; `parts` are the places above, in small letters."""
    usual = {
        "name": "getOrder",
        "style": "document",
        "request": 'element="o:GetOrder"',
        "answer": 'element="o:Order"',
        "address": f"{SERVER}/orders",
        "schema": schema_of(types),
        "namespaces": "",
        "outside": "",
        "in_binding": "",
    }
    text = _WSDL
    for word, instead in {**usual, **parts}.items():
        text = text.replace(f"@{word.upper()}@", instead)
    return text


def openapi(paths: str, servers: str = f"[{{url: '{SERVER}'}}]", version: str = "3.0.3") -> str:
    """An OpenAPI document in YAML of these `paths`, indented by two."""
    return f"openapi: {version}\ninfo: {{title: Orders, version: '1'}}\nservers: {servers}\npaths:\n{paths}"


def import_text(text: str, folder: Path, name: str, *ports: str, target: str = "") -> ImportOutput:
    """The outcome of an import of a file with this text, into `folder`/mine."""
    (folder / name).write_text(text, encoding="utf-8")
    return convert_description(str(folder / name), folder / "mine", (), ports, target)


def service_file(folder: Path) -> Mapping[str, Any]:
    """What the imported service's file says."""
    return tomllib.loads((folder / "mine" / "service.toml").read_text(encoding="utf-8"))


def reasons(outcome: ImportOutput) -> str:
    """What was left out, a line each."""
    return "\n".join(f"{omission.what}: {omission.why}" for omission in outcome.left_out)


def body_content(sample: Path) -> etree._Element:
    """The element in a sample's body."""
    body = etree.parse(str(sample)).getroot().find("{http://schemas.xmlsoap.org/soap/envelope/}Body")
    assert body is not None and len(body) == 1
    return body[0]


def require_valid(element: etree._Element, schema: str) -> None:
    """Assert that libxml2 takes an element by the schema as its author wrote it."""
    judge = etree.XMLSchema(etree.fromstring(schema.encode()))
    judge.assertValid(etree.fromstring(etree.tostring(element, encoding="UTF-8")))
