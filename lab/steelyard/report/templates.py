"""The environment of the page templates: text from runs is escaped, and missing values are errors."""

from __future__ import annotations

import functools

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


@functools.cache
def templates(*packages: str) -> Environment:
    """The templates of these packages, the first match wins, and those of the report, which has the frame of every page.

    Each template is compiled once in a process.
    """
    return Environment(
        loader=ChoiceLoader([PackageLoader("steelyard", package) for package in (*packages, "report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
