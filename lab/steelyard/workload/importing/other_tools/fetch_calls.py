"""Calls of `fetch`, as browsers copy requests: an address, and options that are written as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..multipart import is_multipart, is_whole
from .har import OF_A_BROWSER
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, text_of

_CALL = re.compile(r"(?:^|[\s;(=])fetch\(\s*(?=[\"'`])")
_BEGIN = re.compile(r"\ufeff?\s*(?://[^\n]*\n\s*)*(?:(?:const|let|var)\s+\w+\s*=\s*)?(?:await\s+)?fetch\(\s*[\"'`]")


class FetchCalls:
    """A file of calls of fetch and nothing else."""

    title = "calls of fetch"
    mark = "it begins with a call of fetch"

    def recognizes(self, head: str) -> bool:
        """Whether it begins with a call of fetch."""
        return _BEGIN.match(head) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """A request for each call."""
        held = ImportedRequests(self.title)
        text = text_of(content, place)
        for call in _CALL.finditer(text):
            where = f"line {text.count(chr(10), 0, call.end()) + 1}"
            try:
                held.requests.append(_request(text, call.end(), where))
            except LeftOutError as error:
                held.leave_out(where, str(error))
        return held


def _request(text: str, place: int, where: str) -> HeldRequest:
    decoder = json.JSONDecoder()
    try:
        url, place = decoder.raw_decode(text, place)
        comma = re.compile(r"\s*,\s*(?=\{)").match(text, place)
        options: Any = decoder.raw_decode(text, comma.end())[0] if comma else {}
    except (ValueError, RecursionError):
        raise LeftOutError(
            "its address or options are not JSON: copy the request as fetch, or as cURL (bash)"
        ) from None
    headers, body = options.get("headers") or {}, options.get("body") or ""
    if not isinstance(url, str) or not isinstance(headers, dict) or not isinstance(body, str):
        raise LeftOutError("its headers or body are not written as a browser copies them")
    kept = [(name, str(value)) for name, value in headers.items() if not OF_A_BROWSER.match(name)]
    if isinstance(options.get("referrer"), str):
        kept.append(("Referer", options["referrer"]))
    kind = next((value for name, value in kept if name.lower() == "content-type"), "")
    if is_multipart(kind) and not is_whole(body, kind):
        raise LeftOutError("its body has several parts, and the browser did not copy them whole")
    if body and not kind:
        kept.append(("Content-Type", "text/plain;charset=UTF-8"))
    return HeldRequest(where, str(options.get("method") or "GET"), url, headers=tuple(kept), body=body)
