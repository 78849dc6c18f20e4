"""The search of `find-limit`: one user -> more users -> stages near the limit -> the limit with its interval -> behaviour beyond
it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ... import report
from ...analyse import analysis
from ...base.csvfiles import write_document
from ...base.errors import ConfigurationError
from ...base.text import plural, value_text
from ...models.outputs.loading import Estimate, LimitOutput
from ...models.outputs.own_service import LeftOut
from ...results import loads
from ...results.live_file import STOPPED
from ...statistics.queue_limit import LEAST_STRETCHES, Goal, Queue, Values, limit
from ...workload.load_spec import LoadSpec
from ...workload.load_target import LoadTarget
from ...workload.planned_load import loadable, loaded_weights, require_bounded
from .approach import Approach
from .judged_requests import USUAL_ERRORS
from .load import NOT_JUDGED, THIS_PROCESS, prepare_load
from .run_folder import LIMIT, Invocation, RunFolder, plan_trial
from .stages import Driven, LimitGoal, Stages
from .started_target import NOT_JUDGED_BY_SEARCH, ONE_START

ARRIVALS = ("poisson", "constant", "users")
LEAST_SECONDS = 60.0
_ALONE_SECONDS = 3.0
_LADDER_SECONDS = 2.0
_MOST_USERS = 4096
_STAGES = 10
_LEAST_STAGE_SECONDS = 8.0  # a queue near its limit needs longer than this to build up
_BEYOND = 1.2
_WIDTH = 1.04  # a bracket of this ratio is narrow enough
_QUEUE_HOW = "stages near the limit, fitted by a queue of one worker under the same arrivals; jackknife over stages"
_BRACKET_HOW = "the greatest load that met the goal every time, and the least that missed it"
_MOST_HELD_UP = 0.5  # share of the goal's response time
_MOST_LEFT_OUT = 0.5
_HELD_UP = "the engine itself was delayed by more than half of the goal's response time"
_DISTURBED = "repeated with the same arrivals it had far fewer slow requests, so something else disturbed it"
_ON_THE_WAY = "only used to find the range of the limit, or beyond it"


@dataclass(frozen=True)
class LimitWords:
    """The request of `find-limit`: the goal, how load arrives (ARRIVALS), the time limit of the search, and the options of
    `load`."""

    goal: LimitGoal
    arrivals: str
    within_seconds: float
    load: LoadSpec


@dataclass(frozen=True)
class LimitOutcome:
    """A limit with its interval, and the method that found it."""

    estimate: Estimate
    how: str


def find_limit(load_target: LoadTarget, words: LimitWords, invocation: Invocation) -> LimitOutput:
    """Find the greatest load at which a target meets the goal; everything is stored. Raises SteelyardError."""
    load_target, not_loaded = loadable(load_target, words.load)
    require_bounded(load_target, words.load)
    if load_target.sessions and words.arrivals != "users":
        raise ConfigurationError(
            "a limit of sessions is a number of users: their requests do not arrive at a rate", hint="--arrivals users"
        )
    weights = loaded_weights(load_target, not_loaded)
    begun = time.monotonic()
    progress = invocation.progress
    with prepare_load(load_target, words.load, invocation) as ready:
        not_loaded += ready.left_out
        weights = ready.without_failed(weights)
        progress.plan(words.within_seconds)
        schedule = plan_trial(LIMIT, load_target.name, [ready.running.label], [], words.load.seed)
        run = RunFolder(ready.ground.folder, schedule, ready.shares)
        stages = Stages(run, ready, words.load, weights, load_target.max_rate, words.goal)
        search = Search(stages, words, begun)
        outcome, beyond = run_search(search)
        output = _output(load_target, words, search, outcome, beyond, not_loaded, time.monotonic() - begun)
        write_document(run.folder / loads.LIMIT, output.model_dump(mode="json"))
    progress.show("writing the page")  # the run is over: a stop request does not stop the page
    report.write_page(analysis.full_analysis(run.folder))
    return output


def run_search(search: Search) -> tuple[LimitOutcome, str]:
    """The limit and the behaviour beyond it, as far as known where the user stopped the search (`search.stopped`)."""
    outcome = _no_limit("the search was stopped")
    try:
        outcome = search.run()
        return outcome, search.describe_beyond(outcome.estimate.value)
    except KeyboardInterrupt:
        search.stopped = True
        return outcome, "not tried"


@dataclass
class Search:
    """The search for one limit, over `stages`; `begun` is its start on `clock` (monotonic).

    `left_out` maps places of stages in `stages.driven` to the reason why they do not count.
    """

    stages: Stages
    words: LimitWords
    begun: float
    clock: Callable[[], float] = time.monotonic
    left_out: dict[int, str] = field(default_factory=dict)
    stopped: bool = False

    def run(self) -> LimitOutcome:
        """One user, then more and more users, then stages near the limit."""
        alone = self._drive_one_user()
        if not alone.stage.kept:
            return _no_limit("one user alone misses the goal")
        kept, broken = self._ladder(alone)
        if self.words.arrivals == "users":
            return self._bracketed_users(kept, broken)
        most = max(driven.stage.answered_per_s for driven in self.stages.driven)
        if self.words.goal.percentile is None:
            return self._bracketed_rates(most)
        return self._near_the_limit(alone, most)

    def _drive_one_user(self) -> Driven:
        """Drive one user alone; repeat where the times spread or miss the goal, and take the calmer stage of both."""
        alone = self.stages.users(1, _ALONE_SECONDS)
        if alone.stage.kept and not alone.why_not and Queue.of_times(alone.times, even=False).is_steady:
            return alone
        again = self.stages.users(1, _ALONE_SECONDS)
        if again.why_not or (not alone.why_not and _spread(alone.times) <= _spread(again.times)):
            self._leave_out(_ON_THE_WAY)
            return alone
        self._leave_out(_ON_THE_WAY, len(self.stages.driven) - 2)
        return again

    def _ladder(self, alone: Driven) -> tuple[int, int | None]:
        """Multiply the users by four until the goal is missed, or, under open load, until twice no more requests are answered.
        Returns the last number that met the goal and the first that missed it, if any."""
        users, most, in_vain = 1, alone.stage.answered_per_s, 0
        while users < _MOST_USERS:
            wider = self.stages.users(users * 4, _LADDER_SECONDS)
            if self.words.arrivals != "users" and wider.why_not:
                self._leave_out(_ON_THE_WAY)
            if not wider.stage.kept:
                return users, users * 4
            users *= 4
            in_vain = 0 if wider.stage.answered_per_s >= 1.05 * most else in_vain + 1
            if self.words.arrivals != "users" and in_vain == 2:
                break
            most = max(most, wider.stage.answered_per_s)
        return users, None

    def _seconds_left(self) -> float:
        """The seconds left for stages, without those for the last stage, drains and the statistics."""
        within = self.words.within_seconds
        return self.begun + within - min(25.0, 0.15 * within) - self.clock()

    def _leave_out(self, why: str, place: int | None = None) -> None:
        self.left_out[len(self.stages.driven) - 1 if place is None else place] = why

    def _near_the_limit(self, alone: Driven, capacity: float) -> LimitOutcome:
        """Drive stages of open load near the estimated limit, and repeat those that something disturbed."""
        queue = Queue.of_times(alone.times, even=self.words.arrivals == "constant")
        promise = Goal(self.words.goal.seconds or math.inf, 1 - (self.words.goal.percentile or 0.0))
        seconds = max(_LEAST_STAGE_SECONDS, self._seconds_left() / _STAGES - 1.0)
        bound = self.stages.most_rate or math.inf
        approach, first = Approach(queue, promise, capacity), len(self.stages.driven)
        while True:
            suspect = approach.suspect()
            # The last place is for repeating a suspicious stage: a stage counts unless it is known to be disturbed.
            needed = seconds if suspect is not None else 2 * seconds
            if len(self.stages.driven) - first >= LEAST_STRETCHES and self._seconds_left() < needed:
                break
            rate = min(approach.rate(), bound)
            self._drive_near_limit(approach, suspect, rate, seconds)
            if self._errors_break(self.stages.driven[first:]):
                return self._bracketed_rates(rate)
        self._restore_stages(approach, first)
        outcome = limit(list(approach.stretches.values()), queue, promise)
        if outcome is None:
            most = max(each.stage.rate or 0 for each in self.stages.driven[first:])
            return _no_limit(f"no stage up to {value_text(most)}/s located it")
        if outcome.rate > bound:
            return _no_limit(f"the goal is met up to max_rate, {bound:g}/s")
        return LimitOutcome(Estimate(value=outcome.rate, low=outcome.low, high=outcome.high), _QUEUE_HOW)

    def _drive_near_limit(self, approach: Approach, suspect: int | None, rate: float, seconds: float) -> None:
        """Drive one more stage, at a rate or as a repetition of a suspicious stage, and learn from it."""
        number = len(self.stages.driven)
        if suspect is not None:
            rate = self.stages.driven[suspect].stage.rate or rate
        again = None if suspect is None else suspect + 1
        driven = self.stages.rate(rate, seconds, poisson=not approach.queue.even, again=again)
        stretch = driven.arrivals(self.words.goal)
        if driven.why_not:
            self.left_out[number] = driven.why_not
        elif driven.held_up > _MOST_HELD_UP * approach.goal.seconds and (
            suspect is None or approach.is_slower(stretch, suspect)
        ):
            # A disturbed repetition shows nothing, so the suspicious stage counts: on a busy machine it would be repeated for ever.
            self.left_out[number] = _HELD_UP
            approach.accept_stage(suspect)
        elif suspect is None:
            approach.learn(number, stretch)
        elif approach.learn_again(suspect, number, stretch):
            self.left_out[suspect] = _DISTURBED

    def _restore_stages(self, approach: Approach, first: int) -> None:
        """Count the left-out stages again where too few others remain for an estimate."""
        near = [place for place in self.left_out if place >= first]
        if len(near) > _MOST_LEFT_OUT * (len(self.stages.driven) - first) or len(approach.stretches) < LEAST_STRETCHES:
            for place in sorted(near):
                del self.left_out[place]
                approach.learn(place, self.stages.driven[place].arrivals(self.words.goal))

    def _errors_break(self, stages: Sequence[Driven]) -> bool:
        """Whether more requests failed than the goal allows, over all stages."""
        if self.words.goal.errors is None:
            return False
        failed = sum(int(np.sum(np.isinf(each.times))) for each in stages)
        return failed > self.words.goal.errors * sum(len(each.times) for each in stages)

    def _bracketed_rates(self, rate: float) -> LimitOutcome:
        """Bisect between a rate that meets the goal and one that misses it, and confirm both ends while there is time."""
        bracket = Bracket(rate)
        bound = self.stages.most_rate or math.inf
        seconds = max(3.0, self._seconds_left() / 14)
        while self._seconds_left() > seconds and not bracket.is_narrow:
            tried = min(bracket.next(), bound)
            stage = self.stages.rate(tried, seconds, poisson=self.words.arrivals == "poisson").stage
            bracket.update(tried, kept=stage.kept)
            if tried == bound and stage.kept:
                return _no_limit(f"the goal is met up to max_rate, {bound:g}/s")
        return bracket.outcome()

    def _bracketed_users(self, kept: int, broken: int | None) -> LimitOutcome:
        """Bisect whole numbers of users, and confirm both ends of the last bracket."""
        if broken is None:
            return _no_limit(f"the goal is met with {kept} users, and no more were tried")
        seconds = max(3.0, self._seconds_left() / 14)
        while broken - kept > max(1, round(kept * (_WIDTH - 1))) and self._seconds_left() > seconds:
            middle = (kept + broken) // 2
            holds = self.stages.users(middle, seconds).stage.kept
            kept, broken = (middle, broken) if holds else (kept, middle)
        for users in (kept, broken, kept):
            if self._seconds_left() > seconds:
                holds = self.stages.users(users, seconds).stage.kept
                kept = max(1, kept - 1) if users == kept and not holds else kept
                broken = broken + 1 if users == broken and holds else broken
        return LimitOutcome(Estimate(value=kept, low=kept, high=broken), _BRACKET_HOW)

    def describe_beyond(self, rate_or_users: float | None) -> str:
        """What happens past the limit, from one more stage, in a sentence."""
        bound = self.stages.most_rate or math.inf
        if rate_or_users is None or rate_or_users * _BEYOND > bound:
            return "not tried"
        if self.words.arrivals == "users":
            stage = self.stages.users(math.ceil(rate_or_users * 2), 4.0).stage
        else:
            stage = self.stages.rate(rate_or_users * _BEYOND, 5.0, poisson=self.words.arrivals == "poisson").stage
        most = max(driven.stage.answered_per_s for driven in self.stages.driven)
        failures = {**stage.failures, **({"unanswered": stage.unanswered} if stage.unanswered else {})}
        kinds = ", ".join(f"{count} {kind}" for kind, count in failures.items())
        fails = f"{stage.failed:.1%} fail ({kinds})" if stage.failed else "no request fails: requests wait"
        if stage.waited_share > USUAL_ERRORS:
            fails += f", and users spend {stage.waited_share:.0%} of their time waiting for answers that never come"
        holds = "keeps answering" if stage.answered_per_s > 0.9 * most else "answers less"
        return (
            f"at {stage.load} {stage.slow:.0%} are slow or fail and {fails}; it {holds} "
            f"({value_text(stage.answered_per_s)} a second of {value_text(most)} at most)"
        )


@dataclass
class Bracket:
    """The greatest load that met the goal every time, and the least that missed it; the search starts at `begin`."""

    begin: float
    kept: float | None = None
    broken: float | None = None
    confirmed: int = 0

    @property
    def is_narrow(self) -> bool:
        """Whether both ends are near each other and each was confirmed."""
        close = self.kept is not None and self.broken is not None and self.broken <= self.kept * _WIDTH
        return close and self.confirmed >= 2

    def next(self) -> float:
        """The load to try next."""
        if self.kept is None:
            return self.begin if self.broken is None else self.broken / 1.5
        if self.broken is None:
            return self.kept * 1.5
        if self.broken <= self.kept * _WIDTH:
            return self.kept if self.confirmed % 2 == 0 else self.broken
        return math.sqrt(self.kept * self.broken)

    def update(self, load: float, *, kept: bool) -> None:
        """Take in the result of a load; where it contradicts an end, the bracket widens again."""
        again = load in (self.kept, self.broken)
        held = kept == (load == self.kept)
        if again and held:
            self.confirmed += 1
        elif again:
            self.confirmed = 0
            self.kept, self.broken = (load, load * _WIDTH**2) if kept else (load / _WIDTH**2, load)
        else:
            self.kept, self.broken = (load, self.broken) if kept else (self.kept, load)

    def outcome(self) -> LimitOutcome:
        """The limit between both ends."""
        if self.kept is None:
            return _no_limit(
                f"the goal was missed at every rate tried, down to {value_text(self.broken or self.begin)}/s"
            )
        if self.broken is None:
            return _no_limit(f"the goal was met at every rate tried, up to {value_text(self.kept)}/s")
        return LimitOutcome(Estimate(value=self.kept, low=self.kept, high=self.broken), _BRACKET_HOW)


def _spread(times: Values) -> float:
    """The standard deviation of times in s; infinite where a request never ended."""
    return float(np.std(times)) if np.all(np.isfinite(times)) else math.inf


def _no_limit(why: str) -> LimitOutcome:
    return LimitOutcome(Estimate(value=None, why_not=why), "no limit was found")


def _output(
    load_target: LoadTarget,
    words: LimitWords,
    search: Search,
    outcome: LimitOutcome,
    beyond: str,
    not_loaded: list[LeftOut],
    seconds: float,
) -> LimitOutput:
    stages, started = search.stages, search.stages.ready.started is not None
    why_not = [
        f"{driven.stage.load}: {driven.why_not}"
        for place, driven in enumerate(stages.driven)
        if driven.why_not and place not in search.left_out
    ]
    return LimitOutput(
        service=load_target.name,
        target=load_target.address,
        promise=words.goal.words(),
        arrivals=words.arrivals,
        unit="users" if words.arrivals == "users" else "requests/s",
        limit=outcome.estimate,
        how=outcome.how,
        capacity_per_s=max((driven.stage.answered_per_s for driven in stages.driven), default=0.0),
        beyond=beyond,
        stages=[
            driven.stage.model_copy(update={"left_out": search.left_out.get(place)})
            for place, driven in enumerate(stages.driven)
        ],
        seconds=seconds,
        stopped=STOPPED if search.stopped else None,
        not_loaded=not_loaded,
        valid=not why_not,
        why_not=why_not,
        notes=[ONE_START if started else THIS_PROCESS, *_left_out_note(stages, search)],
        not_judged=NOT_JUDGED_BY_SEARCH if started else NOT_JUDGED,
        run=str(stages.ready.ground.folder),
    )


def _left_out_note(stages: Stages, search: Search) -> list[str]:
    notes = []
    for why in dict.fromkeys(search.left_out.values()):
        loads = [stages.driven[place].stage.load for place, reason in search.left_out.items() if reason == why]
        if why != _ON_THE_WAY:
            notes.append(f"{plural(len(loads), 'stage')} left out ({', '.join(loads)}): {why}")
    return notes


def require_words(words: LimitWords) -> None:
    """Raise ConfigurationError where the options define no search."""
    if words.arrivals not in ARRIVALS:
        raise ConfigurationError(f"there are no arrivals '{words.arrivals}'", hint=f"there are {', '.join(ARRIVALS)}")
    if not words.goal.words():
        raise ConfigurationError("no goal is given", hint="--p95 200ms, --errors 1%, or both")
    if words.within_seconds < LEAST_SECONDS:
        raise ConfigurationError(
            f"a limit cannot be found within {words.within_seconds:g} s", hint=f"--within {LEAST_SECONDS:g}s or more"
        )
