"""Executes an order on a worker: a folder, a process that drives the trial in it, and the packed result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..base.csvfiles import is_stored, read_document, write_document, write_text
from ..base.errors import CommandFailedError, SteelyardError, StoreError
from ..catalogue.entries import OWN_REQUESTS
from ..hosts import keeper
from ..hosts import machine as machines
from ..hosts.scratch import control_folder, scratch_folder
from ..results import machine_history
from ..results.live_file import running_now
from .handing import TrialEnd
from .packing import ENVIRONMENT, pack_trial, write_files

ORDER, ENDED, SAME = "order.json", "ended.json", "same.json"
_MOST_SECONDS = 7 * 86_400.0  # no trial lasts as long
_TELL_EVERY = 20  # tenths of a second


class UnwantedError(SteelyardError):
    """Raised when the trial is no longer wanted."""


@dataclass(frozen=True)
class Introduced:
    """A worker's machine: its anonymous identity, its processor, and its version of Steelyard."""

    identity: str
    processor: str
    version: str


@dataclass(frozen=True)
class Order:
    """Everything needed to drive a trial: as texts the run's study.toml, its schedule with that one trial, and the
    required setup; and the files of the user's own requests."""

    trial: int
    study: str
    schedule: str
    same: str
    command: tuple[str, ...]
    all_spellings: bool
    requests: Mapping[str, bytes]


@dataclass(frozen=True)
class Done:
    """How an order ended. `packed` is the trial's folder if it was driven, `message` a sentence if it was not."""

    outcome: str
    message: str = ""
    packed: bytes = b""


def introduce() -> Introduced:
    """The machine of this worker."""
    processor = str(machines.fingerprint().get("processor", ""))
    return Introduced(machine_history.machine(), processor, __version__)


def drive(order: Order, wanted: Callable[[], bool], report: Callable[[str], None]) -> Done:
    """Drive a trial on this machine. `wanted` returns whether to go on, and `report` receives the stage.

    The trial runs in a child process that ends with this one, whatever the cause. Its temporary files are removed then.
    """
    with scratch_folder("cluster-") as place, control_folder() as temporary:
        folder = Path(place)
        (folder / "trials").mkdir()
        write_text(folder / "study.toml", order.study)
        write_text(folder / "schedule.json", order.schedule)
        write_text(folder / SAME, order.same)
        write_files(order.requests, folder / OWN_REQUESTS)
        write_document(folder / ORDER, {"command": order.command, "all_spellings": order.all_spellings})
        try:
            _run_while_wanted(folder, temporary, wanted, report)
        except UnwantedError as error:
            return Done(TrialEnd.LOST, error.message)
        except CommandFailedError as error:
            return Done(TrialEnd.LOST, f"the driving process ended: {error.output or error.message}")
        except SteelyardError as error:
            return Done(TrialEnd.UNFIT, error.message)
        return _read_end(folder)


def _run_while_wanted(folder: Path, temporary: str, wanted: Callable[[], bool], report: Callable[[str], None]) -> None:
    turns = 0
    reported = ""

    def meanwhile() -> None:
        nonlocal turns, reported
        turns += 1
        if turns % _TELL_EVERY:
            return
        if not wanted():
            raise UnwantedError("the run no longer needs it")
        now = running_now(folder)
        if now is not None and now.stage != reported:
            reported = now.stage
            report(reported)

    keeper.run(
        [sys.executable, "-m", "steelyard.cluster.one_trial", str(folder)],
        log=folder / "driver.log",
        cwd=folder,
        environment={"TMPDIR": temporary},
        seconds=_MOST_SECONDS,
        while_waiting=meanwhile,
        afterwards=["rm", "-rf", temporary],  # by the keeper, since a worker may be killed
    )


def _read_end(folder: Path) -> Done:
    try:
        ended = read_document(folder / ENDED)
        outcome, message = TrialEnd(ended["outcome"]), str(ended["said"])
    except (StoreError, KeyError, ValueError) as error:
        return Done(TrialEnd.LOST, f"it did not report how it ended: {error}")
    if outcome is not TrialEnd.DRIVEN:
        return Done(outcome, message)
    trial = next((folder / "trials").iterdir(), folder)
    if not (is_stored(trial / "trial.json") and is_stored(folder / ENVIRONMENT)):
        return Done(TrialEnd.LOST, "it left no trial")
    return Done(outcome, message, pack_trial(folder, trial))
