"""The output of `load`, `find-limit` and comparisons of running targets."""

from __future__ import annotations

from ..strict import Significant, Strict
from ..verdict import OperationFigure
from .own_service import LeftOut


class Estimate(Strict):
    """A figure of one process: `value` with its 95% interval (`low`, `high`), null for the reason in `why_not`."""

    value: Significant | None
    low: Significant | None = None
    high: Significant | None = None
    why_not: str | None = None


class RequestTotals(Strict):
    """Requests by outcome: `sent = right + wrong + failed + unanswered`. A request is unanswered if it had no answer when the
    drain ended, which lasts as long as the request timeout."""

    sent: int
    right: int
    wrong: int
    failed: int
    unanswered: int


class FailureCount(Strict):
    """The number of requests of an operation without a right answer for one reason. `outcome` is `wrong`, `unanswered` or the
    kind of failure, `cause` adds detail where known, `status` is the HTTP status, and `expected` are the right statuses."""

    operation: str
    outcome: str
    cause: str
    status: int | None
    expected: list[int]
    count: int


class ComparedSide(Strict):
    """One of two running targets: its answers in all measured slices together. `sent` counts all requests to it, `requests` those
    of the measured slices, by their later answer where they were in flight at a slice's end."""

    label: str
    target: str
    throughput_per_s: Significant
    response_mean_ms: Significant | None
    completed: int
    failed: int
    failures: dict[str, int]
    sent: int
    requests: RequestTotals | None = None


class RunningComparison(Strict):
    """`compare --json` of two running targets: `ratio` is the first's `measure` divided by the second's. Where both could be
    restarted, its interval covers `forks` starts; else it covers these two processes alone. `word` is null: figures without a
    verdict. `failures_differ` describes how the shares of requests without a right answer differ, where they do beyond chance;
    `measure` is then goodput, right answers per second. `operations` are the figures by operation and side, where the mix has
    several. `stopped` is the reason for an early end; only completed starts count."""

    subjects: list[ComparedSide]
    load: str
    measure: str
    ratio: Estimate
    failures_differ: str | None = None
    operations: list[OperationFigure] = []
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
    """One operation within the measured time; `failures` are counted by kind, `mean_ms` is over right answers."""

    operation: str
    completed: int
    failed: int
    failures: dict[str, int]
    mean_ms: Significant | None


class LoadedStep(Strict):
    """A step of a session within the measured time. `repeated` answers made their users log in again, and are among `completed`.
    `response_ms` are mean and percentiles over right answers, null of too few. `first_wrong` is the first kept answer that was
    not right, with what was expected."""

    step: str
    operation: str
    completed: int
    failed: int
    failures: dict[str, int]
    repeated: int
    response_ms: dict[str, Significant | None]
    first_wrong: str | None


class LoadedSession(Strict):
    """Sessions of one name that ended within the measured time, whole (`completed`) or not; `time_ms` are mean and percentiles of
    whole ones, pauses included. Those that ended before it or after it are `completed_outside` and `failed_outside`; `cut` ones
    did not end. `rows_ended`: its data had no row left, which ended the load."""

    session: str
    completed: int
    failed: int
    completed_outside: int = 0
    failed_outside: int = 0
    cut: int = 0
    throughput_per_s: Significant
    time_ms: dict[str, Significant | None]
    steps: list[LoadedStep]
    rows_ended: bool = False


class LoadedStream(Strict):
    """An operation whose answers hold events: server-sent ones, or the messages of a gRPC stream. Of `answers` that were right,
    `first_event_ms` has the time from the request to the end of the first event, `between_events_ms` that from an event to the
    next one: mean and percentiles, null of too few. `events` were timed."""

    operation: str
    answers: int
    events: int
    first_event_ms: dict[str, Significant | None]
    between_events_ms: dict[str, Significant | None]


class LoadedUsers(Strict):
    """The measurements while `users[0]` to `users[1]` users were active, in whole `seconds`: right answers per second, mean
    response time, and p95 where there were enough requests."""

    users: tuple[int, int]
    seconds: int
    throughput_per_s: Significant
    failed: int
    mean_ms: Significant | None
    p95_ms: Significant | None


class GoalFound(Strict):
    """A goal (`p95 <= 200 ms`, `failed <= 1%`), its measured value in words (`found`), and whether it was met (`kept`)."""

    goal: str
    found: str
    kept: bool


class LimitStage(Strict):
    """A stretch of load in the search for a limit: `load` in words, `rate` in requests/s or `users`. `slow` and `failed` are
    shares of its requests (unanswered ones are in both). `at_percentile_ms` is the response time at the goal's percentile,
    null where failures reach it. `waited_share` is the share of the users' time spent waiting for answers that never came.
    `kept`: whether the goal was met. Times begin when the engine took a request up. `left_out` is the reason why a stage does
    not count."""

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
    unanswered: int = 0
    waited_share: Significant = 0.0
    kept: bool
    left_out: str | None = None


class LimitOutput(Strict):
    """`find-limit --json`: the greatest load at which a running target meets a goal (`promise`), in `unit` (`requests/s` or
    `users`).

    `limit` has no value where one user alone missed the goal, or all tried loads met it (`why_not`). `how` names the method,
    `capacity_per_s` is the highest rate of answers, and `beyond` describes the behaviour past the limit, from the last stage.
    `stopped` is the reason for an early end of the search.
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
    stopped: str | None = None
    not_loaded: list[LeftOut]
    valid: bool
    why_not: list[str]
    notes: list[str]
    not_judged: list[str]
    run: str


class StartedTarget(Strict):
    """The resource use of a target that was started for a load: processor time of the load in s, and in ms per sent request, that
    of its JIT compilers, and the resident memory at its end in MiB. `counted` is its service's request count, null where its file
    names no counter, and `counted_alike` whether that agrees with the sent requests."""

    cpu_s: Significant
    cpu_ms_per_request: Significant | None
    jit_s: Significant
    memory_mib: Significant
    counted: int | None
    counted_alike: bool | None


class LoadedLayer(Strict):
    """A layer of a loaded target: a request's mean time in it without inner layers, in ms, and its share of all layers in
    percent."""

    layer: str
    title: str
    ms: Significant
    percent: Significant


class LoadedLayers(Strict):
    """The time by layer of a load's requests inside the target, from the attached agent.

    `requests` were recorded within the measured time, and `layers` are their means, from the outside in. Further `violations`
    changed thread or left a layer open; the means leave them out. `lost` records could not be written. `slow` names the layer in
    which the slowest requests spend their time, null where there are too few. `outside` counts calls outside any request by tag,
    such as by threads that a request forked, and `unwatched` the classes that could not be instrumented. `why_not` is the reason
    why the means are not valid.
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
    """The part of one of several engines in a load (`engine` counts from 1): its host (empty: this machine), its processors
    (empty: any), its counts as those of the load, and the share of the measured time in which it computed. For a `lost` engine,
    with the reason, the counts end with its last whole second; if its host was lost, they are missing."""

    engine: int
    host: str = ""
    cpus: list[int]
    sent: int
    completed: int
    failed: int
    busy_percent: Significant | None
    lost: str | None = None


class LoadOutput(Strict):
    """`load --json`: one process under load.

    `requests` counts everything that was sent, including the verification: `sent = right + wrong + failed + unanswered`.
    `completed` counts right answers and `failed` wrong and failed ones within the measured time, by kind in `failures`; `outside`
    is the rest (`outside_by`: the verification; the lead-in and the drain, whose right, wrong, failed and unanswered requests are
    in `requests`), so that `completed + failed + outside = sent`. `statuses` counts the answers to all that was sent by HTTP
    status, the verification's included; a request without a status line is in none. `failure_causes` are the load's requests
    without a right answer. Goals and response times rest on the requests that were due in the
    measured time (`judged`), by their later answer where they were in flight at its end. `waited_share` is the share of the
    users' time spent waiting for answers that never came, `silent_from_s` when answers stopped, in s from the start of the
    measured time. `reconnects` requests were sent a second time, because the server ended the connection or refused the stream of
    the first attempt. `redirects` were followed, each as a part of its request. Intervals are of this process alone.

    `not_judged` lists questions that the load does not answer, `not_loaded` the operations that were left out. `kept_answers`
    sampled answers were checked in full by `kept_rules`. `started` describes a target that was started for this load, null for a
    running one. `by_users` has the measurements by number of users, for a ramp or steps. `layers` has the time by layer inside
    the target, if requested. `sessions` are those that were driven, `streams` the operations whose answers hold events. Where
    several `engines` shared the load, `began_apart_ms` is the time from the first to the last engine's readiness, from their own
    files.
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
    reconnects: int = 0
    redirects: int = 0
    unfinished: int
    requests: RequestTotals | None = None
    judged: RequestTotals | None = None
    statuses: dict[str, int] = {}
    failure_causes: list[FailureCount] = []
    waited_share: Significant = 0.0
    silent_from_s: Significant | None = None
    throughput_per_s: Estimate
    response_ms: dict[str, Estimate]
    operations: list[LoadedOperation]
    sessions: list[LoadedSession] = []
    streams: list[LoadedStream] = []
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
