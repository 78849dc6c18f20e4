"""Reads WSDL 1.1: services, ports, bindings and operations, and the reasons why an operation cannot be imported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import chain
from urllib.parse import urlsplit

from lxml import etree

from ...base.errors import ImportRefusedError
from .documents import Document, at_target
from .left_out import Left, NotTakenError
from .names import ADDRESSING_WSDL, BINDINGS, ENCODING, MIME, WSDL, WSDL_2, local, one_line, qualified_name
from .policies import demands_of, notes_of

_HTTP = "http://schemas.xmlsoap.org/soap/http"
_MOST_POLICIES = 10_000  # references of all policies together
_TRANSPORTS = {"1.1": (_HTTP,), "1.2": (_HTTP, "http://www.w3.org/2003/05/soap/bindings/HTTP")}


@dataclass(frozen=True)
class MessagePart:
    """A part of a message: its name, and its element or type as `{namespace}local`."""

    name: str
    element: str | None
    kind: str | None


@dataclass(frozen=True)
class WsdlOperation:
    """One operation of one port, with all that a request needs.

    `wrapper` is the element around the parts of an rpc request, `{namespace}operation`; a document's body is its single
    part's element, or empty without a part. `answer` holds the parts of the answer (None: one-way). `action` and
    `answer_action` are those of SOAP and WS-Addressing.
    """

    name: str
    port: str
    address: str
    soap: str
    style: str
    encoded: bool
    action: str
    wrapper: str
    parts: tuple[MessagePart, ...]
    answer: tuple[MessagePart, ...] | None
    headers: tuple[MessagePart, ...] = ()
    addressing: str | None = None
    text: str = ""


@dataclass
class WsdlDescription:
    """The operations of a description in order, what was left out (`left`), and notes on what was changed."""

    operations: list[WsdlOperation] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_wsdl(documents: Sequence[Document], target: str = "") -> WsdlDescription:
    """The operations of every port with SOAP over HTTP; raises ImportRefusedError if the first document is not WSDL
    1.1."""
    root = documents[0].root
    if root.tag == f"{{{WSDL_2}}}description":
        raise ImportRefusedError(
            f"{documents[0].place} is WSDL 2.0, which is not supported", hint="ask the service for its WSDL 1.1"
        )
    if root.tag != f"{{{WSDL}}}definitions":
        raise ImportRefusedError(
            f"{documents[0].place} is not a WSDL: its root is <{one_line(str(root.tag), 100)}>",
            hint="the address of a service's WSDL often ends in ?wsdl",
        )
    known = _Definitions(documents, target)
    description = WsdlDescription()
    ports = [
        (service, port) for service in known.elements_of_kind("service") for port in service.iterfind(f"{{{WSDL}}}port")
    ]
    one_service = len({service.get("name") for service, _ in ports}) < 2
    for service, port in ports:
        name = port.get("name", "port")
        where = f"port {name}" if one_service else f"port {service.get('name')}.{name}"
        try:
            _read_port(known, port, where, description)
        except NotTakenError as error:
            description.left.append(Left(where, str(error)))
    description.notes += known.notes
    if any(next(root.iter("{*}PolicyAttachment"), None) is not None for root in known.roots):
        note = "policies that are attached by a PolicyAttachment are not read: the service may refuse these requests"
        description.notes.append(note)
    if not ports:
        raise ImportRefusedError(
            f"{documents[0].place} names no service with a port",
            hint="it may be the abstract part of a description: import the WSDL that includes it",
        )
    description.operations[:] = _with_own_names(description.operations)
    return description


class _Definitions:
    """All definitions of the documents, by kind and name."""

    def __init__(self, documents: Sequence[Document], target: str) -> None:
        self.target = target
        self.roots = [document.root for document in documents if document.root.tag == f"{{{WSDL}}}definitions"]
        self.notes: list[str] = []
        self._written_policies = 0
        self._named: dict[tuple[str, str], etree._Element] = {}
        self._policies: dict[str, list[etree._Element]] = {}
        for root in self.roots:
            for element in root.iterchildren(etree.Element):
                key = (local(element.tag), f"{{{root.get('targetNamespace', '')}}}{element.get('name')}")
                self._named.setdefault(key, element)
                if key[0] == "Policy":
                    names = {str(value) for name, value in element.attrib.items() if local(str(name)) in ("Id", "Name")}
                    for name in names:
                        self._policies.setdefault(name, []).append(element)

    def elements_of_kind(self, kind: str) -> Iterator[etree._Element]:
        for root in self.roots:
            yield from root.iterfind(f"{{{WSDL}}}{kind}")

    def get(self, kind: str, user: etree._Element, name: str | None) -> etree._Element:
        """The definition that `user` refers to; raises NotTakenError if it is missing."""
        meant = qualified_name(user, name)
        if meant is not None and not meant.startswith("{"):
            meant = f"{{{self.space_of(user)}}}{meant}"  # without a prefix: in the document's own namespace
        definition = self._named.get((kind, meant or ""))
        if definition is None:
            raise NotTakenError(f"it names the {kind} '{name or ''}', which is not defined")
        return definition

    @staticmethod
    def space_of(element: etree._Element) -> str:
        return str(element.getroottree().getroot().get("targetNamespace", ""))

    def policies(self, element: etree._Element) -> list[etree._Element]:
        """The policies of an element, those that they refer to written out: those inside it, and those that it refers to by an
        element or by its attribute."""
        children = list(element.iterchildren(etree.Element))
        policies = [child for child in children if local(child.tag) == "Policy"]
        references = [child.get("URI", "") for child in children if local(child.tag) == "PolicyReference"]
        listed = [str(value) for key, value in element.attrib.items() if local(str(key)) == "PolicyURIs"]
        for reference in [*references, *" ".join(listed).split()]:
            policies += self._policies_at(reference)
        return [self._whole_policy(policy, ()) for policy in policies]

    def _policies_at(self, reference: str) -> list[etree._Element]:
        """The policies that a reference names; notes one that the documents do not have."""
        wanted = reference.rpartition("#")[2]
        referred = self._policies.get(wanted, [])
        if not referred:
            self.notes.append(
                f"the policy '{one_line(wanted, 80)}' is not in the description: if it demands signatures or "
                "encryption, the service refuses these requests"
            )
        return referred

    def _whole_policy(self, policy: etree._Element, within: tuple[etree._Element, ...]) -> etree._Element:
        """A policy with those that it refers to in place of the references."""
        if next(policy.iter("{*}PolicyReference"), None) is None:
            return policy
        whole = deepcopy(policy)
        for reference in list(whole.iter("{*}PolicyReference")):
            self._written_policies += 1
            if self._written_policies > _MOST_POLICIES:
                raise NotTakenError(f"its policies refer to each other more than {_MOST_POLICIES:,} times")
            parent = reference.getparent()
            referred = [each for each in self._policies_at(reference.get("URI", "")) if each not in (policy, *within)]
            if parent is not None:
                for each in referred:
                    reference.addprevious(deepcopy(self._whole_policy(each, (policy, *within))))
                parent.remove(reference)
        return whole


@dataclass(frozen=True)
class _Port:
    """The properties that all operations of a port share; `offered` are those of its port type by their names."""

    name: str
    address: str
    soap: str
    style: str
    port_type: etree._Element
    offered: Mapping[str, Sequence[etree._Element]]
    addressing: bool


def _read_port(known: _Definitions, port: etree._Element, where: str, description: WsdlDescription) -> None:
    binding = known.get("binding", port, port.get("binding"))
    soap, soap_binding = _soap_of(binding)
    address = port.find(f"{{{BINDINGS[soap]}}}address")
    location = at_target("" if address is None else address.get("location", "").strip(), known.target)
    if not location:
        raise NotTakenError("it has no address: --target URL names the server")
    if urlsplit(location).scheme not in ("http", "https"):
        raise NotTakenError(f"its address {one_line(location, 80)} is not an HTTP URL: --target URL names the server")
    port_type = known.get("portType", binding, binding.get("type"))
    service = port.getparent()
    levels = [level for level in (service, port, binding, port_type) if level is not None]
    policies = [policy for level in levels for policy in known.policies(level)]
    _require_unprotected(policies)
    description.notes += notes_of(policies, where)
    uses = [child for child in binding.iterchildren(etree.Element) if local(child.tag) == "UsingAddressing"]
    addressing = bool(uses) or _asserts(policies, "Addressing") or _asserts(policies, "UsingAddressing")
    offered: dict[str, list[etree._Element]] = {}
    for operation in port_type.iterfind(f"{{{WSDL}}}operation"):
        offered.setdefault(operation.get("name", ""), []).append(operation)
    style = soap_binding.get("style", "document")
    shared = _Port(port.get("name", "port"), location, soap, style, port_type, offered, addressing)
    for bound in binding.iterfind(f"{{{WSDL}}}operation"):
        name = bound.get("name", "")
        try:
            description.operations.append(_read_operation(known, shared, bound))
        except NotTakenError as error:
            description.left.append(Left(f"operation {name} of {where}", str(error)))


def _soap_of(binding: etree._Element) -> tuple[str, etree._Element]:
    for version, namespace in BINDINGS.items():
        bound = binding.find(f"{{{namespace}}}binding")
        if bound is not None:
            transport = (bound.get("transport") or _HTTP).rstrip("/")
            if transport not in _TRANSPORTS[version]:
                raise NotTakenError(f"its transport is {one_line(transport, 80)}, not HTTP")
            return version, bound
    raise NotTakenError("its binding is not SOAP (it is plain HTTP, or another)")


def _require_unprotected(policies: Sequence[etree._Element]) -> None:
    """Raises NotTakenError if a policy requires protection that `load` does not give."""
    demands = demands_of(policies)
    if demands:
        raise NotTakenError(f"its policy requires {', '.join(demands)}, which `load` does not send")


def _asserts(policies: Sequence[etree._Element], name: str) -> bool:
    assertions = [
        assertion for policy in policies for assertion in policy.iter(etree.Element) if local(assertion.tag) == name
    ]
    return any("addressing" in assertion.tag for assertion in assertions)


def _read_operation(known: _Definitions, port: _Port, bound: etree._Element) -> WsdlOperation:
    name = bound.get("name", "")
    offered = _port_type_operation(port.offered.get(name, ()), bound)
    incoming, outgoing = offered.find(f"{{{WSDL}}}input"), offered.find(f"{{{WSDL}}}output")
    if incoming is None or (outgoing is not None and offered.index(outgoing) < offered.index(incoming)):
        raise NotTakenError("the service begins the exchange (notification or solicit-response)")
    soap = BINDINGS[port.soap]
    soap_operation = bound.find(f"{{{soap}}}operation")
    style = (soap_operation.get("style") if soap_operation is not None else None) or port.style
    if style not in ("document", "rpc"):
        raise NotTakenError(f"its style is '{style}', neither document nor rpc")
    message = known.get("message", incoming, incoming.get("message"))
    described = [end for end in (bound.find(f"{{{WSDL}}}input"), incoming, offered, message) if end is not None]
    _require_unprotected([policy for element in (bound, *described) for policy in known.policies(element)])
    body = _body(bound, "input", soap)
    answer = None if outgoing is None else _answer_parts(known, bound, outgoing, soap)
    headers = _headers(known, bound, soap)
    parts = _parts(message, body, taken={part.name for _, part in headers if _ is message})
    encoded = body is not None and body.get("use") == "encoded"
    _require_supported(style, encoded, parts, body)
    space = (body.get("namespace") if body is not None else None) or known.space_of(port.port_type)
    return WsdlOperation(
        name=name,
        port=port.name,
        address=port.address,
        soap=port.soap,
        style=style,
        encoded=encoded,
        action=(soap_operation.get("soapAction") if soap_operation is not None else None) or "",
        wrapper=f"{{{space}}}{name}",
        parts=parts,
        answer=answer,
        headers=tuple(part for _, part in headers),
        addressing=_addressing_action(known, port, offered, incoming) if port.addressing else None,
        text=one_line(offered.findtext(f"{{{WSDL}}}documentation") or ""),
    )


def _port_type_operation(same: Sequence[etree._Element], bound: etree._Element) -> etree._Element:
    """The port type's operation for a binding; of several with its name (`same`), the one with the same message names."""
    if not same:
        raise NotTakenError("its port type has no operation of that name")

    def names(operation: etree._Element) -> list[str | None]:
        ends = (operation.find(f"{{{WSDL}}}{end}") for end in ("input", "output"))
        return [end.get("name") for end in ends if end is not None]

    return next((operation for operation in same if names(operation) == names(bound)), same[0])


def _body(bound: etree._Element, end: str, soap: str) -> etree._Element | None:
    """The binding's SOAP body of one direction; raises NotTakenError if it has attachments."""
    described = bound.find(f"{{{WSDL}}}{end}")
    if described is None:
        return None
    if described.find(f".//{{{MIME}}}multipartRelated") is not None or described.find(f"{{{MIME}}}content") is not None:
        raise NotTakenError(f"its {end} has attachments (MIME), which are not supported")
    if any(local(child.tag) == "message" and "dime" in child.tag for child in described.iterchildren(etree.Element)):
        raise NotTakenError(f"its {end} has attachments (DIME), which are not supported")
    return described.find(f"{{{soap}}}body")


def _answer_parts(
    known: _Definitions, bound: etree._Element, outgoing: etree._Element, soap: str
) -> tuple[MessagePart, ...]:
    """The parts in the body of an answer: those that the binding lists, without those that are headers."""
    message = known.get("message", outgoing, outgoing.get("message"))
    headers = bound.iterfind(f"{{{WSDL}}}output/{{{soap}}}header")
    taken = {
        header.get("part", "") for header in headers if known.get("message", header, header.get("message")) is message
    }
    return _parts(message, _body(bound, "output", soap), taken)


def _headers(known: _Definitions, bound: etree._Element, soap: str) -> list[tuple[etree._Element, MessagePart]]:
    """The header blocks of the request, each with the message that defines it."""
    headers = []
    for header in bound.iterfind(f"{{{WSDL}}}input/{{{soap}}}header"):
        message = known.get("message", header, header.get("message"))
        part = next(
            (candidate for candidate in _parts(message, None, set()) if candidate.name == header.get("part")), None
        )
        if part is None or part.element is None:
            raise NotTakenError(f"its header '{header.get('part', '')}' is not an element of the schema")
        if header.get("use") == "encoded":
            raise NotTakenError(f"its header '{header.get('part', '')}' is SOAP-encoded, which is not supported")
        headers.append((message, part))
    return headers


def _parts(message: etree._Element, body: etree._Element | None, taken: set[str]) -> tuple[MessagePart, ...]:
    listed = body.get("parts") if body is not None else None
    wanted = None if listed is None else set(listed.split())
    return tuple(
        MessagePart(
            part.get("name", ""), qualified_name(part, part.get("element")), qualified_name(part, part.get("type"))
        )
        for part in message.iterfind(f"{{{WSDL}}}part")
        if part.get("name") not in taken and (wanted is None or part.get("name") in wanted)
    )


def _require_supported(style: str, encoded: bool, parts: Sequence[MessagePart], body: etree._Element | None) -> None:
    if style == "document":
        if encoded:
            raise NotTakenError("no standard defines document/encoded")
        if len(parts) > 1:
            raise NotTakenError(f"its document has {len(parts)} parts, but SOAP allows one")
        if parts and parts[0].element is None:
            raise NotTakenError(f"its part '{parts[0].name}' is a type, but a document needs an element")
        return
    for part in parts:
        if part.kind is None:
            raise NotTakenError(f"its part '{part.name}' is an element, but rpc needs a type")
    if encoded and body is not None and ENCODING not in (body.get("encodingStyle") or ENCODING).split():
        raise NotTakenError(f"its encoding {one_line(body.get('encodingStyle', ''), 80)} is not SOAP's own")


def _addressing_action(known: _Definitions, port: _Port, offered: etree._Element, incoming: etree._Element) -> str:
    """The action of WS-Addressing 1.0: from the description, or else its default pattern (Metadata, section 4.4)."""
    for namespace in ADDRESSING_WSDL:
        action = incoming.get(f"{{{namespace}}}Action")
        if action:
            return str(action)
    space = known.space_of(port.port_type)
    between = ":" if space.startswith("urn:") else "/"
    name = incoming.get("name") or f"{offered.get('name')}Request"
    return between.join([space.rstrip("/") if between == "/" else space, port.port_type.get("name", ""), name])


def _with_own_names(operations: Sequence[WsdlOperation]) -> list[WsdlOperation]:
    """Give operations unique names: the plain one to the first, else with its port or a number."""
    taken: set[str] = set()
    named = []
    for operation in operations:
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", operation.name)[:80] or "operation"
        port = re.sub(r"[^A-Za-z0-9_.-]", "_", operation.port)[:80]
        numbered = (f"{plain}.{number}" for number in range(2, len(operations) + 2))
        own = next(name for name in chain((plain, f"{plain}.{port}"), numbered) if name not in taken)
        taken.add(own)
        named.append(replace(operation, name=own))
    return named
