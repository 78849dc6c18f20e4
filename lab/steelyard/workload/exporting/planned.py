"""The export in a form for all tools: requests, their weights, and the load."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice, repeat
from pathlib import Path

from ...base.errors import ConfigurationError
from ...models.job import Capture, Profile, Rule, Session, Think
from ...models.outputs.own_service import LeftOut
from .. import answer_rules
from ..load_operation import LoadOperation
from ..load_spec import LoadSpec
from ..load_target import LoadTarget
from ..login_flows import AUTH_SECRET
from ..places import computed_places
from ..planned_load import loadable, loaded_weights, stretch_of

MOST_ROWS = 1_000  # of an operation's data
PLACE = re.compile(r"\{\{(\w{1,64})(?::(?:url|json|xml))?\}\}")
_GRPC_TOOL = "k6"
_TOKENS = ("password", "password-digest", "digest")


@dataclass(frozen=True)
class Secret:
    """A header with a secret value.

    `source` is the secret's place (`env:NAME`, `file:PATH`); the value is `prefix` and the secret; with a `user`, user,
    colon and secret are in base64.
    """

    header: str
    source: str
    prefix: str = ""
    user: str | None = None


@dataclass(frozen=True)
class ExportedOperation:
    """An operation to export: `rows` hold path and body of each request, `weight` is its share of the mix, `rule`
    checks every answer, and `places` are filled for each request."""

    name: str
    method: str
    headers: Mapping[str, str]
    rows: Sequence[tuple[str, bytes]]
    weight: float
    rule: Rule
    places: frozenset[str]

    @property
    def steps(self) -> Sequence[ExportedOperation]:
        """The operation itself, its only step."""
        return [self]

    @property
    def captures(self) -> Sequence[Capture]:
        """Empty: only sessions capture values."""
        return []

    @property
    def values(self) -> Set[str]:
        """Empty: only sessions have values."""
        return frozenset()


@dataclass(frozen=True)
class ExportedSession:
    """A session to export: its share of the mix, the requests of its steps in order, and the rows of its data."""

    name: str
    session: Session
    weight: float
    steps: Sequence[ExportedOperation]
    rows: Sequence[Mapping[str, str]]

    @property
    def captures(self) -> Sequence[Capture]:
        """All captures of its steps."""
        return [capture for step in self.session.steps for capture in step.captures.values()]

    @property
    def values(self) -> Set[str]:
        """The names of the values that its data and its captures give."""
        captured = {name for step in self.session.steps for name in step.captures}
        return captured | {name for row in self.rows[:1] for name in row}


ExportedUnit = ExportedOperation | ExportedSession  # a part of the mix


@dataclass(frozen=True)
class PlannedExport:
    """A service with its load; profile, pauses and warm-up as `load` would use them. `secret_values` are the sources of secrets by
    the names of their places."""

    load_target: LoadTarget
    words: LoadSpec
    operations: Sequence[ExportedOperation]
    profile: Profile
    think: Think
    warm_up_seconds: float
    secrets: Sequence[Secret] = ()
    left_out: list[LeftOut] = field(default_factory=list)
    sessions: Sequence[ExportedSession] = ()
    secret_values: Mapping[str, str] = field(default_factory=dict)

    @property
    def units(self) -> list[ExportedUnit]:
        """What the mix weighs: the operations, and the sessions."""
        return [*self.operations, *self.sessions]

    def values_of(self, unit: ExportedUnit) -> set[str]:
        """The names of the values that a part of the mix has: its own, and all secrets."""
        return {*self.secret_values, *unit.values}


def plan_export(
    load_target: LoadTarget, words: LoadSpec, secret_headers: Mapping[str, str], tools: Sequence[str] = ()
) -> PlannedExport:
    """The load that these options mean, and what no other tool can express.

    Raises ConfigurationError as `load` does, and where one of the `tools` cannot send such requests.
    """
    refused = [tool for tool in tools if tool != _GRPC_TOOL]
    if load_target.meaning == "grpc" and refused:
        raise ConfigurationError(
            f"{load_target.name} is called by gRPC, which the export to {' and '.join(refused)} does not support",
            hint=f"--{_GRPC_TOOL} exports it",
        )
    load_target, left_out = loadable(load_target, words)
    weights = loaded_weights(load_target, left_out)
    stretch = stretch_of(words, weights, load_target.max_rate)
    sessions = {name: load_target.sessions[name] for name in stretch.mix if name in load_target.sessions}
    steps = [operation for session in sessions.values() for operation in session.operations]
    left_out += _rules_left_out(load_target, [*(name for name in stretch.mix if name not in sessions), *steps])
    secrets, values, without = _credentials(load_target, secret_headers)
    left_out += [*without, *_options_left_out(words, load_target)]
    exported: dict[str, ExportedOperation] = {}
    for name in [*(name for name in stretch.mix if name not in sessions), *steps]:
        operation = load_target.operations[name]
        if len(operation.bodies) > MOST_ROWS:
            why = f"the first {MOST_ROWS:,} of {len(operation.bodies):,} are exported"
            left_out.append(LeftOut(what=f"rows of data of {name}", why=why))
        if operation.pauses_ms:
            left_out.append(LeftOut(what=f"pauses_ms of {name}", why="their mean is exported"))
        exported[name] = _export_operation(operation, stretch.mix.get(name, 1.0), words)
    return PlannedExport(
        load_target,
        words,
        [exported[name] for name in stretch.mix if name not in sessions],
        stretch.profile,
        stretch.think,
        stretch.lead_in_seconds,
        secrets,
        left_out,
        [
            ExportedSession(
                name, each.session, stretch.mix[name], [exported[step] for step in each.operations], each.rows
            )
            for name, each in sessions.items()
        ],
        values,
    )


def _credentials(
    load_target: LoadTarget, secret_headers: Mapping[str, str]
) -> tuple[list[Secret], dict[str, str], list[LeftOut]]:
    """The secret headers, the sources of the secret values of places, and an authentication that no other tool has."""
    secrets = [Secret(header, _absolute_source(load_target, source)) for header, source in secret_headers.items()]
    values = {name: _absolute_source(load_target, source) for name, source in load_target.secrets.items()}
    auth = load_target.auth
    if auth is None:
        return secrets, values, []
    if auth.takes_requests:
        values[AUTH_SECRET] = _absolute_source(load_target, auth.secret)
    elif auth.kind in _TOKENS:
        why = "the other tool does not support it: requests are sent without it"
        return secrets, values, [LeftOut(what=f"[auth] of kind {auth.kind}", why=why)]
    else:
        secrets.append(_secret(load_target))
    return secrets, values, []


def _options_left_out(words: LoadSpec, load_target: LoadTarget) -> list[LeftOut]:
    """The options of the load that no other tool has."""
    left_out = []
    if words.goals.named:
        left_out.append(LeftOut(what="goals of single operations", why="the goal of all requests is exported"))
    if words.new_connection:
        left_out.append(LeftOut(what="--new-connection", why="the other tool keeps its connections"))
    if words.follow_redirects:
        left_out.append(LeftOut(what="--follow-redirects", why="a redirect is an answer in the other tool"))
    if load_target.resolved:
        left_out.append(LeftOut(what="--resolve", why="the other tool resolves names by itself"))
    if words.chunked:
        left_out.append(LeftOut(what="--chunked", why="bodies are sent with Content-Length"))
    return left_out


def _export_operation(operation: LoadOperation, weight: float, words: LoadSpec) -> ExportedOperation:
    headers = dict(operation.headers)
    more = {**words.headers, **({"Accept-Encoding": "gzip, deflate"} if words.packed else {})}
    for name, value in more.items():
        headers = {own: text for own, text in headers.items() if own.lower() != name.lower()} | {name: value}
    rows = list(islice(zip(operation.paths or repeat(operation.path), operation.bodies, strict=False), MOST_ROWS))
    texts = [operation.path, *headers.values(), operation.bodies[0].decode("utf-8", "replace")]
    places = _places_in("\n".join(texts)) if operation.filled else frozenset()
    return ExportedOperation(operation.name, operation.method, headers, rows, weight, operation.rule(), places)


def _places_in(text: str) -> frozenset[str]:
    """The names of a text's places; a computed one is called `name()`, which no tool fills."""
    computed = {f"{place.value.partition('(')[0]}()" for place in computed_places(text)}
    return frozenset(PLACE.findall(text)) | computed


def _secret(load_target: LoadTarget) -> Secret:
    auth = load_target.auth
    assert auth is not None
    if auth.kind == "api-key":
        return Secret(auth.header or "", _absolute_source(load_target, auth.secret))
    if auth.kind == "bearer":
        return Secret("Authorization", _absolute_source(load_target, auth.secret), "Bearer ")
    return Secret("Authorization", _absolute_source(load_target, auth.secret), "Basic ", auth.user)


def _absolute_source(load_target: LoadTarget, source: str) -> str:
    """The place of a secret, with an absolute path for a file."""
    kind, _, name = source.partition(":")
    return source if kind != "file" else f"file:{(load_target.folder / Path(name).expanduser()).resolve()}"


def _rules_left_out(load_target: LoadTarget, names: Sequence[str]) -> list[LeftOut]:
    """Rules on stored answers, which other tools do not store."""
    return [
        LeftOut(what=f"rule {rule} of {name}", why="it is checked on the answers that Steelyard stores")
        for name in names
        for rule in answer_rules.rules_of(load_target.operations[name].expect, load_target.schema)
    ]
