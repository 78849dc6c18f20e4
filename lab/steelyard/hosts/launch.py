"""Starts a subject: its parts and companions one after the other, each ready before the next, on free ports."""

from __future__ import annotations

import errno
import random
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path

from ..base.errors import CommandFailedError, KeeperError, NoAnswerError, ProvisionError
from ..base.http_client import Access
from ..base.paths import HOST
from ..base.progress import Progress
from ..base.text import plural
from ..catalogue import factors as settings
from ..catalogue.entries import Entry
from ..models.server import NEVER_READY, Server
from ..models.study import Observed
from ..results.collector_log import collector_log_of
from ..results.layer_records import records_of
from . import agent, build, keeper, own_launch, server_certificate
from .asking import answer_of, service_count
from .cpus import Shares
from .first_answer import FirstAnswer
from .keeper import Keeper
from .placement import LOOPBACK, Placement
from .running import RunningPart, RunningSubject, Words, last_words, restore_state
from .scratch import control_folder, scratch_folder
from .subject import Part, Subject

EVENTS, GAUGES = ".events.csv", ".gauges.csv"
_READY_PAUSE = 0.1
_ASK_SECONDS = 5.0
_PORTS = range(20_000, 32_000)  # below the kernel's ephemeral ports, which the engine's own connections use
# Statuses of a server without the service, or not yet with it. Another refusal comes from the service: not every product
# serves a description of it.
_NOT_THERE = (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)


@contextmanager
def running_subject(
    subject: Subject,
    folder: Path,
    shares: Shares,
    draw: random.Random,
    progress: Progress,
    observe: Collection[Observed] = (),
    patience: float = 1.0,
    site: Placement = LOOPBACK,
) -> Iterator[RunningSubject]:
    """All processes of `subject`, ready to answer; logs go to `folder`, scratch folders are removed at the end.

    Its judged processes also write the observations `observe` into `folder`. Each may take `patience` times its declared time to
    get ready. All run on the host `site`. Where the subject has an `ask_once`, its front part is asked
    from the start until an answer is right.

    Raises ProvisionError, with the server's name and the end of its log, where one dies or is not ready in time.
    """
    places = [part.place for part in subject.parts]
    names = places + [f"{part.place}.{more}" for part in subject.parts for more in part.server.model.more_ports]
    ports = dict(zip(names, free_ports(draw, len(names), site.address), strict=True))
    ports |= {part.place: part.own.port for part in subject.parts if part.own is not None and part.own.port is not None}
    shared = {f"STEELYARD_PORT_{name.upper().replace('.', '_')}": str(port) for name, port in ports.items()}
    shared |= {f"STEELYARD_PATH_{part.place.upper()}": subject.path_on(part) for part in subject.parts if part.judged}
    shared["STEELYARD_HOST"] = site.address
    shared["STEELYARD_PASSWORD"] = secrets.token_hex(16)  # resources for the subject alone, such as its database
    with ExitStack() as stack:
        running: list[RunningPart] = []
        controls = Path(stack.enter_context(control_folder()))
        for place in (controls, folder):
            stack.enter_context(site.reach.mirror_folder(place))
        ground = _Ground(ports, shared, folder, controls, shares, stack, progress, observe, patience, site)
        # The front part comes last, since it may only forward requests to the others.
        for part in sorted(subject.parts, key=lambda part: part is subject.front):
            with progress.stage(f"starting {subject.label}"):
                running.append(_start(subject, part, ground))
        yield RunningSubject(subject, sorted(running, key=lambda up: places.index(up.part.place)))


@dataclass(frozen=True)
class _Ground:
    """What all parts of a subject share at their start: the port of each by its place, shared environment variables, the folders
    of logs and of keepers' sockets, the machine's processors, the exit stack, the observations, the patience factor, and the
    host."""

    ports: Mapping[str, int]
    shared: Mapping[str, str]
    folder: Path
    controls: Path
    shares: Shares
    stack: ExitStack
    progress: Progress
    observe: Collection[Observed]
    patience: float
    site: Placement


def _start(subject: Subject, part: Part, ground: _Ground) -> RunningPart:
    server, port = part.server, ground.ports[part.place]
    # Not by the label: it may contain `@heap=1g`, and Jetty, for example, rejects folders with an equals sign.
    scratch = ground.stack.enter_context(scratch_folder(f"{server.name}-{part.place}-"))
    ground.stack.enter_context(ground.site.reach.mirror_folder(Path(scratch)))
    log = ground.folder / f"{subject.label}.{part.place}.log"
    words = _words(subject, part, scratch, ground)
    words.environment["STEELYARD_EVENTS"] = str(events_file(ground.folder, subject.label, part.place).resolve())
    words.environment["STEELYARD_GAUGES"] = str(gauges_file(ground.folder, subject.label, part.place).resolve())
    if part.own is not None:
        own_launch.require_free(part.own, server.name, ground.site)
    _prepare(server, words, log, ground.progress)
    begun = time.monotonic()
    control = ground.controls / part.place

    def run() -> Keeper:
        """Its process, ready to answer."""
        control.unlink(missing_ok=True)  # left by an earlier process that had no time to remove it
        kept = ground.stack.enter_context(_keeper_of(subject, part, words, log, control))
        if part.own is not None:
            ground.stack.callback(own_launch.stop, part.own, kept, words, log)
        is_up = _is_up_of(subject, part, ground.site, port, kept)
        name = server.name if part.own is None else own_launch.start_name(part.own, subject.label)
        undeployed = partial(_undeployed_clause, subject, part, ground.site, port)
        _await_ready(server, name, kept, words, is_up, undeployed, ground)
        if ground.site != LOOPBACK and part.own is None:
            _require_bound(server, kept, ground.site)
        return kept

    waiting = _first_answer(subject, part, ground, port)
    try:
        kept = run()
        start_seconds = time.monotonic() - begun
        first_answer = None if waiting is None else waiting.seconds()
    finally:
        if waiting is not None:
            waiting.stop()
    state = restore_state(server, words, log, ground.progress)
    up = RunningPart(part, kept, control, log, words, start_seconds, state, run)
    up.first_answer_seconds = first_answer
    return up


def _first_answer(subject: Subject, part: Part, ground: _Ground, port: int) -> FirstAnswer | None:
    """The wait for the first right answer of the front part; None for other parts, and where it was not asked for."""
    if subject.ask_once is None or part is not subject.front:
        return None
    authority = server_certificate.authority(ground.site.address) if part.secure else None
    url = ground.site.url(port, subject.path(), secure=part.secure)
    return FirstAnswer(subject.ask_once, url, Access(subject.headers, authority))


def _keeper_of(subject: Subject, part: Part, words: Words, log: Path, control: Path) -> Keeper:
    """The keeper of a part's process; raises KeeperError, and ProvisionError where a user's own start line cannot be run."""
    if part.own is None:
        argv = build.placeholders(part.server.model.start, words.placeholders)
        folder = part.server.folder
        return Keeper(argv, log=log, cwd=folder, environment=words.environment, control=control, reach=words.site.reach)
    try:
        return own_launch.keeper_of(part.own, words, log, control)
    except KeeperError as error:
        called = own_launch.start_name(part.own, subject.label)
        raise ProvisionError(f"{called} could not be run: {error.message}", hint=error.hint) from None


def events_file(folder: Path, label: str, place: str) -> Path:
    """The file for a process's events, `name,id,time_ns` a line with CLOCK_MONOTONIC; the trial keeps it."""
    return folder / f"{label}.{place}{EVENTS}"


def gauges_file(folder: Path, label: str, place: str) -> Path:
    """The file for a process's samples of its own state, `name,value,time_ns` a line; the trial keeps it."""
    return folder / f"{label}.{place}{GAUGES}"


def _words(subject: Subject, part: Part, scratch: str, ground: _Ground) -> Words:
    server = part.server
    placeholders = {
        **{f"port.{place}": str(each) for place, each in ground.ports.items()},
        "host": ground.site.address,
        "port": str(ground.ports[part.place]),
        "scratch": scratch,
        "cache": str(part.cache),
        "service": str(subject.service.folder),
    }
    environment = {
        **ground.site.reach.require(server.model.needs_with(part.factors), server.name),
        **ground.shared,
        **settings.environment(subject.service, subject.factors_for(part)),
        **({} if subject.keys is None else {"STEELYARD_KEYS": str(subject.keys)}),
        **({"STEELYARD_CERTIFICATE": str(server_certificate.folder(ground.site.address))} if part.secure else {}),
        "STEELYARD_CPUS": str(max(1, len(part.share_of(ground.shares)))),
        **(_observation_variables(subject, part, ground) if part.judged else {}),
    }
    if part.own is not None:
        environment |= own_launch.environment(part.own, ground.ports[part.place], environment.get("STEELYARD_GC_LOG"))
        if (records := environment.get("STEELYARD_RECORDS")) is not None:
            environment |= agent.environment(agent.provide(ground.progress), Path(records), Path(part.own.folder))
    return Words(placeholders, environment, ground.site)


def _observation_variables(subject: Subject, part: Part, ground: _Ground) -> dict[str, str]:
    """Environment variables for a process's observations: the monitor's folder, the collector's log."""
    places = {
        "layers": ("STEELYARD_RECORDS", records_of(ground.folder, subject.label, part.place)),
        "collector": ("STEELYARD_GC_LOG", collector_log_of(ground.folder, subject.label, part.place)),
    }
    return {
        variable: str(path.resolve()) for quantity, (variable, path) in places.items() if quantity in ground.observe
    }


def _prepare(server: Entry[Server], words: Words, log: Path, progress: Progress) -> None:
    """Run the preparation commands of the server; raises ProvisionError where one fails."""
    for argv in server.model.prepare:
        try:
            keeper.run(
                build.placeholders(argv, words.placeholders),
                log=log,
                cwd=server.folder,
                environment=words.environment,
                seconds=max(60, server.model.ready_seconds),
                reach=words.site.reach,
                while_waiting=progress.refresh,
            )
        except KeeperError as error:
            raise ProvisionError(f"{server.name} could not be prepared: {error.message}", hint=error.hint) from None


def _await_ready(
    server: Entry[Server],
    name: str,
    kept: Keeper,
    words: Words,
    is_up: Callable[[], bool],
    undeployed: Callable[[], str],
    ground: _Ground,
) -> None:
    """Wait until `ready` exits with 0 and the service `counts`; raises ProvisionError where the server dies, is late or gives up.

    `name` is the server's name in messages. `ready` only shows that something listens, possibly a foreign process on the same
    port; `is_up` must query the server itself, and `undeployed` describes its answer.
    """
    seconds = server.model.ready_seconds * ground.patience
    deadline = time.monotonic() + seconds
    ready = build.placeholders(server.model.ready, words.placeholders)
    probe_log = ground.folder / f"{server.name}.ready.log"
    log_hint, refusal = f"its log is {kept.log}", ""
    while True:
        if kept.exit is not None:
            raise ProvisionError(f"{name} died before it was ready ({kept.exit}): {last_words(kept)}", hint=log_hint)
        try:
            keeper.run(
                ready,
                log=probe_log,
                cwd=server.folder,
                environment=words.environment,
                seconds=10,
                reach=words.site.reach,
            )
            if is_up():
                probe_log.unlink(missing_ok=True)
                return
        except CommandFailedError as error:
            if error.code == NEVER_READY:
                reason = error.output or "without a reason"
                raise ProvisionError(f"{name} will not be ready: {reason}", hint=log_hint) from None
            refusal = f"; its ready command: {error.message}"
        except KeeperError as error:
            refusal = f"; its ready command: {error.message}"
        if time.monotonic() > deadline:
            raise ProvisionError(
                f"{name} was not ready after {seconds:g} s{undeployed()}: {last_words(kept)}",
                hint=f"{log_hint}{refusal}",
            )
        ground.progress.refresh()
        kept.wait(_READY_PAUSE)


def _require_bound(server: Entry[Server], kept: Keeper, site: Placement) -> None:
    """Raise ProvisionError where a server on a declared host listens beyond that host's address and its loopback."""
    for listener in site.reach.listening(kept.pids()):
        if not listener.loopback and str(listener.address) != site.address:
            raise ProvisionError(
                f"{server.name} listens on {listener}, but on host '{site.name}' it may only listen on {site.address}",
                hint="its start line must pass {host} (STEELYARD_HOST) as the address",
            )


def _is_up_of(subject: Subject, part: Part, site: Placement, port: int, kept: Keeper) -> Callable[[], bool]:
    """A function that returns whether a part listens and, where it is judged, answers."""
    answers, begun = own_launch.answers(subject.service, site, port), time.monotonic()

    def is_up() -> bool:
        if part.own is not None:
            listens = own_launch.on_its_port(part.own, part.server.name, kept, site, port, begun)
        else:
            listens = any(listener.port == port for listener in site.reach.listening(kept.pids()))
        return listens and (not part.judged or _is_up(subject, part, site, port, answers))

    return is_up


def _is_up(subject: Subject, part: Part, site: Placement, port: int, answers: Callable[[], bool]) -> bool:
    """Whether the service reports its count, its description, or a user's own answers; true for a service without any of
    these."""
    model = subject.service.model
    try:
        if model.counter is not None:
            return service_count(subject, part, site, port, 2.0) >= 0
        if model.description is not None:
            return _status(subject, part, site, port, subject.path_on(part) + model.description) not in _NOT_THERE
        return not model.is_own or answers()
    except (NoAnswerError, ValueError):
        return False


def _undeployed_clause(subject: Subject, part: Part, site: Placement, port: int) -> str:
    """A clause that an answering server does not have the service; empty where that is not known."""
    description = subject.service.model.description
    if description is None or not part.judged:
        return ""
    path = subject.path_on(part) + description
    try:
        return f"; it runs and answers GET {path} with status {_status(subject, part, site, port, path)}"
    except NoAnswerError:
        return ""


def _status(subject: Subject, part: Part, site: Placement, port: int, path: str) -> int:
    """The HTTP status of a part's answer to GET `path`; raises NoAnswerError."""
    return answer_of(subject, part, site, port, path, _ASK_SECONDS).status


def free_ports(draw: random.Random, count: int, address: str = HOST) -> list[int]:
    """Different free ports of an address, drawn at random; raises ProvisionError where too few are free.

    On another machine's address, each port is tested once.
    """
    ports: list[int] = []
    with ExitStack() as held:  # each stays bound until all are drawn
        for _ in range(200):
            if len(ports) == count:
                return ports
            port = draw.choice(_PORTS)
            probe = held.enter_context(socket.socket())
            try:
                probe.bind((address, port))
                ports.append(port)
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL and port not in ports and _is_refused(address, port):
                    ports.append(port)
    raise ProvisionError(f"no {plural(count, 'free port')} could be found between {_PORTS.start} and {_PORTS.stop}")


def _is_refused(address: str, port: int) -> bool:
    """Whether a port of another host refuses connections."""
    with socket.socket() as probe:
        probe.settimeout(_ASK_SECONDS)
        return probe.connect_ex((address, port)) == errno.ECONNREFUSED
