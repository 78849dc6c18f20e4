"""`steelyard demo`: two real servers, weighed in under five minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..plan.settings import Request
from .options import Json, require_verdict, run_study

commands = typer.Typer()


@commands.command(epilog="Example: steelyard demo")
def demo(
    json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder that the run's folder is made in.")] = None,
) -> None:
    """Weigh two real servers in under five minutes (the study `demo`)."""
    require_verdict(run_study("demo", Request(), out, json))
