"""Removes secrets from requests before a folder is written. A place that the user fills replaces each."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote_plus

from .other_tools.imported_requests import HeldCredentials, HeldRequest

_NAMED = re.compile(
    r"(?:.*[-_.:]|.*[a-z0-9](?=[A-Z]))?(?i:pass(?:word|wd|phrase|code)?|pwd|passwort|secret|(?:access|auth|api|id|refresh|bearer)?[-_]?token"
    r"|api[-_]?key|access[-_]?key|private[-_]?key|subscription[-_]?key|client[-_]?secret|credentials?|authorization|signature|sig|otp|pin"
    r"|jsessionid|phpsessid|session[-_]?id|session[-_]?key|sid|csrf|xsrf)(?i:[-_]?(?:token|value|hash))?"
)
_HEADER = re.compile(
    r"(?i)(?:proxy-)?authorization|cookie2?|.*(?:token|secret|api[-_]?key|password|session|signature|credential|csrf|xsrf|x-auth).*"
)
_IN_XML = re.compile(r"(<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?(?<!/)>)([^<>]+)(?=</)")
_CDATA = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?(?<!/)>\s*<!\[CDATA\[")
_ATTRIBUTE = re.compile(r"(\s(?:[\w.-]+:)?([\w.-]+)=\")([^\"<>]+)(?=\")")
_IN_JSON = re.compile(r'("((?:[^"\\]|\\.)*+)"\s*:\s*)("(?:[^"\\]|\\.)*+"|-?\d[\d.eE+-]*)')
_IN_PART = re.compile(
    r"(?i)\r?\nContent-Disposition:[ \t]*form-data;[^\r\n]*?\bname=\"([^\"\r\n]*)\"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n"
)
_PLACE = re.compile(r"\{\{[A-Za-z0-9_]{1,64}(?::\w+)?\}\}")
# A header's value: a place, after the kind of its credentials or a cookie's name.
_ONLY_PLACES = re.compile(r"(?:[\w-]{1,60}[ =])?\{\{\w+\}\}(?:; ?[\w-]{1,60}=\{\{\w+\}\})*;?")


@dataclass(frozen=True)
class Cleaned:
    """A request with places instead of secrets; `hidden` are the headers that are left out."""

    request: HeldRequest
    hidden: tuple[str, ...]


def names_secret(name: str) -> bool:
    """Whether a parameter, an element or a column with this name holds a secret."""
    return _NAMED.fullmatch(name) is not None


def is_secret_header(name: str) -> bool:
    """Whether a header with this name holds credentials or a secret."""
    return _HEADER.fullmatch(name) is not None


def wildcard_of(name: str) -> str:
    """The place that replaces the secret of this name."""
    return "secret_" + re.sub(r"\W", "_", name, flags=re.ASCII)[:50]


def clean_request(request: HeldRequest, *, linked: bool = False) -> Cleaned:
    """A request with places instead of secrets; supported credentials become `[auth]`. Of a `linked` request, a step of a
    session, headers whose only values are places stay."""
    headers, hidden, credentials = [], [], request.credentials
    for name, value in request.headers:
        if not is_secret_header(name) or (linked and _ONLY_PLACES.fullmatch(value.strip())):
            headers.append((name, value))
            continue
        supported = _credentials(value) if name.lower() == "authorization" else None
        if supported is None:
            hidden.append(name)
        credentials = credentials or supported
    address, mark, query = request.url.partition("?")
    url = f"{address}{mark}{_form(query)}"
    clean = replace(request, url=url, headers=tuple(headers), body=_body(request.body), credentials=credentials)
    return Cleaned(clean, tuple(hidden))


def _credentials(value: str) -> HeldCredentials | None:
    """The credentials of an Authorization header that `[auth]` supports; the secret is dropped here."""
    kind, _, rest = value.strip().partition(" ")
    if kind.lower() == "bearer":
        return HeldCredentials("bearer")
    if kind.lower() == "digest":
        user = re.search(r'username="([^"]*)"', rest)
        return HeldCredentials("digest", user[1] if user else "")
    if kind.lower() != "basic":
        return None
    try:
        pair = base64.b64decode(rest.strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        pair = ""  # a place, or not base64
    return HeldCredentials("basic", pair.partition(":")[0])


def _body(body: str) -> str:
    begin = body.lstrip()[:1]
    if begin == "<":
        for pattern in (_IN_XML, _ATTRIBUTE):
            body = pattern.sub(lambda match: match[1] + _hide_value(match[2], match[3]), body)
        return _in_cdata(body)
    if begin in ("{", "["):
        return _IN_JSON.sub(lambda match: match[1] + _json(match[2], match[3]), body)
    if body.startswith("--") and _IN_PART.search(body):
        boundary = body.partition("\n")[0].rstrip("\r")
        return boundary.join(_part(piece) for piece in body.split(boundary))
    return _form(body)


def _part(part: str) -> str:
    """A part of a multipart body with places for its secrets."""
    head = _IN_PART.match(part)
    if head is None:
        return part
    value = part[head.end() :]
    text = value.rstrip("\r\n")
    hidden = _hide_value(head[1], text)
    hidden = _body(text) if hidden == text and text[:1] in ("<", "{", "[") else hidden
    return head[0] + hidden + value[len(text) :]


def _in_cdata(body: str) -> str:
    """The text with places for secrets in CDATA sections of elements; an unclosed section and all after it stay
    unchanged."""
    pieces, at = [], 0
    while begin := _CDATA.search(body, at):
        end = body.find("]]>", begin.end())
        if end < 0:
            break
        pieces += [body[at : begin.end()], _hide_value(begin[1], body[begin.end() : end])]
        at = end
    return "".join([*pieces, body[at:]])


def _json(name: str, value: str) -> str:
    if value.startswith('"'):
        return f'"{_hide_value(name, value[1:-1])}"'
    return _hide_value(name, value)


def _form(text: str) -> str:
    pairs = []
    for pair in text.split("&"):
        name, equals, value = pair.partition("=")
        pairs.append(name + equals + (_hide_value(unquote_plus(name), value) if equals else ""))
    return "&".join(pairs)


def _hide_value(name: str, value: str) -> str:
    """A value, or the place that replaces it. A value that is empty or already a place is not a secret."""
    if not value.strip() or _PLACE.fullmatch(value.strip()) or not names_secret(name):
        return value
    return f"{{{{{wildcard_of(name)}}}}}"
