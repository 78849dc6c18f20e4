"""The claims of the study's paper beside this run's values, and the word for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...analyse.analysis import Analysis
from ...analyse.claims import (
    JudgedClaim,
    answer_text,
    fork_values,
    judge_claims,
    numbers_text,
    remarks_text,
    tally_text,
    tolerance_text,
)
from ...base.csvfiles import is_stored
from ...catalogue.published_layers import LAYERS
from ...catalogue.published_tables import contradiction_by, layer_quantities, stored_conclusions
from ...models.published_conclusions import ContradictedClaim, PaperClaim
from ..charts.claims import claims_chart
from ..section import Section
from ..subjects import text


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the study has no claims."""
    study, folder = analysis.run.study, analysis.run.folder
    conclusions = stored_conclusions(folder)
    judged = list(judge_claims(conclusions.claims, analysis.verdicts, fork_values(analysis.figures)))
    here = [claim for claim in judged if claim.answer is not None]
    parts = {
        "quoted": [] if judged else list(_quotations(study)),
        "tally": tally_text(here) if here else "",
        "picture": claims_chart("paper-claims", {claim.claim.id: claim for claim in here}),
        "here": [claim_cells(claim) for claim in here],
        "elsewhere": [_printed_cells(each.claim) for each in judged if each.answer is None],
        "contradicting": list(_contradicting(study)),
        "contradicted": list(_contradicted_claims(folder, conclusions.contradicted)),
        "differences": [difference.sentence for difference in analysis.verdicts.differences],
    }
    if not any(parts.values()):
        return None
    return {**parts, "paper": _paper(study), "setting": conclusions.setting}


def _printed_cells(claim: PaperClaim) -> tuple[str, str, str]:
    return claim.text, claim.place, numbers_text(claim)


def claim_cells(judged: JudgedClaim) -> tuple[str, ...]:
    """A claim's row: text, place, number, tolerance, our value with its interval, word, origin of the interval, and remarks."""
    claim, answer = judged.claim, judged.answer
    return (
        claim.text,
        claim.place,
        numbers_text(claim),
        tolerance_text(claim),
        answer_text(claim, answer),
        judged.word,
        answer.how if answer else "",
        remarks_text(judged),
    )


def _tables(study: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = study.get(key, [])
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _contradicting(study: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    for contradiction in _tables(study, "contradicting"):
        unit = text(contradiction.get("unit"))
        said = [
            f"{_span(statement)} {unit} ({text(statement.get('source'))})"
            for statement in _tables(contradiction, "statements")
        ]
        yield {"about": text(contradiction.get("about")), "said": " and ".join(said)}


def _contradicted_claims(folder: Path, claims: Sequence[ContradictedClaim]) -> Iterator[tuple[str, str]]:
    """Claims that the paper's own tables of layers and measures contradict; claims on other tables are shown with these."""
    if not is_stored(folder / LAYERS):
        return
    numbers = layer_quantities(folder)
    for claim in claims:
        checked = contradiction_by(claim, numbers)
        if checked.holds:
            yield f"{claim.text} (section {claim.section})", str(checked)


def _span(entry: Mapping[str, Any]) -> str:
    low, high = entry.get("low"), entry.get("high")
    return f"{low:g}" if low == high and isinstance(low, int | float) else f"{low} to {high}"


def _quotations(study: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    claims = study.get("claims", [])
    for claim in claims if isinstance(claims, list) else []:
        if isinstance(claim, Mapping) and text(claim.get("text")):
            yield {name: text(claim.get(name)) for name in ("text", "setting", "source")}


def _paper(study: Mapping[str, Any]) -> str:
    paper = study.get("paper")
    if not isinstance(paper, Mapping):
        return ""
    return ", ".join(str(paper[name]) for name in ("authors", "year", "title") if name in paper)


SECTION = Section("paper_claims", content)
