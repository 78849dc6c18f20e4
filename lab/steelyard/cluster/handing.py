"""Which machine drives which trial, and when: each trial once, one at a time on a machine, none lost with a worker that dies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

POLL_SECONDS = 1.0
# A machine that is away for longer gives its trials to the others; a worker that died is often begun anew within seconds.
PATIENCE_SECONDS = 120.0
BUSY_SECONDS = 30.0  # until a machine that measures something else is asked again
MOST_LOSSES = 3  # of one trial, or of one machine in a row: then it is the trial's, or the machine's, own doing


class TrialEnd(StrEnum):
    """How a worker ended with a trial that it was given."""

    DRIVEN = "driven"  # complete or failed, with its folder
    BUSY = "busy"  # something else measures on that machine
    UNFIT = "unfit"  # no trial of this run can be driven there
    LOST = "lost"  # the worker died, or what drove the trial did


@dataclass(frozen=True)
class Worker:
    """A process that drives trials, one at a time: its own `name`, and the identity of the `machine` that it is on."""

    name: str
    machine: str


@dataclass(frozen=True)
class News:
    """What became of a trial on a worker; `packed` is its folder where it was driven, `said` a sentence where it was not."""

    worker: str
    trial: int
    outcome: TrialEnd
    said: str = ""
    packed: bytes = b""


class Workers(Protocol):
    """The workers of a cluster as whoever hands out trials sees them."""

    def present(self) -> Sequence[Worker]:
        """Those that are there now; raises SteelyardError where nobody can be asked."""

    def begin(self, worker: Worker, trial: int) -> None:
        """Have a worker drive a trial."""

    def forget(self, worker: str, trial: int) -> None:
        """Nothing more is wanted of a trial on a worker that is away."""

    def news(self, seconds: float) -> Sequence[News]:
        """What ended, as soon as something did, or after so many seconds nothing."""


@dataclass(frozen=True)
class Kept:
    """Whether a driven trial was taken in; where not, `said` is why, and the trial is owed again. `unfit` says why its machine
    is to be given no more."""

    taken: bool
    said: str = ""
    unfit: str = ""


class Home(Protocol):
    """Where driven trials come to, and what befalls machines is told."""

    def keep(self, machine: str, trial: int, packed: bytes) -> Kept:
        """Take a trial's folder in; raises StoreError where it cannot be written."""

    def tell(self, kind: str, machine: str, trial: int | None, message: str) -> None:
        """Something befell a machine or a trial."""


@dataclass(frozen=True)
class Driving:
    """A trial that a worker has now, since when by the clock."""

    trial: int
    machine: str
    since: float


@dataclass
class Handing:
    """Trials on their way. `owed` are those that nobody has, each with the machine that it is meant for (identity).

    `clock` gives seconds; nothing else here knows of time. A machine with several workers drives one trial at a time, whichever
    worker has it. Of a trial's machine that stays away, or is unfit, the others take over.
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
        """Hand out all that is owed, until it is driven or nobody is left to drive it; `after` is called each turn.

        What is `owed` at the end was driven by nobody. Raises what the workers and the home raise.
        """
        while self.owed or self.driving:
            present = self.workers.present()
            self._look(present)
            self._hand_out(present)
            after(self)
            if not self.driving and self._nobody_comes(present):
                return
            for news in self.workers.news(POLL_SECONDS):
                self._take(news)

    def _look(self, present: Sequence[Worker]) -> None:
        """Take note of who is there; what a worker had that is no more is owed again."""
        now = self.clock()
        self._seen.update({worker.machine: now for worker in present})
        names = {worker.name for worker in present}
        for name in [name for name in self.driving if name not in names]:
            self.workers.forget(name, self.driving[name].trial)
            self._lose(name, "its worker is gone")

    def _hand_out(self, present: Sequence[Worker]) -> None:
        """Give every machine that has nothing to do a trial, if one is left for it."""
        busy = {driving.machine for driving in self.driving.values()}
        idle: dict[str, Worker] = {}
        for worker in present:
            if worker.machine not in busy and worker.name not in self.driving and self._may_drive(worker.machine):
                idle.setdefault(worker.machine, worker)
        # Those that drove least come first: what is taken over is spread over all.
        for machine in sorted(idle, key=lambda machine: self.driven[machine]):
            trial = self._next_for(machine)
            if trial is not None:
                del self.owed[trial]
                self.driving[idle[machine].name] = Driving(trial, machine, self.clock())
                self.workers.begin(idle[machine], trial)

    def _may_drive(self, machine: str) -> bool:
        return machine not in self.unfit and self._not_before.get(machine, 0.0) <= self.clock()

    def _next_for(self, machine: str) -> int | None:
        """Its own first, then those of machines that will not come to them."""
        own = [trial for trial, meant_for in self.owed.items() if meant_for == machine]
        left = own or [trial for trial, meant_for in self.owed.items() if self._is_away(meant_for)]
        return min(left, default=None)

    def _is_away(self, machine: str) -> bool:
        since = self._seen.get(machine, self._begun)
        return machine in self.unfit or self.clock() - since > PATIENCE_SECONDS

    def _nobody_comes(self, present: Sequence[Worker]) -> bool:
        """Whether nobody drives what is owed, now or soon."""
        if any(worker.machine not in self.unfit for worker in present):
            return not self.owed
        known = {*self.owed.values(), *self._seen}
        return all(self._is_away(machine) for machine in known)

    def _take(self, news: News) -> None:
        had = self.driving.get(news.worker)
        if had is None or had.trial != news.trial:
            return  # of a worker that was taken for gone: by now the trial is another's
        match news.outcome:
            case TrialEnd.DRIVEN:
                self._take_in(news, had.machine)
            case TrialEnd.BUSY:
                self._give_back(news.worker)
                self._not_before[had.machine] = self.clock() + BUSY_SECONDS
                self.home.tell("busy", had.machine, news.trial, news.said)
            case TrialEnd.UNFIT:
                self._give_back(news.worker)
                self._exclude("unfit", had.machine, news.trial, news.said)
            case TrialEnd.LOST:
                self._lose(news.worker, news.said)

    def _take_in(self, news: News, machine: str) -> None:
        kept = self.home.keep(machine, news.trial, news.packed)
        if not kept.taken:
            self.home.tell("damaged", machine, news.trial, kept.said)
            self._count_loss(news.worker, kept.said)
        else:
            del self.driving[news.worker]
            self.driven[machine] += 1
            self._in_a_row[machine] = 0
        if kept.unfit:
            self._exclude("never-started" if kept.taken else "unfit", machine, news.trial, kept.unfit)

    def _lose(self, worker: str, said: str) -> None:
        had = self.driving[worker]
        self.home.tell("lost", had.machine, had.trial, said)
        self._count_loss(worker, said)

    def _count_loss(self, worker: str, said: str) -> None:
        """Owe a trial again, unless it or its machine was lost so often that it would be for ever."""
        had = self._give_back(worker)
        self._losses[had.trial] += 1
        self._in_a_row[had.machine] += 1
        if self._losses[had.trial] >= MOST_LOSSES:
            del self.owed[had.trial]
            self.given_up[had.trial] = said
            self.home.tell("given-up", had.machine, had.trial, f"lost {MOST_LOSSES} times: {said}")
        if self._in_a_row[had.machine] >= MOST_LOSSES:
            self._exclude("unfit", had.machine, None, f"it lost {MOST_LOSSES} trials in a row: {said}")

    def _give_back(self, worker: str) -> Driving:
        had = self.driving.pop(worker)
        self.owed[had.trial] = had.machine
        return had

    def _exclude(self, kind: str, machine: str, trial: int | None, said: str) -> None:
        if machine not in self.unfit:
            self.unfit[machine] = said
            self.home.tell(kind, machine, trial, said)


def quotas(trials: Mapping[str, Sequence[int]]) -> dict[int, str]:
    """What is owed at the begin: each trial's number with the machine that it is meant for."""
    return {trial: machine for machine, numbers in trials.items() for trial in numbers}
