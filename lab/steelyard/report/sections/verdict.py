"""The first screen: the verdict in words, what stands in its way, what failed, and what to know beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...base.text import counted
from ...models.records import Cell
from ...plan.kinds import kind_of
from ..section import Section
from .failures import deaths


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    verdicts = analysis.verdicts
    return {
        "said": analysis.said,
        "ranked": bool(verdicts.ranks or tests_in_order(analysis.run)),
        "why_not": verdicts.why_not[1:],
        "valid": verdicts.valid,
        "partial": verdicts.status == "partial",
        "deaths": list(deaths(verdicts.failures)),
        "facts": list(_facts(analysis)),
        "notes": verdicts.notes,
    }


def _facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    primary = [judgement.compared for judgement in analysis.judgements if judgement.compared.primary]
    blocks = [cell for cell in analysis.run.schedule.cells if not kind_of(cell).sliced]
    if blocks:
        yield "judged by", "throughput, test by test"
        yield "tests", ", ".join(cell.name for cell in blocks)
        if analysis.run.schedule.scale != 1:
            yield "times scaled by", f"{analysis.run.schedule.scale:g}"
    elif primary:
        judged = list(dict.fromkeys(compared.cell.name for compared in primary))
        where = judged[0] if len(judged) == 1 else f"each of {len(judged)} cells, adjusted for their number"
        yield "judged by", f"{primary[0].measure.title.lower()} on {where}"
        yield "load", ", ".join(dict.fromkeys(_load(compared.cell) for compared in primary))
    if any(compared.forks for compared in primary):
        yield "forks", ", ".join(dict.fromkeys(str(len(compared.counted)) for compared in primary))
    if any(compared.forks for compared in primary) and not blocks:
        voided = sum(compared.voided.total() for compared in primary)
        yield "pairs", f"{sum(compared.pairs for compared in primary)}, {voided or 'none'} voided"
    yield "margin", f"{analysis.run.schedule.margin:.0%}"
    if analysis.verdicts.machine:
        yield "machine", analysis.verdicts.machine


def _load(cell: Cell) -> str:
    return "open, at a rate" if cell.profile.kind == "rate" else f"closed, {counted(cell.users, 'user')}"


SECTION = Section("verdict", content)
