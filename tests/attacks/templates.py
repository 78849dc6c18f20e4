"""Run folders of which attacks damage copies: a load, a stopped run, and the same run finished. Each is made when first needed."""

from __future__ import annotations

import shutil
import signal
import time
from functools import cached_property
from pathlib import Path

from . import oracle
from .ground import Ground

_TRIES = 3  # a busy machine may end the run before it is stopped
_WHEN = "trial 2 … measuring work"


class Templates:
    """The templates of one campaign, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reports: dict[Path, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def load(self) -> Path:
        """The run folder of a load without an attack; raises AssertionError where it is not right."""
        ground = Ground(self._folder / "load")
        ground.protect()
        with ground.serving() as port:
            ended = ground.run(*ground.load_words(port))
        found = ground.load_verdict(ended, ground.wrong(ended))
        assert found.outcome == oracle.UNAFFECTED, (found, ended.err)
        return _newest(ground)

    @cached_property
    def stopped(self) -> Path:
        """The run folder of a run that was killed in its second trial."""
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

    @cached_property
    def finished(self) -> Path:
        """The run folder of the stopped run after it was resumed."""
        ground = Ground(self._folder / "finished")
        run = copy(self.stopped, ground)
        ended = ground.run("run", "--resume", str(run))
        assert oracle.trials(run) == {"01": "complete", "02": "complete"}, ended.err
        return run

    def report(self, run: Path) -> str:
        """What `report --json` prints of a template; see `normal_text`."""
        if run not in self._reports:
            ground = Ground(self._folder / f"report-of-{run.name}")
            made = copy(run, ground)
            self._reports[run] = normal_text(ground.run("report", str(made), "--json").out, made)
        return self._reports[run]


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
