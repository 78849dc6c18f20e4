"""Authentication towards a target: HTTP header fields, or a user name token in the envelope; secrets are never stored."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from ...base.errors import ConfigurationError, why_unread
from ...models.service import Auth
from ...workload.digest import Digest, with_digest
from ...workload.load_operation import LoadOperation
from ...workload.load_target import LoadTarget
from ...workload.login_flows import AUTH_SECRET
from ..trial.engine import Secrets

_WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss"
_SECEXT, _UTILITY = f"{_WSS}-wssecurity-secext-1.0.xsd", f"{_WSS}-wssecurity-utility-1.0.xsd"
_TOKEN = f"{_WSS}-username-token-profile-1.0"
_BASE64 = f"{_WSS}-soap-message-security-1.0#Base64Binary"
_MOST_BYTES = 20_000


def secret_of(words: str, folder: Path, *, key: bool = False) -> str:
    """The secret of `env:NAME` or `file:PATH`, one line or with `key` a text in PEM; raises ConfigurationError, which never
    repeats it."""
    kind, _, name = words.partition(":")
    if kind == "env":
        if name not in os.environ:
            raise ConfigurationError(
                f"the environment has no variable {name}, which holds the secret", hint=f"export {name}=... first"
            )
        secret = os.environ[name]
    elif kind == "file":
        try:
            secret = (folder / Path(name).expanduser()).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"the secret's file {name} cannot be read: {why_unread(error)}") from None
    else:
        raise ConfigurationError("give a secret as env:NAME or file:PATH, never as text")
    pem = key and secret.startswith("-----BEGIN ") and all(line.isprintable() for line in secret.splitlines())
    if not secret or len(secret) > _MOST_BYTES or not (secret.isprintable() or pem):
        raise ConfigurationError(f"the secret in {words} is empty, too long, or not one line of text")
    return secret


def _secret_values(load_target: LoadTarget) -> dict[str, str]:
    """The values of those `[secrets]` that the requests use, by name; raises ConfigurationError, also where a request would hold a
    key of several lines."""
    if not load_target.secrets:
        return {}
    texts = {
        operation.name: "\n".join(
            [operation.path, *operation.headers.values(), *(body.decode(errors="replace") for body in operation.bodies)]
        )
        for operation in load_target.operations.values()
        if operation.filled
    }
    values = {
        name: secret_of(words, load_target.folder, key=True)
        for name, words in load_target.secrets.items()
        if any(re.search(rf"\b{name}\b", text) for text in texts.values())
    }
    for name, value in values.items():
        plain = re.compile(rf"\{{\{{{name}(?::\w+)?\}}\}}")
        sends = next((operation for operation, text in texts.items() if "\n" in value and plain.search(text)), None)
        if sends is not None:
            raise ConfigurationError(
                f"{sends} sends the secret {name}, which has several lines", hint="use it as a key alone"
            )
    return values


@dataclass(frozen=True)
class Credentials:
    """The credentials of an engine, separate from the requests: `secrets`, and a `digest` that makes its own from a server's
    nonce."""

    secrets: Secrets
    digest: Digest | None = None

    @property
    def challenge_count(self) -> int:
        """The number of requests sent so far only to get a server's challenge; loads do not count them."""
        return 0 if self.digest is None else self.digest.challenged

    def next_secrets(self, users: int) -> Secrets | None:
        """The secrets of the next engine, which has this many users; raises TargetError. Each engine has its own nonces, whose
        uses are counted from one."""
        if self.digest is not None:
            return replace(self.secrets, values={**self.secrets.values, **self.digest.values(users)})
        return self.secrets if self.secrets.headers or self.secrets.values else None


def with_auth(load_target: LoadTarget, secret_headers: Mapping[str, str]) -> tuple[LoadTarget, Credentials]:
    """The requests with places for authentication, and the credentials that engines get separately.

    `secret_headers` map header fields to the source of their values. Raises ConfigurationError.
    """
    digest = None
    headers = {name: secret_of(words, load_target.folder) for name, words in secret_headers.items()}
    values = _secret_values(load_target)
    auth = load_target.auth
    if auth is not None:
        secret = secret_of(auth.secret, load_target.folder)
        if auth.kind == "basic":
            pair = f"{auth.user}:{secret}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        elif auth.kind == "bearer":
            headers["Authorization"] = f"Bearer {secret}"
        elif auth.kind == "api-key" and auth.header is not None:
            headers[auth.header] = secret
        elif auth.takes_requests:
            if not load_target.sessions:
                raise ConfigurationError(
                    f"{auth.kind} sends requests of its own, which only sessions can do", hint="write [sessions.NAME]"
                )
            values[AUTH_SECRET] = secret
        elif auth.kind == "digest":
            load_target, digest = with_digest(load_target, auth.user, secret)
        else:
            # the digest is made of the raw password; a password in the message is escaped for XML
            values["password"] = secret if auth.kind == "password-digest" else escape(secret)
            load_target = replace(
                load_target,
                operations={name: _with_token(operation, auth) for name, operation in load_target.operations.items()},
            )
    return load_target, Credentials(Secrets(headers, values), digest)


def _with_token(operation: LoadOperation, auth: Auth) -> LoadOperation:
    return replace(
        operation, bodies=[_with_token_header(body, auth, operation.name) for body in operation.bodies], filled=True
    )


def _with_token_header(body: bytes, auth: Auth, name: str) -> bytes:
    """An envelope with a security header before its other headers; the engine fills its wildcards."""
    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError):
        raise ConfigurationError(f"the sample of {name} is not XML, so it cannot hold a user name token") from None
    space = etree.QName(root).namespace
    head = root.find(f"{{{space}}}Header")
    if head is None:
        head = etree.Element(f"{{{space}}}Header")
        root.insert(0, head)
    security = etree.Element(f"{{{_SECEXT}}}Security", nsmap={"wsse": _SECEXT, "wsu": _UTILITY})
    security.set(f"{{{space}}}mustUnderstand", "1")
    if auth.valid_seconds is not None:
        stamp = etree.SubElement(security, f"{{{_UTILITY}}}Timestamp")
        etree.SubElement(stamp, f"{{{_UTILITY}}}Created").text = "{{time}}"
        etree.SubElement(stamp, f"{{{_UTILITY}}}Expires").text = f"{{{{time_plus_{auth.valid_seconds}}}}}"
    token = etree.SubElement(security, f"{{{_SECEXT}}}UsernameToken")
    etree.SubElement(token, f"{{{_SECEXT}}}Username").text = auth.user
    password = etree.SubElement(token, f"{{{_SECEXT}}}Password")
    if auth.kind == "password":
        password.set("Type", f"{_TOKEN}#PasswordText")
        password.text = "{{password}}"
    else:
        password.set("Type", f"{_TOKEN}#PasswordDigest")
        password.text = "{{password_digest}}"
        nonce = etree.SubElement(token, f"{{{_SECEXT}}}Nonce", EncodingType=_BASE64)
        nonce.text = "{{nonce}}"
        etree.SubElement(token, f"{{{_UTILITY}}}Created").text = "{{time}}"
    head.insert(0, security)
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))
