"""A subject whose processes run: frozen, thawed, pinned, asked, measured and stopped as one."""

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
from .containers import Container
from .cpus import Shares, pin_thread
from .keeper import Keeper, ProcessUse
from .placement import LOOPBACK, Placement
from .subject import Part, Subject

_RESTORE_SECONDS = 120
_RECONCILE_SECONDS = 120
_COMMAND_SECONDS = 30


@dataclass(frozen=True)
class Words:
    """What the argument lists of one start are given: their placeholders' values and their environment; and where they run."""

    placeholders: dict[str, str]
    environment: dict[str, str]
    site: Placement = LOOPBACK


class RunningPart:
    """A part that was started: its keeper and that one's control socket, its host, its port and its log, and what proved a
    companion's starting state."""

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
        # A server sizes itself by the processors that it sees when it starts, and must see the same when it starts again.
        self._cpus = os.sched_getaffinity(0)
        self.state = state
        self.keeper = kept
        self.control = control
        self.site = words.site
        self.port = int(words.placeholders["port"])
        self.log = log
        self.words = words
        own = part.own
        engine = None if own is None else own.engine
        self._container = None if engine is None else Container(engine, f"steelyard-{self.port}")
        self.start_seconds = start_seconds
        self.restored = 0  # how often since it was started, by whichever subjects share it

    def use(self) -> list[ProcessUse]:
        """What each of its processes has used so far; raises KeeperError."""
        return self.keeper.use() if self._container is None else self._container.use()

    def pin(self, cpus: Sequence[int]) -> None:
        """Keep its processes on these processors; raises KeeperError."""
        self.keeper.pin(cpus)
        if self._container is not None:
            self._container.pin(cpus)

    def start_again(self) -> None:
        """Run it anew on what it left, once it has ended, with nothing prepared or restored: in the same folder, on the same port,
        with the same environment, and until it is pinned on the processors of the first time.

        Returns when it is ready; raises ProvisionError or KeeperError where it does not come up.
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
        self._settled: dict[str, int] = {}  # what the service counted when it was last settled

    @property
    def front(self) -> RunningPart:
        """The part that the engine asks and that is judged; the others stand behind it."""
        return next(part for part in self.parts if part.part.judged)

    def part_in_role(self, place: str) -> RunningPart:
        """The part in a role."""
        return next(part for part in self.parts if part.part.place == place)

    @property
    def host(self) -> str:
        """Where the front part answers."""
        return self.front.site.address

    @property
    def url(self) -> str:
        """Where the front part answers the service's requests."""
        return self.front.site.url(self.front.port, self.subject.path(), secure=self.front.part.secure)

    @property
    def access(self) -> Access:
        """With what the front part is asked."""
        authority = server_certificate.authority(self.host) if self.front.part.secure else None
        return Access(self.subject.headers, authority)

    def compiles(self) -> bool:
        """Whether one of its servers compiles while it runs: by its descriptor, or since compiler threads have worked in it."""
        return any(
            part.part.server.model.jvm or any(used.jit_ns for used in part.use())
            for part in self.parts
            if part.part.judged
        )

    @property
    def start_seconds(self) -> float:
        """How long all parts together took to start."""
        return sum(part.start_seconds for part in self.parts)

    def freeze(self) -> None:
        """Stop the processes of all parts where they are (SIGSTOP); raises KeeperError."""
        for part in self.parts:
            part.keeper.freeze()

    def thaw(self) -> None:
        """Let the frozen processes of all parts go on (SIGCONT), in the reverse order; raises KeeperError."""
        for part in reversed(self.parts):
            part.keeper.thaw()

    def pin(self, shares: Shares) -> None:
        """Keep each part's processes on the processors that `shares` gives it; raises KeeperError."""
        for part in self.parts:
            part.pin(part.part.share_of(shares))

    def unpin(self, shares: Shares) -> None:
        """Let the processes of all parts run on every processor that subjects and engine have; raises KeeperError."""
        for part in self.parts:
            part.pin(sorted({*shares.server, *shares.companions, *shares.engine}))

    def restore(self, progress: Progress) -> list[tuple[str, str, str]]:
        """Bring the companions that have a starting state back to it, while the service runs.

        Gives of each its role, what proved its state when it was started, and what does now; raises ProvisionError.
        """
        told = []
        for part in self.parts:
            if part.part.server.model.state is not None:
                part.restored += 1
                again = {**part.words.environment, "STEELYARD_RESTORED": str(part.restored)}
                words = replace(part.words, environment=again)
                told.append((part.part.place, part.state, restore_state(part.part.server, words, part.log, progress)))
        return told

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
        """Ask all processes to end (SIGTERM), and kill what is left of a part after `seconds`; gives how many were killed."""
        return sum(part.keeper.stop(seconds) for part in reversed(self.parts))

    def end_judged_processes(self, seconds: float) -> int:
        """Ask the judged processes alone to end (SIGTERM), so that they write what they still hold; gives how many were killed."""
        return sum(part.keeper.stop(seconds) for part in reversed(self.parts) if part.part.judged)

    def use(self) -> dict[str, list[ProcessUse]]:
        """What each process has used so far, by place."""
        return {part.part.place: part.use() for part in self.parts}

    def requests_served(self) -> int | None:
        """The service's own count of requests since it was started, None if it has no counter.

        Of a front part that only passes requests on, what all instances behind it counted together. Raises ProvisionError where it
        has one and does not tell.
        """
        if self.subject.service.model.counter is None:
            return None
        try:
            return sum(service_count(self.subject, up.part, up.site, up.port, 5.0) for up in self._counting())
        except (NoAnswerError, ValueError) as error:
            raise ProvisionError(f"{self.subject.label} does not tell how many requests it served: {error}") from None

    def _counting(self) -> list[RunningPart]:
        """The parts whose counts make up the subject's."""
        serving = [
            part for part in self.parts if part.part.judged and part.part.server.model.implementation is not None
        ]
        return [self.front] if self.front in serving or not serving else serving

    def reconcile(self, asked: Reconciliation) -> tuple[str, str]:
        """What a reconciliation should print, and what it prints; raises ProvisionError or KeeperError where it cannot be made."""
        expected = asked.expect.replace("{requests}", str(self.requests_served()))
        for name, count in self._settled.items():
            expected = expected.replace(f"{{{name}}}", str(count))
        return expected, self._command_output(asked.command, asked.name, _RECONCILE_SECONDS)

    def wait_for_background_work(self, while_waiting: Callable[[], None]) -> tuple[bool, dict[str, int]] | None:
        """Waits until the work that outlived its answers is done: whether it was in time, and what the service counts.

        None where the service has no such work. Raises ProvisionError or KeeperError where it cannot be told.
        """
        asked = self.subject.service.model.settle
        if asked is None:
            return None
        argv = [word.replace("{seconds}", f"{asked.seconds:g}") for word in self._with_own_python(asked.command)]
        printed = self._command_output(argv, "settle", asked.seconds + _RECONCILE_SECONDS, while_waiting)
        settled, self._settled = self._outcome("settle", printed)
        return settled, self._settled

    def wait_for_aftermath(self, since_ns: int, while_waiting: Callable[[], None]) -> tuple[bool, dict[str, int]]:
        """Waits until the service has nothing left to do after a fault: whether it came to that, and what became of the work that
        it accepted since `since_ns` (CLOCK_MONOTONIC). Raises ProvisionError or KeeperError where it cannot be told.
        """
        asked = self.subject.service.model.aftermath
        if asked is None:
            raise ProvisionError(f"{self.subject.service.name} does not say what becomes of its work after a fault")
        values = {"{seconds}": f"{asked.seconds:g}", "{since}": str(since_ns)}
        argv = [values.get(word, word) for word in self._with_own_python(asked.command)]
        printed = self._command_output(argv, "aftermath", asked.seconds + _RECONCILE_SECONDS, while_waiting)
        settled, counts = self._outcome("aftermath", printed)
        if missing := {"accepted", *(outcome.name for outcome in asked.outcomes)} - counts.keys():
            raise ProvisionError(f"the aftermath command of {self.subject.service.name} counts no '{min(missing)}'")
        return settled, counts

    def plant(self, name: str, *, end: bool) -> None:
        """Have the service begin, or end, to do wrong what it knows by that name; raises ProvisionError or KeeperError."""
        plant = self.subject.service.model.plants[name]
        self._command_output(
            self._with_own_python(plant.end if end else plant.begin), f"plant-{name}", _COMMAND_SECONDS
        )

    def _with_own_python(self, argv: Sequence[str]) -> list[str]:
        """The Python that the lab has where the subject runs, in place of whichever is found there."""
        return [self.front.site.reach.python if word == "python3" else word for word in argv]

    def _outcome(self, command: str, printed: str) -> tuple[bool, dict[str, int]]:
        """What a command says of the service's work; raises ProvisionError."""
        try:
            outcome = json.loads(printed)
            counts = {str(name): int(count) for name, count in outcome["counts"].items()}
            return bool(outcome["settled"]), counts
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ProvisionError(
                f"the {command} command of {self.subject.service.name} printed '{printed[:120]}'",
                hint='it prints {"settled": true, "counts": {...}}',
            ) from None

    def _command_output(
        self, argv: list[str], name: str, seconds: float, while_waiting: Callable[[], None] = lambda: None
    ) -> str:
        """What a command that asks after this subject prints."""
        values = {"host": self.host, "service": str(self.subject.service.folder)}
        for each in self.parts:
            place, folder = each.part.place, each.part.server.folder
            values |= {f"port.{place}": str(each.port), f"cache.{place}": str(each.part.cache)}
            values[f"server.{place}"] = str(folder)
            for more in each.part.server.model.more_ports:
                values[f"port.{place}.{more}"] = each.words.placeholders[f"port.{place}.{more}"]
        said = keeper.output(
            build.placeholders(argv, values),
            log=self.front.log.with_suffix(f".{name}.log"),
            cwd=self.subject.service.folder,
            environment={**self.front.words.environment, **self._notes_of_others()},
            seconds=seconds,
            reach=self.front.site.reach,
            while_waiting=while_waiting,
        )
        return said.strip()

    def _notes_of_others(self) -> dict[str, str]:
        """Where the other judged processes write what they note of themselves: STEELYARD_EVENTS_<ROLE>, STEELYARD_GAUGES_<ROLE>."""
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
        """What is known about a part that ended by itself, as a sentence; None while all run."""
        part = self.ended_part()
        if part is None:
            return None
        return f"{part.part.server.name} ({part.part.place}) ended with {part.keeper.exit}; {last_words(part.keeper)}"


def restore_state(server: Entry[Server], words: Words, log: Path, progress: Progress) -> str:
    """What proves that a companion is in its starting state, once it was brought there; raises ProvisionError."""
    state = server.model.state
    if state is None:
        return ""
    try:
        for argv in [*state.restore, state.verify]:
            said = keeper.output(
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
            f"{server.name} could not be brought to its starting state: {error.message}", hint=error.hint
        ) from None
    return said.strip()


def last_words(kept: Keeper) -> str:
    """How the log of what is kept ends, as a sentence."""
    return f"its log ends: {kept.log_tail()}" if kept.log_tail() else "its log is empty"
