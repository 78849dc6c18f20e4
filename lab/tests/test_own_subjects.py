"""A user's own server as a subject: the meaning of its text, its requests, its start, and reasons for a failure."""

from __future__ import annotations

import csv
import json
import socket
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from command import Ran, steelyard
from own_service import service
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, own_requests, own_subjects, subject_syntax
from steelyard.models.study import Study

SERVE = f"{sys.executable} serve.py {{port}} 0.001"
DYING = f"{sys.executable} -c raise(SystemExit(3))"
DEAF = f"{sys.executable} -m http.server 0 --bind 127.0.0.1"


def compare(folder: Path, *words: str, environment: Mapping[str, str] = MappingProxyType({})) -> Ran:
    short = ("--budget", "20s", "--slice-seconds", "0.5", "--warm-up", "1", "--out", "runs")
    beside = {"STEELYARD_STRANGERS": "yes"}
    return steelyard("compare", *words, *short, folder=folder, environment={**beside, **environment})


def made(folder: Path, name: str = "shop", **more: object) -> Path:
    return service(folder, name, 0.001, **{"start": SERVE.split(), **more})


def test_labels_are_short_and_tell_subjects_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for jar in ("old/app.jar", "new/app.jar"):
        (tmp_path / jar).parent.mkdir()
        (tmp_path / jar).touch()
    made(tmp_path)
    labels = [
        [spec.label for spec in own_subjects.specs_of(words)]
        for words in (
            ["./shop", "./shop"],
            ["old/app.jar", "new/app.jar"],
            ["java -Xmx64m -jar old/app.jar", "java -Xmx128m -jar old/app.jar"],
        )
    ]
    assert labels == [
        ["shop", "shop.again"],
        ["old-app.jar", "new-app.jar"],
        ["app.jar_-Xmx64m", "app.jar_-Xmx128m"],
    ]


def test_words_that_mean_a_server_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path)
    (tmp_path / "a.jar").touch()
    assert all(map(own_subjects.is_own, ("./shop", "shop", "java -jar a.jar", "a.jar", "./a.jar")))
    assert not any(map(own_subjects.is_own, ("go", "tomcat-metro@jvm=-Xmx1g", "http://127.0.0.1:1/x", "./nowhere")))
    assert own_subjects.server_of("./a.jar").start == ["java", "-jar", "./a.jar"]
    assert own_subjects.server_of("a.jar").looks_like_java and not own_subjects.server_of("./shop").looks_like_java


def test_a_port_is_told_where_the_line_takes_it_and_else_fixed(tmp_path: Path) -> None:
    told = own_subjects.server_of(str(made(tmp_path)))
    fixed = own_subjects.server_of(str(service(tmp_path, "fixed", 0.0)))
    by_shell = own_subjects.server_of(str(made(tmp_path, "shell", start=["sh", "-c", "serve --port ${SERVER_PORT}"])))
    assert told.port is None and by_shell.port is None and fixed.port is not None


def test_requests_of_the_command_line_are_operations_with_their_bodies(tmp_path: Path) -> None:
    requests = own_requests.of_words(["POST /orders"], '{"count": 1}')
    requests.write(tmp_path / "requests")
    kept = entries.service_at(str(tmp_path / "requests")).model
    operation = kept.operations["post-orders"]
    assert (operation.method, operation.path) == ("POST", "/orders")
    assert (tmp_path / "requests" / (operation.sample or "")).read_text() == '{"count": 1}'
    with pytest.raises(ConfigurationError, match="is not a request"):
        own_requests.of_words(["/items"], None)


def test_operations_that_change_data_are_loaded_only_where_the_user_allows_it() -> None:
    requests = own_requests.of_words(["GET /items/7", "DELETE /items/7"], None)
    assert list(requests.mix(None, writes=False)) == ["get-items-7"]
    assert len(requests.mix(None, writes=True)) == 2
    with pytest.raises(ConfigurationError, match="change data"):
        own_requests.of_words(["DELETE /items/7"], None).mix(None, writes=False)


def test_a_service_is_kept_without_its_start_and_with_the_files_that_it_names(tmp_path: Path) -> None:
    own_requests.of_service(entries.service_at(str(made(tmp_path, stop=["true"])))).write(tmp_path / "kept")
    kept = entries.service_at(str(tmp_path / "kept"))
    assert (kept.model.start, kept.model.stop) == (None, None) and kept.model.target is not None
    assert (tmp_path / "kept" / "order.json").read_text() == "{}"


def test_the_study_of_own_servers_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    specs = own_subjects.specs_of([str(made(tmp_path)), str(made(tmp_path, "next"))])
    study = subject_syntax.own_study_of(
        specs, "shop", {"a": 1.0, "b": 1.0}, rate=None, budget_seconds=60.0, margin=0.03
    )
    (tmp_path / "compare.toml").write_text(subject_syntax.text_of(study))
    read = entries.study(str(tmp_path / "compare.toml")).model
    assert read.service == str(tmp_path / "requests") and read.mix == {"a": 1.0, "b": 1.0}
    assert read.model_copy(update={"service": study.service}) == study
    with pytest.raises(ValueError, match="the mix names 'c'"):
        Study.model_validate({**dict(study), "mix": {"c": 1.0}})


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([DYING, DYING], 1, "raise(SystemExit(3))'` died before it was ready (exit code 3)"),
        (["./none {port}", "./none {port}"], 64, "./none {port}: the start command './none' was not found in"),
        (["./shop", "not-on-path {port}"], 64, "the start command 'not-on-path' was not found on PATH"),
        (["./shop", "go"], 64, "'go' is not a server of your own"),
        (["./shop", "./shop", "--service", "shop", "--request", "GET /"], 64, "exclude each other"),
    ],
)
def test_what_does_not_come_up_is_said_in_a_sentence(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    made(tmp_path)
    asked = () if "go" in words or "--request" in words else ("--request", "GET /")
    ran = compare(tmp_path, *words, *asked)
    assert ran.code == code and said in ran.err, ran.err


def test_check_names_the_subject_that_dies_by_its_role_and_the_users_words(tmp_path: Path) -> None:
    made(tmp_path)
    words = (
        "check",
        "./shop",
        DYING,
        "--request",
        "POST /",
        "--body",
        "{}",
        "--budget",
        "20s",
        "--slice-seconds",
        "0.5",
    )
    ran = steelyard(*words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"})
    assert ran.code == 2 and f"cannot tell: NEW ({DYING}): the start command `" in ran.err, ran.err
    assert "died before it was ready (exit code 3)" in ran.err


def test_a_server_that_listens_elsewhere_is_named_with_both_ports_and_ended(tmp_path: Path) -> None:
    ran = compare(tmp_path, DEAF, DEAF, "--request", "GET /")
    assert ran.code == 1 and "which Steelyard gave it" in ran.err, ran.err
    port = int(ran.err.partition("listens on port ")[2].split()[0])
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_a_wrong_answer_is_said_with_what_came_and_nothing_is_measured(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with (folder / "service.toml").open("a") as file:
        file.write('expect = { contains = "sum" }\n')
    ran = compare(tmp_path, "./shop", "./shop")
    assert ran.code == 1 and "verification of order failed" in ran.err and "it begins: ok" in ran.err, ran.err


def test_two_on_one_fixed_port_need_namespaces_and_to_listen_on_more_than_loopback(tmp_path: Path) -> None:
    service(tmp_path, "fixed", 0.001)
    ran = compare(tmp_path, "./fixed", "./fixed")
    assert ran.code == 1 and "fixed port" in ran.err, ran.err
    assert "network namespace" in ran.err and "{port}" in ran.err, ran.err


@pytest.mark.alone
def test_two_on_one_fixed_port_run_one_at_a_time_where_no_namespace_can_be_made(tmp_path: Path) -> None:
    folder, programs = service(tmp_path, "fixed", 0.001), tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "env", "true"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    ran = compare(tmp_path, "./fixed", "./fixed", "--pairs", "3", environment={"PATH": str(programs)})
    assert ran.code in (0, 2) and "only one of them runs at a time" in ran.err, ran.err
    run = next((tmp_path / "runs").iterdir())
    assert json.loads((run / "schedule.json").read_text())["design"] == "one-at-a-time"
    trial = run / "trials" / "01"
    rows = list(csv.DictReader((trial / "slices.csv").open()))
    assert len({row["slice"] for row in rows}) == len(rows) and {row["subject"] for row in rows} == {
        "fixed",
        "fixed.again",
    }
    changes = sum(a["subject"] != b["subject"] for a, b in pairwise(rows))
    assert changes == 1 and (folder / "starts").read_text().count("started") % 2 == 0
    observed = {row["slice"] for row in csv.DictReader((trial / "observations.csv").open())}
    assert observed == {row["slice"] for row in rows} and not list(trial.glob("leg-*"))


@pytest.mark.alone
def test_a_server_is_compared_with_itself_by_folder(tmp_path: Path) -> None:
    folder = made(tmp_path, stop=["touch", "stopped"], counter="/")
    ran = compare(tmp_path, "./shop", "./shop", "--users", "2", "--json")
    assert ran.code in (0, 2), ran.err
    output = json.loads(ran.out)
    assert {output["comparisons"][0][side] for side in "ab"} == {"shop", "shop.again"}
    assert output["comparisons"][0]["verdict"] not in ("faster", "slower"), ran.out
    starts = (folder / "starts").read_text().count("started")
    assert starts >= 2 and starts % 2 == 0 and (folder / "stopped").is_file()
    trial = json.loads(next((tmp_path / "runs").glob("*/trials/01/trial.json")).read_text())
    assert trial["status"] == "complete" and {subject["exchanges_verified"] for subject in trial["subjects"]} == {1}
    assert all(count["by_service"] == count["by_engine"] for count in trial["counted"])
