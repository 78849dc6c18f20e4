"""`steelyard serve`: a local page over stored runs, their trends, and active runs."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ..base.paths import HOST
from ..base.terminal import console
from .examples import examples

commands = typer.Typer()


@commands.command(
    name="serve",
    short_help="Serve a page over stored and active runs.",
    epilog=examples(
        "steelyard serve",
        "steelyard serve docs/results --open",
        "steelyard serve /srv/runs --port 8421",
        more=f"From another machine: ssh -L 8421:{HOST}:8421 NAME, then open the address there.",
    ),
)
def serve_command(
    folder: Annotated[Path, typer.Argument(help="A folder of runs, or one run.")] = Path("runs"),
    port: Annotated[int, typer.Option(min=0, max=65535, help=f"Port on {HOST}; 0 takes a free one.")] = 0,
    allow_run: Annotated[
        bool, typer.Option("--allow-run", help="Let the page start runs of studies, one at a time, in the folder.")
    ] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve a page over a folder of runs: a list, two runs side by side, trends, and active runs. Ctrl-C ends it.

    The address holds a token: requests without it, and requests from other machines, are refused.
    """
    from ..report.serve.server import serve  # imported late: no other command should wait for it

    def ready(address: str) -> None:
        print(address, flush=True)
        console().print("Ctrl-C ends it")
        if open_:
            webbrowser.open(address)

    serve(folder, port, allow_run=allow_run, ready=ready)
