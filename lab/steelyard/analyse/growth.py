"""The fall of each subject's throughput with message size in a grid, operation by operation, if there are enough sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..base.errors import InsufficientDataError
from ..results.tables import request_bytes, stored_sizes
from ..statistics.growth import LEAST_SIZES, Growth, growth
from .analysis import Analysis
from .figures import ForkFigure
from .indices import TPS

MEMORY = "memory"


@dataclass(frozen=True)
class Grown:
    """A subject's throughput by request size of one operation, at one number of users.

    `points` are the figures over all forks by size in bytes, including those without a value, and `memory` those of that measure.
    `law` is None where too few sizes have a value, with the reason in `why_not`.
    """

    operation: str
    users: int
    subject: str
    points: Mapping[float, ForkFigure]
    memory: Mapping[float, ForkFigure]
    law: Growth | None
    why_not: str

    @property
    def largest_answered(self) -> float | None:
        """The largest size with a throughput, if a larger size was sent and has none; else None."""
        answered = [size for size, point in self.points.items() if point.value is not None]
        return max(answered) if answered and max(answered) < max(self.points) else None


def growth_rows(analysis: Analysis) -> Iterator[Grown]:
    """One row for each operation with at least five sizes, number of users and subject, in the schedule's order."""
    run = analysis.run
    sizes_of, formats = stored_sizes(run.folder / "corpus"), run.formats
    series: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
    for cell in run.schedule.cells:
        for subject in run.schedule.subjects:
            size = request_bytes(cell, sizes_of, formats.get(subject, ""))
            if cell.payload and size is not None:
                series.setdefault((cell.operation, cell.users), {}).setdefault(subject, {})[cell.name] = size
    by_place: dict[tuple[str, str, str], list[ForkFigure]] = {}
    for figure in analysis.figures:
        if figure.measure.name in (TPS, MEMORY):
            by_place.setdefault((figure.cell.name, figure.subject, figure.measure.name), []).append(figure)
    for (operation, users), by_subject in series.items():
        for subject, sizes in by_subject.items():
            if len(set(sizes.values())) < LEAST_SIZES:
                continue
            figures = {size: by_place.get((cell, subject, TPS), []) for cell, size in sizes.items()}
            memory = {size: by_place.get((cell, subject, MEMORY), []) for cell, size in sizes.items()}
            law, why_not = _law(figures)
            yield Grown(operation, users, subject, _complete_figures(figures), _complete_figures(memory), law, why_not)


def _complete_figures(figures: Mapping[float, Sequence[ForkFigure]]) -> dict[float, ForkFigure]:
    return {size: each for size, of_size in sorted(figures.items()) for each in of_size if each.fork is None}


def _law(figures: Mapping[float, Sequence[ForkFigure]]) -> tuple[Growth | None, str]:
    """The fitted fall over the sizes with a value, from the forks that have one at each of these sizes."""
    by_size = {
        size: {each.fork: each.value for each in of_size if each.fork is not None and each.value is not None}
        for size, of_size in figures.items()
    }
    with_values = {size: values for size, values in by_size.items() if values}
    forks = set.intersection(*(set(values) for values in with_values.values())) if with_values else set()
    try:
        return growth(
            list(with_values), [[values[fork] for values in with_values.values()] for fork in sorted(forks)]
        ), ""
    except InsufficientDataError as error:
        return None, error.message
