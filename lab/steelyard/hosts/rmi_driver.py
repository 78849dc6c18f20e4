"""The driver for Java RMI (engine/rmi), which is built only where a subject uses RMI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..base import paths
from ..base.errors import BuildError, KeeperError, ToolchainError
from ..base.lock import waiting_lock
from ..base.progress import Progress
from ..base.temporary_folder import temporary_folder
from ..models.server import Needs
from . import keeper
from .build import BUILD_SECONDS, source_hash
from .toolchain import jdk_home, require

NAME = "the RMI driver"
_JDK = 25  # Java release of the compiled driver
_JAR = "steelyard-rmi.jar"
# The driver has one processor: a collector without threads of its own, and a fixed heap.
_OPTIONS = ("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m")


def provide(progress: Progress) -> None:
    """Build the driver where its sources have changed; raises ToolchainError or BuildError."""
    folder = _folder()
    if (folder / _JAR).is_file():
        return
    environment = require(Needs(jdk=_JDK, commands=["mvn"]), NAME)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with waiting_lock(_sources()), progress.stage(f"building {NAME}"):
        if (folder / _JAR).is_file():  # another lab was faster
            return
        with temporary_folder(folder.parent) as scratch:
            made = scratch / "made"
            try:
                keeper.run(
                    ["sh", str(_sources() / "build.sh"), str(made)],
                    log=folder.parent / "build-rmi.log",
                    cwd=_sources(),
                    environment=environment,
                    seconds=BUILD_SECONDS,
                    while_waiting=progress.refresh,
                )
            except KeeperError as error:
                raise BuildError(f"{NAME}: {error.message}", hint=error.hint) from None
            made.rename(folder)


def command(cpus: Sequence[int] = ()) -> list[str]:
    """The driver's argument list, bound to these processors if given; raises ToolchainError where it is not built."""
    home, jar = jdk_home(_JDK), _folder() / _JAR
    if home is None or not jar.is_file():
        raise ToolchainError(f"{NAME} is not built", hint="its cache was emptied; the next run builds it")
    pinned = ["taskset", "--cpu-list", ",".join(map(str, cpus))] if cpus else []
    return [*pinned, str(home / "bin" / "java"), *_OPTIONS, "-jar", str(jar)]


def _sources() -> Path:
    return paths.root() / "engine" / "rmi"


def _folder() -> Path:
    return paths.cache() / "drivers" / f"rmi-{source_hash(_sources())[:12]}"
