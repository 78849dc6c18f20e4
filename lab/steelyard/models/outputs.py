"""What the commands print with --json, one object each (contracts/*.schema.json)."""

from __future__ import annotations

from typing import Literal

from .records import Check
from .server import Factor
from .strict import Significant, Strict
from .verdict import Comparison, FaultRow, Figure, LayerFigure, RecordCount, SlowLayer


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
    """What became of work that outlives its answers, at the end of all trials: how many orders were `accepted`, `completed`, `lost`
    (neither completed nor refused in time) and done twice (`doubled`), and how many `mails` they brought."""

    accepted: int
    completed: int
    mails: int
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


class KeepAlive(Strict):
    """What became of one connection that was opened once: `answered` of the `asked` requests, and, where the server was then
    frozen for `frozen_seconds`, whether it `survived` (one more was answered on it). `why` says what ended it too early."""

    asked: int
    answered: int
    frozen_seconds: float | None = None
    survived: bool | None = None
    why: str | None = None


class Checked(Strict):
    """When and where a server was checked; `revision` is git's, with `+` where files had been changed."""

    date: str
    revision: str
    processor: str
    processors: int
    memory_bytes: int
    kernel: str
    distribution: str


class ServerRow(Strict):
    """One server, and what `servers check` found of it: null where something was not tried, or cannot be had.

    `fetched`: its artifacts are in the cache. `started`: its process came up and counted requests. `deployed`: it answered rightly.
    `contract`: every check passed, or failed for a reason that `deviations` record; else `reason` says what failed.
    `exchanges`: requests answered rightly, spellings counted. `sockets`: every address that it listens on, all `loopback` or
    not. `twice`: a second one ran beside it. `redeploy_seconds`: from the order to replace the service until the new one
    answers, with a restart of the server where `redeploy_restart`. `memory_bytes`: resident, after the contract. `floor`: no
    stack, only what HTTP itself costs.
    """

    name: str
    title: str
    version: str
    stack: str
    language: str
    kind: str
    floor: bool = False
    jdk: int | None
    fetched: bool
    bytes: int | None
    contract: bool | None = None
    reason: str | None = None
    started: bool | None = None
    deployed: bool | None = None
    start_seconds: float | None = None
    memory_bytes: int | None = None
    exchanges: int | None = None
    keep_alive: KeepAlive | None = None
    sockets: list[str] | None = None
    loopback: bool | None = None
    twice: bool | None = None
    redeploy_seconds: float | None = None
    redeploy_restart: bool | None = None
    stop_seconds: float | None = None
    checked: Checked | None = None
    deviations: dict[str, str] = {}


class ServerDetail(Strict):
    """`servers NAME --json`: all that is known of one server without starting it.

    `services` are those that it has an implementation of; `factors` what may be set as NAME@FACTOR=VALUE; `tuning` how it stands
    to the settings that the studies' papers tuned.
    """

    server: ServerRow
    services: list[str]
    factors: dict[str, Factor]
    tuning: dict[str, str]


class StudyRow(Strict):
    """One study: its question, its paper where it reruns one, the service, and the subjects that it compares by default."""

    name: str
    question: str
    authors: str | None
    year: int | None
    service: str
    subjects: list[str]
    tests: list[str]


class StudiesOutput(Strict):
    """`studies --json`."""

    studies: list[StudyRow]


class ServiceRow(Strict):
    """One service, with its operations and the folders of its implementations."""

    name: str
    title: str
    operations: list[str]
    implementations: list[str]


class ServicesOutput(Strict):
    """`services --json`."""

    services: list[ServiceRow]


class DoctorOutput(Strict):
    """`doctor --json`: what was looked at on this machine; `good` where nothing could falsify a measurement."""

    good: bool
    checks: list[Check]


class ServersOutput(Strict):
    """`servers --json` and `servers check --json`."""

    servers: list[ServerRow]


class LeftOut(Strict):
    """What was not taken over or not loaded (`what`: an operation or a port, in words), and why."""

    what: str
    why: str


class ImportOutput(Strict):
    """`import --json`: what became of a description. `samples_valid` of the `operations` have a sample that keeps the schema
    (none of a file of requests, which has no schema); `taken` are their names, `changing` those that seem to change data.
    `left_out` has a reason for everything else."""

    service: str
    folder: str
    source: str
    operations: int
    samples_valid: int
    taken: list[str]
    changing: list[str]
    left_out: list[LeftOut]
    notes: list[str]
    documents: int


class AssertionBreak(Strict):
    """A place where an assertion is broken: document and line, and in words how."""

    where: str
    why: str


class JudgedAssertion(Strict):
    """An assertion of WS-I's Basic Profiles on descriptions: `text` says in our words what it asks for, `broken` in how many places
    it is broken, the first of which are the `breaks`. An assertion does not apply where a description has nothing that it is
    about."""

    number: str
    profiles: list[Literal["1.1", "2.0"]]
    level: Literal["must", "should"]
    text: str
    verdict: Literal["kept", "broken", "does not apply"]
    broken: int
    breaks: list[AssertionBreak]


class ComplianceOutput(Strict):
    """`import --compliance --json`: a WSDL with the `documents` that it imports, held against the assertions on descriptions;
    `conforms` are the profiles of which it breaks none that must be kept."""

    source: str
    documents: int
    conforms: list[Literal["1.1", "2.0"]]
    assertions: list[JudgedAssertion]


class AddOutput(Strict):
    """`add --json`: a user's WAR as a service. `path` is where it should answer, `operations` what is asked of it, `servers` those
    that could run it; `left_out` has a reason for everything else, `notes` what may keep it from answering somewhere."""

    service: str
    folder: str
    path: str
    operations: list[str]
    changing: list[str]
    servers: list[str]
    left_out: list[LeftOut]
    notes: list[str]


class Estimate(Strict):
    """A figure of one process: `value` with its 95% interval (`low`, `high`), null where there is none, for the reason in
    `why_not`."""

    value: Significant | None
    low: Significant | None = None
    high: Significant | None = None
    why_not: str | None = None


class ComparedSide(Strict):
    """One of two running targets: what it answered in all measured slices together. `sent` counts everything that it was asked."""

    label: str
    target: str
    throughput_per_s: Significant
    response_mean_ms: Significant | None
    completed: int
    failed: int
    failures: dict[str, int]
    sent: int


class RunningComparison(Strict):
    """`compare --json` of two targets that run: `ratio` is the first's `measure` over the second's. Where both could be started
    anew, `forks` starts are behind its interval and `word` is said; else it covers these two processes alone. `stopped` says why it
    ended before it was through: then no word is said, and of starts only those count that ended."""

    subjects: list[ComparedSide]
    load: str
    measure: str
    ratio: Estimate
    word: str | None
    forks: int
    pairs: int
    stopped: str | None = None
    valid: bool
    why_not: list[str]
    cannot_say: list[str]
    not_loaded: list[LeftOut]
    run: str


class LoadedOperation(Strict):
    """What became of one operation within the measured time; `failures` are counted by kind, `mean_ms` is over right answers."""

    operation: str
    completed: int
    failed: int
    failures: dict[str, int]
    mean_ms: Significant | None


class LoadedUsers(Strict):
    """What was measured while from `users[0]` to `users[1]` users asked, in so many whole `seconds`: right answers a second, mean
    response time, and p95 where there were requests enough."""

    users: tuple[int, int]
    seconds: int
    throughput_per_s: Significant
    failed: int
    mean_ms: Significant | None
    p95_ms: Significant | None


class GoalFound(Strict):
    """A goal (`p95 <= 200 ms`, `failed <= 1%`), what was measured in words (`found`), and whether it was kept."""

    goal: str
    found: str
    kept: bool


class LimitStage(Strict):
    """A stretch of load on the way to a limit: `load` in words, `rate` in requests/s or `users`. `slow` and `failed` are shares of
    its requests, `at_percentile_ms` is the response time at the promise's percentile, null where failures reach it, and `kept`
    whether the promise was. Times begin when the engine took a request up. `left_out` says why a stage does not count."""

    load: str
    rate: Significant | None
    users: int | None
    seconds: Significant
    requests: int
    answered_per_s: Significant
    at_percentile_ms: Significant | None
    slow: Significant
    failed: Significant
    failures: dict[str, int]
    kept: bool
    left_out: str | None = None


class LimitOutput(Strict):
    """`find-limit --json`: the greatest load at which a running target keeps a promise, in `unit` (`requests/s` or `users`).

    `limit` has no value where the promise was broken by one user alone, or kept as far as was looked (`why_not`). `how` says by
    what it was found, `capacity_per_s` is the most that was answered, `beyond` how the target fails past the limit, where
    its last stage went.
    """

    service: str
    target: str
    promise: list[str]
    arrivals: str
    unit: str
    limit: Estimate
    how: str
    capacity_per_s: Significant
    beyond: str
    stages: list[LimitStage]
    seconds: Significant
    not_loaded: list[LeftOut]
    valid: bool
    why_not: list[str]
    notes: list[str]
    not_judged: list[str]
    run: str


class StartedTarget(Strict):
    """What a target used that was started for a load: processor time of the load in s, and in ms for each request that was sent,
    that of its JIT compilers, and the resident memory at its end in MiB. `counted` is how many requests its service counted, null
    where its file names no counter, and `counted_alike` whether that agrees with what was sent."""

    cpu_s: Significant
    cpu_ms_per_request: Significant | None
    jit_s: Significant
    memory_mib: Significant
    counted: int | None
    counted_alike: bool | None


class LoadedLayer(Strict):
    """A layer of a loaded target: a request's mean time in it by itself, in ms, and its share of all layers in percent."""

    layer: str
    title: str
    ms: Significant
    percent: Significant


class LoadedLayers(Strict):
    """Where the time of a load's requests went inside the target, by the agent that was attached to it.

    `requests` were recorded within the measured time and `layers` are their means, from the outside in; `violations` of them more
    changed thread or left a layer open and are in no mean; `lost` could not be written. `slow` says in which layer the slowest
    spend their time, null of too few. `outside` counts by tag what was called where no request was under way, as by threads that
    a request forked, and `unwatched` the classes that could not be changed. `why_not` is why the means cannot be believed.
    """

    requests: int
    violations: int
    lost: int
    layers: list[LoadedLayer]
    slow: str | None
    outside: dict[str, int]
    unwatched: int
    why_not: list[str]


class LoadedEngine(Strict):
    """What one of several engines did of a load (`engine` counts from 1): the processors that it ran on (none: any), its counts as
    those of the load, and the share of the measured time in which it computed. Of one that was `lost`, with the reason, the counts
    go until its last whole second."""

    engine: int
    cpus: list[int]
    sent: int
    completed: int
    failed: int
    busy_percent: Significant | None
    lost: str | None = None


class LoadOutput(Strict):
    """`load --json`: one process under load.

    `completed` counts right answers and `failed` all others within the measured time, by kind in `failures`; `outside` is what
    was sent beside it (`outside_by`: the verification; lead-in, drain and what was given up), so that `completed + failed +
    outside = sent`, which a service that counts has counted. Intervals are of this process alone. `not_judged` names what
    nothing is said of, `not_loaded` the operations that were left out, `kept_answers` how many whole answers were looked at, by
    `kept_rules`; `started` what is known of a target that was started for this load, null of one that ran already,
    `by_users`, of a ramp and of steps, what was measured with how many users, and `layers` where the time went inside the target,
    if that was asked for. Where several `engines` shared the load, `began_apart_ms` lay between the first and the last to be there
    when it began, by their own files.
    """

    service: str
    target: str
    load: str
    seconds: Significant
    completed: int
    failed: int
    failures: dict[str, int]
    outside: int
    outside_by: dict[str, int]
    sent: int
    unfinished: int
    throughput_per_s: Estimate
    response_ms: dict[str, Estimate]
    operations: list[LoadedOperation]
    not_loaded: list[LeftOut]
    kept_answers: int
    kept_rules: list[str]
    goals: list[GoalFound]
    goals_kept: bool | None
    valid: bool
    why_not: list[str]
    stopped: str | None
    notes: list[str]
    not_judged: list[str]
    started: StartedTarget | None = None
    by_users: list[LoadedUsers] = []
    layers: LoadedLayers | None = None
    engines: list[LoadedEngine] = []
    began_apart_ms: Significant | None = None
    run: str


class TriedProcess(Strict):
    """A process of what `try` started: its role, what it is, the port that it listens on, and its log."""

    role: str
    server: str
    title: str
    version: str
    port: int
    log: str


class TriedPage(Strict):
    """A page for a browser, and what there is to know before."""

    address: str
    meaning: str


class TriedRequest(Strict):
    """A request of one operation: `curl` is the command that sends `body`, which lies in a file until the end; both are null
    where it goes on with a visit that other requests begin, and `body` where it has none."""

    operation: str
    meaning: str
    curl: str | None
    body: str | None


class TryOutput(Strict):
    """`try --json`: a server with a service that runs until it is ended, printed once it is ready.

    Of the `processes` the first is the one that is asked, and `factors` are its own. `wsdl` is the address at which it tells its
    own description, else the contract's file, null where there is neither; `folder` holds logs and bodies until the end.
    """

    service: str
    title: str
    address: str
    wsdl: str | None
    pages: list[TriedPage]
    requests: list[TriedRequest]
    processes: list[TriedProcess]
    factors: dict[str, str]
    folder: str


class MockOperation(Strict):
    """An operation that a stand-in answers: where its usual answer comes from, in words (`origin`), and how many requests it
    answered rightly and how many it failed as it was told."""

    operation: str
    origin: str
    answered: int
    failed: int


class MockOutput(Strict):
    """`mock --json`, printed at the end: what a stand-in for a service answered at its address. `unknown` counts requests that were
    of no operation, `left_out` are operations that it answers nothing to."""

    service: str
    address: str
    operations: list[MockOperation]
    unknown: int
    left_out: list[LeftOut]


class RecordedOperation(Strict):
    """An operation that was recorded, asked so many `times`: how many different `samples` of it and how many `answers` are kept.
    `same`: each of its requests was asked more than once, and answered by the same bytes."""

    operation: str
    times: int
    samples: int
    answers: int
    same: bool
    changes_data: bool


class RecordOutput(Strict):
    """`record --json`, printed at the end: what passed through the proxy at `address` to the `target`, and the `folder` that it
    became. `passed` counts answered requests, `failed` those that the server did not answer, `beyond` those that were passed on
    when no more was remembered; `left_out` has a reason for everything that was not taken over."""

    service: str
    folder: str
    target: str
    address: str
    passed: int
    failed: int
    beyond: int
    operations: list[RecordedOperation]
    left_out: list[LeftOut]
    notes: list[str]


class ExportedTool(Strict):
    """What another load tool was told of a service: the `files` that were written, the first of which it is given, the `operations`
    that they ask, and `left_out` with a reason for what they do not say as it is."""

    tool: str
    files: list[str]
    operations: list[str]
    left_out: list[LeftOut]


class ExportOutput(Strict):
    """`export --json`: a service's requests in the words of other load tools."""

    service: str
    target: str
    load: str
    tools: list[ExportedTool]


class WrittenTable(Strict):
    """A table of a stored run as it was written: its `file`, and how many `rows` of which `columns` are in it."""

    table: str
    file: str
    rows: int
    columns: list[str]


class TablesOutput(Strict):
    """`export RUN --json`: tables of a stored run as files of a `format` (csv, parquet)."""

    run: str
    format: str
    tables: list[WrittenTable]


class JudgedFile(Strict):
    """What a file of another tool's results says, by our statistics: as `load` says it, of one process. `seconds` are those from
    its first to its last result, `users` the fewest and the most that it tells of (null: nothing), `course` whether response time
    held, in a sentence, and `notes` what to know of its tool's times."""

    file: str
    tool: str
    seconds: int
    completed: int
    failed: int
    failures: dict[str, int]
    users: tuple[int, int] | None
    throughput_per_s: Estimate
    response_ms: dict[str, Estimate]
    operations: list[LoadedOperation]
    course: str
    notes: list[str]


class JudgeOutput(Strict):
    """`judge --json`: files of other tools' results. Of several, `ratios` hold each file's figure over the first file's (null where
    one has none), without an interval: they were not paired, and there is no verdict, for the reasons in `cannot_say`."""

    files: list[JudgedFile]
    ratios: dict[str, list[Significant | None]]
    cannot_say: list[str]
