"""One stage of a search for a limit: load for some seconds with every request logged, and whether it met the goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...analyse import load_figures as figures
from ...base.csvfiles import read_table
from ...base.errors import TargetError
from ...base.text import plural, value_text
from ...hosts import processes
from ...models.job import BigBang, Profile, Rate
from ...models.job import Stage as RateStage
from ...models.outputs.loading import LimitStage
from ...models.records import SlicePlan
from ...results.live_file import STOPPED, StopRequested
from ...results.tables import SliceRow
from ...statistics.queue_limit import OpenStretch, Values
from ...workload.load_spec import LoadSpec
from ...workload.planned_load import Stretch, stretch_of
from ..trial.engine_threads import threads_needed
from .driving import LoadContext, Stretches
from .judged_requests import USUAL_ERRORS, JudgedRequests, judged_requests
from .ready_target import Ready
from .run_folder import RunFolder, cell_of, observe_slice, record_trial

_MOST_IN_FLIGHT = 10_000


@dataclass(frozen=True)
class LimitGoal:
    """The goal: at most a share `1 - percentile` of requests takes longer than `seconds` or fails, and at most a share `errors`
    fails; None: no such condition."""

    percentile: float | None
    seconds: float | None
    errors: float | None

    def words(self) -> list[str]:
        """Each condition in words."""
        goals = []
        if self.percentile is not None and self.seconds is not None:
            goals.append(f"{figures.percentile_name(self.percentile)} <= {self.seconds * 1000:g} ms")
        return [*goals, *([] if self.errors is None else [f"failed <= {self.errors:.3g}"])]


@dataclass(frozen=True)
class Driven:
    """A finished stage: when the engine took up each request, in s from the stage's start; the time of each from then, in s
    (infinite where it failed or never ended); the longest delay in s before the engine took up a request (`held_up`); and why the
    engine calls the stage not valid, if it does.

    A request that was due while the engine itself was delayed comes late, together with others. That is no fault of the service,
    so the statistics compare the service with a queue under the actual arrivals.
    """

    stage: LimitStage
    taken_up: Values
    times: Values
    held_up: float
    why_not: str

    def arrivals(self, goal: LimitGoal) -> OpenStretch:
        """The stage in the form of the statistics."""
        return OpenStretch(self.taken_up, int(np.sum(self.times > (goal.seconds or np.inf))))


@dataclass
class Stages:
    """Drives stages on a verified target, each a trial of the run with its own cell, and stores them in order.

    The engine has as many `threads` as the stages so far showed that it needs.
    """

    run: RunFolder
    ready: Ready
    words: LoadSpec
    weights: Mapping[str, float]
    most_rate: float | None
    goal: LimitGoal
    driven: list[Driven] = field(default_factory=list)
    threads: int = 1

    def users(self, count: int, seconds: float) -> Driven:
        """A stage with `count` users, each of which sends its next request after the answer."""
        words = replace(
            self.words, users=(count, count), rates=None, poisson=False, profile="constant", seconds=seconds
        )
        planned = stretch_of(words, self.weights, self.most_rate)
        return self._drive(replace(planned, lead_in_seconds=min(0.5, seconds / 4)), plural(count, "user"))

    def rate(self, rate: float, seconds: float, *, poisson: bool, again: int | None = None) -> Driven:
        """A stage of open load that begins with an empty queue; `again` repeats the arrivals of the stage with this number."""
        stage = RateStage(from_rate=rate, to_rate=rate, seconds=seconds)
        profile = Rate(arrivals="poisson" if poisson else "constant", stages=[stage], max_in_flight=_MOST_IN_FLIGHT)
        words = replace(self.words, users=(1, 1), rates=None, poisson=False, profile="constant", seconds=seconds)
        planned = replace(stretch_of(words, self.weights, None), profile=profile, lead_in_seconds=0.0)
        return self._drive(planned, f"{value_text(rate)} requests/s", again)

    def _drive(self, planned: Stretch, load: str, again: int | None = None) -> Driven:
        number = len(self.driven) + 1
        ground = replace(self.ready.ground, seed=self.ready.ground.seed + (again or number), threads=self.threads)
        ground.progress.show(f"stage {number}: {load}")
        row, stretches = self._drive_stage(planned, ground)
        if stretches.stop_requested:
            raise StopRequested
        if stretches.gave_up is not None:
            raise TargetError(f"at {load} {stretches.gave_up}", hint=f"see {stretches.folder}")
        # Unanswered requests are included; requests that the engine never sent are not, and the row counts them.
        due, taken_up, times = _logged_times(stretches.folder, row)
        held_up = float(np.max(taken_up - due, initial=0.0))
        users = planned.profile.users if isinstance(planned.profile, BigBang) else 0
        requests = judged_requests(row, stretches.folder, users * row.seconds)
        done = Driven(self._stage(planned.profile, load, row, times, requests), taken_up, times, held_up, row.why_not)
        self.threads = min(len(ground.cpus), max(self.threads, threads_needed(row, self.threads)))
        self.driven.append(done)
        return done

    def _drive_stage(self, planned: Stretch, ground: LoadContext) -> tuple[SliceRow, Stretches]:
        """A stage as the next trial of the run."""
        running = self.ready.running
        cell = cell_of(planned, f"stage {len(self.run.schedule.trials) + 1}", primary=False)
        self.run = self.run.with_cell(cell)
        self.run.keep()
        with record_trial(self.run, self.run.schedule.trials[-1], [running]) as notes:
            with (
                Stretches(ground, [planned], notes.folder, logged=True) as stretches,
                processes.Observer(notes.folder) as observer,
                observe_slice(observer, 0, running),
            ):
                row = stretches.drive(0, _tick_text)
            notes.slices = [SlicePlan(number=0, subject=running.label, cell=cell.name, phase="measure", pair=0)]
            notes.stopped = STOPPED if stretches.stop_requested else stretches.gave_up
        return row, stretches

    def _stage(self, profile: Profile, load: str, row: SliceRow, times: Values, requests: JudgedRequests) -> LimitStage:
        promised, counts = self.goal, requests.counts
        failed = counts.bad / max(1, counts.total)
        slow_ones = int(np.sum(np.isfinite(times) & (times > (promised.seconds or np.inf))))
        slow = (slow_ones + counts.bad) / max(1, counts.total)
        allowed = USUAL_ERRORS if promised.errors is None else promised.errors
        percentile = promised.percentile or 0.95
        at = float(np.quantile(times, percentile, method="higher")) if len(times) else np.inf
        return LimitStage(
            load=load,
            rate=profile.stages[0].from_rate if isinstance(profile, Rate) else None,
            users=profile.users if isinstance(profile, BigBang) else None,
            seconds=row.seconds,
            requests=counts.total,
            answered_per_s=row.throughput_per_s,
            at_percentile_ms=None if np.isinf(at) else at * 1000,
            slow=slow,
            failed=failed,
            failures=dict(figures.kinds_of(row)),
            unanswered=counts.unanswered,
            waited_share=requests.waited_share,
            kept=counts.total > 0
            and requests.waited_share <= allowed
            and (promised.percentile is None or slow <= 1 - promised.percentile)
            and failed <= (1.0 if promised.errors is None else promised.errors),
        )


def _logged_times(folder: Path, row: SliceRow) -> tuple[Values, Values, Values]:
    """When each request was due and was started, in s from the stage's start, in order of the latter, and its time from then in
    s."""
    rows = list(read_table(folder / "requests.csv", ["due_ns", "taken_up_ns", "response_ns", "right"]))
    due, taken_up, response = (
        np.array([logged.whole(column) for logged in rows], dtype=np.int64)
        for column in ("due_ns", "taken_up_ns", "response_ns")
    )
    right = np.array([logged.whole("right") for logged in rows], dtype=bool)
    order = np.argsort(taken_up, kind="stable")
    times = np.where(right, (due + response - taken_up) / 1e9, np.inf)
    return (due[order] - row.begin_ns) / 1e9, (taken_up[order] - row.begin_ns) / 1e9, times[order]


def _tick_text(tick: Mapping[str, Any]) -> str:
    time = "" if tick["response_ms"] is None else f" · {value_text(tick['response_ms'])} ms"
    return f"{tick['elapsed_s']:.0f} s · {tick['completed']:,} answered{time}"
