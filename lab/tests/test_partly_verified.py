"""One operation of many that fails its verification is left out of a load with its reason; the others are loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from own_service import serving
from steelyard.base.errors import ConfigurationError, TargetError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload.load_spec import LoadSpec, warm_up_of
from steelyard.workload.load_target import LoadTarget, of_service
from steelyard.workload.planned_load import loadable

SERVICE = """
name = "own"
title = "own"
meaning = "json"
path = "/"
target = "{target}"
[operations.good]
meaning = "right"
method = "GET"
path = "/good"
expect = {{ fault = "any" }}
[operations.bad]
meaning = "its rule cannot be kept"
method = "GET"
path = "/bad"
expect = {{ fault = "any", contains = "nothing has this text" }}
[operations.odd]
meaning = "a rule of stored answers that cannot be kept"
method = "GET"
path = "/odd"
expect = {{ fault = "any", jsonpath = ["$.nowhere"] }}
"""
WORDS = ("--users", "2", "--for", "1s", "--warm-up", "0", "--json", "--out", "runs")


def folder(place: Path, target: str) -> Path:
    made = place / "own"
    made.mkdir()
    (made / "service.toml").write_text(SERVICE.format(target=target))
    return made


def load(place: Path, *words: str) -> Ran:
    return steelyard("load", *words, *WORDS, folder=place, environment={"STEELYARD_STRANGERS": "yes"})


def left_out(ran: Ran) -> dict[str, str]:
    outcome: dict[str, Any] = json.loads(ran.out)
    assert outcome["failed"] == 0 and outcome["completed"] > 0
    return {omitted["what"]: omitted["why"] for omitted in outcome["not_loaded"]}


def test_operations_that_fail_their_verification_are_named_and_the_rest_is_loaded(tmp_path: Path) -> None:
    with serving(0.001) as root:
        address = root.rstrip("/")
        made = folder(tmp_path, address)
        ran = load(tmp_path, str(made))
        skipped = load(tmp_path, str(made), "--skip", "bad,odd")
    assert ran.code == 0, ran.err
    assert {*left_out(ran)} == {"bad", "odd"} and "verification of bad failed" in left_out(ran)["bad"]
    assert "bad is not loaded: verification of bad failed" in ran.err
    assert skipped.code == 0 and left_out(skipped) == dict.fromkeys(("bad", "odd"), "--skip names it")


def test_where_every_operation_fails_nothing_is_loaded(tmp_path: Path) -> None:
    with serving(0.001) as root:
        address = root.rstrip("/")
        ran = load(tmp_path, str(folder(tmp_path, address)), "--operation", "bad,odd")
    assert ran.code == 1 and "verification of" in ran.err and ran.out == ""


def test_a_service_is_loaded_where_target_says(tmp_path: Path) -> None:
    with serving(0.001) as root:
        address = root.rstrip("/")
        ran = load(tmp_path, str(folder(tmp_path, "http://127.0.0.1:9")), "--target", address, "--operation", "good")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["target"] == address


def test_a_server_that_is_started_has_no_other_target(tmp_path: Path) -> None:
    words = ["sleep 60", "--request", "GET /", "--target", "http://127.0.0.1:9"]
    ran = load(tmp_path, *words)
    assert ran.code == 64 and "--target is for a service that runs" in ran.err


def target(place: Path) -> LoadTarget:
    return of_service(entries.service_at(str(folder(place, "http://127.0.0.1:9"))), 1, Expect(schema=False))


def test_another_host_is_not_declared_by_the_files_own(tmp_path: Path) -> None:
    own = target(tmp_path)
    assert own.move_to("http://127.0.0.1:81").declared and not own.move_to("http://192.0.2.1:80").declared
    with pytest.raises(ConfigurationError, match="has a path"):
        own.move_to("http://127.0.0.1:81/x")
    with pytest.raises(TargetError, match="not a valid HTTP URL"):
        own.move_to("127.0.0.1:81")


@pytest.mark.parametrize(
    ("skip", "problem"), [(["godo"], "loads no 'godo'"), (["good", "bad", "odd"], "leaves nothing")]
)
def test_skipping_what_is_not_there_or_everything_is_refused(skip: list[str], problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        loadable(target(tmp_path), LoadSpec(skip=skip))


@pytest.mark.parametrize(("words", "seconds"), [("0", 0.0), ("0s", 0.0), ("0.0ms", 0.0), ("500ms", 0.5)])
def test_a_warm_up_may_be_none(words: str, seconds: float) -> None:
    assert warm_up_of(words) == seconds
