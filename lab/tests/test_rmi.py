"""Java RMI: a format with its own driver, whose files become the trial's, and which cannot take turns."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError
from steelyard.base.errors import ConfigurationError, EngineError, NoAnswerError
from steelyard.base.http_client import Answer
from steelyard.catalogue import entries, factors
from steelyard.catalogue.formats import rmi_of, service_in_format
from steelyard.hosts import rmi_driver
from steelyard.measure.trial.drivers import Drivers, Joined
from steelyard.models.job import BigBang, Job, Rmi, Slice, Target, Turn
from steelyard.models.service import Format
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.workload import exchanges, refusals, rmi_client
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.rmi_client import RmiClient

WSTEST = entries.service("wstest")
BY_RMI = service_in_format(WSTEST, {"format": "rmi"})
CALLS = Rmi(interface="a.B", classes=["b.jar"])


def test_who_answers_by_rmi_alone_is_asked_so_where_nobody_says_how() -> None:
    server = entries.server("java-rmi")
    assert factors.factor_values(server, WSTEST, {})["format"] == "rmi"
    assert factors.factor_values(entries.server("tomcat-metro"), WSTEST, {})["format"] == "soap"
    with pytest.raises(ConfigurationError, match="format may be 'rmi' alone for java-rmi, not 'soap'"):
        factors.factor_values(server, WSTEST, {"format": "soap"})
    with pytest.raises(
        ConfigurationError, match="format may be 'rmi' only for an implementation in java-rmi, not in go"
    ):
        factors.factor_values(entries.server("go"), WSTEST, {"format": "rmi"})


def test_a_format_that_means_rmi_says_what_is_called_and_no_other_does() -> None:
    given = {"title": "x", "path": "/X/y", "implementations": ["java"], "generate": ["true"]}
    for wrong in ({"meaning": "rmi"}, {"meaning": "json", "rmi": CALLS}):
        with pytest.raises(ValidationError, match="rmi is required for a format that means rmi"):
            Format.model_validate({**given, **wrong})
    calls = rmi_of(BY_RMI)
    assert calls is not None
    assert calls.classes == [str(WSTEST.folder / "java-rmi/target/wstest-rmi.jar")]
    assert rmi_of(WSTEST) is None


def test_subjects_of_which_one_is_asked_by_rmi_take_no_turns() -> None:
    study = entries.study("envelope").model
    assert study.turn_ms
    turns = {
        only: schedule_only(study, Request(only=only.split(","))).turn_ms
        for only in ("java-rmi,tomcat-metro", "go,tomcat-metro")
    }
    assert turns == {"java-rmi,tomcat-metro": 0, "go,tomcat-metro": study.turn_ms}


def test_the_engine_is_not_told_of_what_it_does_not_know() -> None:
    http = Target(subject="a", host="127.0.0.1", port=1)
    assert "rmi" not in json.loads(http.model_dump_json())
    by_rmi = Target(subject="a", host="127.0.0.1", port=1, rmi=CALLS)
    assert Target.model_validate_json(by_rmi.model_dump_json()) == by_rmi


def test_answers_are_compared_by_values_and_numbers_that_are_none_by_name() -> None:
    meaning = meaning_of(BY_RMI)
    written = dict(exchanges.contract_exchanges(BY_RMI))
    assert written.keys() == dict(exchanges.contract_exchanges(WSTEST)).keys()  # there is nothing that it cannot say
    answer = written["echoStruct/not-a-number"].answer
    assert meaning.difference(answer.encode(), answer, "echoStruct") is None
    assert meaning.difference(answer.replace("NaN", "Infinity").encode(), answer, "echoStruct") is not None
    assert meaning.difference(b"null", "null", "echoVoid") is None


def test_what_must_be_refused_are_calls_that_no_client_would_make_and_no_headers(tmp_path: Path) -> None:
    bad = refusals.bad_requests(BY_RMI, tmp_path)
    assert [each.name for each in bad] == ["class-not-allowed", "class-not-due", "unknown-method", "unknown-object"]
    meaning = meaning_of(BY_RMI)
    assert meaning.refusal_problem(Answer(500, b"java.rmi.ServerException")) is None
    assert meaning.refusal_problem(Answer(200, b"[]")) is not None


def _asked(monkeypatch: pytest.MonkeyPatch, script: str) -> RmiClient:
    monkeypatch.setattr(rmi_driver, "command", lambda: ["sh", "-c", script])
    monkeypatch.setattr(rmi_client, "_START_SECONDS", 0.0)
    return RmiClient("http://127.0.0.1:1/X/y", CALLS, 1.0)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 1", "the RMI driver ended, or did not answer"),
        ("read line; sleep 60", "the RMI driver ended, or did not answer"),
        ("""read line; echo '{"failed":"reset","why":"gone"}'""", r"no answer: reset \(gone\)"),
    ],
)
def test_a_question_that_is_not_answered_is_said_so_within_its_time(
    monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    talk = _asked(monkeypatch, script)
    with pytest.raises(NoAnswerError, match=said):
        talk.ask("POST", "", b"{}", {})
    talk.close()


def test_an_answer_of_the_driver_is_one_with_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = _asked(monkeypatch, """read line; echo '{"status":200,"body":"[1]"}'; read line""")
    assert talk.ask("POST", "/X/z", b"{}", {}) == Answer(200, b"[1]")
    talk.close()


HEAD = '#[BaseTime: {} (seconds since epoch)]\n"StartTimestamp"\n'


def _write(folder: Path, base: float, number: int) -> None:
    (folder / "samples").mkdir(parents=True, exist_ok=True)
    for name, head, row in (
        ("slices.csv", "slice,subject\n", f"{number},s\n"),
        ("ticks.csv", "time_ns,slice\n", f"5,{number}\n"),
        ("samples/index.csv", "sample,slice\n", f"0,{number}\n"),
        ("intervals.hlog", HEAD.format(base), f"Tag=s/{number}/e/response,1.500,1.000,9.000,HIST\n"),
    ):
        (folder / name).write_text(head + row)
    (folder / "samples" / "0.answer").write_text(f"of {number}")


def test_what_several_drivers_write_becomes_the_files_of_one(tmp_path: Path) -> None:
    first, second = tmp_path / "driver-http", tmp_path / "driver-rmi"
    _write(first, 100.0, 3)
    _write(second, 102.5, 4)
    samples = Joined(first, tmp_path).append(0)
    joined = Joined(second, tmp_path)
    assert joined.append(samples) == 2
    assert joined.append(2) == 2  # nothing is taken over twice
    assert (tmp_path / "slices.csv").read_text() == "slice,subject\n3,s\n4,s\n"
    assert (tmp_path / "ticks.csv").read_text() == "time_ns,slice\n5,3\n5,4\n"
    assert (tmp_path / "samples" / "index.csv").read_text() == "sample,slice\n0,3\n1,4\n"
    assert [(tmp_path / "samples" / f"{n}.answer").read_text() for n in (0, 1)] == ["of 3", "of 4"]
    rows = (tmp_path / "intervals.hlog").read_text().splitlines()
    assert rows[-2:] == ["Tag=s/3/e/response,1.500,1.000,9.000,HIST", "Tag=s/4/e/response,4.000,1.000,9.000,HIST"]


def test_drivers_that_write_other_columns_are_refused(tmp_path: Path) -> None:
    _write(tmp_path / "a", 1.0, 1)
    _write(tmp_path / "b", 1.0, 2)
    (tmp_path / "b" / "slices.csv").write_text("slice,object\n2,s\n")
    Joined(tmp_path / "a", tmp_path).append(0)
    with pytest.raises(EngineError, match=r"write slices\.csv with different columns"):
        Joined(tmp_path / "b", tmp_path).append(1)


def test_each_driver_has_its_part_of_the_job_and_its_subjects_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: dict[str, Job] = {}
    gone: list[tuple[str, int]] = []

    class Played:
        """Stands where a driver's process would, and remembers what it is told."""

        def __init__(self, job: Job, folder: Path, _secrets: object = None) -> None:
            self.folder = folder
            jobs[folder.name] = job

        def __enter__(self) -> Played:
            return self

        def __exit__(self, *_: object) -> None:
            return

        def drive_slice(self, number: int, *_: object) -> None:
            _write(self.folder, 1.0, number)
            gone.append((self.folder.name, number))

    monkeypatch.setattr("steelyard.measure.trial.drivers.Engine", Played)
    targets = [Target(subject="a", host="h", port=1), Target(subject="b", host="h", port=2, rmi=CALLS)]
    slices = [
        Slice(number=n, subject=s, phase="p", profile=BigBang(users=1, seconds=1), mix={"e": 1}, deck_seed=1)
        for n, s in enumerate("ab")
    ]
    job = Job(seed=1, corpus="../../corpus", rules={}, targets=targets, slices=slices)
    with Drivers(job, tmp_path, {"a": "http", "b": "rmi"}) as drivers:
        for number in (1, 0):
            drivers.drive_slice(number, 1.0, SimpleNamespace())  # type: ignore[arg-type]  # no tick comes
        with pytest.raises(EngineError, match="slices 0, 1 have different drivers, and cannot take turns"):
            drivers.take_turns([0, 1], Turn(ms=10), 1.0, lambda _: None)
    assert gone == [("driver-rmi", 1), ("driver-http", 0)]
    assert [target.subject for target in jobs["driver-rmi"].targets] == ["b"]
    assert jobs["driver-rmi"].corpus == "../../../corpus"
    assert Job.model_validate_json((tmp_path / "job.json").read_text()) == job
    assert (tmp_path / "slices.csv").read_text().splitlines()[1:] == ["1,s", "0,s"]
