"""The page of stored runs side by side: differences, agreement on each question, and figures."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ..base.csvfiles import write_text
from ..base.text import dash_interval, ratio_text, upper_first, value_text
from ..models.outputs.beside import Beside, BesideOutput
from .beside import agreement
from .figure_table import Shown
from .script import SCRIPT, policy
from .templates import templates

FILE_NAME = "side-by-side.html"


def write_page(side_by_side: BesideOutput, path: Path) -> Path:
    """Write the page and return its path; the same runs in the same folders give the same bytes."""
    write_text(path, html_of(side_by_side))
    return path


def html_of(side_by_side: BesideOutput) -> str:
    """The page; text from the runs is escaped."""
    return (
        templates()
        .get_template("beside.html")
        .render(
            runs=[(number, run, Path(run).resolve().name) for number, run in enumerate(side_by_side.runs, 1)],
            differences=side_by_side.differences,
            questions=[(question, agreement(question)) for question in side_by_side.questions],
            rows=list(map(_row, side_by_side.figures)),
            why_not_paired=f"{upper_first(side_by_side.why_not_paired)}.",
            ratio_text=ratio_text,
            policy=policy(),
            script=Markup(SCRIPT),
        )
    )


def _row(figure: Beside) -> tuple[tuple[str, str, str], list[Shown]]:
    """The name of the figure, and its value in each run with interval and, from the second run on, ratio to the first."""
    unit = f"{figure.measure}, {figure.unit}" if figure.unit else figure.measure
    shown = [
        Shown(
            "-" if value is None else value_text(value),
            dash_interval(bounds),
            f"\u00d7{ratio_text(ratio)}" if place and ratio is not None else "",
        )
        for place, (value, bounds, ratio) in enumerate(zip(figure.values, figure.intervals, figure.ratios, strict=True))
    ]
    return (figure.cell, figure.subject, unit), shown
