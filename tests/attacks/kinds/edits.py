"""Edits of a stored run: by hand between a stop and its resumption, or before a report.

A run that goes on must be of one setup, and no edited count may become a figure unseen.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import oracle
from ..ground import Ground
from ..oracle import Verdict
from ..templates import copy, normal_text

SHARE = 40
SEEN_BY = 10  # what an edit adds to a count
# Counts of slices.csv whose edit breaks a sum of another file.
COUNTS = ("sent", "completed", "wrong", "status", "dropped", "lead_in_completed")
Document = dict[str, Any]


def _set(*path: str | int, to: Any) -> Callable[[Document], None]:
    """An edit that sets the value at a path of a document; None removes it."""

    def edit(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        if to is None:
            del document[path[-1]]
        else:
            document[path[-1]] = to

    return edit


# Edits of documents: the file, the edit, and whether a run with it must not go on.
DOCUMENTS: dict[str, tuple[str, Callable[[Document], None], bool]] = {
    "the processor is another": ("environment.json", _set("machine", "processor", to="Abacus 1"), False),
    "the engine is another": ("environment.json", _set("engine", to="steelyard-engine 9.9.9"), True),
    "the program of a subject is another": (
        "environment.json",
        _set("subjects", "a", 0, "sources", "target.py", to="0" * 64),
        True,
    ),
    "the service is another": ("environment.json", _set("service", "sources", to="0" * 64), True),
    "the setup has no subjects": ("environment.json", _set("subjects", to=None), True),
    "the schedule lost a trial": ("schedule.json", _set("trials", 1, to=None), False),
    "the schedule has another seed": ("schedule.json", _set("seed", to=99), False),
    "the schedule has an unknown key": ("schedule.json", _set("speed", to=1), True),
    "the schedule has a negative length": ("schedule.json", _set("slice_seconds", to=-1), True),
    "the schedule has text as a number": ("schedule.json", _set("pairs_per_cell", to="many"), True),
    "the schedule has no subjects": ("schedule.json", _set("subjects", to=[]), True),
    "the trial was another": ("trials/01/trial.json", _set("number", to=7), False),
    "the trial lost its slices": ("trials/01/trial.json", _set("slices", to=[]), False),
    "the trial has a strange status": ("trials/01/trial.json", _set("status", to="fine"), False),
}
STUDIES: dict[str, tuple[str, str]] = {
    "the study has another start line": ('target.py"', 'other.py"'),
    "the study has an unknown key": ('name = "tiny"', 'name = "tiny"\nspeed = 3'),
    "the study is no TOML": ('name = "tiny"', "name = = tiny"),
    "the study has other subjects": ('label = "b"', 'label = "c"'),
    "the study has more forks": ("forks = 2", "forks = 200"),
}
TABLES = tuple(f"{name} of slices.csv is edited" for name in COUNTS)
ROWS = ("a row of slices.csv is gone", "a row of slices.csv is there twice", "a row of outcomes.csv is gone")
REQUESTS = "the requests are others"
VARIANTS = (
    *(f"resume: {name}" for name in (*DOCUMENTS, *STUDIES, *TABLES, *ROWS, REQUESTS)),
    *(f"report: {name}" for name in (*TABLES, *ROWS)),
)


def attack(variant: str, draw: random.Random, ground: Ground) -> Verdict:
    """Edit a copy of a stored run, and go on with it or report on it."""
    command, _, name = variant.partition(": ")
    template = ground.templates.stopped if command == "resume" else ground.templates.finished
    run = copy(template, ground)
    must_fail = name == REQUESTS or (name in DOCUMENTS and DOCUMENTS[name][2])
    edited = _edit(run, name, draw)
    ground.remember_tables(run)
    keeps_first = not edited.is_relative_to(run / "trials")
    ground.protect(*([run / "trials" / "01"] if keeps_first else []))
    ended = ground.run(*(["run", "--resume", str(run)] if command == "resume" else ["report", str(run), "--json"]))
    wrong = ground.wrong(ended)
    if must_fail and ended.code in (0, 2):
        wrong.append(f"it went on although {name}")
    if name in (*TABLES, *ROWS) and ended.code in (0, 2) and not _is_told(ground, template, run, ended.out + ended.err):
        wrong.append(f"nothing says that {name}")
    if command == "report":
        return oracle.verdict(ended, wrong)
    return ground.study_verdict(ended, wrong, resumed=True)


def _is_told(ground: Ground, template: Path, run: Path, printed: str) -> bool:
    """Whether the trial was set aside, or the output names it as damaged; also where the figures are as before the edit."""
    if template == ground.templates.finished and normal_text(printed, run) == ground.templates.report(template):
        return True
    return bool(list(run.glob("trials/01.stopped-*"))) or "slices.csv" in printed or "outcomes.csv" in printed


def _edit(run: Path, name: str, draw: random.Random) -> Path:
    """Edit a file of the run; returns its path."""
    if name in DOCUMENTS:
        path = run / DOCUMENTS[name][0]
        document = json.loads(path.read_text())
        DOCUMENTS[name][1](document)
        path.write_text(json.dumps(document, indent=1) + "\n")
        return path
    if name in STUDIES:
        path = run / "study.toml"
        before = path.read_text()
        text = before.replace(*STUDIES[name])
        assert text != before, f"the study has no {STUDIES[name][0]}"
        path.write_text(text)
        return path
    if name == REQUESTS:
        path = run / "requests" / "work.json"
        path.write_text('{"work": 2}\n')
        return path
    path = run / "trials" / "01" / ("outcomes.csv" if "outcomes" in name else "slices.csv")
    rows = list(csv.reader(io.StringIO(path.read_text())))
    place = draw.randrange(1, len(rows))
    if name.endswith("gone"):
        del rows[place]
    elif name.endswith("twice"):
        rows.insert(place, rows[place])
    else:
        column = rows[0].index(name.split()[0])
        rows[place][column] = str(int(rows[place][column]) + SEEN_BY)
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path
