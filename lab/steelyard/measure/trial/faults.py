"""Faults injected into a block: a part is killed or paused and recovers its own state, and the effect on its work is counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from ...base.errors import KeeperError, ProvisionError
from ...base.progress import Progress
from ...hosts.cpus import Shares
from ...hosts.running import RunningPart, RunningSubject
from ...models.records import Failure, FaultRecord, SlicePlan
from ...models.study import CLIENT, Fault
from ...plan.faults import DrawnFault
from .context import TrialFailedError
from .second_client import SecondClient

_LOOK_SECONDS = 0.1
SecondClients = Callable[[], SecondClient]


@dataclass(frozen=True)
class _Meeting:
    """The target of a fault: a running subject on its processors, or the client process where the client is to be killed."""

    running: RunningSubject
    fault: Fault
    shares: Shares
    client: SecondClient | None

    @property
    def part(self) -> RunningPart:
        return self.running.part_in_role(self.fault.part)

    def start_again(self) -> None:
        self.part.start_again()
        self.part.keeper.pin(self.part.part.share_of(self.shares))


_Break = Callable[[_Meeting], AbstractContextManager[None]]


class Strike:
    """One fault: called when its block begins, it waits for its moment, strikes, and returns when the part is back.

    `begun_ns` is the block's start on CLOCK_MONOTONIC; `struck` is the time of the strike after it, in s, None before.
    `second_client` starts the client that a client fault kills.
    """

    def __init__(
        self,
        running: RunningSubject,
        met: DrawnFault,
        shares: Shares,
        progress: Progress,
        second_client: SecondClients,
    ) -> None:
        self._running = running
        self._label = running.subject.label
        self._met = met
        self._shares = shares
        self._progress = progress
        self._second_client = second_client
        self._away_seconds = 0.0
        self._back = False
        self._why_away = ""
        self.begun_ns = 0
        self.struck: float | None = None

    def __call__(self) -> None:
        """Raises TrialFailedError where the part does not come back."""
        self.begun_ns = time.monotonic_ns()
        with self._second_client() if self._met.fault.part == CLIENT else nullcontext() as client:
            self._wait(self._met.at_seconds)
            self._strike(_Meeting(self._running, self._met.fault, self._shares, client))

    def _strike(self, meeting: _Meeting) -> None:
        begun = time.monotonic()
        self.struck = (time.monotonic_ns() - self.begun_ns) / 1e9
        try:
            with _BROKEN[meeting.fault.kind](meeting):
                self._wait(self._met.seconds)
            self._back = True
        except (ProvisionError, KeeperError) as error:
            self._why_away = error.message
            raise TrialFailedError(self._failure(error.message), error.hint) from None
        finally:
            self._away_seconds = time.monotonic() - begun

    def record(self, plan: SlicePlan) -> FaultRecord:
        """The record of the fault, before any work is counted."""
        return FaultRecord(
            slice=plan.number,
            subject=plan.subject,
            fault=self._met.fault.name,
            occasion=self._met.occasion,
            at_seconds=round(self.struck or 0.0, 3),
            planned_seconds=round(self._met.seconds, 3),
            away_seconds=round(self._away_seconds, 3),
            back=self._back,
            message=self._why_away,
        )

    def _failure(self, message: str) -> Failure:
        fault = self._met.fault
        words = f"{self._label}: after the fault {fault.name} its {fault.part} did not come back: {message}"
        return Failure(kind="not-back", subject=self._label, message=words)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_SECONDS))
            self._progress.refresh()


@contextmanager
def _kill_processes(meeting: _Meeting) -> Iterator[None]:
    """Kill the processes of the part with SIGKILL, and restart them with their own state on the same ports."""
    if meeting.client is not None:
        meeting.client.kill()  # its users are gone, and the service has nothing to restart
        yield
        return
    meeting.part.keeper.kill()
    yield
    meeting.start_again()


@contextmanager
def _freeze_processes(meeting: _Meeting) -> Iterator[None]:
    """Pause the processes of the part (SIGSTOP); connections stay open without answers."""
    meeting.part.keeper.freeze()
    try:
        yield
    finally:
        meeting.part.keeper.thaw()


@contextmanager
def _deny_disk(meeting: _Meeting) -> Iterator[None]:
    """Deny file writes to the processes of the part, as on a full disk; then restart them with free space."""
    for pid in meeting.part.keeper.pids():
        meeting.part.site.reach.deny_file_writes(pid)
    yield
    meeting.part.keeper.kill()
    meeting.start_again()


@contextmanager
def _refusing(meeting: _Meeting) -> Iterator[None]:
    """Make the part refuse requests while it keeps running."""
    refusal = meeting.part.part.server.model.refuse
    assert refusal is not None  # plan/faults.py has checked it
    meeting.part.carry_out(refusal.begin, "refuse")
    try:
        yield
    finally:
        meeting.part.carry_out(refusal.end, "take again")


@contextmanager
def _plant_fault(meeting: _Meeting) -> Iterator[None]:
    """Switch on the fault that is built into the service."""
    plant = meeting.fault.plant
    assert plant is not None  # every fault of this kind has it
    meeting.running.plant(plant, end=False)
    try:
        yield
    finally:
        meeting.running.plant(plant, end=True)


# A new kind of fault needs a function here that breaks and restores the part, and its name in the study's model.
_BROKEN: Mapping[str, _Break] = {
    "kill": _kill_processes,
    "freeze": _freeze_processes,
    "full-disk": _deny_disk,
    "refuse": _refusing,
    "plant": _plant_fault,
}


def counted_after(
    running: RunningSubject, met: FaultRecord, since_ns: int, while_waiting: Callable[[], None]
) -> FaultRecord:
    """The fault with the outcome of the work accepted since `since_ns`; raises TrialFailedError where that cannot be read."""
    begun = time.monotonic()
    try:
        settled, counts = running.wait_for_aftermath(since_ns, while_waiting)
    except (ProvisionError, KeeperError) as error:
        message = f"{met.subject} does not report the outcome of its work after the fault {met.fault}: {error.message}"
        raise TrialFailedError(
            Failure(kind="reconciliation", subject=met.subject, message=message), error.hint
        ) from None
    seconds = round(time.monotonic() - begun, 3)
    return met.model_copy(update={"settled": settled, "settle_seconds": seconds, "counts": counts})
