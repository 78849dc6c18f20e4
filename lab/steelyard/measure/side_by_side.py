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
class _RunEnded:
    """An error that every later trial would also have."""

    message: str
    hint: str


@dataclass(frozen=True)
class _Completed:
    """The trial was completed."""


_Subjects = dict[str, LiveSubject]
_Message = _Stage | _Line | _Failed | _RunEnded | _Completed | _Subjects


@dataclass
class _Driving:
    """A trial under way: its process, its pipe, and its messages so far."""

    plan: TrialPlan
    process: BaseProcess
    receiver: Connection
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
            for receiver in wait(list(driving), timeout=_LOOK_SECONDS):
                assert isinstance(receiver, Connection)
                under_way = driving[receiver]
                message = _next_message(under_way)
                if isinstance(message, (_Failed, _Completed)):
                    under_way.process.join()
                    _clear_progress(setting.progress, driving.pop(receiver))
                    ended(under_way.plan, _error_of(message))
                else:
                    _show(setting.progress, under_way, message)
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
        receiver, sender = _FORKING.Pipe(duplex=False)
        process = _FORKING.Process(
            target=_drive_one,
            args=(setting, plan, all_spellings, sender, [receiver, *driving]),
            name=f"trial {plan.number}",
        )
        with children.hold_interrupts():
            process.start()
            driving[receiver] = _Driving(plan, process, receiver)
        sender.close()
    return bool(driving)


def _next_message(under_way: _Driving) -> _Message:
    """The next message of a trial; raises SteelyardError where its process ended without a message, or reports an error that ends
    the run."""
    try:
        message: _Message = under_way.receiver.recv()
    except EOFError:
        under_way.process.join()
        raise SteelyardError(
            f"the process of trial {under_way.plan.number} ended without a message, with code {under_way.process.exitcode}",
            hint="`steelyard run --resume` continues the run",
        ) from None
    if isinstance(message, _RunEnded):
        raise SteelyardError(message.message, message.hint)
    return message


def _error_of(message: _Failed | _Completed) -> TrialFailedError | None:
    return TrialFailedError(message.failure, message.hint) if isinstance(message, _Failed) else None


def _show(progress: Progress, under_way: _Driving, message: _Message) -> None:
    if isinstance(message, _Stage):
        under_way.stage = message.text
        progress.show(message.text)
    elif isinstance(message, _Line):
        progress.print_line(message.text)
    elif isinstance(message, dict):
        under_way.subjects = list(message)
        progress.live.subjects.update(message)


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
            each.receiver.close()


class _MessageSender:
    """A trial's end of its pipe; sends nothing more once the trial is interrupted, because the lab may be gone."""

    def __init__(self, sender: Connection) -> None:
        self._sender = sender
        self.interrupted = False

    def __call__(self, message: _Message) -> None:
        """Raises KeyboardInterrupt where the lab is gone."""
        if self.interrupted:
            return
        try:
            self._sender.send(message)
        except OSError:
            self.interrupted = True
            raise KeyboardInterrupt from None

    def interrupt(self, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.interrupted = True
        raise KeyboardInterrupt


class _Relayed(Progress):
    """A progress display that draws nothing and sends its content through the pipe."""

    def __init__(self, send: _MessageSender) -> None:
        super().__init__(Console(file=io.StringIO()))
        self._relay = send

    def show(self, stage: str) -> None:
        self._relay(_Stage(stage))
        self.set_stage(stage)

    def print_line(self, line: str) -> None:
        self._relay(_Line(line))


def _drive_one(
    setting: TrialContext, plan: TrialPlan, all_spellings: bool, sender: Connection, others: Sequence[Connection]
) -> None:
    """The main function of a trial's process. `others` are inherited ends of pipes; a pipe is closed only once every process has
    closed it."""
    os.setsid()  # Ctrl-C goes to the lab, which interrupts each trial once
    send = _MessageSender(sender)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, send.interrupt)
    for receiver in others:
        receiver.close()
    progress = _Relayed(send)
    times_nothing = replace(setting.shares, awake=[])
    own = replace(setting, progress=progress, lab=os.getppid(), shares=times_nothing)
    try:
        with progress.followed_by(lambda: send(progress.live.subjects)):
            drive.run_trial(own, plan, all_spellings=all_spellings)
        send(_Completed())
    except TrialFailedError as error:
        send(_Failed(error.failure, error.hint))
    except KeyboardInterrupt:
        pass  # stored as interrupted
    except SteelyardError as error:
        send(_RunEnded(error.message, error.hint))
    except OSError as error:
        send(_RunEnded(str(error), ""))
    finally:
        children.end_all()
