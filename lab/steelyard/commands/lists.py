"""`steelyard studies` and `steelyard services`: list the studies and the services."""

from __future__ import annotations

import typer

from ..base.terminal import console
from ..catalogue import entries
from ..catalogue.entries import Entry
from ..models.outputs.catalogue import ServiceRow, ServicesOutput, StudiesOutput, StudyRow
from ..models.service import Service
from ..models.study import Study, SubjectSpec
from .examples import examples
from .options import Json
from .tables import show

commands = typer.Typer()


@commands.command(
    short_help="List the studies.",
    epilog=examples(
        "steelyard studies",
        "steelyard studies --json",
    ),
)
def studies(json: Json = False) -> None:
    """List the studies."""
    rows = [_study(entries.study(name)) for name in entries.study_files()]
    if json:
        print(StudiesOutput(studies=rows).model_dump_json())
        return
    cells = [(row.name, row.question, f"{row.authors} {row.year}" if row.authors else "") for row in rows]
    show(console(stderr=False), ("study", "question", "paper"), cells, prose=("question", "paper"))


@commands.command(
    short_help="List the services with their operations and implementations.",
    epilog=examples(
        "steelyard services",
        "steelyard services --json",
    ),
)
def services(json: Json = False) -> None:
    """List the services with their operations and implementations."""
    rows = [_service(entries.service(name)) for name in entries.service_files()]
    if json:
        print(ServicesOutput(services=rows).model_dump_json())
        return
    cells = [(row.name, ", ".join(row.operations), ", ".join(row.implementations)) for row in rows]
    headings = ("service", "operations", "implementations")
    show(console(stderr=False), headings, cells, prose=headings[1:])


def _study(entry: Entry[Study]) -> StudyRow:
    study = entry.model
    return StudyRow(
        name=entry.name,
        question=study.question,
        authors=study.paper.authors if study.paper else None,
        year=study.paper.year if study.paper else None,
        service=study.service,
        subjects=[subject.label if isinstance(subject, SubjectSpec) else subject for subject in study.subjects],
        tests=[test.name for test in study.tests],
    )


def _service(entry: Entry[Service]) -> ServiceRow:
    folders = (path.name for path in entry.folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return ServiceRow(
        name=entry.name,
        title=entry.model.title,
        operations=list(entry.model.operations),
        implementations=sorted(name for name in folders if name != "contract" and not name.endswith("-shared")),
    )
