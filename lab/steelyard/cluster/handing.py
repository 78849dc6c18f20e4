"""Assigns trials to machines: each trial once, one at a time on a machine, and none lost with a dead worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

POLL_SECONDS = 1.0
# A machine that is away for longer loses its trials to the others. A dead worker is often restarted within seconds.
PATIENCE_SECONDS = 120.0
BUSY_SECONDS = 30.0  # until a busy machine is tried again
MOST_LOSSES = 3  # of one trial, or in a row on one machine: then the trial or the machine is the cause


class TrialEnd(StrEnum):
    """How an order to drive a trial ended."""

    DRIVEN = "driven"  # complete or failed, with its folder
    BUSY = "busy"  # another measurement holds that machine
    UNFIT = "unfit"  # no trial of this run can be driven there
    LOST = "lost"  # the worker or the process that drove the trial died


@dataclass(frozen=True)
class Worker:
    """A process that drives trials, one at a time: its own `name`, and the identity of its `machine`."""

    name: str
    machine: str


@dataclass(frozen=True)
class News:
    """The result of a trial on a worker.

    `packed` is its folder if it was driven, `message` a sentence if it was not.
    """

    worker: str
    trial: int
    outcome: TrialEnd
    message: str = ""
    packed: bytes = b""


class Workers(Protocol):
    """The interface of a cluster's workers."""

    def present(self) -> Sequence[Worker]:
        """The current workers. Raises SteelyardError if the cluster cannot be reached."""

    def begin(self, worker: Worker, trial: int) -> None:
        """Make a worker drive a trial."""

    def cancel(self, worker: str, trial: int) -> None:
        """Forget a trial on a worker that is away."""

    def next_news(self, seconds: float) -> Sequence[News]:
        """Wait for finished trials, at most this many seconds, and return them."""


@dataclass(frozen=True)
class Kept:
    """Whether a driven trial was accepted.

    Otherwise `message` is the reason, and the trial is driven again. `unfit` is the reason why its machine gets no more
    trials.
    """

    taken: bool
    message: str = ""
    unfit: str = ""


class Home(Protocol):
    """The interface that receives trials and events of machines."""

    def keep(self, machine: str, trial: int, packed: bytes) -> Kept:
        """Store a trial's folder. Raises StoreError if it cannot be written."""

    def record_event(self, kind: str, machine: str, trial: int | None, message: str) -> None:
        """Record an event of a machine or a trial."""


@dataclass(frozen=True)
class Driving:
    """A trial on a worker, and its start time by the clock."""

    trial: int
    machine: str
    since: float


@dataclass
class Handing:
    """Assigns trials. `owed` are unassigned ones, each with its planned machine (identity).

    `clock` gives seconds, and is the only source of time here. A machine with several workers drives one trial at a
    time. Other machines take over trials of a machine that stays away or is unfit.
    """

    owed: dict[int, str]
    workers: Workers
    home: Home
    clock: Callable[[], float]
    driving: dict[str, Driving] = field(default_factory=dict)
    driven: Counter[str] = field(default_factory=Counter)
    unfit: dict[str, str] = field(default_factory=dict)
    given_up: dict[int, str] = field(default_factory=dict)
    _seen: dict[str, float] = field(default_factory=dict)
    _not_before: dict[str, float] = field(default_factory=dict)
    _losses: Counter[int] = field(default_factory=Counter)
    _in_a_row: Counter[str] = field(default_factory=Counter)
    _begun: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self.clock()

    def run(self, after: Callable[[Handing], None] = lambda _: None) -> None:
        """Assign all owed trials until they are driven or no worker is left; `after` is called in each round.

        Trials that remain in `owed` were not driven. Raises the errors of the workers and the home.
        """
        while self.owed or self.driving:
            present = self.workers.present()
            self._update_present(present)
            self._hand_out(present)
            after(self)
            if not self.driving and self._no_driver_left(present):
                return
            for news in self.workers.next_news(POLL_SECONDS):
                self._accept_news(news)

    def _update_present(self, present: Sequence[Worker]) -> None:
        """Update the list of workers. Trials of lost workers become owed again."""
        now = self.clock()
        self._seen.update({worker.machine: now for worker in present})
        names = {worker.name for worker in present}
        for name in [name for name in self.driving if name not in names]:
            self.workers.cancel(name, self.driving[name].trial)
            self._lose(name, "its worker is gone")

    def _hand_out(self, present: Sequence[Worker]) -> None:
        """Give every idle machine a trial, if one is left for it."""
        busy = {driving.machine for driving in self.driving.values()}
        idle: dict[str, Worker] = {}
        for worker in present:
            if worker.machine not in busy and worker.name not in self.driving and self._may_drive(worker.machine):
                idle.setdefault(worker.machine, worker)
        # Machines that drove the fewest trials come first, so that trials taken over are spread evenly.
        for machine in sorted(idle, key=lambda machine: self.driven[machine]):
            trial = self._next_for(machine)
            if trial is not None:
                del self.owed[trial]
                self.driving[idle[machine].name] = Driving(trial, machine, self.clock())
                self.workers.begin(idle[machine], trial)

    def _may_drive(self, machine: str) -> bool:
        return machine not in self.unfit and self._not_before.get(machine, 0.0) <= self.clock()

    def _next_for(self, machine: str) -> int | None:
        """The next trial of a machine: its own first, then those of lost machines."""
        own = [trial for trial, meant_for in self.owed.items() if meant_for == machine]
        left = own or [trial for trial, meant_for in self.owed.items() if self._is_away(meant_for)]
        return min(left, default=None)

    def _is_away(self, machine: str) -> bool:
        since = self._seen.get(machine, self._begun)
        return machine in self.unfit or self.clock() - since > PATIENCE_SECONDS

    def _no_driver_left(self, present: Sequence[Worker]) -> bool:
        """Whether no worker can drive the owed trials, now or soon."""
        if any(worker.machine not in self.unfit for worker in present):
            return not self.owed
        known = {*self.owed.values(), *self._seen}
        return all(self._is_away(machine) for machine in known)

    def _accept_news(self, news: News) -> None:
        had = self.driving.get(news.worker)
        if had is None or had.trial != news.trial:
            return  # from a worker that was considered lost: the trial has been reassigned
        match news.outcome:
            case TrialEnd.DRIVEN:
                self._record_news(news, had.machine)
            case TrialEnd.BUSY:
                self._give_back(news.worker)
                self._not_before[had.machine] = self.clock() + BUSY_SECONDS
                self.home.record_event("busy", had.machine, news.trial, news.message)
            case TrialEnd.UNFIT:
                self._give_back(news.worker)
                self._exclude("unfit", had.machine, news.trial, news.message)
            case TrialEnd.LOST:
                self._lose(news.worker, news.message)

    def _record_news(self, news: News, machine: str) -> None:
        kept = self.home.keep(machine, news.trial, news.packed)
        if not kept.taken:
            self.home.record_event("damaged", machine, news.trial, kept.message)
            self._count_loss(news.worker, kept.message)
        else:
            del self.driving[news.worker]
            self.driven[machine] += 1
            self._in_a_row[machine] = 0
        if kept.unfit:
            self._exclude("never-started" if kept.taken else "unfit", machine, news.trial, kept.unfit)

    def _lose(self, worker: str, message: str) -> None:
        had = self.driving[worker]
        self.home.record_event("lost", had.machine, had.trial, message)
        self._count_loss(worker, message)

    def _count_loss(self, worker: str, message: str) -> None:
        """Make a trial owed again, unless it or its machine was lost too often."""
        had = self._give_back(worker)
        self._losses[had.trial] += 1
        self._in_a_row[had.machine] += 1
        if self._losses[had.trial] >= MOST_LOSSES:
            del self.owed[had.trial]
            self.given_up[had.trial] = message
            self.home.record_event("given-up", had.machine, had.trial, f"lost {MOST_LOSSES} times: {message}")
        if self._in_a_row[had.machine] >= MOST_LOSSES:
            self._exclude("unfit", had.machine, None, f"it lost {MOST_LOSSES} trials in a row: {message}")

    def _give_back(self, worker: str) -> Driving:
        had = self.driving.pop(worker)
        self.owed[had.trial] = had.machine
        return had

    def _exclude(self, kind: str, machine: str, trial: int | None, message: str) -> None:
        if machine not in self.unfit:
            self.unfit[machine] = message
            self.home.record_event(kind, machine, trial, message)


def quotas(trials: Mapping[str, Sequence[int]]) -> dict[int, str]:
    """The trials owed at the start: each number with its planned machine."""
    return {trial: machine for machine, numbers in trials.items() for trial in numbers}
