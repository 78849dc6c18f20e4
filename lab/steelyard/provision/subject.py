"""A running subject: its parts and companions, started, frozen, thawed, measured and stopped as one."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

from ..base import house
from ..base.conversation import Conversation
from ..base.errors import KeeperError, NoAnswerError, ProvisionError, SteelyardError
from ..base.progress import Progress
from ..base.text import counted
from ..catalogue import entries
from ..catalogue import factors as settings
from ..catalogue.entries import Entry
from ..models.server import Server
from ..models.service import Service
from ..models.study import PartSpec, SubjectSpec
from . import build, keeper, sockets
from .keeper import Keeper, ProcessUse
from .toolchain import require

BUSY_HEADER = "Steelyard-Busy-Us"  # microseconds of processor time that a service spends before it answers
_READY_PAUSE = 0.1
_PORTS = range(20_000, 32_000)  # below the kernel's ephemeral ports, which the engine's own connections use
_COUNT_BYTES = 2**16  # of an answer that is one number


@dataclass(frozen=True)
class Part:
    """One process of a subject before it runs: where it stands (`part1`, `companion1` ...), and what it is.

    `server` is as these `factors` make it: its version, its stack and its artifacts are those that run.
    """

    place: str
    server: Entry[Server]
    factors: dict[str, str]
    cache: Path
    judged: bool


@dataclass(frozen=True)
class Subject:
    """A subject whose servers are fetched and built. The first part takes the load.

    `same_as` names the subject whose running processes it shares, as another face of them.
    """

    label: str
    service: Entry[Service]
    parts: list[Part]
    headers: dict[str, str]
    same_as: str | None = None

    @property
    def front(self) -> Part:
        return next(part for part in self.parts if part.judged)

    def path(self) -> str:
        """The path of the service on the front part."""
        return self.path_on(self.front)

    def path_on(self, part: Part) -> str:
        """The path of the service on a part."""
        return part.server.model.path_of(self.service.model.path, part.factors)

    @property
    def may_freeze(self) -> bool:
        """Freezing breaks database and broker connections, so a subject with companions is never frozen by a design."""
        return all(part.judged and part.server.model.freeze for part in self.parts)


@dataclass(frozen=True)
class Words:
    """What the argument lists of one start are given: their placeholders' values and their environment."""

    placeholders: dict[str, str]
    environment: dict[str, str]


class RunningPart:
    """A part that was started: its keeper and that one's control socket, its port and its log."""

    def __init__(
        self, part: Part, kept: Keeper, control: Path, port: int, log: Path, words: Words, start_seconds: float
    ) -> None:
        self.part = part
        self.keeper = kept
        self.control = control
        self.port = port
        self.log = log
        self.words = words
        self.start_seconds = start_seconds


class RunningSubject:
    """All processes of a subject. Leaving the context of `started` stops them."""

    def __init__(self, subject: Subject, parts: list[RunningPart]) -> None:
        self.subject = subject
        self.parts = parts

    @property
    def front(self) -> RunningPart:
        return next(part for part in self.parts if part.part.judged)

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.front.port}{self.subject.path()}"

    @property
    def start_seconds(self) -> float:
        return sum(part.start_seconds for part in self.parts)

    def freeze(self) -> None:
        for part in self.parts:
            part.keeper.freeze()

    def thaw(self) -> None:
        for part in reversed(self.parts):
            part.keeper.thaw()

    def pin(self, cpus: Sequence[int]) -> None:
        for part in self.parts:
            part.keeper.pin(cpus)

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
                )
            except KeeperError as error:
                raise ProvisionError(
                    f"{server.name} could not be redeployed: {error.message}", hint=error.hint
                ) from None

    def stop(self, seconds: float) -> int:
        """Ask all processes to end (SIGTERM), and kill what is left of a part after `seconds`; gives how many were killed."""
        return sum(part.keeper.stop(seconds) for part in reversed(self.parts))

    def use(self) -> dict[str, list[ProcessUse]]:
        """What each process has used so far, by place."""
        return {part.part.place: part.keeper.use() for part in self.parts}

    def requests_served(self) -> int:
        """The service's own count of requests since it was started; raises ProvisionError where it gives none."""
        try:
            return _count(self.subject, self.front.port, 5.0)
        except (NoAnswerError, ValueError) as error:
            raise ProvisionError(f"{self.subject.label} does not tell how many requests it served: {error}") from None

    def ended(self) -> RunningPart | None:
        """The first part that ended by itself; None while all run."""
        return next((part for part in self.parts if part.keeper.exit is not None), None)

    def death(self) -> str | None:
        """What is known about a part that ended by itself, as a sentence; None while all run."""
        part = self.ended()
        if part is None:
            return None
        return f"{part.part.server.name} ({part.part.place}) ended with {part.keeper.exit}; {_last_words(part.keeper)}"


def provided(spec: SubjectSpec, service: Entry[Service], progress: Progress) -> Subject:
    """`spec` with all its servers fetched and built; raises what catalogue, fetch and build raise."""
    companions = [_part(f"companion{n}", part, None, progress) for n, part in enumerate(spec.companions, 1)]
    parts = [_part(f"part{n}", part, service, progress) for n, part in enumerate(spec.parts, 1)]
    return Subject(spec.label, service, [*companions, *parts], spec.headers)


def all_provided(specs: Sequence[SubjectSpec], service: Entry[Service], progress: Progress) -> list[Subject]:
    """Every subject, in the order given; a face has the parts of the subject that it is the same as."""
    made = {spec.label: provided(spec, service, progress) for spec in specs if spec.same_as is None}
    for spec in specs:
        if spec.slowed is not None and BUSY_HEADER not in spec.headers:
            raise ProvisionError(
                f"{spec.label} is slowed by a share of a request's cost, which must be measured first",
                hint="`steelyard calibrate` does that",
            )
        if spec.same_as is not None:
            if spec.same_as not in made:
                raise ProvisionError(f"{spec.label} is the same as {spec.same_as}, which is not among the subjects")
            made[spec.label] = replace(made[spec.same_as], label=spec.label, headers=spec.headers, same_as=spec.same_as)
    return [made[spec.label] for spec in specs]


def service_as_set(service: Entry[Service], subjects: Sequence[Subject]) -> Entry[Service]:
    """The service as these subjects run it; raises ProvisionError where its right answers are not the same for all of them."""
    first = subjects[0]
    for one in subjects:
        for name in service.model.generate_with:
            values = [each.front.factors[name] for each in (first, one)]
            if values[0] != values[1]:
                raise ProvisionError(
                    f"{first.label} and {one.label} answer differently: factor {name} is '{values[0]}' and '{values[1]}'",
                    hint="all subjects of a run get the same requests",
                )
    return replace(service, model=service.model.as_set(first.front.factors))


def _part(place: str, spec: PartSpec, service: Entry[Service] | None, progress: Progress) -> Part:
    server = entries.server(spec.server)
    factors = settings.settled(server, service, spec.factors)
    require(server.model.needs_with(factors), server.name)
    as_run = replace(server, model=server.model.as_run(factors))
    return Part(place, as_run, factors, build.provide(as_run, service, progress), judged=service is not None)


@contextmanager
def started(
    subject: Subject, folder: Path, cpus: Sequence[int], draw: random.Random, progress: Progress
) -> Iterator[RunningSubject]:
    """All processes of `subject`, ready to answer; logs go to `folder`, scratch folders are removed at the end.

    Raises ProvisionError that names the server and the end of its log where one dies or is not ready in time.
    """
    places = [part.place for part in subject.parts]
    ports = dict(zip(places, free_ports(draw, len(places)), strict=True))
    shared = {f"STEELYARD_PORT_{place.upper()}": str(port) for place, port in ports.items()}
    shared |= {f"STEELYARD_PATH_{part.place.upper()}": subject.path_on(part) for part in subject.parts if part.judged}
    shared["STEELYARD_PASSWORD"] = secrets.token_hex(16)  # of what only the subject may use, such as its database
    with ExitStack() as stack:
        running: list[RunningPart] = []
        controls = Path(stack.enter_context(_controls()))
        for part in subject.parts:
            with progress.stage(f"starting {subject.label}"):
                running.append(
                    _start(subject, part, ports[part.place], shared, folder, controls, cpus, stack, progress)
                )
        yield RunningSubject(subject, running)


def _start(
    subject: Subject,
    part: Part,
    port: int,
    shared: dict[str, str],
    folder: Path,
    controls: Path,
    cpus: Sequence[int],
    stack: ExitStack,
    progress: Progress,
) -> RunningPart:
    server = part.server
    # Not by the label: it may hold `@heap=1g`, and Jetty, for one, takes no folder with an equals sign in its name.
    scratch = stack.enter_context(_scratch(f"{server.name}-{part.place}-"))
    log = folder / f"{subject.label}.{part.place}.log"
    environment = {
        **require(server.model.needs_with(part.factors), server.name),
        **shared,
        **settings.environment(subject.service, part.factors),
        "STEELYARD_CPUS": str(max(1, len(cpus))),
    }
    values = {"port": str(port), "scratch": scratch, "cache": str(part.cache), "service": str(subject.service.folder)}
    for argv in server.model.prepare:
        try:
            command = build.placeholders(argv, values)
            keeper.run(
                command, log=log, cwd=server.folder, environment=environment, seconds=60, while_waiting=progress.refresh
            )
        except KeeperError as error:
            raise ProvisionError(f"{server.name} could not be prepared: {error.message}", hint=error.hint) from None
    begun = time.monotonic()
    control = controls / part.place
    kept = stack.enter_context(
        Keeper(
            build.placeholders(server.model.start, values),
            log=log,
            cwd=server.folder,
            environment=environment,
            control=control,
        )
    )
    ready = build.placeholders(server.model.ready, values)

    def counts() -> bool:
        listens = any(one.port == port for one in sockets.listening([used.pid for used in kept.use()]))
        return listens and (not part.judged or _counts(subject, port))

    _await_ready(server, kept, ready, counts, environment, folder, progress)
    return RunningPart(part, kept, control, port, log, Words(values, environment), time.monotonic() - begun)


def _await_ready(
    server: Entry[Server],
    kept: Keeper,
    ready: list[str],
    counts: Callable[[], bool],
    environment: dict[str, str],
    folder: Path,
    progress: Progress,
) -> None:
    """Until `ready` exits with 0 and the service `counts`; raises ProvisionError where the server dies or is late.

    `ready` tells that somebody listens, which may be a stranger on the same port; `counts` must ask the server itself.
    """
    deadline = time.monotonic() + server.model.ready_seconds
    probe_log = folder / f"{server.name}.ready.log"
    while True:
        if kept.exit is not None:
            raise ProvisionError(
                f"{server.name} died before it was ready ({kept.exit}): {_last_words(kept)}",
                hint=f"its log is {kept.log}",
            )
        try:
            keeper.run(ready, log=probe_log, cwd=server.folder, environment=environment, seconds=10)
            if counts():
                probe_log.unlink(missing_ok=True)
                return
        except KeeperError:
            pass  # not ready yet
        if time.monotonic() > deadline:
            raise ProvisionError(
                f"{server.name} was not ready after {server.model.ready_seconds:g} s: {_last_words(kept)}",
                hint=f"its log is {kept.log}",
            )
        progress.refresh()
        kept.wait(_READY_PAUSE)


def _counts(subject: Subject, port: int) -> bool:
    try:
        return _count(subject, port, 2.0) >= 0
    except (NoAnswerError, ValueError):
        return False


def _count(subject: Subject, port: int, seconds: float) -> int:
    """The service's count of requests on a port; raises NoAnswerError, or ValueError where the answer is not one number."""
    url = f"http://127.0.0.1:{port}{subject.service.model.counter}"
    conversation = Conversation(url, seconds, most_bytes=_COUNT_BYTES)
    try:
        answer = conversation.get(subject.headers)
    finally:
        conversation.close()
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"HTTP status {answer.status}")
    return int(answer.body)


def _last_words(kept: Keeper) -> str:
    return f"its log ends: {kept.log_tail()}" if kept.log_tail() else "its log is empty"


def free_ports(draw: random.Random, count: int) -> list[int]:
    """Different loopback ports that nobody listens on now, drawn at random; raises ProvisionError where too few are found."""
    found: list[int] = []
    with ExitStack() as held:  # each is kept until all are drawn
        for _ in range(200):
            if len(found) == count:
                return found
            port = draw.choice(_PORTS)
            probe = held.enter_context(socket.socket())
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                found.append(port)
    raise ProvisionError(f"no {counted(count, 'free port')} could be found between {_PORTS.start} and {_PORTS.stop}")


def _sweep(base: Path) -> None:
    """Remove what a killed lab left: scratch folders are named after the process that made them."""
    for left in base.iterdir():
        owner = left.name.partition("-")[0]
        if not owner.isdigit() or not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _controls() -> Iterator[str]:
    """A folder for control sockets. Not in the scratch folder: a socket's path has 107 bytes at the most."""
    try:
        holder = tempfile.TemporaryDirectory(prefix="steelyard-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SteelyardError(
            f"no folder for control sockets can be made in {tempfile.gettempdir()}: {error.strerror}",
            hint="set TMPDIR to a folder that can be written",
        ) from None
    with holder as folder:
        yield folder


@contextmanager
def _scratch(prefix: str) -> Iterator[str]:
    base = house.cache() / "scratch"
    try:
        base.mkdir(parents=True, exist_ok=True)
        _sweep(base)
        holder = tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-{prefix}", dir=base, ignore_cleanup_errors=True)
    except OSError as error:
        raise SteelyardError(f"no scratch folder can be made in {base}: {error.strerror}") from None
    with holder as folder:
        yield folder
