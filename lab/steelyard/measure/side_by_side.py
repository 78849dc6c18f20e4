"""Trials driven at the same time, since none of them measures times: each in a process of its own, like a single trial."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import NoReturn

from rich.console import Console

from ..base import children
from ..base.errors import SteelyardError
from ..base.live import LiveSubject
from ..base.progress import Progress
from ..models.records import Failure, TrialPlan
from .trial import trial as drive
from .trial.context import TrialContext, TrialFailedError

_LOOK_SECONDS = 0.2
_END_SECONDS = 60.0  # more than a trial needs to stop its processes
_FORKING = multiprocessing.get_context("fork")  # with fork, a context needs no pickling


@dataclass(frozen=True)
class _Stage:
    text: str


@dataclass(frozen=True)
class _Line:
    text: str


@dataclass(frozen=True)
class _Failed:
    """The trial failed, and is stored as failed."""

    failure: Failure
    hint: str


@dataclass(frozen=True)
class _GivenUp:
    """An error that every later trial would also have."""

    message: str
    hint: str


@dataclass(frozen=True)
class _CameToItsEnd:
    """The trial was completed."""


_Subjects = dict[str, LiveSubject]
_Told = _Stage | _Line | _Failed | _GivenUp | _CameToItsEnd | _Subjects


@dataclass
class _Driving:
    """A trial under way: its process, its pipe, and its messages so far."""

    plan: TrialPlan
    process: BaseProcess
    hears: Connection
    stage: str = ""
    subjects: Sequence[str] = ()


def drive_side_by_side(
    setting: TrialContext,
    offered: Iterator[tuple[TrialPlan, bool]],
    ended: Callable[[TrialPlan, TrialFailedError | None], None],
) -> None:
    """Drive the offered trials, `schedule.at_once` at a time; the next trial is taken when a place is free, with whether all
    spellings are verified. `ended` is called for each stored trial, with the reason if it failed.

    Raises the errors of `run_trial` except TrialFailedError. Then, and after an interruption, all trials under way are stopped
    and stored as interrupted.
    """
    driving: dict[Connection, _Driving] = {}
    try:
        while _start_trials(setting, offered, driving):
            for hears in wait(list(driving), timeout=_LOOK_SECONDS):
                assert isinstance(hears, Connection)
                under_way = driving[hears]
                told = _next_message(under_way)
                if isinstance(told, (_Failed, _CameToItsEnd)):
                    under_way.process.join()
                    _clear_progress(setting.progress, driving.pop(hears))
                    ended(under_way.plan, _error_of(told))
                else:
                    _show(setting.progress, under_way, told)
            stages = [each.stage for each in driving.values() if each.stage]
            if stages:
                setting.progress.set_stage(" | ".join(stages))
            setting.progress.refresh()
    finally:
        _end(list(driving.values()))


def _start_trials(
    setting: TrialContext, offered: Iterator[tuple[TrialPlan, bool]], driving: dict[Connection, _Driving]
) -> bool:
    """Start trials while places are free; returns whether any is under way."""
    while len(driving) < setting.schedule.at_once:
        following = next(offered, None)
        if following is None:
            break
        plan, all_spellings = following
        hears, tells = _FORKING.Pipe(duplex=False)
        process = _FORKING.Process(
            target=_drive_one,
            args=(setting, plan, all_spellings, tells, [hears, *driving]),
            name=f"trial {plan.number}",
        )
        with children.hold_interrupts():
            process.start()
            driving[hears] = _Driving(plan, process, hears)
        tells.close()
    return bool(driving)


def _next_message(under_way: _Driving) -> _Told:
    """The next message of a trial; raises SteelyardError where its process ended without a message, or reports an error that ends
    the run."""
    try:
        told: _Told = under_way.hears.recv()
    except EOFError:
        under_way.process.join()
        raise SteelyardError(
            f"the process of trial {under_way.plan.number} ended without a message, with code {under_way.process.exitcode}",
            hint="`steelyard run --resume` continues the run",
        ) from None
    if isinstance(told, _GivenUp):
        raise SteelyardError(told.message, told.hint)
    return told


def _error_of(told: _Failed | _CameToItsEnd) -> TrialFailedError | None:
    return TrialFailedError(told.failure, told.hint) if isinstance(told, _Failed) else None


def _show(progress: Progress, under_way: _Driving, told: _Told) -> None:
    if isinstance(told, _Stage):
        under_way.stage = told.text
        progress.show(told.text)
    elif isinstance(told, _Line):
        progress.print_line(told.text)
    elif isinstance(told, dict):
        under_way.subjects = list(told)
        progress.live.subjects.update(told)


def _clear_progress(progress: Progress, under_way: _Driving) -> None:
    for label in under_way.subjects:
        progress.live.subjects.pop(label, None)


def _end(driving: Sequence[_Driving]) -> None:
    """Interrupt the trials under way, and wait until they have stopped their processes."""
    with children.hold_interrupts():
        for each in driving:
            each.process.terminate()
        until = time.monotonic() + _END_SECONDS
        for each in driving:
            each.process.join(max(0.0, until - time.monotonic()))
            if each.process.is_alive():
                each.process.kill()
                each.process.join()
            each.hears.close()


class _Teller:
    """A trial's end of its pipe; sends nothing more once the trial is interrupted, because the lab may be gone."""

    def __init__(self, tells: Connection) -> None:
        self._tells = tells
        self.interrupted = False

    def __call__(self, told: _Told) -> None:
        """Raises KeyboardInterrupt where the lab is gone."""
        if self.interrupted:
            return
        try:
            self._tells.send(told)
        except OSError:
            self.interrupted = True
            raise KeyboardInterrupt from None

    def interrupt(self, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.interrupted = True
        raise KeyboardInterrupt


class _Relayed(Progress):
    """A progress display that draws nothing and sends its content through the pipe."""

    def __init__(self, tell: _Teller) -> None:
        super().__init__(Console(file=io.StringIO()))
        self._relay = tell

    def show(self, stage: str) -> None:
        self._relay(_Stage(stage))
        self.set_stage(stage)

    def print_line(self, line: str) -> None:
        self._relay(_Line(line))


def _drive_one(
    setting: TrialContext, plan: TrialPlan, all_spellings: bool, tells: Connection, others: Sequence[Connection]
) -> None:
    """The main function of a trial's process. `others` are inherited ends of pipes; a pipe is closed only once every process has
    closed it."""
    os.setsid()  # Ctrl-C goes to the lab, which interrupts each trial once
    tell = _Teller(tells)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, tell.interrupt)
    for hears in others:
        hears.close()
    progress = _Relayed(tell)
    times_nothing = replace(setting.shares, awake=[])
    own = replace(setting, progress=progress, lab=os.getppid(), shares=times_nothing)
    try:
        with progress.followed_by(lambda: tell(progress.live.subjects)):
            drive.run_trial(own, plan, all_spellings=all_spellings)
        tell(_CameToItsEnd())
    except TrialFailedError as error:
        tell(_Failed(error.failure, error.hint))
    except KeyboardInterrupt:
        pass  # stored as interrupted
    except SteelyardError as error:
        tell(_GivenUp(error.message, error.hint))
    except OSError as error:
        tell(_GivenUp(str(error), ""))
    finally:
        children.end_all()
