"""The companions that a service needs are started: from its factor, unless the subject names the same one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.catalogue.companions import with_companions
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.models.service import Service
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.plan.subjects import subjects_of

FLIGHT = entries.service("flight")
STUDY = entries.study("flight").model


def beside(spec: SubjectSpec) -> list[str]:
    return [part.server for part in spec.companions]


@pytest.mark.parametrize(
    ("words", "product"),
    [
        ("tomcat-cxf", "h2"),
        ("tomcat-metro@database=postgres@domain=plain", "postgres"),
        ("tomcat-metro@database=mariadb", "mariadb"),
    ],
)
def test_any_server_gets_the_database_that_its_factor_names(words: str, product: str) -> None:
    assert beside(with_companions(subject_of(words), FLIGHT)) == [product]
    (of_study,) = subjects_of(STUDY, [words])
    assert beside(of_study) == [product]


def test_a_set_of_the_study_changes_the_database_beside_its_subjects_too() -> None:
    assert [beside(spec) for spec in subjects_of(STUDY, [], "postgres")] == [["postgres"], ["postgres"]]


def test_the_subjects_own_companion_stays_with_its_settings_and_only_missing_ones_are_added() -> None:
    own = PartSpec(server="h2", factors={"heap": "128m"})
    spec = subject_of("tomcat-metro").model_copy(update={"companions": [own, PartSpec(server="greenmail")]})
    assert with_companions(spec, FLIGHT) == spec


def test_a_companion_that_is_not_what_the_factor_says_is_told() -> None:
    spec = subject_of("tomcat-metro").model_copy(update={"companions": [PartSpec(server="postgres")]})
    with pytest.raises(ConfigurationError, match="postgres in the role of database, but its factor database is 'h2'"):
        with_companions(spec, FLIGHT)


def test_a_face_of_a_subject_and_a_service_that_needs_nothing_have_none_added() -> None:
    assert not beside(with_companions(SubjectSpec(label="face", same_as="tomcat-metro"), FLIGHT))
    assert not beside(with_companions(subject_of("go"), entries.service("wstest")))


def test_a_service_names_its_companions_by_factors_that_it_has() -> None:
    written = FLIGHT.model.model_dump(by_alias=True) | {"companions": {"database": "databse"}}
    with pytest.raises(ValidationError, match="depends on 'databse', which is not a factor"):
        Service.model_validate(written)


def test_one_that_is_there_only_for_some_values_has_factors_of_the_services() -> None:
    flight = entries.service("flight")
    assert [part.server for part in with_companions(subject_of("tomcat-metro"), flight).companions] == ["h2"]
    database, link = with_companions(subject_of("tomcat-metro@link=7"), flight).companions
    assert (database.server, link.server, link.factors) == ("h2", "toxiproxy", {"mbit": "7"})


@pytest.mark.parametrize("wrong", [{"factors": {"mbit": "lnik"}}, {"unless": {"lnik": "none"}}])
def test_one_with_conditions_names_factors_that_there_are(wrong: dict[str, dict[str, str]]) -> None:
    model = entries.service("flight").model
    with pytest.raises(ValueError, match="depends on 'lnik', which is not a factor"):
        Service.model_validate(
            {**model.model_dump(by_alias=True), "companions": {"link": {"server": "toxiproxy", **wrong}}}
        )
