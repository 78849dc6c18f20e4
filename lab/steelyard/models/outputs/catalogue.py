"""The output of `servers`, `studies`, `services` and `doctor`."""

from __future__ import annotations

from ..records import Check
from ..server import Factor
from ..strict import Strict


class KeepAlive(Strict):
    """The test of one connection: `answered` of the `asked` requests, and, where the server was then frozen for `frozen_seconds`,
    whether the connection `survived` (one more request was answered on it). `why` is the reason of an early end."""

    asked: int
    answered: int
    frozen_seconds: float | None = None
    survived: bool | None = None
    why: str | None = None


class Checked(Strict):
    """The time and setup of a server's check; `revision` is git's, with `+` for changed files."""

    date: str
    revision: str
    processor: str
    processors: int
    memory_bytes: int
    kernel: str
    distribution: str


class ServerRow(Strict):
    """One server and its results of `servers check`; null where a check was not tried, or is not available.

    `fetched`: its artifacts are in the cache. `missing`: why it cannot run on this machine, such as a missing command; null where
    it can. `never_run`: the authors could never start it. `started`: its process started and counted requests. `deployed`: it
    answered correctly. `contract`: every check passed,
    or failed for a reason in `deviations`; else `reason` describes the failure. `exchanges`: requests answered correctly, including
    spellings. `sockets`: every listening address, all `loopback` or not. `twice`: a second instance ran beside it.
    `redeploy_seconds`: from the command to replace the service until the new one answers, with a restart of the server where
    `redeploy_restart`. `memory_bytes`: resident, after the contract. `floor`: no stack, only the cost of HTTP itself.
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
    never_run: bool = False
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

    `services` are those that it implements; `factors` can be set as NAME@FACTOR=VALUE; `tuning` gives its values of the
    parameters that the studies' papers tuned.
    """

    server: ServerRow
    services: list[str]
    factors: dict[str, Factor]
    tuning: dict[str, str]


class StudyRow(Strict):
    """One study: its question, the paper that it repeats, if any, the service, and the subjects that it compares by default."""

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
    """One service, with its operations and the folders of its implementations; a folder `*-shared` has sources for several."""

    name: str
    title: str
    operations: list[str]
    implementations: list[str]


class ServicesOutput(Strict):
    """`services --json`."""

    services: list[ServiceRow]


class DoctorOutput(Strict):
    """`doctor --json`: the checks of this machine; `good` where nothing falsifies measurements."""

    good: bool
    checks: list[Check]


class ServersOutput(Strict):
    """`servers --json` and `servers check --json`."""

    servers: list[ServerRow]
