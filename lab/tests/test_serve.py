"""`steelyard serve`: who gets answers, what a hostile folder of runs can do, and the content of its pages."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from starlette.testclient import TestClient
from steelyard.base.csvfiles import pack, read_bytes
from steelyard.base.errors import ConfigurationError
from steelyard.base.progress import Progress
from steelyard.report.serve import guard, shelf, trends
from steelyard.report.serve.app import app_of, live_events, stored_file
from steelyard.report.serve.server import serve
from steelyard.report.serve.shelf import Listed, Shelf, WantedRuns
from steelyard.report.serve.starting import Starter
from steelyard.results.live_file import STOP, LiveFile, running_now
from synthetic import Planted, write_run

DEMO = Path(__file__).parents[2] / "docs" / "results" / "demo"
TOKEN = "the-token"
PORT = 8421
EVIL = '<img src=x onerror="alert(1)">'


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of one question, at another day and revision each; all that they are read by and none of their slices."""
    folder = tmp_path_factory.mktemp("runs")
    for number, ratio in enumerate((0.62, 0.70, 0.81)):
        copied(folder / f"demo-{number}", f"2026-0{number + 1}-10T10:00:00+00:00", ratio, f"{number}abcdef0123456789")
    return folder


def copied(place: Path, begun: str, ratio: float, revision: str) -> Path:
    (place / "trials" / "01").mkdir(parents=True)
    for name in ("schedule.json", "study.toml"):
        (place / name).write_bytes(read_bytes(DEMO / name))
    environment = json.loads(read_bytes(DEMO / "environment.json"))
    environment["git"] = {"revision": revision, "changed": False}
    (place / "environment.json").write_text(json.dumps(environment))
    verdicts = json.loads((DEMO / "verdicts.json").read_text())
    for each in verdicts["comparisons"]:
        if each["primary"]:
            each.update(ratio=ratio, interval=[ratio - 0.03, ratio + 0.03])
    (place / "verdicts.json").write_text(json.dumps(verdicts))
    (place / "trials" / "01" / "trial.json").write_text(json.dumps({"begun": begun}))
    (place / "report.html").write_text(f"<!doctype html><title>{place.name}</title>")
    (place / "results.csv").write_text("subject,cell\n")
    return place


def client(folder: Path, starter: Starter | None = None, **more: Any) -> TestClient:
    app = app_of(Shelf(folder), TOKEN, PORT, starter)
    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False, **more)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """A folder with a run that this process says it measures."""
    place = copied(tmp_path / "now", "2026-04-01T10:00:00+00:00", 0.6, "f")
    progress = Progress(Console(file=open(os.devnull, "w")))  # noqa: PTH123, SIM115
    progress.live.stage = "trial 1 of 4 · pair 2 of 6 of echoStruct"
    with LiveFile(place, progress, []):
        yield tmp_path


class Texts(HTMLParser):
    """What of a page is no markup, and the markup's names."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs), attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_without_the_token_nobody_is_answered(kept: Path) -> None:
    asked = client(kept)
    for path in ("/", "/wrong/", "/the-toke/", "/the-token2/", "/wrong/trends", "/stored/0/demo-0/report.html", "//"):
        assert asked.get(path).status_code == 403, path
    assert asked.get(f"/{TOKEN}/").status_code == 200


@pytest.mark.parametrize(
    "host", ["example.com", "example.com:8421", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.example.com:8421", ""]
)
def test_under_another_name_nobody_is_answered(kept: Path, host: str) -> None:
    assert client(kept).get(f"/{TOKEN}/", headers={"host": host}).status_code == 403


def test_the_machine_is_answered_under_its_names(kept: Path) -> None:
    for host in ("127.0.0.1:8421", "localhost:8421"):
        assert client(kept).get(f"/{TOKEN}/", headers={"host": host}).status_code == 200


def test_no_answer_lets_another_site_read_and_a_page_may_only_what_it_needs(kept: Path) -> None:
    answer = client(kept).get(f"/{TOKEN}/", headers={"origin": "http://example.com"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["content-security-policy"] == guard.PAGE_POLICY
    assert "unsafe" not in guard.PAGE_POLICY and "'none'" in guard.PAGE_POLICY
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_what_another_sites_page_posts_is_refused(running: Path) -> None:
    stop = f"/{TOKEN}/now/stop"
    assert client(running).post(stop, headers={"origin": "http://example.com"}).status_code == 403
    assert not (running / "now" / STOP).exists()
    assert client(running).post(stop, headers={"origin": f"http://127.0.0.1:{PORT}"}).status_code == 303
    assert (running / "now" / STOP).exists()


def test_the_list_has_the_newest_first_with_its_words_and_where_it_was_measured(kept: Path) -> None:
    page = client(kept).get(f"/{TOKEN}/").text
    assert page.index("demo-2") < page.index("demo-1") < page.index("demo-0")
    for told_of in ("2026-03-10 10:00 UTC", "slower", "2abcdef012", "tomcat-metro, go", "3 of 3 runs"):
        assert told_of in page, told_of


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("text=2abcdef", ["demo-2"]),
        ("text=GO+slower", ["demo-2", "demo-1", "demo-0"]),
        ("study=wstest", []),
        ("word=slower&since=2026-02-10", ["demo-2", "demo-1"]),
        ("until=2026-02-10", ["demo-1", "demo-0"]),
        ("word=faster", []),
    ],
)
def test_the_list_is_searched_and_filtered(kept: Path, asked: str, names: list[str]) -> None:
    page = client(kept).get(f"/{TOKEN}/?{asked}").text
    assert [name for name in ("demo-2", "demo-1", "demo-0") if f">{name}</a>" in page] == names


def test_a_folder_that_is_a_run_is_the_list_of_one() -> None:
    [run] = Shelf(DEMO).runs()
    assert (run.name, run.study, run.words) == ("demo", "demo", ("slower",))
    assert run.begun is not None and "Xeon" in run.machine


def test_runs_that_did_not_change_are_read_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Shelf(kept)
    first = runs.runs()
    monkeypatch.setattr(shelf, "_read", lambda _: pytest.fail("read again"))
    assert runs.runs() == first


def test_hostile_folders_are_listed_as_what_they_are_and_stop_nothing(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(kept, folder)
    evil = folder / f"evil{EVIL.replace('/', '')}"
    shutil.copytree(folder / "demo-0", evil)
    verdicts = json.loads((evil / "verdicts.json").read_text())
    verdicts["sentence"] = EVIL
    (evil / "verdicts.json").write_text(json.dumps(verdicts))
    for name, content in {"deep": "[" * 100_000, "binary": "\x00\x7f", "list": "[]", "nothing": ""}.items():
        (folder / name).mkdir()
        (folder / name / "schedule.json").write_text(content)
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "schedule.json")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "large").mkdir()
    with (folder / "large" / "schedule.json").open("wb") as large:
        large.truncate(shelf.MOST_BYTES + 1)
    page = Texts(client(folder).get(f"/{TOKEN}/").text)
    assert "img" not in page.tags and EVIL in page.texts
    unreadable = {run.name for run in Shelf(folder).runs() if run.problem}
    assert unreadable == {"deep", "binary", "list", "nothing", "pipe", "large"}


def test_a_packed_file_that_would_fill_the_memory_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "MOST_BYTES", 10_000)
    (tmp_path / "schedule.json.xz").write_bytes(pack(b" " * 1_000_000))
    [run] = Shelf(tmp_path).runs()
    assert run.problem == "schedule.json.xz is larger than 10,000 bytes"


def stored(name: str, path: str) -> str:
    return f"/{guard.STORED}/{guard.key_of(TOKEN, name)}/{name}/{path}"


def test_a_report_is_shown_in_an_origin_of_its_own_under_an_address_without_the_token(kept: Path) -> None:
    page = client(kept).get(f"/{TOKEN}/").text
    assert stored("demo-0", "report.html") in page and TOKEN not in stored("demo-0", "report.html")
    answer = client(kept).get(stored("demo-0", "report.html"))
    assert answer.status_code == 200 and "demo-0" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts") and "allow-same-origin" not in policy
    assert "connect-src" not in policy and "default-src 'none'" in policy and "form-action 'none'" in policy


def test_a_runs_key_opens_no_other_run(kept: Path) -> None:
    other = stored("demo-0", "report.html").replace("/demo-0/", "/demo-1/")
    assert client(kept).get(other).status_code == 403


def test_kept_files_are_unpacked_and_a_folder_shows_its_names() -> None:
    told_of, kind = stored_file(DEMO, "report.html")
    assert kind == "text/html" and told_of.startswith(b"<!doctype html>")
    assert stored_file(DEMO, "trials/01/slices.csv")[1] == "text/plain"
    assert b"trial.json" in stored_file(DEMO, "trials/01")[0].splitlines()


@pytest.mark.parametrize(
    "path",
    [
        "../demo-1/report.html",
        "../../etc/passwd",
        "/etc/passwd",
        "outside.csv",
        "a\x00b.csv",
        "other.html",
        "p.csv",
        "no.csv",
    ],
)
def test_nothing_beside_a_runs_own_files_is_read(kept: Path, tmp_path: Path, path: str) -> None:
    run = tmp_path / "demo-0"
    shutil.copytree(kept / "demo-0", run)
    (tmp_path / "secret.csv").write_text("secret")
    (run / "outside.csv").symlink_to(tmp_path / "secret.csv")
    (run / "other.html").write_text("<script>")
    os.mkfifo(run / "p.csv")
    with pytest.raises(shelf.StoreError):
        stored_file(run, path)


@pytest.mark.parametrize("name", ["..", "%2e%2e", "nothing", "..%2f..%2fetc"])
def test_a_run_is_named_only_as_the_folder_lists_it(kept: Path, name: str) -> None:
    for page in ("live", "now"):
        assert client(kept).get(f"/{TOKEN}/{name}/{page}").status_code in (403, 404)
    assert client(kept).get(f"/{TOKEN}/beside?run=demo-0&run={name}").status_code == 404


def test_two_runs_stand_beside_each_other_and_say_that_they_are_not_paired(tmp_path: Path) -> None:
    for name, rate in (("first", 8000.0), ("second", 9000.0)):
        write_run(tmp_path / name, Planted(rates={"tomcat-metro": rate, "go": 10_000.0}, forks=2, pairs=3))
    page = client(tmp_path).get(f"/{TOKEN}/beside?run=first&run=second")
    assert page.status_code == 200
    assert "Runs side by side" in page.text and "not paired" in page.text.lower()


@pytest.mark.parametrize("asked", ["", "run=demo-0", "run=demo-0&run=demo-0", "&".join(f"run={n}" for n in range(9))])
def test_what_cannot_stand_side_by_side_is_said(kept: Path, asked: str) -> None:
    answer = client(kept).get(f"/{TOKEN}/beside?{asked}")
    assert answer.status_code == 400 and "Choose from 2 to 8 runs" in answer.text


def test_a_question_is_followed_over_time_and_revisions_with_intervals_and_without_a_verdict(kept: Path) -> None:
    page = client(kept).get(f"/{TOKEN}/trends").text
    assert "Not paired." in page
    for told_of in ("0.62 (0.59 to 0.65)", "0.81 (0.78 to 0.84)", "0abcdef012", "2026-02-10 10:00"):
        assert told_of in page, told_of
    assert page.count("<circle") == 3 and page.count('class="interval"') == 3


def test_another_load_is_another_question(kept: Path) -> None:
    first, second, third = Shelf(kept).runs()
    assert first.schedule is not None
    cells = [cell.model_copy(update={"users": cell.users + 1}) for cell in first.schedule.cells]
    other = replace(first, schedule=first.schedule.model_copy(update={"cells": cells}))
    assert [len(answers) for answers in trends.questions([first, second, third]).values()] == [3]
    assert [len(answers) for answers in trends.questions([other, second, third]).values()] == [2]
    assert trends.questions([other, second]) == {}


def test_the_chart_has_time_to_the_right_better_above_and_hollow_marks_where_there_is_no_interval() -> None:
    day = datetime(2026, 1, 1, tzinfo=UTC)
    answers = [
        trends.RunAnswer(Listed(f"r{n}", Path()), day + timedelta(days=n), 0.5 + n / 4, bounds, 4, "slower")
        for n, bounds in enumerate([(0.4, 0.6), None, (0.9, 1.1)])
    ]
    chart = trends.chart_of(answers)
    assert [mark.x for mark in chart.marks] == sorted(mark.x for mark in chart.marks)
    assert [mark.y for mark in chart.marks] == sorted((mark.y for mark in chart.marks), reverse=True)
    assert chart.marks[1].low_y is None
    assert "1" in [text for _, text in chart.scale]


@pytest.mark.parametrize("ratios", [(0.01, 90.0), (0.62, 4.95), (0.98, 1.02), (0.999, 1.001), (2.0, 3.0)])
def test_the_texts_of_the_scale_never_touch_and_1_is_among_them(ratios: tuple[float, float]) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    scale = trends.chart_of(
        [trends.RunAnswer(Listed("r", Path()), moment, ratio, None, 1, "") for ratio in ratios]
    ).scale
    places = [y for y, _ in scale]
    assert "1" in [text for _, text in scale]
    assert all(after - before >= 28 for before, after in pairwise(places))


def test_answers_of_one_moment_can_be_drawn() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    answer = trends.RunAnswer(Listed("r", Path()), moment, 1.0, None, 1, "too few forks")
    assert trends.chart_of([answer, answer]).marks[0].x > 0


def test_a_run_that_lasts_stands_first_and_its_page_has_a_stop_button(running: Path) -> None:
    assert f"/{TOKEN}/now/live" in client(running).get(f"/{TOKEN}/").text
    page = client(running).get(f"/{TOKEN}/now/live").text
    assert f'action="/{TOKEN}/now/stop"' in page and "<script" in page


def test_a_run_that_has_ended_leads_to_its_report_and_cannot_be_stopped(kept: Path) -> None:
    answer = client(kept).get(f"/{TOKEN}/demo-0/live")
    assert (answer.status_code, answer.headers["location"]) == (303, stored("demo-0", "report.html"))
    assert client(kept).post(f"/{TOKEN}/demo-0/stop").status_code == 409


def test_a_run_is_told_of_whenever_it_changes_until_it_has_ended(tmp_path: Path) -> None:
    progress = Progress(Console(file=open(os.devnull, "w")))  # noqa: PTH123, SIM115

    async def heard() -> list[str]:
        events = []
        with LiveFile(tmp_path, progress, []) as file:
            streaming = live_events(tmp_path, 0.01)
            events.append(await anext(streaming))
            progress.live.stage = "measuring"
            file()
            events.append(await anext(streaming))
        return [*events, *[event async for event in streaming]]

    first, second, *last = asyncio.run(heard())
    assert json.loads(first.removeprefix("data: "))["stage"] == ""
    assert json.loads(second.removeprefix("data: "))["stage"] == "measuring"
    assert last == ["event: ended\ndata: {}\n\n"]


def test_the_stream_of_a_run_that_has_ended_says_so(kept: Path) -> None:
    answer = client(kept).get(f"/{TOKEN}/demo-0/now")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text == "event: ended\ndata: {}\n\n"


def test_no_run_is_begun_from_a_page_that_may_not(kept: Path) -> None:
    asked = client(kept)
    assert "Start a run" not in asked.get(f"/{TOKEN}/").text
    answer = asked.post(f"/{TOKEN}/start", content="study=demo")
    assert answer.status_code == 403 and "--allow-run" in answer.text


@pytest.mark.parametrize(
    "said", ["study=nosuch", "study=--help", "study=demo&budget=--open", "study=demo&budget=9", ""]
)
def test_nothing_but_a_study_and_a_time_is_taken_where_runs_may_be_begun(
    kept: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr("steelyard.report.serve.starting.subprocess.Popen", lambda *_, **__: pytest.fail("begun"))
    with Starter(kept) as starter:
        asked = client(kept, starter)
        assert "Start a run" in asked.get(f"/{TOKEN}/").text
        assert asked.post(f"/{TOKEN}/start", content=said).status_code == 422


def test_a_run_is_begun_as_a_command_and_what_it_said_last_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_LOCK", str(tmp_path))  # a folder is no lock: the run ends with a sentence
    with Starter(tmp_path / "runs") as starter:
        starter.start("demo", "90s")
        assert starter._process is not None
        starter._process.wait()
        assert starter.last_run_text().startswith(
            f"steelyard run demo --out {tmp_path / 'runs'} --budget 90s: ended with exit code"
        )
        assert "the machine's lock" in starter.last_run_text()
    assert running_now(tmp_path) is None


def test_a_second_interrupt_does_not_leave_a_run_that_was_begun_to_end_after_the_server(tmp_path: Path) -> None:
    # It interrupts its starter when it is asked to end, and then takes its time.
    slow = (
        "import os, signal, time\n"
        "def end(*_):\n    os.kill(os.getppid(), signal.SIGINT); time.sleep(1); os._exit(7)\n"
        "signal.signal(signal.SIGTERM, end); print(flush=True)\nwhile True: time.sleep(1)\n"
    )
    starter = Starter(tmp_path)
    starter._process = subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE)
    assert starter._process.stdout is not None
    with starter._process.stdout as said, pytest.raises(KeyboardInterrupt), starter:
        said.readline()
    assert starter._process.returncode == 7


def test_a_folder_that_is_not_there_and_a_port_that_is_anothers_are_said(tmp_path: Path) -> None:
    import socket

    with pytest.raises(ConfigurationError, match="there is no folder"):
        serve(tmp_path / "nothing", 0, allow_run=False, ready=lambda _: None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(ConfigurationError, match="is not available"):
            serve(tmp_path, other.getsockname()[1], allow_run=False, ready=lambda _: None)


def test_words_that_are_wanted_narrow_the_list() -> None:
    run = Listed("wstest-1", Path(), study="wstest", words=("faster", "partial"), begun=None)
    assert WantedRuns(word="partial").fits(run) and not WantedRuns(word="slower").fits(run)
    assert not WantedRuns(since="2026-01-01").fits(run) and not WantedRuns(until="2026-01-01").fits(run)
