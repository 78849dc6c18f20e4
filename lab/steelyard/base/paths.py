"""Paths of the checkout or installation, of the user's own folders, of the cache and of scratch folders."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .errors import ConfigurationError
from .temporary_folder import temporary_folder

ROOT_VARIABLE = "STEELYARD_HOME"
EXTRA_VARIABLE = "STEELYARD_PATH"
HOST = "127.0.0.1"  # the only address on which servers listen and are requested
HOST_NAMES = (HOST, "localhost")  # the names under which this machine may be requested


def url(port: int, path: str) -> str:
    """The URL of `path` on a server of this machine."""
    return f"http://{HOST}:{port}{path}"


def root() -> Path:
    """The root folder: STEELYARD_HOME, or the checkout around this file, or the installed copy."""
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        return Path(named).resolve()
    package = Path(__file__).resolve().parent.parent
    installed = package / "house"
    return _copy_to_cache(installed) if installed.is_dir() else package.parent.parent


@functools.cache
def _copy_to_cache(installed: Path) -> Path:
    """A copy in the cache: builds write beside the sources, and an installed package is read-only."""
    digest = hashlib.sha256()
    for path in sorted(installed.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(installed)}\0".encode() + path.read_bytes() + b"\0")
    copy = cache() / "house" / digest.hexdigest()[:12]
    if not copy.is_dir():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(copy.parent) as scratch:
            made = shutil.copytree(installed, scratch / "made", ignore=shutil.ignore_patterns("__pycache__"))
            for path in (made, *made.rglob("*")):
                path.chmod(path.stat().st_mode | stat.S_IWUSR)
            with suppress(OSError):  # another process was faster
                made.rename(copy)
    return copy


def folders_named(name: str) -> Iterator[Path]:
    """Every folder called `name`: that of the root, then those of the folders in STEELYARD_PATH."""
    for house in (root(), *_own_folders()):
        room = house / name
        if room.is_dir():
            yield room.resolve()


def user_folder() -> Path:
    """The folder for the user's additions: the first of STEELYARD_PATH, else `steelyard` in $XDG_DATA_HOME or
    ~/.local/share.

    Raises ConfigurationError where STEELYARD_PATH lists a folder that does not exist.
    """
    listed = _listed_folders()
    base = os.environ.get("XDG_DATA_HOME")
    return listed[0] if listed else (Path(base) if base else _home() / ".local" / "share") / "steelyard"


def _own_folders() -> list[Path]:
    """The folders in STEELYARD_PATH, or the default folder without it."""
    return _listed_folders() or [user_folder()]


def _listed_folders() -> list[Path]:
    """The folders in STEELYARD_PATH. Raises ConfigurationError where one does not exist."""
    listed = [Path(part) for part in os.environ.get(EXTRA_VARIABLE, "").split(os.pathsep) if part]
    for folder in listed:
        if not folder.is_dir():
            raise ConfigurationError(f"{EXTRA_VARIABLE} lists {folder}, which is not a folder")
    return listed


def cache() -> Path:
    """The user's cache, kept between runs: $STEELYARD_CACHE, else $XDG_CACHE_HOME/steelyard, else
    ~/.cache/steelyard. Raises ConfigurationError where there is no home folder."""
    named = os.environ.get("STEELYARD_CACHE")
    if named:
        return Path(named).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else _home() / ".cache") / "steelyard"


def _home() -> Path:
    """The user's home folder. Raises ConfigurationError where neither HOME nor the user database names one."""
    try:
        return Path.home()
    except RuntimeError:
        raise ConfigurationError(
            "there is no home folder: HOME is not set, and the user database does not name one",
            hint="set HOME to a folder that you may write",
        ) from None


def state() -> Path:
    """Measured facts about machines, which cannot be fetched again: $STEELYARD_STATE, else `machines` in the cache."""
    named = os.environ.get("STEELYARD_STATE")
    return Path(named).resolve() if named else cache() / "machines"
