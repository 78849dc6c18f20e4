"""What all tests share, the lab's and those end to end: Ctrl-C ends what they start, and there is one way to a real browser."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from steelyard.base.errors import ToolchainError
from steelyard.report.browser import browser

# Who starts the tests from a shell's background has them ignore Ctrl-C, and so would every process that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

START_MS = 120_000  # a browser that starts on a busy machine
UNTIL = "STEELYARD_TESTS_UNTIL"  # seconds of the epoch, which tools/parts.py sets


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin no test after the minutes that `make test` was given: what was not asked is said, as of every skipped test."""
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("not asked: the minutes that STEELYARD_TEST_MINUTES gives were over")


# Not the session's: Playwright's event loop would stand in the way of tests with one of their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser that draws reports, driven by Playwright."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: `make build` installs it"
    )
    try:
        program = browser()
    except ToolchainError as error:
        pytest.skip(error.message)
    with playwright.sync_playwright() as driver:
        # Without a sandbox of its own, which root may not make; it sees pages of this machine alone.
        launched = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=START_MS)
        yield launched
        launched.close()
