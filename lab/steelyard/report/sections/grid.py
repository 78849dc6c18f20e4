"""The grid of a study: every payload and number of users, as one heat map per operation and subject."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis, wording_of
from ..charts.heat_map import heat_map
from ..section import Section
from ..subjects import present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no cell has its own payload or family."""
    schedule = analysis.run.schedule
    gridded = {cell.name for cell in schedule.cells if cell.in_grid}
    if not gridded:
        return None
    against = [
        judgement
        for judgement in analysis.judgements
        if judgement.compared.cell.name in gridded
        and judgement.compared.b == schedule.reference
        and judgement.compared.measure.name == judgement.compared.cell.primary_measure
    ]
    pictures = [
        heat_map(
            f"grid-{place}-{operation}",
            operation,
            [
                judgement
                for judgement in against
                if judgement.compared.a == subject and judgement.compared.cell.operation == operation
            ],
        )
        for place, subject in enumerate(schedule.subjects)
        for operation in dict.fromkeys(cell.operation for cell in schedule.cells)
    ]
    shown = present(pictures)
    if not shown:
        return None
    judged = [judgement for judgement in against if judgement.compared.primary]
    return {
        "maps": shown,
        "sentences": [wording_of(analysis.run, judgement) for judgement in judged if len(judged) > 1],
    }


SECTION = Section("grid", content)
