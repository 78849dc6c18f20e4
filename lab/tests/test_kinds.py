"""Kinds of cells and designs are objects under the names that schedules and studies may hold."""

from typing import get_args

import pytest
from steelyard.models.job import BigBang
from steelyard.models.records import Cell, Schedule
from steelyard.models.study import Study
from steelyard.plan.designs import DESIGNS
from steelyard.plan.kinds import KINDS, kind_of


def test_every_kind_that_a_schedule_may_name_is_there_and_no_other() -> None:
    assert set(KINDS) == set(get_args(Cell.model_fields["kind"].annotation))


def test_every_design_that_a_schedule_may_name_is_there_and_a_study_may_name_all_that_compare() -> None:
    assert set(DESIGNS) == set(get_args(Schedule.model_fields["design"].annotation))
    assert set(get_args(Study.model_fields["design"].annotation)) == set(DESIGNS) - {
        "as-it-runs",
        "as-published",
        "each-alone",
    }


@pytest.mark.parametrize(("stored", "kind"), [({"block": True}, "block"), ({"block": False}, "steady"), ({}, "steady")])
def test_a_cell_stored_before_there_were_kinds_is_read_as_what_it_was(stored: dict[str, bool], kind: str) -> None:
    cell = {"name": "1", "mix": {"echo": 1.0}, "users": 2, "primary": True, **stored}
    cell["profile"] = BigBang(users=2, seconds=5).model_dump()
    assert kind_of(Cell.model_validate(cell)).name == kind


def test_only_what_cannot_be_judged_says_why() -> None:
    assert [design.name for design in DESIGNS.values() if design.why_undecided] == [
        "as-it-runs",
        "as-published",
        "each-alone",
    ]
    assert [design.name for design in DESIGNS.values() if design.unbroken] == ["as-published", "each-alone"]
    assert [design.name for design in DESIGNS.values() if design.cell_by_cell] == ["each-alone"]
