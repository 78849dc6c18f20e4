"""One measurement at a time on a machine: a lock that a dead holder cannot keep."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import LockError

# Of the machine, not of a user: two users must not measure at once either. Tests have one of their own.
PLACE = Path(os.environ.get("STEELYARD_LOCK", "/tmp/steelyard.lock"))


@contextmanager
def machine_lock(what: str, place: Path = PLACE) -> Iterator[None]:
    """Hold the machine for `what`; raises LockError that names who holds it. The kernel frees it when we die."""
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise LockError(f"the machine's lock {place} cannot be opened: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockError(
                f"this machine is measuring already: {_holder(descriptor)}",
                hint="two at once would falsify both; wait until it ends",
            ) from None
        os.truncate(descriptor, 0)
        note = {"pid": os.getpid(), "what": what, "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        os.pwrite(descriptor, json.dumps(note).encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def waiting_lock(folder: Path) -> Iterator[None]:
    """Hold `folder` alone, after whoever holds it now; for work in it that two processes must not do at once."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 1000, 0))
        return f"`{note['what']}`, process {note['pid']}, since {note['since']}"
    except (ValueError, KeyError, TypeError):
        return "by a process that did not say who it is"
