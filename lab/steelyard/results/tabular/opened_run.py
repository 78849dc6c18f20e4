"""`open_run`: the folder of a run, load, limit search or comparison as tables, each read on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from pydantic import BaseModel

from ...base.configuration import nearest
from ...base.csvfiles import is_stored, names_in
from ...base.errors import ConfigurationError, StoreError
from ...models.outputs.loading import LimitOutput, LoadOutput, RunningComparison
from ...models.records import ProcessRecord, Schedule, TrialRecord
from ...models.verdict import Verdicts
from .. import cluster_folder, loads
from ..collector_log import SUFFIX, read_collector_logs
from ..stored_run import read_model
from . import known_tables, percentiles
from .building import Origin, TableBuilder, list_fields, of_files, of_models
from .stored_table import StoredColumn, StoredTable

SCHEDULE, VERDICTS, TRIAL = "schedule.json", "verdicts.json", "trial.json"
_OUTCOMES: Mapping[str, type[BaseModel]] = {
    loads.LOAD: LoadOutput,
    loads.LIMIT: LimitOutput,
    loads.COMPARISON: RunningComparison,
}
# Where a list has a name in its document that a table of another file has, too.
_OF_VERDICTS = {"operations": "operation_figures", "layers": "layer_figures", "layers_by_kind": "layer_figures_by_kind"}
_OF_TRIALS = {"faults": "trial_faults", "recorded": "trial_recorded", "machine": "machine_checks"}
_DEEPEST_STRETCH = 3  # folders between a load's own and that of a stretch
_MERGED = "slices"  # of trial.json: cell and pair stand in the table of slices.csv
_PAUSES = (
    StoredColumn("subject", "text", "", "label of the subject"),
    StoredColumn("role", "text", "", "role of the process"),
    StoredColumn("collector", "text", "", "the garbage collector"),
    StoredColumn("kind", "text", "", "kind of the pause, as in the log"),
    StoredColumn("begin_ns", "int", "ns", "its start (CLOCK_MONOTONIC)"),
    StoredColumn("length_ns", "int", "ns", "how long all threads were paused"),
)


def open_run(folder: str | Path) -> OpenedRun:
    """The run stored in `folder`, plain or kept: a study's run on one or several machines, a load, a limit search or a
    comparison.

    It changes nothing there. A table is read on demand. Raises ConfigurationError where there is no such run.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ConfigurationError(f"{place} is not a folder", hint="name the folder that `steelyard run` wrote")
    run = OpenedRun(place)
    if (
        not run.schedule_folders
        and not any(is_stored(place / name) for name in _OUTCOMES)
        and loads.VERIFICATION not in names_in(place)  # what a load that was killed has at least
    ):
        raise ConfigurationError(
            f"{place} contains no run",
            hint="name a folder that `steelyard run`, `load`, `find-limit` or `compare` wrote",
        )
    return run


class OpenedRun:
    """A stored run, made by `open_run`. `tables` lists its tables, `table` reads one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"OpenedRun({str(self.folder)!r})"

    @cached_property
    def schedule_folders(self) -> list[Origin]:
        """The folders with a schedule: the run's own, or one per machine of a cluster; none for a load."""
        if cluster_folder.is_cluster(self.folder):
            cluster = cluster_folder.read_cluster(self.folder)
            places = {
                machine.name: cluster_folder.machine_folder(self.folder, machine.name) for machine in cluster.machines
            }
            return [Origin(at, {"machine": name}) for name, at in places.items() if is_stored(at / SCHEDULE)]
        return [Origin(self.folder, {})] if is_stored(self.folder / SCHEDULE) else []

    @cached_property
    def driven_folders(self) -> list[Origin]:
        """The folders with engine output: trials, or stretches of a load."""
        if self.schedule_folders:
            return [origin for origin, _ in self._trials]
        jobs = sorted(_folders_with_job(self.folder, _DEEPEST_STRETCH))
        return [Origin(at, {"stretch": str(at.relative_to(self.folder))}, may_be_cut=True) for at in jobs]

    @cached_property
    def _trials(self) -> list[tuple[Origin, TrialRecord | None]]:
        """Each trial with its record; None where the lab was killed before it wrote one."""
        return [
            _trial(home, place)
            for home in self.schedule_folders
            for name in sorted(names_in(home.folder / "trials"), key=lambda name: (len(name), name))
            if name.isdecimal() and names_in(place := home.folder / "trials" / name)
        ]

    @property
    def schedule(self) -> Schedule:
        """The plan, fixed before the run. Raises StoreError where it cannot be read, and for a load, which has none."""
        return read_model(Schedule, self.folder / SCHEDULE)

    @property
    def verdicts(self) -> Verdicts:
        """The verdicts of a study's run. Raises StoreError where they are missing or cannot be read."""
        if self.schedule_folders and not is_stored(self.folder / VERDICTS):
            raise StoreError(f"{self.folder / VERDICTS} is missing", hint="`steelyard report RUN` makes it")
        return read_model(Verdicts, self.folder / VERDICTS)

    @property
    def tables(self) -> list[str]:
        """The names of its tables. Raises StoreError where a document cannot be read."""
        return list(self._readers)

    def table(self, name: str) -> StoredTable:
        """A table by its name. Instants are CLOCK_MONOTONIC in ns; `units` has the units of columns.

        Raises ConfigurationError with the nearest name where there is no such table, and StoreError with file and line where it
        cannot be read.
        """
        if name not in self._readers:
            raise ConfigurationError(f"{self.folder} has no table '{name}'{nearest(name, self.tables)}")
        return self._readers[name]()

    def percentiles(self, percents: Sequence[float] = percentiles.USUAL) -> StoredTable:
        """Times by slice, operation and kind (response, service, ...) in µs, with these percentiles (99.9 is `p99_9_us`).

        A percentile is None where there are too few requests. Raises ConfigurationError and StoreError.
        """
        if not all(0 < percent < 100 for percent in percents):
            raise ConfigurationError("a percentile must be between 0 and 100")
        return percentiles.by_slice(self.driven_folders, percents)

    @cached_property
    def _readers(self) -> dict[str, Callable[[], StoredTable]]:
        """The reader of each existing table, by its name."""
        readers: dict[str, Callable[[], StoredTable]] = {}
        for name, table in known_tables.tables_by_name().items():
            origins = (self.schedule_folders or [Origin(self.folder, {})]) if table.of == "run" else self.driven_folders
            if any(is_stored(origin.folder / table.file) for origin in origins):
                readers[name] = partial(of_files, name, table, origins)
        for file, read in ((percentiles.INTERVALS, percentiles.by_slice), (percentiles.SECONDS, percentiles.by_second)):
            if any(is_stored(origin.folder / file) for origin in self.driven_folders):
                readers["percentiles" if read is percentiles.by_slice else "seconds"] = partial(
                    read, self.driven_folders, percentiles.USUAL
                )
        if any(name.endswith(SUFFIX) for origin in self.driven_folders for name in names_in(origin.folder)):
            readers["pauses"] = self._pauses
        readers |= self._of_trials()
        return readers | self._of_outcomes()

    def _of_trials(self) -> dict[str, Callable[[], StoredTable]]:
        """The tables of the trials' records (trial.json)."""
        records = [(origin, record) for origin, record in self._trials if record is not None]
        if not records:
            return {}
        readers: dict[str, Callable[[], StoredTable]] = {}
        readers["trials"] = partial(of_models, "trials", "a trial: a fresh start of the servers", TrialRecord, records)
        for field, model in list_fields(TrialRecord).items():
            items = [(origin, item) for origin, record in records for item in getattr(record, field)]
            if items and field != _MERGED:
                name = _OF_TRIALS.get(field, field)
                readers[name] = partial(of_models, name, f"one of `{field}` in {TRIAL}", model, items)
        processes = [
            (Origin(origin.folder, {**origin.labels, "subject": subject.label}), process)
            for origin, record in records
            for subject in record.subjects
            for process in subject.processes
        ]
        if processes:
            row = "a process of a subject, by its role"
            readers["processes"] = partial(of_models, "processes", row, ProcessRecord, processes)
        return readers

    def _of_outcomes(self) -> dict[str, Callable[[], StoredTable]]:
        """The tables of results: verdicts.json of a run, load.json and similar files of others."""
        outcomes: dict[str, type[BaseModel]] = {VERDICTS: Verdicts, **_OUTCOMES}
        readers: dict[str, Callable[[], StoredTable]] = {}
        for file, model in outcomes.items():
            homes = [
                home for home in self.schedule_folders or [Origin(self.folder, {})] if is_stored(home.folder / file)
            ]
            outcome = [(home, read_model(model, home.folder / file)) for home in homes]
            if outcome and model is not Verdicts:
                name = file.partition(".")[0]
                readers[name] = partial(of_models, name, f"the fields of {file}", model, outcome)
            for field, listed in list_fields(model).items():
                items = [(home, item) for home, output in outcome for item in getattr(output, field)]
                if items:
                    name = _OF_VERDICTS.get(field, field) if model is Verdicts else field
                    readers[name] = partial(of_models, name, f"one of `{field}` in {file}", listed, items)
        return readers

    def _pauses(self) -> StoredTable:
        known = {column.name: column for column in _PAUSES}
        builder = TableBuilder("pauses", "a pause of a JVM's threads for its garbage collector", known.__getitem__)
        for origin in self.driven_folders:
            for name, log in read_collector_logs(origin.folder).items():
                subject, _, role = name.rpartition(".")
                for pause in log.pauses:
                    values = (subject, role, log.collector, pause.kind, pause.begin_ns, pause.length_ns)
                    builder.add({**origin.labels, **dict(zip(known, values, strict=True))})
        return builder.build([*self.driven_folders[0].labels, *known])


def _folders_with_job(folder: Path, depth: int) -> Iterator[Path]:
    """The folders below a folder, at most `depth` levels deep, that have engine output."""
    for name in names_in(folder) if depth else ():
        if is_stored(folder / name / "job.json"):
            yield folder / name
        yield from _folders_with_job(folder / name, depth - 1)


def _trial(home: Origin, place: Path) -> tuple[Origin, TrialRecord | None]:
    record = read_model(TrialRecord, place / TRIAL) if is_stored(place / TRIAL) else None
    plans = {plan.number: plan for plan in record.slices} if record is not None else {}
    whole = record is not None and record.status == "complete"
    return Origin(place, {**home.labels, "trial": int(place.name)}, not whole, plans), record
