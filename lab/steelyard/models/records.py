"""What a run stores about itself: the schedule before, and one record a trial after (schedule.json, trial.json)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..base.text import plural
from .job import Profile, Session
from .server import FORMAT
from .service import Aftermath, Layer, RequestKind
from .strict import Significant, Strict
from .study import Fault, Observed, Span, Until

TrialStatus = Literal["complete", "failed", "interrupted"]


class Cell(Strict):
    """One condition under which subjects are compared: a mix of operations under a load.

    `kind` is one of plan/kinds: of the `steady` and `fixed-work` ones only one is primary, of the `block`s each is judged, of the
    `fault`s none. `users` are the most at any time. `until` ends a block of held steps early. `judged_by` is the measure that a
    verdict rests on; empty: throughput of closed load, the 99th percentile of open. `payload` are values of the service's
    parameters that this cell has of its own. A `cold` one is driven before the warm-up. Judged cells of one `family` share an
    error rate; without one, each is a question of its own. `may_refuse`: a subject that lives, but answers none of its requests
    rightly or in time, is counted, and the trial goes on. Of `reliability`, `until` says from where on a subject is
    no longer good, `printed` is what a publication has of the cell (`assumed` is what that leaves open), and a `pushed` one is left
    out for a subject that an earlier one of its operation broke. `subjects` are those that it is driven on; none said, all.
    """

    name: str
    mix: dict[str, float]
    users: int
    profile: Profile
    primary: bool
    kind: Literal["steady", "block", "fixed-work", "fault", "reliability"] = "steady"
    title: str = ""
    until: Until | None = None
    judged_by: str = ""
    payload: dict[str, int] = {}
    family: str = ""
    cold: bool = False
    may_refuse: bool = False
    printed: str = ""
    assumed: list[str] = []
    pushed: bool = False
    subjects: list[str] = []

    @model_validator(mode="before")
    @classmethod
    def _of_runs_before_there_were_kinds(cls, given: Any) -> Any:
        if isinstance(given, dict) and "block" in given:
            given = {**given, "kind": "block" if given["block"] else "steady"}
            del given["block"]
        return given

    @property
    def where(self) -> str:
        """Its name within a sentence: that of a test, which may be a mere number, with the word; a grid's by its size."""
        if self.kind in ("block", "fault"):
            return f"test {self.name}"
        return f"{self.operation} ({self.size})" if self.size else self.name

    @property
    def size(self) -> str:
        """Payload and users in words, such as "Stories 5, 80 users"; empty without a payload of its own."""
        if not self.payload:
            return ""
        return ", ".join((*(f"{name} {value:,}" for name, value in self.payload.items()), plural(self.users, "user")))

    @property
    def primary_measure(self) -> str:
        """The one measure that is judged; everything else is secondary."""
        return self.judged_by or ("response_time_p99" if self.profile.kind == "rate" else "throughput")

    @property
    def request_mix(self) -> dict[str, float]:
        """The mix by what the corpus calls its requests."""
        return {self.request_name(operation): share for operation, share in self.mix.items()}

    def request_name(self, operation: str) -> str:
        """What corpus and engine call the cell's requests of an operation, or its sessions: with its own payload, if any."""
        sizes = ";".join(f"{name}={value}" for name, value in self.payload.items())
        return f"{operation}@{sizes}" if sizes else operation

    @property
    def operation(self) -> str:
        """The operations of the mix, joined by `+`."""
        return "+".join(self.mix)


def in_format(asked: str, form: str) -> str:
    """What corpus and engine call requests (`Cell.request_mix`) in another message format than the service's own; no `form`: its
    own."""
    return f"{asked}@{FORMAT}={form}" if form else asked


def in_own_format(asked: str) -> str:
    """What the requests are called in the service's own format (`Cell.request_mix`), whichever they are in."""
    return re.sub(rf"@{FORMAT}=[^@]*$", "", asked)


def operation_of(asked: str) -> str:
    """The operation of what the corpus calls a request (`Cell.request_mix`)."""
    return asked.partition("@")[0]


class TrialPlan(Strict):
    """One fork to come: fresh processes started in `start_order`, with everything random drawn from `seed`.

    `makes_up` is the number of a trial that failed, or of whose pairs too few count, where this one is driven in its place. `cell`
    names the one that it is for; none said, it is for all.
    """

    number: int
    seed: int
    start_order: list[str]
    makes_up: int | None = None
    cell: str = ""


class PromiseMade(Strict):
    """What was said beforehand of a subject: how many of an outcome there are at `most` after one such fault, and `why`."""

    subject: str
    fault: str
    outcome: str
    most: int
    why: str


class Schedule(Strict):
    """All that a run will do, fixed before it begins. `subjects` are labels; `reference` is the one others are compared to.
    `asked` holds the words that the subjects were asked for in: a label may lack some of them (empty: all of the study's).

    `design` is `alternating` (slices of the subjects alternate within a trial), `alternating-frozen` (and the idle subject is
    stopped with SIGSTOP), `sequential` (all slices of one subject, then all of the next), `as-published` (each subject alone,
    unbroken, once), or `as-it-runs` (no subject was started for the comparison, so none is paused, pinned or started anew).
    Alternating slices of steady closed load take turns of `turn_ms` with the others of their pair (0: each in one stretch).
    `each-alone` has a fresh start for each cell of each subject. `looks` are the numbers of forks after which the run
    may be judged and ended (empty: once, at its end);
    `margin` is the difference that counts as none (0.03 is 3%).
    `budget_seconds` is what the whole run keeps to, but for `least_forks`, which are driven whatever they take. Where
    `pairs_fixed` is false, the first fork decides how many pairs the later ones hold. `scale` shortened the times of blocks.
    `left_out` says what the budget did not hold, `not_judged` what the service gives no means to judge, by what it is: the
    reason. `sessions` are those that the cells' mixes may name, `spans` times between events of the service. `observe` is what the
    study asks for beside; `layers`, `nesting` and `request_kinds` are then the service's. `restore` says before what companions are
    brought to their starting state. `unlike` are the pairs of subjects that have no verdict between them. `faults` are those of
    the tests that are asked for, each of them met `times` in each trial; `aftermath` is then what the service counts of each,
    `promises` what is said of it beforehand. `at_once` is how many trials are driven at a time: one, where anything is timed.
    `engine_threads` are those that the pilot found the engine to need (0: there was no pilot, and it has one).
    """

    study: str
    service: str
    seed: int
    design: Literal[
        "alternating", "alternating-frozen", "sequential", "one-at-a-time", "as-it-runs", "as-published", "each-alone"
    ]
    subjects: list[str]
    asked: list[str] = []
    reference: str
    cells: list[Cell]
    trials: list[TrialPlan]
    pairs_per_cell: int
    slice_seconds: float
    turn_ms: float = 0
    warm_up_limit_seconds: float
    drain_limit_seconds: float = 10.0
    parameters: dict[str, int | float | str]
    looks: list[int] = []
    margin: float = 0.03
    budget_seconds: float | None = None
    least_forks: int = 0
    pairs_fixed: bool = True
    scale: float = 1.0
    left_out: list[str] = []
    not_judged: dict[str, str] = {}
    sessions: dict[str, Session] = {}
    spans: list[Span] = []
    observe: list[Observed] = []
    layers: list[Layer] = []
    nesting: list[str] = []
    request_kinds: list[RequestKind] = []
    restore: Literal["trial", "test"] = "trial"
    unlike: list[tuple[str, str]] = []
    faults: list[Fault] = []
    aftermath: Aftermath | None = None
    promises: list[PromiseMade] = []
    at_once: int = Field(default=1, ge=1)
    engine_threads: int = Field(default=0, ge=0)

    def for_trial(self, plan: TrialPlan) -> Schedule:
        """The same with the cells that a trial is for: the one that it names, else each that all its subjects have; a subject
        alone has those that are its alone, since the others are compared."""
        started = {*plan.start_order}

        def has(cell: Cell) -> bool:
            its = {*cell.subjects}
            return not its or its == started or (len(started) > 1 and started <= its)

        return self.model_copy(
            update={"cells": [cell for cell in self.cells if plan.cell in ("", cell.name) and has(cell)]}
        )

    def subjects_in(self, cell: Cell) -> list[str]:
        """The subjects that a cell is driven on, in the schedule's order."""
        return [label for label in self.subjects if not cell.subjects or label in cell.subjects]

    def may_have_verdict(self, a: str, b: str) -> bool:
        """Whether there may be a verdict between two subjects."""
        return (a, b) not in self.unlike and (b, a) not in self.unlike


class EarlierAnswer(Strict):
    """What an earlier run, kept in the same place, found on a question that this run asks too (earlier.json): `a` against `b` in
    a cell on the judged measure. `boot` tells whether the machine was restarted since; empty where that was not recorded.
    """

    run: str
    machine: str
    boot: str
    a: str
    b: str
    cell: str
    measure: str
    ratio: Annotated[float, Field(gt=0)]
    interval: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]]


class SlicePlan(Strict):
    """What slice `number` of a trial was for. Slices with the same `pair` and `cell` are compared with each other.

    `held_seconds` is for how long levels of users were held in a load of steps; null: all of it counts.
    A `head-start` runs on all processors, before the subject is pinned; the steady state is looked for in `warm-up` only.
    """

    number: int
    subject: str
    cell: str
    phase: Literal["head-start", "warm-up", "measure"]
    pair: int | None = None
    held_seconds: float | None = None


class ProcessRecord(Strict):
    """One process of a subject: its role, what it was, on which processors it was kept, and whether it is judged.

    `state` is what its starting state was verified by, where it has one; `host` is the declared one that it ran on (empty: this
    machine, on loopback).
    """

    role: str
    server: str
    title: str
    version: str
    judged: bool
    processors: list[int]
    state: str = ""
    host: str = ""


class Reconciled(Strict):
    """What a subject's trial ended with: what a reconciliation printed, as it should have."""

    subject: str
    name: str
    found: str


class Restored(Strict):
    """The starting state to which the process in a role was brought before a measured slice, as it was verified by."""

    slice: int
    subject: str
    role: str
    state: str


class Settled(Strict):
    """How the work of a slice that outlived its answers ended: whether all of it was done, after how many seconds, and the counts
    since the subject's start that the service's `settle` command printed."""

    slice: int
    subject: str
    settled: bool
    seconds: float
    counts: dict[str, int]


class FaultRecord(Strict):
    """One fault as it was met, and what came of it.

    `fault` is its name, `occasion` which of a trial's it was. It struck `at_seconds` after the block's begin and was over after
    `away_seconds`, which were to be `planned_seconds`; of a kill, that is until the part was ready again. `back` is false where it
    was not (`message` says what is known); then nothing was counted. `settled` says whether all work was done `settle_seconds`
    later, `counts` what became of what was accepted in the block.
    """

    slice: int
    subject: str
    fault: str
    occasion: int
    at_seconds: float
    planned_seconds: float
    away_seconds: float
    back: bool
    message: str = ""
    settled: bool = False
    settle_seconds: float = 0.0
    counts: dict[str, int] = {}


class SubjectRecord(Strict):
    """One subject of a trial as it really ran. `floor` marks one that reads no XML (Server.floor).

    `same_as` names the subject whose processes it shared. One that `ran_already` was not started for the run: its processes are not
    known, and nothing of them is observed.
    """

    label: str
    server: str
    title: str
    version: str
    stack: str
    url: str
    start_seconds: float
    exchanges_verified: int
    factors: dict[str, str] = {}
    floor: bool = False
    same_as: str | None = None
    ran_already: bool = False
    processes: list[ProcessRecord] = []


class Steadiness(Strict):
    """Whether a subject's warm-up in a cell reached a steady state, after how many slices and seconds."""

    subject: str
    cell: str
    met: bool
    slices: int
    seconds: float


class AtRest(Strict):
    """What a subject used while nobody asked it, after its warm-up: a `share` of a processor, the least of so many `windows`."""

    subject: str
    share: float
    windows: int


class PlannedStretches(Strict):
    """How a trial measured a cell whose subjects took no turns, planned after its warm-up.

    `response_s` is the longest response time that the warm-up showed, in seconds. Each subject was to have `pairs` stretches of
    `seconds` each. `fits` is false where the trial's share of the budget did not hold what throughput needs.
    """

    cell: str
    response_s: Significant
    seconds: Significant
    pairs: int
    fits: bool = True


class Place(Strict):
    """Where in a trial something happened: slice, and the load of that slice; `request_bytes` is the mean size of a request."""

    slice: int
    phase: str
    cell: str
    users: int
    request_bytes: int


class Failure(Strict):
    """Why a trial ended early: `kind` is a short word (out-of-memory, deadlock, hung, killed, died, wrong-answer, engine ...).

    `place` is given where it happened under load.
    """

    kind: str
    subject: str | None = None
    message: str
    place: Place | None = None


class Distress(Strict):
    """Memory that a subject ran out of without dying of it: `message` is the line of its log that says so."""

    subject: str
    place: Place
    message: str


class Check(Strict):
    """One thing about the machine that could falsify a measurement: what was found, whether it is good, else what to do."""

    name: str
    found: str
    good: bool
    advice: str


class ClockOffset(Strict):
    """How far a host's clock was ahead of the engine's machine's, and within how much that is known (half of the way there and
    back)."""

    ahead_ms: Significant
    within_ms: Significant


class HostClock(Strict):
    """The clock of the subjects' host before and after a trial, by NTP's four stamps; no latency is made of it.

    `after` is None where nobody answered any more; `drift_ppm` are the microseconds by which it gained on ours in a second, and
    `drift_within_ppm` says within how many that is known.
    """

    host: str
    before: ClockOffset
    after: ClockOffset | None = None
    drift_ppm: Significant | None = None
    drift_within_ppm: Significant | None = None


class Counted(Strict):
    """How many requests a subject's service counted during the load, and how many answers of it the engine counted.

    `slices`: the numbers of those that it is about, of the subject and its other faces; None for all of the trial.
    """

    subject: str
    slices: list[int] | None = None
    by_service: int
    by_engine: int


class Recorded(Strict):
    """What the monitors of a subject's processes said of all its requests: `records` written, requests `lost` and in `violation`.

    `whole`: each process wrote its end; else one was killed, and what it had not written is missing. `cut`: files that end amid a
    record.
    """

    subject: str
    records: int
    lost: int
    violations: int
    whole: bool
    cut: list[str] = []


class WrongSample(Strict):
    """A kept answer that the engine's cheap check took for right and the full check did not: it voids its slice."""

    slice: int
    subject: str
    operation: str
    message: str


class TrialRecord(Strict):
    """What became of one fork. `slices` lists what was driven, in order; numbers are those of slices.csv. `clock_offset_ns` is what
    is added to its times (CLOCK_MONOTONIC) to get ns since 1970, as the clocks stood at its end; older ones do not say."""

    number: int
    seed: int
    status: TrialStatus
    failure: Failure | None = None
    begun: str
    ended: str
    clock_offset_ns: int | None = None
    seconds: float
    server_cpus: list[int]
    engine_cpus: list[int]
    subjects: list[SubjectRecord] = []
    slices: list[SlicePlan] = []
    steady: list[Steadiness] = []
    at_rest: list[AtRest] = []
    stretches: list[PlannedStretches] = []
    counted: list[Counted] = []
    reconciled: list[Reconciled] = []
    settled: list[Settled] = []
    restored: list[Restored] = []
    faults: list[FaultRecord] = []
    recorded: list[Recorded] = []
    samples_checked: int = 0
    wrong_samples: list[WrongSample] = []
    distress: list[Distress] = []
    clocks: list[HostClock] = []
    machine: list[Check] = []
    warnings: list[str] = []
