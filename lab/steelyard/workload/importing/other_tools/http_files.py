"""`.http` files, which editors send requests from: blocks between lines of `###`, with variables of the file."""

from __future__ import annotations

import re
from pathlib import Path

from ..multipart import is_multipart, is_whole
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, neighbour_text, text_of

_METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_REQUEST = re.compile(rf"(?:({_METHODS})[ \t]+)?((?:https?://|\{{\{{)\S+)(?:[ \t]+HTTP/[\d.]+)?[ \t]*$")
_BEGIN = re.compile(rf"^(?:{_METHODS})[ \t]+(?:https?://|\{{\{{)\S+", re.MULTILINE)
_VARIABLE = re.compile(r"@([\w.-]+)[ \t]*=[ \t]*(.*?)[ \t]*$")
_USED = re.compile(r"\{\{[ \t]*([$\w.-]+)[^{}]*\}\}")
_SCRIPT = re.compile(r"^[<>][ \t]*\{%", re.MULTILINE)
_COMMENT = ("#", "//")


class HttpFile:
    """A file of requests as HTTP writes them."""

    def recognizes(self, head: str) -> bool:
        """Whether a line is a request with its method, and the file begins as such files do."""
        first = next((line for line in head.lstrip("\ufeff").splitlines() if line.strip()), "")
        begins = first.startswith(("#", "//", "@")) or _REQUEST.match(first) is not None
        return begins and _BEGIN.search(head) is not None and not re.search(r"^[$ \t]*curl\s", head, re.MULTILINE)

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all blocks; scripts are named, and not run."""
        held = ImportedRequests("a .http file")
        variables: dict[str, str] = {}
        line_number, name, lines = 1, "", []
        for number, line in enumerate([*text_of(content, place).splitlines(), "###"], 1):
            if not line.startswith("###"):
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
    match = _REQUEST.match(_fill(rest[0].strip(), variables))
    if match is None:
        raise LeftOutError(f"'{rest[0][:60]}' is not a request line")
    headers = []
    at = 1
    while at < len(rest) and rest[at].strip():
        key, colon, value = _fill(rest[at], variables).partition(":")
        if colon and not rest[at].startswith(_COMMENT):
            headers.append((key.strip(), value.strip()))
        at += 1
    body = "\n".join(line for line in rest[at + 1 :]).strip("\n")
    body = re.split(r"^[<>][ \t]*\{%|^<>", body, maxsplit=1, flags=re.MULTILINE)[0].rstrip("\n")
    if body.startswith("<") and re.match(r"<@?[ \t]+\S+$", body):
        body = neighbour_text(place, body.lstrip("<@ \t"))
    kind = next((value for key, value in headers if key.lower() == "content-type"), "")
    if is_multipart(kind):
        body = f"{body}\n".replace("\n", "\r\n")
        if not is_whole(body, kind) or re.search(r"^<@?[ \t]+\S", body, re.MULTILINE):
            raise LeftOutError("its body has several parts, which are not written whole")
    return HeldRequest(
        where, match[1] or "GET", match[2], name=name, headers=tuple(headers), body=_fill(body, variables)
    )


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
