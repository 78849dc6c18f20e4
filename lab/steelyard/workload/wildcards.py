"""Wildcards in expected answers, `{{hole:NAME}}`: values that a service generates (a code, a date), and that later
requests may repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from ..base.errors import ContractError

HOLE = re.compile(r"\{\{hole:([a-z][a-z0-9_]*)\}\}")


def name_of(text: str | None) -> str | None:
    """The name of the wildcard if a text is exactly one; else None."""
    hole = HOLE.fullmatch((text or "").strip())
    return hole[1] if hole else None


def fill(document: str, values: Mapping[str, str]) -> str:
    """A document with every wildcard filled; raises ContractError if no earlier answer had a value."""

    def value(hole: re.Match[str]) -> str:
        if hole[1] not in values:
            raise ContractError(f"no earlier answer had a value for '{hole[1]}', which this request needs")
        return escape(values[hole[1]], {'"': "&quot;"})

    return HOLE.sub(value, document)
