"""Trials on several machines: each is driven once, one at a time per machine, and none is lost with a worker."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from steelyard.cluster.handing import MOST_LOSSES, PATIENCE_SECONDS, Handing, Kept, News, TrialEnd, Worker, quotas


@dataclass
class Cluster:
    """Workers in a time of their own. `takes` is what a trial takes; `leaves` and `comes` are (seconds, worker), and `answers`
    overrules how a worker ends with a trial, by (worker's machine, trial)."""

    workers: dict[str, str]  # by name: its machine
    takes: float = 60.0
    leaves: list[tuple[float, str]] = field(default_factory=list)
    comes: list[tuple[float, str, str]] = field(default_factory=list)
    answers: dict[tuple[str, int], list[TrialEnd]] = field(default_factory=dict)
    deadly: frozenset[int] = frozenset()  # trials that kill whoever drives them
    draw: random.Random = field(default_factory=lambda: random.Random(1))
    now: float = 0.0
    has: dict[str, tuple[float, int]] = field(default_factory=dict)
    begun: Counter[int] = field(default_factory=Counter)
    most_on_a_machine: int = 0

    def clock(self) -> float:
        return self.now

    def present(self) -> Sequence[Worker]:
        return [Worker(name, machine) for name, machine in self.workers.items()]

    def begin(self, worker: Worker, trial: int) -> None:
        assert worker.name not in self.has, "a worker drives one trial at a time"
        self.has[worker.name] = (self.now + self.takes * self.draw.uniform(0.5, 1.5), trial)
        self.begun[trial] += 1
        on_machines = Counter(self.workers[name] for name in self.has)
        self.most_on_a_machine = max(self.most_on_a_machine, *on_machines.values())

    def cancel(self, worker: str, trial: int) -> None:
        assert worker not in self.workers and self.begun[trial]

    def next_news(self, seconds: float) -> Sequence[News]:
        """Time goes on to the next thing that happens, and no further than asked for while somebody drives."""
        self.now += seconds
        for _, name in [event for event in self.leaves if event[0] <= self.now]:
            self.workers.pop(name, None)
            self.has.pop(name, None)
        for _, name, machine in [event for event in self.comes if event[0] <= self.now]:
            self.workers[name] = machine
        self.leaves = [event for event in self.leaves if event[0] > self.now]
        self.comes = [event for event in self.comes if event[0] > self.now]
        ended = [(name, trial) for name, (at, trial) in self.has.items() if at <= self.now]
        for name, _ in ended:
            del self.has[name]
        return [self._ended(name, trial) for name, trial in ended]

    def _ended(self, name: str, trial: int) -> News:
        if trial in self.deadly:
            return News(name, trial, TrialEnd.LOST, "it was killed")
        planned = self.answers.get((self.workers[name], trial))
        ending = planned.pop(0) if planned else TrialEnd.DRIVEN
        return News(name, trial, ending, "" if ending is TrialEnd.DRIVEN else f"said to be {ending}", b"whole")


@dataclass
class Shelf:
    """Where trials come home: how often each did, on which machine, and what was told."""

    came: Counter[int] = field(default_factory=Counter)
    on: dict[int, str] = field(default_factory=dict)
    told: list[tuple[str, str, int | None]] = field(default_factory=list)
    damaged: Counter[int] = field(default_factory=Counter)  # so often a trial arrives damaged

    def keep(self, machine: str, trial: int, packed: bytes) -> Kept:
        assert packed == b"whole"
        if self.damaged[trial]:
            self.damaged[trial] -= 1
            return Kept(False, "cut short")
        self.came[trial] += 1
        self.on[trial] = machine
        return Kept(True)

    def record_event(self, kind: str, machine: str, trial: int | None, message: str) -> None:
        assert message
        self.told.append((kind, machine, trial))


def handed(cluster: Cluster, trials: dict[str, list[int]], shelf: Shelf | None = None) -> tuple[Handing, Shelf]:
    shelf = shelf or Shelf()
    handing = Handing(quotas(trials), cluster, shelf, cluster.clock)
    handing.run()
    return handing, shelf


def test_each_machine_drives_its_own_trials_once_where_nothing_goes_wrong() -> None:
    cluster = Cluster({"w1": "a", "w2": "b"})
    _, shelf = handed(cluster, {"a": [1, 2, 3], "b": [4, 5, 6]})
    assert shelf.on == {1: "a", 2: "a", 3: "a", 4: "b", 5: "b", 6: "b"}
    assert set(shelf.came.values()) == {1} and shelf.told == []


def test_a_thousand_trials_over_fifty_machines_are_driven_once_each_whatever_fails() -> None:
    draw = random.Random(20261123)
    machines = [f"m{n}" for n in range(50)]
    workers = {f"{machine}-{n}": machine for machine in machines for n in (1, 2)}
    cluster = Cluster(dict(workers), draw=draw)
    for name, machine in workers.items():
        if draw.random() < 0.5:
            at = draw.uniform(0, 1000)
            cluster.leaves.append((at, name))
            if draw.random() < 0.7:  # begun anew, as a nanny does, under another name
                cluster.comes.append((at + draw.uniform(1, 300), f"{name}-again", machine))
    gone = machines[:5]
    cluster.leaves += [(draw.uniform(100, 400), name) for name, machine in workers.items() if machine in gone]
    cluster.comes = [event for event in cluster.comes if event[2] not in gone]
    for trial in range(1, 1001):
        if draw.random() < 0.05:
            for machine in machines:
                cluster.answers[machine, trial] = [draw.choice([TrialEnd.BUSY, TrialEnd.LOST])]
    shelf = Shelf(damaged=Counter(draw.sample(range(1, 1001), 20)))
    trials = {machine: list(range(1 + 20 * n, 21 + 20 * n)) for n, machine in enumerate(machines)}
    handing, shelf = handed(cluster, trials, shelf)
    assert set(shelf.came) | set(handing.given_up) == set(range(1, 1001)) and handing.owed == {}
    assert set(shelf.came.values()) == {1}
    assert len(handing.given_up) <= 3, "only what was lost again and again"
    assert cluster.most_on_a_machine == 1, "never two at once on a machine, of however many workers"
    assert {kind for kind, _, _ in shelf.told} >= {"lost", "busy", "damaged"}
    moved = [trial for machine in gone for trial in trials[machine] if shelf.on.get(trial) not in (machine, None)]
    assert len(moved) > 20, "what machines that went away had left was driven by others"


def test_a_worker_that_comes_back_in_time_goes_on_with_its_machines_trials() -> None:
    cluster = Cluster({"w1": "a", "w2": "b"}, leaves=[(10, "w1")], comes=[(10 + PATIENCE_SECONDS / 2, "w3", "a")])
    _, shelf = handed(cluster, {"a": [1, 2], "b": [3]})
    assert shelf.on == {1: "a", 2: "a", 3: "b"}
    assert shelf.told == [("lost", "a", 1)]


def test_a_machine_that_stays_away_gives_its_trials_to_the_others_after_its_time() -> None:
    cluster = Cluster({"w1": "a", "w2": "b", "w3": "c"}, leaves=[(10, "w1")])
    _, shelf = handed(cluster, {"a": [1, 2, 3, 4], "b": [5], "c": [6]})
    assert set(shelf.came) == {1, 2, 3, 4, 5, 6} and "a" not in shelf.on.values()
    assert Counter(shelf.on.values()) == {"b": 3, "c": 3}, "spread over those that are left"
    assert cluster.now > PATIENCE_SECONDS


def test_an_unfit_machine_is_given_no_more_and_the_others_take_over() -> None:
    cluster = Cluster({"w1": "a", "w2": "b"}, answers={("a", 1): [TrialEnd.UNFIT]})
    handing, shelf = handed(cluster, {"a": [1, 2], "b": [3]})
    assert set(shelf.on.values()) == {"b"} and set(shelf.came) == {1, 2, 3}
    assert shelf.told == [("unfit", "a", 1)] and handing.unfit == {"a": "said to be unfit"}


def test_a_busy_machine_is_asked_again_and_loses_nothing() -> None:
    cluster = Cluster({"w1": "a"}, answers={("a", 1): [TrialEnd.BUSY] * 5})
    _, shelf = handed(cluster, {"a": [1, 2]})
    assert shelf.on == {1: "a", 2: "a"}
    assert shelf.told.count(("busy", "a", 1)) == 5


def test_a_trial_that_kills_whoever_drives_it_is_given_up_and_takes_no_machine_with_it() -> None:
    cluster = Cluster({"w1": "a", "w2": "b"}, deadly=frozenset({2}))
    handing, shelf = handed(cluster, {"a": [1], "b": [2, 3, 4]})
    assert set(handing.given_up) == {2} and cluster.begun[2] == MOST_LOSSES
    assert set(shelf.came) == {1, 3, 4} and handing.owed == {}


def test_where_nobody_is_left_what_is_owed_is_said_and_the_hand_out_ends() -> None:
    cluster = Cluster({"w1": "a", "w2": "b"}, leaves=[(10, "w1"), (10, "w2")])
    handing, shelf = handed(cluster, {"a": [1], "b": [2]})
    assert set(handing.owed) == {1, 2} and shelf.came == Counter()
    cluster = Cluster({"w1": "a"}, answers={("a", 1): [TrialEnd.UNFIT]})
    handing, shelf = handed(cluster, {"a": [1, 2], "b": [3]})
    assert set(handing.owed) == {1, 2, 3}, "one is unfit, and the other never came"
