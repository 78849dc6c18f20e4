"""PHP runs the implementation's own tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.skipif(shutil.which("php8.2") is None, reason="the command php8.2 is not on this machine")
def test_the_assertions_hold() -> None:
    command = ["php8.2", "-d", "zend.assertions=1", "ShopTest.php"]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout + ran.stderr
