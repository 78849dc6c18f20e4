"""Tests (or operations) by servers: a ratio, a word and a colour in each cell, with a link to the details.

Tests that the same subjects ran share a table, so that no table is full of cells that were never planned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...analyse.verdicts import Judgement
from ...models.records import Cell
from ...results.stored_run import Run
from ...statistics.verdict_words import Better, Word
from ..section import Section
from ..standings import basis_of, ratio_amount
from ..subjects import cell_word, full_label

_LEAST = 4  # comparisons from which a matrix is easier to read than sentences
_DEEPEST, _SHADES = math.log(2), 3  # ratios of 2 or more have the darkest colour


@dataclass(frozen=True)
class Square:
    """One comparison: `shade` is a class of style.css, empty where no difference was shown; `hint` is the tooltip."""

    ratio: str
    word: str
    hint: str
    shade: str
    anchor: str


@dataclass(frozen=True)
class Line:
    """One row: a test or an operation, its anchor, and a Square for each subject of the table."""

    name: str
    title: str
    anchor: str
    squares: tuple[Square, ...]


@dataclass(frozen=True)
class Matrix:
    """Tests that were run by the same `subjects`, each of which may be a floor; `heading` is that of the rows."""

    heading: str
    subjects: tuple[tuple[str, bool], ...]
    lines: tuple[Line, ...]


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for few comparisons, for one cell, and for a grid of one subject, which has a heat map."""
    run = analysis.run
    others = [label for label in run.schedule.subjects if label != run.schedule.reference]
    others.sort(key=lambda label: label in run.floors)
    tests = tests_in_order(run)
    cells = tests or sorted(run.schedule.cells, key=lambda cell: not cell.primary)
    gridded = any(cell.in_grid for cell in cells)
    if (gridded and len(others) < 2) or len(cells) < 2 or len(cells) * len(others) < _LEAST:
        return None
    heading = "payload and users" if gridded and not tests else cell_word(run)
    together: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        together.setdefault(_subjects_in(run, cell, others), []).append(cell)
    matrices = [
        _matrix(analysis, subjects, mine, heading, grid=gridded and not tests)
        for subjects, mine in together.items()
        if subjects
    ]
    if not matrices:
        return None
    return {
        "reference": run.schedule.reference,
        "measures": list(dict.fromkeys(analysis.measures[cell.primary_measure].title.lower() for cell in cells)),
        "matrices": matrices,
    }


def _subjects_in(run: Run, cell: Cell, others: Sequence[str]) -> tuple[str, ...]:
    """The subjects beside the reference that ran a cell; none where the reference did not."""
    ran = run.schedule.subjects_in(cell)
    return tuple(label for label in others if label in ran) if run.schedule.reference in ran else ()


def _matrix(analysis: Analysis, subjects: Sequence[str], cells: Sequence[Cell], heading: str, *, grid: bool) -> Matrix:
    """The table of these cells. One cell of many subjects becomes a row for each subject."""
    run = analysis.run
    against = {
        (judgement.compared.cell.name, judgement.compared.a): judgement
        for judgement in analysis.judgements
        if judgement.compared.b == run.schedule.reference
        and judgement.compared.measure.name == judgement.compared.cell.primary_measure
    }
    of_tests = bool(tests_in_order(run))
    lines = [
        _line(
            cell,
            [against.get((cell.name, label)) for label in subjects],
            f"test-{cell.name}" if of_tests else "grid" if grid else "operations",
        )
        for cell in cells
    ]
    if len(lines) > 1 or len(subjects) < _LEAST:
        return Matrix(heading, tuple((label, label in run.floors) for label in subjects), tuple(lines))
    (line,) = lines
    rows = tuple(
        Line(full_label(run, label), "", line.anchor, (square,))
        for label, square in zip(subjects, line.squares, strict=True)
    )
    return Matrix("subject", ((line.name, False),), rows)


def _line(cell: Cell, judgements: list[Judgement | None], anchor: str) -> Line:
    title = f"{cell.operation}: {cell.title}" if cell.title else "" if cell.name == cell.operation else cell.operation
    return Line(cell.size or cell.name, title, anchor, tuple(_square(judgement, anchor) for judgement in judgements))


def _square(judgement: Judgement | None, anchor: str) -> Square:
    if judgement is None or judgement.compared.ratio is None:
        return Square("-", "", "nothing could be compared", "", anchor)
    compared = judgement.compared
    word = judgement.text or ("not valid" if judgement.broken else "")
    reasons = "; ".join((*judgement.broken, *judgement.reasons))
    hint = f"{compared.a} / {compared.b}, {compared.measure.title.lower()}: {basis_of(compared)}"
    return Square(
        ratio_amount(compared).text, word, f"{hint}; {reasons}" if reasons else hint, _shade(judgement), anchor
    )


def _shade(judgement: Judgement) -> str:
    """The colour for better or worse, if that was shown: by the word, or for a measure without one by its interval."""
    compared, bounds = judgement.compared, judgement.compared.bounds
    shown = judgement.word in (Word.FASTER, Word.SLOWER)
    if not compared.primary and not judgement.broken and bounds is not None:
        shown = bounds[0] > 1 or bounds[1] < 1
    if not shown or compared.ratio is None:
        return ""
    distance = math.log(compared.ratio) * (1 if compared.measure.better is Better.HIGHER else -1)
    depth = max(1, math.ceil(_SHADES * min(1.0, abs(distance) / _DEEPEST)))
    return f"{'better' if distance > 0 else 'worse'}-{depth}"


SECTION = Section("matrix", content)
