"""The search for a limit in simulated time, on a machine that stalls during stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from steelyard.measure.load.limits import Bracket, LimitWords, Search
from steelyard.measure.load.stages import Driven, LimitGoal
from steelyard.models.outputs.loading import LimitStage
from steelyard.statistics.queue_limit import Values
from steelyard.workload.load_spec import LoadSpec

TRUTH = {"poisson": 92.5, "constant": 100.0}
PROMISED = LimitGoal(0.95, 0.2, None)
SERVICE_S = 0.010
_BETWEEN_S = 1.5  # from the end of a stage to the begin of the next


@dataclass(frozen=True)
class Stall:
    """From when and how long it stands still, in s of the search's time: the engine (and so the machine), or the service alone."""

    begin: float
    seconds: float
    of_engine: bool


@dataclass
class SimulatedStages:
    """One worker of exactly 10 ms, loaded in a time of its own; `broken_off` names stages that the engine calls not valid."""

    seed: int
    stalls: Sequence[Stall] = ()
    broken_off: Sequence[int] = ()
    own_pauses: bool = False
    now: float = 0.0
    most_rate: float | None = None
    driven: list[Driven] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def users(self, count: int, seconds: float) -> Driven:
        took = np.full(int(seconds / SERVICE_S), count * SERVICE_S)
        noise = np.random.default_rng([self.seed, len(self.driven)]).exponential(1e-4, len(took))
        return self._done(f"{count} users", np.arange(len(took)) * SERVICE_S, took + noise, seconds, 0.0)

    def rate(self, rate: float, seconds: float, *, poisson: bool, again: int | None = None) -> Driven:
        draw = np.random.default_rng([self.seed, again or len(self.driven) + 1])
        count = draw.poisson(rate * seconds)
        due = np.sort(draw.random(count) * seconds) if poisson else np.arange(int(rate * seconds)) / rate
        taken_up, times = self._served(due)
        held_up = float(np.max(taken_up - due, initial=0.0))
        return self._done(f"{rate:.4g} requests/s", taken_up, times, seconds, held_up, rate)

    def _served(self, due: Values) -> tuple[Values, Values]:
        """Request by request: what comes or would end in a stall does so when it is over, and it is no time to work in."""
        taken_up, times, free = [], [], 0.0
        for place, instant in enumerate(due):
            came = self._after_stalls(instant, engine_only=True)
            free = self._after_stalls(max(free, came), engine_only=False) + SERVICE_S
            if self.own_pauses and place % 300 == 299:
                free += 0.6
            taken_up.append(came)
            times.append(self._after_stalls(free, engine_only=False) - came)
        return np.array(taken_up), np.array(times)

    def _after_stalls(self, instant: float, *, engine_only: bool) -> float:
        for stall in self.stalls:
            begin = stall.begin - self.now
            if begin <= instant < begin + stall.seconds and (stall.of_engine or not engine_only):
                return begin + stall.seconds
        return instant

    def _done(
        self, load: str, taken_up: Values, times: Values, seconds: float, held_up: float, rate: float | None = None
    ) -> Driven:
        self.now += seconds + _BETWEEN_S
        slow = float(np.mean(times > (PROMISED.seconds or 0)))
        stage = LimitStage(
            load=load,
            rate=rate,
            users=None,
            seconds=seconds,
            requests=len(times),
            answered_per_s=min(len(times) / seconds, 1 / SERVICE_S),
            at_percentile_ms=float(np.quantile(times, 0.95)) * 1000,
            slow=slow,
            failed=0.0,
            failures={},
            kept=slow <= 0.05,
        )
        why_not = "the instrument fell short" if len(self.driven) + 1 in self.broken_off else ""
        self.driven.append(Driven(stage, taken_up, times, held_up, why_not))
        return self.driven[-1]


def searched(stages: SimulatedStages, arrivals: str = "poisson") -> tuple[Any, Search]:
    """The limit that a search of three minutes finds, and the search."""
    search = Search(stages, LimitWords(PROMISED, arrivals, 180.0, LoadSpec()), 0.0, stages.clock)  # type: ignore[arg-type]
    outcome = search.run().estimate
    assert outcome.value is not None, outcome
    assert stages.now <= 170.0, "time is left for the stage beyond the limit"
    return outcome, search


def stalls_of(seed: int, *, of_engine: bool, every: float, longest: float) -> list[Stall]:
    draw = np.random.default_rng([seed, 77])
    begins = np.cumsum(draw.exponential(every, 60))
    return [Stall(float(begin), float(draw.uniform(0.1, longest)), of_engine) for begin in begins if begin < 200]


def holds(outcome: Any, truth: float) -> bool:
    """Whether an interval has the truth and is at most 4% wide to either side."""
    narrow = (outcome.high - outcome.low) / 2 <= 0.04 * outcome.value
    return bool(outcome.low <= truth <= outcome.high and narrow)


def test_an_engine_that_stands_still_costs_the_limit_nothing() -> None:
    """What was due meanwhile comes in a burst, and the service is held against a queue under that very burst."""
    stages = SimulatedStages(1, stalls_of(1, of_engine=True, every=10.0, longest=1.5))
    outcome, _ = searched(stages)
    assert holds(outcome, TRUTH["poisson"]), outcome
    assert any(stage.times.max() > 1.0 for stage in stages.driven), "a stall was long enough to matter"


def test_a_stage_in_which_the_service_was_held_up_is_driven_again_and_left_out() -> None:
    stages = SimulatedStages(2, [Stall(14.0, 2.5, False), Stall(70.0, 2.5, False)])
    outcome, search = searched(stages)
    assert holds(outcome, TRUTH["poisson"]), outcome
    assert len(search.left_out) == 2
    for place in search.left_out:
        assert np.array_equal(stages.driven[place].taken_up, stages.driven[place + 1].taken_up), "the same arrivals"
        assert stages.driven[place].stage.slow > stages.driven[place + 1].stage.slow


def test_pauses_of_the_services_own_count() -> None:
    """Driven again it pauses again: nothing is left out, and the limit is that of a service that pauses."""
    outcome, search = searched(SimulatedStages(3, own_pauses=True))
    assert not search.left_out
    # 600 ms in each 300 requests leave 3 s of work in 3.6 s.
    assert outcome.value < 83.4, outcome


def test_stages_that_the_engine_calls_not_valid_are_left_out_and_too_many_are_not() -> None:
    outcome, search = searched(SimulatedStages(4, broken_off=[6, 9]))
    assert holds(outcome, TRUTH["poisson"]) and set(search.left_out) == {5, 8}
    _, search = searched(SimulatedStages(4, broken_off=range(1, 100)))
    judged = [each for place, each in enumerate(search.stages.driven) if place not in search.left_out]
    assert any(each.why_not for each in judged), "then the limit is not valid"


@pytest.mark.long
@pytest.mark.parametrize("arrivals", ["poisson", "constant"])
@pytest.mark.parametrize(
    ("of_engine", "every", "longest"), [(True, 60.0, 1.5), (False, 180.0, 1.0)], ids=["engine", "service"]
)
def test_the_interval_holds_the_limit_in_nineteen_of_twenty_on_a_machine_that_stalls(
    arrivals: str, of_engine: bool, every: float, longest: float
) -> None:
    held = []
    for seed in range(1, 21):
        stalls = stalls_of(seed, of_engine=of_engine, every=every, longest=longest)
        outcome, _ = searched(SimulatedStages(seed, stalls), arrivals)
        held.append(holds(outcome, TRUTH[arrivals]))
    assert sum(held) >= 19, held  # these seeds are fixed


def test_a_rate_of_many_thousands_is_written_out() -> None:
    assert "up to 12,345/s" in str(Bracket(begin=10.0, kept=12_345.0).outcome().estimate.why_not)
    assert "down to 12,345/s" in str(Bracket(begin=10.0, broken=12_345.0).outcome().estimate.why_not)
