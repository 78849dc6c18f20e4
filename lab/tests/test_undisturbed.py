"""End-to-end tests on a disturbed host skip themselves, and a suite with too many of these fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "tests" / "undisturbed.py"
TESTS = """
import pytest
import undisturbed

@pytest.mark.parametrize("place", range({asked}))
def test_one(place):
    if place < {skipped}:
        undisturbed.skip(f"run {{place}}")
    undisturbed.had(f"run {{place}}")
"""


@pytest.mark.parametrize(("asked", "skipped", "fails"), [(4, 1, False), (4, 2, True)])
def test_more_than_one_in_four_is_a_failure(tmp_path: Path, asked: int, skipped: int, fails: bool) -> None:
    (tmp_path / "conftest.py").write_text("from undisturbed import pytest_sessionfinish, pytest_terminal_summary")
    (tmp_path / "undisturbed.py").write_text(PLUGIN.read_text())
    (tmp_path / "test_some.py").write_text(TESTS.format(asked=asked, skipped=skipped))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run(
        [*words, "."], cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == (1 if fails else 0), ran.stdout
    assert f"{skipped} of {asked} were disturbed by the host" in ran.stdout
    assert ("too many" in ran.stdout) == fails
    assert all(f"run {place}\n" in ran.stdout for place in range(skipped))
