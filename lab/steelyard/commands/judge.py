"""`steelyard judge`: applies Steelyard's statistics to results of other load tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..base.terminal import console
from ..base.text import ratio_text, value_text
from ..models.outputs.loading import LoadedOperation
from ..models.outputs.other_tools import JudgedFile, JudgeOutput
from .examples import examples
from .options import Json
from .tables import estimates_table, rows_table

commands = typer.Typer()
_MOST_OPERATIONS = 50
_MOST_KINDS = 20


@commands.command(
    name="judge",
    short_help="Judge results that other load tools wrote.",
    epilog=examples(
        "steelyard judge results.jtl",
        "steelyard judge k6.csv --skip 10s",
        "steelyard judge results.jtl --part 2 --skip 30s --for 10m",
        "steelyard judge old.jtl new.jtl --json",
        "steelyard judge simulation.log runs/load-2026-01-31-120000",
        "steelyard judge runs/compare-2026-01-31-120000",
    ),
)
def judge_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Results of JMeter, Gatling, k6, Locust, vegeta, hey, oha, wrk, h2load, ab or autocannon, HdrHistogram's logs, "
            "or the folder of a run. The guide lists the formats.",
        ),
    ],
    skip: Annotated[
        str | None,
        typer.Option(help="Leave out requests that ended within this time after the first request began: 10s, 1m."),
    ] = None,
    lasting: Annotated[
        str | None, typer.Option("--for", help="Judge only this time, after --skip: 30s, 10m, 1h.")
    ] = None,
    part: Annotated[
        int | None,
        typer.Option(min=1, help="Judge this part of each file. Ten minutes without a request separate two parts."),
    ] = None,
    json: Json = False,
) -> None:
    """Judge results of another load tool: throughput, response times and failures with intervals for its process, and whether
    response times were stable. Every row is counted, or left out with a reason. A file with totals alone is read for what it
    holds, and the output lists what it cannot show. The slices of a run of ours are read anew, and its own verdict comes first.
    Several files are shown side by side, without a verdict; where their failures differ beyond chance, response times are not
    compared."""
    from ..judging.compared import judge
    from ..judging.parts import Selection
    from ..workload.load_spec import seconds_of

    selection = Selection(
        0.0 if skip is None else seconds_of(skip), part, None if lasting is None else seconds_of(lasting)
    )
    output = judge(files, selection)
    print(output.model_dump_json()) if json else _print_outcome(output)


def _print_outcome(output: JudgeOutput) -> None:
    terminal = console(stderr=False)
    for sentence in output.compared:
        terminal.print(sentence, soft_wrap=True)
    for judged in output.files:
        _print_file(judged, output.cannot_say)
    if output.ratios:
        headings = ["each over the first", *(f"result {number}" for number in range(1, len(output.files) + 1))]
        rows = [
            [name, *("-" if ratio is None else ratio_text(ratio) for ratio in ratios)]
            for name, ratios in output.ratios.items()
        ]
        terminal.print(rows_table(headings, rows, numbers=len(output.files)))
    for sentence in output.cannot_say:
        terminal.print(f"these results do not show {sentence}", soft_wrap=True)


def _print_file(judged: JudgedFile, common: Sequence[str]) -> None:
    """Print one file, with those of its open questions that are not `common` to all."""
    terminal = console(stderr=False)
    users = "" if judged.users is None else f", {judged.users[0]} to {judged.users[1]} users"
    left_out = [f"  left out: {count:,} {reason}" for reason, count in judged.rows.left_out.items()]
    lines = [
        f"{judged.file}{_entry_text(judged)}: {judged.tool}, {judged.seconds:,} s{users}",
        f"recognized by {judged.recognized_by}; it holds {judged.holds}",
        f"rows read: {judged.rows.read:,}; counted: {judged.rows.counted:,}; left out: "
        + (f"{judged.rows.read - judged.rows.counted:,}" if left_out else "none"),
        *left_out,
        f"answered correctly: {judged.completed:,}; failed: {_counts(judged.failures)}",
    ]
    if judged.codes:
        lines.append(f"response codes: {_counts(judged.codes)}")
    lines += [f"  failed with '{message}': {count:,}" for message, count in _first(judged.messages)]
    for line in lines:
        terminal.print(line, soft_wrap=True)
    terminal.print(estimates_table(judged.throughput_per_s, judged.response_ms))
    own = judged.operations[:_MOST_OPERATIONS] if len(judged.operations) > 1 else []
    apart = judged.transactions[:_MOST_OPERATIONS]
    for line in (*map(_operation, own), *(f"{_operation(each)} (transaction, not counted)" for each in apart)):
        terminal.print(line, soft_wrap=True)
    own_questions = [f"this file does not show {each}" for each in judged.cannot_say if each not in common]
    for line in (judged.course, *judged.notes, *own_questions):
        terminal.print(line, soft_wrap=True)


def _entry_text(judged: JudgedFile) -> str:
    """The subject and the load of a run's entry; empty for other results."""
    return f", {judged.subject} under {judged.load}" if judged.subject else ""


def _operation(operation: LoadedOperation) -> str:
    mean = "-" if operation.mean_ms is None else f"{value_text(operation.mean_ms)} ms"
    return f"  {operation.operation}: {operation.completed:,} right, {operation.failed:,} failed, mean {mean}"


def _first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent entries, and all others as one sum."""
    rows = list(counts.items())
    more = sum(count for _, count in rows[_MOST_KINDS:])
    return [*rows[:_MOST_KINDS], *([("others", more)] if more else [])]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in _first(counts)) or "none"
