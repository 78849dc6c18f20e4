"""A temporary folder that is locked while its process lives, so that leftovers of killed processes are recognised and removed.

It is made beside the one that it becomes, since only a rename on the same file system is atomic, or in the system's folder for
such files.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .children import hold_interrupts

_PREFIX = ".steelyard-tmp-"  # short: sockets in such a folder have paths of at most 107 bytes
_LEFTOVERS = f"{_PREFIX}????????"  # the name that mkdtemp makes


@contextmanager
def temporary_folder(beside: Path) -> Iterator[Path]:
    """A new hidden folder in `beside`, removed at the end. That of a killed process is removed by the next call for `beside`.

    Raises OSError where it cannot be made.
    """
    _remove_leftovers(beside)
    folder: Path | None = None
    descriptor = -1
    try:
        with hold_interrupts():
            folder, descriptor = _make(beside)
        yield folder
    finally:
        with hold_interrupts():
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _make(beside: Path) -> tuple[Path, int]:
    """A new folder and a descriptor that holds its lock. Another process may remove it before it is locked: then another one."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=beside))
        try:
            descriptor = _open(folder)
        except FileNotFoundError:
            continue
        except OSError:
            folder.rmdir()
            raise
        with suppress(OSError):  # a file system without locks, where no leftover is removed either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder, descriptor
        os.close(descriptor)


def _remove_leftovers(beside: Path) -> None:
    for folder in beside.glob(_LEFTOVERS):
        with suppress(OSError):
            descriptor = _open(folder)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
