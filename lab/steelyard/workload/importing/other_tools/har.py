"""Reads HAR 1.2 files, in which browsers and proxies record requests and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from ....base.errors import ImportRefusedError
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, text_of

_BEGIN = re.compile(r'^\ufeff?\s*\{\s*"log"\s*:')
OF_A_BROWSER = re.compile(r"sec-|dnt$|priority$|upgrade-insecure-requests$|pragma$|cache-control$|if-", re.IGNORECASE)


class Har:
    """A file whose `log` has `entries`."""

    def recognizes(self, head: str) -> bool:
        """Whether the content is a JSON object that begins with `log`, or has other signs of a HAR."""
        return _BEGIN.match(head) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all entries, each with the status of its answer."""
        text = text_of(content, place)
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            raise ImportRefusedError(f"{place} is not well-formed JSON: {error.msg} in {where}") from None
        except (RecursionError, ValueError) as error:
            raise ImportRefusedError(f"{place} cannot be read as JSON: {error}"[:300]) from None
        log = document.get("log")
        entries = log.get("entries") if isinstance(log, dict) else None
        if not isinstance(entries, list):
            raise ImportRefusedError(f"{place} is not a HAR file: its log has no list of entries")
        held = ImportedRequests("a HAR file")
        for number, entry in enumerate(entries, 1):
            where = f"entry {number}"
            try:
                held.requests.append(_request(entry, where))
            except LeftOutError as error:
                held.leave_out(where, str(error))
        return held


def _request(entry: Any, where: str) -> HeldRequest:
    asked = _object(_object(entry, "an entry").get("request"), "its request")
    method, url = asked.get("method"), asked.get("url")
    if not isinstance(method, str) or not isinstance(url, str):
        raise LeftOutError("its request has no method or no url")
    answered = entry.get("response")
    status = answered.get("status") if isinstance(answered, dict) else None
    if status == 101:
        raise LeftOutError("it opens a WebSocket")
    expect: dict[str, object] = {}
    # Without a conditional header, an answer 304 becomes a full answer.
    if isinstance(status, int) and not isinstance(status, bool) and 200 <= status <= 599 and status != 304:
        expect["status"] = [status]
    headers = _headers(asked.get("headers"))
    kind, body = _body(asked.get("postData"))
    if body and kind and not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", kind))
    if asked.get("cookies") and not any(name.lower() == "cookie" for name, _ in headers):
        headers.append(("Cookie", "of the browser"))
    return HeldRequest(where, method, url.partition("#")[0], headers=tuple(headers), body=body, expect=expect)


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
    """The headers of the request itself, without those about the browser and its cache."""
    return [(name, text) for name, text in _pairs(value) if name[:1] != ":" and not OF_A_BROWSER.match(name)]


def _body(posted: Any) -> tuple[str, str]:
    """The content type of a body, and the body; raises LeftOutError if it is not text."""
    if not isinstance(posted, dict):
        return "", ""
    kind, text = posted.get("mimeType"), posted.get("text")
    kind = kind if isinstance(kind, str) else ""
    if kind.lower().startswith("multipart/"):
        raise LeftOutError("its body is multipart, which a sample cannot hold")
    if posted.get("encoding") == "base64":
        raise LeftOutError("its body is not text, and a sample must be text")
    if isinstance(text, str) and text:
        return kind, text
    return kind, "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in _pairs(posted.get("params")))
