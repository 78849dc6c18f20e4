"""What a worker does with an order: a folder, a process of its own that drives the trial there, and what came of it packed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import __version__
from ..base.csvfiles import is_stored, read_document, write_document, write_text
from ..base.errors import CommandFailedError, SteelyardError, StoreError
from ..hosts import keeper
from ..hosts import machine as machines
from ..hosts.scratch import scratch_folder
from ..results import machine_history
from ..results.live_file import running_now
from .handing import TrialEnd
from .packing import ENVIRONMENT, packed

ORDER, ENDED, SAME = "order.json", "ended.json", "same.json"
_MOST_SECONDS = 7 * 86_400.0  # nobody waits for a trial as long as that
_TELL_EVERY = 20  # tenths of a second


class UnwantedError(SteelyardError):
    """Nobody waits for the trial any more."""


@dataclass(frozen=True)
class Introduced:
    """Where a worker is: the machine's mark, which tells nobody which one it is, its processor, and the Steelyard there."""

    identity: str
    processor: str
    version: str


@dataclass(frozen=True)
class Order:
    """All that driving a trial takes: the run's study.toml, its schedule with that one trial, and what must be alike, as texts."""

    trial: int
    study: str
    schedule: str
    same: str
    command: tuple[str, ...]
    all_spellings: bool


@dataclass(frozen=True)
class Done:
    """How an order ended; `packed` is the trial's folder where it was driven, `said` a sentence where it was not."""

    outcome: str
    said: str = ""
    packed: bytes = b""


def introduce() -> Introduced:
    """Who is asked here."""
    processor = str(machines.fingerprint().get("processor", ""))
    return Introduced(machine_history.machine(), processor, __version__)


def drive(order: Order, wanted: Callable[[], bool], tell: Callable[[str], None]) -> Done:
    """Drive a trial on this machine; `wanted` is asked meanwhile whether to go on, `tell` hears the stage now and then.

    The trial has a process of its own, which is kept: it ends with this one, whatever ends it.
    """
    with scratch_folder("cluster-") as place:
        folder = Path(place)
        (folder / "trials").mkdir()
        write_text(folder / "study.toml", order.study)
        write_text(folder / "schedule.json", order.schedule)
        write_text(folder / SAME, order.same)
        write_document(folder / ORDER, {**asdict(order), "study": "", "schedule": "", "same": ""})
        try:
            _kept(folder, wanted, tell)
        except UnwantedError as error:
            return Done(TrialEnd.LOST, error.message)
        except CommandFailedError as error:
            return Done(TrialEnd.LOST, f"what drove it ended: {error.said or error.message}")
        except SteelyardError as error:
            return Done(TrialEnd.UNFIT, error.message)
        return _done(folder)


def _kept(folder: Path, wanted: Callable[[], bool], tell: Callable[[str], None]) -> None:
    turns = 0
    told = ""

    def meanwhile() -> None:
        nonlocal turns, told
        turns += 1
        if turns % _TELL_EVERY:
            return
        if not wanted():
            raise UnwantedError("nobody waits for it any more")
        now = running_now(folder)
        if now is not None and now.stage != told:
            told = now.stage
            tell(told)

    keeper.run(
        [sys.executable, "-m", "steelyard.cluster.one_trial", str(folder)],
        log=folder / "driver.log",
        cwd=folder,
        environment={},
        seconds=_MOST_SECONDS,
        while_waiting=meanwhile,
    )


def _done(folder: Path) -> Done:
    try:
        ended = read_document(folder / ENDED)
        outcome, said = TrialEnd(ended["outcome"]), str(ended["said"])
    except (StoreError, KeyError, ValueError) as error:
        return Done(TrialEnd.LOST, f"it did not say how it ended: {error}")
    if outcome is not TrialEnd.DRIVEN:
        return Done(outcome, said)
    trial = next((folder / "trials").iterdir(), folder)
    if not (is_stored(trial / "trial.json") and is_stored(folder / ENVIRONMENT)):
        return Done(TrialEnd.LOST, "it left no trial")
    return Done(outcome, said, packed(folder, trial))
