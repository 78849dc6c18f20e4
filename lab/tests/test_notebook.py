"""The guides' notebook runs completely on the kept demonstration, and shows the same verdict."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from typing import Any

import pytest
from steelyard import open_run
from steelyard.base import paths

GUIDES = paths.root() / "docs" / "guides"
DEMO = paths.root() / "docs" / "results" / "demo"


def shown(cells: list[dict[str, Any]]) -> dict[str, str]:
    """What each cell of code shows, by its id: what it prints, and the value of its last expression."""
    namespace: dict[str, Any] = {}
    texts = {}
    for cell in cells:
        tree = ast.parse("".join(cell["source"]), cell["id"])
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(tree, cell["id"], "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), namespace)
                print("" if value is None else repr(value))
        texts[cell["id"]] = out.getvalue()
    return texts


def test_the_notebook_runs_and_its_ratio_by_hand_is_that_of_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((GUIDES / "read-your-runs.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4 and not any(cell["outputs"] for cell in cells)  # none is stored
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    monkeypatch.chdir(GUIDES)
    texts = shown(cells)
    verdicts = open_run(DEMO).verdicts
    judged = next(comparison for comparison in verdicts.comparisons if comparison.primary)
    by_hand = re.search(r"by hand: ([\d.]+)", texts["ratio"])
    # Voided pairs are in what was made by hand.
    assert by_hand is not None and float(by_hand[1]) == pytest.approx(judged.ratio, rel=0.05)
    assert verdicts.sentence in texts["ratio"]
    assert "'percentiles'" in texts["open"] and "measured time" in texts["columns"] and judged.a in texts["throughput"]
    assert "p99_us" in texts["times"] and "response_time_p99" in texts["results"]
