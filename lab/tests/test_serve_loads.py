"""`steelyard serve` over loads and searches for a limit: in the list, while they last, stopped from the page, and their figures."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from command import Ran, steelyard
from own_service import service
from starlette.testclient import TestClient
from steelyard.base.errors import StoreError
from steelyard.loading.limits import LimitWords, Search, searched
from steelyard.loading.stages import Driven, Promised, Stages
from steelyard.loading.words import LoadWords
from steelyard.models.live import RunningNow
from steelyard.models.outputs import Estimate, LimitOutput, LimitStage
from steelyard.serve.app import app_of
from steelyard.serve.shelf import Shelf
from steelyard.store.live_file import StopAsked, running_now
from steelyard.store.loads import LIMIT, LOAD

TOKEN = "the-token"
PORT = 8421
EVIL = '<img src=x onerror="alert(1)">'


def client(folder: Path) -> TestClient:
    return TestClient(app_of(Shelf(folder), TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


class Watcher(threading.Thread):
    """Someone at the page: waits until a load is driven, looks, and stops it there."""

    def __init__(self, runs: Path) -> None:
        super().__init__(daemon=True)
        self.runs = runs
        self.now: RunningNow | None = None
        self.pages: dict[str, str] = {}
        self.stopped = 0

    def run(self) -> None:
        asked, deadline = client(self.runs), time.monotonic() + 300
        while time.monotonic() < deadline:
            time.sleep(0.1)
            with suppress(StoreError):
                for folder in self.runs.glob("load-*"):
                    self.now = running_now(folder)
            if self.now is not None and self._is_loaded(self.now):
                break
        [place] = self.runs.glob("load-*")
        for page in ("", f"{place.name}/live"):
            self.pages[page and "live"] = asked.get(f"/{TOKEN}/{page}").text
        self.stopped = asked.post(f"/{TOKEN}/{place.name}/stop").status_code

    @staticmethod
    def _is_loaded(now: RunningNow) -> bool:
        """Whether a second of the load itself is told: that of the verification, on a slow machine, is of no planned time."""
        return now.share is not None and "answered" in now.stage and any(subject.seconds for subject in now.subjects)


def stopped_from_the_page(folder: Path) -> tuple[Ran, Watcher]:
    service(folder, "own", 0.001)
    watcher = Watcher(folder / "runs")
    watcher.start()
    words = ("load", "./own", "--users", "1", "--for", "10m", "--json", "--out", "runs")
    ran = steelyard(*words, folder=folder, environment={"STEELYARD_AWAKE": "no"})
    watcher.join(60)
    return ran, watcher


def test_a_load_is_seen_while_it_lasts_and_stopped_with_figures_of_what_it_has(tmp_path: Path) -> None:
    ran, watcher = stopped_from_the_page(tmp_path)
    assert watcher.stopped == 303 and watcher.now is not None
    assert watcher.now.share is not None and watcher.now.share < 0.9
    assert "running" in watcher.pages[""] and "figures of what it has" in watcher.pages["live"]
    assert ran.code == 1 and "the load was stopped: that was asked for" in ran.err, ran.err
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
        "load.json",
    ):
        assert told in page, told


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
    assert "keeps p95 &lt;= 200 ms up to 92.5 (90.1 to 95.0) requests/s" in listed
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
            raise StopAsked

    stages: Stages = StoppedStages()  # type: ignore[assignment]
    words = LimitWords(Promised(0.95, 0.2, None), "poisson", 180.0, LoadWords())
    outcome, beyond = searched(Search(stages, words, 0.0, clock=lambda: 0.0))
    assert outcome.estimate.value is None and "stopped" in str(outcome.estimate.why_not) and beyond == "not tried"
