"""The sources of measures: what is read of a stored slice, one file each. To add one is to add a file, and a line here."""

from __future__ import annotations

from . import collector, gauges, histograms, layers, observations, operations, slices, spans
from .source import Source

_ALL = (slices, observations, operations, histograms, layers, collector, spans, gauges)
SOURCES: dict[str, Source] = {module.SOURCE.name: module.SOURCE for module in _ALL}
_GAUGES = frozenset[str]().union(*(source.gauges for source in SOURCES.values()))
_GAUGE_PREFIXES = tuple(prefix for source in SOURCES.values() for prefix in source.gauge_prefixes)


def is_gauge(name: str) -> bool:
    """Whether of slices put together the highest is taken, not the sum."""
    return name in _GAUGES or name.startswith(_GAUGE_PREFIXES)
