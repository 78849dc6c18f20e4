"""Records of a run: the schedule before, and one record per trial after (schedule.json, trial.json)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ..base.text import plural
from .job import Profile, Rate, Session
from .server import FORMAT
from .service import Aftermath, Layer, RequestKind
from .strict import Significant, Strict
from .study import Fault, Observed, Span, Until

TrialStatus = Literal["complete", "failed", "interrupted"]


class Cell(Strict):
    """One condition under which subjects are compared: a mix of operations under a load.

    `kind` is one of plan/kinds: of `steady` and `fixed-work` cells only one is primary, each `block` is judged, no `fault` is.
    `users` are the most at any time. `until` ends a block of held steps early. `judged_by` is the measure of the verdict; empty:
    throughput of closed load, the 99th percentile of open load. `payload` are the cell's own values of the service's parameters.
    A `cold` cell is driven before the warm-up. Judged cells of one `family` share an error rate; without one, each is a
    comparison of its own. `may_refuse`: a subject that lives, but answers none of its requests correctly or in time, is counted,
    and the trial continues. In a reliability cell, `until` is the limit of a good subject, `printed` is a publication's value
    (`assumed` are our assumptions), and a `pushed` cell is left out for a subject that an earlier cell of its operation broke.
    `subjects` are those that it is driven on; empty: all. `load` is the name of its load, of a study with several. With `share`,
    each subject has a rate of its own, this share of its throughput in the cell `share_of`: `subject_rates`, known after the
    first fork.
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
    load: str = ""
    share: float = 0
    share_of: str = ""
    subject_rates: dict[str, float] = {}

    @model_validator(mode="before")
    @classmethod
    def _of_runs_before_there_were_kinds(cls, given: Any) -> Any:
        if isinstance(given, dict) and "block" in given:
            given = {**given, "kind": "block" if given["block"] else "steady"}
            del given["block"]
        return given

    @property
    def where(self) -> str:
        """Its name within a sentence: a test's name after the word "test", since it may be a number; a grid's by its size; of
        several loads of an operation, with the load."""
        if self.load:
            return f"{self.operation} under {self.title}"
        if self.kind in ("block", "fault"):
            return f"test {self.name}"
        return f"{self.operation} ({self.size})" if self.size else self.name

    @property
    def in_grid(self) -> bool:
        """Whether it is one of a grid's combinations."""
        return bool(self.payload or (self.family and not self.load))

    @property
    def size(self) -> str:
        """Payload and users in words, such as "Stories 5, 80 users"; empty without a payload of its own."""
        if not self.payload:
            return ""
        return ", ".join((*(f"{name} {value:,}" for name, value in self.payload.items()), plural(self.users, "user")))

    @property
    def primary_measure(self) -> str:
        """The one judged measure; all others are secondary."""
        return self.judged_by or ("response_time_p99" if self.profile.kind == "rate" else "throughput")

    @property
    def request_mix(self) -> dict[str, float]:
        """The mix by the names of its requests in the corpus."""
        return {self.request_name(operation): share for operation, share in self.mix.items()}

    def request_name(self, operation: str) -> str:
        """The name in corpus and engine of the cell's requests of an operation, or its sessions; with its own payload, if any."""
        sizes = ";".join(f"{name}={value}" for name, value in self.payload.items())
        return f"{operation}@{sizes}" if sizes else operation

    @property
    def operation(self) -> str:
        """The operations of the mix, joined by `+`."""
        return "+".join(self.mix)

    def for_subject(self, label: str) -> Cell:
        """The cell as a subject is loaded in it: with its own rate, where each has one."""
        if not self.share or not isinstance(self.profile, Rate):
            return self
        return self.model_copy(update={"profile": at_rate(self.profile, self.subject_rates[label])})


def at_rate(profile: Rate, rate: float) -> Rate:
    """The open profile of one stage at a constant rate."""
    stage = profile.stages[0].model_copy(update={"from_rate": rate, "to_rate": rate})
    return profile.model_copy(update={"stages": [stage]})


def in_format(asked: str, form: str) -> str:
    """The name in corpus and engine of requests (`Cell.request_mix`) in another message format than the service's own; unchanged
    without `form`."""
    return f"{asked}@{FORMAT}={form}" if form else asked


def in_own_format(asked: str) -> str:
    """The name of the requests in the service's own format (`Cell.request_mix`), from a name in any format."""
    return re.sub(rf"@{FORMAT}=[^@]*$", "", asked)


def operation_of(asked: str) -> str:
    """The operation of a request's name in the corpus (`Cell.request_mix`)."""
    return asked.partition("@")[0]


class TrialPlan(Strict):
    """One future fork: fresh processes started in `start_order`, with everything random drawn from `seed`.

    `makes_up` is the number of a failed trial, or one with too few valid pairs, that this one replaces. `cell` names its only
    cell; empty: all.
    """

    number: int
    seed: int
    start_order: list[str]
    makes_up: int | None = None
    cell: str = ""


class PromiseMade(Strict):
    """A promise about a subject's work: the number of an outcome is at `most` this after one such fault, for the reason in
    `why`."""

    subject: str
    fault: str
    outcome: str
    most: int
    why: str


class Schedule(Strict):
    """The whole plan of a run, fixed before it begins. `subjects` are labels; `reference` is the one that others are compared to.
    `asked` holds the subjects as the user typed them: a label may lack some of the words (empty: all of the study's).

    `design` is `alternating` (slices of the subjects alternate within a trial), `alternating-frozen` (and the idle subject is
    paused with SIGSTOP), `apart` (both subjects are loaded at once, each on half of the processors), `sequential` (all slices of
    one subject, then all of the next), `as-published` (each subject alone, unbroken, once), or `as-it-runs` (no subject was started
    for the comparison, so none is paused, pinned or restarted).
    Alternating slices of steady closed load take turns of `turn_ms` with the others of their pair (0: each in one stretch).
    `each-alone` has a fresh start for each cell of each subject. `looks` are the numbers of forks after which the run may be
    judged and ended (empty: once, at its end); `margin` is the largest difference that counts as none (0.03 is 3%).

    `budget_seconds` limits the whole run, except `least_forks`, which are always driven. Where `pairs_fixed` is false, the first
    fork determines the number of pairs of later ones. `scale` shortened the times of blocks. `left_out` lists what exceeded the
    budget, `not_judged` what the service gives no means to judge, each with its reason. `sessions` are available to the cells'
    mixes, `spans` are times between events of the service. `observe` are the study's extra observations; `layers`, `nesting` and
    `request_kinds` are then the service's. `restore` is when companions are restored to their starting state. `unlike` are the
    pairs of subjects without a verdict. `faults` are those of the requested tests, each injected `times` in each trial;
    `aftermath` are then the service's counts for each, `promises` the statements made beforehand. `at_once` is the number of
    simultaneous trials: one, where anything is timed.
    """

    study: str
    service: str
    seed: int
    design: Literal[
        "alternating",
        "alternating-frozen",
        "apart",
        "sequential",
        "one-at-a-time",
        "as-it-runs",
        "as-published",
        "each-alone",
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
        """The schedule with the cells of a trial: the one that it names, else each cell that all its subjects have. A single
        subject has the cells that are its alone, since the others are compared. A cell with a rate of each subject is left out
        until the rates are known."""
        started = {*plan.start_order}

        def has(cell: Cell) -> bool:
            its = {*cell.subjects}
            known = not cell.share or started <= cell.subject_rates.keys()
            return known and (not its or its == started or (len(started) > 1 and started <= its))

        return self.model_copy(
            update={"cells": [cell for cell in self.cells if plan.cell in ("", cell.name) and has(cell)]}
        )

    def subjects_in(self, cell: Cell) -> list[str]:
        """The subjects of a cell, in the schedule's order."""
        return [label for label in self.subjects if not cell.subjects or label in cell.subjects]

    def may_have_verdict(self, a: str, b: str) -> bool:
        """Whether a verdict between two subjects is allowed."""
        return (a, b) not in self.unlike and (b, a) not in self.unlike


class EarlierAnswer(Strict):
    """The result of an earlier run in the same folder for a comparison of this run (earlier.json): `a` against `b` in a cell on
    the judged measure. `boot` shows whether the machine was restarted since; empty where it was not recorded."""

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
    """The purpose of slice `number` of a trial. Slices with the same `pair` and `cell` are compared with each other.

    `held_seconds` is the time for which levels of users were held in a load of steps; null: all of it counts. A `head-start` runs
    on all processors, before the subject is pinned; the steady state is searched for in `warm-up` only.
    """

    number: int
    subject: str
    cell: str
    phase: Literal["head-start", "warm-up", "measure"]
    pair: int | None = None
    held_seconds: float | None = None


class ProcessRecord(Strict):
    """One process of a subject: its role, its server, its processors, and whether it is judged.

    `state` is the verified proof of its starting state, if any; `host` is its declared host (empty: this machine, on loopback).
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
    """The output of a reconciliation at the end of a subject's trial, which was as expected."""

    subject: str
    name: str
    found: str


class Restored(Strict):
    """A restored starting state: the role of the process, the slice before which it was restored, and the verified proof."""

    slice: int
    subject: str
    role: str
    state: str


class Settled(Strict):
    """The end of a slice's background work: whether all of it was done, after how many seconds, and the counts since the
    subject's start from the service's `settle` command."""

    slice: int
    subject: str
    settled: bool
    seconds: float
    counts: dict[str, int]


class FaultRecord(Strict):
    """One injected fault and its effect.

    `fault` is its name, `occasion` its number within the trial. It struck `at_seconds` after the block's start and was over after
    `away_seconds`, of `planned_seconds`; for a kill, that is until the part was ready again. `back` is false where it was not
    (`message` has the known facts); then nothing was counted. `settled`: whether all work was done `settle_seconds` later;
    `counts` is the outcome of the work accepted in the block.
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
    """One subject of a trial as it ran. `floor` marks a server that reads no XML (Server.floor).

    `same_as` names the subject whose processes it shared. A subject that `ran_already` was not started for the run: its processes
    are not known, and not observed.

    `first_answer_seconds` is the time from the start of its front process to its first right answer, `rest_bytes` the memory of
    its judged processes once all exchanges were answered, before any load. `artifact_bytes` is the size of what is deployed, and
    `build_seconds` has the time of each build of these sources on this machine. None or empty where they were not observed.
    """

    label: str
    server: str
    title: str
    version: str
    stack: str
    url: str
    start_seconds: float
    first_answer_seconds: float | None = None
    rest_bytes: int | None = None
    artifact_bytes: int | None = None
    build_seconds: list[float] = []
    exchanges_verified: int
    factors: dict[str, str] = {}
    floor: bool = False
    same_as: str | None = None
    ran_already: bool = False
    processes: list[ProcessRecord] = []


class Steadiness(Strict):
    """Whether a subject's warm-up in a cell reached a steady state, and after how many slices and seconds."""

    subject: str
    cell: str
    met: bool
    slices: int
    seconds: float


class AtRest(Strict):
    """A subject's use without load, after its warm-up: a `share` of a processor, the least of `windows`."""

    subject: str
    share: float
    windows: int


class PlannedStretches(Strict):
    """The stretches of a cell whose subjects took no turns, planned after its warm-up.

    `response_s` is the longest response time in the warm-up, in seconds. Each subject was planned to have `pairs` stretches of
    `seconds` each, after a lead-in of at least `settle_s`. `fits` is false where the trial's share of the budget was too short for
    throughput.
    """

    cell: str
    response_s: Significant
    settle_s: Significant = 0.0
    seconds: Significant
    pairs: int
    fits: bool = True


class Place(Strict):
    """The place of an event in a trial: slice, and the load of that slice; `request_bytes` is the mean size of a request."""

    slice: int
    phase: str
    cell: str
    users: int
    request_bytes: int


class Failure(Strict):
    """The reason of a trial's early end: `kind` is a short word (out-of-memory, deadlock, hung, killed, died, wrong-answer,
    engine ...).

    `place` is set where it happened under load.
    """

    kind: str
    subject: str | None = None
    message: str
    place: Place | None = None


class Distress(Strict):
    """An out-of-memory error that a subject survived: `message` is the line of its log."""

    subject: str
    place: Place
    message: str


class Check(Strict):
    """One check of the machine for causes of false measurements: the finding, whether it is good, and else the advice."""

    name: str
    found: str
    good: bool
    advice: str


class ClockOffset(Strict):
    """The offset of a host's clock from the engine's machine's, and its maximum error (half of the round trip)."""

    ahead_ms: Significant
    within_ms: Significant


class HostClock(Strict):
    """The clock of the subjects' host before and after a trial, by NTP's four timestamps; it never enters a latency.

    `after` is None without an answer; `drift_ppm` is its drift from ours in µs per second, and `drift_within_ppm` the maximum
    error of that.
    """

    host: str
    before: ClockOffset
    after: ClockOffset | None = None
    drift_ppm: Significant | None = None
    drift_within_ppm: Significant | None = None


class Counted(Strict):
    """The requests that a subject's service counted during the load, and the answers of it that the engine counted.

    `slices` are the numbers of the slices covered, of the subject and its other faces; None for all of the trial.
    """

    subject: str
    slices: list[int] | None = None
    by_service: int
    by_engine: int


class Recorded(Strict):
    """The monitors' records of all requests of a subject's processes: `records` written, requests `lost` and in `violation`.

    `whole`: each process wrote its end; else one was killed, and its unwritten records are missing. `cut`: files that end within
    a record.
    """

    subject: str
    records: int
    lost: int
    violations: int
    whole: bool
    cut: list[str] = []


class WrongSample(Strict):
    """A sampled answer that passed the engine's cheap check and failed the full one: it voids its slice."""

    slice: int
    subject: str
    operation: str
    message: str


class TrialRecord(Strict):
    """The result of one fork. `slices` lists the driven slices in order; numbers are those of slices.csv. `clock_offset_ns` is
    added to its times (CLOCK_MONOTONIC) to get ns since 1970, by the clocks at its end; older records lack it. `engines` is the
    number of engines that drove at once, each on its own part of `engine_cpus`."""

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
    engines: int = 1
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
