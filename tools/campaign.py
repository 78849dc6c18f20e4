"""Drives long runs in pieces of hours, on a quiet machine: `make campaign HOURS=2.5`, or `python tools/campaign.py --hours 2.5`.

The items are data (tools/campaign.toml). The user's folder has a run folder for each piece, and in `kept` the runs that pass the
gates. The position of a piece is read from its run folder, so a kill at any moment neither loses nor repeats a complete trial.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Annotated, Literal, NoReturn

from kept import ROOT, STEELYARD
from pydantic import Field, ValidationError, model_validator
from steelyard.analyse.analysis import full_analysis
from steelyard.base import children, configuration, paths
from steelyard.base.csvfiles import is_stored, read_document, write_document
from steelyard.base.errors import INTERRUPTED, ConfigurationError, LockError, SteelyardError, StoreError
from steelyard.base.progress import duration
from steelyard.base.terminal import console
from steelyard.base.text import plural
from steelyard.commands.tables import show
from steelyard.hosts import cpus, doctor, environment
from steelyard.hosts.foreign_work import may_count_strangers
from steelyard.measure.resume import is_complete
from steelyard.models.strict import Strict
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.report import beside_page, keeping
from steelyard.report.beside import compare_runs
from steelyard.results.setup import setup_differences

ITEMS = ROOT / "tools" / "campaign.toml"
MOST_HOURS = 2.5  # of a piece, which stays on one machine and revision
ROUNDING_HOURS = 0.02  # what a sitting loses before its first piece begins
RUN = ["steelyard", "run"]
# Options of a run that the campaign sets, or that would make a run that it cannot continue.
OWN_OPTIONS = ("--out", "--resume", "--sessions", "--cluster", "--dry-run")
SEED = "--seed"
STOPPED = (0, INTERRUPTED, -signal.SIGTERM)  # exit codes of a command that did not fail
OUTCOME, VALUES = "outcome.json", "values.toml"
SAME = ("steelyard", "git", "engine", "machine")  # parts of the setup that are known before a run begins

_VALUE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
Name = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$", max_length=60)]


class Item(Strict):
    """A command of the campaign, with the hours that it takes and the reason for it.

    Items with one `question` are pooled. With `sessions` a run is driven so many times, each with a seed of its own, and
    each of them is a piece. `{name}` in the command stands for a value that the user writes into values.toml.
    """

    name: Name
    question: Name
    command: str
    hours: Annotated[float, Field(gt=0, le=MOST_HOURS)]
    why: Annotated[str, Field(min_length=1)]
    sessions: Annotated[int, Field(ge=1, le=20)] = 1

    @property
    def is_run(self) -> bool:
        """Whether the command leaves a run folder."""
        return shlex.split(self.command)[:2] == RUN

    @model_validator(mode="after")
    def _has_a_command_that_can_be_driven(self) -> Item:
        words = shlex.split(self.command)
        if not self.is_run and words[:1] != ["python"]:
            raise ValueError(f"the command of {self.name} must begin with `steelyard run` or `python`")
        own = [*OWN_OPTIONS, SEED] if self.sessions > 1 else OWN_OPTIONS
        for word in words:
            if self.is_run and word.partition("=")[0] in own:
                raise ValueError(f"the command of {self.name} has {word}, which the campaign sets")
        if self.sessions > 1 and not self.is_run:
            raise ValueError(f"{self.name} is no run, so it has no sessions")
        return self


class Campaign(Strict):
    """The items, in the order in which they are driven."""

    items: Annotated[list[Item], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_differ(self) -> Campaign:
        names = [name for item in self.items for name, _ in sessions_of(item)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two pieces have the name '{twice}'")
        return self


class Outcome(Strict):
    """How a piece ended: its run was `kept`, was `not kept` for the reason in `why`, or its other command is `done`."""

    word: Literal["kept", "not kept", "done"]
    why: str = ""
    ended: str


@dataclass(frozen=True)
class Piece:
    """An item, or one session of it; `campaign` is the user's folder."""

    name: str
    item: Item
    session: int
    campaign: Path

    @property
    def folder(self) -> Path:
        """The folder of its run folder and its outcome."""
        return self.campaign / "pieces" / self.name

    @property
    def kept(self) -> Path:
        """The folder of its kept run."""
        return self.campaign / "kept" / self.name

    def words(self, values: Mapping[str, object]) -> list[str]:
        """The command that begins it; raises ConfigurationError where a value that it needs is not known."""
        missing = next((name for name in _VALUE.findall(self.item.command) if name not in values), None)
        if missing is not None:
            raise ConfigurationError(
                f"{self.name} needs the value {missing}",
                hint=f"write `{missing} = VALUE` into {self.campaign / VALUES}",
            )
        words = [_VALUE.sub(lambda name: str(values[name[1]]), word) for word in shlex.split(self.item.command)]
        if not self.item.is_run:
            return words
        seed = [SEED, str(self.session)] if self.item.sessions > 1 else []
        return [*words, *seed, "--out", str(self.folder)]


@dataclass(frozen=True)
class Position:
    """How far a piece is: its outcome, or else `ended` of the `planned` trials of its run."""

    outcome: Outcome | None
    run: Path | None
    ended: int = 0
    planned: int = 0

    def hours_left(self, item: Item) -> float:
        """The item's hours, less the share of its trials that ended."""
        if self.outcome is not None:
            return 0.0
        return item.hours * (1 - self.ended / self.planned) if self.planned else item.hours

    def text(self) -> str:
        """The position in a few words."""
        if self.outcome is not None:
            return self.outcome.word + (f": {self.outcome.why}" if self.outcome.why else "")
        return "not begun" if self.run is None else f"{self.ended} of {plural(self.planned, 'trial')}"


def sessions_of(item: Item) -> Iterator[tuple[str, int]]:
    """The name and number of each piece of an item."""
    for session in range(1, item.sessions + 1):
        yield (item.name if item.sessions == 1 else f"{item.name}-{session}"), session


def pieces_of(items: Path, campaign: Path) -> list[Piece]:
    """All pieces in order; raises ConfigurationError where the file of items is wrong."""
    return [
        Piece(name, item, session, campaign)
        for item in configuration.load(items, Campaign).items
        for name, session in sessions_of(item)
    ]


def chosen_of(pieces: Sequence[Piece], names: str | None) -> list[Piece]:
    """The pieces with these names (comma-separated), or all, in order; raises ConfigurationError where there is no such piece."""
    if names is None:
        return list(pieces)
    wanted = [name.strip() for name in names.split(",")]
    known = [piece.name for piece in pieces]
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise ConfigurationError(f"there is no piece '{unknown}'", hint=f"choose from {', '.join(known)}")
    return [piece for piece in pieces if piece.name in wanted]


def position_of(piece: Piece) -> Position:
    """How far a piece is, from its files; raises StoreError where one is damaged."""
    outcome = _read_outcome(piece.folder / OUTCOME)
    run = _run_in(piece.folder)
    if run is None:
        return Position(outcome, None)
    planned = {int(trial["number"]) for trial in read_document(run / "schedule.json")["trials"]}
    ended = {int(path.parent.name) for path in run.glob("trials/*/trial.json") if _has_ended(path)}
    return Position(outcome, run, len(planned & ended), len(planned))


def _has_ended(record: Path) -> bool:
    """Whether a trial's record is that of a trial which counts; a run repeats interrupted and damaged ones."""
    with suppress(StoreError):
        return record.parent.name.isdigit() and read_document(record).get("status") in ("complete", "failed")
    return False


def _read_outcome(path: Path) -> Outcome | None:
    if not is_stored(path):
        return None
    try:
        return Outcome.model_validate(read_document(path))
    except ValidationError:
        raise StoreError(f"{path} is damaged", hint="delete it: the outcome is found again from the run") from None


def _run_in(folder: Path) -> Path | None:
    """The newest run folder in which trials may have begun; a run writes its environment.json just before."""
    return max((path.parent for path in folder.glob("*/environment.json")), default=None)


def disturbances() -> list[str]:
    """What `steelyard doctor` finds wrong with this machine, a line each."""
    return doctor.warnings(doctor.examine())


def changed_setup(run: Path) -> str:
    """The first difference of machine or revision between the begin of a run and now; empty where there is none."""
    then = read_document(run / "environment.json")
    now = json.loads(json.dumps(environment.describe([], cpus.share(), [])))  # converted as for storage
    both = ({name: setup.get(name) for name in SAME} for setup in (then, now))
    return next(setup_differences(*both), "")


def refusal(verdicts: Verdicts) -> str:
    """Why a run is not kept; empty where its instrument is valid and at least one judged comparison has a verdict."""
    if not verdicts.valid:
        return "; ".join(verdicts.why_not)
    judged = [each for each in verdicts.comparisons if each.primary]
    return _why_without(judged) if judged and all(each.verdict is None for each in judged) else ""


def remark(verdicts: Verdicts) -> str:
    """What a reader of a kept run must know: the judged comparisons without a verdict; empty where there are none."""
    judged = [each for each in verdicts.comparisons if each.primary]
    without = [each for each in judged if each.verdict is None]
    return f"{len(without)} of {len(judged)} without a verdict: {_why_without(without)}" if without else ""


def _why_without(comparisons: Sequence[Comparison]) -> str:
    reasons = (reason for each in comparisons for reason in each.why_not)
    return next(reasons, "no judged comparison has a verdict")


def finish(piece: Piece, run: Path) -> Outcome:
    """Analyse a complete run, keep it if it passes the gates, and write the outcome; it may be repeated after a kill."""
    verdicts = full_analysis(run).verdicts
    why = refusal(verdicts)
    if not why and not piece.kept.exists():
        try:
            keeping.keep(run, piece.kept)
        except StoreError as error:
            why = error.message
    outcome = Outcome(word="not kept" if why else "kept", why=why or remark(verdicts), ended=_now())
    write_document(piece.folder / OUTCOME, outcome.model_dump(mode="json"))
    return outcome


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def pool(question: str, pieces: Sequence[Piece]) -> Path | None:
    """Write the page of all kept runs of a question, side by side; None for fewer than two, or none with a common figure."""
    kept = [piece.kept for piece in pieces if piece.item.question == question and piece.kept.is_dir()]
    side_by_side = compare_runs(kept) if len(kept) > 1 else None
    if side_by_side is None or not side_by_side.figures:
        return None
    return beside_page.write_page(side_by_side, pieces[0].campaign / f"{question}.html")


def drive(words: Sequence[str], seconds: float, lock: int) -> int:
    """Run a command of the campaign to its end, and return its exit code; it is stopped as by Ctrl-C after `seconds`.

    It holds the campaign's lock too, so that it is alone with its folder even where this process is killed. Raises
    KeyboardInterrupt after an interruption, which it gets first, so that it can store what was measured.
    """
    command = [str(STEELYARD) if words[0] == "steelyard" else sys.executable, *words[1:]]
    process = children.start_child(
        lambda: subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=(lock,), start_new_session=True, text=True
        )
    )
    left: float | None = seconds
    interrupted = False
    while True:
        try:
            code = process.wait(left)
            break
        except subprocess.TimeoutExpired:
            left = None
        except KeyboardInterrupt:
            interrupted, left = True, None
        process.send_signal(signal.SIGTERM)  # unlike SIGINT, no shell that starts jobs in the background ignores it
    if interrupted:
        raise KeyboardInterrupt
    return code


class Sitting:
    """One sitting: it drives those of the chosen pieces that fit into its hours, each at most once."""

    def __init__(self, pieces: Sequence[Piece], chosen: Sequence[Piece], hours: float, lock: int) -> None:
        self._pieces = pieces
        self._chosen = chosen
        self._end = time.monotonic() + hours * 3600
        self._lock = lock
        self._console = console()

    def run(self) -> bool:
        """Drive what fits; returns whether nothing failed. Raises SteelyardError where the machine is not quiet."""
        good, fits = True, False
        for number, piece in enumerate(self._chosen, 1):
            position = position_of(piece)
            needed = position.hours_left(piece.item)
            if position.outcome is not None or needed > self._hours_left() + ROUNDING_HOURS:
                continue
            fits = True
            title = f"{piece.name} ({number} of {len(self._chosen)})"
            try:
                good = self._drive(piece, position, title) and good
            except ConfigurationError as error:
                good = False
                self._console.print(f"{title}: {error.message}; {error.hint}")
        if not fits:
            self._console.print(f"nothing that is left fits into {duration(self._seconds_left())}")
        return good

    def _drive(self, piece: Piece, position: Position, title: str) -> bool:
        """Drive one piece, and finish it where its run is complete; returns whether it did not fail."""
        run, code = position.run, 0
        if run is None or not is_complete(run):
            code = self._measure(piece, run, title)
            if not piece.item.is_run:
                return self._end_other(piece, title, code)
            run = _run_in(piece.folder)
        if run is None or not is_complete(run):
            self._console.print(f"{title}: exit code {code}, {position_of(piece).text()}; the next call continues")
            return code in STOPPED
        outcome = finish(piece, run)
        self._console.print(f"{title}: {outcome.word}{f' ({outcome.why})' if outcome.why else ''}: {run}")
        if outcome.word == "kept":
            self._console.print(f"write what it shows into {piece.kept / 'notes.md'}")
            if page := pool(piece.item.question, self._pieces):
                self._console.print(f"all sessions of {piece.item.question}: {page}")
        return True

    def _measure(self, piece: Piece, run: Path | None, title: str) -> int:
        """Begin or resume the piece on a quiet machine, and return the exit code of its command."""
        require_quiet()
        run = self._with_same_setup(piece, run)
        words = piece.words(_values(piece.campaign)) if run is None else [*RUN, "--resume", str(run)]
        if run is None:
            make_room(piece.folder)
        needed = position_of(piece).hours_left(piece.item) * 3600
        self._console.print(f"{title}: {piece.item.why}; about {duration(needed)}")
        self._console.print(f"the given hours end in {duration(self._seconds_left())}: {shlex.join(words)}")
        return drive(words, self._seconds_left(), self._lock)

    def _end_other(self, piece: Piece, title: str, code: int) -> bool:
        """Record the end of a command that is no run. One that was stopped, or failed, is repeated by the next call."""
        if code == 0:
            write_document(piece.folder / OUTCOME, Outcome(word="done", ended=_now()).model_dump(mode="json"))
        self._console.print(f"{title}: {'done' if code == 0 else f'ended with exit code {code}'}")
        return code in STOPPED

    def _with_same_setup(self, piece: Piece, run: Path | None) -> Path | None:
        """The run, if this machine and revision can continue it; else it is put aside, and the piece begins again."""
        difference = "" if run is None else changed_setup(run)
        if run is None or not difference:
            return run
        aside = piece.campaign / "set-aside" / piece.name
        aside.mkdir(parents=True, exist_ok=True)
        run.rename(aside / run.name)
        self._console.print(f"{piece.name} begins again ({difference}); its trials so far are in {aside / run.name}")
        return None

    def _seconds_left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def _hours_left(self) -> float:
        return self._seconds_left() / 3600


def require_quiet() -> None:
    """Raise SteelyardError with all that disturbs this machine, unless the user accepts it (STEELYARD_STRANGERS=yes)."""
    found = disturbances()
    if not found:
        return
    if may_count_strangers():
        console().print(f"this machine is not quiet: {'; '.join(found)}")
        return
    raise SteelyardError("this machine is not quiet: " + "; ".join(found), hint="`steelyard doctor` shows all checks")


def make_room(folder: Path) -> None:
    """Create a piece's folder, and remove run folders in which no trial began: their lab was killed while it set them up."""
    folder.mkdir(parents=True, exist_ok=True)
    for begun in folder.iterdir():
        if begun.is_dir() and not (begun / "environment.json").exists():
            shutil.rmtree(begun)


def _values(campaign: Path) -> dict[str, object]:
    path = campaign / VALUES
    return configuration.read(path) if path.exists() else {}


def print_positions(pieces: Sequence[Piece]) -> None:
    """Print every piece with its hours and position, and the hours that are left."""
    positions = [(piece, position_of(piece)) for piece in pieces]
    rows = [(piece.name, f"{piece.item.hours:g}", position.text()) for piece, position in positions]
    terminal = console(stderr=False)
    show(terminal, ("piece", "hours", "position"), rows, prose=("position",))
    left = [position.hours_left(piece.item) for piece, position in positions if position.outcome is None]
    terminal.print(f"left: {sum(left):.1f} hours in {plural(len(left), 'piece')}; the runs are in {pieces[0].campaign}")


@contextmanager
def campaign_lock(campaign: Path) -> Iterator[int]:
    """Hold the user's folder, and yield the lock's descriptor; raises LockError where another campaign, or its run, holds it."""
    campaign.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(campaign / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockError(
                f"another campaign, or a run that it began, is at work in {campaign}", hint="wait until it ends"
            ) from None
        yield descriptor
    finally:
        os.close(descriptor)


def hours_of(text: str) -> float:
    """The hours of a sitting; raises ValueError."""
    hours = float(text)
    if not math.isfinite(hours) or not 0 < hours <= 1000:
        raise ValueError(text)
    return hours


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    """Drive a sitting, or without --hours list the pieces; 0, 1 where a piece failed, 130 when stopped, or an error's code."""
    wishes = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wishes.add_argument("--hours", type=hours_of, help="drive what fits into these hours (default: list the pieces)")
    wishes.add_argument("--only", metavar="NAME,NAME", help="drive or list only these pieces (default: all)")
    wishes.add_argument("--items", type=Path, default=ITEMS, help="the file of items")
    wishes.add_argument("--folder", type=Path, help="the user's folder (default: campaign in ~/.local/share/steelyard)")
    arguments = wishes.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        pieces = pieces_of(arguments.items, (arguments.folder or paths.user_folder() / "campaign").resolve())
        chosen = chosen_of(pieces, arguments.only)
        if arguments.hours is None:
            print_positions(chosen)
            return 0
        with campaign_lock(pieces[0].campaign) as lock:
            try:
                good = Sitting(pieces, chosen, arguments.hours, lock).run()
            finally:
                print_positions(chosen)
        return 0 if good else 1
    except SteelyardError as error:
        console().print(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        console().print("stopped; what was measured is stored, and the next call continues")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
