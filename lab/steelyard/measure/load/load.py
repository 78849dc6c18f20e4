"""`load`, from the request to the result: requests -> verification at one user -> load -> figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ... import report
from ...analyse import analysis
from ...analyse import load_figures as figures
from ...base.csvfiles import write_document, write_text
from ...base.errors import ConfigurationError, TargetError
from ...base.lock import machine_lock
from ...base.progress import Progress
from ...base.text import plural, value_text
from ...catalogue import own_subjects
from ...hosts import agent as monitor_agent
from ...hosts import environment, processes
from ...hosts.cpus import Shares, kept_awake, share
from ...hosts.keeper import Keeper
from ...hosts.placement import EngineHost
from ...models.outputs.loading import LoadOutput, StartedTarget
from ...models.outputs.own_service import LeftOut
from ...models.records import SlicePlan, WrongSample
from ...models.service import Service
from ...results import loads
from ...results.live_file import STOPPED, LiveFile
from ...results.outcomes import OUTCOMES, by_status, read_outcomes, total_counts
from ...results.tables import SliceRow
from ...workload import answer_rules
from ...workload.allowed_hosts import target_of
from ...workload.load_spec import LoadSpec, NamedGoal
from ...workload.load_target import LoadTarget, label_of
from ...workload.own_sessions import temporary_rows
from ...workload.planned_load import Stretch, load_text, loadable, loaded_weights, require_bounded, stretch_of
from ...workload.request_files import write_requests
from ..telemetry.publisher import notes_of, publish_totals
from ..telemetry.receivers import Receiver
from . import connections, started_target, starting
from .auth import with_auth
from .driving import (
    LoadContext,
    Stretches,
    is_resent,
    operations_of,
    require_partly_right,
    samples_of,
    ticks_of,
    verify_each,
)
from .engine_pilot import with_engine_threads
from .judged_requests import (
    JudgedRequests,
    judged_goals,
    judged_requests,
    requests_of_operation,
    sessions_as_requests,
    user_seconds,
)
from .ready_target import NO_AGENT, Ready, records_in
from .run_folder import (
    LOAD,
    Invocation,
    RunFolder,
    RunningTarget,
    TrialNotes,
    cell_of,
    observe_slice,
    plan_trial,
    record_trial,
)
from .session_figures import forget_private, session_figures
from .sharing import driven_from, require_shared, with_engines
from .stream_figures import stream_figures

NOT_JUDGED = [
    "whether the service counted as many requests: the counter of a running target is not known",
    "its processor time, memory and JIT compilers: Steelyard did not start its processes",
    "how it differs from start to start: it was not restarted",
]
THIS_PROCESS = "intervals cover this process and hour alone: a running target cannot be restarted"


def load(
    load_target: LoadTarget,
    words: LoadSpec,
    invocation: Invocation,
    receivers: Sequence[Receiver] = (),
) -> LoadOutput:
    """Verify and load a target; the measurements are stored in a folder of their own, and the receivers get totals during the
    load. Raises SteelyardError."""
    load_target, not_loaded = loadable(load_target, words)
    require_bounded(load_target, words)
    for goal in words.goals.named:
        load_target.resolve_name(goal.name)
    planned = stretch_of(words, loaded_weights(load_target, not_loaded), load_target.max_rate)
    if load_target.sessions:
        planned = replace(planned, unit="session")
    require_shared(words, planned.profile)
    if words.layers and load_target.own is None:
        raise ConfigurationError(
            f"--layers needs a service that Steelyard starts, but {load_target.name} has no start line", hint=NO_AGENT
        )
    if receivers and words.driving > 1:
        raise ConfigurationError(
            "telemetry needs one engine: the seconds of several engines are merged at the end of the load",
            hint="use one engine, or leave --otlp and --remote-write out",
        )
    progress = invocation.progress
    with prepare_load(load_target, words, invocation) as verified:
        not_loaded += verified.left_out
        planned = replace(planned, mix=verified.without_failed(planned.mix))
        ready = with_engine_threads(verified, planned)
        progress.plan(words.seconds + words.warm_up_seconds)
        cell, label = cell_of(planned), ready.running.label
        schedule = plan_trial(LOAD, load_target.name, [label], [cell], words.seed)
        schedule = schedule.model_copy(update={"sessions": ready.ground.sessions})
        run = RunFolder(ready.ground.folder, schedule, ready.shares)
        run.keep()
        with record_trial(run, schedule.trials[0], [ready.running]) as notes:
            progress.show(f"loading {load_target.name}: {load_text(words, planned)}")
            notes.slices = [SlicePlan(number=0, subject=label, cell=cell.name, phase="measure", pair=0)]
            output = _drive_load(load_target, words, ready, planned, not_loaded, notes, receivers)
        write_document(run.folder / loads.LOAD, output.model_dump(mode="json"))
    progress.show("writing the page")  # the run is over: a stop request does not stop the page
    report.write_page(analysis.full_analysis(run.folder))
    return output


def _drive_load(
    load_target: LoadTarget,
    words: LoadSpec,
    ready: Ready,
    planned: Stretch,
    not_loaded: list[LeftOut],
    notes: TrialNotes,
    receivers: Sequence[Receiver],
) -> LoadOutput:
    """Drive the load into the trial's folder; returns the result from the stored files."""
    with (
        Stretches(ready.ground, [planned], notes.folder) as stretches,
        processes.Observer(notes.folder) as observer,
        observe_slice(observer, 0, ready.running),
        publish_totals(receivers, load_target.name, load_target.address, ready.ground.folder.name, notes.folder),
    ):
        row = stretches.drive(0, _tick_text)
    target = ready.target(row, connections.redirects_of(stretches, row.slice))
    looked_at, wrong = _kept_answers(load_target, notes.folder, ready)
    forget_private(load_target, notes.folder)
    notes.samples_checked, notes.wrong_samples = looked_at, wrong
    driven = _DrivenLoad(stretches, row, target, looked_at, list(dict.fromkeys(sample.message for sample in wrong)))
    output = _output(load_target, words, ready, planned, not_loaded, driven)
    notes.stopped = output.stopped
    output = output.model_copy(update={"notes": [*output.notes, *notes_of(receivers)]})
    output = with_engines(output, stretches.engines, row)
    if words.layers:
        ready.ground.progress.show("gathering the agent's records")
        output = output.model_copy(update={"layers": ready.layers(row)})
    return output


@contextmanager
def prepare_load(load_target: LoadTarget, words: LoadSpec, invocation: Invocation) -> Iterator[Ready]:
    """A `Ready` target, with the machine locked and its processors kept awake; everything is checked before anything is sent."""
    target = target_of(load_target, words.streams, follow_redirects=words.follow_redirects)
    load_target, credentials = with_auth(load_target, invocation.secret_headers)
    _require_ready(load_target, words, invocation.runs)
    folder = invocation.runs / f"load-{label_of(load_target.name)}-{datetime.now():%Y-%m-%d-%H%M%S}"
    command, progress = invocation.command, invocation.progress
    with machine_lock(f"steelyard {' '.join(command[1:2])}"), driven_from(load_target, words) as engine_hosts:
        folder = loads.make_run_folder(folder)
        corpus = write_requests(
            load_target, folder / "corpus", words.headers, packed=words.packed, chunked=words.chunked
        )
        shares = share()
        _describe(load_target, folder, shares, command, engine_hosts)
        ground = LoadContext(
            target,
            corpus,
            folder,
            credentials,
            shares.engine,
            words.seed,
            words.timeout_seconds,
            words.give_up_seconds,
            progress,
            engine_hosts=engine_hosts,
            connection="per-request" if words.new_connection else "keep-alive",
            sessions={name: session.session for name, session in load_target.sessions.items()},
        )
        with (
            LiveFile(folder, progress, shares.server) as live_file,
            progress.followed_by(live_file),
            kept_awake(shares),
            _running(load_target, folder, progress, layers=words.layers) as kept_by,
            temporary_rows(load_target.sessions, corpus.folder),
        ):
            before = None if kept_by is None else started_target.read(*kept_by, load_target.address)
            verification, answers, failed = _verify_answers(load_target, ground)
            keeper = None if kept_by is None else kept_by[1]
            running = RunningTarget(target.subject, load_target.name, load_target.address, len(answers), keeper)
            if kept_by is None or before is None:
                yield Ready(ground, shares, running, verification, answers, failed)
            else:
                loaded = started_target.read(*kept_by, load_target.address)
                yield Ready(ground, shares, running, verification, answers, failed, (*kept_by, before, loaded))


def _verify_answers(load_target: LoadTarget, ground: LoadContext) -> tuple[SliceRow, dict[str, bytes], dict[str, str]]:
    """What the verification counted, the answer of each operation, and why operations failed where others did not. Raises
    TargetError where a session or every operation failed."""
    ground.progress.show(f"verifying {plural(len(load_target.operations), 'operation')} of {load_target.name}")
    names = list(load_target.weights)
    verification, answers, failed = verify_each(ground, names)
    forget_private(load_target, ground.folder / loads.VERIFICATION)
    failed |= _broken_rules(load_target, answers, ground.folder)
    require_partly_right(failed, names)
    for name, error in failed.items():
        ground.progress.show(f"{name} is not loaded: {error.message}")
    return verification, answers, {name: error.message for name, error in failed.items()}


def _describe(
    load_target: LoadTarget, folder: Path, shares: Shares, command: Sequence[str], hosts: Sequence[EngineHost]
) -> None:
    """Write the setup of the load: the machine, the versions, the command, and the service's own file."""
    described = environment.describe([], shares, _without_values(command))
    write_document(folder / "environment.json", described | _machines_of(hosts))
    if (load_target.folder / "service.toml").is_file():
        write_text(folder / "service.toml", (load_target.folder / "service.toml").read_text(encoding="utf-8"))


def _machines_of(hosts: Sequence[EngineHost]) -> dict[str, object]:
    """Descriptions of the other machines that engines drive from, by name."""
    machines = {host.name: host.reach.describe() for host in hosts if host.name}
    return {"engine_hosts": machines} if machines else {}


def _require_ready(load_target: LoadTarget, words: LoadSpec, out: Path) -> None:
    """Raise SteelyardError where it is already clear that nothing can be loaded or no run stored."""
    runs = starting.takes_connections(load_target)
    if words.layers and runs:
        raise TargetError(f"{load_target.name} is not started for this load, so it has no agent", hint=NO_AGENT)
    loads.require_place(out)
    starting.require_up(load_target)
    if load_target.own is not None and not runs:
        own_subjects.require_program(load_target.own, load_target.name)


@contextmanager
def _running(
    load_target: LoadTarget, folder: Path, progress: Progress, *, layers: bool
) -> Iterator[tuple[Service, Keeper] | None]:
    """The service and keeper of a target that had to be started, None where it was running. With `layers` the agent records into
    the run's folder. Raises TargetError where the target does not start."""
    service, own = load_target.service, load_target.own
    if service is None or own is None or starting.takes_connections(load_target):
        yield None
        return
    attached: dict[str, str] = {}
    if layers:
        attached = monitor_agent.environment(monitor_agent.provide(progress), records_in(folder), Path(own.folder))
    progress.show(f"starting {load_target.name}")
    with starting.running_target(load_target, own, folder / "target.log", progress, attached) as kept_by:
        yield service.model, kept_by


def _without_values(command: Sequence[str]) -> list[str]:
    """The command without the values of its headers, which may be secret."""
    shown = list(command)
    for place, word in enumerate(shown):
        if (place and shown[place - 1] == "--header") or word.startswith("--header="):
            shown[place] = f"{word.partition(':')[0]}: ..."
    return shown


def _broken_rules(load_target: LoadTarget, answers: Mapping[str, bytes], folder: Path) -> dict[str, TargetError]:
    """The operations whose answers break a rule that the engine does not check, each with its error."""
    broken = {name: answer_rules.broken_by(answer, load_target, name) for name, answer in answers.items()}
    return {
        name: TargetError(
            f"verification of {name} failed at {load_target.address}: {why}",
            hint=f"see {folder / loads.VERIFICATION / 'samples'}; [operations.{name}.expect] in service.toml has the rules for "
            "right answers (schema = false accepts any body)",
        )
        for name, why in broken.items()
        if why is not None
    }


def _tick_text(tick: Mapping[str, Any]) -> str:
    failed = tick["failed"] + tick["wrong"]
    time = "" if tick["response_ms"] is None else f" · {value_text(tick['response_ms'])} ms"
    users = plural(tick["users"], "user")
    last = " · waiting for the last answers" if tick["elapsed_s"] >= tick["seconds"] else ""
    return f"{tick['elapsed_s']:.0f} s · {users} · {tick['completed']:,} answered · {failed:,} failed{time}{last}"


@dataclass(frozen=True)
class _DrivenLoad:
    """A finished load: the row of its slice, the use of a started target, the number of sampled answers that were fully checked,
    and the wrong ones."""

    stretches: Stretches
    row: SliceRow
    target: StartedTarget | None
    looked_at: int
    wrong: list[str]


def _named_requests(
    load_target: LoadTarget, words: LoadSpec, judged: JudgedRequests, row: SliceRow, folder: Path
) -> list[tuple[NamedGoal, str, JudgedRequests]]:
    """The goals of single operations or sessions, with what they count and its requests."""
    judged_by_name = []
    for goal in words.goals.named:
        name = load_target.resolve_name(goal.name)
        if name in load_target.sessions:
            judged_by_name.append((goal, "sessions", sessions_as_requests(judged, row, folder, name)))
        else:
            judged_by_name.append((goal, "requests", requests_of_operation(judged, row, folder, name)))
    return judged_by_name


def _output(
    load_target: LoadTarget,
    words: LoadSpec,
    ready: Ready,
    planned: Stretch,
    not_loaded: list[LeftOut],
    driven: _DrivenLoad,
) -> LoadOutput:
    stretches, row, target = driven.stretches, driven.row, driven.target
    folder, stopped = stretches.folder, STOPPED if stretches.stop_requested else stretches.gave_up
    ticks = ticks_of(folder, row.slice)
    steady = words.profile in ("constant", "rate") and (words.rates is None or words.rates[0] == words.rates[1])
    seconds = figures.seconds_of(row, ticks, folder)
    failed, verified = figures.failed_of(row), ready.verification.sent
    judged = judged_requests(row, folder, user_seconds(planned.profile, row, seconds))
    goals = judged_goals(words.goals, judged, _named_requests(load_target, words, judged, row, folder))
    why_not = _why_not(row, driven.wrong, target, row.sent + verified)
    rest = row.sent - row.completed - failed
    return LoadOutput(
        service=load_target.name,
        target=load_target.address,
        load=load_text(words, planned),
        seconds=row.seconds,
        completed=row.completed,
        failed=failed,
        failures=dict(figures.kinds_of(row)),
        outside=verified + rest,
        outside_by={"verification": verified, "lead_in_and_drain": rest},
        sent=row.sent + verified,
        unfinished=row.unfinished,
        **_accounts(ready, row, folder, judged, connections.redirects_of(stretches, row.slice)),
        throughput_per_s=figures.throughput(row, seconds, steady=steady),
        response_ms=figures.response_times(judged.times, judged.counts.bad, seconds, steady=steady),
        operations=figures.by_operation(_operations(load_target, planned), ticks),
        sessions=session_figures(load_target, planned, row, folder, ready.ground),
        streams=stream_figures(load_target, row, folder),
        not_loaded=not_loaded,
        kept_answers=driven.looked_at + len(ready.answers),
        kept_rules=_kept_rules(load_target),
        goals=goals,
        goals_kept=all(goal.kept for goal in goals) if goals else None,
        valid=not why_not,
        why_not=why_not,
        stopped=stopped,
        notes=_notes(words, planned, stretches, row, target),
        not_judged=NOT_JUDGED if target is None else started_target.not_judged(target),
        started=target,
        by_users=figures.by_users(seconds) if words.profile in ("ramp", "steps", "stages") else [],
        run=str(ready.ground.folder),
    )


def _operations(load_target: LoadTarget, planned: Stretch) -> list[str]:
    """The operations that are loaded, in the order of the steps of sessions."""
    sessions = {name: session.session for name, session in load_target.sessions.items()}
    return [operation for name in sorted(planned.mix) for operation in operations_of(sessions, name)]


def _accounts(ready: Ready, row: SliceRow, folder: Path, judged: JudgedRequests, redirects: int) -> dict[str, Any]:
    """The accounts of the requests, as fields of LoadOutput."""
    outcomes = read_outcomes(folder / OUTCOMES, True).get(row.slice, [])
    answered = by_status([*loads.verification_outcomes(ready.ground.folder), *outcomes])
    return {
        "reconnects": connections.reconnects_of(row),
        "redirects": redirects,
        "requests": figures.totals(total_counts(row) + total_counts(ready.verification)),
        "judged": figures.totals(judged.counts),
        "statuses": {str(status): count for status, count in answered.items()},
        "failure_causes": figures.failure_causes(outcomes, ready.ground.corpus.rules),
        "waited_share": judged.waited_share,
        "silent_from_s": judged.silent_from_s,
    }


def _why_not(row: SliceRow, wrong_kept: Sequence[str], target: StartedTarget | None, sent: int) -> list[str]:
    """Reasons why the figures are not valid."""
    why_not = [*([row.why_not] if row.why_not else []), *wrong_kept]
    if target is not None:
        why_not += started_target.why_not(target, sent)
    return [*why_not, *([] if row.completed else ["there was no right answer"])]


def _kept_rules(load_target: LoadTarget) -> list[str]:
    """The rules that are judged on sampled answers only."""
    operations = load_target.operations.values()
    return sorted(
        {rule for operation in operations for rule in answer_rules.rules_of(operation.expect, load_target.schema)}
    )


def _notes(
    words: LoadSpec, planned: Stretch, stretches: Stretches, row: SliceRow, target: StartedTarget | None
) -> list[str]:
    """Notes for readers of the figures."""
    notes = [THIS_PROCESS if target is None else started_target.ONE_START]
    if planned.think != words.think:
        notes.append(f"each user waits {value_text(planned.think.ms)} ms after an answer, so that max_rate is kept")
    return [*notes, *connections.notes(stretches, row, planned.profile)]


def _kept_answers(load_target: LoadTarget, folder: Path, ready: Ready) -> tuple[int, list[WrongSample]]:
    """The number of sampled answers that were fully checked, and the wrong ones."""
    wrong, looked_at = [], 0
    for sample in samples_of(folder):
        if sample.outcome != "right" or is_resent(ready.ground, sample):
            continue
        looked_at += 1
        difference = answer_rules.broken_by(sample.answer, load_target, sample.operation)
        if difference is not None:
            message = f"a sampled answer of {sample.operation} is not right: {difference}"
            wrong.append(WrongSample(slice=0, subject=ready.running.label, operation=sample.operation, message=message))
    return looked_at, wrong
