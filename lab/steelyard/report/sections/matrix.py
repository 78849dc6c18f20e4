"""Tests (or operations) by servers: a ratio, a word and a colour in each cell, with a link to the details."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...analyse.verdicts import Judgement
from ...models.records import Cell
from ...statistics.verdict_words import Better, Word
from ..section import Section
from ..standings import basis_of, ratio_amount
from ..subjects import cell_word

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
    """One row: a test or an operation, its anchor, and a Square for each subject."""

    name: str
    title: str
    anchor: str
    squares: tuple[Square, ...]


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
    against = {
        (judgement.compared.cell.name, judgement.compared.a): judgement
        for judgement in analysis.judgements
        if judgement.compared.b == run.schedule.reference
        and judgement.compared.measure.name == judgement.compared.cell.primary_measure
    }
    return {
        "subjects": [(label, label in run.floors) for label in others],
        "reference": run.schedule.reference,
        "what": "payload and users" if gridded and not tests else cell_word(run),
        "measures": list(dict.fromkeys(analysis.measures[cell.primary_measure].title.lower() for cell in cells)),
        "lines": [
            _line(
                cell,
                [against.get((cell.name, label)) for label in others],
                f"test-{cell.name}" if tests else "grid" if gridded else "operations",
            )
            for cell in cells
        ],
    }


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
