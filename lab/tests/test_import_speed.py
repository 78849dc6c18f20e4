"""Documents as large as the largest that people have are read in seconds, and in less memory than a small machine has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from small_descriptions import SERVER, XSD
from steelyard.models.outputs.own_service import ImportOutput

pytestmark = pytest.mark.long

PROSE = "It holds what the shop knows of this, for as long as the law asks for it, and what a customer may change. "


@dataclass(frozen=True)
class Cost:
    """What an import took: its outcome, its processor time, and the most memory that it held at once."""

    outcome: ImportOutput
    seconds: float
    megabytes: float


def cost_of(document: Path) -> Cost:
    """The cost of an import in a process of its own, as the command runs it."""
    asked = {
        "place": str(document),
        "out": str(document.parent / "mine"),
        "also": [],
        "ports": [],
        "target": "",
        "assets": False,
        "catalog": "",
    }
    command = [sys.executable, "-m", "steelyard.workload.importing.bounded"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(asked))
        child.stdin.close()
        told = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, told
    return Cost(ImportOutput.model_validate_json(told), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def large_wsdl(operations: int, fields: int, text: str) -> str:
    """A WSDL whose operations have messages of so many fields, each with this text about it."""
    about = f"<xs:annotation><xs:documentation>{text}</xs:documentation></xs:annotation>" if text else ""
    types, messages, offered, bound = [], [], [], []
    for number in range(operations):
        for side in ("Ask", "Tell"):
            inside = "".join(
                f'<xs:element name="field{field}" type="{kind}" minOccurs="{field % 2}">{about}</xs:element>'
                for field, kind in zip(
                    range(fields), ["xs:string", "xs:int", "xs:dateTime", "o:Part"] * fields, strict=False
                )
            )
            types.append(
                f'<xs:element name="{side}{number}"><xs:complexType><xs:sequence>{inside}</xs:sequence></xs:complexType>'
                "</xs:element>"
            )
            messages.append(
                f'<w:message name="{side}{number}"><w:part name="p" element="o:{side}{number}"/></w:message>'
            )
        ends = f'<w:input message="o:Ask{number}"/><w:output message="o:Tell{number}"/>'
        offered.append(f'<w:operation name="ask{number}">{ends}</w:operation>')
        body = '<soap:body use="literal"/>'
        bound.append(
            f'<w:operation name="ask{number}"><soap:operation soapAction="urn:{number}"/><w:input>{body}</w:input>'
            f"<w:output>{body}</w:output></w:operation>"
        )
    part = (
        '<xs:complexType name="Part"><xs:sequence><xs:element name="id" type="xs:int"/><xs:element name="part" type="o:Part" '
        'minOccurs="0"/></xs:sequence></xs:complexType>'
    )
    return (
        '<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" '
        f'xmlns:xs="{XSD}" xmlns:o="urn:orders" targetNamespace="urn:orders"><w:types><xs:schema targetNamespace="urn:orders" '
        f'elementFormDefault="qualified">{part}{"".join(types)}</xs:schema></w:types>{"".join(messages)}'
        f'<w:portType name="Orders">{"".join(offered)}</w:portType><w:binding name="B" type="o:Orders"><soap:binding '
        f'transport="http://schemas.xmlsoap.org/soap/http"/>{"".join(bound)}</w:binding><w:service name="S"><w:port name="P" '
        f'binding="o:B"><soap:address location="{SERVER}/orders"/></w:port></w:service></w:definitions>'
    )


def large_openapi(schemas: int, operations: int, properties: int) -> dict[str, Any]:
    """A document of schemas that refer to each other, with a text about every property, and of operations that use them."""

    def schema(number: int) -> dict[str, Any]:
        kinds: list[dict[str, Any]] = [
            {"type": "string", "maxLength": 5000},
            {"type": "integer", "format": "int32"},
            {"type": "string", "enum": ["new", "paid", "sent"]},
            {
                "anyOf": [{"type": "string"}, {"$ref": f"#/components/schemas/S{(number * 7 + 1) % schemas}"}],
                "nullable": True,
            },
            {"type": "array", "items": {"$ref": f"#/components/schemas/S{(number * 3 + 2) % schemas}"}},
        ]
        named = {
            f"property_{place}": {"description": PROSE, **kinds[place % len(kinds)]} for place in range(properties)
        }
        return {"type": "object", "description": PROSE, "properties": named, "required": ["property_0", "property_1"]}

    def operation(number: int) -> dict[str, Any]:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/S{number % schemas}"}}}
        parameters = [
            {"name": f"filter{place}", "in": "query", "description": PROSE, "schema": {"type": "string"}}
            for place in range(6)
        ]
        return {
            "operationId": f"operation{number}",
            "description": PROSE * 3,
            "parameters": parameters,
            "requestBody": {"required": True, "content": content},
            "responses": {"200": {"description": PROSE, "content": content}},
        }

    return {
        "openapi": "3.0.3",
        "info": {"title": "a large shop", "version": "1"},
        "servers": [{"url": SERVER}],
        "paths": {f"/v1/things{number}": {"post": operation(number)} for number in range(operations)},
        "components": {"schemas": {f"S{number}": schema(number) for number in range(schemas)}},
    }


@pytest.mark.parametrize(("operations", "text"), [(400, PROSE * 2), (760, "What the shop knows of it.")])
def test_a_wsdl_of_4_mb_is_read_in_5_seconds_of_work_and_500_mb(operations: int, text: str, tmp_path: Path) -> None:
    document = tmp_path / "large.wsdl"
    document.write_text(large_wsdl(operations, fields=15, text=text))
    assert document.stat().st_size > 4_000_000
    cost = cost_of(document)
    assert cost.outcome.operations == cost.outcome.samples_valid == operations and not cost.outcome.left_out
    assert cost.seconds < 5 and cost.megabytes < 500, cost


@pytest.mark.parametrize("indent", [1, None])
def test_a_document_of_openapi_of_12_mb_is_read_in_20_seconds_of_work_and_500_mb(
    indent: int | None, tmp_path: Path
) -> None:
    document = tmp_path / "large.json"
    sizes = (1_700, 540, 25) if indent else (2_250, 700, 24)
    document.write_text(json.dumps(large_openapi(*sizes), indent=indent))
    assert document.stat().st_size > 12_000_000
    cost = cost_of(document)
    assert cost.outcome.operations == sizes[1] and not cost.outcome.left_out
    assert cost.seconds < 20 and cost.megabytes < 500, cost
