"""`steelyard export`: a service's requests for k6, JMeter or Hyperfoil, or a stored run's tables as CSV or Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.terminal import console
from ..base.text import plural
from ..models.outputs.other_tools import ExportOutput, TablesOutput
from .examples import examples
from .load import LoadOptions, words_of
from .options import require_default, takes
from .targets import target_of

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class ExportOptions(LoadOptions):
    """The arguments and options of `export`: the load (as for `load`) and the tools, or a stored run's tables and their
    folder."""

    service: Annotated[
        str,
        typer.Argument(
            metavar="SERVICE|URL|RUN", help="A service that names its target, its folder, or a URL; or a run's folder."
        ),
    ]
    k6: Annotated[bool, typer.Option("--k6", help="Write a script for k6, with its data beside it.")] = False
    jmeter: Annotated[bool, typer.Option("--jmeter", help="Write a test plan for JMeter, with its data beside it.")] = (
        False
    )
    hyperfoil: Annotated[bool, typer.Option("--hyperfoil", help="Write a benchmark for Hyperfoil.")] = False
    out: Annotated[Path | None, typer.Option(help="Folder for the tools' files (default: the current folder).")] = None
    csv: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a run's tables as CSV, with the units in columns.csv.")
    ] = None
    parquet: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a run's tables as Parquet, with the units in their fields."),
    ] = None
    table: Annotated[
        list[str] | None, typer.Option(help="With --csv or --parquet: a table to write (default: all); repeatable.")
    ] = None


@commands.command(
    name="export",
    short_help="Write a service's load, or a run, for other programs.",
    epilog=examples(
        "steelyard export shop --k6",
        "steelyard export shop --jmeter --users 20 --for 1m",
        "steelyard export shop --hyperfoil --rate 200/s --poisson --for 1m --out there",
        "steelyard export shop --k6 --users 8 --p95 200ms --errors 1%",
        "steelyard export runs/... --parquet tables",
        "steelyard export runs/... --csv tables --table slices --table percentiles",
    ),
)
@takes(ExportOptions)
def export_command(options: ExportOptions) -> None:
    """Export a service's load or a stored run for other programs. From a service: the load of `steelyard load` with the same
    options, as files for another load tool; the output lists what the tool cannot express, with the reason. From a stored run
    (--csv, --parquet): its tables. Nothing is sent."""
    if options.csv is not None or options.parquet is not None:
        _export_tables(options)
    elif options.table:
        raise ConfigurationError("--table needs --csv or --parquet", hint="they write a stored run's tables")
    else:
        _export_requests(options)


def _export_tables(options: ExportOptions) -> None:
    from ..results.tabular.files import write_tables
    from ..results.tabular.opened_run import open_run

    _require_no_load(options)
    if "://" in options.service:
        raise ConfigurationError("--csv and --parquet take a stored run, not a URL", hint="name a run's folder")
    run = open_run(options.service)
    form, folder = ("parquet", options.parquet) if options.parquet is not None else ("csv", options.csv)
    assert folder is not None
    tables = write_tables(run, options.table or [], form, folder)
    output = TablesOutput(run=str(run.folder), format=form, tables=tables)
    print(output.model_dump_json()) if options.json else _print_tables(output)


def _require_no_load(options: ExportOptions) -> None:
    """Raise ConfigurationError where options of a load, or both formats, are given for a stored run."""
    of_runs = {"service", "csv", "parquet", "table", "json"}
    require_default(options, of_runs, "belongs to a service, but --csv and --parquet take a stored run")
    if options.csv is not None and options.parquet is not None:
        raise ConfigurationError("--csv and --parquet are two exports", hint="run the command once for each")


def _print_tables(output: TablesOutput) -> None:
    terminal = console(stderr=False)
    for table in output.tables:
        line = f"{table.file}: {plural(table.rows, 'row')}, {plural(len(table.columns), 'column')}"
        terminal.print(line, soft_wrap=True)


def _export_requests(options: ExportOptions) -> None:
    from ..workload import load_spec
    from ..workload.exporting import TOOLS, export
    from ..workload.exporting.planned import plan_export
    from ..workload.planned_load import load_text, stretch_of

    wanted = [tool for tool in TOOLS if getattr(options, tool)]
    if not wanted:
        hint = "--k6, --jmeter or --hyperfoil; of a stored run --csv DIR or --parquet DIR"
        raise ConfigurationError("no tool was chosen", hint=hint)
    words = words_of(options)
    target = target_of(options, words)
    plan = plan_export(target, words, load_spec.headers_of(options.secret_header or []), wanted)
    output = ExportOutput(
        service=target.name,
        target=target.address,
        load=load_text(
            words,
            stretch_of(words, dict.fromkeys((unit.name for unit in plan.units), 1.0), target.max_rate),
        ),
        tools=[export(plan, tool, options.out or Path()) for tool in wanted],
    )
    print(output.model_dump_json()) if options.json else _print_outcome(output)


def _print_outcome(output: ExportOutput) -> None:
    terminal = console(stderr=False)
    for exported in output.tools:
        lines = [f"{exported.tool}: {output.service} at {output.target}, {output.load}: {', '.join(exported.files)}"]
        lines += [f"  {name}" for name in exported.operations]
        lines += [f"not exported: {omission.what}: {omission.why}" for omission in exported.left_out]
        for line in lines:
            terminal.print(line, soft_wrap=True)
