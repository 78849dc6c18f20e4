"""The drivers of a trial: one where all subjects use the same protocol, else one per protocol for the slices of its subjects, or
one per subject where subjects are loaded at once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType, TracebackType

from ...base.csvfiles import write_text
from ...base.errors import EngineError
from ...base.growing_file import GrowingFile
from ...models.job import Job, StretchEdges, Turn
from ...results.outcomes import OUTCOMES
from .engine import Engine, Secrets, Tick

_TABLES = ("slices.csv", "ticks.csv", OUTCOMES)
_HISTOGRAMS, _SAMPLES = "intervals.hlog", "samples"
_INDEX = f"{_SAMPLES}/index.csv"
_BASE = "#[BaseTime: "
_HEAD_START_NS = 100_000_000  # before a common start: each driver must have read its command by then


def drivers_of(
    job: Job, folder: Path, secrets: Secrets | None = None, own_cpus: Mapping[str, Sequence[int]] = MappingProxyType({})
) -> Engine | Drivers:
    """The driver of a job, which writes into `folder`. `own_cpus` are the processors of each subject's own engine, where subjects
    are loaded at once. Drivers of several protocols take no `secrets`. Raises EngineError where a driver refuses."""
    if own_cpus:
        kinds = {subject: str(place) for place, subject in enumerate(own_cpus, 1)}
        return Drivers(job, folder, kinds, secrets, {kinds[subject]: cpus for subject, cpus in own_cpus.items()})
    kinds = {target.subject: "http" if target.rmi is None else "rmi" for target in job.targets}
    return Engine(job, folder, secrets) if len(set(kinds.values())) == 1 else Drivers(job, folder, kinds)


class Drivers:
    """Several drivers behind the interface of one engine: the driver of a slice's subject drives it, while the others wait.

    Each writes into a folder of its own (`driver-http/`, `driver-1/`). After each slice, its new rows are appended to the
    trial's own files. The drivers share no clock of turns, so they cannot drive slices in turns.
    """

    def __init__(
        self,
        job: Job,
        folder: Path,
        kinds: Mapping[str, str],
        secrets: Secrets | None = None,
        cpus: Mapping[str, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        """`kinds` has the driver of each subject, `cpus` the processors of each driver that has its own."""
        self.job = job
        self._held = ExitStack()
        self._kinds = {item.number: kinds[item.subject] for item in job.slices}
        self._engines: dict[str, Engine] = {}
        self._joined: dict[str, Joined] = {}
        self._samples = 0
        write_text(folder / "job.json", job.model_dump_json(indent=1) + "\n")
        try:
            for kind in sorted(set(kinds.values())):
                own = folder / f"driver-{kind}"
                own.mkdir()
                part = _part(job, kinds, kind).model_copy(update={"cpus": list(cpus.get(kind, job.cpus))})
                self._engines[kind] = self._held.enter_context(Engine(part, own, secrets))
                self._joined[kind] = Joined(own, folder)
        except BaseException:
            for engine in self._engines.values():
                engine.kill()
            raise

    def __enter__(self) -> Drivers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, trace)

    def drive_slice(
        self, slice_number: int, seconds: float, on_tick: Tick, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """As `Engine.drive_slice`, by the driver of the slice's subject."""
        kind = self._kinds[slice_number]
        self._engines[kind].drive_slice(slice_number, seconds, on_tick, meanwhile)
        self._samples = self._joined[kind].append(self._samples)

    def drive_at_once(
        self, slice_numbers: Sequence[int], stretch: StretchEdges | None, seconds: float, on_tick: Tick
    ) -> None:
        """Drive slices of different drivers at the same time, each as `stretch` says where given, and return when all are drained.
        Raises EngineError where a driver is silent for longer than `seconds`."""
        engines = {number: self._engines[self._kinds[number]] for number in slice_numbers}
        for number, engine in engines.items():
            engine.prepare(number, stretch)
        for number, engine in engines.items():
            engine.await_ready(number)
        at_ns = time.monotonic_ns() + _HEAD_START_NS
        for number, engine in engines.items():
            engine.begin(number, at_ns)
        for number, engine in engines.items():
            engine.await_drained(number, seconds, on_tick)
        for number in slice_numbers:
            self._samples = self._joined[self._kinds[number]].append(self._samples)

    def take_turns(self, slice_numbers: Sequence[int], turn: Turn, seconds: float, on_tick: Tick) -> None:
        """Raises EngineError: several drivers cannot take turns."""
        del turn, seconds, on_tick
        raise EngineError(f"slices {', '.join(map(str, slice_numbers))} have different drivers, and cannot take turns")

    drives_stretches = False

    def stretch(self, slice_number: int, stretch: StretchEdges, seconds: float, on_tick: Tick) -> None:
        """Raises EngineError: not every driver has stretches, and all subjects must be driven alike."""
        del stretch, seconds, on_tick
        raise EngineError(f"slice {slice_number} belongs to one of several drivers, which cannot drive stretches")

    def end_early(self, slice_number: int, at_second: int | None = None) -> None:
        """As `Engine.end_early`, for the driver of the slice's subject."""
        self._engines[self._kinds[slice_number]].end_early(slice_number, at_second)


def _part(job: Job, kinds: Mapping[str, str], kind: str) -> Job:
    """The part of a job for the drivers of a kind, one folder below the job's own."""
    corpus = Path(job.corpus)
    return job.model_copy(
        update={
            "corpus": str(corpus if corpus.is_absolute() else Path("..") / corpus),
            "targets": [target for target in job.targets if kinds[target.subject] == kind],
            "slices": [item for item in job.slices if kinds[item.subject] == kind],
        }
    )


class Joined:
    """Copies one driver's files into the trial's own files. The header of a file comes with the first slice, or before."""

    def __init__(self, own: Path, together: Path) -> None:
        self._own, self._together = own, together
        names = [*_TABLES, _HISTOGRAMS, _INDEX]
        if not (own / OUTCOMES).is_file():  # the driver of RMI writes none
            names.remove(OUTCOMES)
        self._files = {name: GrowingFile(own / name) for name in names}
        self._headless = set(self._files)
        self._shift = 0.0  # from the base time of its log to that of the trial's log

    def append(self, samples: int) -> int:
        """Copy new rows, with samples numbered from `samples` on; returns the next number.

        Raises EngineError where the headers of its files differ from those of earlier drivers.
        """
        (self._together / _SAMPLES).mkdir(exist_ok=True)
        new = {name: self._new(name) for name in self._files}
        new[_HISTOGRAMS] = [_shift_interval(line, self._shift) for line in new[_HISTOGRAMS]]
        kept = new[_INDEX]
        for number, line in enumerate(kept, samples):
            answer = f"{line.partition(',')[0]}.answer"
            shutil.move(self._own / _SAMPLES / answer, self._together / _SAMPLES / f"{number}.answer")
        new[_INDEX] = [f"{number},{line.partition(',')[2]}" for number, line in enumerate(kept, samples)]
        for name, lines in new.items():
            self._add(name, lines)
        return samples + len(kept)

    def _new(self, name: str) -> list[str]:
        lines = self._files[name].lines()
        if name not in self._headless or not lines:
            return lines
        length = next((at for at, line in enumerate(lines) if line.startswith("Tag=")), len(lines))
        length = length if name == _HISTOGRAMS else 1
        self._take_over(name, lines[:length])
        self._headless.discard(name)
        return lines[length:]

    def _take_over(self, name: str, head: list[str]) -> None:
        """Write the header of the first driver, and check that later ones are equal."""
        file = self._together / name
        if not file.exists():
            self._add(name, head)
            return
        first = file.read_text(encoding="utf-8").splitlines()
        if name == _HISTOGRAMS:
            self._shift = _base(head) - _base(first)
        elif first[:1] != head:
            raise EngineError(f"the drivers of {self._together} write {name} with different columns")

    def _add(self, name: str, lines: Sequence[str]) -> None:
        with (self._together / name).open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))


def _base(head: Sequence[str]) -> float:
    """The base time of a histogram log's intervals, in seconds since 1970; raises EngineError."""
    for line in head:
        if line.startswith(_BASE):
            return float(line.removeprefix(_BASE).partition(" ")[0])
    raise EngineError("a driver's histogram log has no base time")


def _shift_interval(line: str, shift: float) -> str:
    """A line of a histogram log with its interval relative to another base time."""
    tag, begin, rest = line.split(",", 2)
    return f"{tag},{float(begin) + shift:.3f},{rest}"
