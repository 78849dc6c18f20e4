"""Finds the name of an XML file's root element from the file's beginning."""

from __future__ import annotations

import re

_BEFORE = re.compile(r"\ufeff|\s+|<\?.*?\?>|<!--.*?-->|<![^\[>]*>", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")


def root_of(head: str) -> str:
    """The local name of the first element; empty if there is none."""
    at = 0
    while match := _BEFORE.match(head, at):
        at = match.end()
    root = _ROOT.match(head, at)
    return root[1] if root else ""
