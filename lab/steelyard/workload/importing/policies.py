"""WS-Policy of a WSDL: the protection of messages that it requires and a load does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from .names import local

_SECURITY = (
    "{http://docs.oasis-open.org/ws-sx/ws-securitypolicy/",
    "{http://schemas.xmlsoap.org/ws/2005/07/securitypolicy",
)
_OPTIONAL = re.compile(r"\{[^}]*policy[^}]*\}Optional$")
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
}
_TOKENS = {
    "IssuedToken": "a token of an issuer (IssuedToken)",
    "SamlToken": "a SAML token (SamlToken)",
    "KerberosToken": "a Kerberos token (KerberosToken)",
    "SecureConversationToken": "a secure conversation (SecureConversationToken)",
    "X509Token": "an X.509 token in messages (X509Token)",
}


def is_optional(assertion: etree._Element) -> bool:
    """Whether an assertion is optional."""
    return any(_OPTIONAL.match(str(key)) and value in ("true", "1") for key, value in assertion.attrib.items())


def demands_of(policies: Sequence[etree._Element]) -> list[str]:
    """The requirements of all policies that `load` does not meet, in words; of alternatives, those with the fewest count."""
    demands = [demand for policy in policies for demand in _demands(policy)]
    if any(_is_security(each, "TransportBinding") for policy in policies for each in policy.iter(etree.Element)):
        demands = [demand for demand in demands if demand not in _MESSAGE_PROTECTION.values()]
    return list(dict.fromkeys(demands))


def _demands(element: etree._Element) -> list[str]:
    children = [child for child in element.iterchildren(etree.Element) if not is_optional(child)]
    name = local(str(element.tag))
    if name == "ExactlyOne":
        return min((_demands(child) for child in children), key=len, default=[])
    if name == _MTOM:
        return ["MTOM (attachments by a policy)"]
    is_security = str(element.tag).startswith(_SECURITY)
    if is_security and name in _MESSAGE_PROTECTION | _TOKENS:
        return [(_MESSAGE_PROTECTION | _TOKENS)[name]]
    if name == "TransportBinding" or not (is_security or name in ("Policy", "All")):
        return []
    return [demand for child in children for demand in _demands(child)]


def _is_security(element: etree._Element, name: str) -> bool:
    return str(element.tag).startswith(_SECURITY) and local(str(element.tag)) == name


def notes_of(policies: Sequence[etree._Element], where: str) -> Iterator[str]:
    """Notes for the user on policies that `load` can meet."""
    for policy in policies:
        for assertion in policy.iter(etree.Element):
            if local(str(assertion.tag)) == _MTOM and is_optional(assertion):
                yield f"{where}: MTOM is optional, and is not used"
            if _is_security(assertion, "UsernameToken"):
                yield f"{where}: its policy requires a user name token; set it in [auth] of service.toml"
