"""The order of cells and the labels of subjects throughout the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..analyse.decisions import tests_in_order
from ..models.records import Cell
from ..results.stored_run import Run
from .drawing import COLOURS, DASHES, PATHS, Picture, shape_of


def cells(run: Run) -> list[Cell]:
    """The cells in display order, the primary one first."""
    return sorted(run.schedule.cells, key=lambda cell: not cell.primary)


def cell_word(run: Run) -> str:
    """The word for a cell as a column heading."""
    return "test" if tests_in_order(run) else "operation"


def full_label(run: Run, label: str) -> str:
    """A subject's label, with its permanent caveats."""
    known = ["floor"] if label in run.floors else []
    known += [f"JDK {major}" for subject, major in run.unusual_jdks.items() if subject == label]
    return f"{label} ({', '.join(known)})" if known else label


def present(pictures: Iterable[Picture | None]) -> tuple[Picture, ...]:
    """The pictures, without missing ones."""
    return tuple(shown for shown in pictures if shown is not None)


def legend(run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Subject, colour, path of its shape, and its dash pattern, as in the charts."""
    for place, label in enumerate(run.schedule.subjects):
        colour = f"var(--series-{place % len(COLOURS)})"
        dash = " ".join(str(length) for length in DASHES[place % len(DASHES)])
        yield full_label(run, label), colour, PATHS[shape_of(place)], dash


def text(value: object) -> str:
    """A value of a stored study if it is text, else an empty string."""
    return value if isinstance(value, str) else ""
