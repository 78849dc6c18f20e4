"""Schedules from a study and a user's options."""

from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.records import Schedule
from steelyard.plan.cells import combined_mix
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of

STUDY = entries.study("wstest").model
SERVICE = entries.service("wstest").model

PAPERS_FILE = """\
#Agents determines the number of concurrent threads
Agents          = 8
#Rampup time for the run in seconds
RampUp          = 300
#Steadystate time for the run in seconds
SteadyState     = 300
RampDown       = 10
OutputDir      = ../../results
OutputFilePrefix = WSTestReportSummary
# %Mix of the different types of web services calls
EchoVoidMix    = 100
EchoStructMix  = 0
EchoListMix    = 0
EchoSyntheticMix = 0
NumBytes       = 1024
ListSize       = 20
"""


def schedule(**wishes: object) -> Schedule:
    request = Request(**wishes)  # type: ignore[arg-type]
    settings = merge_parameters(STUDY, request)
    return schedule_of(STUDY, SERVICE, request, settings, settings.users or 8)


def with_file(tmp_path: Path, text: str) -> Request:
    path = tmp_path / "WSTest.ini"
    path.write_text(text)
    return Request(config=path)


def test_the_defaults_are_the_papers_values_as_published() -> None:
    settings = merge_parameters(STUDY, Request(as_published=True))
    assert (settings.users, settings.warm_up_seconds, settings.steady_seconds, settings.drain_seconds) == (
        8,
        300,
        300,
        10,
    )
    assert settings.service == {"NumBytes": 1024, "ListSize": 20}


@pytest.mark.parametrize("seconds", [7, 300, 900])
def test_a_ramp_up_that_is_given_is_kept_whatever_the_studys_own_limit(tmp_path: Path, seconds: int) -> None:
    request = with_file(tmp_path, PAPERS_FILE.replace("RampUp          = 300", f"RampUp = {seconds}"))
    for asked in (request, Request(settings={"RampUp": str(seconds)})):
        made = schedule_of(STUDY, SERVICE, asked, merge_parameters(STUDY, asked), 8)
        assert (made.warm_up_limit_seconds, made.parameters["RampUp"]) == (seconds, seconds)


def test_a_ramp_up_that_nobody_gave_is_recorded_as_it_held() -> None:
    made = schedule()
    assert made.warm_up_limit_seconds == made.parameters["RampUp"] == STUDY.warm_up_limit_seconds < 300


def test_the_flag_goes_before_the_parameter_as_published_too() -> None:
    assert schedule(warm_up_seconds=20, settings={"RampUp": "300"}).warm_up_limit_seconds == 20
    assert schedule(warm_up_seconds=20, as_published=True).warm_up_limit_seconds == 20


def test_each_operation_runs_alone_unless_a_mix_is_given() -> None:
    cells = schedule().cells
    assert [cell.mix for cell in cells] == [{name: 1.0} for name in STUDY.operations]
    assert [cell.name for cell in cells if cell.primary] == ["echoStruct"]


def test_the_papers_own_file_is_read_with_all_its_keys(tmp_path: Path) -> None:
    settings = merge_parameters(STUDY, with_file(tmp_path, PAPERS_FILE))
    assert settings.mix == {"echoVoid": 100.0}
    assert settings.out == "../../results"
    assert settings.out_prefix == "WSTestReportSummary"


def test_agents_may_be_auto(tmp_path: Path) -> None:
    assert merge_parameters(STUDY, with_file(tmp_path, PAPERS_FILE.replace("= 8", "= auto"))).users is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Agents ", "Agent ", "no parameter 'Agent'; did you mean 'Agents'"),
        ("= 1024", "= many", "NumBytes is 'many'"),
        ("= 1024", "= -4", "NumBytes is '-4'"),
        ("EchoListMix    = 0", "EchoListMix = 20", "adds up to 120"),
        ("Agents          = 8", "Agents 8", "line 2"),
        ("ListSize       = 20", "NumBytes = 20", "given twice"),
    ],
)
def test_a_wrong_line_of_the_papers_file_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said.replace("(", r"\(")):
        merge_parameters(STUDY, with_file(tmp_path, PAPERS_FILE.replace(old, new)))


def test_a_mix_makes_one_cell_and_it_is_judged() -> None:
    cells = schedule(settings={"EchoVoidMix": "30", "EchoListMix": "70"}).cells
    assert [(cell.mix, cell.primary) for cell in cells] == [({"echoVoid": 30.0, "echoList": 70.0}, True)]


def test_steady_state_is_cut_into_pairs_over_the_forks() -> None:
    made = schedule(forks=5, slice_seconds=2.0)
    assert made.pairs_per_cell * 5 * 2.0 == 300


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another() -> None:
    assert schedule(seed=3) == schedule(seed=3)
    assert schedule(seed=3).trials != schedule(seed=4).trials


def test_more_than_four_subjects_are_split_around_the_reference() -> None:
    made = schedule(only=["tomcat-metro", "go", "a", "b", "c", "d"], forks=2)
    assert all("tomcat-metro" in trial.start_order and len(trial.start_order) <= 4 for trial in made.trials)
    for label in ("go", "a", "b", "c", "d"):
        assert sum(label in trial.start_order for trial in made.trials) == 2


def test_as_published_runs_each_subject_alone_and_once() -> None:
    made = schedule(as_published=True)
    assert [trial.start_order for trial in made.trials] == [["tomcat-metro"], ["tomcat-cxf"], ["go"]]
    assert (made.design, made.pairs_per_cell, made.slice_seconds, made.warm_up_limit_seconds) == (
        "as-published",
        1,
        300,
        300,
    )


@pytest.mark.parametrize(
    ("wishes", "mix"),
    [
        ({"operations": ["echoVoid"]}, {"echoVoid": 1.0}),
        ({"operations": ["getOrder", "echoVoid"]}, {"getOrder": 1.0, "echoVoid": 1.0}),
        ({}, dict.fromkeys(STUDY.operations, 1.0)),
        ({"settings": {"EchoVoidMix": "30", "EchoListMix": "70"}}, {"echoVoid": 30.0, "echoList": 70.0}),
        ({"settings": {"EchoListMix": "100"}, "operations": ["echoVoid"]}, {"echoVoid": 1.0}),
    ],
)
def test_agents_are_looked_for_with_the_operations_that_will_run_and_no_other(
    wishes: dict[str, object], mix: dict[str, float]
) -> None:
    assert combined_mix(schedule(**wishes).cells) == mix


def test_an_unknown_operation_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="'echoStrct'; did you mean 'echoStruct'"):
        schedule(operations=["echoStrct"])
