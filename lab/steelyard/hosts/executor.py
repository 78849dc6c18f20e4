"""Runs commands on a host and reads its state: this machine, a network namespace of it, or another machine."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ProvisionError
from ..models.server import Needs
from ..statistics.clocks import BothClocks
from . import sockets
from .packing import Tree
from .toolchain import require


@dataclass(frozen=True)
class NetworkCounts:
    """Network counters of a host's kernel: the texts of /proc/net/dev and /proc/net/snmp."""

    devices: str
    protocols: str


@dataclass(frozen=True)
class Condition:
    """State of a host as texts: /proc/stat twice, the frequency governors, /proc/meminfo, and the clock source."""

    stat_before: str
    stat_after: str
    governors: str
    memory: str
    clock_source: str


@dataclass(frozen=True)
class Ends:
    """The executor of a host, and the interfaces at both ends of the link to it."""

    reach: Executor
    near_interface: str
    far_interface: str


class Executor:
    """A host that shares this machine's files and processes. `within` are words before each command that enter the host's
    network, and `holder` is a process in that network (None: our own network)."""

    apart = False
    """Whether the host is another machine, with its own processors, files and clock."""
    python = sys.executable
    """The host's Python, for commands of a service."""

    def __init__(self, within: Sequence[str] = (), holder: int | None = None) -> None:
        self._within = tuple(within)
        self._holder = holder

    @property
    def keeper_options(self) -> Sequence[str]:
        """Further options of each keeper there."""
        return ()

    def begin(self, argv: Sequence[str], cwd: Path | None, environment: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a process there with pipes, as leader of its own session; paths are this machine's. Raises OSError."""
        return subprocess.Popen(
            [*self._within, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env={**os.environ, **environment},
            start_new_session=True,
        )

    def remote_words(self, text: str) -> str:
        """A word of a command, with each path of ours replaced by its path there."""
        return text

    def join(self, control: Path) -> None:
        """Make the socket of a keeper there reachable at `control` here."""

    def provide_trees(self, trees: Sequence[Tree]) -> None:
        """Provide these file trees there; raises ProvisionError."""

    @contextmanager
    def mirror_folder(self, folder: Path) -> Iterator[None]:  # noqa: ARG002 - the host shares this machine's files
        """A folder there that mirrors `folder` here, removed at the end."""
        yield

    def send(self, file: Path) -> None:
        """Copy a file of a mirrored folder to the host; raises ProvisionError."""

    def fetch_file(self, file: Path) -> None:
        """Copy the new bytes of a command's output file from the host."""

    def fetch_matching(self, folder: Path, names: Sequence[str]) -> None:
        """Copy files of processes there with these names, or shell patterns, into `folder`; raises ProvisionError."""

    def deny_file_writes(self, pid: int) -> None:
        """Deny a process there all file writes from now on, as on a full disk; does nothing where it has ended. Raises
        ProvisionError."""
        with suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))

    def require(self, needs: Needs, wanted_by: str) -> dict[str, str]:
        """The environment variables with which `wanted_by` runs there; raises ToolchainError that names what is missing."""
        return require(needs, wanted_by)

    def listening(self, pids: Collection[int]) -> list[sockets.Listening]:
        """The sockets that these processes there listen on."""
        return sockets.listening(pids)

    def calls(self, pids: Collection[int]) -> sockets.Calls:
        """The connections that these processes there opened."""
        return sockets.calls(pids)

    def signal(self, pid: int, number: signal.Signals) -> None:
        """Signal a process there, if it is still there."""
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def network(self) -> NetworkCounts:
        """The kernel's network counters now; raises OSError where the host is gone."""
        place = Path("/proc") / ("self" if self._holder is None else str(self._holder)) / "net"
        return NetworkCounts((place / "dev").read_text(encoding="ascii"), (place / "snmp").read_text(encoding="ascii"))

    def processors(self) -> list[int]:
        """The processors for commands there; empty: this machine's."""
        return []

    def processor_times(self) -> str | None:
        """The host's /proc/stat; None where it shares this machine's processors, or is gone."""
        return None

    def condition(self, seconds: float) -> Condition | None:  # noqa: ARG002 - this machine is checked as such
        """The host's state during `seconds`; None where it is this machine, or gone."""
        return None

    def kernel_kills(self) -> int:
        """The number of processes that the host's OOM killer has ended since boot; 0 where it cannot be read."""
        try:
            return kills_in(Path("/proc/vmstat").read_text(encoding="ascii"))
        except OSError:
            return 0

    def time(self) -> BothClocks | None:
        """One clock query to the host; None where it shares this machine's clock. Raises KeeperError."""
        return None

    def describe(self) -> dict[str, object]:
        """A description of the host as a machine; empty where it is this machine."""
        return {}

    def is_lost(self) -> bool:
        """Whether the host cannot start processes any more."""
        return self._holder is not None and not Path(f"/proc/{self._holder}/ns/net").exists()

    def regain(self) -> None:
        """Reconnect after a loss; raises ProvisionError where that fails."""
        raise ProvisionError(
            "its network namespace is gone: another program ended the process that kept it", hint="start a new run"
        )


def kills_in(statistics: str) -> int:
    """The number of OOM kills in a /proc/vmstat."""
    return next((int(line.split()[1]) for line in statistics.splitlines() if line.startswith("oom_kill ")), 0)


HERE = Executor()
