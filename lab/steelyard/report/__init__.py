"""The report: one self-contained HTML file, built from stored files alone."""

from __future__ import annotations

from pathlib import Path

from ..analyse import indices
from ..analyse.analysis import Analysis, analyse_run
from ..base.csvfiles import write_text
from ..results.stored_run import read_run
from .page import html_of

FILE_NAME = "report.html"
MARKDOWN, CARD, PAPER = "report.md", "report.png", "report.pdf"
EXPORTED = frozenset({MARKDOWN, CARD, PAPER})


def write_report(run_dir: Path) -> Path:
    """Write report.html into a run folder and return its path; the same stored files give the same bytes.

    Where the study has a grid, its rows are written as grid.csv beside it.
    Raises StoreError and MeasureError. Whatever a server or a study put into the stored files is escaped.
    """
    return write_page(analyse_run(read_run(run_dir)))


def write_page(analysis: Analysis) -> Path:
    """As `write_report`, of a run that was analysed already."""
    path = analysis.run.folder / FILE_NAME
    write_text(path, html_of(analysis))
    indices.write(analysis, analysis.run.folder)
    return path
