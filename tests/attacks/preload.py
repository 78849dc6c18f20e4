"""A library that is loaded before all others: it moves the clock that processes read, and breaks what they write.

`Control` is its memory, shared with every process that has it; `preloaded.c` is the library.
"""

from __future__ import annotations

import mmap
import random
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .ground import Ground, Lab, NotHereError

SOURCE = Path(__file__).with_name("preloaded.c")
CLOCKS = ("", "ahead", "swings", "stands", "double", "half")
WRITES = ("", "short", "slow", "quota", "broken", "unsynced", "no file")
_LAYOUT = struct.Struct(
    "<8q"
)  # clock, its ns, when it was moved, readings; act on writes, its amount, what was written, struck
_CLOCK, _WRITES = 0, 32
_READINGS, _STRUCK = 24, 56
# The program that the library hits, by its place in a variant; empty: all.
PROGRAMS = {
    "everywhere": "",
    "in the lab": "python",
    "in the engine": "steelyard-engine",
    "in the keeper": "steelyard-keeper",
}
AT_START = "at the start"
MOST_LATER_SECONDS = 1.0


@dataclass(frozen=True)
class Act:
    """The parts of a variant `COMMAND: NAME WHERE, WHEN`; `where` is one of PROGRAMS."""

    command: str
    name: str
    where: str
    when: str


def act_of(variant: str) -> Act:
    """The parts of a variant."""
    command, _, rest = variant.partition(": ")
    what, _, when = rest.rpartition(", ")
    where = next(place for place in PROGRAMS if what.endswith(place))
    return Act(command, what.removesuffix(f" {where}"), where, when)


class Control:
    """What the library does to a ground's processes, and how often it did."""

    def __init__(self, ground: Ground, program: str = "") -> None:
        """Build the library. `program` is the name of the programs that it hits, empty for all. Raises NotHereError."""
        compiler = shutil.which("cc")
        if compiler is None:
            raise NotHereError("no C compiler builds the library")
        library, file = ground.folder / "preloaded.so", ground.folder / "control"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True)
        file.write_bytes(bytes(_LAYOUT.size))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), _LAYOUT.size)
        self.environment: dict[str, str] = {
            "LD_PRELOAD": str(library),
            "ATTACK_CONTROL": str(file),
            "ATTACK_PROGRAM": program,
            "ATTACK_FOLDER": str(ground.runs),
        }

    def start(
        self, ground: Ground, words: Sequence[str], act: Act, strike: Callable[[], None], step: str, draw: random.Random
    ) -> Lab:
        """Start a command with the library, and strike at its start, or at a drawn moment after this step."""
        if act.when == AT_START:
            strike()
        lab = ground.start(*words, **self.environment)
        if act.when != AT_START:
            lab.await_step(step)
            time.sleep(draw.uniform(0, MOST_LATER_SECONDS))
            strike()
        return lab

    def move_clock(self, act: str, ns: int = 0) -> None:
        """Move the clock from now on: one of CLOCKS, and by how much."""
        struct.pack_into("<qq", self._shared, _CLOCK + 8, ns, time.time_ns())
        struct.pack_into("<q", self._shared, _CLOCK, CLOCKS.index(act))

    def break_writes(self, act: str, amount: int = 0) -> None:
        """Break writes from now on: one of WRITES, and its microseconds, bytes or files."""
        struct.pack_into("<qq", self._shared, _WRITES + 8, amount, 0)
        struct.pack_into("<q", self._shared, _WRITES, WRITES.index(act))

    @property
    def readings(self) -> int:
        """How often a moved clock was read."""
        return self._number(_READINGS)

    @property
    def struck(self) -> int:
        """How many writes were broken."""
        return self._number(_STRUCK)

    def _number(self, at: int) -> int:
        return int(struct.unpack_from("<q", self._shared, at)[0])
