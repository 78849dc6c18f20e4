"""Converts assertions of other tools to rules of `expect` where an equivalent exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .imported_requests import LeftOutError

# Why an assertion is left out.
FORBIDS_TEXT = "it forbids a text, and `expect` has no such rule"
ONLY_FOUND = "imported: its path must find something; not imported: the expected value"
_BACKTRACKS = re.compile(r"\(\?(?:=|!|<[=!])|\\[1-9]|\(\?>|[*+?}]\+")
# An escape, a quantifier, the begin of a group or of a class, or one character.
_TOKEN = re.compile(r"\\[pPx]\{[^}]*\}|\\.|\{\d+(?:,\d*)?\}|\(\?P?<\w+>|\(\?|\[\^|.", re.DOTALL)
_SPECIAL = re.compile(r"[.^$*+?{}\[\]()|\\]")


def plain(text: str) -> str:
    """A regular expression that matches exactly this text, for the engine and for other tools."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def engine_expression(expression: str) -> str:
    """A regular expression in the engine's syntax; raises LeftOutError if the engine does not support it."""
    if _BACKTRACKS.search(expression):
        raise LeftOutError(
            "its expression uses lookaround, backreferences or possessive quantifiers, which the engine does not support"
        )
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise LeftOutError(f"its expression cannot be read: {error}") from None
    return "".join(_engine_piece(piece, in_class) for piece, in_class in _pieces(expression))


def only_group(expression: str, group: int) -> str:
    """The expression with group number `group` as its only one (0: the whole); raises LeftOutError if there is none."""
    written, number = [], 0
    for piece, in_class in _pieces(expression):
        if not in_class and (piece == "(" or piece.startswith(("(?P<", "(?<"))):
            number += 1
            written.append("(" if number == group else "(?:")
        else:
            written.append(piece)
    if group > number:
        raise LeftOutError(f"its expression has no group {group}")
    return "".join(written)


def _pieces(expression: str) -> Iterator[tuple[str, bool]]:
    """The tokens of an expression, each with whether it is within a class of characters."""
    in_class, at = False, 0
    while at < len(expression):
        token = _TOKEN.match(expression, at)
        piece = token[0] if token and not (in_class and token[0][0] in "({") else expression[at]
        if in_class and piece.startswith("[^"):
            piece = "["
        yield piece, in_class
        at += len(piece)
        if not in_class and piece[0] == "[":
            in_class = True
            if expression[at : at + 1] == "]":  # the first of a class is itself
                yield "\\]", True
                at += 1
        elif piece == "]":
            in_class = False


def _engine_piece(piece: str, in_class: bool) -> str:
    if piece in ("\\<", "\\>"):
        return piece[1]  # the engine has another meaning for these
    escaped = piece == "{" or (in_class and piece in ("[", "&", "~"))
    return f"\\{piece}" if escaped else piece


@dataclass
class Rules:
    """Collects rules; each method raises LeftOutError if a rule conflicts with earlier ones."""

    collected: dict[str, object] = field(default_factory=dict)

    def status(self, codes: list[int]) -> None:
        """Accept these status codes."""
        if not codes or not all(100 <= code <= 599 for code in codes):
            raise LeftOutError("it names no HTTP status codes")
        self._require_only("status", codes)

    def contains(self, text: str) -> None:
        """Require a text in the answer; a second text becomes an expression."""
        if not text:
            raise LeftOutError("it searches for an empty text")
        if "contains" in self.collected:
            self.matches(plain(text))
        else:
            self.collected["contains"] = text

    def matches(self, expression: str) -> None:
        """Require a match of an expression in the answer."""
        self._require_only("matches", engine_expression(expression))

    def path(self, kind: str, path: str) -> None:
        """Require that an XPath (`xpath`) or a JSONPath (`jsonpath`) finds something."""
        if not path.strip():
            raise LeftOutError("it has no path")
        listed = self.collected.setdefault(kind, [])
        if isinstance(listed, list) and path not in listed:
            listed.append(path.strip())

    def length(self, least: int | None, most: int | None) -> None:
        """Limit the answer's length in bytes."""
        for key, value in (("least", least), ("most", most)):
            if value is not None:
                self._require_only(key, value)

    def fault(self, word: str) -> None:
        """Require a SOAP fault to be `absent` or `present`."""
        self._require_only("fault", word)

    def _require_only(self, key: str, value: object) -> None:
        if self.collected.setdefault(key, value) != value:
            raise LeftOutError(f"another assertion already set {key}, and a service can have only one")
