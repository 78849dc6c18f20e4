"""What all tests of the lab have: no example of a property has a deadline, and one way to a run with a played engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from played import Run, played

# How long an example takes is no finding: a test that passes must also pass on a busy machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`steelyard` in a folder of its own, with the engine played."""
    return played(tmp_path, monkeypatch)
