"""The first screen: the result in a sentence and a picture, three facts and the caveats that matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import ran_already
from ...analyse.decisions import judged_by
from ...analyse.faults import is_of_faults
from ...analyse.ratios import Compared
from ...analyse.verdicts import ranks
from ...base.text import percent_text, plural, spoken_range
from ...models.records import Cell
from ...models.verdict import Elsewhere
from ...plan.kinds import kind_of
from ..badges import badges
from ..charts.verdict_forest import verdict_forest
from ..dates import measuring_text, when_text
from ..drawing import Picture
from ..headline import headline
from ..section import Section
from ..subjects import short_labels
from . import measured

FIRST_FACTS = (
    "judged by",
    "tests",
    "confidence",
    "machine",
    "measured",
    "duration",
)  # the first three of a run are shown


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Always present: one sentence, one picture, at most three facts, and the caveats as badges."""
    run, best = analysis.run, headline(analysis)
    names = short_labels(run.schedule.subjects)
    is_running = ran_already(run.schedule)
    known, first = (measured.facts(analysis), measured.FIRST_FACTS) if is_running else (facts(analysis), FIRST_FACTS)
    values = dict(known)
    return {
        "sentence": names.in_sentence(best.verdict),
        "reasons": names.in_sentence(best.reasons),
        "shared_label": names.shared,
        "valid": analysis.verdicts.valid,
        "why_not": analysis.verdicts.why_not if is_running else [],
        "picture": measured.picture(analysis) if is_running else _forest(analysis),
        "facts": [(name, values[name]) for name in first if name in values][:3],
        "badges": list(badges(analysis)),
    }


def _forest(analysis: Analysis) -> Picture | None:
    """None where there is no verdict, or nothing to compare."""
    run = analysis.run
    if not analysis.verdicts.valid:
        return None
    judged = [
        (judgement, comparison.elsewhere)
        for judgement, comparison in zip(analysis.judgements, analysis.verdicts.comparisons, strict=True)
        if judgement.compared.primary and judgement.compared.b == run.schedule.reference
    ]
    order = [place.subject for place in ranks(run, analysis.judgements)]
    names = short_labels(run.schedule.subjects).shown
    return verdict_forest(judged, order, run.floors, names, run.schedule.margin)


def facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Judged measure, load, confidence, machine, date and duration, as names and values."""
    primary = [judgement.compared for judgement in analysis.judgements if judgement.compared.primary]
    blocks = [cell for cell in analysis.run.schedule.cells if not kind_of(cell).sliced]
    if is_of_faults(analysis.run):
        yield "tests", ", ".join(cell.name for cell in blocks)
        if analysis.run.schedule.scale != 1:
            yield "times scaled by", f"{analysis.run.schedule.scale:g}"
    elif blocks:
        yield "judged by", f"{judged_by(blocks, analysis.measures)}, test by test"
        yield "tests", ", ".join(cell.name for cell in blocks)
        if analysis.run.schedule.scale != 1:
            yield "times scaled by", f"{analysis.run.schedule.scale:g}"
    elif primary:
        judged = list(dict.fromkeys(compared.cell.name for compared in primary))
        where = (
            judged[0]
            if len(judged) == 1
            else f"each of {len(judged)} cells, words adjusted for their number, intervals not"
        )
        yield "judged by", f"{primary[0].measure.title.lower()} on {where}"
        yield "load", ", ".join(dict.fromkeys(_load(compared.cell) for compared in primary))
    if any(compared.forks for compared in primary):
        yield "confidence", f"{_percents(primary)} intervals over {_forks(primary)}"
    expected = [compared.elsewhere for compared in analysis.verdicts.comparisons if compared.elsewhere is not None]
    if len(expected) == 1:
        yield "prediction interval", prediction_text(expected[0])
    if any(compared.forks for compared in primary) and not blocks:
        voided = sum(compared.voided.total() for compared in primary)
        yield "pairs of slices", f"{sum(compared.pairs for compared in primary)}, {voided or 'none'} voided"
    if not is_of_faults(analysis.run):
        yield "margin", f"{analysis.run.schedule.margin:.0%}; smaller differences count as equal"
    if analysis.verdicts.machine:
        yield "machine", analysis.verdicts.machine
    if when := when_text(analysis.run):
        yield "measured", when
    if measuring := measuring_text(analysis.run):
        at_once = analysis.run.schedule.at_once
        beside = f", {at_once} at a time" if at_once > 1 else ""
        yield "duration", f"{measuring}, in {plural(len(analysis.run.trials), 'trial')}{beside}"


def prediction_text(expected: Elsewhere) -> str:
    """The prediction interval on a machine of this kind, and on any machine."""
    like, any_machine = (spoken_range(bounds) for bounds in (expected.interval, expected.any_machine))
    by = [" (assumed deviation)" if assumed else "" for assumed in (expected.assumed, expected.any_machine_assumed)]
    return f"{like} on machines of this kind{by[0]}, {any_machine} on any machine{by[1]}"


def _percents(primary: Sequence[Compared]) -> str:
    return ", ".join(dict.fromkeys(percent_text(compared.confidence) for compared in primary))


def _forks(primary: Sequence[Compared]) -> str:
    counts = sorted({len(compared.counted_forks) for compared in primary})
    return plural(counts[0], "fresh start") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} fresh starts"


def _load(cell: Cell) -> str:
    return "open load at a rate" if cell.profile.kind == "rate" else f"closed load, {plural(cell.users, 'user')}"


SECTION = Section("verdict", content, of_faults=True, of_running=True)
