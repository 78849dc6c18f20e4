"""A subject with running processes: paused, resumed, pinned, queried, measured and stopped as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import KeeperError, NoAnswerError, ProvisionError
from ..base.http_client import Access
from ..base.progress import Progress
from ..catalogue.entries import Entry
from ..models.server import Server
from ..models.service import Reconciliation
from . import build, keeper, server_certificate
from .asking import service_count
from .cpus import Shares, pin_thread
from .keeper import Keeper, ProcessUse
from .placement import LOOPBACK, Placement
from .subject import Part, Subject

_RESTORE_SECONDS = 120
_RECONCILE_SECONDS = 120
_COMMAND_SECONDS = 30


@dataclass(frozen=True)
class Words:
    """The context of a start's argument lists: values of placeholders, environment variables, and the host."""

    placeholders: dict[str, str]
    environment: dict[str, str]
    site: Placement = LOOPBACK


class RunningPart:
    """A started part: its keeper with the control socket, its host, port and log, the proof of a companion's starting state, and
    the seconds from its start to its first right answer, where it was asked for."""

    def __init__(
        self,
        part: Part,
        kept: Keeper,
        control: Path,
        log: Path,
        words: Words,
        start_seconds: float,
        state: str,
        again: Callable[[], Keeper],
    ) -> None:
        self.part = part
        self._again = again
        self.first_answer_seconds: float | None = None
        # A server sizes itself by the processors that it sees at its start, so a restart must see the same ones.
        self._cpus = os.sched_getaffinity(0)
        self.state = state
        self.keeper = kept
        self.control = control
        self.site = words.site
        self.port = int(words.placeholders["port"])
        self.log = log
        self.words = words
        self.start_seconds = start_seconds
        self.restored = 0  # number of restores since its start, by all subjects that share it

    def start_again(self) -> None:
        """Restart the ended part with its own data, without preparation: in the same folder, on the same port, with the same
        environment, and until pinned on the processors of its first start.

        Returns when it is ready; raises ProvisionError or KeeperError where it does not start.
        """
        with pin_thread(self._cpus):
            self.keeper = self._again()

    def carry_out(self, argv: Sequence[str], deed: str) -> None:
        """Run a command of the part's server while it runs; raises ProvisionError where it fails."""
        server = self.part.server
        try:
            keeper.run(
                build.placeholders([*argv], self.words.placeholders),
                log=self.log.with_suffix(f".{deed}.log"),
                cwd=server.folder,
                environment=self.words.environment,
                seconds=_COMMAND_SECONDS,
                reach=self.site.reach,
            )
        except KeeperError as error:
            raise ProvisionError(f"{server.name} could not {deed}: {error.message}", hint=error.hint) from None


class RunningSubject:
    """All processes of a subject. Leaving the context of `started` stops them."""

    def __init__(self, subject: Subject, parts: list[RunningPart]) -> None:
        self.subject = subject
        self.parts = parts
        self._settled: dict[str, int] = {}  # the service's count when its work was last done

    @property
    def front(self) -> RunningPart:
        """The part that receives the engine's requests and is judged; the others are behind it."""
        return next(part for part in self.parts if part.part.judged)

    def part_in_role(self, place: str) -> RunningPart:
        """The part in a role."""
        return next(part for part in self.parts if part.part.place == place)

    @property
    def host(self) -> str:
        """The address of the front part."""
        return self.front.site.address

    @property
    def url(self) -> str:
        """The service's URL on the front part."""
        return self.front.site.url(self.front.port, self.subject.path(), secure=self.front.part.secure)

    @property
    def access(self) -> Access:
        """How the front part is accessed: TLS authority, headers and keys."""
        authority = server_certificate.authority(self.host) if self.front.part.secure else None
        return Access(self.subject.headers, authority)

    def compiles(self) -> bool:
        """Whether one of its servers has a JIT compiler: by its descriptor, or because compiler threads have worked in it."""
        return any(
            part.part.server.model.jvm or any(used.jit_ns for used in part.keeper.use())
            for part in self.parts
            if part.part.judged
        )

    @property
    def start_seconds(self) -> float:
        """The start time of all parts together, in seconds."""
        return sum(part.start_seconds for part in self.parts)

    def memory_bytes(self) -> int:
        """The resident memory of the judged processes now."""
        judged = (part for part in self.parts if part.part.judged)
        return sum(process.rss_bytes for part in judged for process in part.keeper.use())

    def freeze(self) -> None:
        """Pause the processes of all parts (SIGSTOP); raises KeeperError."""
        for part in self.parts:
            part.keeper.freeze()

    def thaw(self) -> None:
        """Continue the paused processes of all parts (SIGCONT), in reverse order; raises KeeperError."""
        for part in reversed(self.parts):
            part.keeper.thaw()

    def pin(self, shares: Shares) -> None:
        """Bind each part's processes to the processors that `shares` gives it; raises KeeperError."""
        for part in self.parts:
            part.keeper.pin(part.part.share_of(shares))

    def unpin(self, shares: Shares) -> None:
        """Bind the processes of all parts to all processors of subjects and engine; raises KeeperError."""
        for part in self.parts:
            part.keeper.pin(shares.all)

    def restore(self, progress: Progress) -> list[tuple[str, str, str]]:
        """Restore the companions that have a starting state, while the service runs.

        Returns each one's role, its state at the start, and its state now; raises ProvisionError.
        """
        states = []
        for part in self.parts:
            if part.part.server.model.state is not None:
                part.restored += 1
                again = {**part.words.environment, "STEELYARD_RESTORED": str(part.restored)}
                words = replace(part.words, environment=again)
                states.append((part.part.place, part.state, restore_state(part.part.server, words, part.log, progress)))
        return states

    def redeploy(self, seconds: float) -> None:
        """Run the front part's `redeploy`, each command for at most `seconds`; raises ProvisionError where one fails."""
        part, server = self.front, self.front.part.server
        for argv in server.model.redeploy:
            command = build.placeholders(argv, part.words.placeholders)
            try:
                keeper.run(
                    command,
                    log=part.log.with_suffix(".redeploy.log"),
                    cwd=server.folder,
                    environment=part.words.environment,
                    seconds=seconds,
                    reach=part.site.reach,
                )
            except KeeperError as error:
                raise ProvisionError(
                    f"{server.name} could not be redeployed: {error.message}", hint=error.hint
                ) from None

    def stop(self, seconds: float) -> int:
        """Send SIGTERM to all processes, and kill those of a part that are left after `seconds`; returns the number killed."""
        return sum(part.keeper.stop(seconds) for part in reversed(self.parts))

    def end_judged_processes(self, seconds: float) -> int:
        """Send SIGTERM to the judged processes alone, so that they write their remaining records; returns the number killed."""
        return sum(part.keeper.stop(seconds) for part in reversed(self.parts) if part.part.judged)

    def use(self) -> dict[str, list[ProcessUse]]:
        """The use of each process so far, by place."""
        return {part.part.place: part.keeper.use() for part in self.parts}

    def requests_served(self) -> int | None:
        """The service's own count of requests since its start, None without a counter.

        For a front part that only forwards requests, the sum over all instances behind it. Raises ProvisionError where a counter
        cannot be read.
        """
        if self.subject.service.model.counter is None:
            return None
        try:
            return sum(service_count(self.subject, up.part, up.site, up.port, 5.0) for up in self._counting())
        except (NoAnswerError, ValueError) as error:
            raise ProvisionError(f"{self.subject.label} does not report its request count: {error}") from None

    def _counting(self) -> list[RunningPart]:
        """The parts whose counts make up the subject's count."""
        serving = [
            part for part in self.parts if part.part.judged and part.part.server.model.implementation is not None
        ]
        return [self.front] if self.front in serving or not serving else serving

    def reconcile(self, declared: Reconciliation) -> tuple[str, str]:
        """The expected and the actual output of a reconciliation; raises ProvisionError or KeeperError where it cannot run."""
        expected = declared.expect.replace("{requests}", str(self.requests_served()))
        for name, count in self._settled.items():
            expected = expected.replace(f"{{{name}}}", str(count))
        return expected, self._command_output(declared.command, declared.name, _RECONCILE_SECONDS)

    def wait_for_background_work(self, while_waiting: Callable[[], None]) -> tuple[bool, dict[str, int]] | None:
        """Wait until background work is done: whether it was in time, and the service's counts.

        None where the service has no such work. Raises ProvisionError or KeeperError where it cannot be read.
        """
        declared = self.subject.service.model.settle
        if declared is None:
            return None
        argv = [word.replace("{seconds}", f"{declared.seconds:g}") for word in self._with_own_python(declared.command)]
        printed = self._command_output(argv, "settle", declared.seconds + _RECONCILE_SECONDS, while_waiting)
        settled, self._settled = self._outcome("settle", printed)
        return settled, self._settled

    def wait_for_aftermath(self, since_ns: int, while_waiting: Callable[[], None]) -> tuple[bool, dict[str, int]]:
        """Wait until the service's work after a fault is done: whether it was in time, and the outcome of the work accepted since
        `since_ns` (CLOCK_MONOTONIC). Raises ProvisionError or KeeperError where it cannot be read."""
        declared = self.subject.service.model.aftermath
        if declared is None:
            raise ProvisionError(f"{self.subject.service.name} has no command for the outcome of work after a fault")
        values = {"{seconds}": f"{declared.seconds:g}", "{since}": str(since_ns)}
        argv = [values.get(word, word) for word in self._with_own_python(declared.command)]
        printed = self._command_output(argv, "aftermath", declared.seconds + _RECONCILE_SECONDS, while_waiting)
        settled, counts = self._outcome("aftermath", printed)
        if missing := {"accepted", *(outcome.name for outcome in declared.outcomes)} - counts.keys():
            raise ProvisionError(f"the aftermath command of {self.subject.service.name} counts no '{min(missing)}'")
        return settled, counts

    def plant(self, name: str, *, end: bool) -> None:
        """Switch a fault that is built into the service on or off, by its name; raises ProvisionError or KeeperError."""
        plant = self.subject.service.model.plants[name]
        self._command_output(
            self._with_own_python(plant.end if end else plant.begin), f"plant-{name}", _COMMAND_SECONDS
        )

    def _with_own_python(self, argv: Sequence[str]) -> list[str]:
        """The command with the lab's Python on the subject's host instead of the first one on its PATH."""
        return [self.front.site.reach.python if word == "python3" else word for word in argv]

    def _outcome(self, command: str, printed: str) -> tuple[bool, dict[str, int]]:
        """The parsed output of a command about the service's work; raises ProvisionError."""
        try:
            outcome = json.loads(printed)
            counts = {str(name): int(count) for name, count in outcome["counts"].items()}
            return bool(outcome["settled"]), counts
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ProvisionError(
                f"the {command} command of {self.subject.service.name} printed '{printed[:120]}'",
                hint='it must print {"settled": true, "counts": {...}}',
            ) from None

    def _command_output(
        self, argv: list[str], name: str, seconds: float, while_waiting: Callable[[], None] = lambda: None
    ) -> str:
        """The output of a command about this subject."""
        values = {"host": self.host, "service": str(self.subject.service.folder)}
        for each in self.parts:
            place, folder = each.part.place, each.part.server.folder
            values |= {f"port.{place}": str(each.port), f"cache.{place}": str(each.part.cache)}
            values[f"server.{place}"] = str(folder)
            for more in each.part.server.model.more_ports:
                values[f"port.{place}.{more}"] = each.words.placeholders[f"port.{place}.{more}"]
        output = keeper.output(
            build.placeholders(argv, values),
            log=self.front.log.with_suffix(f".{name}.log"),
            cwd=self.subject.service.folder,
            environment={**self._jdk_of_parts(), **self.front.words.environment, **self._notes_of_others()},
            seconds=seconds,
            reach=self.front.site.reach,
            while_waiting=while_waiting,
        )
        return output.strip()

    def _jdk_of_parts(self) -> dict[str, str]:
        """The JAVA_HOME of a process that has one: a companion's scripts need it beside a front in another language."""
        homes = [home for each in self.parts if (home := each.words.environment.get("JAVA_HOME")) is not None]
        return {"JAVA_HOME": homes[0]} if homes else {}

    def _notes_of_others(self) -> dict[str, str]:
        """Variables with the event and gauge files of the other judged processes: STEELYARD_EVENTS_<ROLE>,
        STEELYARD_GAUGES_<ROLE>."""
        others = (each for each in self.parts if each.part.judged and each is not self.front)
        return {
            f"{name}_{each.part.place.upper()}": each.words.environment[name]
            for each in others
            for name in ("STEELYARD_EVENTS", "STEELYARD_GAUGES")
        }

    def ended_part(self) -> RunningPart | None:
        """The first part that ended by itself; None while all run."""
        return next((part for part in self.parts if part.keeper.exit is not None), None)

    def death(self) -> str | None:
        """The known facts about a part that ended by itself, as a sentence; None while all run."""
        part = self.ended_part()
        if part is None:
            return None
        return f"{part.part.server.name} ({part.part.place}) ended with {part.keeper.exit}; {last_words(part.keeper)}"


def restore_state(server: Entry[Server], words: Words, log: Path, progress: Progress) -> str:
    """Restore a companion's starting state, and return its proof; raises ProvisionError."""
    state = server.model.state
    if state is None:
        return ""
    try:
        for argv in [*state.restore, state.verify]:
            output = keeper.output(
                build.placeholders(argv, words.placeholders),
                log=log.with_suffix(".state.log"),
                cwd=server.folder,
                environment=words.environment,
                seconds=_RESTORE_SECONDS,
                reach=words.site.reach,
                while_waiting=progress.refresh,
            )
    except KeeperError as error:
        raise ProvisionError(
            f"{server.name} could not be restored to its starting state: {error.message}", hint=error.hint
        ) from None
    return output.strip()


def last_words(kept: Keeper) -> str:
    """The end of a kept command's log, as a sentence."""
    return f"its log ends: {kept.log_tail()}" if kept.log_tail() else "its log is empty"
