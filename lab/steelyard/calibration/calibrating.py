"""`steelyard calibrate`: collects forks within a budget, computes how precise this machine is, and judges its
instrument."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from ..base.csvfiles import write_document
from ..base.errors import InsufficientDataError, SteelyardError
from ..base.live import LiveComparison, LiveInterval
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..base.rounding import significant
from ..catalogue import entries
from ..catalogue.own_requests import OwnRequests
from ..catalogue.usual import floor_of
from ..hosts import doctor, subject
from ..hosts.cpus import share
from ..measure.trial import trial as drive
from ..measure.trial.context import trial_folder
from ..models.calibration import Calibration, Planted, Smallest
from ..models.own_server import OwnServer
from ..models.records import Check
from ..models.study import PartSpec, Study, SubjectSpec
from ..plan.run_parameters import Request
from ..plan.schedule import schedule_only
from ..results import loads, machine_history
from ..results.live_file import LiveFile
from ..results.stored_run import read_trial
from ..statistics.interval import CONFIDENCE, Interval, student_interval
from ..statistics.looks import LOOKS, alpha_of
from ..statistics.planning import smallest_difference
from ..statistics.redraws import EndedComparison, disjoint_comparisons
from . import bank as banking
from . import planted
from .bank import Bank
from .collecting import Sitting, collect, setting_of
from .values import LevelForks, Values, values_of

MINUTES = (5.0, 15.0, 30.0)
LEAST_FORKS = 2
RESOLUTION_NS = 1_000
OVERSHOOT_NS = 1_000_000
_FORK_SECONDS = 20.0  # shorter than any fork, so that the plan has more than the budget holds


@dataclass(frozen=True)
class OwnWish:
    """A user's own server with its name, its requests, and the weights of its operations."""

    name: str
    server: OwnServer
    requests: OwnRequests
    mix: Mapping[str, float]


@dataclass(frozen=True)
class Wish:
    """The user's options; None means the value of the study `calibration`.

    With `own`, the server is the user's own.
    """

    server: str | None
    service: str
    operation: str
    budget_seconds: float
    pairs: int | None
    slice_seconds: float | None
    seed: int
    out: Path
    command: Sequence[str]
    own: OwnWish | None = None


def calibrate(wish: Wish, progress: Progress) -> Calibration:
    """Measure within the budget, and store the results. A stop by the user keeps the finished forks.

    Raises SteelyardError, and KeyboardInterrupt if fewer than two forks finished.
    """
    begun = time.monotonic()
    now = f"{datetime.now():%Y-%m-%d-%H%M%S}"
    if wish.own is not None:
        own = wish.own
        folder = loads.make_run_folder(wish.out / f"calibrate-{own.name}-{now}")
        own.requests.write(folder / entries.OWN_REQUESTS)
        study = planted.own_study_of(
            own.name,
            own.server,
            str(folder / entries.OWN_REQUESTS),
            own.mix,
            pairs=wish.pairs,
            slice_seconds=wish.slice_seconds,
        )
    else:
        study = planted.study_of(
            wish.server, wish.service, wish.operation, pairs=wish.pairs, slice_seconds=wish.slice_seconds
        )
        schedule_only(study, Request())  # an invalid option is an error now, not after the measurement
        folder = loads.make_run_folder(wish.out / f"calibrate-{study.first_server()}-{now}")
    with LiveFile(folder, progress, share().server) as live_file, progress.followed_by(live_file):
        calibration = _measure_and_evaluate(wish, study, folder, begun, progress)
        write_document(folder / loads.CALIBRATION, calibration.model_dump(mode="json"))
    machine_history.store(calibration)
    return calibration


def _measure_and_evaluate(wish: Wish, study: Study, folder: Path, begun: float, progress: Progress) -> Calibration:
    """Measure and evaluate; `begun` is the start of the budget (monotonic)."""
    progress.plan(wish.budget_seconds)
    checks = [*doctor.examine(), timer()]
    capacity, why_not = _capacity(study, folder / "floor", wish.command, progress)
    left = wish.budget_seconds - (time.monotonic() - begun)
    wanted = max(LOOKS[-1], int(wish.budget_seconds / _FORK_SECONDS))
    sitting = Sitting(study, folder, folder, wanted, left, wish.seed, wish.command, LEAST_FORKS)
    values, stopped = _collect_values(sitting, progress)
    equal = values.equal
    machine_history.remember(_history_entry(pair, place, equal, study) for place, pair in _self_comparisons(equal))
    interval = _interval(equal)
    rate = median(throughput for first, _ in values.throughputs for throughput in first)
    deviation = pooled_deviation(values)
    cost = float(np.mean(equal.seconds))
    return Calibration(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine_history.machine(),
        service=wish.service,
        server=study.first_server(),
        operation=wish.operation,
        users=8,
        forks=len(equal.counted_ratios),
        seconds=round(time.monotonic() - begun, 1),
        stopped=stopped,
        server_ratio=interval.estimate,
        server_interval=(interval.low, interval.high),
        fork_deviation=deviation,
        fork_seconds=cost,
        smallest=[smallest(minutes, deviation, cost) for minutes in MINUTES],
        planted=list(_planted_results(values)),
        alarms=machine_history.alarms(),
        headroom=None if capacity is None else capacity / rate,
        headroom_why_not=why_not,
        checks=checks,
        folder=folder.name,
    )


def _collect_values(sitting: Sitting, progress: Progress) -> tuple[Values, bool]:
    """The values of the finished forks, and whether the user stopped the run; raises InsufficientDataError if there are
    too few."""
    stopped = False
    folder = sitting.bank
    try:
        banked = collect(sitting, progress, lambda bank: _after_fork(bank, sitting.study.primary, progress))
    except KeyboardInterrupt:
        stopped = True
        banked = banking.read(folder) if (folder / banking.FORKS).exists() else Bank({}, [], [])
        if len(banked.complete) < LEAST_FORKS:
            raise
    values = values_of(banked)
    counted = min((len(level.counted_ratios) for level in values.levels.values()), default=0)
    if counted < LEAST_FORKS:
        raise InsufficientDataError(
            f"{counted} forks count, and {LEAST_FORKS} are needed to estimate their variation",
            hint=f"raise --budget; the measured forks are in {folder}",
        )
    return values, stopped


def smallest(minutes: float, deviation: float, fork_seconds: float) -> Smallest:
    """The smallest difference that a comparison finds in so many minutes: at the last look that fits, with the alpha of
    each look."""
    fitting = [look for look in LOOKS if look * fork_seconds <= minutes * 60]
    if not fitting:
        return Smallest(minutes=minutes, forks=0, difference=None)
    difference = smallest_difference(deviation, fitting[-1], alpha_of(LOOKS))
    return Smallest(minutes=minutes, forks=fitting[-1], difference=difference if math.isfinite(difference) else None)


def pooled_deviation(values: Values) -> float:
    """Standard deviation of forks' log ratios: the root mean square over levels, each about its own mean."""
    return math.sqrt(float(np.mean([np.var(level.counted_ratios, ddof=1) for level in values.levels.values()])))


def timer(sleeps: int = 200) -> Check:
    """Check the resolution of the clock, and how late sleeping threads wake up."""
    resolution = time.clock_getres(time.CLOCK_MONOTONIC) * 1e9
    overshoots = []
    for _ in range(sleeps):
        before = time.monotonic_ns()
        time.sleep(0.001)
        overshoots.append(time.monotonic_ns() - before - 1_000_000)
    late = quantiles(overshoots, n=100)[98]
    return Check(
        name="timer",
        found=f"resolution {resolution:.0f} ns; sleeps of 1 ms end {median(overshoots) / 1e3:.0f} µs late, p99 {late / 1e3:.0f} µs",
        good=resolution <= RESOLUTION_NS and late <= OVERSHOOT_NS,
        advice="end other programs; use a virtual machine whose host is not overbooked",
    )


def _capacity(study: Study, folder: Path, command: Sequence[str], progress: Progress) -> tuple[float | None, str]:
    """Requests per second of the engine against a server that does nothing;

    None with the reason if they cannot be measured.
    """
    try:
        name = floor_of(study.service)
        floor = study.model_copy(
            update={
                "subjects": [SubjectSpec(label=name, parts=[PartSpec(server=name)])],
                "reference": name,
                "pairs": 3,
                "slice_seconds": 1.0,
                "warm_up_limit_seconds": 3.0,
            }
        )
        with machine_lock(" ".join(command)):
            subjects = subject.all_provided([*_specs(floor)], entries.service(study.service), progress)
            setting = setting_of(floor, [name], 1, 1, subjects, folder, progress)
            plan = setting.schedule.trials[0]
            drive.run_trial(setting, plan, all_spellings=False)
            trial = read_trial(plan, trial_folder(folder, plan.number))
    except SteelyardError as error:
        return None, error.message
    return median(row.throughput_per_s for row in trial.slices.values() if row.phase == "measure"), ""


def _specs(study: Study) -> Iterator[SubjectSpec]:
    return (subject for subject in study.subjects if isinstance(subject, SubjectSpec))


def _self_comparisons(equal: LevelForks) -> Iterator[tuple[int, EndedComparison]]:
    """Complete comparisons of the server with itself, each with the position of its first fork."""
    at = 0
    for comparison in disjoint_comparisons(list(equal.ratios), scatter=list(equal.scatter)):
        yield at, comparison
        at += comparison.forks


def _history_entry(comparison: EndedComparison, at: int, equal: LevelForks, study: Study) -> machine_history.Ended:
    taken = slice(at, at + comparison.forks)
    part = replace(equal, ratios=equal.ratios[taken], scatter=equal.scatter[taken])
    interval = student_interval(part.counted_ratios, 1 - alpha_of(LOOKS), part.least_deviation).exp()
    words = {"ABOVE": "faster", "BELOW": "slower"}
    return {
        "source": "calibrate",
        "server": study.first_server(),
        "operation": study.primary,
        "forks": comparison.forks,
        "word": words.get(comparison.decision.name, comparison.decision.name.lower()),
        "ratio": significant(interval.estimate),
        "low": significant(interval.low),
        "high": significant(interval.high),
        "alarm": int(comparison.alarm),
    }


def _planted_results(values: Values) -> Iterator[Planted]:
    """The result of each planted slow-down over all forks, with a 95% interval."""
    for level in values.planted_levels:
        interval = _interval(values.levels[level])
        yield Planted(
            level=level, ratio=interval.estimate, interval=(interval.low, interval.high), called=interval.high < 1
        )


def _interval(compared: LevelForks) -> Interval:
    """The ratio of a level's forks with its 95% interval."""
    return student_interval(compared.counted_ratios, CONFIDENCE, compared.least_deviation).exp()


def _after_fork(bank: Bank, operation: str, progress: Progress) -> None:
    """Print the result of the last fork, and show the results so far at each level."""
    last = bank.forks[-1]
    progress.print_line(f"fork {last.fork}: {last.status} after {last.seconds:.0f} s")
    if bank.complete:
        progress.add_intervals(list(interim_comparisons(values_of(bank), operation)))


def interim_comparisons(values: Values, operation: str) -> Iterator[LiveComparison]:
    """The results of the valid forks at each level: the slowed second process against the first."""
    for level, compared in values.levels.items():
        counted = compared.counted_ratios
        if not counted:
            continue
        interval = LiveInterval(len(counted), math.exp(counted[0]), None, None)
        if len(counted) > 1:
            whole = _interval(compared)
            interval = LiveInterval(len(counted), whole.estimate, whole.low, whole.high)
        yield LiveComparison(
            planted.face(level), planted.partner(level), operation, "throughput", CONFIDENCE, intervals=[interval]
        )
