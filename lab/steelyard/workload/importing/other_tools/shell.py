"""Splits text into commands as a Unix shell does: words, quotes, here-documents; expansions are reported and not made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# The letters of escapes that a shell of Unix and PowerShell share.
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_SIMPLE = {**ESCAPES, "E": "\x1b"}
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
    """A command: its line and its words. `broken` is a syntax error as a sentence.

    `input` is the text of its standard input, from a here-document or a here-string. `is_piped`: its standard input is the output
    of the command before it.
    """

    line: int
    words: list[ShellWord] = field(default_factory=list)
    broken: str | None = None
    input: str | None = None
    is_piped: bool = False


def commands_of(text: str) -> Iterator[Command]:
    """The commands of a text, including those after pipes and other operators; redirections to files are dropped."""
    return _Scanner(text.replace("\r\n", "\n")).commands()


def with_pipes(text: str) -> Iterator[Command]:
    """The same commands without those of `echo` and `cat` whose text is the input of the next one."""
    before: Command | None = None
    for command in commands_of(text):
        if before is not None:
            printed = _output(before) if command.is_piped else None
            if printed is None:
                yield before
            else:
                command.input, command.line = printed, before.line
        before = command
    if before is not None:
        yield before


def _output(command: Command) -> str | None:
    """What `echo` prints, or `cat` of its input; None if only a shell can tell."""
    name, *words = command.words
    if command.broken is not None or any(word.expanded for word in command.words):
        return None
    if name.text == "cat" and not words:
        return command.input
    options = [word.text for word in words if word.text.startswith("-")]
    if name.text != "echo" or options not in ([], ["-n"]):
        return None
    shown = [word.text for word in words if word.text not in options]
    return " ".join(shown) + ("" if options else "\n")


@dataclass(frozen=True)
class _HereDocument:
    """A here-document whose text begins in the next line: its last line, whether the text is taken literally or without the tabs
    that begin its lines, and whose input it is."""

    end: str
    literal: bool
    without_tabs: bool
    command: Command


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1
        self._here: list[_HereDocument] = []

    def commands(self) -> Iterator[Command]:
        """The commands; those of a line come together, since a here-document follows it."""
        command, in_line = Command(1), list[Command]()
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
                in_line += [command] if command.words else []
                is_pipe = letter == "|" and self._text[self._at + 1 : self._at + 2] != "|" and bool(command.words)
                goes_on = letter == "\n" and command.is_piped and not command.words
                self._step(1)
                command = Command(self._line, is_piped=is_pipe or goes_on)
                if letter == "\n":
                    self._read_here_documents()
                    yield from in_line
                    in_line, command.line = [], self._line
            elif letter in "<>":
                self._redirection(command)
            else:
                if not command.words:
                    command.line = self._line
                word = self._word(command)
                is_number_of_stream = word.text.isdecimal() and self._text[self._at : self._at + 1] in ("<", ">")
                command.words += [] if is_number_of_stream else [word]
        yield from [*in_line, *([command] if command.words else [])]

    def _redirection(self, command: Command) -> None:
        """Step over a redirection; keep what it says of the input."""
        sign = re.compile(r"<<<|<<-|<<|[<>]+[&|]?").match(self._text, self._at)
        assert sign is not None
        self._step(len(sign[0]))
        while self._text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        begin = self._at
        word = self._word(command)
        if sign[0] == "<<<":
            command.input = word.text + "\n"
            command.words += [] if word.expanded is None else [word]  # named as expanded
        elif sign[0] in ("<<", "<<-"):
            literal = any(quote in self._text[begin : self._at] for quote in "'\"\\")
            self._here.append(_HereDocument(word.text, literal, sign[0] == "<<-", command))

    def _read_here_documents(self) -> None:
        for here in self._here:
            lines: list[str] = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._step(min(end + 1, len(self._text)) - self._at)
                line = line.lstrip("\t") if here.without_tabs else line
                if line == here.end:
                    break
                lines.append(f"{line}\n")
            else:
                here.command.broken = f"its here-document does not end with {here.end[:40]}"
            text = "".join(lines)
            filled = None if here.literal else _FILLED.search(re.sub(r"\\.", "", text, flags=re.DOTALL))
            if filled:
                here.command.words.append(ShellWord("", filled[0]))
            here.command.input = text if here.literal else re.sub(r"\\([\\$`\n])", _unescaped_in_quotes, text)
        self._here = []

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
        return filled and filled[0], re.sub(r'\\(["\\$`\n])', _unescaped_in_quotes, match[1])


def _unescaped_in_quotes(escaped: re.Match[str]) -> str:
    """What a backslash in double quotes makes of the character after it; a line goes on."""
    return escaped[1].strip("\n")


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
