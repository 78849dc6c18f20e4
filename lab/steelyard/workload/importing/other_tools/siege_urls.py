"""Reads Siege's URL files: a request per line, with POST and its data after the URL, and variables."""

from __future__ import annotations

import re
from pathlib import Path

from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, neighbour_text, text_of

_VARIABLE = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$")
_USED = re.compile(r"\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})")
_URL = re.compile(
    r"\s*\"?(?:https?://|\$[({]\w|[\w.-]+(?::\d+)?/|(?:[\w-]+\.)+[A-Za-z]{2,}(?:\s|$)|localhost\b)", re.IGNORECASE
)
_METHODS = ("POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "GET", "TRACE")
_KINDS = {".xml": "text/xml", ".json": "application/json", ".txt": "text/plain", ".html": "text/html"}
_FORM = "application/x-www-form-urlencoded"


class SiegeUrls:
    """A file with one URL per line."""

    title = "a file of URLs for Siege"
    mark = "its first line is an address"

    def recognizes(self, head: str) -> bool:
        """Whether the file begins with a URL, or with a variable."""
        lines = [
            line for line in head.lstrip("\ufeff").splitlines() if line.strip() and not line.lstrip().startswith("#")
        ]
        addresses = [line for line in lines if not _VARIABLE.match(line)]
        return bool(addresses) and _URL.match(addresses[0]) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """One request per line; other lines are listed as left out."""
        held = ImportedRequests(self.title)
        variables: dict[str, str] = {}
        for number, line in enumerate(text_of(content, place).splitlines(), 1):
            where = f"line {number}"
            try:
                assigned = _VARIABLE.match(line)
                if not line.strip() or line.lstrip().startswith("#"):
                    continue
                if assigned:
                    variables[assigned[1]] = _fill_variables(assigned[2], variables)
                else:
                    request = _request(_fill_variables(line.strip(), variables), where, place)
                    held.requests.append(request)
                    kinds = [value for _, value in request.headers if value != _FORM]
                    if kinds:
                        held.notes.append(
                            f"{where}: sent as {kinds[0]} because of its file's name; Siege itself needs --content-type for this"
                        )
            except LeftOutError as error:
                held.leave_out(where, str(error))
        return held


def _fill_variables(line: str, variables: dict[str, str]) -> str:
    def value(used: re.Match[str]) -> str:
        name = used[1] or used[2]
        if name not in variables:
            raise LeftOutError(f"no line above sets the variable {name}")
        return variables[name]

    filled = _USED.sub(value, line)
    if len(filled) > 100_000:
        raise LeftOutError("its text is too long with its variables filled in")
    return filled


def _request(line: str, where: str, place: Path) -> HeldRequest:
    url, _, rest = line.partition(" ")
    url = url.strip('"')
    if not _URL.match(url):
        raise LeftOutError(f"'{url[:60]}' is not a URL")
    method, _, data = rest.strip().partition(" ")
    if not method:
        return HeldRequest(where, "GET", url)
    if method.upper() not in _METHODS:
        raise LeftOutError(f"'{method[:40]}' is not a method; known are {', '.join(_METHODS)}")
    data = data.strip()
    kind = _FORM
    if data.startswith("<"):
        name = data[1:].strip()
        kind = _KINDS.get(Path(name).suffix.lower(), _FORM)
        data = neighbour_text(place, name)
    headers = (("Content-Type", kind),) if data else ()
    return HeldRequest(where, method.upper(), url, headers=headers, body=data)
