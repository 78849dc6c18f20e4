"""What an analysis says: verdicts.json (contracts/verdicts.schema.json)."""

from __future__ import annotations

from typing import Literal

from .between_sessions import KindName
from .records import Place
from .strict import Significant, Strict

Word = Literal["faster", "slower", "equivalent", "undecided", "unconfirmed", "too few forks"]


class FailureGap(Strict):
    """How the shares of requests without a right answer (wrong, failed or unanswered) of subjects a and b differ beyond chance, by
    Fisher's exact test."""

    sentence: str
    a_share: Significant
    b_share: Significant


class Elsewhere(Strict):
    """What another session would find of a ratio, by 95% prediction intervals: `interval` on another day or machine of this kind,
    `any_machine` on any machine.

    `kind` is the kind of pair, `deviation` and `any_machine_deviation` how far true log ratios of such pairs differ between
    sessions; `assumed` and `any_machine_assumed` say that it is assumed, since too few sessions are kept to know.
    """

    kind: KindName
    interval: tuple[Significant, Significant]
    deviation: Significant
    any_machine: tuple[Significant, Significant]
    any_machine_deviation: Significant
    assumed: bool
    any_machine_assumed: bool


class Comparison(Strict):
    """Subject `a` against subject `b` in one cell on one measure.

    `ratio` is a / b (null where nothing could be compared), `interval` its two-sided interval at `confidence` (null under two
    forks), which is not adjusted for what else is judged. `verdict` is about a relative to b, and is adjusted; it is null for
    secondary measures and where the instrument was not valid. Three words decide nothing: `undecided` (the interval holds 1),
    `unconfirmed` (decided if it were alone, but not after adjusting for all that were judged together) and `too few forks`.
    `direction` stands where a difference was shown, also one within the margin, of which the verdict is `equivalent`. `voided`
    counts voided pairs by reason. `why_not` says what stands in the way. Where `failures_differ`, right answers a second are judged
    instead of response times. `verdict` and `interval` are of this machine at this hour. `elsewhere` is what another session would
    find (null: not known, as for secondary measures), and `holds_elsewhere` whether the verdict would be found there too, on a
    machine of this kind (null: nothing was decided, or nothing is known of other sessions). It is false where an earlier run of the
    same question contradicts this one and lies outside of what was expected.
    """

    a: str
    b: str
    cell: str
    operation: str
    measure: str
    unit: str
    primary: bool
    verdict: Word | None
    direction: Literal["faster", "slower"] | None = None
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None
    confidence: Significant
    forks: int
    pairs: int
    voided_pairs: int
    voided: dict[str, int] = {}
    why_not: list[str] = []
    failures_differ: FailureGap | None = None
    elsewhere: Elsewhere | None = None
    holds_elsewhere: bool | None = None

    @property
    def is_decided(self) -> bool:
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
    """What a detector (a file of analyse/detectors) says of a subject in a test, or of all subjects side by side (`subject` null).

    With `judged` false the sentence says why it cannot say anything.
    """

    cell: str
    detector: str
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


class LayerFigure(Strict):
    """A subject's requests in one layer: the mean over runs in ms, its share of all layers in percent, and its 95% interval.

    `kind` names the kind of requests (empty: all). `margins` are those of error by confidence level, `deviation` and
    `quartiles` are over requests, in ms. A run is a trial; of fewer than two there are no margins.
    """

    subject: str
    cell: str
    kind: str
    layer: str
    title: str
    ms: Significant
    percent: Significant
    interval: tuple[Significant, Significant] | None
    margins: dict[str, Significant]
    deviation: Significant
    quartiles: tuple[Significant, Significant, Significant]
    requests: int
    runs: int


class SlowLayer(Strict):
    """Which layer the requests beyond a percentile spend most more time in than all do, and its share of what they take more."""

    subject: str
    cell: str
    percentile: Significant
    layer: str
    share: Significant
    sentence: str


class RecordCount(Strict):
    """What the monitor recorded of what was driven in a cell, against what the engine saw: `completed` answers, right or not.

    `lost` were not recorded, `more` beyond all that were sent; `violations` cannot be believed, and in `unnested` a layer takes
    longer than the one around it. `whole`: every process wrote its end.
    """

    subject: str
    cell: str
    records: int
    completed: int
    lost: int
    more: int
    violations: int
    unnested: int
    whole: bool


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


class ContradictedRun(Strict):
    """An earlier run, kept in the same place, found something on the same question that this one's interval excludes, and it
    this one's. `same_boot` says that both ran on one machine since it was started; null where nobody knows."""

    a: str
    b: str
    cell: str
    measure: str
    ratio: Significant
    interval: tuple[Significant, Significant]
    earlier: str
    earlier_machine: str
    same_boot: bool | None
    earlier_ratio: Significant
    earlier_interval: tuple[Significant, Significant]


class Difference(Strict):
    """What a contrast of the study comes to for a subject: the mean over forks of its value less the other one's, in `unit`.

    The other is that of the subject `than_subject` in `than_cell`; `interval` is Student's t at 95% (null under two forks).
    """

    text: str
    measure: str
    unit: str
    subject: str
    cell: str
    than_subject: str
    than_cell: str
    value: Significant
    interval: tuple[Significant, Significant] | None
    forks: int
    sentence: str


class FaultOutcome(Strict):
    """What became of a subject's work after one kind of fault: `total` over all occasions, `most` after one of them.

    `hit` is on how many occasions there was any, `share` the exact interval of the share of such faults that have any (occasions
    are independent, pieces of work within one are not). `promised` is how many there may be after one (null: nothing was said),
    `why` so many, and `broken` after how many occasions there were more.
    """

    outcome: str
    title: str
    total: int
    most: int
    hit: int
    share: tuple[Significant, Significant]
    promised: int | None
    why: str = ""
    broken: int = 0


class FaultRow(Strict):
    """One subject and one kind of fault: `times` it was met, of those `planned`; after `not_back` of them the part did not come
    back, after `unsettled` work was left. `accepted` is the work accepted in their blocks; `outcomes` say what became of it.
    """

    subject: str
    fault: str
    title: str
    planned: int
    times: int
    not_back: int
    unsettled: int
    accepted: int
    confidence: Significant
    outcomes: list[FaultOutcome]


class Verdicts(Strict):
    """An analysis. `sentence` is the verdict in words; with `valid` false it says why there is none (`why_not`).

    `ranks` stand where there are more than two subjects and no tests; with tests, `decisions` and `detections` do, and `scale`
    says by what their times were multiplied. `judged_by` is each cell's primary measure. `status` is `complete` where every
    planned trial was. `counts` are what services said of their work when it was settled, by subject and name, all trials together.
    `notes` are what a reader must know beside the figures. All holds on `machine` (empty: not recorded), and `contradictions` are
    what runs before it found otherwise there or elsewhere. Where layers were observed, `layers` are those of all requests,
    `layers_by_kind` those of each kind, `slow_layers` says what makes slow ones slow, `recorded` what that rests on.
    `differences` are those that the study asks for (`[[contrasts]]`). In a run of faults, `faults` say what they did, and nothing
    is compared.
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
    machine: str = ""
    contradictions: list[ContradictedRun] = []
    counts: dict[str, dict[str, int]] = {}
    layers: list[LayerFigure] = []
    layers_by_kind: list[LayerFigure] = []
    slow_layers: list[SlowLayer] = []
    recorded: list[RecordCount] = []
    differences: list[Difference] = []
    faults: list[FaultRow] = []
