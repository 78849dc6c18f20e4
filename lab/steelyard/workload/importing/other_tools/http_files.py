"""`.http` files, which editors send requests from: blocks between lines of `###`, with variables of the file.

A file without `###` may hold one request after the other, as the targets of vegeta do.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..multipart import is_multipart, is_whole
from ..other_kinds import is_another_text
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, neighbour_text, text_of

_METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_REQUEST = re.compile(rf"(?:({_METHODS})[ \t]+)?((?:https?://|\{{\{{)\S+)(?:[ \t]+HTTP/[\d.]+)?[ \t]*$")
_MESSAGE = re.compile(rf"({_METHODS})[ \t]+(/\S*)[ \t]+HTTP/[\d.]+[ \t]*$")  # its header Host names the server
_BEGIN = re.compile(rf"^(?:{_METHODS})[ \t]+(?:(?:https?://|\{{\{{)\S+|/\S*[ \t]+HTTP/\d)", re.MULTILINE)
_VARIABLE = re.compile(r"@([\w.-]+)[ \t]*=[ \t]*(.*?)[ \t]*$")
_USED = re.compile(r"\{\{[ \t]*([$\w.-]+)[^{}]*\}\}")
_SCRIPT = re.compile(r"^[<>][ \t]*\{%", re.MULTILINE)
_COMMENT = ("#", "//")


class HttpFile:
    """A file of requests as HTTP writes them."""

    title = "a .http file"
    mark = "a line is a request with its method and address"

    def recognizes(self, head: str) -> bool:
        """Whether a line is a request with its method, and the file begins as such files do."""
        first = next((line for line in head.lstrip("\ufeff").splitlines() if line.strip()), "")
        begins = first.startswith(("#", "//", "@")) or any(form.match(first) for form in (_REQUEST, _MESSAGE))
        shows = begins and _BEGIN.search(head) is not None and not re.search(r"^[$ \t]*curl\s", head, re.MULTILINE)
        return shows and not is_another_text(head)

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all blocks; scripts are named, and not run."""
        held = ImportedRequests(self.title)
        variables: dict[str, str] = {}
        line_number, name, lines = 1, "", list[str]()
        listed = text_of(content, place).splitlines()
        parted = any(line.startswith("###") for line in listed)
        for number, line in enumerate([*listed, "###"], 1):
            begins = not parted and _BEGIN.match(line) is not None and any(map(_BEGIN.match, lines))
            if not line.startswith("###") and not begins:
                lines.append(line)
                continue
            where = f"the block that begins in line {line_number}"
            try:
                request = _request(lines, where, name, variables, place)
                held.requests += [request] if request is not None else []
            except LeftOutError as error:
                held.leave_out(where, str(error))
            if _SCRIPT.search("\n".join(lines)):
                held.leave_out(f"the script in {where}", "scripts are not run")
            line_number, name, lines = number + 1, line.strip("# \t"), []
            if begins:
                line_number, name, lines = number, "", [line]
        return held


def _request(lines: list[str], where: str, name: str, variables: dict[str, str], place: Path) -> HeldRequest | None:
    """The request of a block; None if it has none. Variables that it defines are added to `variables`."""
    rest = list(lines)
    while rest and (not rest[0].strip() or rest[0].startswith((*_COMMENT, "@"))):
        defined = _VARIABLE.match(rest[0])
        if defined:
            variables[defined[1]] = defined[2]
        rest.pop(0)
    if not rest:
        return None
    while len(rest) > 1 and re.match(r"[ \t]+[?&]", rest[1]):  # a query over several lines
        rest[0] += rest.pop(1).strip()
    begins = _fill(rest[0].strip(), variables)
    match = _REQUEST.match(begins) or _MESSAGE.match(begins)
    if match is None:
        raise LeftOutError(f"'{rest[0][:60]}' is not a request line")
    headers: list[tuple[str, str]] = []
    at = 1
    while at < len(rest) and rest[at].strip() and not rest[at].startswith("@"):
        key, colon, value = _fill(rest[at], variables).partition(":")
        if colon and not rest[at].startswith(_COMMENT):
            headers.append((key.strip(), value.strip()))
        at += 1
    if at < len(rest) and rest[at].startswith("@"):  # the file with the body, as vegeta names it
        rest[at : at + 1] = ["", f"< {rest[at][1:].strip()}"]
    body = "\n".join(line for line in rest[at + 1 :]).strip("\n")
    body = re.split(r"^[<>][ \t]*\{%|^<>", body, maxsplit=1, flags=re.MULTILINE)[0].rstrip("\n")
    if body.startswith("<") and re.match(r"<@?[ \t]+\S+$", body):
        body = neighbour_text(place, body.lstrip("<@ \t"))
    kind = next((value for key, value in headers if key.lower() == "content-type"), "")
    if is_multipart(kind):
        body = f"{body}\n".replace("\n", "\r\n")
        if not is_whole(body, kind) or re.search(r"^<@?[ \t]+\S", body, re.MULTILINE):
            raise LeftOutError("its body has several parts, which are not written whole")
    url = _address(match[2], headers)
    return HeldRequest(where, match[1] or "GET", url, name=name, headers=tuple(headers), body=_fill(body, variables))


def _address(url: str, headers: list[tuple[str, str]]) -> str:
    """The address of a request line, whose server the header Host may name."""
    if not url.startswith("/"):
        return url
    host = next((value for key, value in headers if key.lower() == "host"), "")
    if not host:
        raise LeftOutError("it has no header Host, so nothing names its server")
    return f"http://{host}{url}"


def _fill(text: str, variables: dict[str, str]) -> str:
    """A text with the file's variables; others stay as places, if they can be ones."""

    def value(used: re.Match[str]) -> str:
        if used[1] in variables:
            return variables[used[1]]
        if used[1].startswith("$") or "." in used[1]:
            raise LeftOutError(f"nothing fills {{{{{used[1][:60]}}}}} in the same way")
        return f"{{{{{re.sub(r'[^A-Za-z0-9_]', '_', used[1])}}}}}"

    for _ in range(5):  # variables may hold variables
        text, before = _USED.sub(value, text), text
        if text == before:
            break
    return text
