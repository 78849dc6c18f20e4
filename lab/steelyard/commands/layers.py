"""`steelyard layers`: the requests that the monitor recorded, one by one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.text import plural
from .examples import examples

commands = typer.Typer()


@commands.command(
    short_help="Print the requests that a run recorded, layer by layer.",
    epilog=examples(
        "steelyard layers runs/flight-2026-01-31-120000 > requests.csv",
        "steelyard layers runs/flight-2026-01-31-120000 --text --where soap_name=search",
        "steelyard layers /tmp/records --otlp spans.jsonl",
    ),
)
def layers(
    run_folder: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|RECORDS", help="A run's folder, or a folder with records of the monitor or its agent."
        ),
    ],
    text: Annotated[
        bool, typer.Option("--text", help="Print text records: one line per layer, a blank line after each request.")
    ] = False,
    otlp: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write spans of OpenTelemetry instead (OTLP in lines of JSON)."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Only requests whose context has this value; may be given several times."
        ),
    ] = None,
) -> None:
    """Print the requests of measured slices, or all requests of a folder of records, with their time in each layer, in order of
    time: as CSV in ms or as text in ns. Or write them as OpenTelemetry spans: one trace per request and one span per layer. A
    layer that was entered more than once is one span with its total time.

    Requests with inconsistent records (violations) are left out, as in every sum.
    """
    from ..report.layer_export import csv_lines, text_records
    from ..report.layer_requests import conditions, recorded_requests
    from ..report.layer_spans import write_spans

    if text and otlp is not None:
        raise ConfigurationError("--text and --otlp are two exports", hint="run the command once for each")
    recorded = recorded_requests(run_folder, conditions(where or []))
    for note in recorded.notes:
        print(note, file=sys.stderr)
    if otlp is not None:
        requests, spans = write_spans(otlp, recorded)
        print(f"{otlp}: {plural(requests, 'request')}, {plural(spans, 'span')}")
        return
    for line in (text_records if text else csv_lines)(recorded):
        print(line)
