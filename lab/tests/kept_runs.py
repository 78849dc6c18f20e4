"""The kept runs of this repository, by their names."""

from __future__ import annotations

from steelyard.base.paths import root

PLACES = ("docs/results/*/raw.zip", "papers/*/results/*/raw.zip")
KEPT_RUNS = {path.parent.name: path.parent for path in sorted(path for place in PLACES for path in root().glob(place))}
