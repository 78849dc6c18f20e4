"""The subjects of a trial, started one after the other and each verified before the next."""

from __future__ import annotations

import os
import random
from contextlib import ExitStack

from ..base.errors import ContractError, KeeperError, ProvisionError
from ..exchange import contract
from ..models.records import Failure, SubjectRecord, TrialPlan
from ..provision.subject import RunningSubject, started
from .setting import Setting, TrialFailedError, TrialLog
from .watch import self_wait


def start_all(
    setting: Setting, plan: TrialPlan, log: TrialLog, stack: ExitStack, *, all_spellings: bool
) -> dict[str, RunningSubject]:
    """All subjects of a trial, running until `stack` is left, each noted in `log`; faces last, on their hosts' processes.

    Raises TrialFailedError where one does not come up or answers wrongly.
    """
    # Not of the seed alone: two runs of one study at a time would draw the same ports, and ask each other's servers.
    draw = random.Random(f"ports {plan.seed} {os.getpid()}")
    running: dict[str, RunningSubject] = {}
    faces = [label for label in plan.start_order if setting.subjects[label].same_as is not None]
    for label in plan.start_order:
        if label in faces:
            continue
        setting.progress.show(setting.stage(plan, f"starting {label}"))
        subject = setting.subjects[label]
        try:
            up = stack.enter_context(started(subject, log.folder, setting.shares.server, draw, setting.progress))
        except (ProvisionError, KeeperError) as error:
            raise TrialFailedError(
                Failure(kind="not-ready", subject=label, message=error.message), error.hint
            ) from None
        setting.progress.show(setting.stage(plan, f"verifying the answers of {label}"))
        log.subjects.append(_record(label, up, _verified(setting, plan, label, up, all_spellings=all_spellings)))
        running[label] = up
    for label in faces:
        host = setting.subjects[label].same_as or label
        running[label] = RunningSubject(setting.subjects[label], running[host].parts)
        record = next(one for one in log.subjects if one.label == host)
        log.subjects.append(record.model_copy(update={"label": label, "start_seconds": 0.0, "same_as": host}))
    return running


def _verified(setting: Setting, plan: TrialPlan, label: str, up: RunningSubject, *, all_spellings: bool) -> int:
    server = up.subject.front.server.model
    try:
        return contract.verify(
            setting.service,
            up.url,
            seed=plan.seed % 1000,
            all_spellings=all_spellings,
            who=label,
            headers=up.subject.headers,
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


def _record(label: str, up: RunningSubject, verified: int) -> SubjectRecord:
    server = up.subject.front.server.model
    return SubjectRecord(
        label=label,
        server=server.name,
        title=server.title,
        version=server.version,
        stack=server.stack,
        url=up.url,
        start_seconds=round(up.start_seconds, 3),
        exchanges_verified=verified,
        factors=up.subject.front.factors,
        floor=server.floor,
    )
