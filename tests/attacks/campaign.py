"""Drives attacks, several at once, each on a ground of its own."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from . import oracle
from .ground import HERE, Ground, NotHereError, send_signal
from .oracle import DEFECT, NOT_HERE, Verdict
from .plan import Attack, known_kinds
from .results import Row
from .templates import Templates

ROOT = HERE.parent.parent
LONGEST_DETAIL = 300


@contextmanager
def field() -> Iterator[tuple[Path, Templates]]:
    """A folder for grounds, and the templates of all; what still runs at the end is killed."""
    with TemporaryDirectory(prefix="attacks-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)  # some attacks run as another user
        try:
            yield folder, Templates(folder / "templates")
        finally:
            for ground in (*folder.glob("*"), *folder.glob("templates/*")):
                for process in oracle.processes(str(ground)):
                    send_signal(process.pid, signal.SIGKILL)


def drive(attack: Attack, folder: Path, templates: Templates) -> Row:
    """Drive one attack to its outcome. An exception is an error of the attack and ends the campaign."""
    place = folder / f"{attack.seed}-{attack.kind}-{attack.number}"
    begun = time.monotonic()
    ground = Ground(place, templates)
    variant = attack.variant
    try:
        found: Verdict = known_kinds()[attack.kind].attack(variant, attack.draw, ground)
    except NotHereError as error:
        found = Verdict(NOT_HERE, None, str(error))
    seconds = round(time.monotonic() - begun, 1)
    if found.outcome != DEFECT:
        shutil.rmtree(place, ignore_errors=True)
    return Row(
        *(attack.seed, attack.kind, attack.number, variant, found.outcome),
        code="" if found.code is None else str(found.code),
        seconds=seconds,
        revision=revision(),
        detail=_without_places(found.detail, folder)[:LONGEST_DETAIL],
    )


def driven(
    attacks: Iterable[Attack], folder: Path, templates: Templates, *, at_once: int = 1, until: float = float("inf")
) -> Iterator[Row]:
    """Drive attacks, `at_once` at a time, and yield their rows in the order in which they end. None begins after `until`, on the
    monotonic clock in s. Most of an attack's time is waiting, so several take little longer than one."""
    pool = ThreadPoolExecutor(at_once)
    active: set[Future[Row]] = set()
    try:
        for attack in attacks:
            while len(active) == at_once:
                ended, active = wait(active, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in ended)
            if time.monotonic() > until:
                break
            active.add(pool.submit(drive, attack, folder, templates))
        while active:
            ended, active = wait(active, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in ended)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # the end of `field` kills what the last ones started


def remaining(planned: Iterable[Attack], had: Iterable[Row], *, again: bool = False) -> Iterator[Attack]:
    """The attacks that have no outcome yet; with `again`, those whose last outcome is a defect instead."""
    last = {row.attack: row.outcome for row in had}
    return (attack for attack in planned if (last.get(attack) == DEFECT if again else attack not in last))


def revision() -> str:
    """The revision of the checkout, with + where files of it are changed."""
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "lab", "engine"], capture_output=True, text=True, check=False
    )
    return head.stdout.strip() + "+" * bool(changed.stdout.strip())


def _without_places(text: str, folder: Path) -> str:
    """A text on one line, without the folders of this machine."""
    plain = text.replace(str(folder), "~").replace(str(ROOT), "steelyard").replace(str(Path.home()), "~")
    return " ".join(plain.split())
