"""Siege, the load generator of the pet store's paper, counts what our engine and the shop itself count."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOOL = Path(__file__).parent.parent / "tools" / "siege.py"
USERS = 4


@pytest.mark.skipif(shutil.which("siege") is None, reason="siege is not installed: apt-get install siege")
def test_siege_and_our_engine_count_what_the_shop_counts() -> None:
    command = [sys.executable, TOOL, "--users", str(USERS), "--seconds", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    rows = json.loads(done.stdout)
    assert {row["tool"] for row in rows} == {"siege", "steelyard"} and len(rows) == 8
    for row in rows:
        assert row["failures"] == 0 and row["answers"] > 0
        # At its end siege gives up what is under way, at most one request of each user, which the shop may have counted.
        assert 0 <= row["counted"] - row["answers"] <= (USERS if row["tool"] == "siege" else 0), row
        assert row["response_ms"] > 0
