"""WS-Policy of a WSDL: what it requires of messages, and which of that a load does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from .names import local, one_line

_SECURITY = (
    "{http://docs.oasis-open.org/ws-sx/ws-securitypolicy/",
    "{http://schemas.xmlsoap.org/ws/2005/07/securitypolicy",
    "{http://schemas.xmlsoap.org/ws/2002/12/secext",
    "{http://www.bea.com/wls90/security/policy",
)
_OPTIONAL = re.compile(r"\{[^}]*policy[^}]*\}Optional$")
_IGNORABLE = re.compile(r"\{[^}]*policy[^}]*\}Ignorable$")
_MTOM = "OptimizedMimeSerialization"
# Protection of whole messages. Under a TransportBinding, TLS gives it.
_MESSAGE_PROTECTION = {
    "AsymmetricBinding": "signed or encrypted messages (AsymmetricBinding)",
    "SymmetricBinding": "signed or encrypted messages (SymmetricBinding)",
    "SignedParts": "signatures (SignedParts)",
    "SignedElements": "signatures (SignedElements)",
    "EncryptedParts": "encryption (EncryptedParts)",
    "EncryptedElements": "encryption (EncryptedElements)",
    "ContentEncryptedElements": "encryption (ContentEncryptedElements)",
    "Integrity": "signatures (Integrity)",
    "Confidentiality": "encryption (Confidentiality)",
}
_TOKENS = {
    "IssuedToken": "a token of an issuer (IssuedToken)",
    "SamlToken": "a SAML token (SamlToken)",
    "KerberosToken": "a Kerberos token (KerberosToken)",
    "SecureConversationToken": "a secure conversation (SecureConversationToken)",
    "SpnegoContextToken": "a negotiated token (SpnegoContextToken)",
    "X509Token": "an X.509 token in messages (X509Token)",
}
# Other assertions whose messages or protocols a load does not have.
_PROTOCOLS = {
    _MTOM: "MTOM (attachments by a policy)",
    "RMAssertion": "reliable messaging (RMAssertion)",
    "BinaryEncoding": "binary messages (BinaryEncoding)",
    "CompositeDuplex": "answers to an address of the client (CompositeDuplex)",
}
_OPERATORS = ("Policy", "All", "ExactlyOne")
_ADDRESSING = ("Addressing", "UsingAddressing")


def is_optional(assertion: etree._Element) -> bool:
    """Whether an assertion is optional, or says nothing about messages."""
    return any(
        (_OPTIONAL.match(str(key)) or _IGNORABLE.match(str(key))) and value in ("true", "1")
        for key, value in assertion.attrib.items()
    )


def demands_of(policies: Sequence[etree._Element]) -> list[str]:
    """The requirements of all policies that `load` does not meet, in words; of alternatives, those with the fewest count."""
    demands = [demand for policy in policies for demand in _demands(policy)]
    if any(_is_security(each, "TransportBinding") for policy in policies for each in policy.iter(etree.Element)):
        demands = [demand for demand in demands if demand not in _MESSAGE_PROTECTION.values()]
    return list(dict.fromkeys(demands))


def _demands(element: etree._Element) -> list[str]:
    return [demand for assertion in _assertions(element) for demand in _demands_of_assertion(assertion)]


def _assertions(element: etree._Element) -> list[etree._Element]:
    """The required assertions of a policy, or the assertion itself; of alternatives, those that `load` meets best."""
    name = local(str(element.tag))
    if name not in _OPERATORS:
        return [element]
    children = [child for child in element.iterchildren(etree.Element) if not is_optional(child)]
    if name == "ExactlyOne":
        children = [min(children, key=lambda child: len(_demands(child)))] if children else []
    return [assertion for child in children for assertion in _assertions(child)]


def _demands_of_assertion(assertion: etree._Element) -> list[str]:
    name = local(str(assertion.tag))
    if name in _PROTOCOLS:
        return [_PROTOCOLS[name]]
    if not str(assertion.tag).startswith(_SECURITY):
        return []
    if name in _MESSAGE_PROTECTION | _TOKENS:
        return [(_MESSAGE_PROTECTION | _TOKENS)[name]]
    if name == "TransportBinding":
        return []
    children = (child for child in assertion.iterchildren(etree.Element) if not is_optional(child))
    return [demand for child in children for demand in _demands(child)]


def _is_security(element: etree._Element, name: str) -> bool:
    return str(element.tag).startswith(_SECURITY) and local(str(element.tag)) == name


def notes_of(policies: Sequence[etree._Element], where: str) -> Iterator[str]:
    """Notes for the user on policies that `load` can meet, and on assertions that nothing here knows."""
    for policy in policies:
        for assertion in policy.iter(etree.Element):
            if local(str(assertion.tag)) == _MTOM and is_optional(assertion):
                yield f"{where}: MTOM is optional, and is not used"
            if _is_security(assertion, "UsernameToken"):
                yield f"{where}: its policy requires a user name token; set it in [auth] of service.toml"
            if _is_security(assertion, "IncludeTimestamp"):
                yield f"{where}: its policy requires a timestamp; `valid_seconds` in [auth] adds one to a user name token"
        for assertion in _assertions(policy):
            name = local(str(assertion.tag))
            is_known = str(assertion.tag).startswith(_SECURITY) or name in (*_PROTOCOLS, *_ADDRESSING)
            if not is_known and name != "PolicyReference":
                shown = one_line(name, 60)
                yield f"{where}: its policy requires {shown}, which is not known here: the service may refuse these requests"
