"""`steelyard serve` with loads, limits, comparisons of running targets and calibrations: active, and stopped."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from own_service import service, serving
from played import played
from starlette.testclient import TestClient
from steelyard.analyse.ratios import LEAST_PAIRS
from steelyard.base.errors import StoreError, UnknownNameError
from steelyard.calibration import calibrating
from steelyard.measure.load.limits import LimitWords, Search, run_search
from steelyard.measure.load.stages import Driven, LimitGoal, Stages
from steelyard.models.calibration import Calibration, Planted, Smallest
from steelyard.models.live import RunningNow
from steelyard.models.outputs.loading import Estimate, LimitOutput, LimitStage
from steelyard.models.records import Check
from steelyard.report.serve.app import app_of
from steelyard.report.serve.shelf import Shelf
from steelyard.results.live_file import StopRequested, running_now
from steelyard.results.loads import CALIBRATION, COMPARISON, LIMIT, LOAD
from steelyard.workload.load_spec import LoadSpec

TOKEN = "the-token"
PORT = 8421
EVIL = '<img src=x onerror="alert(1)">'


def client(folder: Path) -> TestClient:
    return TestClient(app_of(Shelf(folder), TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


def is_loaded(now: RunningNow) -> bool:
    """Whether a second of the load itself is told: that of the verification, on a slow machine, is of no planned time."""
    return now.share is not None and "answered" in now.stage and any(subject.seconds for subject in now.subjects)


def has_pairs(now: RunningNow) -> bool:
    """Whether four pairs of slices are whole."""
    pair = re.search(r"pair (\d+) of", now.stage)
    return pair is not None and int(pair[1]) > LEAST_PAIRS


def has_forks(now: RunningNow) -> bool:
    """Whether two forks have said something."""
    return any(each.intervals[-1].forks >= 2 for each in now.comparisons)


class Watcher(threading.Thread):
    """Someone at the page: waits until what begins with `kind` is far enough, looks, and stops it there."""

    def __init__(self, runs: Path, kind: str = "load", far: Callable[[RunningNow], bool] = is_loaded) -> None:
        super().__init__(daemon=True)
        self.runs = runs
        self.pattern = f"{kind}-*"
        self.far = far
        self.now: RunningNow | None = None
        self.pages: dict[str, str] = {}
        self.stopped = 0

    def run(self) -> None:
        asked, deadline = client(self.runs), time.monotonic() + 300
        while time.monotonic() < deadline:
            time.sleep(0.1)
            with suppress(StoreError):
                for folder in self.runs.glob(self.pattern):
                    self.now = running_now(folder)
            if self.now is not None and self.far(self.now):
                break
        [place] = self.runs.glob(self.pattern)
        for page in ("", f"{place.name}/live"):
            self.pages[page and "live"] = asked.get(f"/{TOKEN}/{page}").text
        self.stopped = asked.post(f"/{TOKEN}/{place.name}/stop").status_code


def stopped_from_the_page(folder: Path) -> tuple[Ran, Watcher]:
    service(folder, "own", 0.001)
    watcher = Watcher(folder / "runs")
    watcher.start()
    words = ("load", "./own", "--users", "1", "--for", "10m", "--json", "--out", "runs")
    ran = steelyard(*words, folder=folder)
    watcher.join(60)
    return ran, watcher


def test_a_load_is_seen_while_it_lasts_and_stopped_with_figures_of_what_it_has(tmp_path: Path) -> None:
    ran, watcher = stopped_from_the_page(tmp_path)
    assert watcher.stopped == 303 and watcher.now is not None
    assert watcher.now.share is not None and watcher.now.share < 0.9
    assert "running" in watcher.pages[""] and "make figures from the results so far" in watcher.pages["live"]
    assert ran.code == 130 and "the load was stopped: that was asked for" in ran.err, ran.err
    outcome = json.loads(ran.out)
    assert outcome["completed"] > 0 and outcome["valid"], outcome["why_not"]
    [place] = (tmp_path / "runs").iterdir()
    assert not (place / "live.json").exists() and json.loads((place / LOAD).read_text()) == outcome
    [run] = Shelf(tmp_path / "runs").runs()
    assert (run.running, run.words) == (False, ("load", "stopped")) and run.begun is not None
    ended = client(tmp_path / "runs").get(f"/{TOKEN}/{place.name}/live")
    page = client(tmp_path / "runs").get(ended.headers["location"]).text
    for told in (
        "it was stopped: that was asked for",
        f"{outcome['completed']:,} in",
        "response time, p99, ms",
        "Requests by outcome",
    ):
        assert told in page, told


def compared_until(folder: Path, far: Callable[[RunningNow], bool], *words: str) -> tuple[Ran, Watcher, dict[str, Any]]:
    """A comparison of two targets that is stopped from the page, and what it printed."""
    watcher = Watcher(folder / "runs", "compare", far)
    watcher.start()
    load = ("--users", "1", "--slice-seconds", "0.3", "--warm-up", "0.3", "--budget", "30m", "--json", "--out", "runs")
    ran = steelyard("compare", *words, *load, folder=folder)
    watcher.join(60)
    assert watcher.stopped == 303 and watcher.now is not None
    assert ran.code == 130 and "the comparison was stopped: that was asked for" in ran.err, ran.err
    [place] = (folder / "runs").iterdir()
    outcome: dict[str, Any] = json.loads((place / COMPARISON).read_text())
    assert json.loads(ran.out) == outcome and not (place / "live.json").exists()
    return ran, watcher, outcome


def test_a_comparison_of_running_targets_is_seen_and_stopped_with_its_whole_pairs(tmp_path: Path) -> None:
    with serving(0.005) as first, serving(0.1) as second:  # a difference that no busy machine hides
        _, watcher, outcome = compared_until(tmp_path, has_pairs, first, second, "--pairs", "2000")
    assert watcher.now is not None and {subject.label for subject in watcher.now.subjects} == {
        url.removeprefix("http://").strip("/").replace(":", "-") for url in (first, second)
    }
    assert all(subject.seconds > LEAST_PAIRS for subject in watcher.now.subjects)
    assert "running" in watcher.pages[""] and "make figures from the results so far" in watcher.pages["live"]
    assert outcome["pairs"] >= LEAST_PAIRS and outcome["ratio"]["low"] > 1 and outcome["word"] is None
    assert all(side["sent"] > side["completed"] > 0 for side in outcome["subjects"])  # warm-up, and what was cut, too
    [run] = Shelf(tmp_path / "runs").runs()
    assert run.words[:2] == ("comparison", "stopped") and not run.running and run.begun is not None
    page = (tmp_path / "runs" / run.name / "report.html").read_text()
    for told in ("it was stopped: that was asked for", f"throughput, {first} over {second}", "Pair by pair"):
        assert told in page, told


@pytest.mark.long
def test_a_calibration_is_seen_as_it_narrows_and_stopped_with_the_forks_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_floor(service: str) -> str:
        raise UnknownNameError(f"{service} has no floor server")

    monkeypatch.setattr(calibrating, "floor_of", no_floor)  # that of the house would have to be built
    run = played(tmp_path, monkeypatch)
    watcher = Watcher(tmp_path / "runs", "calibrate", has_forks)
    watcher.start()
    words = ("--server", "plain", "--budget", "2h", "--pairs", "3", "--slice-seconds", "1", "--out", "runs", "--json")
    ran = run("calibrate", *words)
    watcher.join(60)
    assert watcher.stopped == 303 and watcher.now is not None, ran.err
    assert {each.a for each in watcher.now.comparisons} == {"again", "again-2", "again-5", "again-20"}
    assert "running" in watcher.pages[""] and "make figures from the results so far" in watcher.pages["live"]
    assert ran.code == 130, ran.err
    calibration = json.loads(ran.out)
    assert calibration["stopped"] and calibration["forks"] >= 2
    [place] = (tmp_path / "runs").iterdir()
    assert json.loads((place / CALIBRATION).read_text()) == calibration and not (place / "live.json").exists()
    [listed] = Shelf(tmp_path / "runs").runs()
    assert listed.words == ("calibration", "stopped") and listed.machine and listed.revision
    ended = client(tmp_path / "runs").get(f"/{TOKEN}/{place.name}/live")
    page = client(tmp_path / "runs").get(ended.headers["location"]).text
    for told in ("slowed down by 20%", "wstest has no floor server", "15 minutes", CALIBRATION):
        assert told in page, told


def test_a_calibration_has_a_page_and_a_run_of_its_schedule_is_none_of_a_study(tmp_path: Path) -> None:
    place = tmp_path / "calibrate-go-2026-03-04-101112"
    place.mkdir()
    calibration = Calibration(
        made="2026-03-04T10:15:12+00:00", machine="m", service="wstest", server="go", operation="echoStruct", users=8, forks=5,
        seconds=240.0, stopped=True, server_ratio=1.01, server_interval=(0.98, 1.04), fork_deviation=0.02, fork_seconds=40.0,
        smallest=[Smallest(minutes=5, forks=0, difference=None), Smallest(minutes=15, forks=12, difference=0.04)],
        planted=[Planted(level=0.2, ratio=0.83, interval=(0.8, 0.86), called=True)], alarms=None, headroom=None,
        headroom_why_not=EVIL, checks=[Check(name="swap", found="9 MiB", good=False, advice="free memory")], folder=place.name,
    )  # fmt: skip
    (place / CALIBRATION).write_text(calibration.model_dump_json())
    (place / "forks.csv").write_text("fork\n")
    (place / "schedule.json").write_text("{}")
    machine = {"processor": "Abacus", "processors": 2}
    (place / "environment.json").write_text(
        json.dumps({"sittings": [{"machine": machine, "git": {"revision": "f" * 40}}]})
    )
    [run] = Shelf(tmp_path).runs()
    assert run.problem is None and run.words == ("calibration", "stopped")
    assert (run.machine, run.revision) == ("Abacus, 2 processors", "f" * 10)
    assert run.sentence == "go on echoStruct, 8 users: against itself +1.0% (-2.0% to +4.0%)"
    page = client(tmp_path).get(f"/{TOKEN}/{place.name}/figures").text
    for told in (
        "slowed down by 20%",
        "-20.0% to -14.0%",
        "none: the first look does not fit",
        "swap: 9 MiB; free memory",
    ):
        assert told in page, told
    assert "<img" not in page and "not measured: &lt;img" in page


def limit(**said: Any) -> LimitOutput:
    stage = LimitStage(
        load="90 requests/s", rate=90.0, users=None, seconds=8.0, requests=720, answered_per_s=89.7, at_percentile_ms=31.0,
        slow=0.0125, failed=0.0, failures={}, kept=True,
    )  # fmt: skip
    told: dict[str, Any] = {
        "service": "shop", "target": "http://127.0.0.1:8080", "promise": ["p95 <= 200 ms"], "arrivals": "poisson",
        "unit": "requests/s", "limit": Estimate(value=92.5, low=90.1, high=95.0), "how": "stages near the limit",
        "capacity_per_s": 99.0, "beyond": "not tried", "stages": [stage], "seconds": 170.0, "not_loaded": [], "valid": True,
        "why_not": [], "notes": [], "not_judged": ["its memory"], "run": "runs/x",
    }  # fmt: skip
    return LimitOutput(**(told | said))


def test_a_limit_stands_in_the_list_and_has_a_page_with_its_stages(tmp_path: Path) -> None:
    place = tmp_path / "load-shop-2026-03-04-101112"
    place.mkdir()
    (place / LIMIT).write_text(limit(beyond=EVIL).model_dump_json())
    [run] = Shelf(tmp_path).runs()
    assert run.words == ("limit",) and run.begun is not None
    assert run.begun == datetime(2026, 3, 4, 10, 11, 12).astimezone()  # as the folder's name has it: in local time
    listed = client(tmp_path).get(f"/{TOKEN}/?text=shop").text
    assert "meets p95 &lt;= 200 ms up to 92.5 (90.1 to 95.0) requests/s" in listed
    page = client(tmp_path).get(f"/{TOKEN}/{place.name}/figures").text
    for told in ("90 requests/s", "1.25", "90.1 to 95.0", "not judged: its memory", LIMIT):
        assert told in page, told
    assert "<img" not in page and "&lt;img" in page
    assert client(tmp_path).get(f"/{TOKEN}/trends").status_code == 200


def test_a_load_whose_figures_cannot_be_read_is_listed_as_that(tmp_path: Path) -> None:
    (tmp_path / "load-shop-2026-03-04-101112").mkdir()
    (tmp_path / "load-shop-2026-03-04-101112" / LOAD).write_text('{"service": 3}')
    [run] = Shelf(tmp_path).runs()
    assert run.problem is not None and run.words == ("unreadable",)
    assert client(tmp_path).get(f"/{TOKEN}/{run.name}/figures").status_code == 404


def test_a_search_that_is_stopped_says_so_and_keeps_its_stages() -> None:
    class StoppedStages:
        driven: list[Driven] = []

        def users(self, *_: object) -> Driven:
            raise StopRequested

    stages: Stages = StoppedStages()  # type: ignore[assignment]
    words = LimitWords(LimitGoal(0.95, 0.2, None), "poisson", 180.0, LoadSpec())
    outcome, beyond = run_search(Search(stages, words, 0.0, clock=lambda: 0.0))
    assert outcome.estimate.value is None and "stopped" in str(outcome.estimate.why_not) and beyond == "not tried"


def stored_load(folder: Path, day: int, throughput: float) -> None:
    """A load of the shop's on a day, as load.json tells it."""
    made = folder / f"load-shop-2026-01-{day:02}-120000"
    made.mkdir(parents=True)
    estimate = {"value": throughput, "low": throughput * 0.99, "high": throughput * 1.01}
    figures = {
        "service": "shop", "target": "http://127.0.0.1:8080", "load": "8 users for 10 s", "seconds": 10, "completed": 1000,
        "failed": 0, "failures": {}, "outside": 1, "outside_by": {"verification": 1}, "sent": 1001, "unfinished": 0,
        "throughput_per_s": estimate, "response_ms": {}, "not_loaded": [], "kept_answers": 1, "kept_rules": [], "goals": [],
        "operations": [{"operation": "search", "completed": 1000, "failed": 0, "failures": {}, "mean_ms": 1}],
        "goals_kept": None, "valid": True, "why_not": [], "stopped": None, "notes": [], "not_judged": [], "run": str(made),
    }  # fmt: skip
    (made / LOAD).write_text(json.dumps(figures))


def test_the_history_of_a_load_marks_the_change_and_one_without_a_change_has_no_mark(tmp_path: Path) -> None:
    noise = (0.0, 0.3, -0.2, 0.4, -0.4, 0.1, -0.1, 0.2)
    for day, more in enumerate(noise, 1):
        stored_load(tmp_path / "changed", day, 100 + more if day <= 5 else 85 + more)
        stored_load(tmp_path / "steady", day, 100 + more)
    pages = {name: client(tmp_path / name).get(f"/{TOKEN}/trends").text for name in ("changed", "steady")}
    for page in pages.values():
        assert "load of shop: throughput, requests/s; 8 users for 10 s, search" in page
        assert page.count("<circle") == len(noise)
    assert pages["changed"].count(">change</text>") == 1 and "begins here" in pages["changed"]
    assert re.search(
        r"load-shop-2026-01-06-120000</a></th><td class=.number.>[^<]*</td><td>begins here", pages["changed"]
    )
    assert ">change</text>" not in pages["steady"] and "begins here" not in pages["steady"]
