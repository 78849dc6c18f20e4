"""`steelyard judge`: results that JMeter, k6 or Locust wrote, by our statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ..base.text import ratio_text, value_text
from ..models.outputs.other_tools import JudgedFile, JudgeOutput
from .examples import examples
from .options import Json, console
from .tables import estimates_table

commands = typer.Typer()


@commands.command(
    name="judge",
    short_help="Judge what JMeter, k6 or Locust wrote down.",
    epilog=examples(
        "steelyard judge results.jtl",
        "steelyard judge k6.csv --skip 10s",
        "steelyard judge old.jtl new.jtl --json",
    ),
)
def judge_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="JMeter's .jtl (CSV or XML), k6's CSV or JSON, Locust's _stats_history.csv or _stats.csv.",
        ),
    ],
    skip: Annotated[str | None, typer.Option(help="Leave out what ended in the first so long: 10s, 1m.")] = None,
    json: Json = False,
) -> None:
    """Judge what another load tool wrote down: throughput, response times and failures with intervals of its process, and whether
    response time held. Several files stand side by side, without a verdict."""
    from ..judging.judged import judge
    from ..loading.words import seconds_of

    output = judge(files, 0.0 if skip is None else seconds_of(skip))
    print(output.model_dump_json()) if json else _say(output)


def _say(output: JudgeOutput) -> None:
    terminal = console(stderr=False)
    for judged in output.files:
        _say_file(judged)
    if output.ratios:
        table = Table("each over the first", box=None, pad_edge=False)
        for number in range(1, len(output.files) + 1):
            table.add_column(f"file {number}", justify="right")
        for name, ratios in output.ratios.items():
            table.add_row(name, *("-" if ratio is None else ratio_text(ratio) for ratio in ratios))
        terminal.print(table)
    for sentence in output.cannot_say:
        terminal.print(f"it cannot say {sentence}", highlight=False, markup=False, soft_wrap=True)


def _say_file(judged: JudgedFile) -> None:
    terminal = console(stderr=False)
    failed = ", ".join(f"{count:,} {kind}" for kind, count in judged.failures.items()) or "none"
    users = "" if judged.users is None else f", {judged.users[0]} to {judged.users[1]} users"
    lines = [
        f"{judged.file}: {judged.tool}, {judged.seconds:,} s{users}",
        f"answered rightly: {judged.completed:,}; failed: {failed}",
    ]
    for line in lines:
        terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    terminal.print(estimates_table(judged.throughput_per_s, judged.response_ms))
    for operation in judged.operations[:50] if len(judged.operations) > 1 else []:
        mean = "-" if operation.mean_ms is None else f"{value_text(operation.mean_ms)} ms"
        line = f"  {operation.operation}: {operation.completed:,} right, {operation.failed:,} failed, mean {mean}"
        terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in (judged.course, *judged.notes):
        terminal.print(line, highlight=False, markup=False, soft_wrap=True)
