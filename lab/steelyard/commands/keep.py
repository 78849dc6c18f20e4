"""`steelyard keep`: copies a stored run, small enough for a repository or a message."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..base.terminal import console
from ..base.text import bytes_text
from .examples import examples

commands = typer.Typer()


@commands.command(
    short_help="Copy a stored run, small enough to send.",
    epilog=examples(
        "steelyard keep runs/wstest-2026-01-31-120000 wstest-in-january",
    ),
)
def keep(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    to: Annotated[Path, typer.Argument(metavar="TO", help="The new folder.")],
) -> None:
    """Copy a run compactly: one archive (raw.zip) of the files that its report needs and ten sampled answers, with results.csv,
    verdicts.json and notes.md beside it. `report`, `serve`, `export`, `layers` and `why` read it; `report` makes its page."""
    from ..report import keeping

    kept = keeping.keep(run_folder, to)
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    console(stderr=False).print(f"kept: {kept} ({bytes_text(size)})")
