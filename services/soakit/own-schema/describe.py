#!/usr/bin/env python3
"""Writes the WSDL of a service that binds one element of a schema and gives it back: describe.py SCHEMA ELEMENT WSDL INSIDE.

WSDL names the schema where it lies; INSIDE, which stands in the WAR, declares the element and nothing of what it holds.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

# Of the root element alone: no schema is parsed here, so nothing that one may hold is followed.
_ROOT = re.compile(r"<(?:[\w.-]+:)?schema\b([^>]*)>")
_NAMESPACE = re.compile(r"""\btargetNamespace\s*=\s*(?:"([^"<&]*)"|'([^'<&]*)')""")

WSDL = """\
<?xml version="1.0" encoding="UTF-8"?>
<definitions name="Bind" targetNamespace="urn:steelyard:soakit:own" xmlns="http://schemas.xmlsoap.org/wsdl/"
             xmlns:b="urn:steelyard:soakit:own" xmlns:d={namespace} xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
             xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <types>{types}</types>
  <message name="asked"><part name="document" element={element}/></message>
  <message name="answered"><part name="document" element={element}/></message>
  <portType name="Bind"><operation name="bind"><input message="b:asked"/><output message="b:answered"/></operation></portType>
  <binding name="BindBinding" type="b:Bind">
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="bind">
      <soap:operation soapAction=""/>
      <input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output>
    </operation>
  </binding>
  <service name="Bind">
    <port name="BindPort" binding="b:BindBinding"><soap:address location="http://127.0.0.1/own-schema/Bind"/></port>
  </service>
</definitions>
"""


def described(schema: str, element: str, place: str | None) -> str:
    """The WSDL for an element of a schema (its text) that lies at `place`, or is not named.

    Raises SystemExit where the schema has no namespace.
    """
    root = _ROOT.search(re.sub(r"<!--.*?-->", "", schema, flags=re.DOTALL))
    namespace = _NAMESPACE.search(root[1]) if root else None
    if namespace is None:
        raise SystemExit("the schema has no targetNamespace: elements without one cannot be told from others")
    own = quoteattr(namespace[1] or namespace[2])
    if place is None:
        types = f"<xs:schema targetNamespace={own}><xs:element name={quoteattr(element)}/></xs:schema>"
    else:
        types = f"<xs:schema><xs:import namespace={own} schemaLocation={quoteattr(place)}/></xs:schema>"
    return WSDL.format(namespace=own, element=quoteattr(f"d:{element}"), types=types)


def main(arguments: list[str]) -> int:
    schema, element, wsdl, inside = Path(arguments[0]), arguments[1], Path(arguments[2]), Path(arguments[3])
    text = schema.read_text(encoding="utf-8-sig")
    wsdl.write_text(described(text, element, os.path.relpath(schema, wsdl.parent)), encoding="utf-8")
    inside.write_text(described(text, element, None), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
