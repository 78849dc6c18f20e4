"""Shared by the modules that drive a trial: the run's context, the log of the trial, and its failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...base.errors import SteelyardError
from ...base.progress import Progress
from ...catalogue.entries import Entry
from ...hosts.clocks import FarClock
from ...hosts.cpus import Shares
from ...hosts.placement import LOOPBACK, Placement
from ...hosts.subject import Subject
from ...models.records import (
    AtRest,
    Check,
    Counted,
    Distress,
    Failure,
    FaultRecord,
    HostClock,
    PlannedStretches,
    Reconciled,
    Recorded,
    Restored,
    Schedule,
    Settled,
    SlicePlan,
    Steadiness,
    SubjectRecord,
    TrialPlan,
    WrongSample,
)
from ...models.service import Service
from ...workload.corpus import Corpus
from ...workload.load_target import LoadTarget
from ..load.auth import Credentials

OUT_OF_BUDGET = "budget"  # kind of failure: the budget ended during the trial


class TrialFailedError(SteelyardError):
    """A trial ended early; its measurements so far are stored, with the reason in its record."""

    def __init__(self, failure: Failure, hint: str = "") -> None:
        super().__init__(failure.message, hint)
        self.failure = failure


@dataclass
class TrialLog:
    """The results of a trial so far, which become its TrialRecord in any case. `folder` is the trial's own; `far_clock` is the
    clock of the subjects' host, None where that is this machine."""

    folder: Path
    subjects: list[SubjectRecord] = field(default_factory=list)
    slices: list[SlicePlan] = field(default_factory=list)
    steady: list[Steadiness] = field(default_factory=list)
    at_rest: list[AtRest] = field(default_factory=list)
    stretches: list[PlannedStretches] = field(default_factory=list)
    machine: list[Check] = field(default_factory=list)
    wrong_samples: list[WrongSample] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    reconciled: list[Reconciled] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    restored: list[Restored] = field(default_factory=list)
    faults: list[FaultRecord] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    samples_checked: int = 0
    distress: list[Distress] = field(default_factory=list)
    clocks: list[HostClock] = field(default_factory=list)
    far_clock: FarClock | None = None


@dataclass(frozen=True)
class TrialContext:
    """The context that all trials of a run share. `folder` is the run's.

    `warm_up_within` is the time in seconds from a trial's start by which a budget ends its warm-up, steady or not; `trial_within`
    is the time by which the budget ends the trial. `apart` are the subjects that share a fixed port. Each has its own network
    namespace. `load_target` are the requests of a user's own service with the rules for their answers, and `credentials` their
    credentials; None where the service has a contract. `deadline` is the time on the monotonic clock after which no measurement
    starts. `settle_s` is the shortest lead-in of stretches in seconds. `site` is the host of all subjects. `lab` is the process id
    of the run, where trials are driven side by side.
    """

    schedule: Schedule
    service: Entry[Service]
    subjects: Mapping[str, Subject]
    corpus: Corpus
    folder: Path
    shares: Shares
    progress: Progress
    warm_up_within: float | None = None
    trial_within: float | None = None
    deadline: float | None = None
    site: Placement = LOOPBACK
    lab: int | None = None
    apart: Sequence[str] = ()
    load_target: LoadTarget | None = None
    credentials: Credentials | None = None
    settle_s: float = 0.0

    def shares_of(self, plan: TrialPlan, label: str) -> Shares:
        """The processors of a subject in a trial. Of two halves, each subject has the one in odd trials and the other in even
        ones."""
        return self.shares.half(sorted(plan.start_order).index(label) + (plan.makes_up or plan.number))

    def stage(self, plan: TrialPlan, activity: str) -> str:
        """The trial's current activity, for the progress line."""
        if not plan.number:
            return f"pilot · {activity}"
        return f"trial {plan.number} of {self.schedule.trials[-1].number} · {activity}"


def trial_folder(run: Path, number: int) -> Path:
    """The folder of a trial's files."""
    return run / "trials" / f"{number:02d}"
