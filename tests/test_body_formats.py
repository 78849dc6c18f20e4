"""Services other than SOAP, through the command line: verified, loaded and compared; equivalent answers pass, wrong ones fail."""

from __future__ import annotations

import json

import pytest
from conftest import Lab, trial_records

STUDY = """
name = "{service}-study"
title = "A service that is no SOAP"
question = "Can it be weighed?"
service = "{service}"
reference = "a"
operations = ["{operation}"]
primary = "{operation}"
forks = 2
pairs = 3
slice_seconds = 0.3
warm_up_limit_seconds = 0.3
corpus_entries = 20
subjects = [
  {{ label = "a", parts = [{{ server = "{service}", factors = {{ mode = "{a}" }} }}] }},
  {{ label = "b", parts = [{{ server = "{service}", factors = {{ mode = "{b}" }} }}] }},
]
"""
OPERATION = {"prices": "quote", "page": "search"}


def study(lab: Lab, service: str, a: str, b: str) -> str:
    path = lab.folder / f"{service}-study.toml"
    path.write_text(STUDY.format(service=service, operation=OPERATION[service], a=a, b=b))
    return str(path)


@pytest.mark.parametrize("service", sorted(OPERATION))
def test_it_is_weighed_and_a_right_answer_in_another_spelling_is_right(lab: Lab, service: str) -> None:
    ran = lab.run("run", study(lab, service, "right", "otherwise"), "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    verdicts = json.loads((run / "verdicts.json").read_text())
    records = trial_records(run)
    assert [one["status"] for one in records] == ["complete", "complete"], verdicts["failures"]
    assert all(one["samples_checked"] > 0 and one["wrong_samples"] == [] for one in records)
    assert all(subject["exchanges_verified"] > 3 for one in records for subject in one["subjects"])
    counted = [each for one in records for each in one["counted"]]
    said = "not judged: served = answered (the service has no counter)"
    if service == "page":
        assert len(counted) == 4 and all(each["by_service"] == each["by_engine"] > 0 for each in counted)
        assert said not in verdicts["notes"]
    else:
        assert counted == [] and said in verdicts["notes"]
        assert "the service has no counter" in (run / "report.html").read_text()


@pytest.mark.parametrize("service", sorted(OPERATION))
def test_a_wrong_answer_that_the_engine_lets_pass_is_caught_by_its_meaning(lab: Lab, service: str) -> None:
    ran = lab.run("run", study(lab, service, "right", "wrong-later"), "--forks", "1", "--json")
    assert ran.code != 0
    (run,) = lab.runs()
    (record,) = trial_records(run)
    wrong = [one for one in record["wrong_samples"] if one["subject"] == "b"]
    due = {"prices": "/total is ", "page": "/rows["}[service]
    assert wrong and all(one["message"].startswith(due) for one in wrong)
    assert not [one for one in record["wrong_samples"] if one["subject"] == "a"]


@pytest.mark.parametrize(
    ("subject", "service", "said"),
    [
        ("prices@mode=wrong", "prices", "/total is 7.375, expected 6.375"),
        ("prices@mode=type", "prices", "'51' is not of type 'integer'"),
        ("page@mode=wrong", "page", "/rows[1] is 'café & <beam> 2', expected 'café & <beam> 1'"),
    ],
)
def test_a_wrong_answer_is_named_before_anything_is_measured(lab: Lab, subject: str, service: str, said: str) -> None:
    ran = lab.run("servers", "check", subject, "--service", service, "--quick")
    assert ran.code == 1 and said in ran.out


@pytest.mark.parametrize("service", sorted(OPERATION))
def test_spellings_and_bad_requests_suit_the_service(lab: Lab, service: str) -> None:
    ran = lab.run("servers", "check", service, "--service", service, "--quick", "--json")
    (row,) = ran.json()["servers"]
    assert ran.code == 0 and row["contract"] and row["reason"] is None
    spellings = {"prices": 8, "page": 5}[service]
    assert row["exchanges"] == 4 * spellings  # one written exchange and three random ones
