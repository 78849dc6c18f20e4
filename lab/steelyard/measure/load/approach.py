"""The next stage of the search for a limit, and the stages that something else disturbed, from the stages so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...statistics.queue_limit import Goal, OpenStretch, Queue, fitted_capacity, limit_of, most_slow_in, slow_in

# Factors of the estimated limit: one on each side, and the side with fewer stages is next.
_ABOVE, _BELOW = 1.015, 0.985
_CLIMB = 0.02
# A stage slower than a queue with this much less capacity is repeated.
_MARGIN = 1.02


@dataclass
class Approach:
    """Stages of open load near the estimated limit, by number; each refines the estimate.

    `guess` is the highest rate of answers before these stages, in requests/s, and `capacity` the estimate from them. A
    disturbance of the machine takes capacity away and never adds any. So a stage is suspicious where it was slower than a queue
    with the capacity that the other stages agree on. Sending the same arrivals again shows whether it was disturbed.
    """

    queue: Queue
    goal: Goal
    guess: float
    capacity: float = field(init=False)
    stretches: dict[int, OpenStretch] = field(default_factory=dict)
    _settled: set[int] = field(default_factory=set)
    _without_slow: int = 0

    def __post_init__(self) -> None:
        self.capacity = self.guess

    def rate(self) -> float:
        """The rate of the next stage, in requests/s."""
        with_slow = sum(stretch.slow > 0 for stretch in self.stretches.values())
        around = 1.0 if not self.stretches else _ABOVE if 2 * with_slow <= len(self.stretches) else _BELOW
        return limit_of(self.capacity, self.queue, self.goal) * around

    def suspect(self) -> int | None:
        """The stage to repeat, if any: the slowest against the estimate from the others, unless it was repeated already."""
        excess = {
            number: stretch.slow - slow_in(stretch, self.queue, self.capacity, self.goal)
            for number, stretch in self.stretches.items()
            if number not in self._settled and stretch.slow
        }
        worst = max(excess, key=lambda number: excess[number], default=None)
        if worst is None or not self.is_slower(self.stretches[worst], worst):
            return None
        return worst

    def learn(self, number: int, stretch: OpenStretch) -> None:
        """Learn from a stage."""
        self.stretches[number] = stretch
        fitted = self._fit_capacity()
        if fitted is not None:
            self.capacity = fitted
        elif any(stretch.slow for stretch in self.stretches.values()):
            self.capacity /= 1.05
        else:
            self.capacity *= 1 + _CLIMB * 2 ** max(0, self._without_slow - 1)
            self._without_slow += 1

    def learn_again(self, number: int, second: int, stretch: OpenStretch) -> bool:
        """Learn from the `second` run of a suspicious stage; returns whether the first was disturbed. If the second is not slow,
        it alone counts. If both are slow, the service is slow, and both count."""
        self._settled |= {number, second}
        disturbed = not self.is_slower(stretch, number)
        if disturbed:
            del self.stretches[number]
        self.learn(second, stretch)
        return disturbed

    def accept_stage(self, number: int | None) -> None:
        """Accept a suspicious stage as it is."""
        self._settled |= set() if number is None else {number}

    def is_slower(self, stretch: OpenStretch, without: int | None) -> bool:
        """Whether more requests of a stage were slow than a queue explains that has 2% less capacity than the other stages
        (except `without`) agree on."""
        capacity = self._fit_capacity(without) or self.guess
        return stretch.slow > most_slow_in(stretch, self.queue, capacity / _MARGIN, self.goal)

    def _fit_capacity(self, without: int | None = None) -> float | None:
        others = [stretch for number, stretch in self.stretches.items() if number != without]
        return fitted_capacity(others, self.queue, self.goal) if others else None
