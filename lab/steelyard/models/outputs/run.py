"""The output of `run`, `demo`, `compare`, `check`, `report` and `why` for a run."""

from __future__ import annotations

from typing import Literal

from ..strict import Significant, Strict
from ..verdict import Comparison, FaultRow, Figure, LayerFigure, OperationFigure, RecordCount, SlowLayer, Word


class SplitPart(Strict):
    """One part of the difference of two subjects' response times, in ms per request: a layer without its inner layers, the time
    outside the layers (`outside`), or the whole (`response`).

    `ms` is `a_ms` - `b_ms`; its `interval` is simultaneous with those of all other parts (null under two forks). `percent` is its
    share of the whole difference (null where that is not significant). `told_apart` is false where the interval contains 0, or
    nothing is judged.
    """

    layer: str
    title: str
    a_ms: Significant
    b_ms: Significant
    ms: Significant
    interval: tuple[Significant, Significant] | None
    percent: Significant | None
    told_apart: bool


class LayerSplit(Strict):
    """The difference of the response times of `a` and `b` in a cell, split by layer; `parts` sum to `whole`.

    All intervals hold jointly with `confidence`. `requests` are the recorded requests of a and of b. `why_not` is the reason why
    no part is judged; `sentences` is the result in words.
    """

    cell: str
    a: str
    b: str
    whole: SplitPart
    parts: list[SplitPart]
    confidence: Significant
    forks: int
    requests: tuple[int, int]
    why_not: list[str]
    notes: list[str]
    sentences: list[str]


class WhyOutput(LayerSplit):
    """The object of `why --json`; `page` is the file of --html."""

    run: str
    page: str | None


class GridRow(Strict):
    """A subject in a cell of a grid: an operation with a payload and a number of users.

    `tps` is right answers per second (null: nothing was measured), `index` that over the reference's tps, and `interval` that of
    the ratio of both (null for the reference itself, and under two forks). `bytes` is the mean size of a request's body.
    `cpu_mean` and `cpu_max` are the subject's use of one processor, in percent: the mean over the slices behind tps, and the
    maximum slice; `engine_cpu_mean` and `engine_cpu_max` are the same for the load engine. `engine_bytes_per_s` and
    `server_bytes_per_s` are the bytes that each sent to the other, with HTTP's headers and without those of TCP and IP;
    `engine_bandwidth` and `server_bandwidth` are these in percent of the measured one-way bandwidth of the device between them
    (null: not measured). `ended` is the end of its trials: `complete`, or the kind of its first failure. In a reliability grid
    `state` is how the subject ended in the cell (null elsewhere, and where unknown), `why` the cause, `response_ms` the mean
    response time of its right answers, and `printed` a publication's value for the cell, with our assumptions in `assumed`.
    """

    use_case: str
    payload: dict[str, int]
    users: int
    subject: str
    tps: Significant | None
    index: Significant | None
    interval: tuple[Significant, Significant] | None
    bytes: Significant | None
    cpu_mean: Significant | None
    cpu_max: Significant | None
    engine_cpu_mean: Significant | None
    engine_cpu_max: Significant | None
    engine_bytes_per_s: Significant | None
    server_bytes_per_s: Significant | None
    engine_bandwidth: Significant | None
    server_bandwidth: Significant | None
    ended: str
    state: Literal["good", "slow", "errors", "out of memory", "hang"] | None = None
    why: str = ""
    response_ms: Significant | None = None
    printed: str = ""
    assumed: list[str] = []


class Orders(Strict):
    """The outcome of background work at the end of all trials: the number of orders `accepted`, `completed`, `open` (still in
    work at the end of the waiting time), `lost` (neither in work nor completed nor refused) and done twice (`doubled`), and the
    number of resulting `mails`."""

    accepted: int
    completed: int
    mails: int
    open: int
    lost: int
    doubled: int


class RunOrders(Orders):
    """The orders of all subjects together, and of each."""

    by_subject: dict[str, Orders]


class RunOutput(Strict):
    """`run --json`, `demo --json` and `report --json`: the verdicts, and the paths of the results.

    `figures` are each subject's own, `operations` those of each operation of a mix of several. `counts` are the services' counts of
    their work (Settle), by subject and name, over all trials; `orders` are the counts with these names, null where a service has
    none. `layers` and `faults` are as in the verdicts where they were observed; `grid` is present where the study has one.
    """

    valid: bool
    why_not: list[str]
    sentence: str
    comparisons: list[Comparison]
    failures: list[str]
    figures: list[Figure] = []
    operations: list[OperationFigure] = []
    counts: dict[str, dict[str, int]] = {}
    orders: RunOrders | None = None
    run: str
    report: str | None
    layers: list[LayerFigure] = []
    layers_by_kind: list[LayerFigure] = []
    slow_layers: list[SlowLayer] = []
    recorded: list[RecordCount] = []
    grid: list[GridRow] = []
    faults: list[FaultRow] = []


Answer = Literal["no regression", "regression", "cannot tell"]


class GateChange(Strict):
    """A measure's change from OLD to NEW: NEW is worse by `worse_percent`, negative where it is better (null: not compared).

    `interval` is that of the ratio, in the same percent (null under two forks). `verdict` is about NEW (null: secondary measure,
    or the instrument was not valid).
    """

    operation: str
    measure: str
    primary: bool
    verdict: Word | None
    worse_percent: Significant | None
    interval: tuple[Significant, Significant] | None


class CheckOutput(RunOutput):
    """`check --json`: as `run --json`, with the gate's `answer`, NEW's `changes` against OLD, and `sentence` in their direction."""

    answer: Answer
    changes: list[GateChange] = []
