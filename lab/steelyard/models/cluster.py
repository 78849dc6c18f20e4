"""A run on several machines, or in several sessions: which trials are whose, and what all say (cluster.json, machines.json)."""

from __future__ import annotations

from typing import Literal

from .records import Schedule
from .strict import Significant, Strict
from .verdict import Elsewhere, Word

IncidentKind = Literal["lost", "busy", "unfit", "damaged", "given-up", "never-started"]
Level = Literal["machine", "session"]


class Machine(Strict):
    """A machine of the cluster: its `name` is its folder's, `identity` a mark that tells nobody which one it is.

    `trials` are the numbers of those that it is to drive; what it does not come to, another one drives.
    """

    name: str
    identity: str
    trials: list[int]


class Incident(Strict):
    """Something that befell a machine: it was `lost` amid a trial, is measuring something else (`busy`), cannot drive trials of
    this run (`unfit`), sent what could not be read (`damaged`), or a subject did not come up on it (`never-started`). A trial that
    was lost too often is `given-up`, whatever machine it was on. `at` is UTC.
    """

    at: str
    kind: IncidentKind
    machine: str
    trial: int | None
    message: str


class ClusterRun(Strict):
    """cluster.json: all trials of all machines, fixed before anything runs, whose they are, and what went wrong meanwhile.

    With `level` session the `machines` are sessions of one machine, with `rest_seconds` between them.
    """

    level: Level = "machine"
    rest_seconds: float = 0.0
    schedule: Schedule
    machines: list[Machine]
    incidents: list[Incident] = []


class MachineRatio(Strict):
    """What one machine found: a / b with its interval over `forks`, and its word. `why_not` says why it does not count: then the
    ratio may be missing, and it is no part of what is said of all machines."""

    machine: str
    processor: str
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None
    forks: int
    verdict: Word | None
    why_not: str = ""


class OverMachines(Strict):
    """Subject `a` against `b` in a cell on the judged measure, the machine as the highest level.

    `verdict` is about a relative to b on these machines, null where fewer than two count; `direction` says which way the difference
    goes where one was shown, also within the margin. `ratio` is the mean over machines (null:
    none counts), `interval` its interval at `confidence`; `spread` the standard deviation between machines, as a share of the
    ratio, beyond what their own intervals explain; `prediction` holds what the next machine such as these would find (null for
    fewer than three). `counted` machines count, with `forks` in all. Of sessions, `elsewhere` is what another day or machine of
    this kind would find. `holds_elsewhere` says whether the verdict would be found there, or of machines by the next one (null:
    nothing was decided, or nothing is known).
    """

    a: str
    b: str
    cell: str
    operation: str
    measure: str
    unit: str
    title: str
    better: Literal["higher", "lower"]
    margin: float
    verdict: Word | None
    direction: Literal["faster", "slower"] | None = None
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None
    confidence: Significant
    spread: Significant | None
    prediction: tuple[Significant, Significant] | None
    elsewhere: Elsewhere | None = None
    holds_elsewhere: bool | None = None
    counted: int
    forks: int
    machines: list[MachineRatio]
    sentence: str


class MachineRun(Strict):
    """A machine's own run within the cluster's: its folder, how many of its trials came to their end, and its verdict in words.

    `system` is its distribution and kernel, empty where they are not known.
    """

    machine: str
    processor: str
    system: str
    folder: str
    trials: int
    complete: int
    sentence: str


class MachinesVerdict(Strict):
    """machines.json, and the object of `run --cluster --json` and of `report --json` of such a run.

    `valid` is false where no comparison counts on any machine, and `why_not` says why. `status` is `complete` where every planned
    trial came to its end on some machine; `missing` are the numbers of those that did not. `differences` are those between the
    machines' setups beyond the machine itself. With `level` session the machines are sessions of one machine.
    """

    level: Level = "machine"
    run: str
    valid: bool
    why_not: list[str]
    sentence: str
    status: Literal["complete", "partial"]
    comparisons: list[OverMachines]
    machines: list[MachineRun]
    incidents: list[Incident]
    missing: list[int]
    differences: list[str]
    report: str | None = None
