"""A library that is loaded before all others: it moves the clock that processes read, and breaks what they write.

`Control` is its memory, shared with every process that has it; `preloaded.c` is the library.
"""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import time
from pathlib import Path

from .ground import Ground, NotHereError

SOURCE = Path(__file__).with_name("preloaded.c")
CLOCKS = ("", "ahead", "swings", "stands", "double", "half")
WRITES = ("", "short", "slow", "quota", "broken", "unsynced", "no file")
_LAYOUT = struct.Struct(
    "<8q"
)  # clock, its ns, when it was moved, readings; act on writes, its amount, what was written, struck
_CLOCK, _WRITES = 0, 32
_READINGS, _STRUCK = 24, 56


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
