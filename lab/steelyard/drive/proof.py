"""What proves that a trial measured what it says: the services' own counts, and kept answers looked at in full."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping

from ..base.errors import KeeperError, ProvisionError
from ..exchange import corpus
from ..exchange.meanings import meaning_of
from ..models.records import Counted, Failure, Reconciled, Settled, SlicePlan, WrongSample, operation_of
from ..provision.launch import RunningSubject
from .setting import Setting, TrialFailedError, TrialLog
from .watch import Watch


def counts(
    running: Mapping[str, RunningSubject],
    served_before: Mapping[str, int | None],
    rows: Iterable[Mapping[str, str]],
    watch: Watch,
    last: SlicePlan,
) -> list[Counted]:
    """The services' own counts against the engine's: every kind of answer that a request may have reached the service for.

    `rows` are all of slices.csv, `last` is the last slice driven. Empty where the service has no counter. Raises TrialFailedError
    where it has one and does not tell.
    """
    answers = (
        *("completed", "wrong", "status", "fault", "capture"),
        *("lead_in_completed", "outside_wrong", "outside_status", "outside_fault", "outside_capture"),
    )
    hosts = {label: subject.subject.same_as or label for label, subject in running.items()}
    by_engine = dict.fromkeys(hosts.values(), 0)
    for row in rows:
        by_engine[hosts[row["subject"]]] += sum(int(row[answer]) for answer in answers)
    compared = []
    for label in by_engine:
        subject = running[label]
        subject.thaw()
        try:
            served, before = subject.requests_served(), served_before[label]
        except ProvisionError as error:
            raise TrialFailedError(watch.unreachable(last, label, error.message), error.hint) from None
        if served is not None and before is not None:
            compared.append(Counted(subject=label, by_service=served - before, by_engine=by_engine[label]))
    return compared


def reconciled(running: Mapping[str, RunningSubject]) -> list[Reconciled]:
    """What each subject's reconciliations print after the load; raises TrialFailedError where one is not what it must be."""
    outcomes = []
    for label, subject in running.items():
        if subject.subject.same_as is not None:
            continue
        for asked in subject.subject.reconciliations():
            try:
                expected, printed = subject.reconcile(asked)
            except (ProvisionError, KeeperError) as error:
                message = f"{label} could not be reconciled with its load ({asked.name}): {error.message}"
                raise TrialFailedError(
                    Failure(kind="reconciliation", subject=label, message=message), error.hint
                ) from None
            if printed != expected:
                message = f"{label} is not reconciled with its load: {asked.name} is '{printed[:200]}', and should be '{expected}'"
                raise TrialFailedError(Failure(kind="reconciliation", subject=label, message=message))
            outcomes.append(Reconciled(subject=label, name=asked.name, found=printed))
    return outcomes


def settle(subject: RunningSubject, plan: SlicePlan, while_waiting: Callable[[], None]) -> Settled | None:
    """How the work of a slice that outlived its answers ended; None where the service has no such work.

    Raises TrialFailedError where that cannot be told.
    """
    begun = time.monotonic()
    try:
        settlement = subject.settle(while_waiting)
    except (ProvisionError, KeeperError) as error:
        message = f"{plan.subject} does not tell whether its work is settled: {error.message}"
        raise TrialFailedError(
            Failure(kind="reconciliation", subject=plan.subject, message=message), error.hint
        ) from None
    if settlement is None:
        return None
    seconds = round(time.monotonic() - begun, 3)
    return Settled(
        slice=plan.number, subject=plan.subject, settled=settlement[0], seconds=seconds, counts=settlement[1]
    )


def check_samples(setting: Setting, log: TrialLog) -> None:
    """Compare every kept answer in full with the one expected; the engine's own check is a cheap one.

    Where the engine was ended, the last answer may be missing or its row be cut: what is whole is compared.
    """
    samples = log.folder / "samples"
    if not (samples / "index.csv").is_file():
        return
    meaning = meaning_of(setting.service)
    expected = corpus.expected_answers(setting.corpus.folder)
    with (samples / "index.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            answer = samples / f"{row['sample']}.answer"
            if None in row.values() or row["outcome"] != "right" or not answer.is_file():
                continue
            operation = operation_of(row["operation"])
            difference = meaning.difference(answer.read_bytes(), expected[int(row["entry"])], operation)
            log.samples_checked += 1
            if difference is not None:
                wrong = WrongSample(
                    slice=int(row["slice"]), subject=row["subject"], operation=row["operation"], message=difference
                )
                log.wrong_samples.append(wrong)
