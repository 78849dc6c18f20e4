"""`steelyard report`: a stored run's report made anew, or several stored runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, console, print_outcome

commands = typer.Typer()


@commands.command(
    name="report",
    epilog="Examples: steelyard report runs/wstest-2026-01-31-120000; "
    "steelyard report runs/demo-2026-01-31-120000 runs/demo-2026-02-28-120000 runs/demo-2026-03-31-120000",
)
def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN ...]", help="A run's folder; or several, to be shown side by side."),
    ],
    json: Json = False,
) -> None:
    """Rebuild results.csv, verdicts.json and report.html of a run from its stored files alone.

    Of several runs: their figures side by side, how far they agree, and from three on what one more would find.
    """
    from .. import report
    from ..analyse import analysis, indices
    from ..report.beside import beside
    from ..run.outcome import Outcome
    from . import printing

    if len(runs) > 1:
        side_by_side = beside(runs)
        print(side_by_side.model_dump_json()) if json else printing.show_beside(side_by_side, console(stderr=False))
        return
    analysed = analysis.analysed(runs[0])
    verdicts = analysed.verdicts
    page = report.write_report(runs[0])
    damaged = [
        f"trial {failure.trial}: {failure.message}" for failure in verdicts.failures if failure.status == "damaged"
    ]
    for said in damaged:
        console().print(said, highlight=False, markup=False)
    print_outcome(Outcome(runs[0], verdicts, page, damaged, indices.rows(analysed)), json)
