"""The result of an analysis: verdicts.json (contracts/verdicts.schema.json)."""

from __future__ import annotations

from typing import Literal

from .between_sessions import KindName
from .records import Place
from .strict import Significant, Strict

Word = Literal["faster", "slower", "equivalent", "undecided", "unconfirmed", "too few forks"]


class FailureGap(Strict):
    """A difference beyond chance, by Fisher's exact test, of the shares of requests without a right answer (wrong, failed or
    unanswered) of subjects a and b."""

    sentence: str
    a_share: Significant
    b_share: Significant


class Elsewhere(Strict):
    """The ratio in another session, by 95% prediction intervals: `interval` on another day or machine of this kind, `any_machine`
    on any machine.

    `kind` is the kind of pair, `deviation` and `any_machine_deviation` the standard deviation of true log ratios of such pairs
    between sessions; `assumed` and `any_machine_assumed`: it is assumed, since too few sessions are stored for an estimate.
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
    forks), without adjustment for other comparisons. `verdict` is about a relative to b, with that adjustment; it is null for
    secondary measures and where the instrument was not valid. Three words decide nothing: `undecided` (the interval contains 1),
    `unconfirmed` (decided as a single comparison, but not after adjusting for all that were judged together) and `too few forks`.
    `direction` is set where a difference was shown, also within the margin, where the verdict is `equivalent`. `voided` counts
    voided pairs by reason. `why_not` is the obstacle to a comparison. Where `failures_differ`, right answers per second are
    judged instead of response times. `verdict` and `interval` are of this machine at this hour. `elsewhere` is the prediction for
    another session (null: not known, as for secondary measures), and `holds_elsewhere` whether the verdict would hold there too,
    on a machine of this kind (null: nothing was decided, or nothing is known of other sessions). It is false where an earlier run
    of the same comparison contradicts this one and lies outside the prediction.
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
        """Whether the verdict shows a difference or an equivalence."""
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


class OperationFigure(Strict):
    """One operation of a mix as a subject answered it, all forks together.

    `right`, `wrong`, `failed` and `unanswered` count the requests that were due in measured slices, by their later answer where
    they were in flight at a slice's end; `failures` are those without a right answer by kind. Mean and percentiles are response
    times of right answers in ms, in the slices that count; null of too few. They are pooled over forks and have no interval.
    """

    subject: str
    cell: str
    operation: str
    right: int
    wrong: int
    failed: int
    unanswered: int
    failures: dict[str, int]
    mean_ms: Significant | None
    p50_ms: Significant | None
    p95_ms: Significant | None
    p99_ms: Significant | None


class Rank(Strict):
    """The best and the worst place that no decided pair contradicts, on the primary measure; `ratio` is to the reference."""

    subject: str
    best: int
    worst: int
    ratio: Significant


class Detection(Strict):
    """The result of a detector (a file of analyse/detectors) for a subject in a test, or for all subjects side by side (`subject`
    null).

    With `judged` false the sentence gives the reason why there is none.
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
    """A subject that one test does not exclude as the best: its ratio to the best one there, the interval, and the word for it.

    `ratio` and `interval` are null where there is none, `verdict` where no instrument was valid.
    """

    subject: str
    test: str
    verdict: Word | None
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None


class Decision(Strict):
    """The choice of a server for an environment (operation), a load's shape and a payload.

    `best` has the best measurement among the subjects that no test shows to be beaten, and `contenders` are the others of those,
    each once per test. `best` is null where tests disagree, or none could be judged; `sentence` gives the reason.
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

    `kind` names the kind of requests (empty: all). `margins` are margins of error by confidence level, `deviation` and
    `quartiles` are over requests, in ms. A run is a trial; under two there are no margins.
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
    """The layer with the largest part of the extra time of requests beyond a percentile, and that part as a share."""

    subject: str
    cell: str
    percentile: Significant
    layer: str
    share: Significant
    sentence: str


class RecordCount(Strict):
    """The monitor's records of a cell against the engine's counts: `completed` answers, right or not.

    `lost` were not recorded, `more` are beyond all that were sent; `violations` are inconsistent, and in `unnested` a layer takes
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
    """A trial that ended early: a result like any other. `place` is set where that happened under load.

    A `damaged` trial was set aside, because its stored files cannot be read or are inconsistent.
    """

    trial: int
    status: Literal["failed", "interrupted", "damaged"]
    kind: str
    subject: str | None
    message: str
    place: Place | None = None


class ContradictedRun(Strict):
    """An earlier stored run of the same comparison whose interval excludes this one's ratio, and the reverse. `same_boot`: both
    ran on one machine since its boot; null where unknown."""

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
    """The value of a study's contrast for a subject: the mean over forks of its value less the other value, in `unit`.

    The other value is that of the subject `than_subject` in `than_cell`; `interval` is Student's t at 95% (null under two forks).
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
    """The outcome of a subject's work after one kind of fault: `total` over all occasions, `most` after one of them.

    `hit` is the number of occasions with any, `share` the exact interval of the share of such faults with any (occasions are
    independent, pieces of work within one are not). `promised` is the stated maximum after one (null: none stated), `why` its
    reason, and `broken` the number of occasions above it.
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
    """One subject and one kind of fault: injected `times` of `planned`; after `not_back` of them the part did not come back,
    after `unsettled` work was left. `accepted` is the work accepted in their blocks; `outcomes` count its fate."""

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
    """An analysis. `sentence` is the verdict in words; with `valid` false it gives the reason why there is none (`why_not`).

    `ranks` are set for more than two subjects without tests; with tests, `decisions` and `detections` are, and `scale` is the
    factor of their times. `judged_by` is each cell's primary measure. `status` is `complete` where every planned trial was.
    `counts` are the services' counts of their work, by subject and name, over all trials. `notes` are for readers of the figures.
    All holds on `machine` (empty: not recorded), and `contradictions` are different results of earlier runs there or elsewhere.
    Where layers were observed, `layers` are those of all requests, `layers_by_kind` those of each kind, `slow_layers` names the
    layers behind slow requests, `recorded` the underlying records. `differences` are the study's contrasts (`[[contrasts]]`). In
    a run with faults, `faults` are their effects, and nothing is compared. Where a mix has several
    operations, `operations` are the answers, failures and response times of each.
    `by_processors` are sentences on subjects that ran with several numbers of processors.
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
    operations: list[OperationFigure] = []
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
    by_processors: list[str] = []
    faults: list[FaultRow] = []
