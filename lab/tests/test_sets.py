"""Sets of factors: a study declares them, a user gives one to all subjects or to some."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.models.server import Factor
from steelyard.models.study import Study
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from steelyard.plan.subjects import subjects_of

STUDY = Study.model_validate(
    {
        "name": "sets",
        "title": "Sets",
        "question": "Which?",
        "service": "soaservers",
        "subjects": [
            "tomcat-metro",
            "go",
            {"label": "own", "parts": [{"server": "tomcat-metro", "factors": {"threads": "50"}}]},
            {"label": "face", "same_as": "own"},
        ],
        "reference": "go",
        "operations": ["pair"],
        "primary": "pair",
        "sets": {"today": {}, "small": {"threads": "25", "accept_queue": "10", "call_timeout": "30"}},
    }
)


def factors_of(label: str, set_of_factors: str = "") -> dict[str, str]:
    return subjects_of(STUDY, [label], set_of_factors)[0].parts[0].factors


def test_a_set_for_all_is_in_every_label_and_in_the_reference() -> None:
    request = Request(set_of_factors="small")
    service = entries.service("soaservers").model
    schedule = schedule_of(STUDY, service, request, merge_parameters(STUDY, request), users=8)
    assert schedule.subjects == ["tomcat-metro@small", "go@small", "own@small", "face@small"]
    assert schedule.reference == "go@small"


def test_a_stopped_run_finds_its_subjects_again_by_their_labels() -> None:
    subjects = subjects_of(STUDY, [], "small")
    assert subjects_of(STUDY, [one.label for one in subjects]) == subjects


def test_each_server_takes_the_factors_that_it_has_and_what_it_lacks_is_said() -> None:
    assert factors_of("tomcat-metro", "small") == STUDY.sets["small"]
    assert factors_of("go", "small") == {"call_timeout": "30"}
    said = factors.unused_factor_sentences(STUDY, subjects_of(STUDY, ["go@small"])[0])
    assert said == [
        f"go has no factor {factor}: the set small keeps the product's default"
        for factor in ("threads", "accept_queue")
    ]
    assert factors.unused_factor_sentences(STUDY, subjects_of(STUDY, ["tomcat-metro@small"])[0]) == []


def test_what_a_subject_sets_itself_stays() -> None:
    assert factors_of("own@small") == STUDY.sets["small"] | {"threads": "50"}
    assert factors_of("tomcat-metro@heap=1g@small") == STUDY.sets["small"] | {"heap": "1g"}


def test_a_face_is_that_of_the_subject_in_the_same_set() -> None:
    assert subjects_of(STUDY, ["own", "face"], "small")[1].same_as == "own@small"


def test_two_sets_of_one_server_can_be_compared() -> None:
    labels = [one.label for one in subjects_of(STUDY, ["tomcat-metro", "tomcat-metro@small"])]
    assert labels == ["tomcat-metro", "tomcat-metro@small"]


def test_an_unknown_set_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"sets has no set of factors 'smal'; did you mean 'small'\?"):
        subjects_of(STUDY, [], "smal")


def test_a_service_s_factor_may_be_set_for_all_subjects_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    server, service = entries.server("tomcat-metro"), entries.service("soaservers")
    monkeypatch.setenv("STEELYARD_CALL_TIMEOUT", "7")
    assert factors.factor_values(server, service, {})["call_timeout"] == "7"
    assert factors.factor_values(server, service, {"call_timeout": "8"})["call_timeout"] == "8"
    monkeypatch.setenv("STEELYARD_CALL_TIMEOUT", "soon")
    with pytest.raises(ConfigurationError, match="factor call_timeout may be such as none, not 'soon'"):
        factors.factor_values(server, service, {})


def test_a_value_that_goes_only_with_another_factor_s_value_is_refused_with_any_other() -> None:
    server, service = entries.server("tomcat-springws"), entries.service("petstore")
    said = "factor persistence is 'jdbc', which needs database=postgresql, not database=h2"
    with pytest.raises(ConfigurationError, match=said):
        factors.factor_values(server, service, {"persistence": "jdbc"})
    assert (
        factors.factor_values(server, service, {"persistence": "jdbc", "database": "postgresql"})["persistence"]
        == "jdbc"
    )


def test_a_value_that_goes_with_a_factor_that_the_server_lacks_is_refused_and_says_so() -> None:
    said = "factor variant is 'ws-at', which needs profile=standalone-full, and there is no factor profile here"
    with pytest.raises(ConfigurationError, match=said):
        factors.factor_values(entries.server("tomcat-springws"), entries.service("petstore"), {"variant": "ws-at"})


def test_what_is_needed_is_needed_by_a_value_that_the_factor_has() -> None:
    with pytest.raises(ValidationError, match="needs names 'sql', which is not one of its values"):
        Factor(default="a", meaning="m", choices=["a", "b"], needs={"sql": {"database": "h2"}})


def test_a_factor_that_names_a_file_needs_one_and_hands_its_whole_path_on() -> None:
    server, service = entries.server("tomcat-metro"), entries.service("soaservers")
    with pytest.raises(ConfigurationError, match=r"factor graph is 'none\.xml', which is not a file"):
        factors.factor_values(server, service, {"graph": "none.xml"})
    values = factors.factor_values(server, service, {})
    assert values["graph"] == "contract/graph.xml"
    assert factors.environment(service, values)["STEELYARD_GRAPH"] == str(service.folder / "contract" / "graph.xml")
