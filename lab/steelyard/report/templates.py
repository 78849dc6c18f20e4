"""The pages' templates: what a run says is escaped, and what a template lacks is an error."""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def templates(*packages: str) -> Environment:
    """The templates of these rooms, the first that has one, and of the report, whose frame is every page's."""
    return Environment(
        loader=ChoiceLoader([PackageLoader("steelyard", room) for room in (*packages, "report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
