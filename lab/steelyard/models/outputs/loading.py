"""What `load`, `find-limit` and comparisons of running targets print."""

from __future__ import annotations

from ..strict import Significant, Strict
from .own_service import LeftOut


class Estimate(Strict):
    """A figure of one process: `value` with its 95% interval (`low`, `high`), null where there is none, for the reason in
    `why_not`."""

    value: Significant | None
    low: Significant | None = None
    high: Significant | None = None
    why_not: str | None = None


class RequestTotals(Strict):
    """Requests by what became of them: `sent = right + wrong + failed + unanswered`. Unanswered is a request that had no answer
    when the drain ended, which lasts as long as the request timeout."""

    sent: int
    right: int
    wrong: int
    failed: int
    unanswered: int


class FailureCount(Strict):
    """How many requests of an operation had no right answer for one reason. `outcome` is `wrong`, `unanswered` or the kind of
    failure, `cause` says more where it can, `status` is the HTTP status that came, and `expected` are those that would have been
    right."""

    operation: str
    outcome: str
    cause: str
    status: int | None
    expected: list[int]
    count: int


class ComparedSide(Strict):
    """One of two running targets: what it answered in all measured slices together. `sent` counts everything that it was asked,
    `requests` those of the measured slices, by their later answer where they were in flight at a slice's end."""

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
    """`compare --json` of two targets that run: `ratio` is the first's `measure` over the second's. Where both could be started
    anew, `forks` starts are behind its interval; else it covers these two processes alone. `word` is null: figures without a
    verdict. `failures_differ` says how the shares of requests without a right answer differ, where they do beyond chance;
    `measure` is then goodput, right answers a second. `stopped` says why it ended early; of starts only those count that ended."""

    subjects: list[ComparedSide]
    load: str
    measure: str
    ratio: Estimate
    failures_differ: str | None = None
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
    its requests (unanswered ones are in both), `at_percentile_ms` is the response time at the promise's percentile, null where
    failures reach it, `waited_share` the share of the users' time spent waiting for answers that never came, and `kept` whether the
    promise was. Times begin when the engine took a request up. `left_out` says why a stage does not count."""

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
    """`find-limit --json`: the greatest load at which a running target keeps a promise, in `unit` (`requests/s` or `users`).

    `limit` has no value where the promise was broken by one user alone, or kept as far as was looked (`why_not`). `how` says by
    what it was found, `capacity_per_s` is the most that was answered, `beyond` how the target fails past the limit, where
    its last stage went. `stopped` says why the search ended early.
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
    """What one of several engines did of a load (`engine` counts from 1): the host that it drove from (empty: this machine), the
    processors that it ran on (none: any), its counts as those of the load, and the share of the measured time in which it computed.
    Of one that was `lost`, with the reason, the counts go until its last whole second; with its host they are lost, too."""

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

    `requests` accounts for everything that was sent, the verification included: `sent = right + wrong + failed + unanswered`.
    `completed` counts right answers and `failed` wrong and failed ones within the measured time, by kind in `failures`; `outside`
    is all else (`outside_by`: the verification; the lead-in and the drain, whose right, wrong and failed answers and the unanswered
    are in `requests`), so that `completed + failed + outside = sent`. `statuses` counts the load's answers by HTTP status, and
    `failure_causes` its requests without a right answer. Goals and response times rest on the requests that were due in the
    measured time (`judged`), by their later answer where they were in flight at its end. `waited_share` is the share of the users'
    time spent waiting for answers that never came, `silent_from_s` when answers stopped, in s from the begin of the measured time.
    `reconnects` requests were sent a second time, because the server ended the connection or refused the stream
    of the first attempt.
    Intervals are of this process alone. `not_judged` names what
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
    reconnects: int = 0
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
