"""What all tests of the lab have: no example of a property has a deadline, and one way to a run with a played engine."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from played import Run, played

# How long an example takes is no finding: a test that passes must also pass on a busy machine.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A file is one worker's, so those that take longest begin first: none is left to a single worker in the end.
SLOWEST = (
    *("test_main_job.py", "test_unanswered.py", "test_sessions_apart.py", "test_report.py", "test_layers.py"),
    *("test_layer_spans.py", "test_statistics.py", "test_state.py", "test_calibration.py", "test_analyse.py"),
    *("test_weigh_your_own_guide.py", "test_hosts.py", "test_keeping.py", "test_serve_loads.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest files; all others keep their order."""
    places = {name: place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(SLOWEST)))


def pytest_collection_finish() -> None:
    """Keep what was collected, which lives to the end, from being looked at by each collection of garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def files_need_not_outlive_a_power_failure() -> Iterator[None]:
    """No test cuts the power, and a flush waits for all that the compilers beside these tests write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def one_engine_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A load has no pilot on a machine with many processors either, so a server counts no more than the load reports."""
    from steelyard.hosts import cpus
    from steelyard.measure.load import load  # imported late: it takes a second

    shares = cpus.share()
    monkeypatch.setattr(load, "share", lambda: replace(shares, engine=shares.engine[-1:]))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`steelyard` in a folder of its own, with the engine played."""
    return played(tmp_path, monkeypatch)
