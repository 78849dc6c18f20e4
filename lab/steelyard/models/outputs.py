"""What the commands print with --json, one object each (contracts/*.schema.json)."""

from __future__ import annotations

from .strict import Strict
from .verdict import Comparison


class RunOutput(Strict):
    """`run --json`, `demo --json` and `report --json`: the verdicts, and where everything is."""

    valid: bool
    why_not: list[str]
    sentence: str
    comparisons: list[Comparison]
    failures: list[str]
    run: str
    report: str | None


class ServerRow(Strict):
    """One server. `fetched`: its artifacts are in the cache. `contract`: what `servers check` found, null where it was not
    tried or cannot be. `floor`: no stack, only what HTTP itself costs."""

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
    start_seconds: float | None = None
    memory_bytes: int | None = None
    exchanges: int | None = None
    deviations: dict[str, str] = {}


class ServersOutput(Strict):
    """`servers --json` and `servers check --json`."""

    servers: list[ServerRow]
