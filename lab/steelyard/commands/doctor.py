"""`steelyard doctor`: checks this machine for settings that falsify measurements."""

from __future__ import annotations

import typer

from ..base.terminal import console
from .examples import examples
from .options import Json
from .tables import show

commands = typer.Typer()


@commands.command(
    name="doctor",
    short_help="Check this machine for settings that falsify measurements.",
    epilog=examples(
        "steelyard doctor",
        "steelyard doctor --json",
    ),
)
def doctor_command(json: Json = False) -> None:
    """Check this machine for settings that falsify measurements, and list what to switch off."""
    from ..hosts import doctor
    from ..models.outputs.catalogue import DoctorOutput

    checks = doctor.examine()
    good = all(check.good for check in checks)
    if json:
        print(DoctorOutput(good=good, checks=checks).model_dump_json())
    else:
        cells = [
            (check.name, "ok" if check.good else "!!", check.found, "" if check.good else check.advice)
            for check in checks
        ]
        headings = ("check", "", "found", "what to do")
        show(console(stderr=False), headings, cells, prose=("found", "what to do"))
    if not good:
        raise typer.Exit(1)
