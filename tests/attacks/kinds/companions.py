"""Companions: what stands beside a subject is killed, ended or paused while a run lasts.

A trial whose companion ended has failed, or never needed it; nothing of it may be left running, and its counts must hold.
"""

from __future__ import annotations

import os
import random
import signal
import time
from itertools import product
from pathlib import Path

from ..ground import HERE, STEELYARD, Ground, Lab, send_signal
from ..oracle import NOT_STRUCK, Verdict

SHARE = 20
HOUSE = HERE.parent / "house"  # with the companion
LABEL = 'label = "{}"\n'
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "pause": signal.SIGSTOP}
VICTIMS = {"companion": "http.server", "its keeper": "steelyard-keeper"}
STEPS = (
    *("trial 1 … starting a", "trial 1 … verifying the answers of b", "trial 1 … warming up"),
    *("trial 1 … measuring work", "trial 2 … starting a", "trial 2 … measuring work"),
)
VARIANTS = tuple(f"{name} {victim} at '{step}'" for name, victim, step in product(SIGNALS, VICTIMS, STEPS))
MOST_LATER_SECONDS = 0.6
APPEAR_SECONDS = 10.0
PAUSES = (0.5, 3.0)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Strike the companion of a subject at a step."""
    words, _, step = variant.partition(" at '")
    name, _, victim = words.partition(" ")
    study = ground.user / "tiny.toml"
    text = study.read_text()
    for label in "ab":
        text = text.replace(LABEL.format(label), f'{LABEL.format(label)}companions = [{{ server = "ledger" }}]\n')
    study.write_text(text)
    ground.protect()
    path = f"{STEELYARD.parent}{os.pathsep}{ground.environment['PATH']}"  # with the engine, which looks whether the companion is up
    lab = ground.start(*ground.study_words(), STEELYARD_PATH=str(HOUSE), PATH=path)
    came = lab.await_step(step.removesuffix("'"))
    time.sleep(draw.uniform(0, MOST_LATER_SECONDS))
    pid = _victim(victim, lab, ground) if came else None
    if pid is not None:
        send_signal(pid, SIGNALS[name])
        if name == "pause":
            time.sleep(draw.uniform(*PAUSES))
            send_signal(pid, signal.SIGCONT)
    ended = lab.end()
    wrong = ground.wrong(ended)
    if pid is None and not wrong:
        return Verdict(NOT_STRUCK, ended.code, f"no {victim} at '{step}")
    return ground.study_verdict(ended, wrong)


def _victim(kind: str, lab: Lab, ground: Ground) -> int | None:
    """The companion, or the process above it; None where none appears while the command runs."""
    end = time.monotonic() + APPEAR_SECONDS
    while lab.runs and time.monotonic() < end:
        known = {process.pid: process for process in ground.processes()}
        for process in known.values():
            if VICTIMS["companion"] not in process.words or _is_keeper(process.words):
                continue
            if kind == "companion":
                return process.pid
            above = known.get(process.parent)
            while above is not None and not _is_keeper(above.words):
                above = known.get(above.parent)
            if above is not None:
                return above.pid
        time.sleep(0.02)
    return None


def _is_keeper(words: str) -> bool:
    return Path(words.split(" ")[0]).name == VICTIMS["its keeper"]
