"""Verdicts that could not be had because the host took too much time: counted, said at the end, and a failure where many.

A test that skips itself for want of a quiet host proves nothing. One in four may; where more do, the suite fails, for what they
were to find may be there.
"""

from __future__ import annotations

from typing import NoReturn

import pytest

MOST_SKIPPED = 0.25
_had: list[str] = []
_wanting: list[str] = []


def had(command: str) -> None:
    """Note that a command came to a verdict, or to whatever a quiet host lets it come to."""
    _had.append(command)


def skip(command: str) -> NoReturn:
    """Note that a command came to none, and skip the test that needs it."""
    _wanting.append(command)
    pytest.skip(f"the host or other processes took too much time from every attempt at: {command}")


def too_many() -> bool:
    """Whether more are wanting than a suite that proves something may lack."""
    return len(_wanting) > MOST_SKIPPED * (len(_had) + len(_wanting))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _wanting:
        return
    terminalreporter.section("verdicts that could not be had")
    for command in _wanting:
        terminalreporter.line(command)
    judged = "too many: run it again on a quieter machine" if too_many() else "one in four may be wanting"
    terminalreporter.line(f"{len(_wanting)} of {len(_had) + len(_wanting)} were disturbed by the host; {judged}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if too_many() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
