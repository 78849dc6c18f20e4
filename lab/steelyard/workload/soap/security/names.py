"""The names of WS-Security, XML Signature and XML Encryption, and the algorithms: one for each purpose, on every
server."""

from __future__ import annotations

from ..messages import SOAP_11

DSIG = "http://www.w3.org/2000/09/xmldsig#"
XENC = "http://www.w3.org/2001/04/xmlenc#"
_WSS = "http://docs.oasis-open.org/wss"
WSSE = f"{_WSS}/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
WSSE11 = f"{_WSS}/oasis-wss-wssecurity-secext-1.1.xsd"
WSU = f"{_WSS}/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
X509 = f"{_WSS}/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
BASE64 = f"{_WSS}/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
ENCRYPTED_KEY = f"{_WSS}/oasis-wss-soap-message-security-1.1#EncryptedKey"

EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
SHA_256 = "http://www.w3.org/2001/04/xmlenc#sha256"
RSA_SHA_256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
AES_256_GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm"
RSA_OAEP = f"{XENC}rsa-oaep-mgf1p"
CONTENT = f"{XENC}Content"

BODY = f"{{{SOAP_11.envelope}}}Body"
HEADER = f"{{{SOAP_11.envelope}}}Header"
ENVELOPE = f"{{{SOAP_11.envelope}}}Envelope"
SECURITY = f"{{{WSSE}}}Security"
ID = f"{{{WSU}}}Id"


def dsig(name: str) -> str:
    """The qualified name of an element of XML Signature."""
    return f"{{{DSIG}}}{name}"


def xenc(name: str) -> str:
    """The qualified name of an element of XML Encryption."""
    return f"{{{XENC}}}{name}"


def wsse(name: str) -> str:
    """The qualified name of an element of WS-Security."""
    return f"{{{WSSE}}}{name}"
