"""Several loads of each operation: their cells, the warm-up that they share, and rates that the first fork gives each subject."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.measures import registry
from steelyard.analyse.subject_rates import lacks_rates, with_subject_rates
from steelyard.base.errors import ConfigurationError, MeasureError
from steelyard.catalogue import entries
from steelyard.models.job import Rate
from steelyard.models.records import Cell, Schedule
from steelyard.models.study import Load, Study
from steelyard.plan.estimate import of_run
from steelyard.plan.kinds import warm_up_cells
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

PAIR = ["go", "go@pool=8"]


def frameworks(**changes: Any) -> Schedule:
    study = entries.study("frameworks").model
    return schedule_only(study, Request(only=PAIR, **changes))


def test_each_operation_under_each_load_is_a_cell_and_those_at_the_equal_rate_are_judged() -> None:
    cells = {cell.name: cell for cell in frameworks().cells}
    assert [name for name, cell in cells.items() if cell.primary] == [
        f"{operation} equal-rate" for operation in ("item", "items", "placeOrder", "echo")
    ]
    assert {cell.primary_measure for cell in cells.values() if cell.primary} == {"cpu_per_request"}
    assert {cell.profile.kind for cell in cells.values() if cell.load == "saturated"} == {"big-bang"}
    assert cells["item half-rate"].share_of == "item saturated"
    profile = cells["placeOrder equal-rate"].profile
    assert isinstance(profile, Rate) and profile.stages[0].from_rate == 60


def test_the_operations_that_a_user_asks_for_keep_their_loads() -> None:
    assert [cell.name for cell in frameworks(operations=["echo"]).cells] == ["echo saturated", "echo equal-rate"]


def test_a_closed_load_warms_up_for_all_loads_of_its_operation() -> None:
    assert {cell.name for cell in warm_up_cells(frameworks().cells)} == {
        f"{operation} saturated" for operation in ("item", "items", "placeOrder", "echo")
    }


def test_two_compiling_servers_take_about_ten_minutes() -> None:
    schedule = frameworks()
    assert of_run(schedule, dict.fromkeys(schedule.subjects, True)).about <= 600
    assert len(schedule.trials) == 4


def test_a_load_at_a_share_begins_once_the_first_fork_measured_the_whole(tmp_path: Path) -> None:
    planned = frameworks()
    first = planned.for_trial(planned.trials[0])
    assert "item half-rate" not in {cell.name for cell in first.cells} and lacks_rates(planned)
    run = read_run(
        write_run(
            tmp_path,
            Planted(
                rates=dict(zip(PAIR, (3000.0, 1000.0), strict=True)), reference="go", cells={"item saturated": 1.0}
            ),
        )
    )
    known = with_subject_rates(planned, run)
    (cell,) = [each for each in known.for_trial(planned.trials[1]).cells if each.share]
    assert cell.subject_rates == {"go": pytest.approx(1500, rel=0.1), "go@pool=8": pytest.approx(500, rel=0.1)}
    assert not lacks_rates(known) and with_subject_rates(known, run) == known
    for label, rate in cell.subject_rates.items():
        profile = cell.for_subject(label).profile
        assert isinstance(profile, Rate) and (profile.stages[0].from_rate, profile.stages[0].to_rate) == (rate, rate)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rates": {"item": 5}, "share": 0.5, "of": "closed"}, "has `rates` and `share`"),
        ({"share": 0.5}, "`share` and `of` go together"),
        ({"share": 0.5, "of": "closed", "judged": True}, "cannot be judged"),
        ({"rates": {"item": 5}, "operations": ["echo"]}, "has no rate of echo"),
    ],
)
def test_a_load_that_contradicts_itself_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Load.model_validate({"name": "x", "title": "x", **changes})


@pytest.mark.parametrize(
    ("loads", "why"),
    [
        ([{"name": "a", "title": "a"}], "none of the loads is judged"),
        ([{"name": "a", "title": "a", "judged": True}] * 2, "two loads have the same name"),
        (
            [{"name": "a", "title": "a", "judged": True}, {"name": "b", "title": "b", "share": 1, "of": "c"}],
            "share of .c., which is not a closed load",
        ),
        ([{"name": "a", "title": "a", "judged": True, "operations": ["none"]}], "not one of the operations"),
    ],
)
def test_a_study_with_impossible_loads_is_refused(loads: list[dict[str, Any]], why: str) -> None:
    study = entries.study("frameworks").model.model_dump(exclude_defaults=True)
    with pytest.raises(ValidationError, match=why):
        Study.model_validate({**study, "loads": loads})


def test_an_operation_without_a_judged_load_cannot_be_run_alone() -> None:
    study = entries.study("frameworks").model
    loads = [load.model_copy(update={"rates": {"item": 5.0}} if load.rates else {}) for load in study.loads]
    with pytest.raises(ConfigurationError, match="no judged load of frameworks has the operation echo"):
        schedule_only(study.model_copy(update={"loads": loads}), Request(only=PAIR, operations=["echo"]))


def test_a_sentence_names_the_load_and_not_a_grid() -> None:
    cell = frameworks().cells[4]
    assert cell.where == "item under an equal open rate" and not cell.in_grid
    grid = Cell.model_validate({**cell.model_dump(), "load": "", "family": "grid 1"})
    assert grid.in_grid


def test_measures_that_not_every_study_has_must_be_named() -> None:
    assert "time_to_first_answer" not in registry()
    assert "time_to_first_answer" in registry({"more_measures": ["time_to_first_answer"]})
    with pytest.raises(MeasureError, match="more_measures: there is no measure 'time_to_first_anser'; did you mean"):
        registry({"more_measures": ["time_to_first_anser"]})


def test_a_start_has_the_same_figures_in_every_fork_with_an_interval_over_forks(tmp_path: Path) -> None:
    study = 'more_measures = ["time_to_first_answer", "time_until_steady", "memory_at_rest", "artifact_size"]'
    starts = {
        (fork, label): {
            "first_answer_seconds": seconds * (1 + 0.1 * fork),
            "rest_bytes": 100 * 2**20,
            "artifact_bytes": 5 * 2**20,
        }
        for fork in range(1, 5)
        for label, seconds in (("tomcat-metro", 2.0), ("go", 0.1))
    }
    found = analyse_run(
        read_run(write_run(tmp_path, Planted(study=study, starts=starts, unsteady=frozenset({(2, "tomcat-metro")}))))
    )
    figures = {(each.subject, each.measure.name): each for each in found.figures if each.fork is None}
    first = figures["go", "time_to_first_answer"]
    assert first.interval is not None and first.interval.low < 0.125 < first.interval.high and first.forks == 4
    assert figures["go", "artifact_size"].bounds == (pytest.approx(5), pytest.approx(5))
    assert figures["go", "memory_at_rest"].value == pytest.approx(100)
    assert figures["go", "time_until_steady"].value == pytest.approx(12)
    assert figures["tomcat-metro", "time_until_steady"].value is None
    ratio = next(
        each
        for each in found.verdicts.comparisons
        if each.measure == "time_to_first_answer" and each.a == "tomcat-metro"
    )
    assert ratio.ratio == pytest.approx(20) and not ratio.primary
