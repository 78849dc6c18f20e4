"""How commands are run on a host, and what is asked of it: here, behind words that go before a command, or elsewhere."""

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
    """What a host's kernel has counted: the texts of its /proc/net/dev and /proc/net/snmp."""

    devices: str
    protocols: str


@dataclass(frozen=True)
class Condition:
    """A host's texts: /proc/stat, and again a while later; the frequency governors; /proc/meminfo; and its clock source."""

    stat_before: str
    stat_after: str
    governors: str
    memory: str
    clock_source: str


@dataclass(frozen=True)
class Ends:
    """How a host was reached, and the interfaces that are the two ends of the link to it."""

    reach: Executor
    near_interface: str
    far_interface: str


class Executor:
    """A host whose files and processes are this machine's. `within` are words that go before a command which is to run there, and
    `holder` is a process whose network is the host's (None: our own)."""

    apart = False
    """Whether it is another machine, with processors, files and a clock of its own."""
    python = sys.executable
    """Its Python, for commands of a service."""

    def __init__(self, within: Sequence[str] = (), holder: int | None = None) -> None:
        self._within = tuple(within)
        self._holder = holder

    @property
    def keeper_options(self) -> Sequence[str]:
        """What each keeper there is told beside the rest."""
        return ()

    def begin(self, argv: Sequence[str], cwd: Path | None, environment: Mapping[str, str]) -> subprocess.Popen[str]:
        """A process there that speaks over pipes and leads a session of its own; paths are this machine's. Raises OSError."""
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
        """A word of a command, with each path of ours as it is called there."""
        return text

    def join(self, control: Path) -> None:
        """See that the socket which a keeper there made answers at `control` here."""

    def provide_trees(self, trees: Sequence[Tree]) -> None:
        """See that these are there, too; raises ProvisionError."""

    @contextmanager
    def mirror_folder(self, folder: Path) -> Iterator[None]:  # noqa: ARG002 - files there are this machine's
        """A folder there for what stands in `folder` here, gone at the end."""
        yield

    def send(self, file: Path) -> None:
        """See that a file of a folder that has a twin there stands in that one, too; raises ProvisionError."""

    def fetch_file(self, file: Path) -> None:
        """Bring what a command there wrote to a file, as far as that was not done before."""

    def fetch_matching(self, folder: Path, names: Sequence[str]) -> None:
        """Bring what processes there wrote into `folder` under these names, or patterns of a shell; raises ProvisionError."""

    def deny_file_writes(self, pid: int) -> None:
        """From now on a process there can write to no file, as on a full disk; nothing happens where it is gone. Raises
        ProvisionError."""
        with suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))

    def require(self, needs: Needs, wanted_by: str) -> dict[str, str]:
        """The environment variables that give `wanted_by` there what it needs; raises ToolchainError that names what is missing."""
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
        """What its kernel has counted up to now; raises OSError where it is gone."""
        place = Path("/proc") / ("self" if self._holder is None else str(self._holder)) / "net"
        return NetworkCounts((place / "dev").read_text(encoding="ascii"), (place / "snmp").read_text(encoding="ascii"))

    def processors(self) -> list[int]:
        """Those that commands there may use; none said: this machine's."""
        return []

    def processor_times(self) -> str | None:
        """Its /proc/stat; None where its processors are this machine's, or it is gone."""
        return None

    def condition(self, seconds: float) -> Condition | None:  # noqa: ARG002 - this machine is looked at as such
        """What could falsify a measurement there, looked at for `seconds`; None where it is this machine, or gone."""
        return None

    def kernel_kills(self) -> int:
        """How many processes its kernel has killed for want of memory since boot; 0 where it does not tell."""
        try:
            return kills_in(Path("/proc/vmstat").read_text(encoding="ascii"))
        except OSError:
            return 0

    def time(self) -> BothClocks | None:
        """One question after the time there; None where its clock is this machine's. Raises KeeperError."""
        return None

    def describe(self) -> dict[str, object]:
        """What is known of it as a machine; nothing where that is this one."""
        return {}

    def is_lost(self) -> bool:
        """Whether nothing can be started there any more."""
        return self._holder is not None and not Path(f"/proc/{self._holder}/ns/net").exists()

    def regain(self) -> None:
        """Reach it anew after it was lost; raises ProvisionError where that cannot be."""
        raise ProvisionError(
            "the process that held it is gone", hint="something ended it; a new run makes the host anew"
        )


def kills_in(statistics: str) -> int:
    """What a /proc/vmstat says of processes killed for want of memory."""
    return next((int(line.split()[1]) for line in statistics.splitlines() if line.startswith("oom_kill ")), 0)


HERE = Executor()
