"""Where things are: the rooms of this checkout, the user's own rooms, the cache and the scratch folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT_VARIABLE = "STEELYARD_HOME"
EXTRA_VARIABLE = "STEELYARD_PATH"


def root() -> Path:
    """The checkout: STEELYARD_HOME, or the nearest folder above this file that holds servers/, services/ and studies/."""
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        return Path(named).resolve()
    here = Path(__file__).resolve()
    for folder in (*here.parents, *Path.cwd().resolve().parents, Path.cwd().resolve()):
        if all((folder / room).is_dir() for room in ("servers", "services", "studies")):
            return folder
    return Path.cwd()


def rooms(name: str) -> Iterator[Path]:
    """Every folder called `name`: this checkout's, then those of the user's own houses in STEELYARD_PATH."""
    extra = [Path(part) for part in os.environ.get(EXTRA_VARIABLE, "").split(os.pathsep) if part]
    for house in (root(), *extra):
        room = house / name
        if room.is_dir():
            yield room.resolve()


def cache() -> Path:
    """The user's cache, kept between runs: $STEELYARD_CACHE, else $XDG_CACHE_HOME/steelyard, else ~/.cache/steelyard."""
    named = os.environ.get("STEELYARD_CACHE")
    if named:
        return Path(named).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "steelyard"


def state() -> Path:
    """What is known about machines, which no fetching restores: $STEELYARD_STATE, else `machines` in the cache."""
    named = os.environ.get("STEELYARD_STATE")
    return Path(named).resolve() if named else cache() / "machines"
