"""`steelyard demo`: compares two real servers in about five minutes."""

from __future__ import annotations

import typer

from ..plan.run_parameters import Request
from .examples import examples
from .options import Json, Out, require_verdict, run_study

commands = typer.Typer()


@commands.command(
    short_help="Compare two real servers in about five minutes.",
    epilog=examples(
        "steelyard demo",
    ),
)
def demo(
    json: Json = False,
    out: Out = None,
) -> None:
    """Compare two real servers in about five minutes (the study `demo`)."""
    require_verdict(run_study("demo", Request(), out, json))
