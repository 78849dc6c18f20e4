"""The list of the runs in a folder, read from their small files only, and again only after changes."""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ...analyse.as_it_runs import ran_already
from ...base import raw_archive
from ...base.csvfiles import PACKED, packed_place, read_small
from ...base.errors import StoreError
from ...models.records import Schedule
from ...models.verdict import Verdicts
from ...results.live_file import FILE_NAME, running_now
from .. import outcomes

MOST_BYTES = 50_000_000
MOST_RUNS = 2000
_BANK = "forks.csv"  # a calibration's forks: it has a schedule too, but is no run of a study
_LISTED_BY = ("schedule.json", "verdicts.json", "environment.json", *outcomes.KINDS, _BANK, FILE_NAME)
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Listed:
    """A run as an entry of the list.

    `begun` is when its first trial began, in UTC; None where it is unknown. `words` are its verdict words, or why there is none.
    `problem` is the reason why a run cannot be read: then it has only a name. Older loads and calibrations have no schedule and no
    verdicts; `outcome` is their result, and that of newer loads.
    """

    name: str
    folder: Path
    study: str = ""
    subjects: tuple[str, ...] = ()
    begun: datetime | None = None
    machine: str = ""
    revision: str = ""
    versions: Mapping[str, str] | None = None
    words: tuple[str, ...] = ()
    sentence: str = ""
    running: bool = False
    problem: str | None = None
    schedule: Schedule | None = None
    verdicts: Verdicts | None = None
    outcome: outcomes.OwnFigures | None = None

    @property
    def is_of_what_ran(self) -> bool:
        """Whether it has figures but no verdict: subjects that ran before, or a calibration."""
        return self.schedule is None or ran_already(self.schedule)


@dataclass(frozen=True)
class WantedRuns:
    """The filter of the list; empty fields match all. `since` and `until` are days, `text` is searched in names and words."""

    text: str = ""
    study: str = ""
    machine: str = ""
    word: str = ""
    since: str = ""
    until: str = ""

    def fits(self, run: Listed) -> bool:
        """Whether a run is wanted."""
        text = " ".join((run.name, run.study, run.sentence, run.machine, run.revision, *run.subjects)).casefold()
        day = f"{run.begun:%Y-%m-%d}" if run.begun else ""
        return (
            all(part in text for part in self.text.casefold().split())
            and self.study in ("", run.study)
            and self.machine in ("", run.machine)
            and (not self.word or self.word in run.words)
            and (not self.since or day >= self.since)
            and (not self.until or (bool(day) and day <= self.until))
        )


class Shelf:
    """The runs in `folder`, or the run that it is. Only names that the folder itself lists are accepted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[object, Listed]] = {}

    def runs(self) -> Sequence[Listed]:
        """All runs: running ones first, then the newest first; those without a date last."""
        listed = [self._entry_at(place) for place in self._places()]
        self._known = {name: known for name, known in self._known.items() if name in {run.name for run in listed}}
        oldest = datetime.min.replace(tzinfo=UTC)
        return sorted(listed, key=lambda run: (run.running, run.begun or oldest, run.name), reverse=True)

    def run(self, name: str) -> Listed | None:
        """The run of this name; None where the folder has none."""
        return next((self._entry_at(place) for place in self._places() if place.name == name), None)

    def _places(self) -> Iterator[Path]:
        folder = self.folder.resolve()
        if _is_run(folder):
            yield folder
            return
        try:
            places = sorted(folder.iterdir(), reverse=True)
        except OSError:
            return
        runs = (place for place in places if not place.is_symlink() and _is_run(place))
        for _, place in zip(range(MOST_RUNS), runs, strict=False):
            yield place

    def _entry_at(self, place: Path) -> Listed:
        names = (*_LISTED_BY, *(f"{name}{PACKED}" for name in _LISTED_BY), raw_archive.NAME)
        signature = tuple(stamp(place / name) for name in names)
        known = self._known.get(place.name)
        if known is not None and known[0] == signature and not known[1].running:
            return known[1]
        listed = _read(place)
        self._known[place.name] = (signature, listed)
        return listed


def _is_run(place: Path) -> bool:
    return _is_of_study(place) or _is_load(place) or stamp(place / raw_archive.NAME) is not None


def _is_of_study(place: Path) -> bool:
    return _has_file(place, "schedule.json") and not _has_file(place, _BANK)


def _is_load(place: Path) -> bool:
    """Whether it is a running or finished load, and no run of a study."""
    has_result = any(stamp(place / name) is not None for name in (*outcomes.KINDS, FILE_NAME))
    return has_result and not _is_of_study(place)


def stamp(path: Path) -> tuple[int, int] | None:
    """When a file changed, in ns, and its size in bytes; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _read(place: Path) -> Listed:
    try:
        if _is_load(place):
            return _read_load(place)
        schedule = _model(Schedule, place, "schedule.json")
        verdicts = _model(Verdicts, place, "verdicts.json") if _has_file(place, "verdicts.json") else None
        environment = _document(place, "environment.json") if _has_file(place, "environment.json") else {}
        running = running_now(place) is not None
        outcome = _outcome(place)
        return Listed(
            name=place.name,
            folder=place,
            study=schedule.study,
            subjects=tuple(schedule.subjects),
            begun=_begin_time(place, schedule),
            machine=_machine(environment),
            revision=_revision(environment),
            versions=_versions(environment),
            words=tuple(_words(verdicts, running) if outcome is None else outcome.words),
            sentence=(verdicts.sentence or "; ".join(verdicts.why_not)) if verdicts else "",
            running=running,
            schedule=schedule,
            verdicts=verdicts,
            outcome=outcome,
        )
    except StoreError as error:
        return Listed(place.name, place, words=("unreadable",), problem=error.message)


def _read_load(place: Path) -> Listed:
    environment = _document(place, "environment.json") if _has_file(place, "environment.json") else {}
    outcome = _outcome(place)
    running = running_now(place) is not None
    return Listed(
        name=place.name,
        folder=place,
        begun=outcomes.begin_time(place.name),
        machine=_machine(environment),
        revision=_revision(environment),
        words=(*(("running",) if running else ()), *(outcome.words if outcome else ())),
        sentence=outcome.sentence if outcome else "",
        running=running,
        outcome=outcome,
    )


def _outcome(place: Path) -> outcomes.OwnFigures | None:
    """The result of a load, limit search, comparison of running targets or calibration; None for other runs."""
    for name, (model, summarize) in outcomes.KINDS.items():
        if _has_file(place, name):
            return summarize(_model(model, place, name))
    return None


def _words(verdicts: Verdicts | None, running: bool) -> Iterator[str]:
    if running:
        yield "running"
    elif verdicts is None:
        yield "no report"
    if verdicts is None:
        return
    if verdicts.status == "partial" and not running:
        yield "partial"
    if not verdicts.valid:
        yield "no verdict"
    yield from dict.fromkeys(each.verdict for each in verdicts.comparisons if each.primary and each.verdict is not None)


def _has_file(place: Path, name: str) -> bool:
    try:
        return any(
            stamp(path) is not None for path in (place / name, packed_place(place / name))
        ) or raw_archive.has_file(place / name)
    except StoreError:  # reading reports the damage of the archive
        return False


def _model(model: type[_Model], place: Path, name: str) -> _Model:
    try:
        return model.model_validate(_document(place, name))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise StoreError(f"{name}: {where[:200]} is not of a format that this version of Steelyard writes") from None


def _document(place: Path, name: str) -> Any:
    """A JSON file of a run, packed or not; raises StoreError where it is invalid or too large."""
    try:
        return json.loads(content(place / name).decode("utf-8"))
    except (ValueError, RecursionError):
        raise StoreError(f"{name} is not JSON") from None


def content(path: Path) -> bytes:
    """The content of a run's file, or of its packed form, unpacked; raises StoreError beyond 50 MB."""
    if stamp(path) is not None:
        return read_small(path, MOST_BYTES)
    archived = raw_archive.read_member(path, MOST_BYTES)
    if archived is not None:
        return archived
    place = packed_place(path)
    packed = read_small(place, MOST_BYTES)
    try:
        with lzma.open(io.BytesIO(packed)) as file:
            unpacked = file.read(MOST_BYTES + 1)
    except (lzma.LZMAError, EOFError):
        raise StoreError(f"{place.name} is damaged") from None
    if len(unpacked) > MOST_BYTES:
        raise StoreError(f"{place.name} is larger than {MOST_BYTES:,} bytes")
    return unpacked


def _begin_time(place: Path, schedule: Schedule) -> datetime | None:
    """When the first trial with a record began."""
    for plan in schedule.trials[:3]:
        folder = place / "trials" / f"{plan.number:02d}"
        if not _has_file(folder, "trial.json"):
            continue
        try:
            record = _document(folder, "trial.json")
            moment = datetime.fromisoformat(str(_value_below(record, "begun")))
        except (StoreError, ValueError):
            continue
        return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return None


def _value_below(document: Any, *names: str) -> Any:
    """The value at this path of keys; None where there is none."""
    for name in names:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document


def _of_last_sitting(environment: Any) -> Any:
    """Machine and sources as recorded; for a calibration, those of its last session."""
    sittings = _value_below(environment, "sittings")
    return sittings[-1] if isinstance(sittings, list) and sittings else environment


def _machine(environment: Any) -> str:
    environment = _of_last_sitting(environment)
    processor, count = (
        _value_below(environment, "machine", "processor"),
        _value_below(environment, "machine", "processors"),
    )
    if not isinstance(processor, str):
        return ""
    return f"{processor[:100]}, {count} processors" if isinstance(count, int) else processor[:100]


def _revision(environment: Any) -> str:
    environment = _of_last_sitting(environment)
    revision, changed = _value_below(environment, "git", "revision"), _value_below(environment, "git", "changed")
    if not isinstance(revision, str) or not revision:
        version = _value_below(environment, "steelyard")
        return f"version {version[:20]}" if isinstance(version, str) else ""
    return f"{revision[:10]}{' with changes' if changed is True else ''}"


def _versions(environment: Any) -> Mapping[str, str]:
    """The versions of each subject's servers, by its label."""
    subjects = _value_below(environment, "subjects")
    versions = {}
    for label, parts in subjects.items() if isinstance(subjects, Mapping) else ():
        known = [_value_below(part, "version") for part in parts] if isinstance(parts, list) else []
        versions[str(label)] = " + ".join(version[:60] for version in known if isinstance(version, str))
    return versions
