"""Tables for the terminal: no name or figure is shortened; where columns do not fit side by side, each row becomes a few
lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..base.text import range_text, value_text
from ..models.outputs.loading import Estimate

LEAST_PROSE = 24  # readable width of a prose column, in characters
_GAP = 2
_ANY_WIDTH = 10_000


def show(
    console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], *, prose: Collection[str] = ()
) -> None:
    """Print `rows` under `headings`; columns in `prose` may be folded at blanks, all others stay on one line.

    Where the terminal is too narrow, a row becomes its first cell and one line below for each other cell.
    """
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    least = [
        min(width, LEAST_PROSE) if heading in prose else width for heading, width in zip(headings, widths, strict=True)
    ]
    if sum(least) + _GAP * (len(least) - 1) <= console.width:
        console.print(_side_by_side(headings, rows, prose))
    else:
        _below_each_other(console, headings, rows)


def fit(console: Console, grid: Table, *, named_by: int) -> None:
    """Print a grid unchanged where it fits; else print a few lines for each row, headed by its first `named_by` cells. An empty
    heading cell repeats the one above it."""
    unbounded = console.options.update(width=_ANY_WIDTH)
    if console.measure(grid, options=unbounded).maximum <= console.width:
        console.print(grid)
        return
    rows: list[list[str]] = []
    for cells in zip(*(column.cells for column in grid.columns), strict=True):
        texts = [str(cell) for cell in cells]
        rows.append(
            [(text or rows[-1][place]) if place < named_by and rows else text for place, text in enumerate(texts)]
        )
    headings = [str(column.header) for column in grid.columns]
    headed = [[", ".join(row[:named_by]), *row[named_by:]] for row in rows]
    _below_each_other(console, ["", *headings[named_by:]], headed)


def _side_by_side(headings: Sequence[str], rows: Sequence[Sequence[str]], prose: Collection[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading not in prose)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _below_each_other(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    indent = max(map(len, headings[1:]), default=0) + _GAP
    for row in rows:
        console.print(row[0], style="bold")
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(min_width=indent, no_wrap=True)
        table.add_column()
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            if cell:
                table.add_row(f"  {heading}", Text(cell))
        console.print(table)


def estimates_table(throughput: Estimate, response_ms: Mapping[str, Estimate]) -> Table:
    """Throughput and response times of one process, each with its interval, or the reason for its absence."""
    table = Table("figure", box=None, pad_edge=False)
    table.add_column("value", justify="right")
    table.add_column("95% interval", justify="right")
    table.add_column("")
    rows = {"throughput, 1/s": throughput} | {f"response {name}, ms": each for name, each in response_ms.items()}
    for name, estimate in rows.items():
        low, high = estimate.low, estimate.high
        table.add_row(
            name,
            "-" if estimate.value is None else value_text(estimate.value),
            "" if low is None or high is None else range_text((low, high)),
            estimate.why_not or "",
        )
    return table


def rows_table(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 1) -> Table:
    """A plain table whose last columns, `numbers` of them, hold numbers."""
    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place >= len(headings) - numbers else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
