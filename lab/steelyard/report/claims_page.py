"""The page of all papers' claims: the count by verdict, and for each paper a picture of our intervals and a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..analyse.claims import JudgedClaim, tally_text
from ..models.study import Paper
from ..statistics.claims import ClaimWord
from .charts.claims import claims_chart
from .claim_rows import claim_row, tone_of
from .script import SCRIPT, policy
from .templates import templates

TITLE = "The papers' claims today"
MEANINGS = {
    ClaimWord.HOLDS: "the whole interval lies within the tolerance",
    ClaimWord.DOES_NOT_HOLD: "the whole interval lies outside of it",
    ClaimWord.UNDECIDED: "the interval crosses an edge, or the run gives no valid interval",
    ClaimWord.NOT_COMPARABLE: "ours answers another question, for the reason given",
    ClaimWord.NOT_RUN: "no kept run answers it",
}
COLUMNS = (
    "Each claim is in our words, with its place in the paper and the number that the paper prints. The tolerance is the range "
    "in which the claim counts as true, in the claim's unit. Ours is the value of a kept run with its 95% interval, and links to "
    "the run."
)
METHOD = (
    "A ratio of two servers in one test is the run's own comparison, from pairs of slices. Other ratios and differences are "
    "computed fork by fork, where forks have both values. The intervals of shares of layers, and of values of separate forks, "
    "span the farthest ends of their parts' intervals, so they are rather too wide. Where no request failed, the interval is "
    "that of Clopper and Pearson for the requests. Each interval has 95% confidence by itself: among many, a few miss the true "
    "value. All runs are of machines with two processors and of today's software. A verdict is about this setting, not about the "
    "paper's own measurement."
)


@dataclass(frozen=True)
class PaperClaims:
    """A paper with its judged claims. `name` is its study's, `runs` the link to each kept run by name."""

    name: str
    paper: Paper
    setting: str
    claims: Sequence[JudgedClaim]
    runs: Mapping[str, str]

    def link_to(self, judged: JudgedClaim) -> str:
        """The link to the run that answers a claim; empty where none does."""
        return self.runs[judged.claim.run] if judged.claim.run else ""


def counts_by_word(papers: Sequence[PaperClaims]) -> list[tuple[str, int, dict[ClaimWord, int]]]:
    """For each paper and for all together: its name, its number of claims, and how many have each word."""
    every = [claim for paper in papers for claim in paper.claims]
    named = [(paper.name, paper.claims) for paper in papers] + [("all", every)]
    counted = [(name, Counter(claim.word for claim in claims)) for name, claims in named]
    return [(name, words.total(), {word: words[word] for word in ClaimWord}) for name, words in counted]


def html_of(papers: Sequence[PaperClaims]) -> str:
    """The page; the same claims and runs give the same bytes."""
    return (
        templates()
        .get_template("claims.html")
        .render(
            title=TITLE,
            about=(COLUMNS, METHOD),
            words=[(word, tone_of(word), MEANINGS[word]) for word in ClaimWord],
            counts=counts_by_word(papers),
            papers=[
                (
                    paper,
                    tally_text(paper.claims),
                    claims_chart(f"claims-{paper.name}", {claim.claim.id: claim for claim in paper.claims}),
                    [claim_row(claim, paper.link_to(claim)) for claim in paper.claims],
                )
                for paper in papers
            ],
            policy=policy(),
            script=Markup(SCRIPT),
        )
    )
