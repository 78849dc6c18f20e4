"""Assertions on port types, bindings of SOAP and ports."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

from lxml import etree

from ..names import BINDINGS, WSDL, local, qualified, space
from .assertion import Assertion, Looks, ProfileName, unless
from .described import SOAP_SPACES, BoundOperation, Described

HTTP_TRANSPORT = "http://schemas.xmlsoap.org/soap/http"
_TOKEN = re.compile(r"[\w.:-]+")
_ENDS = ("body", "header", "headerfault", "fault")


def _service_is_asked_first(described: Described) -> Looks:
    for port_type in described.each("portType"):
        for operation in port_type.iterfind(f"{{{WSDL}}}operation"):
            ends = [local(str(child.tag)) for child in operation.iterchildren(f"{{{WSDL}}}input", f"{{{WSDL}}}output")]
            good = ends[:1] != ["output"]
            yield operation, unless(good, f"the service begins the exchange of {operation.get('name')}")


def _operations_have_own_names(described: Described) -> Looks:
    for port_type in described.each("portType"):
        names: Counter[str | None] = Counter()
        for operation in port_type.iterfind(f"{{{WSDL}}}operation"):
            names[operation.get("name")] += 1
            yield operation, unless(names[operation.get("name")] == 1, f"{operation.get('name')} stands there twice")


def _order_leaves_out_one_part(described: Described) -> Looks:
    for port_type in described.each("portType"):
        for operation in port_type.iterfind(f"{{{WSDL}}}operation"):
            order, told = operation.get("parameterOrder"), operation.find(f"{{{WSDL}}}output")
            message = None if told is None else described.definition("message", told, told.get("message"))
            if order is not None and message is not None:
                left = [part.get("name") for part in message.iterfind(f"{{{WSDL}}}part")]
                omitted = [name for name in left if name not in order.split()]
                yield operation, unless(len(omitted) <= 1, f"parameterOrder leaves out {' '.join(map(str, omitted))}")


def _is_of_soap(described: Described, version: str) -> Looks:
    for binding in described.each("binding"):
        spoken = [child for soap, child in described.soap_bindings if soap is binding]
        good = any(space(str(child.tag)) == BINDINGS[version] for child in spoken)
        yield binding, unless(good, f"binding {binding.get('name')} is none of SOAP {version}")


def _says_its_transport(described: Described) -> Looks:
    for _, spoken in described.soap_bindings:
        yield spoken, unless(bool(spoken.get("transport")), "soap:binding has no transport")


def _goes_over_http(described: Described) -> Looks:
    for _, spoken in described.soap_bindings:
        transport = spoken.get("transport")
        yield spoken, unless(transport == HTTP_TRANSPORT, f"its transport is '{transport or ''}'")


def _has_a_single_style(described: Described) -> Looks:
    for binding, spoken in described.soap_bindings:
        styles = {operation.style for operation in described.operations if operation.binding is binding}
        good = len(styles) <= 1 and styles <= {"rpc", "document"}
        yield spoken, unless(good, f"its operations have the styles {', '.join(sorted(styles))}")


def _is_literal(described: Described) -> Looks:
    for operation in described.operations:
        for element in operation.extensions(*_ENDS):
            yield element, unless(element.get("use", "literal") == "literal", f"its use is '{element.get('use')}'")


def _operations_differ_on_the_wire(described: Described) -> Looks:
    seen: set[tuple[etree._Element, object]] = set()
    for operation in described.operations:
        if operation.offered is not None and operation.bodies:
            signature = operation.binding, _signature(operation)
            yield operation.element, unless(signature not in seen, "a request of it is like that of another operation")
            seen.add(signature)


def _signature(operation: BoundOperation) -> object:
    """What a request's body begins with."""
    body = operation.bodies[0]
    if operation.style == "rpc":
        return body.element.get("namespace"), operation.element.get("name")
    return tuple(qualified(part, part.get("element")) for part in body.parts)


def _ports_have_own_addresses(described: Described) -> Looks:
    seen: set[str] = set()
    for port in described.each("port"):
        for address in port.iterchildren(*(f"{{{soap}}}address" for soap in sorted(SOAP_SPACES))):
            location = (address.get("location") or "").strip()
            yield address, unless(location not in seen, f"another port has the address {location}, too")
            seen.add(location)


def _without_namespace(described: Described, style: str, names: tuple[str, ...]) -> Looks:
    for operation in described.operations:
        for element in operation.extensions(*names):
            if operation.style == style and operation.is_literal:
                yield element, unless(element.get("namespace") is None, "it has a namespace")


def _documents_have_no_namespace(described: Described) -> Looks:
    return _without_namespace(described, "document", _ENDS)


def _rpc_heads_have_no_namespace(described: Described) -> Looks:
    return _without_namespace(described, "rpc", ("header", "headerfault", "fault"))


def _rpc_bodies_have_a_namespace(described: Described) -> Looks:
    for operation in described.operations:
        for body in operation.bodies:
            if operation.style == "rpc" and operation.is_literal:
                named = body.element.get("namespace") or ""
                yield body.element, unless(bool(urlsplit(named).scheme), f"its namespace '{named}' is no absolute URI")


def _binds_all_operations(described: Described) -> Looks:
    for binding, _ in described.soap_bindings:
        port_type = described.definition("portType", binding, binding.get("type"))
        if port_type is not None:
            offered, bound = (
                {operation.get("name") for operation in element.iterfind(f"{{{WSDL}}}operation")}
                for element in (port_type, binding)
            )
            differ = " ".join(sorted(str(name) for name in offered ^ bound))
            yield binding, unless(offered == bound, f"its operations are not those of its port type: {differ}")


def _binds_all_faults(described: Described) -> Looks:
    for operation in described.operations:
        bound = {fault.get("name") for fault in operation.extensions("fault")}
        for fault in [] if operation.offered is None else operation.offered.iterfind(f"{{{WSDL}}}fault"):
            yield operation.element, unless(fault.get("name") in bound, f"no soap:fault is its {fault.get('name')}")


def _heads_name_a_part(described: Described) -> Looks:
    for operation in described.operations:
        for header in operation.extensions("header", "headerfault"):
            good = _TOKEN.fullmatch(header.get("part") or "") is not None
            yield header, unless(good, f"its part '{header.get('part') or ''}' is no name token")


def _heads_list_no_parts(described: Described) -> Looks:
    for operation in described.operations:
        for header in operation.extensions("header", "headerfault"):
            yield header, unless(header.get("parts") is None, "it has the attribute parts")


def _faults_have_a_name(described: Described) -> Looks:
    for operation in described.operations:
        for fault in operation.extensions("fault"):
            yield fault, unless(bool(fault.get("name")), "soap:fault has no name")


def _faults_are_named_alike(described: Described) -> Looks:
    for operation in described.operations:
        for fault in operation.extensions("fault"):
            parent = fault.getparent()
            outer = None if parent is None else parent.get("name")
            if fault.get("name") is not None:
                yield fault, unless(fault.get("name") == outer, f"it is called {fault.get('name')} within {outer}")


def _faults_are_literal(described: Described) -> Looks:
    for operation in described.operations:
        for fault in operation.extensions("fault"):
            if (use := fault.get("use")) is not None:
                yield fault, unless(use == "literal", f"its use is '{use}'")


_OLD: tuple[ProfileName, ...] = ("1.1",)
_NEW: tuple[ProfileName, ...] = ("2.0",)
ASSERTIONS = (
    Assertion("R2303", "the client begins each exchange", _service_is_asked_first),
    Assertion("R2304", "operations of a port type have names of their own", _operations_have_own_names),
    Assertion("R2305", "parameterOrder leaves out one part of the answer at most", _order_leaves_out_one_part),
    Assertion("R2401", "bindings are of SOAP 1.1", lambda wsdl: _is_of_soap(wsdl, "1.1"), profiles=_OLD),
    Assertion("R2401", "bindings are of SOAP 1.2", lambda wsdl: _is_of_soap(wsdl, "1.2"), profiles=_NEW),
    Assertion("R2701", "soap:binding says its transport", _says_its_transport),
    Assertion("R2702", "the transport is HTTP", _goes_over_http),
    Assertion("R2705", "a binding is rpc in all its operations, or document in all", _has_a_single_style),
    Assertion("R2706", "bodies, headers, header faults and faults are literal", _is_literal),
    Assertion("R2710", "operations of a binding differ in what is sent", _operations_differ_on_the_wire),
    Assertion("R2711", "no two ports have the same address", _ports_have_own_addresses, level="should"),
    Assertion("R2716", "nothing in a document/literal binding has a namespace", _documents_have_no_namespace),
    Assertion("R2717", "an rpc/literal soap:body has an absolute namespace", _rpc_bodies_have_a_namespace),
    Assertion("R2726", "headers and faults of an rpc/literal binding have no namespace", _rpc_heads_have_no_namespace),
    Assertion("R2718", "a binding has the operations of its port type", _binds_all_operations),
    Assertion("R2740", "each known fault is bound by a soap:fault", _binds_all_faults, level="should"),
    Assertion("R2720", "headers and header faults name their part", _heads_name_a_part),
    Assertion("R2749", "headers and header faults have no attribute parts", _heads_list_no_parts),
    Assertion("R2721", "soap:fault has a name", _faults_have_a_name),
    Assertion("R2754", "soap:fault has the name of the wsdl:fault around it", _faults_are_named_alike),
    Assertion("R2723", "the use of soap:fault is literal where it is said", _faults_are_literal),
)
