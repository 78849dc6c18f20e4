"""What `report` prints of several runs."""

from __future__ import annotations

from typing import Literal

from ..strict import Significant, Strict


class Beside(Strict):
    """A subject's measure in a cell, in several runs: values (null where one refused), their intervals, each value / the first."""

    subject: str
    cell: str
    operation: str
    measure: str
    unit: str
    values: list[Significant | None]
    intervals: list[tuple[Significant, Significant] | None]
    ratios: list[Significant | None]


class Campaign(Strict):
    """What one run found of a question: `ratio` with its interval over `forks`, its word, and the processor it ran on."""

    run: str
    machine: str
    ratio: Significant
    interval: tuple[Significant, Significant]
    forks: int
    verdict: str | None


class Question(Strict):
    """One judged comparison that several runs have: a / b on a measure in a cell.

    `mean` is over campaigns such as these with its interval; `spread` the standard deviation between them as a share, beyond what
    their own intervals explain; `prediction` holds what one more campaign would find, null for fewer than three. `contradict`:
    two of the campaigns have intervals that exclude each other.
    """

    a: str
    b: str
    cell: str
    measure: str
    campaigns: list[Campaign]
    mean: Significant
    mean_interval: tuple[Significant, Significant]
    spread: Significant
    prediction: tuple[Significant, Significant] | None
    contradict: bool


class BesideOutput(Strict):
    """`report RUN RUN ... --json`: runs side by side. There is no verdict, and `why_not_paired` says why.

    `differences` are those of the setups and loads, a sentence each.
    """

    runs: list[str]
    paired: Literal[False] = False
    why_not_paired: str
    differences: list[str]
    questions: list[Question]
    figures: list[Beside]
