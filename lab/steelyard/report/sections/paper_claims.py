"""What the study's paper found, in its words and setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...analyse.analysis import Analysis
from ..section import Section
from ..subjects import text


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where the study states no claim."""
    claims = list(_claims(analysis.run.study))
    return {"claims": claims, "paper": _paper(analysis.run.study)} if claims else None


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
