"""The link lets through what it is said to, in both senses: no more, and not much less."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path
from statistics import median
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent


def rate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rate", FOLDER / "rate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("go") is None:
        pytest.skip("there is no Go here")
    made = tmp_path_factory.mktemp("cache")
    subprocess.run(["sh", "prepare.sh", str(made)], cwd=FOLDER, check=True)
    return made


@pytest.mark.parametrize("mbit", [10, 100])
def test_a_link_lets_through_its_rate_and_no_more(cache: Path, mbit: int) -> None:
    """Its clock may be early by a chunk; how late it is, is the machine's: a busy one lets through less, and where the first bytes
    are looked at late, one transfer seems quicker than it was."""
    seen = rate().rates(cache / "link", mbit, 5)
    assert median(seen) < 1.1 * mbit
    assert max(seen) > 0.5 * mbit


def test_the_readme_says_what_the_kept_transfers_come_to() -> None:
    lines = rate().table()
    assert len(lines) == 2 and all(line in (FOLDER / "README.md").read_text(encoding="utf-8") for line in lines)


def test_an_interval_is_students() -> None:
    # Mean 10, standard deviation 1.5811 / sqrt(5), times Student's 2.776 of four degrees of freedom.
    assert (
        rate().said(10, [8.0, 9.0, 10.0, 11.0, 12.0]) == "10 Mbit/s nominal: 10.000 +- 1.963 Mbit/s (95%, 5 transfers)"
    )


def test_a_link_without_anything_behind_it_says_so(cache: Path) -> None:
    ended = subprocess.run([cache / "link", "-mbit", "10"], capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and "needs an address, an address behind it" in ended.stderr
