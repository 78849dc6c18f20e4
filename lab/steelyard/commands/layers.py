"""`steelyard layers`: the requests that the monitor recorded, one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .examples import examples

commands = typer.Typer()


@commands.command(
    short_help="Print the requests that a run recorded, layer by layer.",
    epilog=examples(
        "steelyard layers runs/flight-2026-01-31-120000 > requests.csv",
        "steelyard layers runs/flight-2026-01-31-120000 --text --where soap_name=search",
    ),
)
def layers(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    text: Annotated[
        bool, typer.Option("--text", help="As text records: a line a layer, a blank line after each request.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Only requests whose context has this value; may be given several times."
        ),
    ] = None,
) -> None:
    """Print the requests of measured slices with their time in each layer, as CSV in ms or as text in ns, in order of time.

    Requests in violation are left out, as in every sum.
    """
    from ..report.layer_export import conditions, csv_lines, text_records
    from ..store.stored_run import read_run

    wanted = conditions(where or [])
    run = read_run(run_folder)
    for line in (text_records if text else csv_lines)(run, wanted):
        print(line)
