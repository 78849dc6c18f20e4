"""Builds a service's implementation for a server, only where its sources changed since the last build."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..base.errors import BuildError, KeeperError, ToolchainError
from ..base.lock import waiting_lock
from ..base.progress import Progress
from ..catalogue.entries import Entry
from ..models.server import Server
from ..models.service import Service
from ..results import machine_history
from . import fetch, keeper
from .toolchain import require, require_commands

BUILD_SECONDS = 1200.0
MOST_BUILDS = 20  # times that are kept
BUILD_TIMES = "build-times"
_MADE = {"target", "bin", "obj", "node_modules", "__pycache__", ".pytest_cache", "vendor"}


def placeholders(argv: list[str], values: Mapping[str, str]) -> list[str]:
    """`argv` with each name in braces replaced by its value ({port}, {port.database}, {cache} ...); other braces stay."""
    replaced = []
    for word in argv:
        for name, value in values.items():
            word = word.replace("{" + name + "}", value)
        replaced.append(word)
    return replaced


def source_hash(*folders: Path) -> str:
    """SHA-256 over the names and contents of all source files below the folders, without build outputs."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder)
            if path.is_file() and not _MADE.intersection(relative.parts):
                digest.update(str(relative).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def provide(server: Entry[Server], service: Entry[Service] | None, progress: Progress) -> Path:
    """Fetch and build everything that a start of `server` with `service` needs; returns the server's cache folder.

    Raises ToolchainError, FetchError or BuildError.
    """
    environment = require_available(server)
    cache = fetch.fetch(server, progress, environment)
    if service is None or not server.model.build:
        return cache
    if server.model.implementation is None:
        raise BuildError(f"{server.name} has a build but names no implementation", hint=f"see {server.file}")
    sources = service.folder / server.model.implementation
    if not sources.is_dir():
        raise BuildError(
            f"{service.name} has no implementation '{server.model.implementation}', which {server.name} runs"
        )
    with waiting_lock(sources):
        for argv in server.model.build:
            note, wanted = _note(server, service, sources, cache, argv, environment)
            if not (note.is_file() and note.read_text(encoding="utf-8") == wanted):
                require_commands(server.model.needs.build_commands, server.name)
                begun = time.monotonic()
                _run_step(server, service, cache, argv, environment, progress)
                note.parent.mkdir(exist_ok=True)
                note.write_text(wanted, encoding="utf-8")
                _record_seconds(note, wanted, time.monotonic() - begun)
    return cache


def _record_seconds(note: Path, wanted: str, seconds: float) -> None:
    """Add the time of a build step to those of the same sources, in a file of their own: the inputs, then a time a line."""
    place = _times_file(note)
    with suppress(OSError):  # what was built is of use without its time
        lines = place.read_text(encoding="utf-8").splitlines() if place.is_file() else []
        earlier = lines[1:] if lines[:1] == [wanted] else []
        kept = [*earlier, f"{seconds:.3f}"][-MOST_BUILDS:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join([wanted, *kept]) + "\n", encoding="utf-8")


def _times_file(note: Path) -> Path:
    """The file of the times of a build step, in the history of this machine: a clean of what was built leaves it."""
    where = hashlib.sha256(str(note.absolute()).encode()).hexdigest()[:12]  # of one checkout and one server
    return machine_history.place() / BUILD_TIMES / f"{note.name.removeprefix('.built-')}-{where}"


def build_seconds(server: Entry[Server], service: Entry[Service], cache: Path) -> list[float]:
    """The seconds of each build of the present sources on this machine, all steps together; empty where none was timed."""
    steps = []
    implementation = server.model.implementation
    for argv in server.model.build if implementation is not None else ():
        note = _note_file(service, service.folder / (implementation or ""), cache, argv)
        lines = _times_file(note).read_text(encoding="utf-8").splitlines() if _times_file(note).is_file() else []
        steps.append([float(line) for line in lines[1:]])
    counted = min((len(times) for times in steps), default=0)
    latest = (times[-counted:] for times in steps if counted)
    return [round(sum(times), 3) for times in zip(*latest, strict=True)]


def artifact_bytes(
    server: Entry[Server], service: Entry[Service], cache: Path, factors: Mapping[str, str]
) -> int | None:
    """The size of what a user deploys: all files of the descriptor's `artifact`. None where it names none, or a file is missing."""
    values = {"cache": str(cache), "service": str(service.folder), "name": service.name}
    values |= {f"factor.{name}": value for name, value in factors.items()}
    total = 0
    for path in map(Path, placeholders(server.model.artifact, values)):
        inside = (each for each in path.rglob("*") if each.is_file() and not each.is_symlink())
        files = [path] if path.is_file() else list(inside)
        if not files:
            return None
        total += sum(each.stat().st_size for each in files)
    return total or None


def require_available(server: Entry[Server]) -> dict[str, str]:
    """The environment variables that a start of `server` needs; raises ToolchainError for the first of what must be on the machine
    beforehand and is not: a licensed product, commands, a JDK, Debian packages."""
    _require_licence(server)
    environment = require(server.model.needs, server.name)
    fetch.require_packages(server)
    if not fetch.is_fetched(server):
        require_commands(server.model.needs.build_commands, server.name)
    return environment


def _note_file(service: Entry[Service], sources: Path, cache: Path, argv: list[str]) -> Path:
    """The file that records the last inputs of a build step."""
    name = f".built-{service.name}-{hashlib.sha256(repr(argv).encode()).hexdigest()[:12]}"
    return (cache if any("{cache}" in word for word in argv) else sources / "target") / name


def _note(
    server: Entry[Server],
    service: Entry[Service],
    sources: Path,
    cache: Path,
    argv: list[str],
    environment: Mapping[str, str],
) -> tuple[Path, str]:
    """The file that records the last inputs of a build step, and its content for the inputs now.

    The output of a step in the implementation's target folder serves all servers with this step: one WAR, from one compiler, on
    all of them. The record lies beside it, so a clean removes both. Output in {cache} is the server's own. The hash covers the
    whole service, whose implementations may share sources, the sources shared by all services, and the monitor, which they may
    link.
    """
    note = _note_file(service, sources, cache, argv)
    shared = (
        server.folder.parent / "common",
        service.folder.parent / "common",
        *(server.folder.parent.parent / "monitor" / sources for sources in ("src", "agent")),
    )
    if any("{cache}" in word for word in argv):
        own = source_hash(service.folder, server.folder, *shared)
        return note, f"{own} {environment.get('JAVA_HOME', '')}"
    return note, source_hash(service.folder, *shared)


def _run_step(
    server: Entry[Server],
    service: Entry[Service],
    cache: Path,
    argv: list[str],
    environment: dict[str, str],
    progress: Progress,
) -> None:
    values = {"cache": str(cache), "service": str(service.folder)}
    with progress.stage(f"building {service.name}/{server.model.implementation} for {server.name}"):
        try:
            keeper.run(
                placeholders(argv, values),
                log=cache / f"build-{service.name}.log",
                cwd=server.folder,
                environment=environment,
                seconds=BUILD_SECONDS,
                while_waiting=progress.refresh,
            )
        except KeeperError as error:
            raise BuildError(f"{server.name}: {error.message}", hint=error.hint) from None


def _require_licence(server: Entry[Server]) -> None:
    """Check that a licensed product is installed: it is never fetched, and the user names an installation."""
    licence = server.model.licence
    if licence is None:
        return
    folder = os.environ.get(licence.variable)
    if not folder:
        raise ToolchainError(f"{server.name} needs {licence.variable}, which is not set", hint=licence.how)
    missing = next((part for part in licence.contains if not (Path(folder) / part).exists()), None)
    if missing is not None:
        raise ToolchainError(
            f"{server.name} needs {licence.variable}, which is {folder}, but {missing} is not there", hint=licence.how
        )
