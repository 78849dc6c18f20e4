"""What `servers`, `studies`, `services` and `doctor` print."""

from __future__ import annotations

from ..records import Check
from ..server import Factor
from ..strict import Strict


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

    `fetched`: its artifacts are in the cache. `missing`: why it cannot run on this machine, such as a missing command; null
    where it can. `started`: its process came up and counted requests. `deployed`: it answered rightly.
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
    missing: str | None = None
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


class ServerDetail(Strict):
    """`servers NAME --json`: all that is known of one server without starting it.

    `services` are those that it has an implementation of; `factors` what may be set as NAME@FACTOR=VALUE; `tuning` how it stands
    to the settings that the studies' papers tuned.
    """

    server: ServerRow
    services: list[str]
    factors: dict[str, Factor]
    tuning: dict[str, str]


class StudyRow(Strict):
    """One study: its question, its paper where it reruns one, the service, and the subjects that it compares by default."""

    name: str
    question: str
    authors: str | None
    year: int | None
    service: str
    subjects: list[str]
    tests: list[str]


class StudiesOutput(Strict):
    """`studies --json`."""

    studies: list[StudyRow]


class ServiceRow(Strict):
    """One service, with its operations and the folders of its implementations."""

    name: str
    title: str
    operations: list[str]
    implementations: list[str]


class ServicesOutput(Strict):
    """`services --json`."""

    services: list[ServiceRow]


class DoctorOutput(Strict):
    """`doctor --json`: what was looked at on this machine; `good` where nothing could falsify a measurement."""

    good: bool
    checks: list[Check]


class ServersOutput(Strict):
    """`servers --json` and `servers check --json`."""

    servers: list[ServerRow]
