"""The evidence: every fork and pair of the judged comparisons, and the ranking."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...analyse.verdicts import ranks
from ..charts.ranking import ranking_chart
from ..charts.ratios import ratio_chart
from ..drawing import Picture
from ..section import Section
from ..subjects import present

MOST_OPEN = 4  # pictures; of more only the first, with all subjects, is not folded


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where there are tests, which have their own evidence, and where nothing was compared."""
    pictures = () if tests_in_order(analysis.run) else _ratios(analysis)
    unfolded = len(pictures) if len(pictures) <= MOST_OPEN else 1
    return {"ratios": pictures[:unfolded], "folded": pictures[unfolded:]} if pictures else None


def _ratios(analysis: Analysis) -> tuple[Picture, ...]:
    reference = analysis.run.schedule.reference
    primary = [
        judgement
        for judgement in analysis.judgements
        if judgement.compared.primary and judgement.compared.b == reference
    ]
    margin = analysis.run.schedule.margin
    ranking = ranking_chart(primary, ranks(analysis.run, analysis.judgements), analysis.run.floors, margin)
    many = len(primary) + (ranking is not None) > MOST_OPEN
    evidence = (
        ratio_chart(
            place, judgement, margin, alone=len(primary) == 1, small=many and (place > 0 or ranking is not None)
        )
        for place, judgement in enumerate(primary)
    )
    return present([ranking, *evidence])


SECTION = Section("evidence", content)
