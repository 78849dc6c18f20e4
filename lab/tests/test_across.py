"""One question across the values of a factor: each subject once for each, all of one run, in pairs with the same reference."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.commands.run import RunOptions, request_of
from steelyard.models.study import Study
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.subjects import requested_subjects, subjects_of

STUDY = Study.model_validate(
    {
        "name": "across",
        "title": "Across",
        "question": "Which?",
        "service": "wstest",
        "subjects": [
            "go",
            {
                "label": "metro",
                "headers": {"x-of": "this study"},
                "parts": [{"server": "tomcat-metro", "factors": {"threads": "50"}}],
            },
            {"label": "face", "same_as": "metro"},
            {"label": "balanced", "parts": [{"server": "nginx"}, {"server": "tomcat-metro"}]},
        ],
        "reference": "metro",
        "operations": ["echoStruct"],
        "primary": "echoStruct",
        "sets": {"small": {"accept_queue": "10"}},
    }
)


def labels(across: dict[str, Sequence[str]], *only: str, set_of_factors: str = "") -> list[str]:
    request = Request(only=only, across=across, set_of_factors=set_of_factors)
    return [spec.label for spec in requested_subjects(STUDY, request)]


def test_each_subject_stands_once_for_each_value_and_the_study_says_the_rest_of_it() -> None:
    request = Request(only=["metro", "go"], across={"cpus": ["1", "2"]})
    specs = requested_subjects(STUDY, request)
    assert [spec.label for spec in specs] == ["metro@cpus=1", "metro@cpus=2", "go@cpus=1", "go@cpus=2"]
    assert [spec.parts[0].factors for spec in specs[:2]] == [
        {"threads": "50", "cpus": "1"},
        {"threads": "50", "cpus": "2"},
    ]
    assert specs[1].headers == {"x-of": "this study"}


def test_the_reference_is_the_studys_with_the_first_value() -> None:
    schedule = schedule_only(STUDY, Request(only=["go", "metro"], across={"cpus": ["2", "1"]}))
    assert schedule.reference == "metro@cpus=2"
    assert schedule_only(STUDY, Request(only=["metro@heap=1g", "metro"])).reference == "metro"


def test_factors_are_crossed_and_who_lacks_one_stands_without_it() -> None:
    assert labels({"cpus": ["1"], "heap": ["128m", "256m"]}, "metro", "go") == [
        "metro@cpus=1@heap=128m",
        "metro@cpus=1@heap=256m",
        "go@cpus=1",
    ]


def test_of_several_servers_each_takes_the_factor_that_it_has() -> None:
    (spec,) = requested_subjects(STUDY, Request(only=["balanced"], across={"heap": ["128m"]}))
    assert [part.factors for part in spec.parts] == [{}, {"heap": "128m"}]


def test_a_face_is_that_of_the_subject_with_the_same_value() -> None:
    request = Request(only=["metro", "face"], across={"heap": ["128m", "256m"]})
    assert [spec.same_as for spec in requested_subjects(STUDY, request)[2:]] == ["metro@heap=128m", "metro@heap=256m"]


def test_values_stand_before_the_name_of_a_set() -> None:
    assert labels({"cpus": ["1"]}, "metro@small", "go") == ["metro@cpus=1@small", "go@cpus=1"]
    assert labels({"cpus": ["1"]}, "metro", set_of_factors="small") == ["metro@cpus=1@small"]


def test_a_stopped_run_takes_up_what_was_asked_for() -> None:
    request = Request(across={"heap": ["128m", "256m"]}, set_of_factors="small")
    assert subjects_of(STUDY, schedule_only(STUDY, request).asked) == requested_subjects(STUDY, request)


@pytest.mark.parametrize(
    ("across", "only", "sentence"),
    [
        ({"hep": ["1g"]}, ["metro"], "no subject has a factor 'hep'; did you mean 'heap'?"),
        ({"heap": ["1g"]}, ["go"], "no subject has a factor 'heap'"),
        ({"heap": ["1g"]}, ["metro@heap=2g"], "'metro@heap=2g' sets heap itself, which --across varies"),
        ({"heap": ["zzz"]}, ["metro"], "tomcat-metro: factor heap may be such as 256m, not 'zzz'"),
    ],
)
def test_what_cannot_vary_is_one_sentence(across: dict[str, Sequence[str]], only: list[str], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        schedule_only(STUDY, Request(only=only, across=across))
    assert refused.value.message.startswith(sentence)


def test_of_several_servers_one_must_have_the_factor() -> None:
    with pytest.raises(ConfigurationError, match="no server of balanced has a factor 'hep'; did you mean 'heap'"):
        schedule_only(STUDY, Request(only=["balanced@hep=1g", "go"]))


def test_the_command_line_says_which_factors_vary() -> None:
    options = RunOptions(study="wstest", across=["jdk=17,25", "heap = 1g"], cpus="1,2")
    assert request_of(options).across == {"cpus": ["1", "2"], "jdk": ["17", "25"], "heap": ["1g"]}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (RunOptions(study="wstest", across=["jdk"]), "--across takes FACTOR=VALUE,VALUE, not 'jdk'"),
        (RunOptions(study="wstest", across=["jdk="]), "--across jdk is empty"),
        (RunOptions(study="wstest", across=["cpus=1"], cpus="2"), "--across gives cpus twice"),
        (RunOptions(study="wstest", cpus="1,1"), "--cpus names '1' twice"),
    ],
)
def test_wrong_words_are_one_sentence(options: RunOptions, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        request_of(options)
    assert refused.value.message == sentence
