"""Writes docs/results/claims.md, claims.html and their picture, the papers' claims against kept runs: `tools/claims.py [--check]`.

All figures are read from the verdicts.json and results.csv of the kept runs, and the claims from papers/*/claims.toml.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kept import ROOT, keep, kept_runs
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
from steelyard.models.study import Paper
from steelyard.models.verdict import Verdicts
from steelyard.report.charts.claims import claims_chart
from steelyard.report.claims_page import COLUMNS, MEANINGS, METHOD, TITLE, PaperClaims, counts_by_word, html_of
from steelyard.report.drawing import standalone
from steelyard.statistics.claims import ClaimWord, judge_claim

PAGE = ROOT / "docs" / "results" / "claims.md"
HTML, CHART = PAGE.with_suffix(".html"), PAGE.with_suffix(".svg")
UP = "../.."  # from the pages to the repository
HOW = "`make claims`"
CAPTION = (
    "Circles hold, diamonds do not, squares are undecided. The line is the paper's number and the band the tolerance. "
    "Claims without a printed number above 0 are not drawn. Values beyond the axis stand at its ends."
)


def papers() -> Iterator[PaperClaims]:
    """Every paper with claims, by the year of its study."""
    runs = kept_runs()
    links = {name: f"{UP}/{run.relative_to(ROOT).as_posix()}/" for name, run in runs.items()}
    for path in sorted(ROOT.glob(f"papers/*/{CLAIMS}"), key=lambda path: (paper_of(path.parent).year, path)):
        conclusions, folder = read_conclusions(path), path.parent
        claims = list(judged(folder.name, conclusions.claims, runs))
        yield PaperClaims(folder.name, paper_of(folder), conclusions.setting, claims, links)


def paper_of(folder: Path) -> Paper:
    """The publication of the study in a folder."""
    paper = entries.study(str(folder / f"{folder.name}.toml")).model.paper
    assert paper is not None
    return paper


def judged(paper: str, claims: Sequence[PaperClaim], kept: Mapping[str, Path]) -> Iterator[JudgedClaim]:
    """Each claim by the kept run that it names. Raises AssertionError where there is no such run, or it has no such value."""
    named = {claim.run for claim in claims} - {""}
    assert named <= kept.keys(), f"{paper}: there is no kept run {', '.join(sorted(named - kept.keys()))}"
    verdicts = {name: Verdicts.model_validate(read_document(kept[name] / "verdicts.json")) for name in named}
    values = {name: stored_fork_values(kept[name]) for name in named}
    for claim in claims:
        if not claim.run:
            yield JudgedClaim(claim, None, judge_claim(None, claim, ran=False))
            continue
        (one,) = judge_claims([claim], verdicts[claim.run], values[claim.run])
        assert one.answer is not None, f"{paper}: {claim.run} has no value for the claim '{claim.id}'"
        yield one


def introduction() -> str:
    """The head of the page: its columns, the words and where the intervals come from."""
    made = f"This page is made by {HOW} from `papers/*/claims.toml` and the kept runs. {COLUMNS}"
    words = ["| verdict | meaning |", "|---|---|", *(f"| {word} | {meaning} |" for word, meaning in MEANINGS.items())]
    beside = f"[The same as a web page]({HTML.name}) has a picture of each paper."
    folded = (textwrap.fill(text, 132, break_on_hyphens=False) for text in (f"{made} {beside}", METHOD))
    return "\n\n".join([f"# {TITLE}", next(folded), "\n".join(words), next(folded)])


def counts(found: Sequence[PaperClaims]) -> str:
    """A table with the number of claims by paper and word, and of all."""
    lines = [f"| paper | claims | {' | '.join(ClaimWord)} |", "|---" * (len(ClaimWord) + 2) + "|"]
    for name, count, words in counts_by_word(found):
        linked = name if name == "all" else f"[{name}](#{name})"
        lines.append(f"| {linked} | {count} | {' | '.join(str(words[word]) for word in ClaimWord)} |")
    return "\n".join(lines)


def section(paper: PaperClaims) -> str:
    """A paper's heading, citation and table."""
    lines = ["| claim | place | paper | tolerance | ours | verdict | remark |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row(paper, claim))} |" for claim in paper.claims]
    citation = f"{paper.paper.authors}, {paper.paper.year}, *{paper.paper.title}*"
    heading = f"## {paper.name}\n\n{citation}. {paper.setting}.\n\n{tally_text(paper.claims)}"
    return f"{heading}\n\n" + "\n".join(lines)


def row(paper: PaperClaims, judged_claim: JudgedClaim) -> tuple[str, ...]:
    """A claim's cells."""
    claim, answer = judged_claim.claim, judged_claim.answer
    ours, link = answer_text(claim, answer), paper.link_to(judged_claim)
    if link:
        ours = f"[{ours or 'no value'}]({link})"
    return (
        claim.text,
        claim.place,
        numbers_text(claim),
        tolerance_text(claim),
        ours,
        judged_claim.word,
        remarks_text(judged_claim),
    )


def chart(found: Sequence[PaperClaims]) -> str:
    """The picture of all judged claims, as an SVG file."""
    labels: Mapping[str, JudgedClaim] = {
        f"{paper.name}: {claim.claim.id}": claim for paper in found for claim in paper.claims
    }
    picture = claims_chart("claims", labels)
    assert picture is not None
    return standalone(picture.wide) + "\n"


def main() -> int:
    """Rewrite the pages and their picture, or with --check fail where one is stale."""
    found = list(papers())
    picture = f"![Our intervals over the paper's numbers, claim by claim]({CHART.name})"
    page = "\n\n".join([introduction(), counts(found), picture, CAPTION, *map(section, found)])
    made = {PAGE: page + "\n", CHART: chart(found), HTML: html_of(found)}
    return max([keep(path, text, HOW) for path, text in made.items()])


if __name__ == "__main__":
    sys.exit(main())
