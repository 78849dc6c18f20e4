"""Writes docs/results/claims.md and its picture, the papers' claims against kept runs: `python tools/claims.py [--check]`.

All figures are read from the verdicts.json and results.csv of the kept runs, and the claims from papers/*/claims.toml.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kept import ROOT, keep
from steelyard.analyse.claims import (
    JudgedClaim,
    answer_text,
    judge_claims,
    numbers_text,
    remarks_text,
    stored_fork_values,
    tally_text,
    tolerance_text,
)
from steelyard.base.csvfiles import read_document
from steelyard.catalogue import entries
from steelyard.catalogue.published_tables import CLAIMS, read_conclusions
from steelyard.models.published_conclusions import PaperClaim
from steelyard.models.verdict import Verdicts
from steelyard.report.charts.claims import claims_chart
from steelyard.report.drawing import standalone
from steelyard.statistics.claims import ClaimWord, judge_claim

PAGE = ROOT / "docs" / "results" / "claims.md"
CHART = PAGE.with_suffix(".svg")
INTRODUCTION = """\
# The papers' claims today

This page is made by `make claims` from `papers/*/claims.toml` and the kept runs. Each claim is in our words, with its place in the
paper and what the paper prints there. `Tolerance` is where the claim counts as true, in the claim's unit. `Ours` is the value of a
kept run with its 95% interval, and links to the run.

| word | meaning |
|---|---|
| holds | the whole interval lies within the tolerance |
| does not hold | the whole interval lies outside of it |
| undecided | the interval crosses an edge, or the run gives no valid interval |
| not comparable | ours answers another question, for the reason given |
| not run | no kept run answers it |

A ratio of two servers in one test is the run's own comparison, from pairs of slices. Other ratios and differences are taken fork
by fork, where forks have both values. Shares of layers, and values of separate forks, span the farthest ends of their parts'
intervals, so they err on the wide side. Where no request failed, the interval is that of Clopper and Pearson for the requests. Each
interval is at 95% by itself: among many, a few miss the true value. All runs are of machines with two processors and of today's
software. A word is about this setting, not about the paper's own measurement.
"""


@dataclass(frozen=True)
class Paper:
    """A paper with its judged claims; `folder` holds its study and its kept runs."""

    folder: Path
    citation: str
    setting: str
    claims: Sequence[JudgedClaim]


def papers() -> Iterator[Paper]:
    """Every paper with claims, by the year of its study."""
    for path in sorted(ROOT.glob(f"papers/*/{CLAIMS}"), key=lambda path: (cited(path.parent)[0], path)):
        conclusions = read_conclusions(path)
        citation = cited(path.parent)[1]
        yield Paper(path.parent, citation, conclusions.setting, list(judged(path.parent, conclusions.claims)))


def cited(folder: Path) -> tuple[int, str]:
    """The year of a folder's paper, and its authors, year and title."""
    paper = entries.study(str(folder / f"{folder.name}.toml")).model.paper
    assert paper is not None
    return paper.year, f"{paper.authors}, {paper.year}, *{paper.title}*"


def judged(folder: Path, claims: Sequence[PaperClaim]) -> Iterator[JudgedClaim]:
    """Each claim by the kept run that it names. Raises AssertionError where that run has no such value."""
    runs = {name: folder / "results" / name for name in {claim.run for claim in claims} - {""}}
    verdicts = {name: Verdicts.model_validate(read_document(run / "verdicts.json")) for name, run in runs.items()}
    values = {name: stored_fork_values(run) for name, run in runs.items()}
    for claim in claims:
        if not claim.run:
            yield JudgedClaim(claim, None, judge_claim(None, claim, ran=False))
            continue
        (one,) = judge_claims([claim], verdicts[claim.run], values[claim.run])
        assert one.answer is not None, f"{folder.name}: {claim.run} has no value for the claim '{claim.id}'"
        yield one


def counts(found: Sequence[Paper]) -> str:
    """A table with the number of claims by paper and word, and of all."""
    lines = [f"| paper | claims | {' | '.join(ClaimWord)} |", "|---" * (len(ClaimWord) + 2) + "|"]
    every = [claim for paper in found for claim in paper.claims]
    rows = [(f"[{paper.folder.name}](#{paper.folder.name})", paper.claims) for paper in found] + [("all", every)]
    for name, claims in rows:
        words = Counter(claim.word for claim in claims)
        lines.append(f"| {name} | {len(claims)} | {' | '.join(str(words[word]) for word in ClaimWord)} |")
    return "\n".join(lines)


def section(paper: Paper) -> str:
    """A paper's heading, citation and table."""
    lines = ["| claim | place | paper | tolerance | ours | word | remark |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row(paper, claim))} |" for claim in paper.claims]
    heading = f"## {paper.folder.name}\n\n{paper.citation}. {paper.setting}.\n\n{tally_text(paper.claims)}"
    return f"{heading}\n\n" + "\n".join(lines)


def row(paper: Paper, judged_claim: JudgedClaim) -> tuple[str, ...]:
    """A claim's cells."""
    claim, answer = judged_claim.claim, judged_claim.answer
    ours = answer_text(claim, answer)
    if claim.run:
        ours = f"[{ours or 'no value'}](../../{paper.folder.relative_to(ROOT).as_posix()}/results/{claim.run}/)"
    return (
        claim.text,
        claim.place,
        numbers_text(claim),
        tolerance_text(claim),
        ours,
        judged_claim.word,
        remarks_text(judged_claim),
    )


def chart(found: Sequence[Paper]) -> str:
    """The picture of all judged claims, as an SVG file."""
    labels: Mapping[str, JudgedClaim] = {
        f"{paper.folder.name}: {claim.claim.id}": claim for paper in found for claim in paper.claims
    }
    picture = claims_chart("claims", labels)
    assert picture is not None
    return standalone(picture.wide) + "\n"


def main() -> int:
    """Rewrite the page and its picture, or with --check fail where one is stale."""
    found = list(papers())
    picture = "![Our intervals over the paper's numbers, claim by claim](claims.svg)"
    caption = (
        "Circles hold, diamonds do not, squares are undecided. The line is the paper's number and the band the tolerance. Claims "
        "without a printed number above 0 are not drawn. Values beyond the axis stand at its ends."
    )
    page = "\n\n".join([INTRODUCTION.rstrip(), counts(found), picture, caption, *(section(paper) for paper in found)])
    return max(keep(PAGE, page + "\n", "`make claims`"), keep(CHART, chart(found), "`make claims`"))


if __name__ == "__main__":
    sys.exit(main())
