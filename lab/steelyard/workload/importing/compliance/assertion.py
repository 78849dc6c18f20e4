"""One assertion of the Basic Profile: its number, what it asks for in our words, and the look that tells whether it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from .described import Described

Level = Literal["must", "should"]
ProfileName = Literal["1.1", "2.0"]
BOTH: tuple[ProfileName, ...] = ("1.1", "2.0")
# What was looked at, and what is wrong with it (None: nothing). Where nothing was looked at, an assertion does not apply.
Looks = Iterator[tuple[etree._Element, str | None]]


@dataclass(frozen=True)
class Assertion:
    """An assertion of the `profiles`; `look` goes over everything that it is about."""

    number: str
    text: str
    look: Callable[[Described], Looks]
    level: Level = "must"
    profiles: tuple[ProfileName, ...] = BOTH


def unless(kept: bool, problem: str) -> str | None:
    """The problem, unless what was looked at is as it should be."""
    return None if kept else problem
