"""Scratch folders of processes, each removed at its end, and those of a lab that was killed at the next one's beginning."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..base import paths
from ..base.errors import SteelyardError


def _sweep(base: Path) -> None:
    """Remove what a killed lab left: scratch folders are named after the process that made them."""
    for left in base.iterdir():
        owner = left.name.partition("-")[0]
        if not owner.isdigit() or not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def scratch_folder(prefix: str) -> Iterator[str]:
    """An empty folder in the cache whose name holds `prefix`; raises SteelyardError where none can be made."""
    base = paths.cache() / "scratch"
    try:
        base.mkdir(parents=True, exist_ok=True)
        _sweep(base)
        holder = tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-{prefix}", dir=base, ignore_cleanup_errors=True)
    except OSError as error:
        raise SteelyardError(f"no scratch folder can be made in {base}: {error.strerror}") from None
    with holder as folder:
        yield folder


@contextmanager
def control_folder() -> Iterator[str]:
    """A folder for control sockets. Not in the scratch folder: a socket's path has 107 bytes at the most."""
    try:
        holder = tempfile.TemporaryDirectory(prefix="steelyard-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SteelyardError(
            f"no folder for control sockets can be made in {tempfile.gettempdir()}: {error.strerror}",
            hint="set TMPDIR to a folder that can be written",
        ) from None
    with holder as folder:
        yield folder
