"""Processor use of other processes on the subjects' processors: foreign.csv and strangers.csv of a trial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from ..base.csvfiles import is_stored
from ..base.errors import StoreError
from ..base.typed_rows import read_rows
from ..statistics.foreign_share import FOREIGN_LIMIT, foreign_share

NAME = "foreign.csv"
STRANGERS = "strangers.csv"
Entry = TypeVar("Entry", "ForeignWork", "Stranger")


@dataclass(frozen=True)
class ForeignWork:
    """A row of foreign.csv: use of the subjects' processors between two readings, in ns.

    `slices` are the slices run meanwhile (`3`, or `3+4` where they took turns). `available_ns` is the time of all these
    `processors` without what the host took. `idle_ns`, `ours_ns` (the subjects, the lab and its processes) and `kernel_ns`
    (kernel threads, and interrupts that no process's clock includes) are parts of it. `strangers_ns` is the use by other
    processes that may run there, by their own clocks and on any processor; None where not all processes are visible.
    """

    slices: str
    begin_ns: int
    end_ns: int
    processors: int
    available_ns: int
    idle_ns: int
    ours_ns: int
    kernel_ns: int
    strangers_ns: int | None

    @property
    def foreign_ns(self) -> int:
        """Processor time of other processes: the remainder, but at most their total use.

        Without such processes it may be slightly below 0, because the clocks are read some microseconds apart.
        """
        left = self.available_ns - self.idle_ns - self.ours_ns - self.kernel_ns
        return left if self.strangers_ns is None else min(left, self.strangers_ns)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of its slices."""
        return frozenset(map(int, self.slices.split("+")))

    @property
    def seconds(self) -> float:
        """The time between both readings."""
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def share(self) -> float | None:
        """The share of the processors' time that others used; None where the readings are too close together."""
        return foreign_share(self.foreign_ns, self.available_ns, self.end_ns - self.begin_ns)

    @property
    def is_disturbed(self) -> bool:
        """Whether others used so much that the slices of this row do not count."""
        return self.share is not None and self.share > FOREIGN_LIMIT


@dataclass(frozen=True)
class Stranger:
    """A row of strangers.csv: a process of others that used processor time meanwhile, on any processor.

    `cpu_ns` includes its ended children.
    """

    slices: str
    pid: int
    process: str
    cpu_ns: int

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of the slices run meanwhile."""
        return frozenset(map(int, self.slices.split("+")))


def read_foreign(path: Path, may_be_cut: bool) -> tuple[ForeignWork, ...]:
    """The rows of foreign.csv; older runs have none. Raises StoreError."""
    rows = []
    for line, row in _read(path, ForeignWork, may_be_cut):
        if row.end_ns <= row.begin_ns or row.processors < 1:
            raise StoreError(f"{path}, line {line}: no processor was observed, or for no time")
        rows.append(row)
    return tuple(rows)


def read_strangers(path: Path, may_be_cut: bool) -> tuple[Stranger, ...]:
    """The rows of strangers.csv; older runs have none. Raises StoreError."""
    return tuple(row for _, row in _read(path, Stranger, may_be_cut))


def _read(path: Path, kind: type[Entry], may_be_cut: bool) -> Iterator[tuple[int, Entry]]:
    """The rows with their line."""
    for stored, row in read_rows(path, kind, may_be_cut=may_be_cut) if is_stored(path) else ():
        if not all(number.isascii() and number.isdigit() for number in row.slices.split("+")):
            raise StoreError(f"{path}, line {stored.line}: '{row.slices[:80]}' names no slices")
        yield stored.line, row
