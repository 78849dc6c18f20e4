"""Run folders of which attacks damage copies: a load, a stopped run, and the same run finished. Each is made once, when first
needed, also where several attacks run at once."""

from __future__ import annotations

import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from . import oracle
from .ground import Ground

_TRIES = 3  # a busy machine may end the run before it is stopped
_WHEN = "trial 2 … measuring work"
_Made = TypeVar("_Made", Path, str)


class Templates:
    """The templates of one campaign, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Path | str] = {}
        self._lock = threading.RLock()
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def load(self) -> Path:
        """The run folder of a load without an attack; raises AssertionError where it is not right."""
        return self._once("load", self._loaded)

    @property
    def stopped(self) -> Path:
        """The run folder of a run that was killed in its second trial."""
        return self._once("stopped", self._stopped)

    @property
    def finished(self) -> Path:
        """The run folder of the stopped run after it was resumed."""
        return self._once("finished", self._finished)

    def report(self, run: Path) -> str:
        """What `report --json` prints of a template; see `normal_text`."""
        return self._once(f"report-of-{run.name}", lambda: self._reported(run))

    def _once(self, name: str, make: Callable[[], _Made]) -> _Made:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return cast("_Made", self._made[name])

    def _loaded(self) -> Path:
        ground = Ground(self._folder / "load")
        ground.protect()
        with ground.serving() as port:
            ended = ground.run(*ground.load_words(port))
        found = ground.load_verdict(ended, ground.wrong(ended))
        assert found.outcome == oracle.UNAFFECTED, (found, ended.err)
        return _newest(ground)

    def _stopped(self) -> Path:
        for number in range(_TRIES):
            ground = Ground(self._folder / f"stopped-{number}")
            lab = ground.start(*ground.study_words())
            lab.await_step(_WHEN)
            time.sleep(0.2)
            lab.send(signal.SIGKILL)
            lab.end()
            oracle.left_running(str(ground.folder))
            if oracle.trials(_newest(ground)) == {"01": "complete", "02": "none"}:
                return _newest(ground)
        raise AssertionError(f"no run could be stopped at '{_WHEN}'")

    def _finished(self) -> Path:
        ground = Ground(self._folder / "finished")
        run = copy(self.stopped, ground)
        ended = ground.run("run", "--resume", str(run))
        assert oracle.trials(run) == {"01": "complete", "02": "complete"}, ended.err
        return run

    def _reported(self, run: Path) -> str:
        ground = Ground(self._folder / f"report-of-{run.name}")
        made = copy(run, ground)
        return normal_text(ground.run("report", str(made), "--json").out, made)


def copy(run: Path, ground: Ground) -> Path:
    """A copy of a run folder on a ground; its tables are older than the attack."""
    made = Path(shutil.copytree(run, ground.runs / run.name))
    ground.remember_tables(made)
    return made


def normal_text(printed: str, run: Path) -> str:
    """What a command printed about a run, without the folder in which the run is."""
    return printed.replace(str(run.parent), "")


def _newest(ground: Ground) -> Path:
    run = ground.run_folder()
    assert run is not None, "nothing was stored"
    return run
