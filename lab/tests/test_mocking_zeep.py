"""A client of another library, zeep, reads a mock's own WSDL, calls each operation and takes the answers apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests
import zeep
from small_descriptions import SERVER, XSD, import_text
from steelyard.catalogue import entries
from steelyard.workload.mocking.known import MockedService, mock_service
from steelyard.workload.mocking.stand_in import StandIn
from stood_in import serving
from zeep.exceptions import XMLParseError
from zeep.helpers import serialize_object

TYPES = """
<xs:simpleType name="State"><xs:restriction base="xs:string"><xs:enumeration value="new"/><xs:enumeration value="sent"/>
  </xs:restriction></xs:simpleType>
<xs:complexType name="Order"><xs:sequence><xs:element name="id" type="xs:int"/><xs:element name="state" type="o:State"/>
  <xs:element name="placed" type="xs:dateTime"/></xs:sequence><xs:attribute name="urgent" type="xs:boolean"/></xs:complexType>
<xs:element name="Session"><xs:complexType><xs:sequence><xs:element name="token" type="xs:string"/></xs:sequence>
  </xs:complexType></xs:element>
<xs:element name="FindOrders"><xs:complexType><xs:sequence><xs:element name="since" type="xs:date"/></xs:sequence>
  </xs:complexType></xs:element>
<xs:element name="FindOrdersResponse"><xs:complexType><xs:sequence>
  <xs:element name="order" type="o:Order" maxOccurs="unbounded"/><xs:element name="total" type="xs:decimal"/></xs:sequence>
  </xs:complexType></xs:element>
<xs:element name="ListStates"><xs:complexType/></xs:element>
<xs:element name="ListStatesResponse"><xs:complexType><xs:sequence>
  <xs:element name="state" type="o:State" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
"""
ORDER = {"id": 1, "state": "new", "placed": datetime(2026, 1, 31, 12, tzinfo=UTC), "urgent": True}
FOUND = {"order": [ORDER], "total": Decimal(1)}


def operation(name: str, header: str = "") -> str:
    """The operation of a binding."""
    body = '<soap:body use="literal" namespace="urn:orders"/>'
    return (
        f'<w:operation name="{name}"><soap:operation soapAction="urn:orders#{name}"/><w:input>{header}{body}</w:input>'
        f"<w:output>{body}</w:output></w:operation>"
    )


def offered(name: str) -> str:
    """The operation of a port type."""
    return (
        f'<w:operation name="{name}"><w:input message="o:{name}"/><w:output message="o:{name}Response"/></w:operation>'
    )


def binding(kind: str, style: str, operations: str) -> str:
    return (
        f'<w:binding name="{kind}Soap" type="o:{kind}"><soap:binding style="{style}" '
        f'transport="http://schemas.xmlsoap.org/soap/http"/>{operations}</w:binding>'
    )


def port(kind: str) -> str:
    return f'<w:port name="{kind}" binding="o:{kind}Soap"><soap:address location="{SERVER}/{kind.lower()}"/></w:port>'


def description() -> str:
    """A WSDL with a port of document/literal, one of whose operations has a header, and a port of rpc/literal."""
    documents = [
        f'<w:message name="{name}{end}"><w:part name="p" element="o:{name}{end}"/></w:message>'
        for name in ("FindOrders", "ListStates")
        for end in ("", "Response")
    ]
    header = '<soap:header message="o:Head" part="session" use="literal"/>'
    return (
        '<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" '
        f'xmlns:xs="{XSD}" xmlns:o="urn:orders" targetNamespace="urn:orders"><w:types><xs:schema '
        f'targetNamespace="urn:orders" elementFormDefault="qualified">{TYPES}</xs:schema></w:types>{"".join(documents)}'
        '<w:message name="Head"><w:part name="session" element="o:Session"/></w:message>'
        '<w:message name="Delay"><w:part name="order" type="o:Order"/><w:part name="days" type="xs:int"/></w:message>'
        '<w:message name="DelayResponse"><w:part name="order" type="o:Order"/></w:message>'
        f'<w:portType name="Orders">{offered("FindOrders")}{offered("ListStates")}</w:portType>'
        f'<w:portType name="Delays">{offered("Delay")}</w:portType>'
        f"{binding('Orders', 'document', operation('FindOrders', header) + operation('ListStates'))}"
        f"{binding('Delays', 'rpc', operation('Delay'))}"
        f'<w:service name="Shop">{port("Orders")}{port("Delays")}</w:service></w:definitions>'
    )


def mocked(folder: Path) -> MockedService:
    outcome = import_text(description(), folder, "shop.wsdl")
    assert outcome.taken == ["FindOrders", "ListStates", "Delay"] and not outcome.left_out
    return mock_service(entries.service_at(str(folder / "mine")), 1)


@contextmanager
def client_of(known: MockedService) -> Iterator[tuple[zeep.Client, StandIn]]:
    """zeep with what it read of the mock's WSDL, and the mock."""
    with serving(known) as (address, app), requests.Session() as session:
        session.trust_env = False  # no proxy between
        transport = zeep.Transport(session=session, timeout=20, operation_timeout=20)
        yield zeep.Client(f"{address}/orders?wsdl", transport=transport), app


def find_orders(client: zeep.Client) -> Any:
    session = client.get_element("{urn:orders}Session")(token="mine")
    return client.bind("Shop", "Orders").FindOrders(since="2026-01-31", _soapheaders=[session])


def test_zeep_calls_every_operation_and_finds_what_the_answers_hold(tmp_path: Path) -> None:
    with client_of(mocked(tmp_path)) as (client, app):
        found = find_orders(client)
        states = client.bind("Shop", "Orders").ListStates()
        delayed = client.bind("Shop", "Delays").Delay(order=ORDER, days=3)
    assert serialize_object(found, dict) == FOUND
    assert states == ["new"]
    assert serialize_object(delayed, dict) == ORDER
    assert app.answered == {"FindOrders": 1, "ListStates": 1, "Delay": 1} and app.unknown == 0


def test_an_answer_with_a_wrong_element_makes_zeep_fail(tmp_path: Path) -> None:
    known = mocked(tmp_path)
    find, *others = known.operations
    assert find.usual.body.count(b"total>") == 2
    wrong = replace(find.usual, body=find.usual.body.replace(b"total>", b"sum>"))
    known.operations = [replace(find, usual=wrong), *others]
    with client_of(known) as (client, app):
        with pytest.raises(XMLParseError, match="sum"):
            find_orders(client)
        assert client.bind("Shop", "Orders").ListStates() == ["new"]
    assert app.answered == {"FindOrders": 1, "ListStates": 1}
