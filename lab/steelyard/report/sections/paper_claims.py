"""The paper's question with this run's answer: its claims beside this run's values, and what differs between then and now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...analyse.analysis import Analysis
from ...analyse.claims import answer_sentences, fork_values, judge_claims, numbers_text
from ...base.csvfiles import is_stored
from ...base.text import bytes_text
from ...catalogue.published_layers import LAYERS
from ...catalogue.published_tables import contradiction_by, layer_quantities, stored_conclusions
from ...models.published_conclusions import ContradictedClaim, PaperClaim
from ...results.stored_run import Run
from ..charts.claims import claims_chart
from ..claim_rows import claim_row
from ..section import Section
from ..subjects import text


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the study has no claims."""
    study, folder = analysis.run.study, analysis.run.folder
    conclusions = stored_conclusions(folder)
    judged = list(judge_claims(conclusions.claims, analysis.verdicts, fork_values(analysis.figures)))
    here = [claim for claim in judged if claim.answer is not None]
    compared = _then_and_now(analysis, conclusions.setting)
    parts = {
        "quoted": [] if judged else list(_quotations(study)),
        "answer": answer_sentences(judged),
        "here": [claim_row(claim) for claim in here],
        "compared": compared if judged else [],
        "picture": claims_chart("paper-claims", {claim.claim.id: claim for claim in here}),
        "elsewhere": [_printed_cells(each.claim) for each in judged if each.answer is None],
        "contradicting": list(_contradicting(study)),
        "contradicted": list(_contradicted_claims(folder, conclusions.contradicted)),
        "differences": [difference.sentence for difference in analysis.verdicts.differences],
    }
    if not any(parts.values()):
        return None
    return {**parts, "paper": _paper(study)}


def _printed_cells(claim: PaperClaim) -> tuple[str, str, str]:
    return claim.text, claim.place, numbers_text(claim)


def _then_and_now(analysis: Analysis, setting: str) -> list[tuple[str, str, str]]:
    """What differs between the paper's measurement and this run: the aspect, the paper's and ours; empty without a paper."""
    run, paper = analysis.run, analysis.run.study.get("paper")
    if not isinstance(paper, Mapping):
        return []
    begun = min((trial.record.begun for trial in run.trials if trial.record is not None), default="")
    rows = [
        ("year", str(paper.get("year", "")), begun[:4]),
        ("servers and machines", setting, "; ".join(part for part in (_software(run), _machine(analysis)) if part)),
    ]
    if run.schedule.scale != 1:
        rows.append(("times of the tests", "as the paper has them", f"scaled by {run.schedule.scale:g}"))
    return [row for row in rows if row[1] and row[2]]


def _software(run: Run) -> str:
    """The products of all subjects with their versions, and the JDKs, each once."""
    subjects = run.environment.get("subjects")
    listed = [parts for parts in subjects.values() if isinstance(parts, list)] if isinstance(subjects, Mapping) else []
    parts = [part for of_one in listed for part in of_one if isinstance(part, Mapping)]
    products = [f"{part.get('title', '')} {part.get('version', '')}".strip() for part in parts]
    jdks = [str(part["jdk"]) for part in parts if part.get("jdk")]
    return ", ".join(dict.fromkeys([*filter(None, products), *jdks]))


def _machine(analysis: Analysis) -> str:
    """The machine with its memory and system, and the way of the load."""
    environment = analysis.run.environment
    machine = environment.get("machine")
    known = machine if isinstance(machine, Mapping) else {}
    memory = known.get("memory_bytes")
    parts = [
        analysis.verdicts.machine,
        bytes_text(memory) if isinstance(memory, int) else "",
        text(known.get("kernel")),
        f"load over {text(environment.get('network'))}" if text(environment.get("network")) else "",
    ]
    return ", ".join(part for part in parts if part)


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


SECTION = Section("paper_claims", content, of_faults=True)
