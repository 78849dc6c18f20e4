"""A server's descriptor with its included files: tables that several descriptors share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..base import configuration
from ..models.server import Server, SharedDescriptor


def read_server(path: Path) -> Server:
    """The descriptor at `path`, merged over the files that it includes; raises ConfigurationError, which names the file."""
    own = configuration.read(path)
    names = own.get("include", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return configuration.validate(own, Server, str(path))  # reports the error
    whole: dict[str, Any] = {}
    for name in names:
        shared = configuration.load(path.parent / name, SharedDescriptor)
        whole = _merge_tables(whole, shared.model_dump(exclude_unset=True))
    return configuration.validate(_merge_tables(whole, own), Server, str(path))


def _merge_tables(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge tables: a value of `above` replaces that of `below`, except that tables are merged and lists are appended."""
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
