"""`steelyard why`: splits the difference of two subjects' response times by layer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.configuration import nearest
from ..base.errors import CANNOT_TELL, ConfigurationError, SteelyardError, StoreError, UnknownNameError
from ..base.terminal import console
from ..base.text import plural
from .examples import examples
from .options import Json, takes

if TYPE_CHECKING:
    from ..models.outputs.run import LayerSplit, WhyOutput
    from ..models.records import Cell, Schedule
    from ..results.stored_run import Run

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class WhyOptions:
    """The arguments and options of `why`: the run, two of its subjects, and the test."""

    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")]
    subjects: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B", help="The two subjects (default: the subjects of a run with two, the reference second)."
        ),
    ] = None
    test: Annotated[
        str | None, typer.Option(metavar="TEST", help="The test or operation (default: the first judged one).")
    ] = None
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write an HTML page with the waterfall.")] = (
        None
    )
    json: Json = False


@commands.command(
    short_help="Show which layer causes the difference of two subjects.",
    epilog=examples(
        "steelyard why runs/flight-2026-01-31-120000",
        "steelyard why runs/flight-2026-01-31-120000 --subjects tomcat-cxf tomcat-metro --test breakdown --html why.html",
        more="The run needs records of layers: `compare A B --layers` for Java servers, or a study with "
        'observe = ["layers"].',
    ),
)
@takes(WhyOptions)
def why(options: WhyOptions) -> None:
    """Show which layer causes the difference in response time of two subjects: each layer's part with its interval.

    What the layers do not explain (the network, the server's own queue) is a part of its own.
    """
    from ..analyse.layers import layers_of
    from ..models.outputs.run import WhyOutput
    from ..report.why_page import write_page
    from ..results.stored_run import read_run

    run = read_run(options.run_folder)
    if not run.schedule.layers:
        raise StoreError(
            f"{run.name} has no records of layers",
            hint='compare Java servers with --layers, or run a study with observe = ["layers"]',
        )
    parted = _split_by_layer(run, _cell(run.schedule, options.test), *_subjects(run.schedule, options.subjects))
    page = str(options.html) if options.html is not None else None
    result = WhyOutput(run=run.name, page=page, **dict(parted))
    if options.html is not None:
        write_page(result, layers_of(run), options.html)
    if options.json:
        print(result.model_dump_json())
    else:
        _show(result)
    if result.why_not:
        raise SteelyardError(
            "; ".join(result.why_not), hint="the report lists its trials and checks", exit_code=CANNOT_TELL
        )


def _cell(schedule: Schedule, test: str | None) -> Cell:
    """The test of this name, else the first judged test."""
    if test is None:
        return next((cell for cell in schedule.cells if cell.primary), schedule.cells[0])
    named = {cell.name: cell for cell in schedule.cells}
    if test not in named:
        raise UnknownNameError(f"the run has no test '{test}'{nearest(test, sorted(named))}")
    return named[test]


def _subjects(schedule: Schedule, words: tuple[str, str] | None) -> tuple[str, str]:
    """The two named subjects; without names, the other subject and the reference of a run with two."""
    labels = schedule.subjects
    if words is None:
        others = [label for label in labels if label != schedule.reference]
        if len(others) != 1:
            few = "there is no second subject" if not others else f"name two of {', '.join(labels)} by --subjects A B"
            raise ConfigurationError(f"the run measured {plural(len(labels), 'subject')}", hint=few)
        return others[0], schedule.reference
    for word in words:
        if word not in labels:
            raise UnknownNameError(f"the run has no subject '{word}'{nearest(word, labels)}")
    if words[0] == words[1]:
        raise ConfigurationError(f"{words[0]} does not differ from itself", hint="name two subjects")
    return words


def _split_by_layer(run: Run, cell: Cell, a: str, b: str) -> LayerSplit:
    from ..analyse.foreign_work import examine_foreign
    from ..analyse.instrument import examine
    from ..analyse.layer_checks import examine_layers
    from ..analyse.layer_split import split

    parted = split(run, cell, a, b, [*examine(run), *examine_layers(run), *examine_foreign(run)])
    if parted is None:
        reference = run.schedule.reference
        other_pair = "" if reference in (a, b) else f"compare each with {reference}, or "
        raise StoreError(
            f"no trial of {run.name} that counts measured both {a} and {b} on {cell.name} with records",
            hint=f"{other_pair}see why its trials do not count: `steelyard report {run.folder}`",
        )
    return parted


def _show(result: WhyOutput) -> None:
    """Print the sentences, then one row for each part and for the whole."""
    from ..report.charts.waterfall import headings, rows
    from .tables import show

    terminal = console(stderr=False)
    for sentence in (*result.sentences, *(f"{note}." for note in result.notes)):
        terminal.print(sentence)
    terminal.print()
    show(terminal, headings(result), rows(result))
    if result.page is not None:
        terminal.print(f"page: {result.page}")
