"""Reads curl commands as browsers and documentation give them. Words are split as a shell does it; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote_plus

from ..multipart import with_boundary, write_parts
from ..other_kinds import is_another_text
from .curl_addresses import address_of
from .curl_forms import part_of
from .curl_options import BODY, FORM, KNOWN, LETTERS, LETTERS_WITH_VALUE, QUIET, REFUSED, TAKEN, WHY_LEFT, WITH_VALUE
from .imported_requests import HeldCredentials, HeldRequest, ImportedRequests, LeftOutError, neighbour_text, text_of
from .shell import Command, with_pipes
from .windows_shell import is_for_windows, windows_commands_of

_CURL = re.compile(r"^\s*(?:[$%>]\s+)?(?:(?:echo|cat)\b[^\n]*\|[ \t]*)?(?:[\w./\\-]*/)?curl(?:\.exe)?\s", re.MULTILINE)
_COMMENT = ("#", "//")
_SHELL = re.compile(r"#!\S*[/ ](?:ba|da|z|k|a)?sh\b")


class CurlCommands:
    """A file with commands of curl."""

    title = "curl commands"
    mark = "a line begins with curl"

    def recognizes(self, head: str) -> bool:
        """Whether a line begins with curl, and the file is not a description or a script that only shows a command."""
        begins = head.lstrip("\ufeff \r\n\t")
        if begins.startswith(("<", "{", "[")):
            return False
        lines = (line for line in begins.splitlines() if line.strip() and not line.lstrip().startswith(_COMMENT))
        if _CURL.match(next(lines, "")):
            return True
        return _CURL.search(begins) is not None and (_SHELL.match(begins) is not None or not is_another_text(begins))

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The requests of all curl commands; other commands are listed as left out."""
        held = ImportedRequests(self.title)
        text = text_of(content, place)
        for command in (windows_commands_of if is_for_windows(text) else with_pipes)(text):
            where = f"line {command.line}"
            words = [word.text for word in command.words]
            while words and (words[0] in ("$", "%", ">", "#", "time") or re.fullmatch(r"[A-Za-z_]\w*=.*", words[0])):
                words = words[1:]
            if not words:
                continue
            if Path(words[0].replace("\\", "/")).name not in ("curl", "curl.exe"):
                held.leave_out(f"{where}: {words[0][:40]}", "only curl commands are imported, and nothing is run")
                continue
            try:
                _require_plain(command)
                for part in _parts(words[1:]):
                    part.input = command.input
                    held.requests += _requests(part, where, place, held)
            except LeftOutError as error:
                held.leave_out(where, str(error))
        return held


def _require_plain(command: Command) -> None:
    if command.broken is not None:
        raise LeftOutError(command.broken)
    for word in command.words:
        if word.expanded is not None:
            raise LeftOutError(f"{word.expanded[:60]} is expanded by a shell: write its value, or a place {{{{NAME}}}}")


@dataclass
class _Part:
    """One transfer: its options in order, its URLs, and the text of its standard input, if the file holds that."""

    options: list[tuple[str, str]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    input: str | None = None

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names]

    def has(self, name: str) -> bool:
        return any(name == own for own, _ in self.options)

    def file_text(self, name: str, place: Path) -> str:
        """The text of a file, or of the standard input (`-`); raises LeftOutError."""
        if name != "-":
            return neighbour_text(place, name)
        if self.input is None:
            raise LeftOutError("its body is the output of another command")
        return self.input


def _parts(words: Sequence[str]) -> Iterator[_Part]:
    """The transfers of a command, which `--next` separates."""
    part = _Part()
    for name, value in _options(words):
        if name == "next":
            yield part
            part = _Part()
        elif name == "":
            part.urls.append(value)
        else:
            part.options.append((name, value))
            part.urls += [value] if name == "url" else []
    yield part


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options by their long names with their values; URLs have an empty name. Raises LeftOutError."""
    left = list(reversed(words))

    def value_of(option: str) -> str:
        if not left:
            raise LeftOutError(f"{option} has no value")
        return left.pop()

    while left:
        word = left.pop()
        if word.startswith("--") and len(word) > 2:
            name, equals, _ = word[2:].partition("=")
            if name not in KNOWN and name.removeprefix("no-") in KNOWN - WITH_VALUE:
                continue  # switched off
            if equals or name not in KNOWN:
                raise LeftOutError(f"its option --{name[:40]} is unknown")
            yield name, value_of(word) if name in WITH_VALUE else ""
        elif word.startswith("-") and len(word) > 1 and word != "--":
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                if letter in LETTERS_WITH_VALUE:
                    yield LETTERS_WITH_VALUE[letter], letters or value_of(f"-{letter}")
                    break
                if letter not in LETTERS:
                    raise LeftOutError(f"its option -{letter} is unknown")
                yield LETTERS[letter], ""
        elif word != "--":
            yield "", word


def _requests(part: _Part, where: str, place: Path, held: ImportedRequests) -> list[HeldRequest]:
    for name, _ in part.options:
        if name in REFUSED:
            raise LeftOutError(REFUSED[name])
    if not part.urls:
        raise LeftOutError("it has no URL")
    for name in dict.fromkeys(name for name, _ in part.options):
        if name not in TAKEN and name not in QUIET:
            held.leave_out(f"{where}: --{name}", WHY_LEFT.get(name, "`load` has no such option"))
    headers, body = _headers(part, where, held), _body(part, place)
    headers += _cookies(part, headers, where, held)
    if part.values(*FORM):
        headers, body = _multipart(part, headers, place)
    method = (part.values("request") or [""])[-1] or ("HEAD" if part.has("head") else "POST" if _sends(part) else "GET")
    query = (body if part.has("get") else "") or _query(part, place)
    made = []
    for url in part.urls:
        address = address_of(
            url,
            query,
            as_is=part.has("path-as-is"),
            globs=not part.has("globoff"),
            target=(part.values("request-target") or [""])[-1],
        )
        made.append(HeldRequest(where, method, address, headers=headers, body="" if part.has("get") else body))
    credentials = _credentials(part)
    return [replace(request, credentials=credentials) for request in made]


def _sends(part: _Part) -> bool:
    return bool(part.values(*BODY, *FORM)) and not part.has("get")


def _multipart(
    part: _Part, headers: tuple[tuple[str, str], ...], place: Path
) -> tuple[tuple[tuple[str, str], ...], str]:
    """The headers and the body of a form of several parts; raises LeftOutError."""
    if part.values(*BODY) or part.has("get"):
        raise LeftOutError("it has a form of several parts and another body, which curl refuses")
    read = partial(part.file_text, place=place)
    body, boundary = write_parts([part_of(name, value, read) for name, value in part.options if name in FORM])
    own = next((value for name, value in headers if name.lower() == "content-type"), "")
    kept = [(name, value) for name, value in headers if name.lower() != "content-type"]
    return (*kept, ("Content-Type", with_boundary(own, boundary))), body


def _query(part: _Part, place: Path) -> str:
    """What --url-query adds to an address: encoded as --data-urlencode does, or after a plus sign as it is."""
    values = part.values("url-query")
    return "&".join(value[1:] if value.startswith("+") else _url_encode(value, part, place) for value in values)


def _cookies(
    part: _Part, headers: tuple[tuple[str, str], ...], where: str, held: ImportedRequests
) -> tuple[tuple[str, str], ...]:
    """The header of the cookies that -b names, which a header of that name replaces; without `=` it names a file."""
    given = part.values("cookie")
    for value in given:
        if "=" not in value:
            held.leave_out(f"{where}: --cookie {value[:40]}", "its cookies are in another file")
    written = [value for value in given if "=" in value]
    if not written or any(name.lower() == "cookie" for name, _ in headers):
        return ()
    return (("Cookie", ";".join(written)),)


def _credentials(part: _Part) -> HeldCredentials | None:
    if any(line.lower().startswith("authorization:") for line in part.values("header")):
        return None  # the header is sent instead
    if part.values("oauth2-bearer"):
        return HeldCredentials("bearer")
    users = part.values("user")
    return HeldCredentials("digest" if part.has("digest") else "basic", users[-1].partition(":")[0]) if users else None


def _headers(part: _Part, where: str, held: ImportedRequests) -> tuple[tuple[str, str], ...]:
    headers: list[tuple[str, str]] = []
    kinds = {"json": "application/json"} if part.values("json") else {}
    silent: set[str] = set()
    for line in part.values("header"):
        name, colon, value = line.partition(":")
        if line.startswith("@"):
            held.leave_out(f"{where}: --header {line[:60]}", "write the headers into the command")
        elif colon and not value.strip():
            silent.add(name.strip().lower())
        elif colon or line.rstrip().endswith(";"):
            headers.append((name.rstrip(" ;"), value.strip()))
    named = {name.lower() for name, _ in headers} | silent
    if (kinds or _sends(part)) and not part.values(*FORM) and "content-type" not in named:
        headers.append(("Content-Type", kinds.get("json", "application/x-www-form-urlencoded")))
    if kinds and "accept" not in named:
        headers.append(("Accept", "application/json"))
    headers += [
        ("User-Agent", value) for value in part.values("user-agent")[-1:] if value and "user-agent" not in named
    ]
    headers += [("Referer", value.partition(";")[0]) for value in part.values("referer")[-1:] if "referer" not in named]
    headers += [("Range", f"bytes={value}") for value in part.values("range")[-1:] if "range" not in named]
    return tuple(headers)


def _body(part: _Part, place: Path) -> str:
    """The body that -d and its variants send together; raises LeftOutError."""
    pieces: list[tuple[str, str]] = []
    for name, value in part.options:
        if name not in BODY:
            continue
        if name == "data-urlencode":
            pieces.append((name, _url_encode(value, part, place)))
        elif value.startswith("@") and name != "data-raw":
            text = part.file_text(value[1:], place)
            pieces.append((name, re.sub(r"[\r\n\0]", "", text) if name in ("data", "data-ascii") else text))
        else:
            pieces.append((name, value))
    return "".join(text if not number or name == "json" else f"&{text}" for number, (name, text) in enumerate(pieces))


def _url_encode(value: str, part: _Part, place: Path) -> str:
    """`content`, `=content`, `name=content`, `@file` or `name@file`, as curl encodes them."""
    match = re.match(r"([^=]*)(=)(.*)" if "=" in value else r"([^@]*)(@)(.*)", value, re.DOTALL)
    if match is None:
        return quote_plus(value)
    name, kind, rest = match.groups()
    text = part.file_text(rest, place) if kind == "@" else rest
    return (f"{name}=" if name else "") + quote_plus(text)
