"""One measurement at a time on a machine: a lock that a dead holder cannot keep."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import LockError

# Where any user may make a file and none may remove another's. Of the machine, not of a user: two users must not measure at
# once either.
_FOLDERS = (Path("/run/lock"), Path("/tmp"))
_SHARED = 0o666
_ELSEWHERE = "have its owner remove it, or name another place in STEELYARD_LOCK for all who measure on this machine"


def place() -> Path:
    """The machine's lock: STEELYARD_LOCK where it is set (tests have one of their own), else the same for all users."""
    if said := os.environ.get("STEELYARD_LOCK"):
        return Path(said)
    fit = [folder for folder in _FOLDERS if _is_for_all(folder)]
    return (fit or [_FOLDERS[-1]])[0] / "steelyard.lock"


@contextmanager
def machine_lock(purpose: str, at: Path | None = None) -> Iterator[None]:
    """Hold the machine for `purpose`, a command in words; raises LockError that names who holds it.

    The kernel frees it when we die.
    """
    descriptor = _opened(at or place())
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockError(
                f"this machine is measuring already: {_holder(descriptor)}",
                hint="two at once would falsify both; wait until it ends",
            ) from None
        note = {"pid": os.getpid(), "what": purpose, "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        with suppress(OSError):  # it only helps whoever is refused; we hold the machine without it too
            os.truncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(note).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _is_for_all(folder: Path) -> bool:
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)


def _opened(at: Path) -> int:
    """A descriptor of the lock's file, made where there is none; raises LockError.

    Anyone may have put something else there to have us write to it: a link is not followed, and only a regular file with no
    other name is taken.
    """
    try:
        descriptor = _open_or_make(at)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LockError(f"the machine's lock {at} is a symbolic link", hint=_ELSEWHERE) from None
        raise LockError(f"the machine's lock {at} cannot be opened: {error.strerror}", hint=_ELSEWHERE) from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        os.close(descriptor)
        raise LockError(f"the machine's lock {at} is not a regular file of one name", hint=_ELSEWHERE)
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != _SHARED:
        os.fchmod(descriptor, _SHARED)  # against the umask: other users must be able to hold it too
    return descriptor


def _open_or_make(at: Path) -> int:
    """Without O_CREAT where it is there: Linux may refuse that for another user's file in a folder for all."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    while True:
        with suppress(FileNotFoundError):
            return os.open(at, flags)
        with suppress(FileExistsError):
            return os.open(at, flags | os.O_CREAT | os.O_EXCL, _SHARED)


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
        said = f"`{note['what']}`, process {note['pid']}, since {note['since']}"
        return "".join(character if character.isprintable() else "?" for character in said)
    except (ValueError, KeyError, TypeError):
        return "by a process that did not say who it is"
