"""Disk: files and folders that vanish, are cut, are of another kind, cannot be written, or a disk that is full.

At the start of a load or a run, while it lasts, and before a stored run is resumed, reported, kept or exported.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from .. import oracle
from ..ground import Ground, NotHereError, quoted
from ..oracle import Ended, Verdict
from ..templates import copy, normal_text

SHARE = 100
GARBAGE = bytes(range(256)) * 8
# Files that commands write anew from the others; a report may change them.
MADE = ("report.html", "results.csv", "grid.csv", "verdicts.json", "live.json")
DAMAGES = ("gone", "halved", "empty", "garbage", "a folder", "a pipe", "a loop")
LATER = ("resume", "report of the run", "report of the load", "keep", "export")
# What a shell does before the laboratory starts; {runs}, {tmp}, {cache} and {state} are its folders.
AT_START = {
    "--out is a file": "rmdir {runs}; touch {runs}",
    "--out is under a file": "rmdir {runs}; touch {user}/file; ln -s {user}/file/runs {runs}",
    "--out is a link to nowhere": "rmdir {runs}; ln -s nowhere {runs}",
    "files end at 0 bytes": "ulimit -f 0",
    "files end at 4 KiB": "ulimit -f 4",
    "files end at 64 KiB": "ulimit -f 64",
    "TMPDIR is missing": "rmdir {tmp}",
    "TMPDIR is a file": "rmdir {tmp}; touch {tmp}",
    "the cache is a file": "rmdir {cache}; touch {cache}",
    "the state is a file": "rmdir {state}; touch {state}",
}
READ_ONLY = ("runs", "tmp", "cache", "state", "home")  # folders that another user than root may not write
FULL = {"runs": (64, 512, 2048), "tmp": (4,), "cache": (4,)}  # KiB
INPUTS = ("tiny.toml", "requests/service.toml", "requests/work.json")
WHILE = ("the run's folder vanishes", "the trial's folder vanishes", "the trial's tables vanish", "the disk fills")
VARIANTS = (
    *(f"start: {name}" for name in AT_START),
    *(f"start: {name} is read-only" for name in READ_ONLY),
    *(f"start: {name} is full at {size} KiB" for name, sizes in FULL.items() for size in sizes),
    *(f"start: {name} is {damage}" for name, damage in product(INPUTS, DAMAGES)),
    *(f"while: {name}" for name in WHILE),
    *(f"later: {command}, a file is {damage}" for command, damage in product(LATER, DAMAGES)),
)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Do the damage before, during or after a command."""
    when, _, what = variant.partition(": ")
    return {"start": _at_start, "while": _meanwhile, "later": _later}[when](what, draw, ground)


def damage(path: Path, kind: str) -> None:
    """Damage a file."""
    content = path.read_bytes()
    path.unlink()
    if kind == "halved":
        path.write_bytes(content[: len(content) // 2])
    elif kind == "empty":
        path.touch()
    elif kind == "garbage":
        path.write_bytes(GARBAGE)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a loop":
        path.symlink_to(path.name)


@contextmanager
def full_disk(folder: Path, kib: int) -> Iterator[None]:
    """A disk of so many KiB as a folder; raises NotHereError."""
    options = ["-t", "tmpfs", "-o", f"size={kib}k,mode=777", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True, check=False).returncode != 0:
        raise NotHereError("a small disk cannot be mounted")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _at_start(what: str, draw: random.Random, ground: Ground) -> Verdict:
    name, _, state = what.partition(" is ")
    if name in INPUTS:
        damage(ground.user / name, state)
        ground.protect()
        return _drive(ground, "run")
    if what in AT_START:
        places = {each: quoted(ground.folder / each) for each in ("runs", "tmp", "cache", "state", "user")}
        ground.protect(but=["file"])
        return _drive(ground, "load" if draw.random() < 0.7 else "run", AT_START[what].format(**places))
    if state == "read-only":
        ground.become()
        (ground.folder / name).chmod(0o555)
        ground.protect()
        found = _drive(ground, "load")
        (ground.folder / name).chmod(0o755)
        return found
    with full_disk(ground.folder / name, int(state.split()[2])):
        ground.protect()
        return _drive(ground, "load")


def _drive(ground: Ground, command: str, shell: str = "") -> Verdict:
    ended = ground.run(*ground.words(command, seconds="1s"), shell=shell)
    return ground.verdict(command, ended, ground.wrong(ended))


def _meanwhile(what: str, draw: random.Random, ground: Ground) -> Verdict:
    ground.protect()
    if what == "the disk fills":
        with full_disk(ground.runs, 4096):
            return _fill(draw, ground)
    command = "load" if draw.random() < 0.5 else "run"
    lab = ground.start(*ground.words(command))
    lab.await_step("loading" if command == "load" else "trial 1 … warming up")
    time.sleep(draw.uniform(0, 1))
    run = ground.run_folder()
    if run is None:
        return Verdict(oracle.NOT_STRUCK, lab.end().code, "no folder of a run was made")
    trial = run / "trials" / "01"
    if what == "the trial's tables vanish":
        for table in trial.glob("*.csv"):
            table.unlink()
    else:
        shutil.rmtree(run if what == "the run's folder vanishes" else trial, ignore_errors=True)
    ended = lab.end()
    return ground.verdict(command, ended, ground.wrong(ended))


def _fill(draw: random.Random, ground: Ground) -> Verdict:
    """Fill the disk of the runs while a load lasts; its filler is removed before the outcome is judged."""
    lab = ground.start(*ground.load_words("./shop", seconds="2s"))
    lab.await_step("loading")
    time.sleep(draw.uniform(0, 1))
    filler = ground.runs / "filler"
    command = f"cat /dev/zero > {quoted(filler)}"
    assert subprocess.run(["sh", "-c", command], stderr=subprocess.DEVNULL, check=False).returncode != 0
    ended = lab.end()
    filler.unlink()
    return ground.load_verdict(ended, ground.wrong(ended))


def _later(what: str, draw: random.Random, ground: Ground) -> Verdict:
    command, _, kind = what.partition(", a file is ")
    templates = ground.templates
    template = templates.stopped if command == "resume" else templates.load if "load" in command else templates.finished
    run = copy(template, ground)
    file = draw.choice(sorted(path for path in run.rglob("*") if path.is_file()))
    place = str(file.relative_to(run))
    damage(file, kind)
    ground.remember_tables(run)
    if command == "resume":
        found = _resumed(ground, run, place)
    else:
        ground.protect(run, but=MADE)
        made = {"keep": ["keep", str(run), "../kept"], "export": ["export", str(run), "--csv", "../tables"]}
        ended = ground.run(*made.get(command, ["report", str(run), "--json"]))
        wrong = ground.wrong(ended)
        if command.startswith("report") and ended.code in (0, 2):
            wrong += _false_report(ground, template, run, ended, place)
        found = oracle.verdict(ended, wrong)
    return Verdict(found.outcome, found.code, f"{place}: {found.detail}")


def _resumed(ground: Ground, run: Path, place: str) -> Verdict:
    whole = [] if place.startswith("trials/01/") else [run / "trials" / "01"]
    ground.protect(*whole)
    ended = ground.run("run", "--resume", str(run))
    return ground.study_verdict(ended, ground.wrong(ended), resumed=True)


def _false_report(ground: Ground, template: Path, run: Path, ended: Ended, place: str) -> list[str]:
    """A finding where a report differs from that of the undamaged run and names neither the damaged file nor its trial."""
    if normal_text(ended.out, run) == ground.templates.report(template):
        return []
    page = run / "report.html"
    printed = ended.out + ended.err + (page.read_text(errors="replace") if page.is_file() else "")
    trial = place.split("/")[1].lstrip("0") if place.startswith("trials/") else ""
    named = Path(place).name in printed or (trial and f"trial {trial}" in printed)
    return [] if named else [f"the report differs, and does not name {place}"]
