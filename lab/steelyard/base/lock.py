"""One measurement at a time on a machine: a lock that the kernel releases when its holder dies."""

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

# A folder where any user may create files and none may remove another's. The lock is for the machine, not for a user,
# since two users must not measure at once either.
_FOLDERS = (Path("/run/lock"), Path("/tmp"))
_SHARED = 0o666
_ELSEWHERE = "have its owner remove it, or set STEELYARD_LOCK to another path for everyone who measures on this machine"


def place() -> Path:
    """The machine's lock file: STEELYARD_LOCK where set (tests use their own), else one path for all users."""
    if path := os.environ.get("STEELYARD_LOCK"):
        return Path(path)
    fit = [folder for folder in _FOLDERS if _is_for_all(folder)]
    return (fit or [_FOLDERS[-1]])[0] / "steelyard.lock"


@contextmanager
def machine_lock(purpose: str, at: Path | None = None) -> Iterator[None]:
    """Hold the machine for `purpose`, the command line. Raises LockError with the holder's name.

    The kernel releases it when this process dies.
    """
    descriptor = _open(at or place())
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockError(
                f"another measurement is running on this machine: {_holder(descriptor)}",
                hint="two measurements at once would falsify both; wait until it ends",
            ) from None
        note = {"pid": os.getpid(), "what": purpose, "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        with suppress(OSError):  # the note only informs others; the lock holds without it
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


def _open(at: Path) -> int:
    """A descriptor of the lock file, created where missing. Raises LockError.

    Another user may have placed a link there, so only a regular file with a single name is opened.
    """
    try:
        descriptor = _open_or_create(at)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LockError(f"the machine's lock {at} is a symbolic link", hint=_ELSEWHERE) from None
        raise LockError(f"cannot open the machine's lock {at}: {error.strerror}", hint=_ELSEWHERE) from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        os.close(descriptor)
        raise LockError(f"the machine's lock {at} is not a regular file with a single name", hint=_ELSEWHERE)
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != _SHARED:
        os.fchmod(descriptor, _SHARED)  # despite the umask, since other users must be able to hold it too
    return descriptor


def _open_or_create(at: Path) -> int:
    """Without O_CREAT for an existing file, since Linux may refuse that for another user's file in a shared folder."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    while True:
        with suppress(FileNotFoundError):
            return os.open(at, flags)
        with suppress(FileExistsError):
            return os.open(at, flags | os.O_CREAT | os.O_EXCL, _SHARED)


@contextmanager
def waiting_lock(folder: Path) -> Iterator[None]:
    """Hold `folder` exclusively, waiting for the current holder. For work that two processes must not do at once."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 1000, 0))
        holder = f"`{note['what']}`, process {note['pid']}, since {note['since']}"
        return "".join(character if character.isprintable() else "?" for character in holder)
    except (ValueError, KeyError, TypeError):
        return "by an unnamed process"
