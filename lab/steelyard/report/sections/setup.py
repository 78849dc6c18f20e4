"""The setup of a run as groups of names and values."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...analyse.analysis import Analysis
from ...base.text import bytes_text
from ...catalogue.tuned_settings import ALL, Table
from ...results.stored_run import Run
from ..section import Section

_TITLES = {
    "calibration": "Smallest differences this machine detects",
    "machine": "Machine",
    "git": "Revision",
    "hosts": "Hosts",
    "link": "Link",
    "service": "Service",
    "processors_shared": "Processors",
    "subjects": "Subjects",
}
_LONGEST = 500


@dataclass(frozen=True)
class Group:
    """A part of the setup, such as a server's: its heading and its lines, each a name and a value."""

    heading: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TunedLine:
    """One setting of the paper, and the nearest settings today: (subjects that have it, setting); no subjects for all."""

    setting: str
    paper: str
    words: str
    nearest: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Tuning:
    """The paper's tuning list beside the nearest settings of the subjects."""

    paper: str
    remark: str
    rows: tuple[TunedLine, ...]


def groups(run: Run) -> list[Group]:
    """The plan, the machine, the versions, and each subject with its settings and pinned artifacts."""
    environment = dict(run.environment)
    subjects = environment.pop("subjects", {})
    environment.pop("command", None)
    environment.pop("tuning", None)
    plain = {name: value for name, value in environment.items() if not isinstance(value, Mapping)}
    shown = [Group("Plan", tuple(_plan(run)))]
    shown += [
        Group(_TITLES.get(name, _words(name)), tuple(_lines(value)))
        for name, value in environment.items()
        if isinstance(value, Mapping)
    ]
    if plain:
        shown.append(Group("Versions", tuple(_lines(plain))))
    if isinstance(subjects, Mapping):
        shown += [group for label, parts in subjects.items() for group in _subject(str(label), parts)]
    return shown


def _subject(label: str, parts: Any) -> Iterator[Group]:
    """One group for each part of a subject, named by its place if there are several."""
    if not isinstance(parts, list) or len(parts) < 2:
        yield Group(f"Subject {label}", tuple(_lines(parts)))
        return
    for number, part in enumerate(parts, 1):
        place = part.get("place", number) if isinstance(part, Mapping) else number
        yield Group(f"Subject {label}: {_words(str(place))}", tuple(_lines(part)))


def tuning(run: Run) -> Tuning | None:
    """The tuning list stored with the run; None where its study's paper has none."""
    stored = run.environment.get("tuning")
    if not isinstance(stored, Mapping):
        return None
    table = Table.model_validate(stored)
    rows = [
        TunedLine(
            setting=row.setting.replace("-", " "),
            paper=f"{row.product}: {row.value}",
            words=f"{row.words} ({row.section})",
            nearest=tuple(_subjects_by_answer(row.nearest)),
        )
        for row in table.rows
    ]
    return Tuning(table.paper, table.remark, tuple(rows))


def _subjects_by_answer(nearest: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each answer once, with the subjects that share it."""
    for answer in dict.fromkeys(nearest.values()):
        labels = [label for label, given in nearest.items() if given == answer]
        yield "" if labels == [ALL] else ", ".join(labels), answer


def command(run: Run) -> str | None:
    """The command that made the run, ready to paste; None where it was not recorded."""
    argv = run.environment.get("command")
    if not isinstance(argv, list) or not argv:
        return None
    return shlex.join(str(part) for part in argv)


def _plan(run: Run) -> Iterator[tuple[str, str]]:
    schedule = run.schedule
    yield "study, service", f"{schedule.study}, {schedule.service}"
    yield "design", schedule.design
    yield "forks", str(len(schedule.trials))
    yield "pairs a fork and operation", str(schedule.pairs_per_cell)
    turns = f", in turns of {schedule.turn_ms:g} ms or longer" if schedule.turn_ms else ""
    yield "slice", f"{schedule.slice_seconds:g} s{turns}"
    yield "warm-up", f"up to {schedule.warm_up_limit_seconds:g} s"
    yield "users", ", ".join(dict.fromkeys(str(cell.users) for cell in schedule.cells))
    yield "margin", f"{schedule.margin:.0%}"
    if schedule.scale != 1:
        yield "times of the tests", f"scaled by {schedule.scale:g}"
    yield "seed", str(schedule.seed)
    for name, value in schedule.parameters.items():
        if value != "":
            yield name, str(value)


def _lines(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _lines(inner, f"{prefix}, {_words(str(name))}" if prefix else _words(str(name)))
    elif isinstance(value, list) and any(isinstance(inner, Mapping | list) for inner in value):
        for place, inner in enumerate(value, 1):
            numbered = f"{prefix} {place}".strip() if len(value) > 1 else prefix
            yield from _lines(inner, numbered)
    elif isinstance(value, list):
        yield prefix, ", ".join(_value_text(inner) for inner in value) or "none"
    elif value is not None and value != "":
        yield prefix, _amount(prefix, value)


def _amount(name: str, value: Any) -> str:
    if isinstance(value, int | float) and name.endswith(("bytes", "bytes per s")):
        return bytes_text(value) + "/s" * name.endswith("per s")
    return _value_text(value)


def _value_text(value: Any) -> str:
    text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _words(name: str) -> str:
    return name.replace("_", " ")


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {"setup": list(groups(analysis.run))}


SECTION = Section("setup", content, of_faults=True, of_running=True)
