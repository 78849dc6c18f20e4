"""Evidence that a trial measured what it reports: the services' own counts, and fully checked samples of answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ...base.errors import KeeperError, ProvisionError
from ...hosts.running import RunningSubject
from ...models.records import Counted, Failure, Reconciled, Settled, SlicePlan, WrongSample, operation_of
from ...results.samples import AnswerSample, read_samples
from ...workload import answer_rules, corpus
from ...workload.body_formats import meaning_of
from ...workload.load_target import LoadTarget
from .context import TrialContext, TrialFailedError, TrialLog
from .watch import Watch

ANSWERS = (
    *("completed", "wrong", "status", "fault", "capture"),
    *("lead_in_completed", "outside_wrong", "outside_status", "outside_fault", "outside_capture"),
)  # outcomes of requests that may have reached the service
UNCHANGED_SECONDS = 0.1  # a service whose count is unchanged for this long has read all requests
MOST_LOOKS = 50
_Difference = Callable[[AnswerSample, bytes], str | None]  # difference of a sampled answer; None: right


class ServiceCounts:
    """The services' own counts of requests, by stretch. A load with a shape is a stretch of its own, so that overload in one test
    does not affect the counts of another. Raises ProvisionError where a service's counter cannot be read."""

    def __init__(self, running: Mapping[str, RunningSubject]) -> None:
        self._hosts = {label: subject.subject.same_as or label for label, subject in running.items()}
        self._running = {label: running[label] for label in dict.fromkeys(self._hosts.values())}
        self._first = {label: subject.requests_served() for label, subject in self._running.items()}
        self._stretches: list[tuple[SlicePlan, int]] = []

    @contextmanager
    def stretch(self, plan: SlicePlan) -> Iterator[None]:
        """The slice driven inside is a stretch, where the service's count can be read before and after it."""
        host = self._running[self._hosts[plan.subject]]
        host.thaw()
        before = _count_at_rest(host)
        yield
        after = _count_at_rest(host)
        if before is not None and after is not None:
            self._stretches.append((plan, after - before))

    def compare_counts(self, rows: Iterable[Mapping[str, str]], watch: Watch, last: SlicePlan) -> list[Counted]:
        """Compare each subject's count with the engine's: one comparison per stretch, and one for all other slices.

        `rows` are all rows of slices.csv, `last` is the last slice driven. Empty where the service has no counter. Raises
        TrialFailedError where its counter cannot be read.
        """
        answers = {int(row["slice"]): sum(int(row[answer]) for answer in ANSWERS) for row in rows}
        slices: dict[str, list[int]] = {label: [] for label in self._running}
        for row in rows:
            slices[self._hosts[row["subject"]]].append(int(row["slice"]))
        compared = []
        for label, subject in self._running.items():
            served = self._count_served(label, subject, watch, last)
            if served is None:
                continue
            alone = {plan.number: count for plan, count in self._stretches if self._hosts[plan.subject] == label}
            others = [number for number in slices[label] if number not in alone]
            compared.append(
                Counted(
                    subject=label,
                    slices=others if alone else None,
                    by_service=served - sum(alone.values()),
                    by_engine=sum(answers[number] for number in others),
                )
            )
            compared += [
                Counted(subject=label, slices=[number], by_service=count, by_engine=answers[number])
                for number, count in alone.items()
            ]
        return compared

    def _count_served(self, label: str, subject: RunningSubject, watch: Watch, last: SlicePlan) -> int | None:
        subject.thaw()
        try:
            served, first = subject.requests_served(), self._first[label]
        except ProvisionError as error:
            raise TrialFailedError(watch.unreachable(last, label, error.message), error.hint) from None
        return None if served is None or first is None else served - first


def _count_at_rest(subject: RunningSubject) -> int | None:
    """The service's count once it stays constant, since it may still read abandoned requests; None where it cannot be read."""
    try:
        count = subject.requests_served()
        for _ in range(MOST_LOOKS):
            time.sleep(UNCHANGED_SECONDS)
            before, count = count, subject.requests_served()
            if count == before:
                return count
    except ProvisionError:
        pass
    return None


def reconcile_all(running: Mapping[str, RunningSubject]) -> list[Reconciled]:
    """The output of each subject's reconciliations after the load; raises TrialFailedError where one differs from its expected
    value."""
    outcomes = []
    for label, subject in running.items():
        if subject.subject.same_as is not None:
            continue
        for reconciliation in subject.subject.reconciliations():
            try:
                expected, printed = subject.reconcile(reconciliation)
            except (ProvisionError, KeeperError) as error:
                message = f"{label} cannot be reconciled with its load ({reconciliation.name}): {error.message}"
                raise TrialFailedError(
                    Failure(kind="reconciliation", subject=label, message=message), error.hint
                ) from None
            if printed != expected:
                message = f"{label} is not reconciled with its load: {reconciliation.name} is '{printed[:200]}', "
                message += f"and should be '{expected}'"
                raise TrialFailedError(Failure(kind="reconciliation", subject=label, message=message))
            outcomes.append(Reconciled(subject=label, name=reconciliation.name, found=printed))
    return outcomes


def require_finished_work(
    running: Mapping[str, RunningSubject], settled: Sequence[Settled], while_waiting: Callable[[], None]
) -> None:
    """Wait once more for each subject's work that was unfinished after its last slice: the service's counts are old by now.

    Raises TrialFailedError where it is unfinished still, or cannot be read.
    """
    for last in {outcome.subject: outcome for outcome in settled}.values():
        if last.settled:
            continue
        again = background_work(running[last.subject], last.subject, last.slice, while_waiting)
        if again is not None and not again.settled:
            counts = ", ".join(f"{name} {count:,}" for name, count in again.counts.items())
            message = f"{last.subject} cannot be reconciled with its load: its work is unfinished still ({counts})"
            raise TrialFailedError(Failure(kind="reconciliation", subject=last.subject, message=message))


def background_work(
    subject: RunningSubject, label: str, number: int, while_waiting: Callable[[], None]
) -> Settled | None:
    """The outcome of the background work of a slice, by its number; None where the service has no such work.

    Raises TrialFailedError where it cannot be read.
    """
    begun = time.monotonic()
    try:
        settlement = subject.wait_for_background_work(while_waiting)
    except (ProvisionError, KeeperError) as error:
        message = f"{label} does not report whether its work is done: {error.message}"
        raise TrialFailedError(Failure(kind="reconciliation", subject=label, message=message), error.hint) from None
    if settlement is None:
        return None
    seconds = round(time.monotonic() - begun, 3)
    return Settled(slice=number, subject=label, settled=settlement[0], seconds=seconds, counts=settlement[1])


def check_samples(setting: TrialContext, log: TrialLog) -> None:
    """Compare every sampled answer in full with the expected one; the engine's own check is cheaper.

    Where the engine was killed, the last answer may be missing or its row cut: only whole ones are compared.
    """
    right = [sample for sample in read_samples(log.folder) if sample[0].outcome == "right" and sample[1].is_file()]
    if not right:
        return
    difference = _by_contract(setting) if setting.load_target is None else _by_rules(setting.load_target)
    for sample, answer in right:
        wrong = difference(sample, answer.read_bytes())
        log.samples_checked += 1
        if wrong is not None:
            log.wrong_samples.append(
                WrongSample(slice=sample.slice, subject=sample.subject, operation=sample.operation, message=wrong)
            )


def _by_contract(setting: TrialContext) -> _Difference:
    """The check of a sampled answer against the expected one, by the meaning of its subject's format."""
    meanings = {
        label: meaning_of(subject.in_own_format(setting.service)) for label, subject in setting.subjects.items()
    }
    expected = corpus.expected_answers(setting.corpus.folder)
    return lambda sample, answer: meanings[sample.subject].difference(
        answer, expected[sample.entry], operation_of(sample.operation)
    )


def _by_rules(load_target: LoadTarget) -> _Difference:
    """The check of a sampled answer of a user's own service against the rules that the engine does not judge."""
    return lambda sample, answer: answer_rules.broken_by(answer, load_target, operation_of(sample.operation))
