"""What an analysis says: verdicts.json (contracts/verdicts.schema.json)."""

from __future__ import annotations

from typing import Literal

from .records import Place
from .strict import Strict

Word = Literal["faster", "slower", "equivalent", "undecided"]


class Comparison(Strict):
    """Subject `a` against subject `b` in one cell on one measure.

    `ratio` is a / b (null where nothing could be compared), `interval` its two-sided interval at `confidence` (null under
    two forks). `verdict` is about a relative to b; it is null for secondary measures, whose intervals are not adjusted,
    and where the instrument was not valid. `voided` counts voided pairs by reason. `why_not` says what stands in the way.
    """

    a: str
    b: str
    cell: str
    operation: str
    measure: str
    unit: str
    primary: bool
    verdict: Word | None
    ratio: float | None
    interval: tuple[float, float] | None
    confidence: float
    forks: int
    pairs: int
    voided_pairs: int
    voided: dict[str, int] = {}
    why_not: list[str] = []


class Figure(Strict):
    """One subject's value of a measure in one cell over all forks; `value` is null with the reason in `refusal`."""

    subject: str
    cell: str
    operation: str
    measure: str
    title: str
    unit: str
    value: float | None
    interval: tuple[float, float] | None
    forks: int
    refusal: str | None = None


class Rank(Strict):
    """A subject's place on the primary measure; `ratio` is to the reference. What the data cannot separate shares a rank."""

    subject: str
    rank: int
    ratio: float


class TrialFailure(Strict):
    """A trial that ended early: a result like any other. `place` is given where that happened under load."""

    trial: int
    status: Literal["failed", "interrupted"]
    kind: str
    subject: str | None
    message: str
    place: Place | None = None


class Verdicts(Strict):
    """An analysis. `sentence` is the verdict in words; with `valid` false it says why there is none (`why_not`).

    `ranks` stand where there are more than two subjects. `status` is `complete` where every planned trial was. `notes` are
    what a reader must know beside the figures.
    """

    run: str
    valid: bool
    why_not: list[str]
    sentence: str
    status: Literal["complete", "partial"]
    comparisons: list[Comparison]
    ranks: list[Rank] = []
    figures: list[Figure] = []
    failures: list[TrialFailure] = []
    notes: list[str] = []
