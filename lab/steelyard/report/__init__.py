"""The report: one self-contained HTML file, made from stored files only."""

from __future__ import annotations

from pathlib import Path

from ..analyse import indices
from ..analyse.analysis import Analysis, analyse_run
from ..base.csvfiles import write_text
from ..base.terminal import console
from ..results.stored_run import read_run
from .drawing import failure
from .page import html_of

FILE_NAME = "report.html"
MARKDOWN, CARD, PAPER = "report.md", "report.png", "report.pdf"
EXPORTED = frozenset({MARKDOWN, CARD, PAPER})


def write_report(run_dir: Path) -> Path:
    """Write report.html into a run folder and return its path; the same stored files give the same bytes.

    If the study has a grid, its rows are written as grid.csv beside it. Raises StoreError and MeasureError. Text from servers
    and studies in the stored files is escaped.
    """
    return write_page(analyse_run(read_run(run_dir)))


def write_page(analysis: Analysis) -> Path:
    """As `write_report`, for a run that is already analysed. Where charts cannot be drawn, the page has their numbers alone, and
    a line on standard error says why."""
    path = analysis.run.folder / FILE_NAME
    write_text(path, html_of(analysis))
    if reason := failure():
        console().print(
            f"{path} lacks charts: {reason}; its numbers are complete, and `steelyard report {analysis.run.folder}` draws it again"
        )
    indices.write(analysis, analysis.run.folder)
    return path
