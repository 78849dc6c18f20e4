"""The designs: the order of subjects, and which conclusions it allows.

To add one, add a file, and its name to `DESIGNS`.
"""

from __future__ import annotations

from .alternating import Alternating, AlternatingFrozen
from .apart import Apart
from .as_it_runs import AsItRuns
from .as_published import AsPublished
from .design import Design
from .each_alone import EachAlone
from .one_at_a_time import OneAtATime
from .sequential import Sequential

__all__ = ["APART", "AS_IT_RUNS", "AS_PUBLISHED", "DESIGNS", "EACH_ALONE", "Design", "design_named"]

APART = Apart()
AS_IT_RUNS = AsItRuns()
AS_PUBLISHED = AsPublished()
EACH_ALONE = EachAlone()
DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Alternating(),
        AlternatingFrozen(),
        Sequential(),
        OneAtATime(),
        APART,
        AS_IT_RUNS,
        AS_PUBLISHED,
        EACH_ALONE,
    )
}


def design_named(name: str) -> Design:
    """The design with this name."""
    return DESIGNS[name]
