"""Calls of PowerShell's Invoke-WebRequest and Invoke-RestMethod, as browsers copy requests. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote_plus

from .har import OF_A_BROWSER
from .imported_requests import HeldRequest, ImportedRequests, LeftOutError, text_of, with_query
from .shell import ESCAPES

_CALL = re.compile(r"(?mi)^\s*(?:\$\w+\s*=\s*)?Invoke-(?:WebRequest|RestMethod)\b")
_BEGIN = re.compile(r"\ufeff?(?:\s*#[^\n]*\n)*\s*(?:\$\w+[\w.]*\s*=|Invoke-(?:WebRequest|RestMethod)\b)", re.IGNORECASE)
_COMMANDS = ("invoke-webrequest", "invoke-restmethod")
_SWITCHES = {
    *("usebasicparsing", "usedefaultcredentials", "disablekeepalive", "passthru", "skipheadervalidation", "noproxy"),
    *("skipcertificatecheck", "skiphttperrorcheck", "allowunencryptedauthentication", "verbose"),
    "preserveauthorizationonredirect",
}
_QUIET = frozenset(["usebasicparsing", "websession", "sessionvariable", "outfile", "passthru", "verbose", "timeoutsec"])
_TAKEN = frozenset(["uri", "method", "custommethod", "headers", "body", "contenttype", "useragent"])
_REFUSED = {
    "form": "its body is a form of PowerShell: write it as -Body",
    "infile": "its body is in another file",
    "credential": "its credentials are computed by PowerShell",
}
_PSEUDO = frozenset(["method", "authority", "scheme", "path"])  # of HTTP/2, which browsers copy without their colons
_ESCAPES = {**ESCAPES, "0": "\0", "\n": ""}
_LETTER = re.compile(r"\$\(\[char\](\d{1,7})\)", re.IGNORECASE)
_COOKIE = re.compile(r"(?i)^\$\w+\.cookies\.add$")
_AGENT = re.compile(r"(?i)^\$\w+\.useragent$")
_BARE = re.compile(r"[^\s;|(){}\"'=,`]+")
_MOST_NESTED = 30


@dataclass(frozen=True)
class _Word:
    """A word: its text without quotes, its `kind` (bare, text, table, group), and the words or pairs inside it."""

    kind: str
    text: str = ""
    inner: tuple[_Word, ...] = ()


@dataclass
class _Statement:
    """A statement with its line; `broken` is a syntax error, or a part that only PowerShell can compute, as a sentence."""

    line: int
    words: list[_Word] = field(default_factory=list)
    broken: str | None = None


class PowerShellCalls:
    """A file of calls of Invoke-WebRequest, with the sessions that a browser copies before them."""

    title = "calls of PowerShell"
    mark = "a line calls Invoke-WebRequest or Invoke-RestMethod"

    def recognizes(self, head: str) -> bool:
        """Whether it begins as such files do, and a line calls one of the commands."""
        return _BEGIN.match(head) is not None and _CALL.search(head) is not None

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """A request for each call; other statements are listed as left out."""
        held = ImportedRequests(self.title)
        agent, cookies = "", False
        for statement in _ScriptScanner(text_of(content, place).replace("\r\n", "\n")).statements():
            where = f"line {statement.line}"
            words = statement.words
            begins = words[0].text if words else ""
            is_set = len(words) > 2 and words[1] == _Word("bare", "=")
            try:
                if statement.broken is not None:
                    raise LeftOutError(statement.broken)
                if _AGENT.match(begins) and is_set:
                    agent = _text_of(words[2])
                elif _COOKIE.match(begins):
                    cookies = True
                elif (command := words[2:] if is_set else words) and command[0].text.lower() in _COMMANDS:
                    held.requests.append(_request(command[1:], where, agent, cookies, held))
                elif not (is_set and words[2].text.lower() == "new-object"):
                    held.leave_out(f"{where}: {begins[:40]}", "only Invoke-WebRequest is imported, and nothing is run")
            except LeftOutError as error:
                held.leave_out(where, str(error))
        return held


def _request(words: Sequence[_Word], where: str, agent: str, cookies: bool, held: ImportedRequests) -> HeldRequest:
    parameters = _parameters(words)
    for name in parameters:
        if name in _REFUSED:
            raise LeftOutError(_REFUSED[name])
        if name not in _TAKEN | _QUIET:
            held.leave_out(f"{where}: -{name}", "`load` has no such option")
    uri = _text_of(parameters.get("uri", _Word("text")))
    if not uri:
        raise LeftOutError("it has no -Uri")
    method = _text_of(parameters.get("custommethod", parameters.get("method", _Word("text", "GET")))).upper()
    headers = _headers(parameters.get("headers"))
    if "useragent" in parameters:
        agent = _text_of(parameters["useragent"])
    named = {name.lower() for name, _ in headers}
    headers += [("User-Agent", agent)] if agent and "user-agent" not in named else []
    headers += (
        [("Cookie", "of the session")] if cookies and "websession" in parameters and "cookie" not in named else []
    )
    body = _body_text(parameters["body"]) if "body" in parameters else ""
    if body and method == "GET":
        uri, body = with_query(uri, body), ""
    kind = _text_of(parameters["contenttype"]) if "contenttype" in parameters else ""
    if body and not kind and "content-type" not in named and method == "POST":
        kind = "application/x-www-form-urlencoded"
    if kind:
        headers = [(name, value) for name, value in headers if name.lower() != "content-type"]
        headers.append(("Content-Type", kind))
    return HeldRequest(where, method, uri.partition("#")[0], headers=tuple(headers), body=body)


def _parameters(words: Sequence[_Word]) -> Mapping[str, _Word]:
    """The parameters of a call by their names in small letters; the first word without one is the address."""
    parameters: dict[str, _Word] = {}
    left = list(reversed(words))
    while left:
        word = left.pop()
        if word.kind == "bare" and re.match(r"-[A-Za-z]", word.text):
            name, _, value = word.text[1:].partition(":")
            name = name.lower()
            has_value = name not in _SWITCHES and not value and bool(left)
            parameters[name] = _Word("text", value) if value else left.pop() if has_value else _Word("text")
        else:
            parameters.setdefault("uri", word)
    return parameters


def _headers(table: _Word | None) -> list[tuple[str, str]]:
    pairs = [] if table is None else _pairs(table)
    names = {name.lower() for name, _ in pairs}
    hidden = _PSEUDO if names >= _PSEUDO else frozenset()
    return [(name, value) for name, value in pairs if name.lower() not in hidden and not OF_A_BROWSER.match(name)]


def _pairs(table: _Word) -> list[tuple[str, str]]:
    if table.kind != "table":
        raise LeftOutError("its headers are computed by PowerShell")
    return [(_text_of(name), _text_of(value)) for name, value in zip(table.inner[::2], table.inner[1::2], strict=True)]


def _body_text(word: _Word) -> str:
    """A body: a text, or a table that is sent as a form."""
    if word.kind == "table":
        return "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in _pairs(word))
    return _text_of(word)


def _text_of(word: _Word) -> str:
    """The text that a word stands for; raises LeftOutError if only PowerShell can compute it."""
    if word.kind == "text":
        return word.text
    if word.kind == "group" and len(word.inner) == 1:
        return _text_of(word.inner[0])
    if word.kind == "group" and len(word.inner) == 2 and word.inner[0].text.lower().endswith("::utf8.getbytes"):
        return _text_of(word.inner[1])
    if word.kind == "bare" and not word.text.startswith(("$", "[")):
        return word.text
    raise LeftOutError(f"{word.text[:60] or 'a part of it'} is computed by PowerShell: write its value")


class _ScriptScanner:
    """Splits a script into statements and words."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def statements(self) -> Iterator[_Statement]:
        statement = _Statement(1)
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter in "\n;|":
                self._at += 1
                if statement.words:
                    yield statement
                statement = _Statement(1)
            elif not self._skip_space():
                if not statement.words:
                    statement.line = self._text.count("\n", 0, self._at) + 1
                try:
                    statement.words.append(self._word(0))
                except LeftOutError as error:
                    statement.broken = statement.broken or str(error)
                    statement.words = statement.words or [_Word("bare")]
        if statement.words:
            yield statement

    def _skip_space(self) -> bool:
        """Step over blanks, continued lines and a comment; whether there was one."""
        match = re.compile(r"(?:[ \t\r\f\v]|`\n)+|#[^\n]*").match(self._text, self._at)
        self._at = match.end() if match else self._at
        return match is not None

    def _word(self, nested: int) -> _Word:
        text, at = self._text, self._at
        letter = text[at]
        if nested > _MOST_NESTED:
            self._at = len(text)
            raise LeftOutError("its parentheses are nested too deeply")
        if letter == "@" and text[at + 1 : at + 3] in ('"\n', "'\n"):
            return self._here_string(text[at + 1])
        if letter == '"':
            return _Word("text", self._expandable())
        if letter == "'":
            return _Word("text", self._literal())
        if text.startswith("@{", at):
            self._at += 2
            return _Word("table", inner=tuple(self._table(nested)))
        if letter == "(":
            self._at += 1
            return _Word("group", inner=tuple(self._inside(")", nested)))
        bare = _BARE.match(text, at)
        self._at = bare.end() if bare else at + 1
        return _Word("bare", bare[0] if bare else letter)

    def _inside(self, end: str, nested: int) -> Iterator[_Word]:
        while self._at < len(self._text):
            if self._text[self._at] == end:
                self._at += 1
                return
            if self._text[self._at] == "\n":
                self._at += 1
            elif not self._skip_space():
                yield self._word(nested + 1)
        raise LeftOutError(f"its '{end}' is missing")

    def _table(self, nested: int) -> Iterator[_Word]:
        """The keys and values of a table in turn."""
        words = [word for word in self._inside("}", nested) if word != _Word("bare", ";")]
        for place in range(0, len(words), 3):
            if len(words) < place + 3 or words[place + 1] != _Word("bare", "="):
                raise LeftOutError("a table of it is not written as NAME = VALUE")
            yield words[place]
            yield words[place + 2]

    def _here_string(self, quote: str) -> _Word:
        begin = self._at + 3
        end = self._text.find(f"\n{quote}@", begin - 1)
        if end < 0:
            self._at = len(self._text)
            raise LeftOutError("its here-string does not end")
        self._at = end + 3
        held = self._text[begin : max(begin, end)]
        return _Word("text", _expand(held) if quote == '"' else held)

    def _literal(self) -> str:
        match = re.compile(r"'((?:[^']|'')*+)'").match(self._text, self._at)
        return self._content_of(match).replace("''", "'")

    def _expandable(self) -> str:
        match = re.compile(r'"((?:[^"`]|`.|"")*+)"', re.DOTALL).match(self._text, self._at)
        return _expand(self._content_of(match))

    def _content_of(self, match: re.Match[str] | None) -> str:
        if match is None:
            self._at = len(self._text)
            raise LeftOutError("its quote does not end")
        self._at = match.end()
        return match[1]


def _expand(text: str) -> str:
    """The text of a string in double quotes; raises LeftOutError if it holds a variable."""
    pieces: list[str] = []
    place = 0
    while place < len(text):
        letter = text[place]
        if letter == "`" and (match := re.compile(r"`u\{([0-9a-fA-F]{1,6})\}").match(text, place)):
            pieces.append(_letter(int(match[1], 16)))
            place = match.end()
        elif letter == "`":
            escaped = text[place + 1 : place + 2]
            pieces.append(_ESCAPES.get(escaped, escaped))
            place += 2
        elif letter == "$" and (match := _LETTER.match(text, place)):
            pieces.append(_letter(int(match[1])))
            place = match.end()
        elif letter == "$" and re.compile(r"\$[\w({:]").match(text, place):
            raise LeftOutError(f"{text[place : place + 40]} is computed by PowerShell: write its value")
        else:
            pieces.append(letter)
            place += 2 if text.startswith('""', place) else 1
    # A character beyond 16 bits is copied as the two halves of its surrogate pair.
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _letter(code: int) -> str:
    return chr(code) if code < 0x110000 else "\ufffd"
