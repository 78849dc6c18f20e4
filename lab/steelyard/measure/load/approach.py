"""Where the next stage goes on the way to a limit, and which stages something else disturbed: from those that were driven."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...statistics.queue_limit import Goal, OpenStretch, Queue, fitted_capacity, limit_of, most_slow_in, slow_in

# Of what the limit seems to be: on the side of which fewer stages tell, by slow requests or by none.
_ABOVE, _BELOW = 1.015, 0.985
_CLIMB = 0.02
# A stage that is slower than a queue of so much less capacity would ever be is driven once more.
_MARGIN = 1.02


@dataclass
class Approach:
    """Stages of open load around where the limit seems to be, by number; each says better where it is.

    `guess` is what the service seemed to answer at most before, in requests/s, and `capacity` what it seems to by the stages. What
    disturbs a machine takes capacity away and never adds any. So a stage is suspicious that was slower than the queue that the
    others agree on; whether it was disturbed is seen by sending the very same arrivals again.
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
        """The rate in requests/s that is worth a stage next."""
        with_slow = sum(stretch.slow > 0 for stretch in self.stretches.values())
        around = 1.0 if not self.stretches else _ABOVE if 2 * with_slow <= len(self.stretches) else _BELOW
        return limit_of(self.capacity, self.queue, self.goal) * around

    def suspect(self) -> int | None:
        """The stage to drive once more, if any: the one that is slowest for what the others say, unless that was done already."""
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
        """Learn from the `second` time of a suspicious stage; whether the first was disturbed: the second is not slow, and counts
        alone. Where both are slow, that is how the service is, and both count."""
        self._settled |= {number, second}
        disturbed = not self.is_slower(stretch, number)
        if disturbed:
            del self.stretches[number]
        self.learn(second, stretch)
        return disturbed

    def accept_stage(self, number: int | None) -> None:
        """Let a suspicious stage count as it is."""
        self._settled |= set() if number is None else {number}

    def is_slower(self, stretch: OpenStretch, without: int | None) -> bool:
        """Whether more of a stage was slow than a queue of 2% less capacity explains than the others, but `without`, agree on."""
        capacity = self._fit_capacity(without) or self.guess
        return stretch.slow > most_slow_in(stretch, self.queue, capacity / _MARGIN, self.goal)

    def _fit_capacity(self, without: int | None = None) -> float | None:
        others = [stretch for number, stretch in self.stretches.items() if number != without]
        return fitted_capacity(others, self.queue, self.goal) if others else None
