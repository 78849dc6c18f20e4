"""The output of `report` for several runs."""

from __future__ import annotations

from typing import Literal

from ..strict import Significant, Strict


class Beside(Strict):
    """A subject's measure in a cell, in several runs: values (null where refused), their intervals, and each value / the
    first."""

    subject: str
    cell: str
    operation: str
    measure: str
    unit: str
    values: list[Significant | None]
    intervals: list[tuple[Significant, Significant] | None]
    ratios: list[Significant | None]


class Campaign(Strict):
    """One run's result of a comparison: `ratio` with its interval over `forks`, its word, and its processor."""

    run: str
    machine: str
    ratio: Significant
    interval: tuple[Significant, Significant]
    forks: int
    verdict: str | None


class Question(Strict):
    """One judged comparison that several runs share: a / b on a measure in a cell.

    `mean` is over such campaigns, with its interval. `spread` is the standard deviation between them as a share, beyond their own
    intervals. `prediction` is the interval for one more campaign, null for fewer than three. `contradict`: two of the campaigns
    have intervals that exclude each other.
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


class SetupDifference(Strict):
    """A setting that differs, such as `machine.kernel`: its value in each run as text, `none` where a run has none."""

    setting: str
    values: list[str]


class BesideOutput(Strict):
    """`report RUN RUN ... --json`: runs side by side. There is no verdict, for the reason in `why_not_paired`.

    `differences` are those of the setups, loads and parameters.
    """

    runs: list[str]
    paired: Literal[False] = False
    why_not_paired: str
    differences: list[SetupDifference]
    questions: list[Question]
    figures: list[Beside]
