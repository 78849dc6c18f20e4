"""What `run`, `demo`, `compare`, `check`, `report` and `why` print of a run."""

from __future__ import annotations

from typing import Literal

from ..strict import Significant, Strict
from ..verdict import Comparison, FaultRow, Figure, LayerFigure, RecordCount, SlowLayer, Word


class SplitPart(Strict):
    """One part of the difference of two subjects' response times, in ms a request: a layer without the layers inside it, what is
    outside the layers (`outside`), or the whole (`response`).

    `ms` is `a_ms` - `b_ms`; its `interval` holds together with those of all other parts (null under two forks). `percent` is its
    share of the whole difference (null where the whole is not told apart). Not `told_apart`: the interval holds 0, or nothing is
    judged.
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
    """The difference of the response times of `a` and `b` in a cell, split by layer; `parts` sum up to `whole`.

    All intervals are right together with `confidence`. `requests` are those recorded of a and of b. `why_not` says why nothing is
    told apart whatever the intervals hold, `sentences` is all of it in words.
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
    """The object of `why --json`; `page` is the file that --html was told to write."""

    run: str
    page: str | None


class GridRow(Strict):
    """A subject in a cell of a grid: an operation with a payload, by so many users.

    `tps` is right answers a second (null: nothing was measured), `index` that over the reference's tps, and `interval` that of the
    ratio of both (null for the reference itself, and under two forks). `bytes` is the mean size of a request's body, `cpu_mean` and
    `cpu_max` what the subject used of one processor, in percent, over the slices that tps rests on and in the one that it used most
    in; `engine_cpu_mean` and `engine_cpu_max` are the same of the load engine. `engine_bytes_per_s` and `server_bytes_per_s` are
    what each sent the other, HTTP's heads included and those of TCP and IP not; `engine_bandwidth` and `server_bandwidth` are these
    in percent of what the device between them was seen to carry one way (null where nobody looked).
    `ended` says how its trials ended: `complete`, or the kind of its first failure. Of a grid of reliability `state` says how the
    subject ended in the cell (null elsewhere, and where that is not known), `why` what broke it, `response_ms` the mean response
    time of its right answers, and `printed` what a publication has of the cell, with what that leaves open in `assumed`.
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
    """What became of work that outlives its answers, at the end of all trials: how many orders were `accepted`, `completed`, `open`
    (still in work when the time to wait for them was over), `lost` (in work no more, and neither completed nor refused) and done
    twice (`doubled`), and how many `mails` they brought."""

    accepted: int
    completed: int
    mails: int
    open: int
    lost: int
    doubled: int


class RunOrders(Orders):
    """Of all subjects together, and of each."""

    by_subject: dict[str, Orders]


class RunOutput(Strict):
    """`run --json`, `demo --json` and `report --json`: the verdicts, and where everything is.

    `figures` are each subject's own. `counts` are what services said of their work when it was settled (Settle), by subject and
    name, over all trials; `orders` are those among them that are named so, null where a service has none.
    Where layers were observed, they are here as in the verdicts, and so are `faults` where there were any; `grid` stands where the
    study has one.
    """

    valid: bool
    why_not: list[str]
    sentence: str
    comparisons: list[Comparison]
    failures: list[str]
    figures: list[Figure] = []
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

    `interval` is that of the ratio, in the same percent (null under two forks). `verdict` is about NEW (null: secondary, or the
    instrument was not valid).
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
