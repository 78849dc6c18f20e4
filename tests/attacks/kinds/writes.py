"""Writes: files of a run are written piece by piece, slowly, beyond a quota, or not at all, as disks and networks do it.

A run whose files could not be written must say so; one whose writes were only slow or short must have them all.
"""

from __future__ import annotations

import random
import time
from itertools import product

from .. import oracle
from ..ground import Ground
from ..oracle import DEFECT, NOT_STRUCK, Verdict
from ..preload import AT_START, PROGRAMS, Control, act_of
from .kills import resume

SHARE = 40
# The act of the library, and its microseconds, bytes or files.
ACTS: dict[str, tuple[str, int]] = {
    "half of each write": ("short", 0),
    "2 ms for each write": ("slow", 2_000),
    "50 ms for each write": ("slow", 50_000),
    **{f"a quota of {kib} KiB": ("quota", kib * 1024) for kib in (0, 4, 64, 512)},
    **{f"a quota of {files} files": ("no file", files) for files in (0, 3, 20)},
    "an I/O error": ("broken", 0),
    "an I/O error at fsync": ("unsynced", 0),
}
HARMLESS = ("short", "slow")
STEPS = {"load": "loading", "run": "trial 1 … measuring work"}
FOR_A_MOMENT = "for a moment"
WHEN = (AT_START, "meanwhile", FOR_A_MOMENT)
WHERE = ("everywhere", "in the lab", "in the engine")
VARIANTS = tuple(f"{command}: {act} {where}, {when}" for command, act, where, when in product(STEPS, ACTS, WHERE, WHEN))
MOMENT_SECONDS = 0.5


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Break writes into the folder of runs; a run that this stopped is resumed without the attack."""
    act = act_of(variant)
    control = Control(ground, PROGRAMS[act.where])
    damage, amount = ACTS[act.name]
    ground.protect()
    words = ground.words(act.command)
    lab = control.start(ground, words, act, lambda: control.break_writes(damage, amount), STEPS[act.command], draw)
    if act.when == FOR_A_MOMENT:
        time.sleep(MOMENT_SECONDS)
        control.break_writes("")
    ended = lab.end()
    wrong = ground.wrong(ended)
    if control.struck == 0 and not wrong:
        return Verdict(NOT_STRUCK, ended.code, f"no write was broken {act.where}")
    if damage in HARMLESS and ended.code not in (0, 2):
        wrong.append(f"writes were only {damage}, and it failed: {ended.last_line}")
    found = ground.verdict(act.command, ended, wrong)
    run = ground.run_folder()
    has_begun = run is not None and (run / "environment.json").exists()
    has_failed = run is not None and "failed" in oracle.trials(run).values()  # which is a result
    if act.command == "load" or has_failed or not has_begun or found.outcome == DEFECT or ended.code in (0, 2, 64):
        return found
    return resume(ground, ended)
