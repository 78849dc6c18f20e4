"""`steelyard report`: rebuilds a stored run's report, or shows several stored runs side by side."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.terminal import console
from .examples import examples
from .options import Json, print_machines, print_outcome, takes

if TYPE_CHECKING:
    from ..analyse.analysis import Analysis

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The arguments and options of `report`: one run or several, and the extra files."""

    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN ...]", help="A run's folder, or several to show side by side."),
    ]
    markdown: Annotated[bool, typer.Option("--markdown", help="Also write report.md into the run folder.")] = False
    png: Annotated[
        bool, typer.Option("--png", help="Also write the first screen as report.png; needs Chromium or Chrome.")
    ] = False
    pdf: Annotated[bool, typer.Option("--pdf", help="Also write the page as report.pdf; needs Chromium or Chrome.")] = (
        False
    )
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Several runs: the page to write (default: side-by-side.html here)."),
    ] = None
    json: Json = False


@commands.command(
    name="report",
    short_help="Rebuild the report of a stored run, or of several.",
    epilog=examples(
        "steelyard report runs/wstest-2026-01-31-120000",
        "steelyard report runs/wstest-2026-01-31-120000 --markdown --png",
        "steelyard report runs/demo-2026-01-31-120000 runs/demo-2026-02-28-120000 --open",
        more="STEELYARD_BROWSER names the browser that draws --png and --pdf.",
    ),
)
@takes(ReportOptions)
def report_command(options: ReportOptions) -> None:
    """Rebuild results.csv, verdicts.json and report.html of a run from its stored files.

    For several runs: a page with their figures side by side, their agreement, and from three runs on a prediction for one more.
    For a run on several machines: the joint result with a forest plot per comparison, and each machine's report.
    """
    from ..results.cluster_folder import is_cluster

    if len(options.runs) > 1:
        _side_by_side(options)
    elif is_cluster(options.runs[0]):
        _of_machines(options)
    else:
        _report_one(options)


def _side_by_side(options: ReportOptions) -> None:
    if options.markdown or options.png or options.pdf:
        raise ConfigurationError("--markdown, --png and --pdf take one run", hint="name one, or leave them out")
    from ..report import beside_page
    from ..report.beside import compare_runs
    from . import printing

    side_by_side = compare_runs(options.runs)
    page = None
    if options.to is not None or not options.json:
        page = beside_page.write_page(side_by_side, options.to or Path(beside_page.FILE_NAME))
    if options.json:
        print(side_by_side.model_dump_json())
    else:
        printing.show_side_by_side(side_by_side, console(stderr=False))
        console(stderr=False).print(f"page: {page}")
    if options.open_ and page is not None:
        _show(page)


def _of_machines(options: ReportOptions) -> None:
    """Write the page of a run on several machines, and each machine's report."""
    from .. import report

    if options.markdown or options.png or options.pdf or options.to is not None:
        raise ConfigurationError(
            "--markdown, --png, --pdf and --to do not take a run on several machines",
            hint="name the run of one machine, in its folder machines",
        )
    (folder,) = options.runs
    print_machines(folder, options.json)
    if options.open_:
        _show(folder / report.FILE_NAME)


def _report_one(options: ReportOptions) -> None:
    if options.to is not None:
        raise ConfigurationError(
            "--to is for the page of several runs", hint="a single run's page is report.html in its folder"
        )
    from .. import report
    from ..analyse import analysis, indices
    from ..measure.outcome import Outcome
    from ..report import browser

    if options.png or options.pdf:
        browser.browser()  # a missing browser is reported before any file is written
    (run,) = options.runs
    analysed = analysis.full_analysis(run)
    verdicts = analysed.verdicts
    page = report.write_page(analysed)
    damaged = [
        f"trial {failure.trial}: {failure.message}" for failure in verdicts.failures if failure.status == "damaged"
    ]
    for line in (*damaged, *analysis.missing(analysed.run)):
        console().print(line)
    print_outcome(Outcome(run, verdicts, page, damaged, indices.rows(analysed)), options.json)
    for path in _export_files(analysed, page, options):
        console(stderr=options.json).print(f"written: {path}")
    if options.open_:
        _show(page)


def _export_files(analysed: Analysis, page: Path, options: ReportOptions) -> Iterator[Path]:
    """Yield the requested extra files, each as it is written."""
    from .. import report
    from ..base.csvfiles import write_text
    from ..report import browser, markdown

    folder = page.parent
    if options.markdown:
        write_text(folder / report.MARKDOWN, markdown.markdown_of(analysed))
        yield folder / report.MARKDOWN
    if options.png:
        yield browser.draw_card(page, folder / report.CARD)
    if options.pdf:
        yield browser.draw_paper(page, folder / report.PAPER)


def _show(page: Path) -> None:
    if not webbrowser.open(page.resolve().as_uri()):
        console().print(f"no browser could be opened: the page is {page}")
