"""The report: one self-contained HTML file, built from stored files alone."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..analyse.analysis import examined
from ..base.csvfiles import write_text
from ..store.stored_run import read_run
from .page import page_of

FILE_NAME = "report.html"


def write_report(run_dir: Path) -> Path:
    """Write report.html into a run folder and return its path; the same stored files give the same bytes.

    Raises StoreError and MeasureError. Whatever a server or a study put into the stored files is escaped.
    """
    page = page_of(examined(read_run(run_dir)))
    environment = Environment(
        loader=PackageLoader("steelyard", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    path = run_dir / FILE_NAME
    write_text(path, environment.get_template("page.html").render(page=page))
    return path
