"""The processes of a container. The container engine starts them outside its client, so a keeper of the client neither sees nor
pins them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..base import children
from ..base.errors import KeeperError
from . import process_table
from .keeper import Keeper, ProcessUse

_SECONDS = 30.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Container:
    """A running container, by its engine's program (docker or podman) and its name."""

    def __init__(self, engine: str, name: str) -> None:
        self._engine = engine
        self._name = name
        self._first: int | None = None

    @property
    def removal(self) -> list[str]:
        """The command that ends it and removes it, whatever became of its client."""
        return [self._engine, "rm", "--force", self._name]

    def use(self) -> list[ProcessUse]:
        """The use of each of its processes so far, with JIT compilers included; raises KeeperError."""
        table = process_table.processes()
        inside = [process for process in table.values() if process_table.descends(process, {self._first_pid()}, table)]
        return [
            ProcessUse(
                pid=process.pid,
                start_ticks=process.start_ticks,
                name=process.name,
                cpu_ns=process_table.clock_ns(process.pid) or process.cpu_ns,
                jit_ns=0,
                rss_bytes=_resident_bytes(process.pid),
            )
            for process in inside
        ]

    def pin(self, cpus: Sequence[int]) -> None:
        """Keep it on these processors; raises KeeperError."""
        self._ask("update", "--cpuset-cpus", ",".join(map(str, cpus)), self._name)

    def _first_pid(self) -> int:
        """The id of its first process on this machine."""
        if self._first is None:
            answer = self._ask("inspect", "--format", "{{.State.Pid}}", self._name).strip()
            if not answer.isdigit() or not int(answer):
                raise KeeperError(
                    f"{self._engine} does not report the process of the container {self._name}: {answer!r}"
                )
            self._first = int(answer)
        return self._first

    def _ask(self, *words: str) -> str:
        command = f"{self._engine} {words[0]}"
        try:
            ran = children.run([self._engine, *words], seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KeeperError(f"`{command}` could not be run: {error}") from None
        if ran.returncode:
            raise KeeperError(f"`{command}` failed with exit code {ran.returncode}: {ran.stderr.strip()[-300:]}")
        return ran.stdout


class ContainerKeeper(Keeper):
    """The keeper of a container's client: what is used is that of the container's processes, which its engine holds."""

    def __init__(self, container: Container, argv: Sequence[str], **words: Any) -> None:
        """Start the client `argv`; `words` are those of a keeper."""
        super().__init__(argv, **words)
        self._container = container

    def use(self) -> list[ProcessUse]:
        """What each process of the container has used so far; raises KeeperError."""
        return self._container.use()

    def pin(self, cpus: Sequence[int]) -> None:
        """Keep the client and the container on these processors; raises KeeperError."""
        super().pin(cpus)
        self._container.pin(cpus)


def _resident_bytes(pid: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
    return 0
