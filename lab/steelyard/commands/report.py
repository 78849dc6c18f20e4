"""`steelyard report`: a stored run's report made anew, or two stored runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, console, print_outcome

commands = typer.Typer()


@commands.command(
    name="report",
    epilog="Examples: steelyard report runs/wstest-2026-01-31-120000; "
    "steelyard report runs/wstest-2026-01-31-120000 runs/wstest-2026-02-28-120000",
)
def report_command(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    other: Annotated[
        Path | None, typer.Argument(metavar="OTHER", help="Another one, to be shown beside it, without a verdict.")
    ] = None,
    json: Json = False,
) -> None:
    """Rebuild results.csv, verdicts.json and report.html of a run from its stored files alone; or show two runs side by side."""
    from .. import report
    from ..analyse import analysis
    from ..report.beside import beside
    from ..run import main_job as running
    from . import printing

    if other is not None:
        found = beside(run_folder, other)
        print(found.model_dump_json()) if json else printing.beside(found, console(stderr=False))
        return
    verdicts = analysis.analyse(run_folder)
    page = report.write_report(run_folder)
    print_outcome(running.Outcome(run_folder, verdicts, page, []), json)
