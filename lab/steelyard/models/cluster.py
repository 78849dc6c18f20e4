"""A run on several machines, or in several sessions: the trials of each, and the joint result (cluster.json, machines.json)."""

from __future__ import annotations

from typing import Literal

from .records import Schedule
from .strict import Significant, Strict
from .verdict import Elsewhere, Word

IncidentKind = Literal["lost", "busy", "unfit", "damaged", "given-up", "never-started"]
Level = Literal["machine", "session"]


class Machine(Strict):
    """A machine of the cluster: its `name` is its folder's, `identity` a mark that does not reveal which machine it is.

    `trials` are the numbers of its trials; another machine drives those that it cannot complete.
    """

    name: str
    identity: str
    trials: list[int]


class Incident(Strict):
    """An incident of a machine: it was `lost` during a trial, is measuring something else (`busy`), cannot drive trials of this
    run (`unfit`), sent unreadable files (`damaged`), or a subject did not start on it (`never-started`). A trial that was lost
    too often is `given-up`, on any machine. `at` is UTC."""

    at: str
    kind: IncidentKind
    machine: str
    trial: int | None
    message: str


class ClusterRun(Strict):
    """cluster.json: all trials of all machines, fixed before the run, their assignment, and the incidents of the run.

    With `level` session the `machines` are sessions of one machine, with `rest_seconds` between them.
    """

    level: Level = "machine"
    rest_seconds: float = 0.0
    schedule: Schedule
    machines: list[Machine]
    incidents: list[Incident] = []


class MachineRatio(Strict):
    """The result of one machine: a / b with its interval over `forks`, and its word. `why_not` is the reason why it does not
    count: then the ratio may be missing, and the joint result leaves it out."""

    machine: str
    processor: str
    ratio: Significant | None
    interval: tuple[Significant, Significant] | None
    forks: int
    verdict: Word | None
    why_not: str = ""


class OverMachines(Strict):
    """Subject `a` against `b` in a cell on the judged measure, with the machine as the highest level.

    `verdict` is about a relative to b on these machines, null where fewer than two count; `direction` is that of a shown
    difference, also within the margin. `ratio` is the mean over machines (null: none counts), `interval` its interval at
    `confidence`. `spread` is the standard deviation between machines, as a share of the ratio, beyond their own intervals.
    `prediction` is the interval for the next such machine (null for fewer than three). `counted` machines count, with `forks` in
    total. For sessions, `elsewhere` is the prediction for another day or machine of this kind. `holds_elsewhere`: whether the
    verdict would hold there, or for machines on the next one (null: nothing was decided, or nothing is known).
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
    """A machine's own run within the cluster's: its folder, the number of its complete trials, and its verdict in words.

    `system` is its distribution and kernel, empty where unknown.
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

    `valid` is false where no comparison counts on any machine, for the reasons in `why_not`. `status` is `complete` where every
    planned trial was completed on some machine; `missing` are the numbers of the others. `differences` are those between the
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
