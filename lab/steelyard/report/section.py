"""What a section of the report is: what it needs of an analysis; `sections/NAME.html` draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..analyse.analysis import Analysis


@dataclass(frozen=True)
class Section:
    """A part of the page. `content` gives what the template of the same name shows as `section`; None leaves the section out.

    `of_faults`: it also has something to say of a run that breaks what it runs, where nothing is timed and nobody compared;
    `of_running`: of a run whose subjects ran before, which has no verdict.
    """

    name: str
    content: Callable[[Analysis], Mapping[str, object] | None]
    of_faults: bool = False
    of_running: bool = False
