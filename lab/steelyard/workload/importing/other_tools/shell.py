"""Splits text into commands as a Unix shell does: words, quotes, and expansions, which are reported but not made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))|[^\\]+|\\", re.DOTALL
)
_FILLED = re.compile(r"\$\{[^}\n]*\}?|\$\([^)\n]*\)?|\$[A-Za-z_0-9@*#?!-]\w*|`[^`\n]*`?")


@dataclass(frozen=True)
class ShellWord:
    """A word without its quotes; `expanded` is its part that a shell would expand."""

    text: str
    expanded: str | None = None


@dataclass
class Command:
    """A command: its line and its words. `broken` is a syntax error as a sentence."""

    line: int
    words: list[ShellWord] = field(default_factory=list)
    broken: str | None = None


def commands_of(text: str) -> Iterator[Command]:
    """The commands of a text, including those after pipes and other operators; redirections are dropped."""
    return _Scanner(text.replace("\r\n", "\n")).commands()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def commands(self) -> Iterator[Command]:
        command, to_file = Command(1), False
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter in " \t\r":
                self._at += 1
            elif self._text.startswith("\\\n", self._at):
                self._step(2)
            elif letter == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif letter in "\n;|&()":
                if command.words:
                    yield command
                self._step(1)
                command, to_file = Command(self._line), False
            elif letter in "<>":
                self._step(1)
                to_file = True
            else:
                if not command.words:
                    command.line = self._line
                word = self._word(command)
                is_number_of_stream = word.text.isdecimal() and self._text[self._at : self._at + 1] in ("<", ">")
                if not to_file and not is_number_of_stream:
                    command.words.append(word)
                to_file = False
        if command.words:
            yield command

    def _step(self, letters: int) -> None:
        self._line += self._text.count("\n", self._at, self._at + letters)
        self._at += letters

    def _word(self, command: Command) -> ShellWord:
        pieces: list[str] = []
        expanded: str | None = None
        while self._at < len(self._text) and (letter := self._text[self._at]) not in " \t\n;|&()<>":
            if letter == "'":
                pieces.append(self._read_until("'", command))
            elif self._text.startswith("$'", self._at):
                self._at += 1
                pieces.append(self._ansi(command))
            elif letter == '"' or self._text.startswith('$"', self._at):
                self._at += letter == "$"
                filled, piece = self._doubly_quoted(command)
                expanded = expanded or filled
                pieces.append(piece)
            elif letter == "\\":
                pieces.append(self._text[self._at + 1 : self._at + 2].replace("\n", ""))
                self._step(2)
            elif match := _FILLED.match(self._text, self._at):
                expanded = expanded or match[0]
                self._step(len(match[0]))
            else:
                pieces.append(letter)
                self._at += 1
        return ShellWord("".join(pieces), expanded)

    def _read_until(self, quote: str, command: Command) -> str:
        begin = self._at + 1
        end = self._text.find(quote, begin)
        if end < 0:
            command.broken, end = f"its quote in line {self._line} does not end", len(self._text)
        self._step(end + 1 - self._at)
        return self._text[begin:end]

    def _ansi(self, command: Command) -> str:
        match = re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL).match(self._text, self._at)
        if match is None:
            return self._read_until("'", command)
        self._step(len(match[0]))
        try:
            # An escape may be a byte of a letter that several make together.
            return b"".join(map(_unescape, _ESCAPE.finditer(match[1]))).decode()
        except (ValueError, OverflowError):
            command.broken = f"its quote in line {self._line} holds bytes that are not UTF-8 text"
            return ""

    def _doubly_quoted(self, command: Command) -> tuple[str | None, str]:
        match = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL).match(self._text, self._at)
        if match is None:
            return None, self._read_until('"', command)
        self._step(len(match[0]))
        bare = re.sub(r"\\.", "", match[1], flags=re.DOTALL)
        filled = _FILLED.search(bare)
        return filled and filled[0], re.sub(r'\\(["\\$`\n])', lambda escaped: escaped[1].strip("\n"), match[1])


def _unescape(piece: re.Match[str]) -> bytes:
    """The bytes of an escape, or of plain text; raises ValueError for what is no character."""
    in_hex, letter, in_octal, control, other = piece[1], piece[2] or piece[3], piece[4], piece[5], piece[6]
    if in_hex or in_octal:
        return bytes([(int(in_hex, 16) if in_hex else int(in_octal, 8)) & 0xFF])
    if letter:
        return chr(int(letter, 16)).encode()
    if control:
        return bytes([ord(control.upper()) & 0x1F])
    if other:
        return _SIMPLE.get(other, other if other in "\\'\"?" else f"\\{other}").encode()
    return piece[0].encode()
