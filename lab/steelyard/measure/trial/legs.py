"""A trial whose subjects run one at a time: one leg each, whose files are appended to the trial's own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ...base.csvfiles import write_text
from ...models.records import TrialPlan
from ...results.outcomes import OUTCOMES
from .context import TrialContext, TrialLog
from .drivers import Joined

_JOB = "job.json"
_DRIVERS_OWN = {"slices.csv", "ticks.csv", OUTCOMES, "intervals.hlog"}


@dataclass(frozen=True)
class Leg:
    """One subject's part of a trial, in a folder of its own; its slices are numbered from `first` on."""

    setting: TrialContext
    plan: TrialPlan
    log: TrialLog
    first: int


class Legs:
    """The legs of a trial, in the order in which its subjects are started."""

    def __init__(self, setting: TrialContext, plan: TrialPlan, log: TrialLog) -> None:
        self._setting = setting
        self._plan = plan
        self._log = log
        self._samples = 0

    def __iter__(self) -> Iterator[Leg]:
        for number, label in enumerate(self._plan.start_order):
            folder = self._log.folder / f"leg-{number + 1}"
            folder.mkdir()
            log = TrialLog(folder, far_clock=self._log.far_clock)
            first = max((driven.number + 1 for driven in self._log.slices), default=0)
            yield Leg(self._within(number), self._plan.model_copy(update={"start_order": [label]}), log, first)

    def _within(self, number: int) -> TrialContext:
        """The context with this leg's share of the trial's time; instants are counted from the trial's start."""
        setting, legs = self._setting, len(self._plan.start_order)
        whole, warm = setting.trial_within, setting.warm_up_within
        return replace(
            setting,
            trial_within=None if whole is None else whole * (number + 1) / legs,
            warm_up_within=None if warm is None else ((whole or 0.0) * number + warm) / legs,
        )

    @contextmanager
    def join_leg(self, leg: Leg) -> Iterator[None]:
        """Runs a leg; however it ends, its notes and files become the trial's."""
        try:
            yield
        finally:
            for field in fields(TrialLog):
                held = getattr(leg.log, field.name)
                if isinstance(held, list):
                    setattr(self._log, field.name, [*getattr(self._log, field.name), *held])
            self._log.samples_checked += leg.log.samples_checked
            self._join_files(leg.log.folder)

    def _join_files(self, own: Path) -> None:
        together = self._log.folder
        if (own / "slices.csv").is_file():
            self._samples = Joined(own, together).append(self._samples)
        for path in sorted(own.iterdir()):
            place = together / path.name
            if path.name in _DRIVERS_OWN or path.name == "samples":
                continue
            if path.name == _JOB and place.exists():
                write_text(place, _jobs_joined(place, path))
            elif path.suffix in (".csv", ".log") and place.exists():
                skipped = 1 if path.suffix == ".csv" else 0  # the header of a table
                with place.open("a", encoding="utf-8") as file:
                    file.writelines(path.read_text(encoding="utf-8").splitlines(keepends=True)[skipped:])
            elif not place.exists():
                path.rename(place)
        shutil.rmtree(own)


def _jobs_joined(first: Path, second: Path) -> str:
    """The job of the trial: the targets and slices of both jobs."""
    jobs = [json.loads(path.read_text(encoding="utf-8")) for path in (first, second)]
    lists = {name: [item for job in jobs for item in job[name]] for name in ("targets", "slices")}
    return json.dumps({**jobs[0], **lists}, indent=1) + "\n"
