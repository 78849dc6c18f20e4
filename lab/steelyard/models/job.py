"""The engine's job: targets, slices, and the rules for answers (contracts/job.schema.json)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, IPvAnyAddress, SerializerFunctionWrapHandler, model_serializer, model_validator

from .strict import Strict, Variant

# the range of the engine's clock
Seconds = Annotated[float, Field(ge=1e-6, le=7 * 24 * 3600)]
SecondsOrNone = Annotated[float, Field(ge=0, le=7 * 24 * 3600)]
Milliseconds = Annotated[float, Field(ge=0, le=24 * 3600 * 1000)]
Users = Annotated[int, Field(ge=1, le=100_000)]
JsonKey = Annotated[str, Field(strict=True)]
JsonIndex = Annotated[int, Field(strict=True, ge=0, lt=2**32)]  # from 0


class BigBang(Strict):
    """Closed: all users start at once and stay."""

    kind: Literal["big-bang"] = "big-bang"
    users: Users
    seconds: Seconds


class Ramp(Strict):
    """Closed: the number of users goes from one level to another in equal steps of one user."""

    kind: Literal["ramp"] = "ramp"
    from_users: Annotated[int, Field(ge=0)]
    to_users: Users
    seconds: Seconds


class Steps(Strict):
    """Closed: each level is reached over `ramp_seconds`, held, then followed by a pause without load."""

    kind: Literal["steps"] = "steps"
    levels: Annotated[list[Users], Field(min_length=1)]
    hold_seconds: Seconds
    ramp_seconds: SecondsOrNone = 0
    pause_seconds: SecondsOrNone = 0


class Bursts(Strict):
    """Closed: after `idle_seconds`, users for `on_seconds` and silence for `off_seconds` in turn, `seconds` in all."""

    kind: Literal["bursts"] = "bursts"
    users: Users
    on_seconds: Seconds
    off_seconds: Seconds
    seconds: Seconds
    idle_seconds: SecondsOrNone = 0


class UserStage(Strict):
    """A stretch of closed load: the number of users goes from one level to the other in equal steps of one user."""

    from_users: Annotated[int, Field(ge=0, le=100_000)]
    to_users: Annotated[int, Field(ge=0, le=100_000)]
    seconds: Seconds


class UserStages(Strict):
    """Closed: stages, one after the other."""

    kind: Literal["stages"] = "stages"
    stages: Annotated[list[UserStage], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_users(self) -> UserStages:
        if not any(stage.from_users or stage.to_users for stage in self.stages):
            raise ValueError("the stages have no users")
        return self


class Stage(Strict):
    """A stretch of an open profile: the rate goes linearly from one value to the other, in requests per second."""

    from_rate: Annotated[float, Field(ge=0, le=10_000_000)]
    to_rate: Annotated[float, Field(ge=0, le=10_000_000)]
    seconds: Seconds


class Rate(Strict):
    """Open: requests arrive by the clock, whatever the server does. A constant rate is one flat stage."""

    kind: Literal["rate"] = "rate"
    arrivals: Literal["constant", "poisson"] = "constant"
    stages: Annotated[list[Stage], Field(min_length=1)]
    max_in_flight: Users = 1000


class FixedWork(Strict):
    """Closed: all users start at once, and each ends after `each` sessions or plain requests, the first `extra` users after one
    more. The slice ends with the last of them, or after `most_seconds`, which voids it. It needs a user for each thread and no
    lead-in."""

    kind: Literal["fixed-work"] = "fixed-work"
    users: Users
    each: Annotated[int, Field(ge=1, le=1_000_000_000)]
    extra: Annotated[int, Field(ge=0)] = 0
    most_seconds: Seconds

    @model_validator(mode="after")
    def _fewer_than_users(self) -> FixedWork:
        if self.extra >= self.users:
            raise ValueError(f"extra is {self.extra}, but must be less than users, {self.users}")
        return self

    @property
    def work(self) -> int:
        """The number of sessions or plain requests of all users together."""
        return self.users * self.each + self.extra


Profile = Annotated[BigBang | Ramp | Steps | Bursts | UserStages | Rate | FixedWork, Field(discriminator="kind")]


class Think(Strict):
    """Pause between an answer and the next request of the same user.

    `constant` waits `ms`; `uniform` waits between `ms` and `to_ms`; `exponential` waits `ms` on average.
    """

    kind: Literal["none", "constant", "uniform", "exponential"] = "none"
    ms: Milliseconds = 0
    to_ms: Milliseconds = 0


class HeaderCapture(Variant):
    """A value for later requests of a session: the first header field with this name."""

    kind: Literal["header"] = "header"
    name: str


class CookieCapture(Variant):
    """The value of the cookie of this name that the answer sets."""

    kind: Literal["cookie"] = "cookie"
    name: Annotated[str, Field(pattern="^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$")]


class RegexCapture(Variant):
    """The match of the expression's first group in the body, or of the whole expression without a group."""

    kind: Literal["regex"] = "regex"
    expression: str


class PathCapture(Variant):
    """The text of the first element with this path from the root (`Envelope/Body/answer/id`), or with `@name` at the end that
    attribute of it. Names have no prefixes."""

    kind: Literal["path"] = "path"
    path: str


class JsonCapture(Variant):
    """The string, number or boolean at this path of keys and indexes in a JSON body, such as `["items", 0, "id"]`."""

    kind: Literal["json"] = "json"
    path: Annotated[list[JsonKey | JsonIndex], Field(min_length=1, max_length=32)]


Capture = Annotated[
    HeaderCapture | CookieCapture | RegexCapture | PathCapture | JsonCapture, Field(discriminator="kind")
]
ValueName = Annotated[str, Field(pattern="^[A-Za-z0-9_]{1,64}$")]


class SessionStep(Strict):
    """One request of a session, the pause after its answer where the corpus has none, and the values captured from the answer.

    A captured value fills the wildcards `{{name}}` of later requests of the session. Steps with `once` come first: a user sends
    them in its first session, and their values stay for all sessions of that user. A step with `if_captured` is left out where
    the session has no such value; an answer may lack a value that is named so.
    """

    operation: str
    once: bool = False
    if_captured: ValueName | None = None
    think: Think = Think()
    captures: dict[ValueName, Capture] = {}


class SessionRows(Strict):
    """Rows of values for places: a CSV file with a header of these `columns`, in the corpus folder.

    Each `user` or each `session` has a row of its own; with a rate, each arrival is a new user. After the last row the first one
    follows again, or those that have none `stop`. The row number `first`, from 0, is dealt first.
    """

    file: str
    columns: Annotated[list[ValueName], Field(min_length=1)]
    each: Literal["user", "session"] = "session"
    at_end: Literal["recycle", "stop"] = "recycle"
    first: Annotated[int, Field(ge=0, lt=2**53)] = 0


class Session(Strict):
    """Requests that one user sends in order. `new_visitor`: each session begins without the cookies of earlier ones.

    After a failure a session ends, or continues where no value is missing that its next request needs. An answer with a status of
    `again_on` makes the user repeat the `once` steps, then the request; so does their age of `again_after_ms`, before a request.
    After the measured time, sessions that have begun go on to their end, for `lead_out_ms` at most; those that do not end are cut
    off. With several sessions in a mix, the longest `lead_out_ms` is valid for all.
    """

    steps: Annotated[list[SessionStep], Field(min_length=1)]
    on_failure: Literal["end-session", "continue"] = "end-session"
    new_visitor: bool = False
    again_on: list[Annotated[int, Field(ge=100, le=599)]] = []
    again_after_ms: Milliseconds | None = None
    lead_out_ms: Milliseconds = 0
    rows: SessionRows | None = None


class Length(Strict):
    """Bounds on the length of an answer's body in bytes, both inclusive; equal bounds mean exactly."""

    least: Annotated[int, Field(ge=0)] = 0
    most: Annotated[int, Field(ge=0)] = 2**53


class Rule(Strict):
    """The conditions of a right answer. All given ones must hold.

    `fault`: the answer must be a fault (`present`, an expected one), must not be one (`absent`), or may be one (`any`).
    `fault_in`: where a fault shows: in the SOAP envelope of the body, or in gRPC's status, a trailer that is then required.
    `contains`: a literal in the body. `sha256`: of the whole body. `matches`: a regular expression on the body. `events`: the body
    holds server-sent events (`event-stream`) or the messages of a gRPC stream, which the engine times.
    """

    status: list[Annotated[int, Field(ge=100, le=599)]] = [200]
    fault: Literal["absent", "present", "any"] = "absent"
    fault_in: Literal["envelope", "grpc-status"] = "envelope"
    length: Length | None = None
    contains: str | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    matches: str | None = None
    events: Literal["event-stream", "grpc"] | None = None


class Tls(Strict):
    """How a server's certificate is verified: by the system's roots, or `ca` (a PEM file); `verify = false` disables it. A server
    that requires a client certificate gets `certificate`, with the private key `key` (PEM files)."""

    ca: str | None = None
    verify: bool = True
    certificate: str | None = None
    key: str | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> Tls:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key go together")
        return self


class Http2(Strict):
    """HTTP/2 instead of HTTP/1.1: negotiated by TLS (ALPN), or by prior knowledge without TLS. Each connection carries the
    requests of `streams` users."""

    streams: Annotated[int, Field(ge=1, le=10_000)] = 100


class Redirects(Strict):
    """Redirects are followed to every port of the target's own host, and to the other `hosts`, at these addresses (IP)."""

    hosts: dict[str, Annotated[list[IPvAnyAddress], Field(min_length=1, max_length=64)]] = {}


class Rmi(Strict):
    """Calls by Java RMI instead of HTTP: the remote interface, and the jars (files) with it and its methods' value classes."""

    interface: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_.]*$")]
    classes: Annotated[list[str], Field(min_length=1)]


class KeeperChannel(Strict):
    """A keeper's control socket, and whether its processes may be paused during another subject's turn."""

    control: str
    may_freeze: bool


class Target(Strict):
    """A server that answers for a subject. `headers` go with every request, `operation_headers` with those of one operation.

    Method and path are defaults for requests without their own in the corpus; a header of the corpus replaces one with the same
    name. `secure` selects TLS, `http2` HTTP/2. A `url` combines host, port, `secure` and path. With `addresses` (IP), the host's
    name is not resolved: connections are spread over the addresses that accept. With `redirects`, redirects are followed, ten in
    a row at most; over HTTP/2 to the target's own server only. A target with `rmi` is for the RMI driver alone (engine/rmi): its
    path is the object's name in the registry, and the method. `keepers` keep its processes: for slices that take turns, the
    engine pauses them and reads their CPU clocks.
    """

    subject: str
    url: str | None = None
    host: str | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    addresses: Annotated[list[IPvAnyAddress], Field(max_length=64)] = []
    secure: bool = False
    path: str | None = None
    method: str = "POST"
    headers: dict[str, str] = {}
    operation_headers: dict[str, dict[str, str]] = {}
    tls: Tls = Tls()
    http2: Http2 | None = None
    redirects: Redirects | None = None
    rmi: Rmi | None = None
    keepers: list[KeeperChannel] = []

    @model_validator(mode="after")
    def _require_one_address(self) -> Target:
        if (self.host is None) == (self.url is None):
            raise ValueError(f"target {self.subject} needs either a host or a url")
        if self.url is not None and (self.port is not None or self.secure or self.path is not None):
            raise ValueError(f"target {self.subject}: port, secure and path go with a host; a url contains them")
        return self

    @model_serializer(mode="wrap")
    def _without_unset_rmi(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave `rmi` out where it is not set: the HTTP engine does not know it."""
        return {key: value for key, value in serialize(self).items() if key != "rmi" or value is not None}


class OnFailure(Strict):
    """The behaviour of a closed user after a failure: continue at once, wait, or end."""

    kind: Literal["continue", "wait", "end"] = "wait"
    ms: Milliseconds = 10


class Slice(Strict):
    """An unbroken stretch of load on one subject (a block, where the profile has a shape).

    `mix` weighs operations or sessions by name. `deck_seed` determines the order of the requests and the arrival times; both
    slices of a pair have the same one. `lead_in_ms` of load precede the measured time.
    """

    number: Annotated[int, Field(ge=0)]
    subject: str
    phase: str
    profile: Profile
    mix: Annotated[dict[str, Annotated[float, Field(gt=0)]], Field(min_length=1)]
    deck_seed: Annotated[int, Field(ge=0, lt=2**53)]
    think: Think = Think()
    lead_in_ms: Milliseconds = 200


class Turn(Strict):
    """The sending time of each turn of a slice that takes turns; the last answers come after that."""

    ms: Annotated[float, Field(ge=1, le=60_000)]


class StretchEdges(Strict):
    """The stretch of one slice whose answers are too slow for turns: its users start one after another over `spread_ms`, and the
    measured time of `seconds` begins `lead_in_ms` after the first of them."""

    lead_in_ms: Milliseconds
    spread_ms: Milliseconds
    seconds: Seconds


class Samples(Strict):
    """The whole exchanges that are sampled: one right answer in `one_in`, and failures and wrong answers first, both bounded."""

    one_in: Annotated[int, Field(ge=1)] = 1000
    most_right: Annotated[int, Field(ge=0)] = 200
    most_failed: Annotated[int, Field(ge=0)] = 100


class EngineShare(Strict):
    """The part of the load of one of several engines (`of`) that drive a target together: number `place` of them, from 0.

    Users are dealt in turn, and the deck's cards by whole hands. Of a constant rate each engine sends every n-th arrival, of a
    Poisson rate those that a seeded lot assigns to it. All engines get the same slices, and together they act as one engine.
    """

    place: Annotated[int, Field(ge=0)] = 0
    of: Annotated[int, Field(ge=1, le=256)] = 1

    @model_validator(mode="after")
    def _one_of_them(self) -> EngineShare:
        if self.place >= self.of:
            raise ValueError(f"engine {self.place} of {self.of}: they are numbered from 0")
        return self


class Job(Strict):
    """One run of the engine. `corpus` is the folder with corpus.bin and corpus.csv, relative to the job's own folder.

    `cpus` pins the engine's threads; empty leaves them free. `connection` sets whether users keep their connections. Times are in
    the unit of their names; `seed` feeds every random choice that `deck_seed` does not. `seconds_histograms` stores the response
    times of each second of a slice as a histogram (seconds.hlog), `log_requests` each request with the instant at which it was
    due (requests.csv).
    """

    seed: Annotated[int, Field(ge=0, lt=2**53)]
    corpus: str
    rules: dict[str, Rule]
    targets: Annotated[list[Target], Field(min_length=1)]
    slices: Annotated[list[Slice], Field(min_length=1)]
    sessions: dict[str, Session] = {}
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    cpus: list[Annotated[int, Field(ge=0)]] = []
    timeout_ms: Annotated[float, Field(ge=1e-3, le=24 * 3600 * 1000)] = 30_000
    drain_limit_ms: Milliseconds = 10_000
    on_failure: OnFailure = OnFailure()
    connection: Literal["keep-alive", "per-request"] = "keep-alive"
    samples: Samples = Samples()
    seconds_histograms: bool = False
    log_requests: bool = False
    share: EngineShare = EngineShare()
