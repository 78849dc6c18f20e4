"""A server's descriptor with what it includes: tables that several descriptors share, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..base import configuration
from ..models.server import Server, SharedDescriptor


def read_server(path: Path) -> Server:
    """The descriptor at `path`, with the files that it includes laid under it; raises ConfigurationError, which names the file."""
    own = configuration.read(path)
    names = own.get("include", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return configuration.validate(own, Server, str(path))  # which says what is wrong with it
    whole: dict[str, Any] = {}
    for name in names:
        shared = configuration.load(path.parent / name, SharedDescriptor)
        whole = _merge_tables(whole, shared.model_dump(exclude_unset=True))
    return configuration.validate(_merge_tables(whole, own), Server, str(path))


def _merge_tables(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables become one, in which a name of `above` wins whole; lists follow each other; of all else `above` says what it is."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(under, dict) and isinstance(value, dict):
            merged[key] = {**under, **value}
        elif isinstance(under, list) and isinstance(value, list):
            merged[key] = [*under, *value]
        else:
            merged[key] = value
    return merged
