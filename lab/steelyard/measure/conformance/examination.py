"""Checks that a server meets the requirements for every server: see `Examination`."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...base.errors import ContractError, KeeperError, ProvisionError, SteelyardError, ToolchainError
from ...base.progress import Progress
from ...catalogue import entries, subject_syntax
from ...catalogue.entries import Entry
from ...catalogue.formats import deviations_in
from ...catalogue.known_subjects import why_unserved
from ...catalogue.tried import parse_subject_words
from ...hosts import cpus, environment, launch, sockets, subject
from ...hosts.running import RunningSubject
from ...hosts.subject import Subject
from ...models.outputs.catalogue import Checked, KeepAlive, ServerRow
from ...models.service import Service
from ...workload import contract, refusals
from .rows import row

REQUESTS_ON_ONE_CONNECTION = 2000
FROZEN_SECONDS = 25.0
STOP_SECONDS = 20.0
_REDEPLOY_SECONDS = 120.0


def new_check() -> Checked:
    """The record of a check made now: its time, revision and machine."""
    where = environment.describe([], cpus.share(), [])
    machine, git = where["machine"], where["git"]
    return Checked(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        revision=f"{git['revision'] or 'unknown'}{'+' * git['changed']}",
        **{key: machine[key] for key in ("processor", "processors", "memory_bytes", "kernel", "distribution")},
    )


def check(
    words: str,
    service_name: str,
    progress: Progress,
    *,
    quick: bool = False,
    frozen_seconds: float = FROZEN_SECONDS,
    seed: int = 1,
) -> ServerRow:
    """Check all requirements of a server (`name`, or `name@factor=value`); a fault of the server raises nothing.

    The companions of the service run beside the server, as in a study of that service. `quick` skips the slowest checks: the
    freeze, the second server beside it, and the redeployment. `frozen_seconds = 0` skips the freeze.
    """
    server = entries.server(subject_syntax.subject_of(words).parts[0].server)
    service = entries.service(service_name)
    examined_row = row(server).model_copy(update={"name": words, "checked": new_check()})
    if server.model.kind == "companion":
        return examined_row.model_copy(update={"reason": "a companion has no contract of its own"})
    if (reason := why_unserved(server.model, service)) is not None:
        return examined_row.model_copy(update={"reason": f"{service.name} {reason}"})
    try:
        ready = subject.provide_subject(parse_subject_words(words, service_name).spec, service, progress)
        service = ready.in_own_format(subject.service_as_run(service, [ready]))
    except ToolchainError as error:
        return examined_row.model_copy(update={"contract": None, "reason": str(error)})
    except SteelyardError as error:
        return examined_row.model_copy(update={"contract": False, "reason": str(error)})
    examined_row = row(server, ready.front.factors).model_copy(update={"name": words, "checked": examined_row.checked})
    with tempfile.TemporaryDirectory(prefix="steelyard-check-") as folder:
        examination = Examination(examined_row, service, ready, Path(folder), progress, seed)
        examination.run(quick, frozen_seconds)
    return examination.row()


@dataclass
class Examination:
    """One server under examination. `known` is its row before the checks, `facts` are the measured values for that row, and
    `wrong` holds the failures, by the key of a deviation."""

    known: ServerRow
    service: Entry[Service]
    subject: Subject
    folder: Path
    progress: Progress
    seed: int
    facts: dict[str, Any] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def run(self, quick: bool, frozen_seconds: float) -> None:
        """Start the server, run all checks, stop it; where the checks cannot continue, `wrong` gives the reason."""
        in_place = bool(self.subject.front.server.model.redeploy)
        self.facts |= {"fetched": True, "started": False}
        try:
            with self.running_subject(self.subject) as first:
                self.facts |= {"started": True, "deployed": False, "start_seconds": round(first.start_seconds, 2)}
                self.first_answer(first, self.known.name)
                self.facts["deployed"] = True
                self.exchanges(first)
                self.reconcile(first)
                self.bad_requests(first)
                self.facts["memory_bytes"] = memory_bytes(first)
                self.keep_alive(first, 0 if quick else frozen_seconds)
                self.listening(first)
                if not quick:
                    self.run_second_server(first)
                before = first.requests_served()
                if in_place and not quick and before is not None:
                    self.redeploy_in_place(first, before)
                self.facts["stop_seconds"] = round(self.stop(first), 2)
            if not in_place and not quick:
                self.redeploy_by_restart()
        except SteelyardError as error:
            self.wrong.setdefault("check", error.message)

    def row(self) -> ServerRow:
        """The row with all results; a deviation that the descriptor records is no failure, but a leak is."""
        excused = deviations_in(self.service, self.known.deviations).keys() - {refusals.LEAK}
        unknown = {key: fault for key, fault in self.wrong.items() if key not in excused}
        faults = [fault if key in ("check", "exchanges") else f"{key}: {fault}" for key, fault in unknown.items()]
        return self.known.model_copy(
            update={**self.facts, "contract": not unknown, "reason": "; ".join(faults) or None},
        )

    @contextmanager
    def running_subject(self, wanted: Subject) -> Iterator[RunningSubject]:
        """The running subject, on ports drawn at random and stopped at the end; raises ProvisionError where it does not start."""
        draw = random.Random(time.time_ns())
        with launch.running_subject(wanted, self.folder, cpus.share(), draw, self.progress) as running:
            yield running

    def exchanges(self, running: RunningSubject) -> None:
        """Send every exchange of the contract in every spelling: their number is a fact, the first wrong answer a fault."""
        with self.progress.stage(f"verifying the answers of {self.known.name}"):
            try:
                self.facts["exchanges"] = self.verify(running, self.known.name, all_spellings=True)
            except ContractError as error:
                self.wrong["exchanges"] = error.message

    def reconcile(self, running: RunningSubject) -> None:
        """Run the reconciliations of the service, as after a trial: what the server counted must agree with its companions.

        Left out for a service with background work, which first must be done.
        """
        if self.service.model.settle is not None or "exchanges" in self.wrong:
            return
        with self.progress.stage(f"reconciling {self.known.name} with its companions"):
            for declared in running.subject.reconciliations():
                expected, printed = running.reconcile(declared)
                if printed != expected:
                    self.wrong[f"reconciliation {declared.name}"] = f"{printed[:200]}, but expected: {expected}"

    def bad_requests(self, running: RunningSubject) -> None:
        """Send bad requests: each must be refused, and right answers must follow."""
        with self.progress.stage(f"sending bad requests to {self.known.name}"):
            self.wrong |= refusals.refuse(self.service, running.url, running.access)
            if "exchanges" not in self.wrong:
                self.verify(running, f"{self.known.name}, after bad requests,")

    def keep_alive(self, running: RunningSubject, frozen_seconds: float) -> None:
        """Send many requests on one connection; then pause the whole subject, resume it, and send one more on the same
        connection."""
        answered, survived, why = 0, None, None
        freeze = frozen_seconds > 0 and self.subject.may_freeze
        try:
            with self.progress.stage(f"keeping one connection to {self.known.name}"):
                answers = contract.hold_connection(self.service, running.url, running.access)
                for _ in range(REQUESTS_ON_ONE_CONNECTION):
                    next(answers)
                    answered += 1
                    self.progress.refresh()
            if freeze:
                survived = False
                with self.progress.stage(f"freezing {self.known.name} for {frozen_seconds:g} s"):
                    self.freeze(running, frozen_seconds)
                next(answers)
                survived = True
        except ContractError as error:
            why = error.message
            when = f"in a freeze of {frozen_seconds:g} s" if survived is False else f"after {answered:,} requests"
            self.wrong["keep-alive"] = f"a connection was lost {when}: {why}"
        self.facts["keep_alive"] = KeepAlive(
            asked=REQUESTS_ON_ONE_CONNECTION,
            answered=answered,
            frozen_seconds=frozen_seconds if survived is not None else None,
            survived=survived,
            why=why,
        )

    def freeze(self, running: RunningSubject, seconds: float) -> None:
        """Halt all processes of the subject for `seconds`, and let them run on."""
        running.freeze()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.1)
            self.progress.refresh()
        running.thaw()

    def listening(self, running: RunningSubject) -> None:
        """Check that every listening socket of the subject's processes is on the loopback address."""
        listeners = sockets.listening(pids(running))
        outside = [str(each) for each in listeners if not each.loopback]
        self.facts |= {"sockets": [str(each) for each in listeners], "loopback": not outside}
        if outside:
            self.wrong["sockets"] = f"it listens beyond this machine, on {', '.join(outside)}"
        elif not listeners:
            self.wrong["sockets"] = "none of its processes listens on a port, yet something answers"

    def run_second_server(self, first: RunningSubject) -> None:
        """Run the same server again on other ports beside the first: both must answer, and the first must outlive the second."""
        again = replace(self.subject, label=f"{self.subject.label}-again")
        self.facts["twice"] = False
        try:
            with (
                self.running_subject(again) as second,
                self.progress.stage(f"sending requests to two instances of {self.known.name}"),
            ):
                for running, which in ((second, "the second instance"), (first, "the first instance")):
                    self.verify(running, f"{self.known.name}, {which} of two,")
                self.stop(second)
            self.verify(first, f"{self.known.name}, after the second instance ended,")
            self.facts["twice"] = True
        except (ContractError, ProvisionError) as error:
            self.wrong["twice"] = error.message

    def redeploy_in_place(self, running: RunningSubject, before: int) -> None:
        """Replace the service while the server runs: its count of requests (`before` so far) must restart, and its answers must
        be right."""
        with self.progress.stage(f"redeploying {self.service.name} on {self.known.name}"):
            begun = time.monotonic()
            running.redeploy(_REDEPLOY_SECONDS)
            while not self.has_restarted(running, before):
                if time.monotonic() - begun > _REDEPLOY_SECONDS:
                    self.wrong["redeploy"] = f"no new deployment answered within {_REDEPLOY_SECONDS:g} s"
                    return
                time.sleep(0.05)
        self.facts |= {"redeploy_seconds": round(time.monotonic() - begun, 2), "redeploy_restart": False}

    def has_restarted(self, running: RunningSubject, before: int) -> bool:
        """Whether the service answers correctly and has counted fewer requests than `before`."""
        death = running.death()
        if death is not None:
            raise ProvisionError(death)
        try:
            served = running.requests_served()
            if served is None or served >= before:
                return False
            self.first_answer(running, self.known.name)
        except (ContractError, ProvisionError):
            return False  # between the old deployment and the new
        return True

    def redeploy_by_restart(self) -> None:
        """Measure a redeployment by restart: the time to stop (already known), to deploy the service again, and to start until
        the first right answer."""
        begun = time.monotonic()
        with self.running_subject(self.subject) as again:
            self.first_answer(again, f"{self.known.name}, started again,")
            seconds = self.facts["stop_seconds"] + time.monotonic() - begun
            self.facts |= {"redeploy_seconds": round(seconds, 2), "redeploy_restart": True}
            self.stop(again)

    def stop(self, running: RunningSubject) -> float:
        """Stop the subject; returns the seconds until all its processes ended after SIGTERM. Processes that did not end are
        killed and recorded as a fault."""
        before = pids(running)
        begun = time.monotonic()
        with self.progress.stage(f"stopping {running.subject.label}"):
            try:
                killed = running.stop(STOP_SECONDS)
            except KeeperError as error:
                killed = 0
                self.wrong["stop"] = error.message
        seconds = time.monotonic() - begun
        if killed:
            processes = "1 process" if killed == 1 else f"{killed} processes"
            self.wrong["stop"] = f"{processes} did not end within {STOP_SECONDS:g} s of SIGTERM and had to be killed"
        left = [pid for pid in before if Path(f"/proc/{pid}").exists()]
        if left:
            self.wrong["stop"] = f"still running after its end: {', '.join(map(str, left))}"
        return seconds

    def first_answer(self, running: RunningSubject, answerer: str) -> None:
        """Wait for one right answer; raises ContractError where none comes."""
        try:
            next(contract.hold_connection(self.service, running.url, running.access))
        except ContractError as error:
            raise ContractError(f"{answerer} does not answer correctly: {error.message}") from None

    def verify(self, running: RunningSubject, answerer: str, *, all_spellings: bool = False) -> int:
        """The number of exchanges answered correctly; raises ContractError, which names `answerer`, at the first wrong answer."""
        return contract.verify(
            self.service,
            running.url,
            seed=self.seed,
            all_spellings=all_spellings,
            subject=answerer,
            access=running.access,
            deviations=self.known.deviations,
            floor=self.known.floor,
        )


def pids(running: RunningSubject) -> list[int]:
    """The ids of all live processes of a subject."""
    return [process.pid for processes in running.use().values() for process in processes]


def memory_bytes(running: RunningSubject) -> int:
    """Resident memory of all processes of a subject, in bytes."""
    return sum(process.rss_bytes for processes in running.use().values() for process in processes)
