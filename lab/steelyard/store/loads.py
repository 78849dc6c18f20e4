"""What a load or a search for a limit leaves in its folder: the files that say what came of it."""

from __future__ import annotations

LOAD = "load.json"
LIMIT = "limit.json"
