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
from steelyard.hosts import doctor
from steelyard.measure.trial import engine, idle_cpu, trial

HOUSE = Path(__file__).parents[2] / "tests" / "house"
FAKE = Path(__file__).with_name("fake_engine.py")
Run = Callable[..., Ran]
LOOK_SECONDS = 0.1  # at the machine and at subjects at rest
PLAIN = 'parts = [{ server = "plain" }]'
STUDY = """
name = "small"
title = "A test's own study"
question = "What is driven?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
slice_seconds = 5
warm_up_limit_seconds = 15
corpus_entries = 5
"""


def study(folder: Path, *, forks: int = 2, pairs: int = 3, a: str = PLAIN, b: str = PLAIN, more: str = "") -> str:
    """The file of a small study, written into `folder`; `a` and `b` are the keys of its two subjects beside their labels."""
    subjects = "".join(f'  {{ label = "{label}", {keys} }},\n' for label, keys in (("a", a), ("b", b)))
    text = f"{STUDY}forks = {forks}\npairs = {pairs}\nsubjects = [\n{subjects}]\n{more}"
    (folder / "small.toml").write_text(text)
    return "small.toml"


def records(folder: Path) -> list[dict[str, Any]]:
    """What was stored of each trial of the runs in `folder`."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("runs/*/trials/*/trial.json"))]


def played_once(folder: Path, *words: str, **planted: Any) -> Ran:
    """One command with the engine played, for a fixture that several tests read."""
    with pytest.MonkeyPatch.context() as patch:
        return played(folder, patch)(*words, **planted)


def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`steelyard` in a folder of its own, with the engine played."""
    monkeypatch.setattr(engine, "binary", lambda _name: str(FAKE))
    monkeypatch.setattr(trial, "PAUSE_SECONDS", 0.0)  # for JIT compilers, which are not here
    # Nothing is loaded, so what the machine does meanwhile says nothing: neither what servers use, nor what the host takes.
    monkeypatch.setattr(trial, "cpu_ns_per_request", lambda *_: None)
    monkeypatch.setattr(instrument, "STEAL_LIMIT", 1.0)
    monkeypatch.setattr(idle_cpu, "WINDOW_SECONDS", LOOK_SECONDS)
    examine = doctor.examine
    monkeypatch.setattr(doctor, "examine", lambda _seconds=0.0, ours=(): examine(LOOK_SECONDS, ours))
    environment = {
        "STEELYARD_PATH": str(HOUSE),
        "STEELYARD_AWAKE": "no",
        "STEELYARD_STRANGERS": "yes",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }

    def ran(*words: str, **planted: Any) -> Ran:
        return steelyard(*words, folder=folder, environment={**environment, "STEELYARD_FAKE": json.dumps(planted)})

    return ran
