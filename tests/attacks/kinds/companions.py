"""Companions: what stands beside a subject is killed, ended or paused while a run lasts.

A trial whose companion ended has failed, or never needed it; nothing of it may be left running, and its counts must hold.
"""

from __future__ import annotations

import os
import random
import signal
import time
from functools import partial
from itertools import product

from ..ground import HERE, STEELYARD, Ground, strike
from ..oracle import NOT_STRUCK, Process, Verdict
from .kills import is_keeper

SHARE = 20
HOUSE = HERE.parent / "house"  # with the companion
LABEL = 'label = "{}"\n'
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "pause": signal.SIGSTOP}
COMPANION = "http.server"  # in its command line
VICTIMS = ("companion", "its keeper")
STEPS = (
    *("trial 1 … starting a", "trial 1 … verifying the answers of b", "trial 1 … warming up"),
    *("trial 1 … measuring work", "trial 2 … starting a", "trial 2 … measuring work"),
)
VARIANTS = tuple(f"{name} {victim} at '{step}'" for name, victim, step in product(SIGNALS, VICTIMS, STEPS))
MOST_LATER_SECONDS = 0.6


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
    pid = ground.await_process(lab, partial(_victim, victim)) if came else None
    if pid is not None:
        strike(pid, SIGNALS[name], draw)
    ended = lab.end()
    wrong = ground.wrong(ended)
    if pid is None and not wrong:
        return Verdict(NOT_STRUCK, ended.code, f"no {victim} at '{step}")
    return ground.study_verdict(ended, wrong)


def _victim(kind: str, known: dict[int, Process]) -> int | None:
    """The process id of the companion, or of its keeper; None where there is none."""
    for process in known.values():
        if COMPANION not in process.words or is_keeper(process):
            continue
        if kind == "companion":
            return process.pid
        above = known.get(process.parent)
        while above is not None and not is_keeper(above):
            above = known.get(above.parent)
        if above is not None:
            return above.pid
    return None
