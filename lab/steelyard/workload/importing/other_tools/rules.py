"""Assertions of other tools as rules of `expect`, as far as they map."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .imported_requests import LeftOutError

_BACKTRACKS = re.compile(r"\(\?(?:=|!|<[=!])|\\[1-9]|\(\?>|[*+?}]\+")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]()|\\]")


def plain(text: str) -> str:
    """The expression that finds a text as it is, in the engine's words as in those of other tools."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass
class Rules:
    """Rules that gather; each method raises LeftOutError where a rule does not fit beside those that stand."""

    said: dict[str, object] = field(default_factory=dict)

    def status(self, codes: list[int]) -> None:
        """One of these codes is right."""
        if not codes or not all(100 <= code <= 599 for code in codes):
            raise LeftOutError("it names no status codes of HTTP")
        self._require_only("status", codes)

    def contains(self, text: str) -> None:
        """A text stands in the answer; a second one is said by an expression."""
        if not text:
            raise LeftOutError("it looks for an empty text")
        if "contains" in self.said:
            self.matches(plain(text))
        else:
            self.said["contains"] = text

    def matches(self, expression: str) -> None:
        """An expression is found in the answer."""
        if _BACKTRACKS.search(expression):
            raise LeftOutError("its expression looks around itself or back, which the engine's do not")
        try:
            re.compile(expression)
        except (re.error, RecursionError, OverflowError) as error:
            raise LeftOutError(f"its expression cannot be read: {error}") from None
        self._require_only("matches", expression)

    def path(self, kind: str, path: str) -> None:
        """An XPath (`xpath`) or a JSONPath (`jsonpath`) finds something."""
        if not path.strip():
            raise LeftOutError("it has no path")
        listed = self.said.setdefault(kind, [])
        if isinstance(listed, list) and path not in listed:
            listed.append(path.strip())

    def length(self, least: int | None, most: int | None) -> None:
        """The answer has so many bytes."""
        for key, value in (("least", least), ("most", most)):
            if value is not None:
                self._require_only(key, value)

    def fault(self, word: str) -> None:
        """A SOAP fault is `absent` or `present`."""
        self._require_only("fault", word)

    def _require_only(self, key: str, value: object) -> None:
        if self.said.setdefault(key, value) != value:
            raise LeftOutError(f"another assertion has said {key} already, and a service's rules have one")
