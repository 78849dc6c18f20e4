"""Reads HAR 1.2 files, in which browsers and proxies record requests and answers: one session in order of time."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from ....base.errors import ImportRefusedError
from ....base.text import plural
from ..multipart import BodyPart, is_multipart, is_whole, with_boundary, write_parts
from .har_values import CarriedValues
from .imported_requests import (
    COOKIES_ARE_KEPT,
    COOKIES_ARE_UNKNOWN,
    HeldRequest,
    HeldSession,
    HeldStep,
    ImportedRequests,
    LeftOutError,
    json_of,
    value_at,
)

_BEGIN = re.compile(
    r'^\ufeff?\s*\{\s*(?:"[^"]{0,200}"\s*:\s*(?:"[^"]{0,500}"|[\w.+-]{1,30})\s*,\s*){0,20}"log"\s*:\s*(?!["\w])'
)
OF_A_BROWSER = re.compile(r"sec-|dnt$|priority$|upgrade-insecure-requests$|pragma$|cache-control$|if-", re.IGNORECASE)

_ASSET_KIND = re.compile(
    r"(?:image|font|audio|video)/|text/css|(?:text|application)/(?:x-)?(?:javascript|font)", re.IGNORECASE
)
_ASSET_PATH = re.compile(r"(?i)\.(?:png|jpe?g|gif|svg|ico|webp|avif|css|js|mjs|map|woff2?|ttf|otf|eot|mp4|webm)$")
_REDIRECTS = (301, 302, 303, 307, 308)
_LEAST_PAUSE_MS, _MOST_PAUSE_MS = 500, 3_600_000


class Har:
    """A file whose `log` has `entries`. With `assets`, images, styles and scripts of pages are requests, too."""

    title = "a HAR file"
    mark = "it is JSON with a log and its entries"

    def __init__(self, *, assets: bool = False) -> None:
        self._assets = assets

    def recognizes(self, head: str) -> bool:
        """Whether the content is a JSON object that begins with `log`, or has other signs of a HAR."""
        return _BEGIN.match(head) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all entries as one session, each with the status of its answer."""
        document = json_of(content, place)
        entries = value_at(document, "log", "entries")
        if not isinstance(entries, list):
            raise ImportRefusedError(f"{place} is not a HAR file: its log has no list of entries")
        held = ImportedRequests(self.title)
        steps = _steps(_in_order(entries), held, assets=self._assets)
        if steps:
            held.sessions.append(HeldSession("visit", steps))
        return held


@dataclass(frozen=True)
class _Sent:
    """A request of a browser, its entry, and the time from the answer before it, in ms."""

    request: HeldRequest
    entry: Mapping[str, Any]
    gap_ms: float


def _in_order(entries: Sequence[Any]) -> list[tuple[int, Any]]:
    """The entries with their numbers, by the time at which they began if all have one."""
    numbered = list(enumerate(entries, 1))
    begins = {number: _begin(entry) for number, entry in numbered}
    if any(begin is None for begin in begins.values()):
        return numbered
    return sorted(numbered, key=lambda each: begins[each[0]] or 0.0)


def _steps(entries: Sequence[tuple[int, Any]], held: ImportedRequests, *, assets: bool) -> list[HeldStep]:
    """The requests in order, without static assets unless they are wanted. Notes what else is left out."""
    sent: list[_Sent] = []
    unsent = 0
    ended: float | None = None
    for number, entry in entries:
        where = f"entry {number}"
        try:
            request = _request(entry, where)
        except LeftOutError as error:
            held.leave_out(where, str(error))
            continue
        begin = _begin(entry)
        if not assets and _is_asset(request, entry):
            unsent += 1
        else:
            sent.append(_Sent(request, entry, (begin - ended) if begin is not None and ended is not None else 0))
        if begin is not None:
            ended = max(ended or 0.0, begin + _milliseconds(entry))
    if unsent:
        held.leave_out(
            plural(unsent, "request"),
            "images, fonts, styles and scripts of pages, which a browser keeps; --assets imports them",
        )
    _note_cookies(sent, held)
    redirects = sum(1 for each in sent if value_at(each.entry, "response", "status") in _REDIRECTS)
    if redirects:
        held.notes.append(f"{plural(redirects, 'redirect')}: the request to which one leads is a step of its own")
    values = CarriedValues()
    requests = []
    for number, each in enumerate(sent):
        requests.append(values.fill(each.request))
        values.add_answer(number, each.request, each.entry)
    held.notes += values.notes
    pauses = [each.gap_ms for each in sent[1:]] + [0.0]
    return [
        HeldStep(request, think=_think(pause), captures=values.captures.get(number, {}))
        for number, (request, pause) in enumerate(zip(requests, pauses, strict=False))
    ]


def _think(gap_ms: float) -> dict[str, object]:
    """The pause of a user, to a tenth of a second; a shorter one is the browser's."""
    if not _LEAST_PAUSE_MS <= gap_ms <= _MOST_PAUSE_MS:
        return {}
    return {"kind": "constant", "ms": round(gap_ms / 100) * 100}


def _begin(entry: Any) -> float | None:
    """When an entry began, in ms since 1970; None if it does not say so."""
    text = value_at(entry, "startedDateTime")
    try:
        return datetime.fromisoformat(text).timestamp() * 1000 if isinstance(text, str) else None
    except (ValueError, OverflowError):
        return None


def _milliseconds(entry: Mapping[str, Any]) -> float:
    time = entry.get("time")
    return float(time) if isinstance(time, int | float) and 0 <= time <= _MOST_PAUSE_MS else 0.0


def _is_asset(request: HeldRequest, entry: Mapping[str, Any]) -> bool:
    """Whether a request is for a part of a page that never changes, by its answer's type or its address."""
    kind = value_at(entry, "response", "content", "mimeType")
    if request.method != "GET":
        return False
    if isinstance(kind, str) and kind and kind != "x-unknown":
        return _ASSET_KIND.match(kind) is not None
    return _ASSET_PATH.search(request.url.partition("?")[0]) is not None


def _note_cookies(sent: Sequence[_Sent], held: ImportedRequests) -> None:
    """Name the cookies that the browser had, and that no answer of the file sets."""
    known: set[str] = set()
    unknown: dict[str, None] = {}
    for each in sent:
        asked, answered = each.entry.get("request"), each.entry.get("response")
        unknown |= dict.fromkeys(name for name in _cookie_names(asked, "cookie") if name not in known)
        known |= set(_cookie_names(answered, "set-cookie"))
    for name in unknown:
        held.leave_out(f"cookie {name[:60]}", f"no answer of the file sets it: {COOKIES_ARE_UNKNOWN}")
    if known:
        held.notes.append(COOKIES_ARE_KEPT)


def _cookie_names(message: Any, header: str) -> list[str]:
    """The names of the cookies of a request, or of an answer."""
    names = [name for name, _ in _pairs(value_at(message, "cookies"))]
    for field, value in _pairs(value_at(message, "headers")):
        if field.lower() == header:
            pairs = value.splitlines() if header == "set-cookie" else value.split(";")
            names += [pair.partition(";")[0].partition("=")[0].strip() for pair in pairs if "=" in pair]
    return names


def _request(entry: Any, where: str) -> HeldRequest:
    asked = _object(_object(entry, "an entry").get("request"), "its request")
    method, url = asked.get("method"), asked.get("url")
    if not isinstance(method, str) or not isinstance(url, str):
        raise LeftOutError("its request has no method or no url")
    status = value_at(entry, "response", "status")
    if status == 101 or url.lower().startswith(("ws://", "wss://")):
        raise LeftOutError("it opens a WebSocket")
    if status == 0:
        raise LeftOutError("the browser got no answer to it")
    expect: dict[str, object] = {}
    # Without a conditional header, an answer 304 becomes a full answer.
    if isinstance(status, int) and not isinstance(status, bool) and 200 <= status <= 599 and status != 304:
        expect["status"] = [status]
    headers = _headers(asked.get("headers"))
    kind, body = _body(asked.get("postData"))
    size = asked.get("bodySize")
    if not body and isinstance(size, int) and size > 0 and method not in ("GET", "HEAD"):
        raise LeftOutError(f"its body of {size:,} bytes is not in the file")
    if is_multipart(kind):
        headers = [(name, value) for name, value in headers if name.lower() != "content-type"]
    if body and kind and not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", kind))
    return HeldRequest(where, method, url.partition("#")[0], headers=tuple(headers), body=body, expect=expect)


def _parts(params: Any) -> list[BodyPart]:
    """The parts of a form; raises LeftOutError if the file does not hold their content."""
    parts = []
    for param in params if isinstance(params, list) else []:
        name, value = (param.get("name"), param.get("value")) if isinstance(param, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str):
            raise LeftOutError(f"the content of the part {str(name)[:40]!r} of its body is not in the file")
        file, kind = param.get("fileName"), param.get("contentType")
        parts.append(
            BodyPart(name, value, file if isinstance(file, str) else None, kind if isinstance(kind, str) else "")
        )
    if not parts:
        raise LeftOutError("its body has several parts, and the file does not hold them")
    return parts


def _object(value: Any, part: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise LeftOutError(f"{part} is not an object")
    return value


def _pairs(value: Any) -> list[tuple[str, str]]:
    """Names and values of a HAR list; invalid items are dropped."""
    listed: Sequence[Any] = value if isinstance(value, list) else []
    return [
        (pair["name"], pair["value"])
        for pair in listed
        if isinstance(pair, dict) and isinstance(pair.get("name"), str) and isinstance(pair.get("value"), str)
    ]


def _headers(value: Any) -> list[tuple[str, str]]:
    """The headers of the request itself, without its cookies, and without those about the browser and its cache."""
    return [
        (name, text)
        for name, text in _pairs(value)
        if name[:1] != ":" and name.lower() != "cookie" and not OF_A_BROWSER.match(name)
    ]


def _decode_body(packed: object) -> str:
    """The text of a body in base64; raises LeftOutError if it is not text."""
    try:
        return base64.b64decode(str(packed), validate=True).decode()
    except ValueError:
        raise LeftOutError("its body is not text, and a sample must be text") from None


def _body(posted: Any) -> tuple[str, str]:
    """The content type of a body, and the body; raises LeftOutError if it is not text."""
    if not isinstance(posted, dict):
        return "", ""
    kind, text = posted.get("mimeType"), posted.get("text")
    kind = kind if isinstance(kind, str) else ""
    if posted.get("encoding") == "base64":
        text = _decode_body(text)
    if isinstance(text, str) and text and not (is_multipart(kind) and not is_whole(text, kind)):
        return kind, text
    if is_multipart(kind):
        body, boundary = write_parts(_parts(posted.get("params")))
        return with_boundary(kind, boundary), body
    return kind, "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in _pairs(posted.get("params")))
