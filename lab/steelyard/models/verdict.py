"""What an analysis says: verdicts.json (contracts/verdicts.schema.json)."""

from __future__ import annotations

from typing import Literal

from .records import Place
from .strict import Significant, Strict

Word = Literal["faster", "slower", "equivalent", "undecided", "unconfirmed", "too few forks"]
Detector = Literal["settling", "drift", "refusal", "recovery", "knee", "scalability"]


class Comparison(Strict):
    """Subject `a` against subject `b` in one cell on one measure.

    `ratio` is a / b (null where nothing could be compared), `interval` its two-sided interval at `confidence` (null under
    two forks). `verdict` is about a relative to b; it is null for secondary measures, whose intervals are not adjusted,
    and where the instrument was not valid. Three words decide nothing: `undecided` (the interval holds 1), `unconfirmed` (decided
    if it were alone, but not after adjusting for all that were judged together) and `too few forks`. `voided` counts voided
    pairs by reason. `why_not` says what stands in the way.
    """

    a: str
    b: str
    cell: str
    operation: str
    measure: str
    unit: str
    primary: bool
    verdict: Word | None
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None
    confidence: Significant
    forks: int
    pairs: int
    voided_pairs: int
    voided: dict[str, int] = {}
    why_not: list[str] = []

    @property
    def decided(self) -> bool:
        """Whether the verdict says that something was shown."""
        return self.verdict in ("faster", "slower", "equivalent")


class Figure(Strict):
    """One subject's value of a measure in one cell over all forks; `value` is null with the reason in `refusal`."""

    subject: str
    cell: str
    operation: str
    measure: str
    title: str
    unit: str
    value: Significant | None
    interval: tuple[Significant, Significant] | None
    forks: int
    refusal: str | None = None


class Rank(Strict):
    """The best and the worst place that no decided pair contradicts, on the primary measure; `ratio` is to the reference."""

    subject: str
    best: int
    worst: int
    ratio: Significant


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
    """One test behind a decision: the subjects' places in it, its verdicts in words, and the share of requests that failed.

    Subjects without a failure are not in `failed`.
    """

    test: str
    title: str
    users: str
    ranks: list[Rank]
    verdicts: list[str]
    failed: dict[str, Significant] = {}
    why_not: list[str] = []


class Contender(Strict):
    """A subject that one test does not rule out as the best: its ratio to the best one there, the interval, and the word for it.

    `ratio` and `interval` are null where there is none, `verdict` where no instrument was valid.
    """

    subject: str
    test: str
    verdict: Word | None
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None


class Decision(Strict):
    """Which server for an environment (operation), a load's shape and a payload.

    `best` is the one that measured best of those that no test shows another to beat, and `contenders` are the others of those, each
    once a test. `best` is null where different tests have different ones, or none could be judged; `sentence` says which.
    """

    operation: str
    shape: str
    bytes: int | None
    tests: list[DecidedTest]
    best: str | None
    contenders: list[Contender]
    sentence: str


class TrialFailure(Strict):
    """A trial that ended early: a result like any other. `place` is given where that happened under load.

    A `damaged` one was set aside, for what is stored of it cannot be read or is nonsense.
    """

    trial: int
    status: Literal["failed", "interrupted", "damaged"]
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
    scale: Significant = 1.0
    judged_by: dict[str, str] = {}
    figures: list[Figure] = []
    failures: list[TrialFailure] = []
    notes: list[str] = []
