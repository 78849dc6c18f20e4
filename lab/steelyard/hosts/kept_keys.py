"""Folders of keys in the user's cache: each made once, whole or not at all, and for its owner's eyes alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from ..base import paths
from ..base.errors import ProvisionError


def keys_folder(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name among the cache's keys, filled by `make` where it is not there yet; raises ProvisionError, and what
    `make` raises."""
    place = paths.cache() / "security" / name
    if not place.is_dir():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=place.parent) as scratch:
                made = Path(scratch) / "made"
                made.mkdir(mode=0o700)
                make(made)
                if not place.is_dir():
                    made.rename(place)
        except OSError as error:
            if not place.is_dir():  # and no other lab was faster
                raise ProvisionError(
                    f"keys cannot be kept in {place}: {error.strerror}",
                    hint="STEELYARD_CACHE names another cache folder",
                ) from None
    return place
