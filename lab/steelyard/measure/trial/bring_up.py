"""Starts the subjects of a trial, one after the other, and verifies each before the next."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace

from ...base.errors import ContractError, KeeperError, ProvisionError, StoreError
from ...hosts import build, own_sites
from ...hosts.cpus import Shares, pin_thread
from ...hosts.first_answer import AskOnce
from ...hosts.launch import running_subject
from ...hosts.running import RunningPart, RunningSubject
from ...hosts.subject import Subject
from ...models.records import Failure, ProcessRecord, SubjectRecord, TrialPlan, TrialRecord
from ...results.stored_run import read_model
from ...workload import contract
from . import own_answers
from .context import TrialContext, TrialFailedError, TrialLog
from .watch import self_wait


def require_host(setting: TrialContext) -> None:
    """Check that the subjects' host is reachable, and reconnect where it was lost; raises TrialFailedError."""
    if not setting.site.reach.is_lost():
        return
    try:
        setting.site.reach.regain()
    except (ProvisionError, KeeperError) as error:
        message = f"host '{setting.site.name}' is gone: {error.message}"
        raise TrialFailedError(Failure(kind="host", message=message), error.hint) from None


def error_or_lost_host(setting: TrialContext, error: TrialFailedError) -> TrialFailedError:
    """The cause of a trial's end: the loss of its subjects' host where that was the cause, else `error`."""
    if error.failure.kind == "host" or not setting.site.reach.is_lost():
        return error
    message = f"host '{setting.site.name}' was lost in the trial: {error.message}"
    return TrialFailedError(Failure(kind="host", message=message), hint="the next trial tries to reconnect")


def start_all(
    setting: TrialContext, plan: TrialPlan, log: TrialLog, stack: ExitStack, *, all_spellings: bool
) -> dict[str, RunningSubject]:
    """All subjects of a trial, running until `stack` is left, each recorded in `log`; faces come last, since they share
    processes.

    Raises TrialFailedError where a subject does not start or answers wrongly.
    """
    # Not from the seed alone: two simultaneous runs of a study would draw the same ports and use each other's servers.
    draw = random.Random(f"ports {plan.seed} {os.getpid()}")
    running: dict[str, RunningSubject] = {}
    faces = [label for label in plan.start_order if setting.subjects[label].same_as is not None]
    for label in plan.start_order:
        if label in faces:
            continue
        setting.progress.show(setting.stage(plan, f"starting {label}"))
        subject = replace(setting.subjects[label], ask_once=_ask_once(setting, setting.subjects[label]))
        try:
            apart = label in setting.apart
            site = (
                stack.enter_context(own_sites.namespace_placement(setting.apart.index(label)))
                if apart
                else setting.site
            )
            observe, shares = setting.schedule.observe, setting.shares_of(plan, label)
            context = running_subject(subject, log.folder, shares, draw, setting.progress, observe, site=site)
            # A subject with half of the processors never runs on the others, so its memory is that of its NUMA node.
            with pin_thread(shares.all) if setting.shares.halves else nullcontext():
                up = stack.enter_context(context)
        except (ProvisionError, KeeperError) as error:
            raise TrialFailedError(
                Failure(kind="not-ready", subject=label, message=error.message), error.hint
            ) from None
        setting.progress.show(setting.stage(plan, f"verifying the answers of {label}"))
        record = _record(shares, label, up)
        _require_same_state(setting, log, record)
        exchanges = _verify_answers(setting, plan, log, label, up, all_spellings=all_spellings)
        verified = {"exchanges_verified": exchanges, "rest_bytes": up.memory_bytes()}
        log.subjects.append(record.model_copy(update=verified))
        running[label] = up
    for label in faces:
        host = setting.subjects[label].same_as or label
        running[label] = RunningSubject(setting.subjects[label], running[host].parts)
        record = next(earlier for earlier in log.subjects if earlier.label == host)
        log.subjects.append(record.model_copy(update={"label": label, "start_seconds": 0.0, "same_as": host}))
    return running


def _ask_once(setting: TrialContext, subject: Subject) -> AskOnce | None:
    """The request for a subject's first right answer; None where the study does not observe starts, or without a contract."""
    if "start" not in setting.schedule.observe or setting.load_target is not None:
        return None
    primary = next((cell.operation for cell in setting.schedule.cells if cell.primary), "")
    return contract.right_answers(subject.in_own_format(setting.service), primary)


def _verify_answers(
    setting: TrialContext, plan: TrialPlan, log: TrialLog, label: str, up: RunningSubject, *, all_spellings: bool
) -> int:
    server = up.subject.front.server.model
    if setting.load_target is not None:
        return own_answers.verify(setting, log.folder, label, up)
    try:
        return contract.verify(
            up.subject.in_own_format(setting.service),
            up.url,
            seed=plan.seed % 1000,
            all_spellings=all_spellings,
            subject=label,
            access=up.access,
            deviations=server.deviations,
            floor=server.floor,
        )
    except ContractError as error:
        waiting = self_wait(up)
        message = up.death() or (f"{error.message}; {waiting}" if waiting else error.message)
        raise TrialFailedError(
            Failure(kind="contract", subject=label, message=message),
            hint=f"`steelyard servers check {label}` shows more",
        ) from None


def _require_same_state(setting: TrialContext, log: TrialLog, record: SubjectRecord) -> None:
    """Raise TrialFailedError where a companion starts in another state than an earlier one of the same product in the same
    role."""
    for process in record.processes:
        for before in _earlier_processes(setting, log):
            if (before.role, before.server) == (process.role, process.server) and before.state != process.state:
                was = f"'{process.state}', but was '{before.state}' before"
                message = f"the starting state of {record.label}'s {process.role} is {was}"
                raise TrialFailedError(
                    Failure(kind="state", subject=record.label, message=message),
                    hint=f"see [state] in the server.toml of {process.server}",
                )


def _earlier_processes(setting: TrialContext, log: TrialLog) -> Iterator[ProcessRecord]:
    """The processes of this run's trials so far, beginning with this trial; without the trials whose record is damaged."""
    subjects = [*log.subjects]
    for path in sorted(setting.folder.glob("trials/*/trial.json")):
        if path.parent != log.folder:
            with suppress(StoreError):  # was set aside by a resume
                subjects += read_model(TrialRecord, path).subjects
    for subject in subjects:
        yield from subject.processes


def _record(shares: Shares, label: str, up: RunningSubject) -> SubjectRecord:
    front, service = up.subject.front, up.subject.service
    server = front.server.model
    first_answer = up.front.first_answer_seconds
    return SubjectRecord(
        label=label,
        server=server.name,
        title=server.title,
        version=server.version,
        stack=server.stack,
        url=up.url,
        start_seconds=round(up.start_seconds, 3),
        first_answer_seconds=None if first_answer is None else round(first_answer, 4),
        artifact_bytes=build.artifact_bytes(front.server, service, front.cache, front.factors),
        build_seconds=build.build_seconds(front.server, service, front.cache),
        exchanges_verified=0,
        factors=front.factors,
        floor=server.floor,
        processes=[_process(shares, part) for part in up.parts],
    )


def _process(shares: Shares, running: RunningPart) -> ProcessRecord:
    part, server = running.part, running.part.server.model
    return ProcessRecord(
        role=part.place,
        server=server.name,
        title=server.title,
        version=server.version,
        judged=part.judged,
        processors=part.share_of(shares),
        state=running.state,
        host=running.site.name,
    )
