"""`steelyard export`: a service's requests as a script for k6 or a benchmark for Hyperfoil."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..models.outputs import ExportOutput
from .load import LoadOptions, auth_of, target_of, words_of
from .options import console, takes

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class ExportOptions(LoadOptions):
    """What `export` is told: the load in the words of `load`, and for which tools."""

    k6: Annotated[bool, typer.Option("--k6", help="Write a script for k6, with its data beside it.")] = False
    hyperfoil: Annotated[bool, typer.Option("--hyperfoil", help="Write a benchmark for Hyperfoil.")] = False
    out: Annotated[Path | None, typer.Option(help="Folder that the files are written to (default: here).")] = None


@commands.command(
    name="export",
    epilog="Examples: steelyard export shop --k6; steelyard export shop --hyperfoil --rate 200/s --poisson --for 1m --out there; "
    "steelyard export shop --k6 --users 8 --p95 200ms --errors 1%",
)
@takes(ExportOptions)
def export_command(options: ExportOptions) -> None:
    """Write what `steelyard load` would do with the same words as files for another load tool, so that both can be held against
    each other. What the tool cannot say as it is, is named with the reason. Nothing is sent."""
    from ..exporting import TOOLS, export
    from ..exporting.planned import planned
    from ..loading import words as said
    from ..loading.load import load_text, stretch_of

    wanted = [tool for tool in TOOLS if getattr(options, tool)]
    if not wanted:
        raise ConfigurationError("no tool is named", hint="--k6 or --hyperfoil, or both")
    words = words_of(options)
    auth = auth_of(options.auth, options.user, options.secret)
    target = target_of(options.service, words, options.method, options.body, auth)
    plan = planned(target, words, said.headers_of(options.secret_header or []))
    output = ExportOutput(
        service=target.name,
        target=target.address,
        load=load_text(words, stretch_of(words, [operation.name for operation in plan.operations], target.max_rate)),
        tools=[export(plan, tool, options.out or Path()) for tool in wanted],
    )
    print(output.model_dump_json()) if options.json else _say(output)


def _say(output: ExportOutput) -> None:
    terminal = console(stderr=False)
    for exported in output.tools:
        lines = [f"{exported.tool}: {output.service} at {output.target}, {output.load}: {', '.join(exported.files)}"]
        lines += [f"  {name}" for name in exported.operations]
        lines += [f"not said: {omission.what}: {omission.why}" for omission in exported.left_out]
        for line in lines:
            terminal.print(line, highlight=False, markup=False, soft_wrap=True)
