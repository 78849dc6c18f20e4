"""One process under load: the verification at one user, then the load, which ends by itself where the target fails wholly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import EngineError, StoreError, TargetError
from ...base.interrupts import StopWish, interrupts_ask
from ...base.progress import Progress
from ...hosts.placement import THIS_MACHINE, EngineHost
from ...models.job import FixedWork, Job, OnFailure, Samples, Target
from ...models.outputs.loading import FailureCount
from ...plan.shapes import most_users
from ...results.failure_text import cause_text
from ...results.live_file import StopAsked
from ...results.tables import SliceRow, Tick, read_slices, read_ticks
from ...workload.corpus import Corpus
from ...workload.planned_load import Stretch
from ..trial.engine import Engine
from ..trial.engine_job import JobRequests, JobSettings, LoadSlice, engine_job
from ..trial.engines import Engines
from .auth import Credentials

FAILURE_PAUSE_MS = 10.0  # of a closed user, so that a server that refuses is not asked in a busy loop
_PATIENCE = 60.0
_MOST_VERIFYING_SECONDS = 600.0
_SHOWN_BYTES = 300
_STOPPING_SECONDS = 5.0  # from Ctrl-C on, for the second at hand to end and its answers to come


@dataclass(frozen=True)
class LoadContext:
    """What every stretch of load on a target shares. `folder` is the run's; `cpus` are this machine's for engines, of which one on
    each of `engine_hosts` drives each load. Where stretches name other subjects than the target, their targets are `beside` it."""

    target: Target
    corpus: Corpus
    folder: Path
    who_asks: Credentials
    cpus: Sequence[int]
    seed: int
    timeout_seconds: float
    give_up_seconds: float
    progress: Progress
    beside: Sequence[Target] = ()
    engine_hosts: Sequence[EngineHost] = (THIS_MACHINE,)


class Stretches:
    """An engine, or several together (`engines`), that drives stretches on one target, one after the other, over the
    connections that it keeps, and writes into a folder; each request is written down where they are `logged`."""

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
            self._engine: Engine | Engines = Engine(self._job(), self.folder, ground.who_asks.next_secrets(users))
        else:
            # Each has secrets of its own: what is counted of their uses is counted by one engine.
            told = [ground.who_asks.next_secrets(-(-users // len(hosts))) for _ in hosts]
            self._engine = self.engines = Engines(self._job(), self.folder, told, hosts)
        self.gave_up: str | None = None
        self.stop_asked = self._broken_off = False

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
        """Drive one of the stretches planned and give its row; `say` is what is shown of each second, `enough` ends it early.

        Ctrl-C ends it early, too, and so does someone who asks from outside: `stop_asked` says so. Answers are then waited for a
        few seconds only.
        """
        watch = GiveUp(self._ground.give_up_seconds)

        def second(tick: dict[str, Any]) -> None:
            self._ground.progress.live.second(tick)
            try:
                self._ground.progress.set_stage(say(tick))
            except StopAsked:  # what was measured until now is a measurement
                self.stop_asked = True
            self.stop_asked |= wish.asked
            if watch.has_failed(tick):
                self.gave_up = f"nothing was answered rightly for {self._ground.give_up_seconds:g} s"
            if self.stop_asked or self.gave_up is not None or enough(tick):
                self._engine.end_early(number)

        asks = nullcontext(StopWish()) if self._verifies else interrupts_ask(self._break_off, _STOPPING_SECONDS)
        with asks as wish:
            try:
                self._engine.drive_slice(number, self._ground.timeout_seconds + _PATIENCE, second)
            except EngineError:
                if not self._broken_off:
                    raise
        self.stop_asked |= wish.asked
        return read_slices(self.folder / "slices.csv", True)[number]

    def _break_off(self) -> None:
        """Wait no longer for answers; several engines together wait for them to the end."""
        if isinstance(self._engine, Engine):
            self._broken_off = True
            self._engine.break_off()

    @property
    def _verifies(self) -> bool:
        return all(stretch.phase == "verify" for stretch in self._planned)

    def _job(self) -> Job:
        ground, verifying = self._ground, self._verifies
        return engine_job(
            ground.seed,
            JobRequests(str(ground.corpus.folder.resolve()), ground.corpus.rules),
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
            ),
        )


class GiveUp:
    """Since when a target has answered nothing rightly while requests failed; seconds in which nobody asks do not count."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since = clock()
        self._completed = self._failed = self._failed_then = 0

    def has_failed(self, tick: Mapping[str, Any]) -> bool:
        """Whether, with the second that `tick` tells of, nothing was answered rightly for the given time."""
        now, completed, failed = self._clock(), tick["completed"], tick["failed"] + tick["wrong"]
        idle = failed == self._failed and not tick["users"]
        if completed > self._completed or idle:
            self._since, self._completed, self._failed_then = now, completed, failed
        self._failed = failed
        return failed > self._failed_then and now - self._since >= self._seconds


def verify(ground: LoadContext, operations: Sequence[str]) -> tuple[SliceRow, dict[str, bytes]]:
    """Every operation once, one after the other; what was counted, and each one's answer. Raises TargetError on the first that
    is not answered rightly, with what came."""
    profile = FixedWork(users=1, each=len(operations), most_seconds=_MOST_VERIFYING_SECONDS)
    once = Stretch(profile, dict.fromkeys(operations, 1.0), lead_in_seconds=0, phase="verify")
    with Stretches(ground, [once], ground.folder / "verification") as stretches:
        row = stretches.drive(0, lambda _: "verifying")
    if stretches.stop_asked:
        raise StopAsked  # nothing was measured yet
    answers: dict[str, bytes] = {}
    for sample in samples_of(stretches.folder):
        if sample.outcome != "right":
            raise _not_right(sample, ground)
        answers[sample.operation] = sample.answer
    if row.completed < len(operations):
        missing = next((operation for operation in operations if operation not in answers), operations[0])
        raise _not_right(SampledAnswer(missing, next(iter(row.failures), "not answered"), b""), ground)
    return row, answers


def ticks_of(folder: Path, number: int) -> list[Tick]:
    """The seconds of the stretch `number` in a folder of driven stretches, a row an operation and second."""
    return [tick for tick in read_ticks(folder / "ticks.csv", True) if tick.slice == number]


@dataclass(frozen=True)
class SampledAnswer:
    """An answer that an engine kept: outcome, cause where it is known, HTTP status (None: none came) and body."""

    operation: str
    outcome: str
    answer: bytes
    cause: str = ""
    status: int | None = None


def samples_of(folder: Path) -> list[SampledAnswer]:
    """The answers that an engine kept in a folder. Raises StoreError."""
    from ...base.csvfiles import read_table

    samples = []
    columns = ["sample", "operation", "outcome", "status", "cause"]
    for row in read_table(folder / "samples" / "index.csv", columns, may_be_cut=True):
        path = folder / "samples" / f"{row.text('sample')}.answer"
        answer = path.read_bytes() if path.is_file() else b""
        status = row.whole("status") or None
        samples.append(SampledAnswer(row.text("operation"), row.text("outcome"), answer, row.text("cause"), status))
    return samples


_MEANT = {
    "wrong": "its answer is not what it should be",
    "refused": "no connection: is it running?",
    "status": "its HTTP status is not the one expected",
    "fault": "its answer is a SOAP fault",
    "timeout": "no answer came in time",
    "tls": "no TLS connection came about",
}


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
    meant = _MEANT.get(sample.outcome, "see the kept answer") + (f" ({known})" if known else "")
    return TargetError(
        f"{sample.operation} is not answered rightly by {target} ({sample.outcome}): {meant}{came}",
        hint=f"edit its sample or its expect in service.toml; what came is in {ground.folder / 'verification' / 'samples'}",
    )
