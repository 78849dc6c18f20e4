"""How the machine's processors are shared between the subjects and the engine, and kept from halting."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ConfigurationError, EngineError
from .keeper import binary


@dataclass(frozen=True)
class Shares:
    """Processors of the subjects and of the engine, the same list twice where there is only one; whether they are kept awake."""

    server: list[int]
    engine: list[int]
    awake: bool = False

    @property
    def apart(self) -> bool:
        return not set(self.server) & set(self.engine)


def share(available: list[int] | None = None) -> Shares:
    """The last quarter of the processors, at least one, for the engine and the rest for the subjects.

    A virtual machine's are kept awake: one that halts is given back by its host only when the host has room. STEELYARD_AWAKE
    (yes or no) overrules; raises ConfigurationError where it is something else.
    """
    cpus = sorted(os.sched_getaffinity(0)) if available is None else sorted(available)
    awake = awake_wanted(os.environ.get("STEELYARD_AWAKE", ""))
    if len(cpus) < 2:
        return Shares(cpus, cpus, awake)
    engine = max(1, len(cpus) // 4)
    return Shares(cpus[:-engine], cpus[-engine:], awake)


@contextmanager
def kept_awake(shares: Shares) -> Iterator[None]:
    """Keep the processors from halting, by threads that yield to everything else; raises EngineError where that is refused."""
    if not shares.awake:
        yield
        return
    listed = ",".join(str(cpu) for cpu in sorted({*shares.server, *shares.engine}))
    # Its end of file is our end, however that comes.
    with subprocess.Popen(
        [binary("steelyard-engine"), "awake", listed],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        try:
            if not process.stdout.readline():
                raise EngineError(
                    f"the processors cannot be kept awake: {process.stderr.read().strip()}",
                    hint="STEELYARD_AWAKE=no measures without",
                )
            yield
        finally:
            process.kill()


def awake_wanted(said: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether to keep the processors awake, from what the user said: yes, no, or nothing; raises ConfigurationError."""
    if said not in ("", "yes", "no"):
        raise ConfigurationError(f"STEELYARD_AWAKE is '{said}', but must be yes or no")
    return said == "yes" or (said == "" and _virtual(cpuinfo))


def _virtual(cpuinfo: Path) -> bool:
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any("hypervisor" in line.split() for line in lines if line.startswith("flags"))
