"""The monitor's agent: how it is built, and how a server of the user's own is started with it."""

from __future__ import annotations

import os
from pathlib import Path

from ..base import paths
from ..base.errors import BuildError, KeeperError
from ..base.lock import waiting_lock
from ..base.progress import Progress
from ..models.server import Needs
from . import keeper
from .build import source_hash
from .toolchain import require

_JAR = "steelyard-monitor-agent.jar"
_OPTIONS = "JAVA_TOOL_OPTIONS"  # every JVM that comes of the target's start reads it
_BUILD_SECONDS = 1200.0


def provide(progress: Progress) -> Path:
    """The agent's jar, built where its sources changed; raises ToolchainError or BuildError."""
    sources = paths.root() / "monitor"
    folder = paths.cache() / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    note, wanted = folder / "built", source_hash(sources / "src", sources / "agent")
    with waiting_lock(folder):
        if note.is_file() and note.read_text(encoding="utf-8") == wanted:
            return folder / _JAR
        environment = require(Needs(jdk=17, commands=["mvn"]), "the agent")
        with progress.stage("building the agent"):
            try:
                keeper.run(
                    ["sh", str(sources / "agent" / "build.sh"), str(folder)],
                    log=folder / "build.log",
                    cwd=folder,
                    environment=environment,
                    seconds=_BUILD_SECONDS,
                    while_waiting=progress.refresh,
                )
            except KeeperError as error:
                raise BuildError(f"the agent: {error.message}", hint=error.hint) from None
        note.write_text(wanted, encoding="utf-8")
    return folder / _JAR


def environment(jar: Path, records: Path, service: Path) -> dict[str, str]:
    """What a server is started with so that its JVM has the agent, which writes into `records` and reads agent.properties of the
    service's folder; options that the user has there already stay."""
    properties = service / "agent.properties"
    settings = f",settings={properties.resolve()}" if properties.is_file() else ""
    option = f'"-javaagent:{jar}=records={records.resolve()}{settings}"'
    return {_OPTIONS: " ".join(word for word in (os.environ.get(_OPTIONS, ""), option) if word)}
