"""The export in a form for all tools: requests, their weights, and the load."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from pathlib import Path

from ...models.job import Profile, Rule, Think
from ...models.outputs.own_service import LeftOut
from .. import answer_rules
from ..load_operation import LoadOperation
from ..load_spec import LoadSpec
from ..load_target import LoadTarget
from ..planned_load import loadable, loaded_weights, require_no_sessions, stretch_of

MOST_ROWS = 1_000  # of an operation's data
PLACE = re.compile(r"\{\{(\w{1,64})\}\}")
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


@dataclass(frozen=True)
class PlannedExport:
    """A service with its load; profile, pauses and warm-up as `load` would use them."""

    load_target: LoadTarget
    words: LoadSpec
    operations: Sequence[ExportedOperation]
    profile: Profile
    think: Think
    warm_up_seconds: float
    secrets: Sequence[Secret] = ()
    left_out: list[LeftOut] = field(default_factory=list)


def plan_export(load_target: LoadTarget, words: LoadSpec, secret_headers: Mapping[str, str]) -> PlannedExport:
    """The load that these options mean, and what no other tool can express.

    Raises ConfigurationError as `load` does.
    """
    load_target, left_out = loadable(load_target, words)
    require_no_sessions(load_target, "no session can be exported", "--operation names operations that no session uses")
    weights = loaded_weights(load_target, left_out)
    stretch, names = stretch_of(words, weights, load_target.max_rate), list(weights)
    left_out += _rules_left_out(load_target, names)
    secrets = [Secret(header, _absolute_source(load_target, source)) for header, source in secret_headers.items()]
    if load_target.auth is not None:
        if load_target.auth.kind in _TOKENS:
            why = "the other tool does not support it: requests are sent without it"
            left_out.append(LeftOut(what=f"[auth] of kind {load_target.auth.kind}", why=why))
        else:
            secrets.append(_secret(load_target))
    if words.goals.named:
        left_out.append(LeftOut(what="goals of single operations", why="the goal of all requests is exported"))
    if words.new_connection:
        left_out.append(LeftOut(what="--new-connection", why="the other tool keeps its connections"))
    if words.chunked:
        left_out.append(LeftOut(what="--chunked", why="bodies are sent with Content-Length"))
    operations = []
    for name, weight in stretch.mix.items():
        operation = load_target.operations[name]
        if len(operation.bodies) > MOST_ROWS:
            why = f"the first {MOST_ROWS:,} of {len(operation.bodies):,} are exported"
            left_out.append(LeftOut(what=f"rows of data of {name}", why=why))
        operations.append(_export_operation(operation, weight, words))
    return PlannedExport(
        load_target, words, operations, stretch.profile, stretch.think, stretch.lead_in_seconds, secrets, left_out
    )


def _export_operation(operation: LoadOperation, weight: float, words: LoadSpec) -> ExportedOperation:
    headers = dict(operation.headers)
    more = {**words.headers, **({"Accept-Encoding": "gzip, deflate"} if words.packed else {})}
    for name, value in more.items():
        headers = {own: text for own, text in headers.items() if own.lower() != name.lower()} | {name: value}
    rows = list(islice(zip(operation.paths or repeat(operation.path), operation.bodies, strict=False), MOST_ROWS))
    texts = [operation.path, *headers.values(), operation.bodies[0].decode("utf-8", "replace")]
    places = frozenset(PLACE.findall("\n".join(texts))) if operation.filled else frozenset()
    return ExportedOperation(operation.name, operation.method, headers, rows, weight, operation.rule(), places)


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
