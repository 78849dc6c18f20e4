"""One trial: fresh processes, verified answers, warm-up until steady, then slices that alternate between the subjects."""

from __future__ import annotations

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import Any

from ...base.csvfiles import write_text
from ...base.errors import EngineError, KeeperError, ProvisionError, SteelyardError, StoreError, outside_cause
from ...base.progress import duration
from ...hosts import clocks, doctor, processes
from ...hosts.cpus import kept_awake, pin_thread
from ...hosts.foreign_work import NOT_LOOKED_FOR, ForeignObserver, may_count_strangers
from ...hosts.links import LinkObserver
from ...hosts.placement import LOOPBACK
from ...hosts.running import RunningSubject
from ...models.job import StretchEdges, Turn
from ...models.records import Cell, Check, Failure, Restored, SlicePlan, Steadiness, TrialPlan, TrialRecord, TrialStatus
from ...plan.cells import lead_out_seconds, sessions_of
from ...plan.designs import design_named
from ...plan.designs.design import LEAST_PAIRS
from ...plan.faults import draw_fault
from ...plan.kinds import kind_of
from ...plan.slices import PAUSE_SECONDS, QUIET_AT_REST, head_start_slices
from ...plan.stopping import END_SECONDS, Pending, pairs_are_over, warm_up_is_over
from ...results.tables import mean_request_bytes
from ...statistics.steady import (
    CONSECUTIVE,
    WarmUpSlice,
    compiles,
    cpu_ns_per_request,
    jit_share,
    steady_since,
    still_compiles,
)
from ..load.session_figures import forget_private
from . import idle_cpu, own_answers, remote_logs
from .bring_up import error_or_lost_host, require_host, start_all
from .context import OUT_OF_BUDGET, TrialContext, TrialFailedError, TrialLog, trial_folder
from .drivers import Drivers, drivers_of
from .engine import Engine, Tick
from .faults import Strike, counted_after
from .gathering import end_recording, gather
from .gauges import store_gauges
from .jobs import Answering, TrialSlices, answering, cycle_ns, make_job, plan_slices, turn_of
from .last_slices import LastSlices
from .legs import Legs
from .proof import ServiceCounts, background_work, check_samples, reconcile_all, require_finished_work
from .second_client import SecondClient
from .slice_rows import SliceRows
from .spans import store_spans
from .stress import stress_of
from .stretches import TrialStretches, expected_answering
from .watch import Watch


def run_trial(setting: TrialContext, plan: TrialPlan, *, all_spellings: bool) -> TrialRecord:
    """Drive one trial and store its record: complete, or with the reason why not.

    Raises TrialFailedError. After storing the record it raises KeyboardInterrupt, and errors that every later trial would also
    have (SteelyardError, OSError such as a full disk).
    """
    setting = replace(setting, schedule=setting.schedule.for_trial(plan))
    log = TrialLog(trial_folder(setting.folder, plan.number))
    log.folder.mkdir(parents=True, exist_ok=True)
    begun, clock = _now(), time.monotonic()
    status: TrialStatus = "failed"
    failure: Failure | None = Failure(kind="lab", message="Steelyard ended before the trial did")
    try:
        _drive(setting, plan, log, clock, all_spellings)
        status, failure = "complete", None
    except KeyboardInterrupt:
        status, failure = "interrupted", Failure(kind="interrupted", message="stopped by the user")
        raise
    except TrialFailedError as error:
        reported = error_or_lost_host(setting, error)
        failure = reported.failure
        raise reported from None
    except (SteelyardError, OSError) as error:
        failure = Failure(kind="lab", message=str(error))
        raise
    except Exception as error:
        cause = outside_cause(error)
        failed = (
            _defect(error, log) if cause is None else TrialFailedError(Failure(kind="lab", message=cause[0]), cause[1])
        )
        failure = failed.failure
        raise failed from None
    finally:
        record = _record(setting, plan, log, status, failure, begun, time.monotonic() - clock)
        write_text(log.folder / "trial.json", record.model_dump_json(indent=1) + "\n")
    return record


def _record(
    setting: TrialContext,
    plan: TrialPlan,
    log: TrialLog,
    status: TrialStatus,
    failure: Failure | None,
    begun: str,
    seconds: float,
) -> TrialRecord:
    return TrialRecord(
        number=plan.number,
        seed=plan.seed,
        status=status,
        failure=failure,
        begun=begun,
        ended=_now(),
        clock_offset_ns=time.time_ns() - time.monotonic_ns(),
        seconds=round(seconds, 3),
        server_cpus=setting.shares.server,
        engine_cpus=setting.shares.engine,
        engines=len(setting.shares.halves) or 1,
        subjects=log.subjects,
        slices=log.slices,
        steady=log.steady,
        at_rest=log.at_rest,
        stretches=log.stretches,
        counted=log.counted,
        reconciled=log.reconciled,
        settled=log.settled,
        restored=log.restored,
        faults=log.faults,
        recorded=log.recorded,
        samples_checked=log.samples_checked,
        wrong_samples=log.wrong_samples,
        distress=log.distress,
        clocks=log.clocks,
        machine=log.machine,
        warnings=doctor.warnings(log.machine),
    )


def _defect(error: Exception, log: TrialLog) -> TrialFailedError:
    """The failure of a trial by an unexpected exception; its traceback is stored beside the measurements."""
    place = log.folder / "defect.log"
    write_text(place, traceback.format_exc())
    message = f"a defect of Steelyard ended it: {type(error).__name__}: {error}"
    return TrialFailedError(Failure(kind="defect", message=message), f"please report it with {place}")


def _drive(setting: TrialContext, plan: TrialPlan, log: TrialLog, begun: float, all_spellings: bool) -> None:
    setting.progress.live.begin_trial()
    setting.progress.show(setting.stage(plan, "watching the machine"))
    log.machine = _machine_before(setting)
    with ExitStack() as stack:
        stack.enter_context(kept_awake(setting.shares))
        require_host(setting)
        log.machine += doctor.examine_host(setting.site)
        log.far_clock = stack.enter_context(clocks.compare_clocks(setting.site, log.clocks))
        if not design_named(setting.schedule.design).one_runs:
            _drive_subjects(setting, plan, log, begun, all_spellings, 0)
            return
        legs = Legs(setting, plan, log)
        for leg in legs:
            with legs.join_leg(leg):
                _drive_subjects(leg.setting, leg.plan, leg.log, begun, all_spellings, leg.first)


def _drive_subjects(
    setting: TrialContext, plan: TrialPlan, log: TrialLog, begun: float, all_spellings: bool, first: int
) -> None:
    """Start the subjects of a plan and drive their slices, which are numbered from `first` on."""
    with ExitStack() as stack:
        running = start_all(setting, plan, log, stack, all_spellings=all_spellings)
        unpinned = {label: subject.compiles() for label, subject in running.items()}
        faces = {
            label: subject.subject.same_as for label, subject in running.items() if subject.subject.same_as is not None
        }
        slices = plan_slices(setting.schedule, plan, unpinned, faces, first)
        job = make_job(setting, plan, slices, running, log.folder)
        stack.enter_context(pin_thread(setting.shares.engine))  # the lab must not run on the servers' processors
        own_cpus = {label: setting.shares_of(plan, label).engine for label in running} if setting.shares.halves else {}
        try:
            counts = ServiceCounts(running)
            with (
                drivers_of(job, log.folder, own_answers.secrets(setting), own_cpus) as engine,
                processes.Observer(log.folder) as observer,
                LinkObserver(log.folder, setting.site) as links,
                ForeignObserver(log.folder, _watched_processors(setting), [os.getpid()]) as foreign,
            ):
                observers = _Observers(observer, links, foreign)
                driver = _Driver(setting, plan, log, running, engine, observers, counts)
                driver.measure_cold(slices)
                driver.warm_up(slices, begun)
                driver.measure_idle_cpu()
                driver.measure(slices, begun)
            if not setting.schedule.faults:  # a killed service counts from zero again, and its losses are the result
                log.counted = counts.compare_counts(driver.rows.seen, driver.watch, log.slices[-1])
                require_finished_work(running, log.settled, setting.progress.refresh)
                log.reconciled = reconcile_all(running)
            _store_notes(setting, plan, log, running, driver)
        except EngineError as error:
            raise TrialFailedError(Failure(kind="engine", message=error.message), error.hint) from None
        except StoreError as error:
            raise TrialFailedError(Failure(kind="records", message=error.message), error.hint) from None
        except (ProvisionError, KeeperError) as error:
            raise TrialFailedError(Failure(kind="died", message=error.message), error.hint) from None
        finally:
            check_samples(setting, log)
            if setting.load_target is not None:
                forget_private(setting.load_target, log.folder)


def _store_notes(
    setting: TrialContext, plan: TrialPlan, log: TrialLog, running: dict[str, RunningSubject], driver: _Driver
) -> None:
    """Store the subjects' own time records: events, gauges, and their monitors' records."""
    layered = "layers" in setting.schedule.observe
    if layered:
        end_recording(running)
    ours = remote_logs.fetch_logs(setting.site, log.folder, log.far_clock)
    if setting.schedule.spans:
        store_spans(setting.schedule, log, driver.rows.seen)
    store_gauges(setting.schedule, log, driver.rows.seen)
    if layered:
        setting.progress.show(setting.stage(plan, "gathering the monitors' records"))
        log.recorded = gather(running, log.folder, ours)


@dataclass(frozen=True)
class _Observers:
    """The observers that read before and after each slice: of the subjects' processes, of the link to their host, and of foreign
    work."""

    processes: processes.Observer
    links: LinkObserver
    foreign: ForeignObserver


class _Driver:
    """Drives slices one at a time, and records and judges each."""

    def __init__(
        self,
        setting: TrialContext,
        plan: TrialPlan,
        log: TrialLog,
        running: dict[str, RunningSubject],
        engine: Engine | Drivers,
        observers: _Observers,
        counts: ServiceCounts,
    ) -> None:
        self._setting = setting
        self._plan = plan
        self._log = log
        self._running = running
        self._engine = engine
        self._observer = observers.processes
        self._links = observers.links
        self._foreign = observers.foreign
        self._counts = counts
        self._compiles = {label: subject.compiles() for label, subject in running.items()}
        self._design = design_named(setting.schedule.design)
        self._cells = {cell.name: cell for cell in setting.schedule.cells}
        self.rows = SliceRows(log.folder / "slices.csv")
        self._last_slices = LastSlices(log.folder / "intervals.hlog")
        self._answering: dict[tuple[str, str], Answering] = {}  # of the last slice, by subject and cell
        self._stretches = TrialStretches(setting.schedule, plan, setting.settle_s)
        self._measuring_within: float | None = None  # seconds that the budget leaves for all pairs
        self.watch = Watch(
            running,
            self._cells,
            mean_request_bytes(setting.corpus.folder, sessions_of(setting.schedule.cells, setting.schedule.sessions)),
            log.folder,
            {label: subject.subject.form for label, subject in running.items()},
        )
        log.distress = self.watch.distress

    def measure_cold(self, slices: TrialSlices) -> None:
        """Measure the cold slices before any load, on the subjects' own processors, which they then leave again."""
        if not slices.cold:
            return
        self._pin()
        for _, group in groupby(slices.cold, lambda plan: plan.cell):
            self._drive_pair(list(group), 1)
        for label, subject in self._running.items():
            subject.thaw()
            subject.unpin(self._setting.shares_of(self._plan, label))

    def _pin(self) -> None:
        """Bind each subject to its processors."""
        for label, subject in self._running.items():
            subject.pin(self._setting.shares_of(self._plan, label))

    def warm_up(self, slices: TrialSlices, begun: float) -> None:
        """Head starts on all processors, then pinned slices in turn until each subject is steady in each cell.

        All end at the limit, or earlier to fit the budget; `begun` is the trial's start on the monotonic clock.
        """
        self._head_starts(slices, begun)
        self._pin()
        self._warm_up_until_steady(slices, begun)

    def _head_starts(self, slices: TrialSlices, begun: float) -> None:
        """Drive the head starts. One is extended while JIT compilers are at work, if more slices are offered."""
        within = self._setting.warm_up_within
        usual = head_start_slices(self._setting.schedule)
        for (label, _), plans in slices.head_start.items():
            driven: list[WarmUpSlice] = []
            for plan in plans:
                late = within is not None and time.monotonic() - begun > within
                enough = len(driven) >= CONSECUTIVE and not still_compiles(driven)
                if len(driven) >= usual and (late or enough):
                    break
                self._require_time()
                driven.append(self._drive_slice(plan, f"head start of {label}", PAUSE_SECONDS))

    def _warm_up_until_steady(self, slices: TrialSlices, begun: float) -> None:
        """Drive slices in turn for subjects that are not yet steady, until all are or the time is over."""
        within = self._setting.warm_up_within
        seen: dict[tuple[str, str], list[WarmUpSlice]] = {key: [] for key in slices.warm_up}
        spent = dict.fromkeys(slices.warm_up, 0.0)
        for turn in range(max((len(plans) for plans in slices.warm_up.values()), default=0)):
            pending = [key for key in slices.warm_up if steady_since(seen[key]) is None]
            had = [Pending(self._compiles[key[0]], spent[key], still_compiles(seen[key])) for key in pending]
            promised = bool(self._setting.schedule.least_forks)
            if warm_up_is_over(within, time.monotonic() - begun, had, verdict_promised=promised):
                break
            for key in pending:
                self._require_time()
                before = time.monotonic()
                plan = slices.warm_up[key][turn]
                seen[key].append(self._drive_slice(plan, f"warming up {plan.subject}", PAUSE_SECONDS))
                spent[key] += time.monotonic() - before
        self._log.steady = [
            Steadiness(
                subject=label,
                cell=cell,
                met=steady_since(so_far) is not None,
                slices=len(so_far),
                seconds=round(spent[label, cell], 3),
            )
            for (label, cell), so_far in seen.items()
        ]

    def measure_idle_cpu(self) -> None:
        """Measure each subject's processor time without load, where idle subjects are paused otherwise: all run, and no requests
        are sent."""
        frozen = {
            label: subject
            for label, subject in self._running.items()
            if subject.subject.may_freeze and subject.subject.same_as is None
        }
        if len(frozen) < 2 or not (self._design.takes_turns or self._design.freezes):
            return
        for subject in frozen.values():
            subject.thaw()
        self._setting.progress.show(self._setting.stage(self._plan, "measuring idle subjects"))
        used = {label: partial(_used_ns, subject) for label, subject in frozen.items()}
        self._log.at_rest = idle_cpu.measure_idle_cpu(used, self._setting.progress.refresh)

    def measure(self, slices: TrialSlices, begun: float) -> None:
        """Drive all measured slices in order; then a spare pair for each pair with JIT compilation or foreign work. Where foreign
        work disturbed most pairs, no spare pairs are driven: they would be void too.

        A budget ends both early; `begun` is the trial's start on the monotonic clock.
        """
        total = max((plan.pair or 0 for plan in slices.measure), default=0) + 1
        voided: Counter[str] = Counter()
        clock, pairs = time.monotonic(), 0
        if self._setting.trial_within is not None:
            self._measuring_within = self._setting.trial_within - (clock - begun) - END_SECONDS
        for pair, of_pair in groupby(slices.measure, lambda plan: plan.pair or 0):
            if self._pairs_are_over(begun, clock, pairs):
                break
            self._require_time()
            for cell, group in groupby(of_pair, lambda plan: plan.cell):
                if not self._stretches.is_complete(self._cells[cell]):
                    voided[cell] += self._drive_pair(list(group), total)
                    pairs = pair + 1
        for cell, spare in slices.spare.items():
            for plans in spare:
                if not voided[cell] or self._foreign.busy or self._pairs_are_over(begun, clock, pairs - voided[cell]):
                    break
                voided[cell] += self._drive_pair(plans, total) - 1

    def _pairs_are_over(self, begun: float, clock: float, counted: int) -> bool:
        """Whether the budget ends the pairs, after `counted` valid pairs since `clock`."""
        now = time.monotonic()
        if counted >= LEAST_PAIRS and self._is_out_of_time():
            return True
        return pairs_are_over(self._setting.trial_within, now - begun, counted, now - clock, self._least_pairs())

    def _least_pairs(self) -> int:
        """The pairs with which the trial's fork counts: fewer would be measured for nothing."""
        schedule = self._setting.schedule
        return max(LEAST_PAIRS, *(kind_of(cell).least_pairs(schedule, 0) for cell in self._cells.values()))

    def _is_out_of_time(self) -> bool:
        return self._setting.deadline is not None and time.monotonic() > self._setting.deadline

    def _require_time(self) -> None:
        """Raise TrialFailedError where the run's budget is used up before the trial has the least pairs."""
        if self._is_out_of_time():
            budget = duration(self._setting.schedule.budget_seconds or 0.0)
            message = f"the budget of {budget} ended before {LEAST_PAIRS} pairs were measured"
            raise TrialFailedError(Failure(kind=OUT_OF_BUDGET, message=message), "give a larger --budget")

    def _drive_pair(self, plans: Sequence[SlicePlan], total: int) -> bool:
        """Drive the slices of a pair; returns whether they are void because of JIT compilation or foreign work."""
        self._foreign.begin_pair()
        cell, pair = self._cells[plans[0].cell], plans[0].pair or 0
        kind = kind_of(cell)
        answering = [expected_answering(cell, plan.subject, self._answering, self._cells) for plan in plans]
        threads = self._most_threads(plans)
        turn = turn_of(self._setting.schedule, cell, answering, threads) if self._is_idle() else None
        if turn is not None:
            driven = self._drive_in_turns(plans, turn, kind.stage(cell, plans[0].subject, pair, total))
        elif isinstance(self._engine, Drivers) and self._design.halves:
            slowest = max(answering, key=lambda each: each.response_ms)
            driven = self._drive_at_once(self._engine, plans, cell, slowest, kind.stage(cell, "both", pair, total))
        elif self._engine.drives_stretches and self._stretches.applies(cell):
            driven = self._drive_in_stretches(plans, cell, answering, total)
        else:
            driven = []
            for plan in plans:
                counted = kind.overload_is_a_result and not kind.breaks
                with self._counts.stretch(plan) if counted else nullcontext():
                    stage = kind.stage(cell, plan.subject, pair, total)
                    driven.append(self._drive_slice(plan, stage, kind.rest_seconds))
        return self._foreign.pair_is_disturbed() or any(compiles(driven_slice.jit_share) for driven_slice in driven)

    def _most_threads(self, plans: Sequence[SlicePlan]) -> int:
        """The largest number of threads of these slices' subjects that are paused and run on this machine; 0 without any."""
        if self._setting.site is not LOOPBACK:
            return 0
        subjects = [self._running[plan.subject] for plan in plans if self._running[plan.subject].subject.may_freeze]
        return max(
            (processes.threads(p.pid for part in subject.use().values() for p in part) for subject in subjects),
            default=0,
        )

    def _is_idle(self) -> bool:
        """Whether all subjects use no processor time without load; otherwise a turn would hold the work of a longer time."""
        return all(rest.share <= QUIET_AT_REST for rest in self._log.at_rest)

    def _drive_in_turns(self, plans: Sequence[SlicePlan], turn: Turn, stage: str) -> list[WarmUpSlice]:
        self._setting.progress.show(self._setting.stage(self._plan, stage))
        numbers = [plan.number for plan in plans]
        second = self._setting.progress.second
        return self._observe(plans, lambda: self._engine.take_turns(numbers, turn, self._patience(), second))

    def _drive_at_once(
        self, drivers: Drivers, plans: Sequence[SlicePlan], cell: Cell, slowest: Answering, stage: str
    ) -> list[WarmUpSlice]:
        """Drive the slices of a pair at the same time, with the same edges, as long as the slower answers need."""
        self._setting.progress.show(self._setting.stage(self._plan, stage))
        stretch = None
        if self._stretches.applies(cell):
            self._plan_stretches(cell, [slowest])
            stretch = self._stretches.next(plans)[0]
        patience = self._patience() + (0.0 if stretch is None else stretch.lead_in_ms / 1000)
        numbers, second = [plan.number for plan in plans], self._setting.progress.second
        return self._observe(plans, lambda: drivers.drive_at_once(numbers, stretch, patience, second))

    def _drive_in_stretches(
        self, plans: Sequence[SlicePlan], cell: Cell, answering: Sequence[Answering], total: int
    ) -> list[WarmUpSlice]:
        """Drive a stretch of each subject of a pair, as long as its answers need."""
        self._plan_stretches(cell, answering)
        kind, pair = kind_of(cell), plans[0].pair or 0
        stretches = zip(plans, self._stretches.next(plans), strict=True)
        return [
            self._drive_slice(plan, kind.stage(cell, plan.subject, pair, total), kind.rest_seconds, stretch)
            for plan, stretch in stretches
        ]

    def _plan_stretches(self, cell: Cell, answering: Sequence[Answering]) -> None:
        """Plan the stretches of a cell, of which one for each of `answering` runs after the other; the first trial reports the
        cost."""
        sliced = sum(kind_of(each).sliced for each in self._cells.values())
        within = None if self._measuring_within is None else self._measuring_within / sliced
        cost = self._stretches.plan(cell, answering, within)
        self._log.stretches = self._stretches.plans
        if cost and self._plan.number == self._setting.schedule.trials[0].number:
            self._setting.progress.print_line(cost)

    def _drive_slice(
        self, plan: SlicePlan, stage: str, pause: float, stretch: StretchEdges | None = None
    ) -> WarmUpSlice:
        self._setting.progress.show(self._setting.stage(self._plan, stage))
        if pause:
            time.sleep(pause)
        self._freeze_others(plan)
        self._restore(plan)
        broken = plan.phase == "measure" and kind_of(self._cells[plan.cell]).breaks
        drive = self._drive_broken if broken else partial(self._drive_to_end_of_work, stretch=stretch)
        [driven] = self._observe([plan], lambda: drive(plan))
        return driven

    def _restore(self, plan: SlicePlan) -> None:
        """Restore the companions to their state at the start of the trial; raises TrialFailedError where that fails."""
        if plan.phase != "measure" or self._setting.schedule.restore != "test":
            return
        for role, began, state in self._running[plan.subject].restore(self._setting.progress):
            self._log.restored.append(Restored(slice=plan.number, subject=plan.subject, role=role, state=state))
            if state != began:
                raise TrialFailedError(
                    Failure(
                        kind="state",
                        subject=plan.subject,
                        message=f"before {plan.cell} the state of its {role} is '{state}', but was '{began}' before",
                    ),
                    hint="the service's earlier writes were not removed: see [state] in the server.toml",
                )

    def _drive_to_end_of_work(self, plan: SlicePlan, stretch: StretchEdges | None = None) -> None:
        """Drive a slice, and wait for background work that outlives its answers: its use belongs to the slice."""
        if stretch is None:
            self._engine.drive_slice(plan.number, self._patience(), self._on_tick(plan))
        else:
            patience = self._patience() + stretch.lead_in_ms / 1000
            self._engine.stretch(plan.number, stretch, patience, self._on_tick(plan))
        settled = background_work(
            self._running[plan.subject], plan.subject, plan.number, self._setting.progress.refresh
        )
        if settled is not None:
            self._log.settled.append(settled)

    def _drive_broken(self, plan: SlicePlan) -> None:
        """Drive a block with a fault, and count the outcome of its work once all parts are back."""
        running, setting = self._running[plan.subject], self._setting
        met = draw_fault(setting.schedule, self._plan, self._cells[plan.cell], plan.pair or 0)
        client = partial(SecondClient, self._engine.job, plan.number, self._log.folder)
        strike = Strike(running, met, setting.shares, setting.progress, client)
        try:
            self._engine.drive_slice(plan.number, self._patience(), self._on_tick(plan), strike)
        finally:
            if strike.struck is not None:
                self._log.faults.append(strike.record(plan))
        # Processes record the arrival of work by the clock of their own host.
        since_ns = (
            strike.begun_ns
            if self._log.far_clock is None
            else self._log.far_clock.line().to_other_clock(strike.begun_ns)
        )
        self._log.faults[-1] = counted_after(running, self._log.faults[-1], since_ns, setting.progress.refresh)

    def _observe(self, plans: Sequence[SlicePlan], drive: Callable[[], None]) -> list[WarmUpSlice]:
        """Record the use of these slices' subjects while they are driven, and judge each slice."""
        others = self._foreign.look() if plans[0].phase == "measure" else None
        before = [processes.read(self._running[plan.subject]) for plan in plans]
        carried = self._links.look()
        self._log.slices.extend(plans)
        drive()
        self._links.record([plan.number for plan in plans], carried, self._links.look())
        after = [processes.read(self._running[plan.subject]) for plan in plans]
        self._foreign.record([plan.number for plan in plans], others)
        rows = self.rows.take(len(plans))
        times = self._last_slices.response_times()
        self._setting.progress.live.slices_ended({label: each.percentile(99) / 1000 for label, each in times.items()})
        judged = []
        for plan, row, begun, ended in zip(plans, rows, before, after, strict=True):
            jit_ns, cpu_ns = self._observer.record(plan.number, plan.subject, begun, ended)
            measured_ns, observed_ns = int(row["measured_ns"]), ended.at_ns - begun.at_ns
            share = jit_share(jit_ns, observed_ns, measured_ns if row.get("cpu_own_ns") else None)
            cost = cpu_ns_per_request(cpu_ns, int(row["completed"]) + int(row["lead_in_completed"]), observed_ns)
            self._check_after_slice(plan, row)
            cycle_ms = cycle_ns(row, self._cells[plan.cell].users, observed_ns) / 1e6
            self._answering[plan.subject, plan.cell] = answering(times.get(plan.subject), cycle_ms)
            judged.append(WarmUpSlice(int(row["completed"]) / measured_ns * 1e9, share, cost))
        return judged

    def _check_after_slice(self, plan: SlicePlan, row: Mapping[str, str]) -> None:
        failure = self.watch.failure_after(plan, row)
        if failure is not None:
            raise TrialFailedError(failure, f"see samples/ and the logs of {failure.subject} in {self._log.folder}")

    def _on_tick(self, plan: SlicePlan) -> Tick:
        """The handler of a slice's seconds: it shows progress, and may end a stress test."""
        stress = stress_of(self._cells[plan.cell]) if plan.phase == "measure" else None

        def second(tick: dict[str, Any]) -> None:
            self._setting.progress.second(tick)
            if stress is not None and stress.is_over_limit(tick):
                self._engine.end_early(plan.number)

        return second

    def _freeze_others(self, plan: SlicePlan) -> None:
        """Pause the other subjects. Some kinds of cells need all processors for one subject in any design; where slices
        alternate, a slice must not contain another subject's work."""
        alternates = self._design.takes_turns and plan.phase == "measure"
        if not (self._design.freezes or alternates or kind_of(self._cells[plan.cell]).alone):
            return
        label = plan.subject
        for subject in self._running.values():
            if subject.parts is not self._running[label].parts and subject.subject.may_freeze:
                subject.freeze()
        self._running[label].thaw()

    def _patience(self) -> float:
        """Seconds after which a silent engine is given up; an engine ticks every second, and ends its sessions and drains within
        their limits."""
        schedule = self._setting.schedule
        return lead_out_seconds(schedule.sessions) + schedule.drain_limit_seconds + 60.0


def _machine_before(setting: TrialContext) -> list[Check]:
    """The state of the machine before anything is started; raises ConfigurationError."""
    checks = doctor.examine(0.5, () if setting.lab is None else (setting.lab,))
    return [*checks, NOT_LOOKED_FOR] if may_count_strangers() else checks


def _watched_processors(setting: TrialContext) -> Collection[int]:
    """The processors that are watched for foreign work.

    None where the subjects run on another machine, whose processes are not listed; where trials are driven side by side, without
    timing; and where the user disabled it.
    """
    is_watched = setting.lab is None and not setting.shares.elsewhere and not may_count_strangers()
    return setting.shares.server if is_watched else ()


def _used_ns(subject: RunningSubject) -> int:
    """Processor time of a subject's processes so far, without that of JIT compilers."""
    return sum(process.cpu_ns - process.jit_ns for of_part in subject.use().values() for process in of_part)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
