"""What is exported: requests, how often each comes, and the load, in one shape for all tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from pathlib import Path

from ...models.job import Profile, Rule, Think
from ...models.outputs.own_service import LeftOut
from .. import answer_rules
from ..load_spec import LoadSpec
from ..load_target import LoadOperation, LoadTarget
from ..planned_load import loadable, stretch_of

MOST_ROWS = 1_000  # of an operation's data
PLACE = re.compile(r"\{\{(\w{1,64})\}\}")
_TOKENS = ("password", "password-digest", "digest")


@dataclass(frozen=True)
class Secret:
    """A header whose value is a secret: `source` says where that is (`env:NAME`, `file:PATH`); the value sent is `prefix` and the
    secret, with `user` and a colon before it and all in base64 where there is a user."""

    header: str
    source: str
    prefix: str = ""
    user: str | None = None


@dataclass(frozen=True)
class ExportedOperation:
    """An operation as it is asked: `rows` hold the path and the body of each of its requests, `weight` is its share of the mix, and
    `rule` judges every answer; `places` are filled when it is sent."""

    name: str
    method: str
    headers: Mapping[str, str]
    rows: Sequence[tuple[str, bytes]]
    weight: float
    rule: Rule
    places: frozenset[str]


@dataclass(frozen=True)
class PlannedExport:
    """A service with its load: `address` is the server's, `stretch` of time and users as `load` would drive it."""

    asked: LoadTarget
    words: LoadSpec
    operations: Sequence[ExportedOperation]
    profile: Profile
    think: Think
    warm_up_seconds: float
    secrets: Sequence[Secret] = ()
    left_out: list[LeftOut] = field(default_factory=list)


def plan_export(asked: LoadTarget, words: LoadSpec, secret_headers: Mapping[str, str]) -> PlannedExport:
    """What `load` would do with these words, and what of it no tool is told. Raises ConfigurationError as `load` does."""
    asked, left_out = loadable(asked, words)
    names = [name for name in asked.operations if name not in {omitted.what for omitted in left_out}]
    stretch = stretch_of(words, names, asked.max_rate)
    left_out += _rules_left_out(asked, names)
    secrets = [Secret(header, _absolute_source(asked, source)) for header, source in secret_headers.items()]
    if asked.auth is not None:
        if asked.auth.kind in _TOKENS:
            why = "the other tool computes none" if asked.auth.kind == "digest" else "the other tool writes none"
            left_out.append(LeftOut(what=f"[auth] of kind {asked.auth.kind}", why=f"{why}: requests lack it"))
        else:
            secrets.append(_secret(asked))
    if words.chunked:
        left_out.append(LeftOut(what="--chunked", why="bodies are sent with their length"))
    operations = []
    for name, weight in stretch.mix.items():
        operation = asked.operations[name]
        if len(operation.bodies) > MOST_ROWS:
            why = f"{MOST_ROWS:,} of {len(operation.bodies):,} are exported"
            left_out.append(LeftOut(what=f"rows of data of {name}", why=why))
        operations.append(_export_operation(operation, weight, words))
    return PlannedExport(
        asked, words, operations, stretch.profile, stretch.think, stretch.lead_in_seconds, secrets, left_out
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


def _secret(asked: LoadTarget) -> Secret:
    auth = asked.auth
    assert auth is not None
    if auth.kind == "api-key":
        return Secret(auth.header or "", _absolute_source(asked, auth.secret))
    if auth.kind == "bearer":
        return Secret("Authorization", _absolute_source(asked, auth.secret), "Bearer ")
    return Secret("Authorization", _absolute_source(asked, auth.secret), "Basic ", auth.user)


def _absolute_source(asked: LoadTarget, source: str) -> str:
    """Where a secret is, as from anywhere."""
    kind, _, name = source.partition(":")
    return source if kind != "file" else f"file:{(asked.folder / Path(name).expanduser()).resolve()}"


def _rules_left_out(asked: LoadTarget, names: Sequence[str]) -> list[LeftOut]:
    """Rules that are judged on kept answers, which other tools keep none of."""
    return [
        LeftOut(what=f"rule {rule} of {name}", why="it is judged on answers that Steelyard keeps")
        for name in names
        for rule in answer_rules.rules_of(asked.operations[name].expect, asked.schema)
    ]
