"""Shared by all tests, the lab's and the end-to-end ones: Ctrl-C ends their processes, and they share one real browser."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from steelyard.base.errors import ToolchainError
from steelyard.report.browser import browser

# Tests started in a shell's background ignore Ctrl-C, and so would every process that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test-python-services` runs them, with the packages of their servers.
collect_ignore_glob = ["services/*/python-*"]
START_MS = 120_000  # start of a browser on a busy machine
UNTIL = "STEELYARD_TESTS_UNTIL"  # seconds of the epoch, set by tools/parts.py


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Start no test after the time limit of `make test`: it is reported as skipped."""
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("not run: the minutes of STEELYARD_TEST_MINUTES were over")


# not in session scope: Playwright's event loop would block tests with their own
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
        # without its sandbox, which root may not create; it opens pages of this machine alone
        launched = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=START_MS)
        yield launched
        launched.close()
