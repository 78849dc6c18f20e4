"""Times by kind, as merged histograms (intervals.hlog), read only where a formula has a percentile or deviation."""

from __future__ import annotations

from .source import Source

SOURCE = Source(name="histograms", names=frozenset(), of_slice=lambda _trial, _number: {}, histograms=True)
