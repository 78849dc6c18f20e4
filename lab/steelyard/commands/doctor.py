"""`steelyard doctor`: what on this machine could falsify a measurement."""

from __future__ import annotations

import typer
from rich.table import Table

from .options import console

commands = typer.Typer()


@commands.command(name="doctor", epilog="Example: steelyard doctor")
def doctor_command() -> None:
    """Look for what could falsify a measurement on this machine, and say what to switch off."""
    from ..observe import doctor

    checks = doctor.examine()
    table = Table("", "check", "found", "what to do", box=None, pad_edge=False)
    for check in checks:
        table.add_row("ok" if check.good else "!!", check.name, check.found, "" if check.good else check.advice)
    console(stderr=False).print(table)
    if not all(check.good for check in checks):
        raise typer.Exit(1)
