"""Link: the loopback of a network namespace, in which a whole load or run lives, is cut, loses its address, or has tiny packets."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from itertools import product

from ..ground import Ground, NotHereError
from ..oracle import NOT_STRUCK, Verdict

SHARE = 20
# What is done to the link, and what mends it.
ACTS = {
    "cut": ("link set lo down", "link set lo up"),
    "without its address": ("address flush dev lo", "address add 127.0.0.1/8 dev lo"),
    "with packets of 576 bytes": ("link set lo mtu 576", "link set lo mtu 65536"),
}
HOW = ("for good", "for a moment")
STEPS = {
    "load": ("verifying 1 operation", "loading"),
    "run": ("trial 1 … starting a", "trial 1 … warming up", "trial 1 … measuring work"),
}
VARIANTS = tuple(
    f"{command}: {act} {how} at '{step}'" for command in STEPS for act, how, step in product(ACTS, HOW, STEPS[command])
)
INSIDE = """exec unshare --net "$BASH" -c 'ip link set lo up; exec "$0" "$@"' "$0" "$@\""""
MOST_LATER_SECONDS = 0.8
MOMENT_SECONDS = 0.7


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Run the command in a namespace, and break its loopback."""
    tried = ["unshare", "--net", "ip", "link", "set", "lo", "up"]
    if os.geteuid() != 0 or any(shutil.which(name) is None for name in ("unshare", "nsenter", "ip", "bash")):
        raise NotHereError("only root, with ip and unshare, can make a network namespace")
    if subprocess.run(tried, capture_output=True, check=False).returncode != 0:
        raise NotHereError("no network namespace can be made")
    command, _, rest = variant.partition(": ")
    what, _, step = rest.partition(" at '")
    act = next(act for act in ACTS if what.startswith(act))
    ground.protect()
    lab = ground.start(*ground.words(command), shell=INSIDE)
    came = lab.await_step(step.removesuffix("'"))
    time.sleep(draw.uniform(0, MOST_LATER_SECONDS))
    struck = came and lab.runs and _change(lab.pid, ACTS[act][0])
    if struck and what.endswith(HOW[1]):
        time.sleep(MOMENT_SECONDS)
        _change(lab.pid, ACTS[act][1])
    ended = lab.end()
    wrong = ground.wrong(ended)
    if not struck and not wrong:
        return Verdict(NOT_STRUCK, ended.code, f"it had ended before '{step}")
    return ground.verdict(command, ended, wrong)


def _change(pid: int, words: str) -> bool:
    """Change the link of a process's namespace; returns whether that was possible."""
    done = subprocess.run(
        ["nsenter", "--target", str(pid), "--net", "ip", *words.split()], capture_output=True, check=False
    )
    return done.returncode == 0
