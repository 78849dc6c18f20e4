"""The command line called as a user calls it, but in this process: a word that it does not understand costs no start of Python."""

from __future__ import annotations

import contextlib
import io
import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from steelyard import cli
from steelyard.hosts import toolchain


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def disturbed(self) -> bool:
        """Whether a load kept its pauses so badly, as it does on a busy machine, that its figures are not valid."""
        return "the figures are not valid: the mean pause was" in self.err

    @property
    def outcome(self) -> dict[str, Any]:
        """What a load printed with `--json`; it must be valid, except that a busy machine does not keep pauses."""
        assert self.code == 0 or self.disturbed, self.err
        outcome: dict[str, Any] = json.loads(self.out)
        return outcome


def steelyard(*words: str, folder: Path, environment: Mapping[str, str] | None = None) -> Ran:
    """Run the command in `folder`, without keeping processors awake; what it changes about the process is put back.

    Whatever it does, it never shows a stack trace, or calls itself defective.
    """
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("sys.argv", ["steelyard", *words])
        patch.setenv("NO_COLOR", "1")
        patch.setenv("STEELYARD_LOCK", str(folder / "lock"))
        patch.setenv("STEELYARD_STATE", str(folder / "state"))
        for name, value in {"STEELYARD_AWAKE": "no", **(environment or {})}.items():
            patch.setenv(name, value)
        for remembered in (toolchain.jdk_homes, toolchain.jdk_major):  # of another environment
            remembered.cache_clear()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
                cli.main()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    assert "Traceback" not in err.getvalue() and "defect" not in err.getvalue(), err.getvalue()
    return Ran(int(ended.value.code or 0), out.getvalue(), err.getvalue())
