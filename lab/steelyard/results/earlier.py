"""Results of earlier runs in the same place on the questions of this run, noted before it starts (earlier.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..base.csvfiles import is_stored, read_document, write_document
from ..base.errors import StoreError
from ..base.validation import problem_text
from ..models.records import Cell, EarlierAnswer, Schedule
from ..models.verdict import Comparison, Verdicts

EARLIER = "earlier.json"
MOST_RUNS = 200  # the latest runs, by their names
_ANSWERS = TypeAdapter(list[EarlierAnswer])
# Keys of a subject's part that make it another question.
_OF_A_PART = ("place", "server", "version", "stack", "jdk", "factors")


def note(folder: Path, schedule: Schedule, environment: Mapping[str, Any]) -> None:
    """Store the answers of neighbouring runs to this run's questions, before it starts; raises StoreError."""
    answers = [answer for other in _sibling_runs(folder) for answer in _answers(other, schedule, environment)]
    if answers:
        write_document(folder / EARLIER, _ANSWERS.dump_python(answers, mode="json"))


def read_noted(folder: Path) -> list[EarlierAnswer]:
    """The noted answers of earlier runs; raises StoreError where the file is not such a note."""
    if not is_stored(folder / EARLIER):
        return []
    try:
        return _ANSWERS.validate_python(read_document(folder / EARLIER))
    except ValidationError as error:
        raise StoreError(f"{folder / EARLIER}: {problem_text(error.errors()[0])}") from None


def machine_text(machine: object) -> str:
    """A machine in words, such as `AMD EPYC, family 25, model 1, stepping 1, 2 processors`; empty where it is unknown."""
    if not isinstance(machine, Mapping) or not machine.get("processor"):
        return ""
    parts = [str(machine["processor"])]
    parts += [f"{name} {machine[name]}" for name in ("family", "model", "stepping") if machine.get(name)]
    count = machine.get("processors")
    return ", ".join([*parts, *([f"{count} processor{'' if count == 1 else 's'}"] if count else [])])


def boot_of(machine: object) -> str:
    """The identifier of the machine's boot; empty where it was not recorded."""
    return str(machine.get("boot", "")) if isinstance(machine, Mapping) else ""


def _sibling_runs(folder: Path) -> list[Path]:
    places = (place for place in folder.resolve().parent.iterdir() if place.resolve() != folder.resolve())
    return sorted(place for place in places if is_stored(place / "verdicts.json"))[-MOST_RUNS:]


def _answers(other: Path, schedule: Schedule, environment: Mapping[str, Any]) -> Iterator[EarlierAnswer]:
    """The judged comparisons of a stored run that this run makes too; none for an incomplete run."""
    try:
        theirs = Schedule.model_validate(read_document(other / "schedule.json"))
        setup = read_document(other / "environment.json")
        verdicts = Verdicts.model_validate(read_document(other / "verdicts.json"))
    except (StoreError, ValidationError):
        return
    if not verdicts.valid or not isinstance(setup, Mapping):
        return
    ours = {question: (cell.name, a, b) for cell, a, b, question in _questions(schedule, environment)}
    questions = {(cell.name, a, b): question for cell, a, b, question in _questions(theirs, setup)}
    for comparison in verdicts.comparisons:
        question = questions.get((comparison.cell, comparison.a, comparison.b))
        if comparison.primary and question in ours and comparison.ratio and comparison.interval is not None:
            cell, a, b = ours[question]
            yield _answer(other.name, setup.get("machine"), comparison, cell, a, b)


def _answer(run: str, machine: object, comparison: Comparison, cell: str, a: str, b: str) -> EarlierAnswer:
    assert comparison.ratio is not None and comparison.interval is not None
    return EarlierAnswer(
        run=run,
        machine=machine_text(machine),
        boot=boot_of(machine),
        a=a,
        b=b,
        cell=cell,
        measure=comparison.measure,
        ratio=comparison.ratio,
        interval=comparison.interval,
    )


def _questions(schedule: Schedule, environment: Mapping[str, Any]) -> Iterator[tuple[Cell, str, str, str]]:
    """Each judged cell and pair of subjects, a against b, with a text that identifies the same question in other runs."""
    subjects = environment.get("subjects")
    if not isinstance(subjects, Mapping):
        return
    for cell in schedule.cells if not schedule.design.startswith(("as-", "each-")) else ():
        for a in schedule.subjects:
            for b in schedule.subjects:
                if cell.primary and a != b:
                    load = [cell.mix, cell.payload, cell.users, cell.primary_measure, _shape(cell), schedule.parameters]
                    setups = [_setup(subjects.get(label)) for label in (a, b)]
                    yield (
                        cell,
                        a,
                        b,
                        json.dumps(
                            [schedule.service, load, setups, environment.get("hosts"), schedule.design == "apart"],
                            sort_keys=True,
                            default=str,
                        ),
                    )


def _shape(cell: Cell) -> Any:
    """The load without its length, which a budget may change for steady slices."""
    profile = cell.profile.model_dump(mode="json")
    if cell.kind != "steady":
        return profile
    stages = [{**stage, "seconds": 0} for stage in profile.get("stages", [])]
    return {**profile, "seconds": 0, "stages": stages}


def _setup(parts: object) -> Any:
    if not isinstance(parts, list):
        return None
    return [{name: part.get(name) for name in _OF_A_PART} for part in parts if isinstance(part, Mapping)]
