"""The sources of measures: what is read of a stored slice, one file each. To add one is to add a file, and a line here."""

from __future__ import annotations

from . import collector, histograms, layers, observations, operations, slices, spans
from .source import Source

_ALL = (slices, observations, operations, histograms, layers, collector, spans)
SOURCES: dict[str, Source] = {module.SOURCE.name: module.SOURCE for module in _ALL}
GAUGES = frozenset[str]().union(*(source.gauges for source in SOURCES.values()))
