"""Kills: a signal to one process of a load or a run, at a named step of its progress or a moment later.

A stopped run must be resumable without loss, and nothing may be left running.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

from .. import oracle
from ..ground import LOAD_STEPS, STUDY_STEPS, Ground, Lab, send_signal, strike
from ..oracle import NOT_STRUCK, Process, Verdict

SHARE = 150
MOST_LATER_SECONDS = 0.6
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT, "pause": signal.SIGSTOP}
_KEEPER = "steelyard-keeper"
# How each process is recognised among all of the attack.
VICTIMS: dict[str, Callable[[Process, dict[int, Process]], bool]] = {
    "engine": lambda process, _: "steelyard-engine run" in process.words,
    "guard": lambda process, known: is_keeper(process) and not is_keeper(known.get(process.parent)),
    "keeper": lambda process, known: is_keeper(process) and is_keeper(known.get(process.parent)),
    "server": lambda process, _: "target.py" in process.words and not is_keeper(process),
}
COMMANDS = {"load": LOAD_STEPS, "run": STUDY_STEPS}
_AT_WORK = {
    "load": ("loading",),
    "run": ("trial 1 … warming up", "trial 1 … measuring work", "trial 2 … measuring work"),
}
VARIANTS = (
    *(
        f"{command}: {name} lab at '{step}'"
        for command in COMMANDS
        for name, step in product(SIGNALS, COMMANDS[command])
    ),
    *(f"{command}: int twice lab at '{step}'" for command in COMMANDS for step in _AT_WORK[command]),
    *(
        f"{command}: {name} {victim} at '{step}'"
        for command in COMMANDS
        for name, victim, step in product(SIGNALS, VICTIMS, _AT_WORK[command])
    ),
)


def is_keeper(process: Process | None) -> bool:
    """Whether a process is a keeper of other processes, or the guard above one."""
    return process is not None and Path(process.words.split(" ")[0]).name == _KEEPER


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Send the signal when the step is reached; then judge, and resume what was stopped."""
    command, _, rest = variant.partition(": ")
    words, _, step = rest.partition(" at '")
    name, victim = words.rsplit(" ", 1)
    ground.protect()
    later = draw.uniform(0, MOST_LATER_SECONDS)
    lab = ground.start(*ground.words(command))
    came = lab.await_step(step.removesuffix("'"))
    time.sleep(later)
    pid = victim_of(victim, ground, lab) if came else None
    if pid is None:
        ended = lab.end()
        found = ground.verdict(command, ended, ground.wrong(ended))
        return found if found.outcome == oracle.DEFECT else Verdict(NOT_STRUCK, ended.code, f"no {victim} at '{step}")
    sent = _strike(pid, name, draw)
    ended = lab.end()
    killed = victim == "lab" and name == "kill"
    wrong = ground.wrong(ended, sent if victim == "lab" else (), killed=killed)
    if command == "load" or wrong or victim != "lab" or name == "pause" or ended.code in (0, 1, 2):
        return ground.verdict(command, ended, wrong)
    return resume(ground, ended)


def resume(ground: Ground, stopped: oracle.Ended) -> Verdict:
    """Resume a run that was stopped: its finished trials must stay as they are, and the others must be driven."""
    run = ground.run_folder()
    if run is None or not (run / "schedule.json").exists():
        return oracle.verdict(stopped, [])  # it had not begun: the exit code is its record
    finished = [run / "trials" / name for name, status in oracle.trials(run).items() if status == "complete"]
    everything = len(finished) == len(oracle.document(run / "schedule.json")["trials"])
    ground.protect(*finished)
    ended = ground.run("report", str(run)) if everything else ground.run("run", "--resume", str(run))
    wrong = ground.wrong(ended)
    if ended.code not in (0, 2) and not wrong:
        wrong.append(f"it was not resumed: {ended.last_line}")
    return ground.study_verdict(ended, wrong, resumed=True)


def victim_of(kind: str, ground: Ground, lab: Lab) -> int | None:
    """The process id of a process of this kind; None where none appears while the command runs."""
    if kind == "lab":
        return lab.pid if lab.runs else None

    def find(known: dict[int, Process]) -> int | None:
        return min((process.pid for process in known.values() if VICTIMS[kind](process, known)), default=None)

    return ground.await_process(lab, find)


def _strike(pid: int, name: str, draw: random.Random) -> list[int]:
    """Send the signals; returns those that may end a process."""
    number = SIGNALS[name.removesuffix(" twice")]
    strike(pid, number, draw)
    if name == "pause":
        return []
    if name.endswith(" twice"):
        time.sleep(draw.uniform(0, 1))
        send_signal(pid, number)
    return [number]
