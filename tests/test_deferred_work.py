"""Servers with deferred work, driven as by `make deferred-work`."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.paths import root
from steelyard.base.progress import Progress
from steelyard.calibration import deferred_work, deferring
from steelyard.calibration.deferred_work import ALONE, LAB, SHORT, Drive
from steelyard.plan.slices import QUIET_AT_REST

pytestmark = [pytest.mark.alone, pytest.mark.long]  # in short: lab/tests/test_calibration.py, on planted rounds
PROGRAM = root() / "engine" / "target" / "debug" / "steelyard-testserver"
CYCLES, CHORES = "--share 0.5 --when cycle --cycle-ms 500", "--chore-ms 10"


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Drive]:
    """A short round of two kinds, by kind and way."""
    if not PROGRAM.is_file():
        pytest.skip("the test servers are not built: `make build-rust-tests` does that")
    folder: Path = tmp_path_factory.mktemp("deferred")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STEELYARD_LOCK", str(folder / "lock"))
        patched.setattr(deferring, "WARM_UP_SECONDS", 1.5)
        patched.setattr(deferring, "MEASURED_SECONDS", 1.0)
        patched.setattr(deferring, "KINDS", {CYCLES: ""})
        drives = deferring.collect(folder, PROGRAM, 1, Progress(Console(quiet=True)))
    assert deferred_work.read(folder) == drives and {drive.round for drive in drives} == {1}
    return {(drive.kind, drive.way): drive for drive in drives}


def test_every_kind_is_driven_by_every_way(driven: dict[tuple[str, str], Drive]) -> None:
    assert driven.keys() == {(kind, way) for kind in (CYCLES, CHORES) for way in (ALONE, SHORT, LAB)}
    assert all(drive.other_per_s > 0 and drive.honest_per_s > 0 for drive in driven.values())
    assert {driven[kind, SHORT].turn_ms for kind in (CYCLES, CHORES)} == {deferring.SHORT_TURN_MS}


def test_a_server_that_works_without_requests_has_whole_slices(driven: dict[tuple[str, str], Drive]) -> None:
    chores = driven[CHORES, LAB]
    assert chores.turn_ms == deferring.SLICE_SECONDS * 1000
    assert chores.at_rest > 2 * QUIET_AT_REST
    assert driven[CYCLES, LAB].at_rest <= QUIET_AT_REST, "it works only for requests that came"


# Kernels differ in whether the thread that does the deferred work holds requests back or shares with them.
def test_a_server_that_holds_few_requests_back_for_long_has_whole_slices(driven: dict[tuple[str, str], Drive]) -> None:
    assert driven[CYCLES, LAB].turn_ms == deferring.SLICE_SECONDS * 1000
