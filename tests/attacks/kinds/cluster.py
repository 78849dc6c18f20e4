"""Runs of several workers or sittings: a worker, what it started, or the lab is killed, stopped or paused, or clocks are moved.

Every trial is driven once, those that have arrived stay as they are, and nothing of a worker is left running.
"""

from __future__ import annotations

import importlib.util
import random
import signal
import time
from itertools import product
from pathlib import Path

from .. import oracle
from ..ground import Ground, Lab, NotHereError, send_signal
from ..oracle import NOT_STRUCK, Ended, Process, Verdict
from ..preload import Control

SHARE = 50
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT, "pause": signal.SIGSTOP}
VICTIMS = ("lab", "worker", "idle worker", "driver", "engine", "keeper")
# Moments, and the text that the command prints then; a driven trial shows by the process that drives it.
DRIVEN = "a trial is driven"
MOMENTS = {
    "workers are awaited": "waiting for workers",
    "the plan is stored": r"\d trials? on",
    "a trial arrived": "has arrived",
}
SITTINGS = {
    "the first sitting": "session-1 of 2",
    "the first measures": "trial 1.*measuring work",
    "the second sitting": "session-2 of 2",
    "the analysis": "analysing",
}
CLOCKS = {"an hour ahead": 3600, "an hour behind": -3600, "ten years ahead": 315_569_520}
VARIANTS = (
    *(f"workers: {name} lab when {moment}" for name, moment in product(SIGNALS, (*MOMENTS, DRIVEN))),
    *(f"workers: {name} {victim} when {DRIVEN}" for name, victim in product(SIGNALS, VICTIMS[1:])),
    *(f"workers: the clock is {clock} when {DRIVEN}" for clock in CLOCKS),
    *(f"sittings: {name} lab when {moment}" for name, moment in product(SIGNALS, SITTINGS)),
)
MOST_DRIVEN_SECONDS = 12.0  # a trial of the study lasts as long
MOST_LATER_SECONDS = 1.0
PAUSES = (0.5, 6.0)
APPEAR_SECONDS = 120.0


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Strike when the moment has come, then judge, and resume what was stopped."""
    how, _, rest = variant.partition(": ")
    deed, _, moment = rest.partition(" when ")
    if how == "workers" and importlib.util.find_spec("distributed") is None:
        raise NotHereError("Dask's distributed is not installed")
    more = ["--cluster", "local:2"] if how == "workers" else ["--sessions", "2", "--rest", "0"]
    control = Control(ground, "python") if deed.startswith("the clock") else None
    ground.protect()
    lab = ground.start(*ground.study_words(*more), **({} if control is None else control.environment))
    came = _await(lab, ground, moment, draw)
    sent: list[int] = []
    struck = False
    if control is not None:
        control.move_clock("ahead", CLOCKS[deed.removeprefix("the clock is ")] * 1_000_000_000)
        struck = came
    elif came:
        name, _, victim = deed.partition(" ")
        pid = _victim(victim, lab, ground)
        struck = pid is not None
        if pid is not None:
            signals = _strike(pid, SIGNALS[name], draw)
            sent = signals if victim == "lab" else []
    ended = lab.end()
    wrong = ground.wrong(ended, sent, killed=signal.SIGKILL in sent)
    if not struck and not wrong:
        return Verdict(NOT_STRUCK, ended.code, f"no {deed.rpartition(' ')[2]} when {moment}")
    if wrong or ended.code in (0, 1, 2):
        return ground.study_verdict(ended, wrong)
    return _resumed(ground, ended, more[:2] if how == "workers" else [])


def _await(lab: Lab, ground: Ground, moment: str, draw: random.Random) -> bool:
    """Wait for the moment, and a little longer; returns whether it came."""
    if moment != DRIVEN:
        text = MOMENTS.get(moment) or SITTINGS[moment]
        came = lab.await_text(text) is not None
        time.sleep(draw.uniform(0, MOST_LATER_SECONDS))
        return came
    end = time.monotonic() + APPEAR_SECONDS
    while lab.runs and time.monotonic() < end:
        if any(_drives(process) for process in ground.processes()):
            time.sleep(draw.uniform(0, MOST_DRIVEN_SECONDS))
            return True
        time.sleep(0.1)
    return False


def _drives(process: Process) -> bool:
    return "-m steelyard.cluster.one_trial" in process.words and "steelyard-keeper" not in process.words


def _victim(kind: str, lab: Lab, ground: Ground) -> int | None:
    """The process id of a process of this kind; None where there is none."""
    if kind == "lab":
        return lab.pid if lab.runs else None
    known = {process.pid: process for process in ground.processes()}
    drivers = [process for process in known.values() if _drives(process)]
    busy = {pid for driver in drivers for pid in _ancestors(driver.pid, known)}
    workers = [process.pid for process in known.values() if "spawn_main" in process.words]
    found = {
        "worker": [pid for pid in workers if pid in busy],
        "idle worker": [pid for pid in workers if pid not in busy],
        "driver": [driver.pid for driver in drivers],
        "engine": [process.pid for process in known.values() if "steelyard-engine run" in process.words],
        "keeper": [
            process.pid for process in known.values() if Path(process.words.split(" ")[0]).name == "steelyard-keeper"
        ],
    }[kind]
    return max(found, default=None)


def _ancestors(pid: int, known: dict[int, Process]) -> list[int]:
    found = []
    while pid in known:
        pid = known[pid].parent
        found.append(pid)
    return found


def _strike(pid: int, number: signal.Signals, draw: random.Random) -> list[int]:
    """Send the signal; returns it if it may end a process."""
    send_signal(pid, number)
    if number != signal.SIGSTOP:
        return [int(number)]
    time.sleep(draw.uniform(*PAUSES))
    send_signal(pid, signal.SIGCONT)
    return []


def _resumed(ground: Ground, stopped: Ended, where: list[str]) -> Verdict:
    """Resume a stopped run: what has arrived must stay as it is, and the rest must be driven."""
    run = ground.run_folder()
    planned = None if run is None else oracle.document(run / "cluster.json")
    if run is None or planned is None:
        return oracle.verdict(stopped, [])  # it had not begun: the exit code is its record
    statuses = oracle.trials(run)
    finished = [
        folder for folder in oracle.trial_folders(run) if statuses[oracle.trial_name(folder, run)] == "complete"
    ]
    ground.protect(*finished)
    is_complete = len(finished) == len(planned["schedule"]["trials"])
    ended = ground.run("report", str(run)) if is_complete else ground.run("run", "--resume", str(run), *where)
    wrong = ground.wrong(ended)
    if ended.code not in (0, 2) and not wrong:
        wrong.append(f"it was not resumed: {ended.last_line}")
    missing = len(planned["schedule"]["trials"]) - len(oracle.trials(run))
    if missing and ended.code in (0, 2):
        wrong.append(f"{missing} trials are in no folder")
    return ground.study_verdict(ended, wrong, resumed=True)
