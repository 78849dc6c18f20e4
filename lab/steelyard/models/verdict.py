"""What an analysis says: verdicts.json (contracts/verdicts.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from .records import Place
from .strict import Strict

Word = Literal["faster", "slower", "equivalent", "undecided"]
Detector = Literal["settling", "drift", "refusal", "recovery", "knee", "scalability"]


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


class Detection(Strict):
    """What a detector says of a subject in a test, or of all subjects side by side (`subject` null).

    With `judged` false the sentence says why it cannot say anything.
    """

    cell: str
    detector: Detector
    subject: str | None
    judged: bool
    sentence: str


class DecidedTest(Strict):
    """One test behind a decision: the subjects' ranks in it, its verdicts in words, and the share of requests that failed.

    `pairs` has the word of `A/B` for each two subjects that were compared. Subjects without a failure are not in `failed`.
    """

    test: str
    title: str
    users: str
    ranks: list[Rank]
    verdicts: list[str]
    pairs: dict[str, Word] = {}
    failed: dict[str, float] = {}
    why_not: list[str] = []

    def word_between(self, subjects: Sequence[str]) -> Word:
        """`equivalent` where every two of these are, else `undecided`."""
        words = [self.pairs.get(f"{a}/{b}") or self.pairs.get(f"{b}/{a}") for a, b in combinations(subjects, 2)]
        return "equivalent" if all(word == "equivalent" for word in words) else "undecided"


class Decision(Strict):
    """Which server for an environment (operation), a load's shape and a payload: `best` are those that nothing was shown to beat.

    `best` is empty where different tests have different ones, or none could be judged; `sentence` says which.
    """

    operation: str
    shape: str
    bytes: int | None
    tests: list[DecidedTest]
    best: list[str]
    tied: bool
    sentence: str


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

    `ranks` stand where there are more than two subjects and no tests; with tests, `decisions` and `detections` do, and `scale`
    says by what their times were multiplied. `judged_by` is each cell's primary measure. `status` is `complete` where every
    planned trial was. `notes` are what a reader must know beside the figures.
    """

    run: str
    valid: bool
    why_not: list[str]
    sentence: str
    status: Literal["complete", "partial"]
    comparisons: list[Comparison]
    ranks: list[Rank] = []
    decisions: list[Decision] = []
    detections: list[Detection] = []
    scale: float = 1.0
    judged_by: dict[str, str] = {}
    figures: list[Figure] = []
    failures: list[TrialFailure] = []
    notes: list[str] = []
