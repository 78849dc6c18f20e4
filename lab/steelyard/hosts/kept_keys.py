"""Folders of keys in the user's cache: each created once, completely or not at all, and readable by its owner alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..base import paths
from ..base.errors import ProvisionError
from ..base.temporary_folder import temporary_folder


def keys_folder(name: str, make: Callable[[Path], object]) -> Path:
    """The key folder of this name in the cache, filled by `make` where it does not exist; raises ProvisionError and the errors of
    `make`."""
    place = paths.cache() / "security" / name
    if not place.is_dir():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with temporary_folder(place.parent) as scratch:
                made = scratch / "made"
                made.mkdir(mode=0o700)
                make(made)
                if not place.is_dir():
                    made.rename(place)
        except OSError as error:
            if not place.is_dir():  # unless another lab was faster
                raise ProvisionError(
                    f"keys cannot be kept in {place}: {error.strerror}",
                    hint="set STEELYARD_CACHE to another cache folder",
                ) from None
    return place
