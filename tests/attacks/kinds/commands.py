"""Commands about servers of the user's own, such as `compare`, `check` and `find-limit`: they, or what they started, get a signal.

A stopped comparison must be resumable without loss, and nothing may be left running.
"""

from __future__ import annotations

import random
import time
from itertools import product
from pathlib import Path

from ..ground import Ground, NotHereError, strike
from ..oracle import NOT_STRUCK, Verdict
from .kills import SIGNALS, VICTIMS, resume, victim_of

SHARE = 40
BRIEF = ["--budget", "15s", "--slice-seconds", "0.2", "--pairs", "3", "--warm-up", "1", "--users", "2"]
COMMANDS = {
    "compare": ["compare", "./shop", "./shop", *BRIEF],
    "check": ["check", "./shop", "./shop", *BRIEF],
    "find-limit": ["find-limit", "./shop", "--p95", "500ms", "--within", "12s"],
    "compare running": ["compare", "{url}", "{url}", "--service", "./shop", "--budget", "8s", "--users", "2"],
}
VICTIM_NAMES = ("lab", *VICTIMS)
VARIANTS = tuple(f"{command}: {name} {victim}" for command, name, victim in product(COMMANDS, SIGNALS, VICTIM_NAMES))
GATE_FILES = "junit.xml and summary.md are in"  # the last line of a gate's answer
LATER_SECONDS = (0.3, 15.0)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Send the signal at a drawn moment."""
    command, _, rest = variant.partition(": ")
    name, _, victim = rest.partition(" ")
    if command == "compare running" and victim not in ("lab", "engine"):
        raise NotHereError("a comparison of running servers starts none")
    ground.protect()
    with ground.serving() as port:
        words = [word.format(url=f"http://127.0.0.1:{port}") for word in COMMANDS[command]]
        lab = ground.start(*words, "--out", str(ground.runs))
        lab.await_text(".", LATER_SECONDS[1])  # before it prints, Python itself starts
        time.sleep(draw.uniform(*LATER_SECONDS))
        pid = victim_of(victim, ground, lab)
        if pid is not None:
            strike(pid, SIGNALS[name], draw)
        ended = lab.end()
        struck = pid is not None and victim == "lab" and name != "pause"
        wrong = ground.wrong(ended, [int(SIGNALS[name])] if struck else (), killed=struck and name == "kill")
        wrong = [each for each in wrong if command != "check" or GATE_FILES not in each]
        if pid is None and not wrong:
            return Verdict(NOT_STRUCK, ended.code, f"no {victim}")
        run = ground.run_folder()
        if wrong or not struck or ended.code in (0, 1, 2) or run is None or not _is_resumable(run):
            return ground.load_verdict(ended, wrong)
        return resume(ground, ended)


def _is_resumable(run: Path) -> bool:
    """Whether a run starts its subjects itself; one of running servers is not resumed."""
    return (run / "schedule.json").is_file() and (run / "requests").is_dir()
