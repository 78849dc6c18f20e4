"""Commands as Windows' command line reads them: carets first, as cmd.exe does, then quotes, as a program's start does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .shell import Command, ShellWord

# A line that a caret continues, or an escaped quote: a shell of Unix gives neither a meaning.
_CARET = re.compile(r"\^\"|[ \t]\^\r?$", re.MULTILINE)
# A quote that is doubled inside a quoted word, where no word is quoted as a shell of Unix quotes.
_DOUBLED = re.compile(r"[\s=]\"[^\"'\n]*\"\"[^\s\"']")
_UNIX_QUOTE = re.compile(r"(?:^|\s)\$?'|\\\r?$", re.MULTILINE)
_BACKSLASHES = re.compile(r"\\*")


def is_for_windows(text: str) -> bool:
    """Whether a text of commands is quoted for cmd.exe."""
    return bool(_CARET.search(text)) or (bool(_DOUBLED.search(text)) and not _UNIX_QUOTE.search(text))


def windows_commands_of(text: str) -> Iterator[Command]:
    """The commands of a text, one a line as cmd.exe splits lines, with the words that a program receives."""
    for number, line in _logical_lines(text.replace("\r\n", "\n")):
        words, broken = _words_of(line)
        if words:
            yield Command(number, [ShellWord(word) for word in words], broken)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each command with the number of its first line, its carets resolved; `&` and `|` outside quotes end a command."""
    pieces: list[str] = []
    quoted, number, begin, place = False, 1, 1, 0
    while place < len(text):
        letter = text[place]
        if letter == "^" and not quoted:
            following = text[place + 1 : place + 2]
            number += following == "\n"
            place += 2
            if following == "\n":  # the line goes on; the letter that follows it is plain
                following = text[place : place + 1]
                number += following == "\n"
                place += 1
            pieces.append(following)
            continue
        place += 1
        if letter == '"':
            quoted = not quoted
        number += letter == "\n"
        if letter == "\n" or (letter in "&|" and not quoted):
            yield begin, "".join(pieces)
            pieces, quoted, begin = [], False, number
        else:
            pieces.append(letter)
    yield begin, "".join(pieces)


def _words_of(line: str) -> tuple[list[str], str | None]:
    """The arguments that Windows' C runtime makes of a command line, and why it is broken where a quote does not end."""
    words: list[str] = []
    word: list[str] | None = None
    quoted, place = False, 0
    while place < len(line):
        letter = line[place]
        if letter in " \t\n" and not quoted:
            words += ["".join(word)] if word is not None else []
            word = None
            place += 1
            continue
        word = [] if word is None else word
        run = _BACKSLASHES.match(line, place)
        slashes = len(run[0]) if run else 0
        place += slashes
        if line[place : place + 1] != '"':
            word.append("\\" * slashes)
            if not slashes:
                word.append(letter)
                place += 1
            continue
        word.append("\\" * (slashes // 2))
        doubled = quoted and line[place + 1 : place + 2] == '"'
        if slashes % 2 or doubled:
            word.append('"')
            place += 2 if doubled and not slashes % 2 else 1
        else:
            quoted = not quoted
            place += 1
    words += ["".join(word)] if word is not None else []
    return words, "its quote does not end" if quoted else None
