"""`steelyard studies` and `steelyard services`: what there is to run."""

from __future__ import annotations

import typer
from rich.table import Table

from ..catalogue import entries
from .options import console

commands = typer.Typer()


@commands.command()
def studies() -> None:
    """List the studies."""
    table = Table("study", "question", "paper", box=None, pad_edge=False)
    for name in entries.study_files():
        model = entries.study(name).model
        table.add_row(name, model.question, f"{model.paper.authors} {model.paper.year}" if model.paper else "")
    console(stderr=False).print(table)


@commands.command()
def services() -> None:
    """List the services with their operations and implementations."""
    table = Table("service", "operations", "implementations", box=None, pad_edge=False)
    for name in entries.service_files():
        entry = entries.service(name)
        folders = sorted(
            path.name
            for path in entry.folder.iterdir()
            if path.is_dir() and path.name != "contract" and not path.name.startswith(".")
        )
        table.add_row(name, ", ".join(entry.model.operations), ", ".join(folders))
    console(stderr=False).print(table)
