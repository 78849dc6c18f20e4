"""The main job, from a study to a report. `run` reads as the path of the data."""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from .. import report
from ..analyse import analysis, indices, measures
from ..analyse.endings import broken_subjects, is_expected_result
from ..analyse.foreign_work import BusySoFar
from ..analyse.frozen_work import turns_refused
from ..analyse.narrowing import interim_comparisons
from ..analyse.pairing import short_of_forks
from ..analyse.subject_rates import lacks_rates, with_subject_rates
from ..base import configuration, raw_archive
from ..base.csvfiles import require_folder_possible, write_document, write_text
from ..base.errors import ConfigurationError, SteelyardError, StoreError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..base.text import join_words, plural
from ..catalogue import entries, factors, published_tables
from ..catalogue.entries import Entry
from ..hosts import environment, subject
from ..hosts.cpus import Shares
from ..hosts.placement import open_placement
from ..hosts.subject import Subject
from ..models.hosts import Hosts
from ..models.records import Schedule, TrialPlan
from ..models.service import Service
from ..models.study import Study
from ..plan.budget import Fitted, fit_to_budget
from ..plan.cells import combined_mix
from ..plan.designs import design_named
from ..plan.estimate import of_run
from ..plan.run_parameters import Request, RunParameters, merge_parameters
from ..plan.schedule import schedule_of, schedule_only
from ..plan.stopping import (
    forks_for_a_verdict,
    seconds_until_cut,
    stopping_of,
    trial_within,
    warm_up_within,
    without_seconds,
    without_verdict,
)
from ..plan.stretches import SETTLE_SECONDS
from ..plan.subjects import requested_subjects, subjects_of
from ..results import earlier, machine_history
from ..results.live_file import LiveFile
from ..results.stored_run import read_run
from .hosting import apart_of, provide_on_host, share_processors, with_bandwidth
from .outcome import Outcome
from .pilot import FORK_DEVIATION, pairs_after_pilot
from .requests import made_requests
from .resume import NEVER_STARTED, ResumeState, require_same_setup, resume_state, set_aside_trials
from .side_by_side import drive_side_by_side
from .trial import trial as drive
from .trial.agents import find_agents
from .trial.context import OUT_OF_BUDGET, TrialContext, TrialFailedError
from .trial.engine_pilot import with_engine_threads

HOSTS_FILE = "hosts.toml"  # characters of a run folder's prefix
_LOOKING_SHARE = 0.03
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def run(
    study: Entry[Study],
    request: Request,
    *,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
    hosts: Path | None = None,
) -> Outcome:
    """study -> design -> provision -> corpus -> drive + observe -> store -> analyse -> report.

    `hosts` is the user's file of hosts for the subjects; without it they run on loopback. Raises SteelyardError where nothing can
    be measured, and KeyboardInterrupt after writing a partial report.
    """
    settings = merge_parameters(study.model, request)
    folder = place_of(study.name, settings, out)
    planned = schedule_only(study.model, request)  # an impossible plan is an error before servers are fetched
    measures.registry(study.model.model_dump())  # a wrong measure is an error before the load
    service = service_of(study.model)
    declared = None if hosts is None else configuration.load(hosts, Hosts)
    with machine_lock(" ".join(command)), open_placement(declared) as reachable:
        site = with_bandwidth(reachable)
        specs = requested_subjects(study.model, request)
        shares = share_processors(specs, planned, declared, site)
        if shares.placement:
            progress.print_line(f"the servers' {plural(len(shares.server), 'processor')}: {shares.placement}")
        own = shares.half(0)
        request = replace(request, server_processors=len(own.server), engine_processors=len(own.engine))
        settings = merge_parameters(study.model, request)
        for sentence in (line for spec in specs for line in factors.unused_factor_sentences(study.model, spec)):
            progress.print_line(sentence)
        subjects = subject.all_provided(specs, service, progress)
        service = subject.service_as_run(service, subjects)
        provide_on_host(site, service, subjects, progress)
        make_folder(folder)
        keep_inputs(folder, study.file, hosts)
        mix = combined_mix(planned.cells)
        users = settings.users or find_agents(service, subjects, mix, settings.service, folder, own, progress, site)
        fits = _fit(schedule_of(study.model, service.model, request, settings, users), subjects, request)
        schedule = fits.schedule if declared is None else fits.schedule.model_copy(update={"at_once": 1})
        for message in fits.messages:
            progress.print_line(message)
        _keep_schedule(folder, schedule)
        described = environment.describe(subjects, shares, command, study.model.name, service, declared, site)
        write_document(folder / "environment.json", described)
        earlier.note(folder, schedule, described)
        setting = setting_of(study.model, schedule, service, subjects, settings, folder, shares, progress)
        failures = _drive_or_report(replace(setting, site=site), ResumeState())
    return _outcome(folder, failures, progress)


def resume(folder: Path, *, command: Sequence[str], progress: Progress, begins: bool = False) -> Outcome:
    """Resume a stopped run: completed trials stay, the rest is driven.

    With `begins` the run was only planned and nothing was driven, so the setup is recorded now. Raises StoreError where the run
    is complete or the setup has changed, else the errors of `run`.
    """
    if (folder / raw_archive.NAME).exists():
        raise StoreError(f"{folder} is a kept run, which cannot be resumed", hint="resume the original run")
    study = entries.study(str(folder / "study.toml"))
    service = service_of(study.model)
    hosts = folder / HOSTS_FILE
    declared = configuration.load(hosts, Hosts) if hosts.exists() else None
    with machine_lock(" ".join(command)), open_placement(declared) as reachable:
        site = with_bandwidth(reachable)
        schedule, standing = resume_state(folder)
        specs = subjects_of(study.model, schedule.asked or schedule.subjects)
        shares = share_processors(specs, schedule, declared, site)
        subjects = subject.all_provided(specs, service, progress)
        service = subject.service_as_run(service, subjects)
        provide_on_host(site, service, subjects, progress)
        named = study.model.name if begins else None
        now = environment.describe(subjects, shares, command, named, service, declared, site)
        if begins:
            write_document(folder / "environment.json", now)
        else:
            require_same_setup(folder, now)
        for sentence in standing.damaged:
            progress.print_line(sentence)
        set_aside_trials(folder, standing)
        settings = merge_parameters(study.model, Request(settings=schedule.parameters))
        setting = setting_of(study.model, schedule, service, subjects, settings, folder, shares, progress)
        failures = _drive_or_report(replace(setting, site=site), standing)
    return _outcome(folder, failures, progress)


def service_of(study: Study) -> Entry[Service]:
    """The study's service, with the study's own reconciliations added to the service's."""
    service = entries.service(study.service)
    together = [*service.model.reconciliations, *study.reconciliations]
    return replace(service, model=service.model.model_copy(update={"reconciliations": together}))


def setting_of(
    study: Study,
    schedule: Schedule,
    service: Entry[Service],
    subjects: Sequence[Subject],
    settings: RunParameters,
    folder: Path,
    shares: Shares,
    progress: Progress,
) -> TrialContext:
    """The context of all trials, with the requests generated; the same seed generates the same requests in a resumed run."""
    progress.show("generating the requests")
    made = made_requests(
        service,
        schedule,
        settings,
        folder / "corpus",
        count=study.corpus_entries,
        formats=_formats(study, subjects),
    )
    apart = apart_of(schedule, subjects)
    if apart:
        progress.print_line(f"{join_words(apart)} listen on one fixed port: each has a network namespace of its own")
    return TrialContext(
        schedule=schedule,
        service=service,
        subjects={subject.label: subject for subject in subjects},
        corpus=made.corpus,
        folder=folder,
        shares=shares,
        progress=progress,
        warm_up_within=warm_up_within(schedule),
        trial_within=trial_within(schedule),
        apart=apart,
        load_target=made.load_target,
        credentials=made.credentials,
    )


def _formats(study: Study, subjects: Sequence[Subject]) -> list[str]:
    """The formats other than the service's own that subjects use; raises ConfigurationError where a format is impossible."""
    formats = list(dict.fromkeys(subject.form for subject in subjects if subject.form))
    if formats and study.sessions:
        raise ConfigurationError(
            f"the sessions of {study.name} are written for the service's own format, so no subject can use {formats[0]}",
            hint="leave out the factor `format`",
        )
    return formats


def _drive_or_report(setting: TrialContext, standing: ResumeState) -> list[str]:
    """Drive the remaining trials; after an interruption, first report on the trials so far."""
    try:
        with (
            LiveFile(setting.folder, setting.progress, setting.shares.server) as live_file,
            setting.progress.followed_by(live_file),
        ):
            return _drive_all(setting, standing)
    except KeyboardInterrupt:
        setting.progress.print_line(_partial(setting.folder))
        raise


def _outcome(folder: Path, failures: list[str], progress: Progress) -> Outcome:
    progress.show("analysing")
    if not any((folder / "trials").glob("*/slices.csv")):
        return Outcome(folder, None, None, failures or ["nothing was measured"])
    analysed = analysis.full_analysis(folder)
    return Outcome(folder, analysed.verdicts, report.write_page(analysed), failures, indices.rows(analysed))


def _drive_all(setting: TrialContext, standing: ResumeState) -> list[str]:
    """Drive every remaining trial; a failed trial is a result, and the next starts fresh. Returns the failures, in words."""
    tally = _Tally(setting.progress, list(standing.failures), dict(standing.broken))
    if setting.schedule.at_once > 1:
        return _drive_side_by_side(setting, standing, tally)
    begun = time.monotonic() - standing.seconds
    seconds = seconds_until_cut(setting.schedule)
    setting = replace(setting, deadline=None if seconds is None else begun + seconds)
    setting.progress.plan(_seconds_left(setting, standing))
    setting, piloted = (setting, 0.0) if standing.done else _with_pilot(setting)
    narrow, busy = _Narrowing(setting), BusySoFar(setting.folder)
    setting = _pushed_on(setting, 0)
    enough = stopping_of(lambda: _is_decided(setting.folder), lambda _: _pairs(setting.folder), piloted)
    setting.progress.plan(_seconds_left(setting, standing))
    done = 0
    while (
        done < len(setting.schedule.trials) or (setting := _with_makeups(setting, tally.broken)).schedule.trials[done:]
    ):
        planned = setting.schedule.trials[done]
        done += 1
        plan = _without_broken(planned, tally.broken)
        if planned.number in standing.done or plan is None:
            continue
        setting = _with_subject_rates(setting)
        fresh = not set(plan.start_order) <= tally.verified
        try:
            drive.run_trial(_in_turns_or_stretches(setting, tally), plan, all_spellings=fresh)
            tally.verified.update(plan.start_order)
        except TrialFailedError as error:
            tally.add_failure(setting.schedule, plan, error)
        narrow()
        if sentence := busy(setting.schedule, plan):
            setting.progress.print_line(f"{sentence}; the run ends here")
            break
        setting = _pushed_on(setting, done)
        spent = time.monotonic() - begun
        if planned.makes_up is not None:
            continue
        changed = enough(setting.schedule, done, spent)
        if done == 1 and (short := without_verdict(setting.schedule, changed, spent, piloted)):
            setting.progress.print_line(short)
        if changed != setting.schedule:
            for sentence in changed.left_out[len(setting.schedule.left_out) :]:
                setting.progress.print_line(f"left out, because the budget is too short: {sentence}")
            _keep_schedule(setting.folder, changed)
            setting = replace(setting, schedule=changed)
        setting.progress.plan((spent - piloted) / done * (len(setting.schedule.trials) - done))
    return tally.failures


def _with_pilot(setting: TrialContext) -> tuple[TrialContext, float]:
    """The setting with the engine threads that a pilot showed, and the seconds of the pilot, which the trials' budget lacks."""
    begun = time.monotonic()
    piloted = with_engine_threads(setting)
    if piloted is setting:
        return setting, 0.0
    _keep_schedule(piloted.folder, piloted.schedule)
    seconds = time.monotonic() - begun
    left = without_seconds(piloted.schedule, seconds)
    return replace(piloted, warm_up_within=warm_up_within(left), trial_within=trial_within(left)), seconds


def _with_subject_rates(setting: TrialContext) -> TrialContext:
    """The setting with the rates of subjects that are loaded at a share of their own throughput, as soon as a fork measured it."""
    if not lacks_rates(setting.schedule) or not any((setting.folder / "trials").glob("*/trial.json")):
        return setting
    changed = with_subject_rates(setting.schedule, read_run(setting.folder))
    if changed == setting.schedule:
        return setting
    _keep_schedule(setting.folder, changed)
    return replace(setting, schedule=changed)


def _in_turns_or_stretches(setting: TrialContext, tally: _Tally) -> TrialContext:
    """The setting for the next trial, with stretches instead of turns where the forks so far show that turns distort a subject.

    The stored schedule keeps its turns; each trial's slices record how they were driven.
    """
    if not setting.schedule.turn_ms:
        return setting
    with suppress(SteelyardError):
        if turns_refused(read_run(setting.folder)):
            tally.tell_once(
                "turns distort a subject: forks that took turns do not count, and the others are measured in stretches, "
                "which takes longer"
            )
            changed = setting.schedule.model_copy(update={"turn_ms": 0.0})
            return replace(setting, schedule=changed, settle_s=SETTLE_SECONDS)
    return setting


@dataclass(frozen=True)
class _Tally:
    """The state of the trials so far: sentences on failed trials, subjects that cannot be started with the reasons, subjects
    whose answers were verified in all spellings, and messages that were printed once for all trials."""

    progress: Progress
    failures: list[str]
    broken: dict[str, str]
    verified: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def tell_once(self, message: str) -> None:
        """Print a message, unless an earlier trial did."""
        if message not in self.told:
            self.told.add(message)
            self.progress.print_line(message)

    def add_failure(self, schedule: Schedule, plan: TrialPlan, error: TrialFailedError) -> None:
        """Record a failed trial."""
        if not is_expected_result(schedule, error.failure) and error.failure.kind != OUT_OF_BUDGET:
            self.failures.append(str(error))
        self.progress.print_line(f"trial {plan.number} failed: {error.message}")
        if error.failure.kind in NEVER_STARTED and error.failure.subject is not None:
            self.broken[error.failure.subject] = error.message


def _drive_side_by_side(setting: TrialContext, standing: ResumeState, tally: _Tally) -> list[str]:
    """Drive the remaining trials several at a time, without timing; trials that failed by accident are repeated at the end."""
    begun, offered, ended = time.monotonic(), 0, 0

    def on_end(plan: TrialPlan, error: TrialFailedError | None) -> None:
        nonlocal ended
        ended += 1
        if error is not None:
            tally.add_failure(setting.schedule, plan, error)
        if ended >= setting.schedule.at_once:  # the first trials end together
            still = len(setting.schedule.trials) - len(standing.done) - ended
            setting.progress.plan(still * (time.monotonic() - begun) / ended)

    setting.progress.plan(_seconds_left(setting, standing))
    while owed := setting.schedule.trials[offered:]:
        offered += len(owed)
        drive_side_by_side(setting, _trials_to_drive(owed, standing, tally), on_end)
        setting = _with_makeups(setting, tally.broken)
    return tally.failures


def _trials_to_drive(
    owed: Sequence[TrialPlan], standing: ResumeState, tally: _Tally
) -> Iterator[tuple[TrialPlan, bool]]:
    """Each remaining trial when it is due, and whether its answers are verified in all spellings."""
    for planned in owed:
        plan = _without_broken(planned, tally.broken)
        if planned.number not in standing.done and plan is not None:
            fresh = not set(plan.start_order) <= tally.verified
            tally.verified.update(plan.start_order)
            yield plan, fresh


class _Narrowing:
    """Shows the verdict so far between trials; less often where reading the trials takes more than 3% of the time."""

    def __init__(self, setting: TrialContext) -> None:
        self._folder = setting.folder
        self._progress = setting.progress
        self._begun = time.monotonic()
        self._spent = 0.0

    def __call__(self) -> None:
        """Show the verdict so far, unless that takes too long; the report covers errors in reading the trials."""
        before = time.monotonic()
        if self._spent > _LOOKING_SHARE * (before - self._begun):
            return
        with suppress(SteelyardError):
            self._progress.add_intervals(interim_comparisons(read_run(self._folder)))
        self._spent += time.monotonic() - before


def _with_makeups(setting: TrialContext, broken: Mapping[str, str]) -> TrialContext:
    """The setting with one more trial for each one that failed by accident: without it, all its subjects would lack a fork.

    A failure in every trial of a group is no accident, and a make-up trial is not made up for again. A run with several looks has
    later looks instead. Where a verdict is guaranteed (`least_forks`), a completed trial with too few valid pairs is made up for
    too.
    """
    schedule = setting.schedule
    if schedule.looks or design_named(schedule.design).unbroken:
        return setting
    run = read_run(setting.folder)
    stored = {trial.number: trial for trial in run.trials}
    void = short_of_forks(run, forks_for_a_verdict(schedule)) if schedule.least_forks else {}
    succeeded = {frozenset(trial.planned.start_order) for trial in stored.values() if trial.status == "complete"}
    made_up = {plan.makes_up for plan in schedule.trials}
    draw = random.Random(f"makeups {schedule.seed} {len(schedule.trials)}")
    added = [
        TrialPlan(number=0, seed=draw.randrange(2**48), start_order=plan.start_order, makes_up=plan.number)
        for plan in schedule.trials
        if plan.makes_up is None and plan.number not in made_up and _without_broken(plan, broken) is not None
        if plan.number in stored and (stored[plan.number].status == "failed" or plan.number in void)
        if frozenset(plan.start_order) in succeeded
    ]
    if not added:
        return setting
    for number in sorted({plan.makes_up for plan in added if plan.makes_up is not None} & set(void)):
        setting.progress.print_line(f"trial {number} {void[number]}: it is repeated")
    following = max(plan.number for plan in schedule.trials) + 1
    numbered = [plan.model_copy(update={"number": n}) for n, plan in enumerate(added, following)]
    changed = schedule.model_copy(update={"trials": [*schedule.trials, *numbered]})
    _keep_schedule(setting.folder, changed)
    return replace(setting, schedule=changed)


def _pushed_on(setting: TrialContext, done: int) -> TrialContext:
    """The setting without the trials after the first `done` that would push a broken subject further."""
    schedule = setting.schedule
    pushed = {cell.name: cell.operation for cell in schedule.cells if cell.pushed}
    if not pushed:
        return setting
    stored = read_run(setting.folder)
    begun, broke = {trial.number for trial in stored.trials}, broken_subjects(stored)
    over = [
        plan
        for plan in schedule.trials[done:]
        if plan.cell in pushed and plan.number not in begun and (plan.start_order[0], pushed[plan.cell]) in broke
    ]
    if not over:
        return setting
    left = schedule.model_copy(update={"trials": [plan for plan in schedule.trials if plan not in over]})
    _keep_schedule(setting.folder, left)
    setting.progress.print_line(
        f"not pushed further, because it broke: {over[0].start_order[0]} on {pushed[over[0].cell]}"
    )
    return replace(setting, schedule=left)


def _without_broken(plan: TrialPlan, broken: Mapping[str, str]) -> TrialPlan | None:
    """The plan without subjects that cannot be started; None where fewer than two remain to compare."""
    left = [label for label in plan.start_order if label not in broken]
    if len(left) == len(plan.start_order):
        return plan
    return plan.model_copy(update={"start_order": left}) if len(left) >= 2 else None


def _fit(schedule: Schedule, subjects: Sequence[Subject], request: Request) -> Fitted:
    """The schedule fitted to its budget."""
    fixed, processors = request.slice_seconds is not None, request.engine_processors
    return fit_to_budget(schedule, _compiling(subjects), slice_fixed=fixed, engine_processors=processors)


def _compiling(subjects: Iterable[Subject]) -> dict[str, bool]:
    """For each subject by label, whether it has a JIT compiler."""
    return {subject.label: any(part.server.model.jvm for part in subject.parts) for subject in subjects}


def _seconds_left(setting: TrialContext, standing: ResumeState) -> float:
    """The estimated time of the remaining trials within the remaining budget; after the first trial its actual time counts."""
    schedule = setting.schedule
    compiling, processors = _compiling(setting.subjects.values()), len(setting.shares.half(0).engine)
    left = of_run(schedule, compiling, done=standing.done, engine_processors=processors).about
    return left if schedule.budget_seconds is None else min(left, schedule.budget_seconds - standing.seconds)


def _pairs(folder: Path) -> int:
    """The number of pairs that a fork should have, computed from the first fork."""
    stored, known = read_run(folder), machine_history.last()
    deviation = known.fork_deviation if known else FORK_DEVIATION
    return pairs_after_pilot(stored, measures.registry(stored.study), deviation)


def _is_decided(folder: Path) -> bool:
    """Whether the stored trials decide every primary comparison."""
    verdicts = analysis.analyse(folder)
    primaries = [comparison for comparison in verdicts.comparisons if comparison.primary]
    return verdicts.valid and all(comparison.is_decided for comparison in primaries)


def _partial(folder: Path) -> str:
    """Report on an interrupted run; returns a line for the user."""
    try:
        return f"stopped; the measurements so far are in {report.write_page(analysis.full_analysis(folder))}"
    except SteelyardError as error:
        return f"stopped; the measurements so far are in {folder} ({error.message})"


def keep_inputs(folder: Path, study: Path, hosts: Path | None) -> None:
    """Copy a run's input files: the study's file with its paper's tables and the user's requests, and the hosts file."""
    write_text(folder / "study.toml", study.read_text(encoding="utf-8"))
    if (study.parent / entries.OWN_REQUESTS / entries.SERVICE_FILE).is_file():
        shutil.copytree(study.parent / entries.OWN_REQUESTS, folder / entries.OWN_REQUESTS)
    published_tables.keep(study, folder)
    if hosts is not None:
        write_text(folder / HOSTS_FILE, hosts.read_text(encoding="utf-8"))


def _keep_schedule(folder: Path, schedule: Schedule) -> None:
    write_text(folder / "schedule.json", schedule.model_dump_json(indent=1) + "\n")


def place_of(study: str, settings: RunParameters, out: Path | None) -> Path:
    """The folder of a run that begins now; raises ConfigurationError where its prefix is not a plain name, and StoreError where
    no folder can be made there."""
    base = out or (Path(settings.out) if settings.out else Path("runs"))
    prefix = settings.out_prefix or study
    if _PREFIX.fullmatch(prefix) is None:
        raise ConfigurationError(
            f"a run's folder cannot be called '{prefix[:200]}'",
            hint="its prefix is up to 100 letters, digits, dots, hyphens and underscores; --out sets its folder",
        )
    folder = base / f"{prefix}-{datetime.now():%Y-%m-%d-%H%M%S}"
    require_folder_possible(folder, hint="choose another folder with --out")
    return folder


def make_folder(folder: Path, of_what: str = "trials") -> None:
    """Create a run's folder, and in it the folder of its trials or machines; raises StoreError."""
    try:
        (folder / of_what).mkdir(parents=True)
    except OSError as error:
        raise StoreError(
            f"the run's folder {folder} cannot be made: {error.strerror}", hint="choose another folder with --out"
        ) from None
