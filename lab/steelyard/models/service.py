"""A service under test: the model of service.toml (contracts/service.schema.json)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import islice
from statistics import fmean
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from ..base.in_ascii import ascii_path
from .job import Capture, Http2, Milliseconds, Rmi, Think, Tls, ValueName
from .server import FORMAT, Argv, Factor, FactorName, Role
from .strict import Strict

SERVED_ANSWERED = "served = answered"
# Wildcards of a request that the engine fills when it sends it; all others are filled from data before the run.
OF_THE_ENGINE = re.compile(r"\{\{(uuid|time|counter|nonce|password|password_digest|time_plus_[0-9]{1,9})\}\}")
Method = Annotated[str, Field(pattern="^[A-Z]{1,20}$")]
Meant = Literal["soap", "soap-schema", "json", "html", "bytes"]
Protected = Literal["signed", "encrypted", "signed-encrypted"]
MeantInAFormat = Meant | Literal["soap12", "mtom", "grpc", "rmi"] | Protected  # formats that are no service's own
MeantByAService = Meant | Literal["grpc"]  # the last only where a service names its target
PROTECTED: tuple[str, ...] = get_args(Protected)
PACKED = ("mtom", *PROTECTED)  # formats that wrap the exchanges of SOAP 1.1 when they are sent
FormatName = Annotated[str, Field(pattern="^[a-z][a-z0-9.-]*$", max_length=40)]
FieldName = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$")]
# Names of sessions and their steps stand in tables and tags.
StepName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9-]{0,39}$")]
RequestPath = Annotated[
    str,
    Field(pattern="^/[!-~]*$"),
    BeforeValidator(lambda path: ascii_path(path) if isinstance(path, str) else path),
]
SecretSource = Annotated[str, Field(pattern="^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$")]
# Names that stand for something else in a computed value, or for values of a login.
_OF_SOMETHING_ELSE = re.compile("method|path|body|auth_secret|digest_.*")
HostName = Annotated[str, Field(pattern="^[A-Za-z0-9._:-]{1,253}$")]
TargetAddress = Annotated[str, Field(pattern="^https?://[^/?#@ ]+$")]


class Parameter(Strict):
    """A size of the corpus that a study may set; handed to the generator as NAME=VALUE."""

    default: int
    meaning: str
    unit: str
    least: int = 0
    most: int = 10_000_000


class Expect(Strict):
    """The rules for right answers of a running target. All given ones must hold.

    The engine judges every answer by `status` (default 200), `fault` (a SOAP fault must be `absent`, `present`, or may be there),
    the `least` and `most` bytes of its body, a text that it `contains` and an expression that it `matches`. Slower rules are
    judged on sampled answers: `xpath` and `jsonpath` must each find something, `schema` sets whether answers must be valid by the
    service's schema, and `answer` is a JSON file of the service's folder with the required values (numbers as numbers, keys in
    any order).
    """

    status: list[Annotated[int, Field(ge=100, le=599)]] = []
    fault: Literal["absent", "present", "any"] | None = None
    least: Annotated[int | None, Field(ge=0)] = None
    most: Annotated[int | None, Field(ge=0)] = None
    contains: str | None = None
    matches: str | None = None
    xpath: list[str] = []
    jsonpath: list[str] = []
    schema_kept: Annotated[bool | None, Field(alias="schema")] = None
    answer: str | None = None

    def overriding(self, other: Expect) -> Expect:
        """The rules of `self`, and of `other` where `self` is silent."""
        given = {name: value for name in type(self).model_fields if (value := getattr(self, name)) not in (None, [])}
        return other.model_copy(update=given)


class Column(Strict):
    """Values for a wildcard `{{NAME}}` of samples, made before the run; each request takes the next.

    `csv` takes a column (`column`, the place's own name otherwise) of a file with a header, `json-lines` that key of a file with
    a JSON object a line; `sequence` counts from `first` by
    `step`; `uniform` draws whole numbers from `first` to `last`; `choice` draws one of `values`; `date` draws a day from
    `since` to `until`; `text` draws letters, `length` of them. The run's seed decides what is drawn.
    """

    kind: Literal["csv", "json-lines", "sequence", "uniform", "choice", "date", "text"]
    file: str | None = None
    column: str | None = None
    first: int = 1
    last: int = 1_000_000
    step: int = 1
    values: list[str] = []
    since: date = date(2026, 1, 1)
    until: date = date(2026, 12, 31)
    length: Annotated[int, Field(ge=1, le=100_000)] = 10

    @model_validator(mode="after")
    def _require_fields_of_kind(self) -> Column:
        if (self.kind in ("csv", "json-lines")) != (self.file is not None):
            raise ValueError("a column of csv or json-lines, and no other, needs a file")
        if self.kind == "choice" and not self.values:
            raise ValueError("a choice needs values")
        if self.first > self.last or self.since > self.until:
            raise ValueError("first and since must not come after last and until")
        return self


class Auth(Strict):
    """The authentication to a target. The secret is never in the file: `secret` is its source, `env:NAME` or `file:PATH`.

    `basic`, `digest` (RFC 7616) and `bearer` are fields of HTTP's head; an `api-key` is the whole value of the field `header`;
    `password` and `password-digest` are a user name token of WS-Security in the envelope's head, with a timestamp that is valid
    for `valid_seconds` where there are any.

    Some kinds take requests of their own, which each user of a session makes once, and again after status 401. They post to
    `path`. `client-credentials`, `password-grant` and `refresh-token` get a token of OAuth 2.0 for `scope`: by the secret of the
    client `user`, by the password of `user` (at the client `client`), or by a refresh token of the client `user`, which must be
    good for several uses. `form-login` sends
    `user` and the secret in the form's `user_field` and `password_field`, and with `csrf_field` that field's value, which the
    page at `path` holds.
    """

    kind: Literal[
        "basic",
        "digest",
        "bearer",
        "api-key",
        "password",
        "password-digest",
        "client-credentials",
        "password-grant",
        "refresh-token",
        "form-login",
    ]
    user: str = ""
    client: str = ""
    path: RequestPath | None = None
    scope: str = ""
    user_field: FieldName = "username"
    password_field: FieldName = "password"
    csrf_field: FieldName | None = None
    header: Annotated[str | None, Field(pattern="^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", max_length=100)] = None
    secret: SecretSource
    valid_seconds: Annotated[int | None, Field(ge=1, le=86_400)] = None

    @model_validator(mode="after")
    def _names_its_field(self) -> Auth:
        if (self.kind == "api-key") != (self.header is not None):
            raise ValueError("header is required for kind api-key, and allowed only there")
        if self.takes_requests != (self.path is not None):
            raise ValueError(
                "client-credentials, password-grant, refresh-token and form-login, and nothing else, name a path"
            )
        if self.client and self.kind != "password-grant":
            raise ValueError("client is of kind password-grant alone; the other kinds name their client as user")
        return self

    @property
    def takes_requests(self) -> bool:
        """Whether a user logs in by requests of its own, and does not say who it is in each."""
        return self.kind in ("client-credentials", "password-grant", "refresh-token", "form-login")


class Operation(Strict):
    """One kind of request: its `method` and `path` (default: the service's), and its `headers` (SOAPAction).

    `element` and `answer_element` are SOAP's names of request and answer in the schema. `places` are the compared parts of an
    HTML answer: a name and an XPath for each. `written = false`: the contract has no exchange of it, because its answers depend
    on more than the request (on a file that the user may replace), so the generator makes them all. For a service that runs
    elsewhere, `sample` is the file with its request (JSON: none without a body), `samples` are further files, sent in turn with
    it, `expect` has rules for its answers beyond the service's own, and `changes_data` excludes it from load, except for one
    request of the verification, unless the user allows it. `template` is its path as a description has it, with `{NAME}` for what
    differs from request to request: the mock server answers all such paths.
    """

    element: str | None = None
    answer_element: str | None = None
    places: dict[str, str] = {}
    meaning: str
    method: Method = "POST"
    path: RequestPath | None = None
    template: Annotated[str | None, Field(pattern="^/[!-~]*$")] = None
    headers: dict[str, str] = {}
    written: bool = True
    sample: str | None = None
    samples: list[str] = []
    changes_data: bool = False
    expect: Expect = Expect()


MOST_STEPS = 2000  # that one session makes, repetitions included


class ServiceStep(Strict):
    """One request of a session of a user's own service, or a group of `steps`.

    The request is that of an `operation`, or has a `path` of its own.

    `name` stands in results (without it: the operation's). `body` is the request's; without a `method` it is POST, else GET.
    Places `{{NAME}}` in path, headers and body are filled by values that earlier steps captured, by `[data.NAME]` and by the
    engine. `once`: each user makes the step in its first session only; such steps come first. `think` is the pause after it, or
    `pauses_ms` are recorded ones, each of which occurs as often as the others. A step, or a group, is made `repeat` times in a
    row. With `if_captured` it is left out where the session has no such value.
    """

    name: StepName | None = None
    operation: str | None = None
    method: Method | None = None
    path: RequestPath | None = None
    headers: dict[str, str] = {}
    body: str | None = None
    changes_data: bool = False
    expect: Expect = Expect()
    once: bool = False
    think: Think = Think()
    pauses_ms: Annotated[list[Milliseconds], Field(max_length=10_000)] = []
    captures: dict[ValueName, Capture] = {}
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1
    if_captured: ValueName | None = None
    steps: Annotated[list[ServiceStep], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _has_one_request(self) -> ServiceStep:
        if self.steps:
            if self.model_fields_set - {"steps", "repeat", "if_captured"}:
                raise ValueError("a group of steps has only repeat and if_captured beside them")
            if any(step.steps for step in self.steps):
                raise ValueError("a group holds requests, not groups")
            if self.if_captured is not None and any(step.if_captured for step in self.steps):
                raise ValueError("a step and its group cannot both have if_captured")
            return self
        if (self.operation is None) == (self.path is None):
            raise ValueError("a step names either an operation or a path")
        if self.operation is not None and (self.method is not None or self.body is not None):
            raise ValueError("the operation of a step has its method and body; leave them out")
        if self.operation is None and self.name is None:
            raise ValueError("a step with a path needs a name")
        if self.pauses_ms and self.think != Think():
            raise ValueError("a step has either think or pauses_ms")
        return self

    @property
    def mean_think(self) -> Think:
        """The pause after it, or the mean of its recorded ones."""
        return Think(kind="constant", ms=fmean(self.pauses_ms)) if self.pauses_ms else self.think

    @property
    def step_name(self) -> str:
        """Its name within the session."""
        return self.name or self.operation or ""

    def requests(self) -> Iterator[ServiceStep]:
        """The step, or those of its group, each with the condition of the group."""
        if not self.steps:
            yield self
        for step in self.steps:
            yield step.model_copy(update={"if_captured": step.if_captured or self.if_captured})

    def in_order(self) -> Iterator[ServiceStep]:
        """The requests as a session makes them, repetitions included."""
        once = [request for request in self.requests() for _ in range(request.repeat if self.steps else 1)]
        return (request for _ in range(self.repeat) for request in once)


class ServiceSession(Strict):
    """Requests that one user of a user's own service makes in order, again and again.

    `weight` is its share among several sessions. A failed step ends its session, unless `on_failure` is `continue`. After an
    answer with a status of `again_on` (401) a user repeats the `once` steps, then the request; from the age `again_after_ms` of
    the `once` steps on, before its next request. `data_each` says who has a row of `[data]` of their own, `data_end` what follows
    the last row: the first one, or the user's end. `new_visitor`: each session begins without cookies.
    """

    steps: Annotated[list[ServiceStep], Field(min_length=1, max_length=200)]
    weight: Annotated[float, Field(gt=0, le=1e6)] = 1
    on_failure: Literal["end-session", "continue"] = "end-session"
    again_on: list[Annotated[int, Field(ge=400, le=599)]] = []
    again_after_ms: Milliseconds | None = None
    data_each: Literal["user", "session"] = "session"
    data_end: Literal["recycle", "stop"] = "recycle"
    new_visitor: bool = False

    @model_validator(mode="after")
    def _is_bounded(self) -> ServiceSession:
        if next(islice(self.in_order(), MOST_STEPS, None), None) is not None:
            raise ValueError(f"a session makes at most {MOST_STEPS:,} requests, repetitions included")
        return self

    def requests(self) -> Iterator[ServiceStep]:
        """Its requests as they are written."""
        return (request for step in self.steps for request in step.requests())

    def in_order(self) -> Iterator[ServiceStep]:
        """Its requests as a user makes them, repetitions included."""
        return (request for step in self.steps for request in step.in_order())


class Reconciliation(Strict):
    """A condition on a subject after a trial's load, checked by a command; else the trial is void, with the command's output.

    The argument list runs in the service's folder, with {host}, {service}, {port.ROLE}, {cache.ROLE} and {server.ROLE} replaced
    (for the subject's process in that role: its port, the folder of its fetched files, and that of its descriptor), and the
    front's environment, with a companion's JAVA_HOME where the front has none. Its output must equal `expect`, where {requests} is
    the service's request count since its start, and {NAME} a count of that name from the last output of `settle`. It runs where the
    front's factors have the values of `when`.
    """

    name: str
    command: Argv
    expect: str
    when: dict[FactorName, str] = {}

    def roles(self) -> set[str]:
        """The roles that the subject needs for the command."""
        return roles_in(self.command)


class Settle(Strict):
    """The wait for background work of a service: a slice ends only with this command.

    The argument list runs like a reconciliation's (the word `python3` stands for the lab's own interpreter), with {seconds} for
    its time limit. It prints one JSON object: `settled`, whether all work was done in time, and `counts`, whole numbers by name
    with the outcomes of the work since the start. Counts named `orders.accepted`, `orders.completed` and so on are shown as the
    run's orders.
    """

    command: Argv
    seconds: Annotated[float, Field(gt=0, le=3600)] = 60

    def roles(self) -> set[str]:
        """The roles that the subject needs for the command."""
        return roles_in(self.command)


PlantName = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)]


class WorkOutcome(Strict):
    """A possible outcome of a piece of work after a fault: a count that `aftermath` prints under `name`."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$", max_length=40)]
    title: str
    meaning: str


class WorkPromise(Strict):
    """A promise: at `most` this number of an outcome after one fault, for the reason in `why`.

    It holds where the front's factors have the values of `when`, its implementation is one of `implementations`, the fault is of
    one of `parts` and plants one of `plants`; each of these is optional. Of several that hold, the first counts.
    """

    outcome: str
    most: Annotated[int, Field(ge=0)]
    why: str
    when: dict[FactorName, str] = {}
    implementations: list[str] = []
    parts: list[Role] = []
    plants: list[PlantName] = []


class Plant(Strict):
    """A fault built into the service, for a study's faults (`kind = "plant"`): argument lists that switch it on and off.

    They run like a reconciliation's; the word `python3` stands for the lab's own interpreter.
    """

    meaning: str
    begin: Argv
    end: Argv


class Aftermath(Strict):
    """The outcome of the work of a block with a fault, once all parts are back.

    The argument list runs like `settle`'s; {since} is the block's start, in ns of CLOCK_MONOTONIC. It waits until the service has
    no work left, and prints one JSON object: `settled`, whether that was in time, and `counts` of the work accepted since then:
    `accepted`, and each of the `outcomes`.
    """

    command: Argv
    seconds: Annotated[float, Field(gt=0, le=3600)] = 60
    work: str
    outcomes: Annotated[list[WorkOutcome], Field(min_length=1)]
    promises: list[WorkPromise] = []

    @model_validator(mode="after")
    def _require_known_outcomes(self) -> Aftermath:
        known = {outcome.name for outcome in self.outcomes}
        for promise in self.promises:
            if promise.outcome not in known:
                raise ValueError(
                    f"a promise is about '{promise.outcome}', which is not an outcome: {', '.join(sorted(known))}"
                )
        return self

    def roles(self) -> set[str]:
        """The roles that the subject needs for the command."""
        return roles_in(self.command)

    def limit_of(
        self, outcome: str, part: str, plant: str | None, factors: Mapping[str, str], implementation: str | None
    ) -> WorkPromise | None:
        """The promise on an outcome after a fault of `part`, or after a planted one; None without a promise."""
        return next(
            (
                promise
                for promise in self.promises
                if promise.outcome == outcome
                and promise.when.items() <= factors.items()
                and (not promise.implementations or implementation in promise.implementations)
                and (not promise.parts or part in promise.parts)
                and (not promise.plants or plant in promise.plants)
            ),
            None,
        )


def roles_in(command: list[str]) -> set[str]:
    """The roles in an argument list's {port.ROLE}, {cache.ROLE} and {server.ROLE}."""
    return set(re.findall(r"\{(?:port|cache|server)\.([a-z][a-z0-9]*)(?:\.[a-z][a-z0-9]*)?\}", " ".join(command)))


class Layer(Strict):
    """A layer of the service in reports: the time of a request under these tags of the monitor, without inner layers."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$", max_length=40)]
    title: str
    tags: Annotated[list[str], Field(min_length=1)]


# For a service without named layers: the layers that the agent knows, from the outside in.
AGENT_LAYERS = [
    Layer(name=name, title=title, tags=[tag])
    for name, title, tag in (
        ("web", "Web", "filter"),
        ("message", "Message", "soap"),
        ("endpoint", "Endpoint", "ws"),
        ("service", "Service", "si"),
        ("persistence", "Persistence", "hibernate"),
        ("writes", "Database writes", "writes"),
        ("reads", "Database reads", "reads"),
        ("broker", "Broker", "jms"),
        ("calls", "Calls of others", "http"),
    )
]


class RequestKind(Strict):
    """Requests that reports show separately: those whose context has one of these values for each key (`soap_name`).

    The empty text stands for a missing context.
    """

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]*$", max_length=40)]
    title: str
    where: dict[str, list[str]]


class VisitedPage(Strict):
    """A page for a browser, for `steelyard try`: its path, and a note for its visitor."""

    path: RequestPath
    meaning: str


class FormatOperation(Strict):
    """The target and headers of an operation's requests in another message format; None: the format's own path."""

    method: Method = "POST"
    path: RequestPath | None = None
    headers: dict[str, str] = {}


class Format(Strict):
    """Another message format for the same operations (contract/formats/NAME.toml of a service).

    `meaning`, `path`, `schema`, `headers` and `operations` replace the service's own; an operation that is not named uses `path`.
    `generate` is called like the service's generator, and prints the same exchanges in this format; called with `--translate`
    alone it reads exchanges, one JSON object a line, and prints each in this format, or `null` where the format cannot express
    it. Only mtom and WS-Security need none: they wrap the service's own exchanges. `http2` selects HTTP/2 by prior knowledge,
    with the number of concurrent requests per connection; gRPC, whose `schema` is the contract compiled by protoc, needs it.
    `implementations` support it; all do so beside the service's own format, at its own path. Where an implementation does so only
    on some of its servers, `servers` names all that do. `rmi` selects Java RMI: the interface, and the jars that a build makes,
    relative to the service's folder. Implementations of a format with `alone` support no other, and use it by default. `singles`
    are JSON keys whose numbers have 32 bits: all numbers that round to the same one are right.
    """

    title: str
    meaning: MeantInAFormat
    path: RequestPath
    schema_file: Annotated[str | None, Field(alias="schema")] = None
    singles: list[str] = []
    headers: dict[str, str] = {}
    operations: dict[str, FormatOperation] = {}
    http2: Http2 | None = None
    rmi: Rmi | None = None
    alone: bool = False
    generate: Argv | None = None
    implementations: Annotated[list[str], Field(min_length=1)]
    servers: list[str] = []

    @model_validator(mode="after")
    def _require_fields_of_format(self) -> Format:
        if self.meaning == "grpc" and (self.http2 is None or self.schema_file is None):
            raise ValueError("a format that means grpc needs http2 and schema")
        if (self.meaning == "rmi") != (self.rmi is not None):
            raise ValueError("rmi is required for a format that means rmi, and allowed only there")
        if self.meaning not in PACKED and self.generate is None:
            raise ValueError(f"a format that means {self.meaning} needs generate")
        return self


class Companion(Strict):
    """A server that runs beside an implementation, unless the service's factors have these values; each of its own `factors` gets
    the value of the named factor of the service."""

    server: str
    factors: dict[FactorName, FactorName] = {}
    unless: dict[FactorName, str] = {}


class Service(Strict):
    """The descriptor of a service.

    `meaning` sets how its answers are compared: SOAP and JSON by typed values; SOAP without known right values (`soap-schema`) by
    the operation's element and the schema alone; HTML by the texts at named places; anything else byte by byte. `schema` is the
    schema of answers: SOAP's types (XML Schema), or a JSON Schema whose `$defs` hold the answer of each operation by its name.
    `wsdl` is for implementers: nothing is judged by it. Without `counter` or `schema`, the respective checks are left out and
    reported.

    `path` is the path on every implementation. A GET of the path `counter` answers, as a decimal number, how many requests
    reached the service. `description` is appended to `path` and gives the address of the implementation's own description
    (`?wsdl`): a service without a counter is up when a GET of it is answered, and not with status 404 or 503. `generate` is the
    argument list of the exchange generator, run in the service's folder (the word `python3` stands for the lab's own
    interpreter); it is called with `--operation NAME --seed N --count N` and `--set NAME=VALUE` for each parameter, and prints
    one JSON object a line (see Exchange). `factors` are settings that every implementation supports, on any server; they are set
    and passed on like a server's own. Those in `generate_with` change the right answers: the generator gets them, too, so all
    subjects of a run have equal values. `companions` are the roles in which something must run beside the server, each with the
    factor that names it where a subject does not, or with the server and its condition. `reconciliations` end a trial, `settle`
    ends each slice where work outlives its answers, `aftermath` ends a block with a fault, and `plants` are built-in faults.
    `runs_on` names the servers of an implementation that not every server of its kind can run.
    `layers`, from the outside in, are timed by the monitor in its implementations. `nesting` lists tags: each should take at
    least as much of a request as the next. `request_kinds` are shown separately. `documents` are elements of SOAP's
    messages whose text is an XML document: such texts are compared by the schema's values as well, never character by character.
    `singles` are as in a format. `pages` are for browsers, for `steelyard try`. `formats` are other message formats of the same
    operations; a subject's factor `format` then selects one, with the name of `meaning` for the service's own.

    A service that runs already names its `target`, the server's http:// or https:// address, and needs no generator: its
    operations have samples. One that means `grpc` is called over HTTP/2: its `schema` is the contract compiled by protoc, each
    path names a method, and samples are messages in JSON. Where that is not this machine, `owned = true`, a `contact` and a
    `max_rate` (requests a second) must say that whoever loads it may. Where it can be started anew, `start` is the argument list
    that runs it in the foreground, in the service's folder, `ready` one that is repeated until it exits with 0 (without it: until
    the target takes connections), and `stop` one that ends it; it is ended with all its children in any case. `tls` says how its
    certificate is judged and which one is shown to it. `redirect_hosts` are other hosts to which its redirects may lead, which
    `load --follow-redirects` then follows. Columns of `data` fill places in samples, and so do `secrets`, such as
    keys of signatures: each has its source, `env:NAME` or `file:PATH`, and only the engine gets its value. `sessions` are requests
    that one user makes in order; where there are some, they are the load.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
    title: str
    meaning: MeantByAService = "soap"
    namespace: str | None = None
    path: RequestPath
    counter: RequestPath | None = None
    description: Annotated[str, Field(pattern="^[?/][!-~]*$")] | None = None
    wsdl: str | None = None
    schema_file: Annotated[str | None, Field(alias="schema")] = None
    headers: dict[str, str] = {}
    parameters: dict[str, Parameter] = {}
    factors: dict[FactorName, Factor] = {}
    generate_with: list[FactorName] = []
    companions: dict[Role, FactorName | Companion] = {}
    operations: dict[str, Operation] = {}
    generate: list[str] = []
    reconciliations: list[Reconciliation] = []
    settle: Settle | None = None
    aftermath: Aftermath | None = None
    plants: dict[PlantName, Plant] = {}
    runs_on: dict[str, Annotated[list[str], Field(min_length=1)]] = {}
    documents: list[str] = []
    singles: list[str] = []
    layers: list[Layer] = []
    nesting: list[str] = []
    request_kinds: list[RequestKind] = []
    pages: list[VisitedPage] = []
    formats: dict[FormatName, Format] = {}
    target: TargetAddress | None = None
    start: Argv | None = None
    ready: Argv | None = None
    stop: Argv | None = None
    owned: bool = False
    contact: str | None = None
    max_rate: Annotated[float | None, Field(gt=0, le=1e6)] = None
    tls: Tls = Tls()
    redirect_hosts: list[HostName] = []
    auth: Auth | None = None
    secrets: dict[ValueName, SecretSource] = {}
    expect: Expect = Expect()
    data: dict[Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")], Column] = {}
    sessions: dict[StepName, ServiceSession] = {}

    @model_validator(mode="before")
    @classmethod
    def _format_is_a_factor(cls, given: Any) -> Any:
        """With formats, the message format of a subject is a factor like any other."""
        if not isinstance(given, dict) or not isinstance(given.get("formats"), dict) or not given["formats"]:
            return given
        own = given.get("meaning", "soap")
        choice = {
            "default": own,
            "choices": [own, *given["formats"]],
            "meaning": "message format of the service's requests and answers",
        }
        return {**given, "factors": {**given.get("factors", {}), FORMAT: choice}}

    @model_validator(mode="after")
    def _secrets_have_names_of_their_own(self) -> Service:
        for name in self.secrets:
            if name in self.data or OF_THE_ENGINE.fullmatch(f"{{{{{name}}}}}") or _OF_SOMETHING_ELSE.fullmatch(name):
                raise ValueError(f"the secret {name} has the name of other values; give it another name")
        return self

    @model_validator(mode="after")
    def _formats_are_of_its_operations(self) -> Service:
        for name, form in self.formats.items():
            if name == self.meaning:
                raise ValueError(f"the format '{name}' has the name of the service's own")
            for operation in form.operations.keys() - self.operations.keys():
                raise ValueError(f"the format '{name}' names '{operation}', which is not one of the operations")
        return self

    @model_validator(mode="after")
    def _factors_name_the_companions(self) -> Service:
        for role, companion in self.companions.items():
            named = [companion] if isinstance(companion, str) else [*companion.factors.values(), *companion.unless]
            for factor in named:
                if factor not in self.factors:
                    raise ValueError(
                        f"the companion in the role of {role} depends on '{factor}', which is not a factor"
                    )
        return self

    @model_validator(mode="after")
    def _layers_are_apart(self) -> Service:
        tags = [tag for layer in self.layers for tag in layer.tags]
        for noun, names in (
            ("layer", [layer.name for layer in self.layers]),
            ("tag", tags),
            ("kind of request", [kind.name for kind in self.request_kinds]),
        ):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"the {noun} {twice} occurs twice")
        for tag in self.nesting:
            if tag not in tags:
                raise ValueError(f"nesting names '{tag}', which is not a tag of a layer")
        return self

    @model_validator(mode="after")
    def _require_fields_of_format(self) -> Service:
        missing = [key for key, value in self._needs().items() if not value]
        if missing:
            kind = f"means {self.meaning}" if self.target is None else "names its target"
            raise ValueError(f"a service that {kind} needs {', '.join(missing)}")
        return self

    def _needs(self) -> dict[str, object]:
        """The keys that this meaning requires."""
        named = self.operations.items()
        if self.target is not None:
            bodies = [] if self.meaning == "json" else named  # with JSON, a path may hold the whole request
            needed: dict[str, object] = {f"operations.{name}.sample": operation.sample for name, operation in bodies}
            return needed | ({"schema": self.schema_file} if self.meaning == "grpc" else {})
        if self.meaning == "soap-schema":
            answers = {f"operations.{name}.answer_element": operation.answer_element for name, operation in named}
            return {"schema": self.schema_file, **answers}
        if self.meaning == "grpc" or not self.generate:
            return {"target" if self.meaning == "grpc" else "generate": None}
        if self.meaning == "soap":
            ends = [(name, key) for name, _ in named for key in ("element", "answer_element")]
            return {
                "namespace": self.namespace,
                "schema": self.schema_file,
                **{f"operations.{name}.{key}": getattr(self.operations[name], key) for name, key in ends},
            }
        if self.meaning == "html":
            return {f"operations.{name}.places": operation.places for name, operation in named}
        return {}

    @model_validator(mode="after")
    def _require_start_with_target(self) -> Service:
        if not self.operations and not self.sessions:
            raise ValueError("a service needs operations, or of one that names its target sessions")
        if self.sessions and self.meaning == "grpc":
            raise ValueError("sessions of gRPC calls are not supported; list them as operations")
        if self.sessions and self.target is None:
            raise ValueError("sessions need a target; those of a service with a contract belong in studies")
        if self.start is None and (self.ready is not None or self.stop is not None):
            raise ValueError("ready and stop need start")
        if self.start is not None and self.target is None:
            raise ValueError("start needs a target; descriptors start the services of Steelyard's servers")
        return self

    @property
    def is_own(self) -> bool:
        """Whether it is a user's own service, with sample requests and rules for answers."""
        return self.target is not None

    @property
    def not_judged(self) -> dict[str, str]:
        """The checks that are not possible, each with its reason."""
        lacks: dict[str, str] = {}
        if self.counter is None:
            lacks[SERVED_ANSWERED] = "the service has no counter"
        if self.schema_file is None:
            lacks["the schema of answers"] = "the service has no schema"
        if self.meaning == "soap-schema":
            lacks["the values of answers"] = (
                "they are compared with the schema alone, since contract/exchanges has no right ones"
            )
        return lacks

    def as_set(self, values: Mapping[str, str]) -> Service:
        """This service with the values of its factors among `values` as their defaults."""
        changed = {
            name: factor.model_copy(update={"default": values.get(name, factor.default)})
            for name, factor in self.factors.items()
        }
        return self.model_copy(update={"factors": changed})

    def in_format(self, name: str) -> Service:
        """This service in one of its `formats`: the same operations, with other messages at other paths."""
        form = self.formats[name]
        operations = {
            operation: described.model_copy(update=dict(form.operations.get(operation, FormatOperation())))
            for operation, described in self.operations.items()
        }
        changed = {key: getattr(form, key) for key in ("meaning", "path", "schema_file", "singles", "headers")}
        generate = form.generate or self.generate
        return self.model_copy(update={**changed, "generate": generate, "operations": operations})


class Exchange(Strict):
    """A request with its expected answer: bodies as text (as base64 for a service that means bytes).

    `method`, `path` (with its query) and `headers` are this request's own; by default those of its operation. Exchanges of
    several operations with the same `link` belong to one session. `pause_ms` is the user's pause after the answer. With `filled`,
    its wildcards `{{name}}` in path, headers and request are filled when it is sent: by a value that the session captured before,
    or `uuid`, `time` and `counter` by the engine; such a request is only valid in a session.

    `marker` is a literal that every right answer contains and no other request's answer does (null where the answer has nothing
    of the request). `fault`: the right answer is a fault, SOAP's, else an HTTP status of 400 or more. `status` is the right
    answer's (null: 200, or a fault's usual one). `safe`: sending the request twice does no harm. In a SOAP answer `{{hole:NAME}}`
    stands for a value that the service makes up, and in the request of a later exchange for that value.
    """

    operation: str
    method: Method | None = None
    path: RequestPath | None = None
    headers: dict[str, str] = {}
    request: str
    answer: str
    marker: str | None = None
    fault: bool = False
    status: Annotated[int, Field(ge=100, le=599)] | None = None
    safe: bool = True
    link: Annotated[int, Field(ge=0)] | None = None
    pause_ms: Milliseconds | None = None
    filled: bool = False
