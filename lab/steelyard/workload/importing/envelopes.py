"""Envelopes around sample bodies: SOAP 1.1 and 1.2, header blocks, WS-Addressing, and the HTTP headers."""

from __future__ import annotations

from lxml import etree

from .names import ADDRESSING, ENCODING, ENVELOPES, XSD, XSI, local
from .samples import SampleMaker
from .values import UnmetError
from .wsdl import WsdlOperation

_ANONYMOUS = f"{ADDRESSING}/anonymous"
IDENTIFIER = "urn:uuid:{{uuid}}"  # the engine fills in a new value for each request


def envelope_of(operation: WsdlOperation, maker: SampleMaker) -> bytes:
    """A complete request, every part valid; raises UnmetError."""
    uri = ENVELOPES[operation.soap]
    root = etree.Element(
        f"{{{uri}}}Envelope", nsmap={"soap": uri, **({"xsd": XSD, "xsi": XSI} if operation.encoded else {})}
    )
    headers = [maker.sample(part.element or "") for part in operation.headers]
    if operation.addressing is not None:
        headers += _addressing(operation)
    if headers:
        head = etree.SubElement(root, f"{{{uri}}}Header")
        head.extend(headers)
    body = etree.SubElement(root, f"{{{uri}}}Body")
    content = body_element(operation)
    if content is not None:
        element = maker.sample(content, encoded=operation.encoded)
        if operation.encoded:
            element.set(f"{{{uri}}}encodingStyle", ENCODING)
        body.append(element)
    etree.indent(root, "  ")
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"


def body_element(operation: WsdlOperation) -> str | None:
    """The element in a request's body, `{namespace}local`; None if the body is empty."""
    if operation.style == "rpc":
        return operation.wrapper
    return operation.parts[0].element if operation.parts else None


def answer_element(operation: WsdlOperation) -> str | None:
    """The element in a right answer's body; None if there is no answer, or its body is empty."""
    if operation.answer is None:
        return None
    if operation.style == "rpc":
        return f"{operation.wrapper}Response"
    elements = [part.element for part in operation.answer if part.element]
    return elements[0] if elements else None


def headers_of(operation: WsdlOperation) -> dict[str, str]:
    """The HTTP headers: SOAP 1.1 has the action in a header of its own, SOAP 1.2 in the content type."""
    action = operation.action or (operation.addressing or "")
    quoted = action.replace("\\", "").replace('"', "")
    if any(not " " <= letter <= "~" for letter in quoted):
        raise UnmetError(f"the action of {operation.name} is not a valid HTTP header value")
    if operation.soap == "1.1":
        return {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{quoted}"'}
    named = f'; action="{quoted}"' if quoted else ""
    return {"Content-Type": f"application/soap+xml; charset=utf-8{named}"}


def _addressing(operation: WsdlOperation) -> list[etree._Element]:
    texts = {"Action": operation.addressing, "MessageID": IDENTIFIER, "To": operation.address}
    made = []
    for name, text in texts.items():
        element = etree.Element(f"{{{ADDRESSING}}}{name}", nsmap={"wsa": ADDRESSING})
        element.text = text
        made.append(element)
    reply = etree.Element(f"{{{ADDRESSING}}}ReplyTo", nsmap={"wsa": ADDRESSING})
    etree.SubElement(reply, f"{{{ADDRESSING}}}Address").text = _ANONYMOUS
    return [*made, reply]


def title_of(operation: WsdlOperation) -> str:
    """A one-line description of an operation, for readers of service.toml."""
    kind = f"{operation.style}/{'encoded' if operation.encoded else 'literal'}, SOAP {operation.soap}"
    return (
        f"{local(operation.wrapper)} of port {operation.port} ({kind}){f': {operation.text}' if operation.text else ''}"
    )
