"""The interface of a section: the data that it takes from an analysis. `sections/NAME.html` renders it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..analyse.analysis import Analysis


@dataclass(frozen=True)
class Section:
    """A part of the page.

    `content` returns the data of the template with the same name; None leaves the section out. `of_faults`: it also applies to a
    run with faults, which times nothing. `of_running`: it also applies to a run of subjects that ran before, which has no
    verdict.
    """

    name: str
    content: Callable[[Analysis], Mapping[str, object] | None]
    of_faults: bool = False
    of_running: bool = False
