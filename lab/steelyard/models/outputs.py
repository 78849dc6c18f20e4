"""What the commands print with --json, one object each (contracts/*.schema.json)."""

from __future__ import annotations

from typing import Literal

from .strict import Significant, Strict
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


class ServersOutput(Strict):
    """`servers --json` and `servers check --json`."""

    servers: list[ServerRow]
