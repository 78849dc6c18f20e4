"""The sources of measures: what is read of a stored slice, one file each. To add one is to add a file, and a line here."""

from __future__ import annotations

from . import histograms, observations, operations, slices
from .source import Source

SOURCES: dict[str, Source] = {one.SOURCE.name: one.SOURCE for one in (slices, observations, operations, histograms)}
GAUGES = frozenset[str]().union(*(source.gauges for source in SOURCES.values()))
