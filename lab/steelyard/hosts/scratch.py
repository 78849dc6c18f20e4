"""Scratch folders of processes, each removed at its end; those of a killed lab are removed when the next one starts."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..base import paths
from ..base.errors import SteelyardError
from ..base.temporary_folder import temporary_folder


def _sweep(base: Path) -> None:
    """Remove leftovers of killed labs: scratch folders carry the id of the process that made them."""
    for left in base.iterdir():
        owner = left.name.partition("-")[0]
        if not owner.isdigit() or not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def scratch_folder(prefix: str) -> Iterator[str]:
    """An empty folder in the cache whose name contains `prefix`; raises SteelyardError where it cannot be made."""
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
    """A folder for control sockets, outside the scratch folder because a socket's path has at most 107 bytes."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder(Path(tempfile.gettempdir())))
        except OSError as error:
            raise SteelyardError(
                f"no folder for control sockets can be made in {tempfile.gettempdir()}: {error.strerror}",
                hint="set TMPDIR to a writable folder",
            ) from None
        yield str(folder)
