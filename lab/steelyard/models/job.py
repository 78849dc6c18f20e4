"""What the lab tells the engine: targets, slices, and how answers are judged (contracts/job.schema.json)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, IPvAnyAddress, SerializerFunctionWrapHandler, model_serializer, model_validator

from .strict import Strict

# What is shorter is no time at all on the engine's clock, and what is longer does not fit it.
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
    more; the slice ends with the last of them, or after `most_seconds`, which voids it. It needs one thread and no lead-in."""

    kind: Literal["fixed-work"] = "fixed-work"
    users: Users
    each: Annotated[int, Field(ge=1, le=1_000_000_000)]
    extra: Annotated[int, Field(ge=0)] = 0
    most_seconds: Seconds

    @model_validator(mode="after")
    def _fewer_than_users(self) -> FixedWork:
        if self.extra >= self.users:
            raise ValueError(f"extra is {self.extra}, and must be less than users, {self.users}")
        return self

    @property
    def work(self) -> int:
        """How many sessions or plain requests all users make together."""
        return self.users * self.each + self.extra


Profile = Annotated[BigBang | Ramp | Steps | Bursts | Rate | FixedWork, Field(discriminator="kind")]


class Think(Strict):
    """Pause between an answer and the next request of the same user.

    `constant` waits `ms`; `uniform` waits between `ms` and `to_ms`; `exponential` waits `ms` on average.
    """

    kind: Literal["none", "constant", "uniform", "exponential"] = "none"
    ms: Milliseconds = 0
    to_ms: Milliseconds = 0


class HeaderCapture(Strict):
    """A value for later requests of a session: that of the first header field of this name."""

    kind: Literal["header"] = "header"
    name: str


class RegexCapture(Strict):
    """What the first group of the expression matches in the body, or the whole expression where it has no group."""

    kind: Literal["regex"] = "regex"
    expression: str


class PathCapture(Strict):
    """The text of the first element whose path from the root is this (`Envelope/Body/answer/id`), or with `@name` at the end that
    attribute of it. Names stand without their prefixes."""

    kind: Literal["path"] = "path"
    path: str


class JsonCapture(Strict):
    """The string, number or boolean at this path of keys and indexes in a JSON body, such as `["items", 0, "id"]`."""

    kind: Literal["json"] = "json"
    path: Annotated[list[JsonKey | JsonIndex], Field(min_length=1, max_length=32)]


Capture = Annotated[HeaderCapture | RegexCapture | PathCapture | JsonCapture, Field(discriminator="kind")]


class SessionStep(Strict):
    """One request of a session, the pause after its answer where the corpus has none, and what is kept of the answer.

    A value that is kept fills the places `{{name}}` of later requests of the session.
    """

    operation: str
    think: Think = Think()
    captures: dict[Annotated[str, Field(pattern="^[A-Za-z0-9_]{1,64}$")], Capture] = {}


class Session(Strict):
    """Requests that one user makes in order. `new_visitor`: each begins without the cookies of the ones before.

    After a failure a session ends, or goes on where no value is missing that its next request needs.
    """

    steps: Annotated[list[SessionStep], Field(min_length=1)]
    on_failure: Literal["end-session", "continue"] = "end-session"
    new_visitor: bool = False


class Length(Strict):
    """Bounds on the length of an answer's body in bytes, both inclusive; equal bounds mean exactly."""

    least: Annotated[int, Field(ge=0)] = 0
    most: Annotated[int, Field(ge=0)] = 2**53


class Rule(Strict):
    """When an answer is right. All that is given must hold.

    `fault`: whether the answer must be a fault (`present`, an expected one), must not be (`absent`), or may be (`any`).
    `fault_in`: what tells that: the SOAP envelope in its body, or gRPC's status in a field behind it, which is then due.
    `contains`: a literal that stands in the body. `sha256`: of the whole body. `matches`: a regular expression on it.
    """

    status: list[Annotated[int, Field(ge=100, le=599)]] = [200]
    fault: Literal["absent", "present", "any"] = "absent"
    fault_in: Literal["envelope", "grpc-status"] = "envelope"
    length: Length | None = None
    contains: str | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    matches: str | None = None


class Tls(Strict):
    """How a server's certificate is judged: the system's roots, or `ca` (a PEM file); `verify = false` only on demand. A server
    that asks who asks is shown `certificate`, of which `key` is the private key (PEM files)."""

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
    """HTTP/2 instead of HTTP/1.1: agreed on by TLS (ALPN), or without TLS by prior knowledge. Each connection carries the requests
    of as many users as it has `streams`."""

    streams: Annotated[int, Field(ge=1, le=10_000)] = 100


class Rmi(Strict):
    """Calls by Java RMI in place of HTTP: the remote interface, and the jars (files) that hold it and the values of its methods."""

    interface: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_.]*$")]
    classes: Annotated[list[str], Field(min_length=1)]


class KeeperChannel(Strict):
    """A keeper's control socket, and whether its processes may be stopped while it is another subject's turn."""

    control: str
    may_freeze: bool


class Target(Strict):
    """A server that answers for a subject. `headers` go with every request, `operation_headers` with those of one operation.

    Method and path are those of requests to which the corpus gives none; a header that it gives replaces one of the same name.
    `secure` asks over TLS, `http2` by HTTP/2. A `url` says host, port, `secure` and path in one. Where `addresses` (IP) are given,
    the host's name is not resolved: connections are dealt over those of them that accept.
    One with `rmi` is for the driver of RMI alone (engine/rmi): its path is the object's name in the registry, and the method.
    `keepers` keep its processes: slices that take turns have them frozen and their CPU clocks read by whose turn it is.
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
    rmi: Rmi | None = None
    keepers: list[KeeperChannel] = []

    @model_validator(mode="after")
    def _require_one_address(self) -> Target:
        if (self.host is None) == (self.url is None):
            raise ValueError(f"target {self.subject} needs either a host or a url")
        if self.url is not None and (self.port is not None or self.secure or self.path is not None):
            raise ValueError(f"target {self.subject}: the url says all; port, secure and path go with a host")
        return self

    @model_serializer(mode="wrap")
    def _without_rmi(self, told: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The engine of HTTP knows no RMI, and is not told of it."""
        return {key: value for key, value in told(self).items() if key != "rmi" or value is not None}


class OnFailure(Strict):
    """What a closed user does after a failure: go on at once, wait, or end."""

    kind: Literal["continue", "wait", "end"] = "wait"
    ms: Milliseconds = 10


class Slice(Strict):
    """An unbroken stretch of load on one subject (a block, where the profile has a shape).

    `mix` weighs operations or sessions by name; `deck_seed` fixes the order of the requests and the arrival times, so
    both slices of a pair are given the same one. `lead_in_ms` of load goes before the measured time.
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
    """For how long requests are sent in each turn of a slice that takes turns; the last answers come after that."""

    ms: Annotated[float, Field(ge=1, le=60_000)]


class StretchEdges(Strict):
    """How one slice is driven whose answers are too slow for turns: its users start one after another over `spread_ms`, and the
    measured time of `seconds` begins `lead_in_ms` after the first of them."""

    lead_in_ms: Milliseconds
    spread_ms: Milliseconds
    seconds: Seconds


class Samples(Strict):
    """Which whole exchanges are kept: one right answer in `one_in`, and failures and wrong answers first, both bounded."""

    one_in: Annotated[int, Field(ge=1)] = 1000
    most_right: Annotated[int, Field(ge=0)] = 200
    most_failed: Annotated[int, Field(ge=0)] = 100


class EngineShare(Strict):
    """Which part of the load falls to one of several engines (`of`) that drive a target together: number `place` of them, from 0.

    Users are dealt in turn, the deck's cards by whole hands; of a constant rate each engine has every so manieth arrival, of a
    Poisson rate those that a seeded lot gives it. All engines are told the same slices, and what all do is what one would do.
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

    `cpus` pins the engine's threads; empty leaves them free. `connection` says whether users keep theirs. Times are in the unit
    their names say; `seed` feeds every random choice that `deck_seed` does not. `seconds_histograms` keeps the response times
    of each second of a slice as a histogram (seconds.hlog), `log_requests` each request with the instant at which it was due
    (requests.csv).
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
