"""Faults and the outcome of work: one row per subject and fault, with counts, frequencies and goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analyse.analysis import Analysis
from ...base.text import percent_text
from ...models.verdict import FaultOutcome, FaultRow
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a run without faults."""
    rows, aftermath = analysis.verdicts.faults, analysis.run.schedule.aftermath
    if not rows or aftermath is None:
        return None
    headings, cells = fault_table(rows)
    return {
        "headings": headings,
        "rows": cells,
        "work": aftermath.work,
        "confidence": percent_text(rows[0].confidence),
        "meanings": [(outcome.title, outcome.meaning) for outcome in aftermath.outcomes],
        "promises": _limit_rows(rows),
        "cases": _cases(analysis),
        "at_once": analysis.run.schedule.at_once,
    }


def fault_table(rows: Sequence[FaultRow]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and rows as text. The cell of an outcome is its count, and if not 0 its frequency with interval."""
    titles = [outcome.title for outcome in rows[0].outcomes]
    headings = ("subject", "fault", "faults", "accepted", *titles)
    return headings, [
        (
            row.subject,
            row.title,
            _count_text(row),
            f"{row.accepted:,}",
            *(_cell(outcome, row.times) for outcome in row.outcomes),
        )
        for row in rows
    ]


def _count_text(row: FaultRow) -> str:
    of_planned = "" if row.times == row.planned else f" of {row.planned}"
    away = f", {row.not_back} not back" if row.not_back else ""
    left = f", {row.unsettled} not settled" if row.unsettled else ""
    return f"{row.times}{of_planned}{away}{left}"


def _cell(outcome: FaultOutcome, times: int) -> str:
    if not times:
        return "-"
    low, high = outcome.share
    often = f"in\u00a0{outcome.hit} ({100 * low:.0f}\u00a0to\u00a0{100 * high:.0f}%)"  # a line breaks between the two, not within
    broken = f", {outcome.broken} beyond {outcome.promised}" if outcome.broken else ""
    return f"{outcome.total:,}\u00a0{often}{broken}"


def _limit_rows(rows: Sequence[FaultRow]) -> list[tuple[str, ...]]:
    """Subject, fault, outcome, the most allowed after one fault, the worst case, and the reason for the limit."""
    return [
        (row.subject, row.title, outcome.title, str(outcome.promised), str(outcome.most), outcome.why)
        for row in rows
        for outcome in row.outcomes
        if outcome.promised is not None
    ]


def _cases(analysis: Analysis) -> list[tuple[str, ...]]:
    """Each fault: when it was injected, its length, the time until all work was done, and the counts above 0."""
    outcomes = {outcome.outcome: outcome.title for row in analysis.verdicts.faults for outcome in row.outcomes}
    return [
        (
            str(trial.number),
            record.subject,
            record.fault,
            f"{record.at_seconds:.1f}",
            f"{record.away_seconds:.1f}",
            f"{record.settle_seconds:.1f}",
            str(record.counts.get("accepted", "-")),
            record.message
            or ", ".join(
                f"{count} {outcomes.get(name, name)}"
                for name, count in record.counts.items()
                if count and name != "accepted"
            )
            or "nothing",
        )
        for trial in analysis.run.trials
        for record in trial.record_or_empty.faults
    ]


SECTION = Section("faults", content, of_faults=True)
