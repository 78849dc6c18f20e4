"""Contradictions that a study declares within its paper are shown, and must be real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from steelyard.models.study import ContradictingStatements
from steelyard.report import write_report
from synthetic import Planted, write_run

CONTRADICTING = """
[[contradicting]]
about = "how much longer it takes"
unit = "%"
statements = [{ source = "section 5", low = 20, high = 20 }, { source = "section 4", low = 11, high = 13 }]
"""


def test_a_report_shows_what_the_paper_says_in_two_ways(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(study=CONTRADICTING))
    page = write_report(run).read_text()
    assert "how much longer it takes: 20 % (section 5) and 11 to 13 % (section 4)" in page


@pytest.mark.parametrize("statements", [[(20, 20), (15, 25)], [(11, 13)]])
def test_what_goes_together_is_no_contradiction(statements: list[tuple[int, int]]) -> None:
    said = [{"source": "s", "low": low, "high": high} for low, high in statements]
    with pytest.raises(ValidationError):
        ContradictingStatements.model_validate({"about": "x", "unit": "%", "statements": said})
