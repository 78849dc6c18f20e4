"""Clocks: the time of day is set, swings, stands or runs at another speed for all processes of a command, or for one program.

No stored instant or figure may follow it, and no command may wait for a time that never comes.
"""

from __future__ import annotations

import random
import time
from itertools import product

from .. import oracle
from ..ground import Ground
from ..oracle import NOT_STRUCK, Verdict
from ..preload import AT_START, PROGRAMS, Control, act_of
from ..templates import copy

SHARE = 40
HOUR, DAY, YEAR = 3600, 86_400, 31_556_952
YEAR_2200 = 7_258_118_400  # seconds since 1970
SECOND_NS = 1_000_000_000
# The act of the library and its seconds; None: back to 1970.
ACTS: dict[str, tuple[str, float | None]] = {
    "an hour ahead": ("ahead", HOUR),
    "an hour behind": ("ahead", -HOUR),
    "ten years behind": ("ahead", -10 * YEAR),
    "back in 1970": ("ahead", None),
    "in the year 2200": ("ahead", YEAR_2200),
    "a day to and fro": ("swings", -DAY),
    "a second to and fro": ("swings", 1),
    "stopped": ("stands", 0),
    "twice as fast": ("double", 0),
    "half as fast": ("half", 0),
}
WHEN = (AT_START, "meanwhile")
STEPS = {"load": "loading", "run": "trial 1 … warming up", "resume": "trial 2 … warming up"}
VARIANTS = tuple(
    f"{command}: {act} {where}, {when}" for command, act, where, when in product(STEPS, ACTS, PROGRAMS, WHEN)
)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Move the clock at the start of a load or a run, or while it lasts."""
    act = act_of(variant)
    control = Control(ground, PROGRAMS[act.where])
    movement, seconds = ACTS[act.name]
    now_ns = time.time_ns()
    ns = -now_ns if seconds is None else int(seconds * SECOND_NS) - (now_ns if seconds == YEAR_2200 else 0)
    words = _words(act.command, ground)
    begun_ns = time.monotonic_ns()
    lab = control.start(ground, words, act, lambda: control.move_clock(movement, ns), STEPS[act.command], draw)
    ended = lab.end()
    if control.readings == 0:
        return Verdict(NOT_STRUCK, ended.code, f"nothing read the clock {act.where}")
    wrong = ground.wrong(ended)
    run = ground.run_folder()
    if run is not None:
        wrong += oracle.wrong_times(run, begun_ns, time.monotonic_ns(), but=ground.older_tables)
    return ground.verdict(act.command, ended, wrong)


def _words(command: str, ground: Ground) -> list[str]:
    if command != "resume":
        ground.protect()
        return ground.words(command)
    run = copy(ground.templates.stopped, ground)
    ground.protect(run / "trials" / "01")
    return ["run", "--resume", str(run)]
