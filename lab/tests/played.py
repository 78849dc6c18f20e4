"""The command line with an engine that only plays one, on the servers of the tests' own house."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from steelyard.analyse import instrument
from steelyard.measure.trial import engine, trial

HOUSE = Path(__file__).parents[2] / "tests" / "house"
FAKE = Path(__file__).with_name("fake_engine.py")
Run = Callable[..., Ran]


def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`steelyard` in a folder of its own, with the engine played."""
    monkeypatch.setattr(engine, "binary", lambda _name: str(FAKE))
    monkeypatch.setattr(trial, "PAUSE_SECONDS", 0.0)  # for JIT compilers, which are not here
    # Nothing is loaded, so what the machine does meanwhile says nothing: neither what servers use, nor what the host takes.
    monkeypatch.setattr(trial, "cpu_ns_per_request", lambda *_: None)
    monkeypatch.setattr(instrument, "STEAL_LIMIT", 1.0)
    environment = {
        "STEELYARD_PATH": str(HOUSE),
        "STEELYARD_AWAKE": "no",
        "STEELYARD_STRANGERS": "yes",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }

    def ran(*words: str, **planted: Any) -> Ran:
        return steelyard(*words, folder=folder, environment={**environment, "STEELYARD_FAKE": json.dumps(planted)})

    return ran
