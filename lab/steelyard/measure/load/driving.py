"""One process under load: verification at one user, then the load, which stops when every request fails for a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...base.errors import EngineError, StoreError, TargetError
from ...base.interrupts import StopWish, interrupts_ask
from ...base.progress import Progress
from ...hosts.placement import THIS_MACHINE, EngineHost
from ...models.job import FixedWork, Job, OnFailure, Samples, Session, Target
from ...models.outputs.loading import FailureCount
from ...plan.cells import lead_out_seconds, usual_lead_out_seconds
from ...plan.shapes import most_users
from ...results.failure_text import cause_text
from ...results.live_file import StopRequested
from ...results.loads import VERIFICATION
from ...results.samples import read_samples
from ...results.tables import SliceRow, Tick, read_slices, read_ticks
from ...workload.corpus import Corpus
from ...workload.planned_load import Stretch
from ..trial.engine import Engine
from ..trial.engine_job import JobRequests, JobSettings, LoadSlice, engine_job
from ..trial.engines import Engines
from .auth import Credentials

FAILURE_PAUSE_MS = 10.0  # pause of a closed user after a failure, against a busy loop of refused requests
_PATIENCE = 60.0
_MOST_VERIFYING_SECONDS = 600.0
_SHOWN_BYTES = 300
_STOPPING_SECONDS = 5.0  # after Ctrl-C, until the current second ends and its answers come
_MOST_STOPPING_SECONDS = 30.0  # beside it, until sessions that have begun are at their end


@dataclass(frozen=True)
class LoadContext:
    """Settings shared by all stretches of load on a target. `folder` is the run's; `cpus` are this machine's processors for
    engines. Each load has one engine on each of `engine_hosts`. Where stretches name other subjects than the target, `beside`
    holds their targets. The engine has so many `threads`, and keeps its connections or opens one for each request. `sessions` are
    those that mixes may name."""

    target: Target
    corpus: Corpus
    folder: Path
    credentials: Credentials
    cpus: Sequence[int]
    seed: int
    timeout_seconds: float
    give_up_seconds: float
    progress: Progress
    beside: Sequence[Target] = ()
    engine_hosts: Sequence[EngineHost] = (THIS_MACHINE,)
    threads: int = 1
    connection: Literal["keep-alive", "per-request"] = "keep-alive"
    sessions: Mapping[str, Session] = field(default_factory=dict)


class Stretches:
    """An engine, or several together (`engines`), that drives stretches on one target, one after the other, over its kept-alive
    connections, and writes into a folder; with `logged`, it logs each request."""

    def __init__(self, ground: LoadContext, planned: Sequence[Stretch], folder: Path, *, logged: bool = False) -> None:
        self.folder = folder
        self._ground = ground
        self._planned = planned
        self._logged = logged
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder {self.folder} cannot be made: {error.strerror}") from None
        users = max(most_users(stretch.profile) for stretch in planned)
        hosts = (THIS_MACHINE,) if self._verifies else ground.engine_hosts
        self.engines: Engines | None = None
        if len(hosts) == 1:
            self._engine: Engine | Engines = Engine(self._job(), self.folder, ground.credentials.next_secrets(users))
        else:
            # each engine has its own secrets, because it counts the uses of its nonces
            secrets = [ground.credentials.next_secrets(-(-users // len(hosts))) for _ in hosts]
            self._engine = self.engines = Engines(self._job(), self.folder, secrets, hosts)
        self.gave_up: str | None = None
        self.stop_requested = self._broken_off = False

    def __enter__(self) -> Stretches:
        self._engine.__enter__()
        return self

    def __exit__(self, *ended: Any) -> None:
        self._engine.__exit__(*ended)

    def drive(
        self,
        number: int,
        say: Callable[[dict[str, Any]], str],
        enough: Callable[[dict[str, Any]], bool] = lambda _: False,
    ) -> SliceRow:
        """Drive one planned stretch and return its row; `say` formats the progress of each second, `enough` ends the stretch
        early.

        Ctrl-C and a stop request (`stop_requested`) end it early, too. Answers then have a few seconds to arrive, and sessions the
        time of their pauses to come to their end.
        """
        watch = GiveUp(self._ground.give_up_seconds)

        def second(tick: dict[str, Any]) -> None:
            self._ground.progress.live.second(tick)
            try:
                self._ground.progress.set_stage(say(tick))
            except StopRequested:  # the seconds until now are a measurement
                self.stop_requested = True
            self.stop_requested |= wish.requested
            if watch.has_failed(tick):
                self.gave_up = f"no request was answered correctly for {self._ground.give_up_seconds:g} s"
            if self.stop_requested or self.gave_up is not None or enough(tick):
                self._engine.end_early(number)

        sessions = self._sessions()
        patience = self._ground.timeout_seconds + lead_out_seconds(sessions) + _PATIENCE
        stopping = _STOPPING_SECONDS + min(2 * usual_lead_out_seconds(sessions), _MOST_STOPPING_SECONDS)
        asks = nullcontext(StopWish()) if self._verifies else interrupts_ask(self._break_off, stopping)
        with asks as wish:
            try:
                self._engine.drive_slice(number, patience, second)
            except EngineError:
                if not self._broken_off:
                    raise
        self.stop_requested |= wish.requested
        return read_slices(self.folder / "slices.csv", True)[number]

    def _break_off(self) -> None:
        """Stop waiting for answers; several engines together wait until the end."""
        if isinstance(self._engine, Engine):
            self._broken_off = True
            self._engine.break_off()

    @property
    def _verifies(self) -> bool:
        return all(stretch.phase == "verify" for stretch in self._planned)

    def _sessions(self) -> dict[str, Session]:
        """The sessions that are driven; a verification takes the first row of their data, which the load leaves out."""
        mixed = {name for stretch in self._planned for name in stretch.mix}
        sessions = {name: session for name, session in self._ground.sessions.items() if name in mixed}
        return {name: with_first_row(session) for name, session in sessions.items()} if self._verifies else sessions

    def _job(self) -> Job:
        ground, verifying = self._ground, self._verifies
        return engine_job(
            ground.seed,
            JobRequests(str(ground.corpus.folder.resolve()), ground.corpus.rules, self._sessions()),
            [ground.target, *ground.beside],
            [
                LoadSlice(
                    subject=stretch.subject or ground.target.subject,
                    phase=stretch.phase,
                    profile=stretch.profile,
                    mix=stretch.mix,
                    deck=f"{stretch.deck or number} {stretch.phase}",
                    think=stretch.think,
                    lead_in_ms=stretch.lead_in_seconds * 1000,
                )
                for number, stretch in enumerate(self._planned)
            ],
            ground.cpus,
            JobSettings(
                timeout_ms=ground.timeout_seconds * 1000,
                on_failure=OnFailure(kind="wait", ms=FAILURE_PAUSE_MS if not verifying else 0),
                samples=Samples(one_in=1, most_right=500) if verifying else Samples(),
                seconds_histograms=not verifying,
                log_requests=self._logged,
                threads=1 if verifying else ground.threads,
                connection=ground.connection,
            ),
        )


class GiveUp:
    """How long a target has answered nothing correctly while requests failed; seconds without requests do not count."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since = clock()
        self._completed = self._failed = self._failed_then = 0

    def has_failed(self, tick: Mapping[str, Any]) -> bool:
        """Whether, including the second of `tick`, no request was answered correctly for the given time."""
        now, completed, failed = self._clock(), tick["completed"], tick["failed"] + tick["wrong"]
        idle = failed == self._failed and not tick["users"]
        if completed > self._completed or idle:
            self._since, self._completed, self._failed_then = now, completed, failed
        self._failed = failed
        return failed > self._failed_then and now - self._since >= self._seconds


def verify(ground: LoadContext, names: Sequence[str]) -> tuple[SliceRow, dict[str, bytes]]:
    """Send every operation and session once, one after the other; returns the counts and the answer of each operation. Raises
    TargetError with the answer at the first wrong one."""
    row, answers, failed = verify_each(ground, names)
    if failed:
        raise next(iter(failed.values()))
    return row, answers


def verify_each(ground: LoadContext, names: Sequence[str]) -> tuple[SliceRow, dict[str, bytes], dict[str, TargetError]]:
    """Send every operation and session once, as `verify` does; also returns the errors of operations that failed while others did
    not. Raises TargetError where a session failed, or every operation."""
    profile = FixedWork(users=1, each=len(names), most_seconds=_MOST_VERIFYING_SECONDS)
    once = Stretch(profile, dict.fromkeys(names, 1.0), lead_in_seconds=0, phase="verify")
    operations = [operation for name in names for operation in _always_sent(ground.sessions, name)]
    with Stretches(ground, [once], ground.folder / VERIFICATION) as stretches:
        row = stretches.drive(0, lambda _: "verifying")
    if stretches.stop_requested:
        raise StopRequested  # nothing was measured yet
    answers: dict[str, bytes] = {}
    failed: dict[str, TargetError] = {}
    for sample in samples_of(stretches.folder):
        if sample.outcome != "right":
            failed.setdefault(sample.operation, _not_right(sample, ground))
        elif not is_resent(ground, sample):
            answers[sample.operation] = sample.answer
    if row.completed + len(failed) < len(operations):
        missing = next((name for name in operations if name not in answers and name not in failed), operations[0])
        sample = SampledAnswer(missing, next(iter(row.failures), "not answered"), b"")
        failed.setdefault(missing, _not_right(sample, ground))
    require_partly_right(failed, names)
    return row, answers, failed


def require_partly_right(failed: Mapping[str, TargetError], names: Sequence[str]) -> None:
    """Raise the first error where all of `names` failed, or a step of a session, which is none of them."""
    if failed and ({*failed} - {*names} or {*names} <= {*failed}):
        raise next(iter(failed.values()))


def operations_of(sessions: Mapping[str, Session], name: str) -> list[str]:
    """The operations of a session's steps, or the one of this name."""
    return [step.operation for step in sessions[name].steps] if name in sessions else [name]


def _always_sent(sessions: Mapping[str, Session], name: str) -> list[str]:
    """The operations of a session's steps without a condition, or the one of this name."""
    return [step.operation for step in sessions[name].steps if step.if_captured is None] if name in sessions else [name]


def with_first_row(session: Session) -> Session:
    """A session whose data begins with the first row."""
    rows = session.rows and session.rows.model_copy(update={"first": 0})
    return session.model_copy(update={"rows": rows})


def is_resent(ground: LoadContext, sample: SampledAnswer) -> bool:
    """Whether an answer made its user repeat the steps that it makes once: it is counted as right, and keeps no rule."""
    rule = ground.corpus.rules.get(sample.operation)
    return rule is not None and sample.status is not None and sample.status not in rule.status


def ticks_of(folder: Path, number: int) -> list[Tick]:
    """The seconds of the stretch `number` in a folder, one row per operation and second."""
    return [tick for tick in read_ticks(folder / "ticks.csv", True) if tick.slice == number]


@dataclass(frozen=True)
class SampledAnswer:
    """A sampled answer: outcome, cause if known, HTTP status (None: no answer came) and body."""

    operation: str
    outcome: str
    answer: bytes
    cause: str = ""
    status: int | None = None


def samples_of(folder: Path) -> list[SampledAnswer]:
    """The sampled answers in an engine's folder. Raises StoreError."""
    return [
        SampledAnswer(
            sample.operation,
            sample.outcome,
            path.read_bytes() if path.is_file() else b"",
            sample.cause,
            sample.status or None,
        )
        for sample, path in read_samples(folder)
    ]


_MEANT = {
    "wrong": "its answer differs from the expected one",
    "refused": "no connection: is it running?",
    "status": "its HTTP status is not the one expected",
    "fault": "its answer is a SOAP fault",
    "timeout": "no answer came in time",
    "tls": "the TLS handshake failed",
}
_TLS_HINT = "set [tls] in service.toml, or --ca, --cert with --key, or --insecure of `steelyard load`"


def _not_right(sample: SampledAnswer, ground: LoadContext) -> TargetError:
    target = ground.target.url or f"{ground.target.host}:{ground.target.port}"
    begins = " ".join(sample.answer[:_SHOWN_BYTES].decode(errors="replace").split())
    came = f"; it begins: {begins}" if begins else ""
    expected = ground.corpus.rules[sample.operation].status if sample.outcome == "status" else []
    failure = FailureCount(
        operation=sample.operation,
        outcome=sample.outcome,
        cause=sample.cause,
        status=sample.status,
        expected=list(expected),
        count=1,
    )
    known = cause_text(failure)
    meant = _MEANT.get(sample.outcome, "see the sampled answer") + (f" ({known})" if known else "")
    kept = ground.folder / VERIFICATION / "samples"
    mend = f"edit its sample or its expect in service.toml; the answer is in {kept}"
    return TargetError(
        f"verification of {sample.operation} failed at {target} ({sample.outcome}): {meant}{came}",
        hint=_TLS_HINT if sample.outcome == "tls" else mend,
    )
