"""The sources of measures: the numbers read from a stored slice, one file each. To add a source, add a file and a line here."""

from __future__ import annotations

from . import collector, gauges, histograms, layers, observations, operations, slices, spans, starts
from .source import Source

_ALL = (slices, observations, operations, histograms, layers, collector, spans, gauges, starts)
SOURCES: dict[str, Source] = {module.SOURCE.name: module.SOURCE for module in _ALL}
_GAUGES = frozenset[str]().union(*(source.gauges for source in SOURCES.values()))
_GAUGE_PREFIXES = tuple(prefix for source in SOURCES.values() for prefix in source.gauge_prefixes)


def is_gauge(name: str) -> bool:
    """Whether the highest value is taken over several slices, not the sum."""
    return name in _GAUGES or name.startswith(_GAUGE_PREFIXES)
