"""The claims of the study's paper, in its words and setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...analyse.analysis import Analysis
from ...base.csvfiles import is_stored
from ...base.formula import parse
from ...base.text import value_text
from ...catalogue.published_layers import LAYERS
from ...catalogue.published_tables import CLAIMS, contradiction_by, layer_quantities, read_conclusions
from ...models.verdict import Verdicts
from ..section import Section
from ..subjects import full_label, text


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the study has no claims."""
    study = analysis.run.study
    parts = {
        "claims": list(_claims(study)),
        "figures": [_figure(published, analysis) for published in _tables(study, "published")],
        "contradicting": list(_contradicting(study)),
        "contradicted": list(_contradicted_claims(analysis.run.folder)),
        "tried": list(_tested_claims(analysis)),
        "differences": [difference.sentence for difference in analysis.verdicts.differences],
    }
    return {**parts, "paper": _paper(study)} if any(parts.values()) else None


def _tables(study: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = study.get(key, [])
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _figure(published: Mapping[str, Any], analysis: Analysis) -> Mapping[str, str]:
    """A figure of the paper's text, and this run's figure of the same subject and tests if there is one."""
    measure, subject = text(published.get("measure")), text(published.get("subject"))
    wanted = published.get("tests", [])
    cells = [str(test) for test in wanted] if isinstance(wanted, list) else []
    ours = [
        f"{value_text(value)} ({cell})"
        for cell in cells
        if (value := own_figure(published, cell, analysis.verdicts)) is not None
    ]
    than = text(published.get("than"))
    known = analysis.measures.get(measure)
    return {
        "measure": known.title if known is not None else measure,
        "unit": "%" if published.get("by") == "percent" else known.unit if known is not None else "",
        "subject": f"{subject}, more than {than}" if than else subject,
        "tests": ", ".join(cells),
        "paper": _span(published),
        "ours": ", ".join(ours),
        "source": text(published.get("source")),
    }


def own_figure(published: Mapping[str, Any], cell: str, verdicts: Verdicts) -> float | None:
    """The run's own figure in a cell, or its difference to another subject's; None where it has none."""
    values = {
        figure.subject: figure.value
        for figure in verdicts.figures
        if figure.measure == published.get("measure") and figure.cell == cell and figure.value is not None
    }
    value = values.get(text(published.get("subject")))
    if value is None or not published.get("than"):
        return value
    other = values.get(text(published.get("than")))
    if other is None:
        return None
    if published.get("by") == "percent":
        return 100 * (value / other - 1) if other else None
    return value - other


def _contradicting(study: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    for contradiction in _tables(study, "contradicting"):
        unit = text(contradiction.get("unit"))
        said = [
            f"{_span(statement)} {unit} ({text(statement.get('source'))})"
            for statement in _tables(contradiction, "statements")
        ]
        yield {"about": text(contradiction.get("about")), "said": " and ".join(said)}


def _contradicted_claims(folder: Path) -> Iterator[tuple[str, str]]:
    """Claims that the paper's own tables of layers and measures contradict; claims on other tables are shown with these."""
    if not is_stored(folder / LAYERS) or not is_stored(folder / CLAIMS):
        return
    numbers = layer_quantities(folder)
    for claim in read_conclusions(folder / CLAIMS).claims:
        checked = contradiction_by(claim, numbers)
        if checked.holds:
            yield f"{claim.text} (section {claim.section})", str(checked)


def _tested_claims(analysis: Analysis) -> Iterator[tuple[str, str, str, str, str]]:
    """Each claim that the study's own figures can test: section, text, subject, its figure, and the result."""
    run = analysis.run
    if not is_stored(run.folder / CLAIMS):
        return
    for claim in read_conclusions(run.folder / CLAIMS).tried:
        formula = parse(claim.figure, frozenset(), histograms=False, prefixes=("",))
        values = {
            subject: formula.evaluate(_quantities(analysis, subject), lambda *_: None)
            for subject in _claimed_of(run.schedule.subjects)
        }
        told = {subject: value for subject, value in values.items() if value is not None}
        for subject, value in told.items():
            shown = value_text(value) + ("%" if claim.unit == "%" else f" {claim.unit}".rstrip())
            word = "as claimed" if claim.is_confirmed(value) else "not so here"
            yield claim.section, claim.text, full_label(run, subject), f"{shown}: {claim.meaning}", word
        if not told:
            yield claim.section, claim.text, "", "", "not in this run"


def _quantities(analysis: Analysis, subject: str) -> dict[str, float]:
    """The figures of a subject and its variants with a set of factors, under the names that claims use (TriedClaim)."""
    verdicts = analysis.verdicts
    named: dict[str, float] = {}
    for layer in (*verdicts.layers, *verdicts.layers_by_kind):
        if (own := _its_set(layer.subject, subject)) is not None:
            name = _name(layer.cell, own, layer.kind, layer.layer)
            named |= {f"{name}_percent": layer.percent, f"{name}_ms": layer.ms}
    for figure in verdicts.figures:
        if figure.value is not None and (own := _its_set(figure.subject, subject)) is not None:
            named[_name(figure.cell, own, figure.measure)] = figure.value
    return named


def _claimed_of(subjects: Sequence[str]) -> list[str]:
    """The subjects that claims are tested for.

    All except those that are another subject with a set of factors; and their base subjects, if these were not run.
    """
    bases = {subject: subject.rpartition("@")[0] for subject in subjects}
    alone = [subject for subject in subjects if bases[subject] not in subjects]
    return list(dict.fromkeys([*alone, *(bases[subject] for subject in alone if bases[subject])]))


def _its_set(label: str, subject: str) -> str | None:
    """The set of factors that turns the subject into the one with this label, "" for itself; None for another subject."""
    without, _, factors = label.rpartition("@")
    return "" if label == subject else factors if without == subject else None


def _name(*parts: str) -> str:
    return "_".join(part for part in parts if part).replace("-", "_")


def _span(entry: Mapping[str, Any]) -> str:
    low, high = entry.get("low"), entry.get("high")
    return f"{low:g}" if low == high and isinstance(low, int | float) else f"{low} to {high}"


def _claims(study: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
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
