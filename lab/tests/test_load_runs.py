"""A load and a search for a limit write a common run folder: report, keep, export and serve read it."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from command import Ran, steelyard
from starlette.testclient import TestClient
from steelyard import open_run
from steelyard.base.errors import StoreError
from steelyard.commands.schemas import texts
from steelyard.models.records import Schedule, TrialRecord
from steelyard.report import write_report
from steelyard.report.serve.app import app_of
from steelyard.report.serve.shelf import Shelf
from steelyard.results.loads import LIMIT, LOAD
from steelyard.results.stored_run import read_run

TOKEN, PORT = "the-token", 8421
WORDS = ("--json", "--out", "runs")
VERDICT_WORDS = ("faster", "slower", "equivalent", "undecided", "no verdict", "too few forks")


class Counting(ThreadingHTTPServer):
    """A server with a log of its own: every request's status, in order. One answer in ten is an error."""

    daemon_threads = True

    def __init__(self) -> None:
        self.log: list[int] = []
        self._lock = threading.Lock()
        server = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                status = server.logged()
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: object) -> None:
                return

        super().__init__(("127.0.0.1", 0), Answer)

    def handle_error(self, *_: object) -> None:
        """A client that goes away is none."""

    def logged(self) -> int:
        """The status of the next answer, which is logged."""
        with self._lock:
            self.log.append(500 if len(self.log) % 10 == 9 else 200)
            return self.log[-1]


def run(folder: Path, *words: str) -> Ran:
    return steelyard(*words, folder=folder)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, Any], list[int]]]:
    """A load's folder, what it printed, and what the server logged."""
    folder = tmp_path_factory.mktemp("load")
    server = Counting()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = ("--users", "2", "--for", "3s", "--warm-up", "0.2s", "--errors", "20%", "--p50", "2s")
    ran = run(folder, "load", f"http://127.0.0.1:{server.server_port}/", *words, *WORDS)
    server.shutdown()
    server.server_close()
    assert ran.code == 0, ran.err
    printed = json.loads(ran.out)
    yield folder / printed["run"], printed, server.log


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table behind a heading."""
    table = page.partition(heading)[2].partition("<table")[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)] for row in rows
    ]


def test_a_load_s_page_shows_what_the_server_s_own_log_says(loaded: tuple[Path, dict[str, Any], list[int]]) -> None:
    folder, printed, log = loaded
    page = (folder / "report.html").read_text()
    accounts = {
        row[0]: [int(cell.replace(",", "")) for cell in row[1:]] for row in rows_of(page, "Requests by outcome")[1:]
    }
    sent, right, wrong, failed, unanswered = accounts["all requests sent, verification included"]
    assert sent == len(log) - printed["reconnects"] and right == log.count(200)
    assert (wrong + failed, unanswered) == (log.count(500), 0)
    statuses = {row[1]: int(row[2].replace(",", "")) for row in rows_of(page, "Answers by HTTP status")[1:]}
    assert statuses == {"200": log.count(200), "500": log.count(500)} and sum(statuses.values()) == sent
    assert printed["statuses"] == statuses
    assert sum(accounts["due in the measured time"][1:]) == accounts["due in the measured time"][0] <= sent


def test_its_page_has_figures_over_time_and_by_operation_and_no_word_of_a_verdict(
    loaded: tuple[Path, dict[str, Any], list[int]],
) -> None:
    folder, printed, _ = loaded
    page = (folder / "report.html").read_text()
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings[:3] == ["The figures", "Over time", "By operation"] and {
        "Failures",
        "The machine during the load",
    } <= {*headings}
    assert "The figures hold only for this process and this hour." in page
    first = page.partition('<section id="verdict"')[2].partition("</section>")[0]
    assert "requests/s" in first and 'aria-label="Response time, ms: ' in first and first.count("<dt>") == 3
    for title in ("Throughput, requests/s", "Response time, ms", "Wrong and failed, requests/s"):
        assert title in page, title
    (operation,) = rows_of(page, "<h2>By operation")[1:]
    assert operation[:3] == ["request", f"{printed['completed']:,}", f"{printed['failed']:,}"]
    assert [row[::2] for row in rows_of(page, "<h3>Goals")[1:]] == [["p50 <= 2000 ms", "yes"], ["failed <= 0.2", "yes"]]
    text = re.sub(r"<(style|script|svg).*?</\1>|<.*?>", " ", page, flags=re.DOTALL).lower()
    assert [word for word in VERDICT_WORDS if word in text] == []


def test_its_page_has_the_times_of_events_where_answers_hold_some_and_only_there(
    loaded: tuple[Path, dict[str, Any], list[int]], tmp_path: Path
) -> None:
    folder, printed, _ = loaded
    assert printed["streams"] == [] and "Events in answers" not in (folder / "report.html").read_text()
    copied = Path(shutil.copytree(folder, tmp_path / folder.name))
    times = {"mean": 21.0, "p50": 20.0, "p95": 31.5, "p99": None}
    stream = {"operation": "request", "answers": 40, "events": 180, "first_event_ms": times}
    stream["between_events_ms"] = {"mean": 5.5, "p50": 5.0, "p95": 7.25, "p99": 9.0}
    (copied / LOAD).write_text(json.dumps({**printed, "streams": [stream]}))
    page = write_report(copied).read_text()
    assert rows_of(page, "<h2>Events in answers") == [
        ["operation", "time", "events per answer", "number", "mean, ms", "p50, ms", "p95, ms", "p99, ms"],
        ["request", "to the first event", "4.50", "40", "21.0", "20.0", "31.5", "-"],
        ["request", "from an event to the next", "4.50", "140", "5.50", "5.00", "7.25", "9.00"],
    ]
    assert page.index('id="loaded-streams"') < page.index('id="by-operation"')


def test_report_makes_the_same_page_again_and_its_files_are_those_of_every_run(
    loaded: tuple[Path, dict[str, Any], list[int]],
) -> None:
    folder, printed, _ = loaded
    before = {name: (folder / name).read_bytes() for name in ("report.html", "results.csv", "verdicts.json")}
    ran = run(folder.parent, "report", folder.name, "--json")
    assert ran.code == 0, ran.err
    assert {name: (folder / name).read_bytes() for name in before} == before
    stored = read_run(folder)
    assert stored.schedule.design == "as-it-runs" and [trial.status for trial in stored.trials] == ["complete"]
    assert stored.trials[0].record_or_empty.subjects[0].ran_already and stored.trials[0].machine[0]
    throughput = next(row for row in (folder / "results.csv").read_text().splitlines() if ",throughput," in row)
    assert float(throughput.split(",")[7]) == pytest.approx(printed["throughput_per_s"]["value"])
    assert json.loads((folder / LOAD).read_text()) == printed


def test_keep_makes_it_small_and_the_small_one_says_the_same(
    loaded: tuple[Path, dict[str, Any], list[int]], tmp_path: Path
) -> None:
    folder, _, _ = loaded
    ran = run(folder.parent, "keep", folder.name, str(tmp_path / "kept"))
    assert ran.code == 0, ran.err
    kept, whole = read_run(tmp_path / "kept"), read_run(folder)
    assert {*kept.trials[0].slices.values()} == {*whole.trials[0].slices.values()}
    assert run(tmp_path, "report", "kept").code == 0


def test_open_run_and_export_read_its_tables(loaded: tuple[Path, dict[str, Any], list[int]], tmp_path: Path) -> None:
    folder, printed, _ = loaded
    opened = open_run(folder)
    assert {"slices", "ticks", "seconds", "outcomes", "operations", "load", "trials"} <= {*opened.tables}
    assert opened.table("slices").rows()[0].completed == printed["completed"]
    ran = run(tmp_path, "export", str(folder), "--csv", "tables", "--table", "slices")
    assert ran.code == 0 and (tmp_path / "tables" / "slices.csv").is_file(), ran.err


def test_serve_lists_it_and_leads_to_its_page(loaded: tuple[Path, dict[str, Any], list[int]]) -> None:
    folder, printed, _ = loaded
    (listed,) = Shelf(folder.parent).runs()
    assert (listed.words, listed.study, listed.begun is not None) == (("load",), "load", True)
    assert listed.schedule is not None and listed.sentence.startswith(printed["target"])
    client = TestClient(app_of(Shelf(folder.parent), TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}")
    page = client.get(f"/{TOKEN}/").text
    address = re.search(r'href="(/stored/[^"]*report.html)"', page)
    assert address is not None and "Requests by outcome" in client.get(address[1]).text


def test_a_load_of_before_has_a_clear_sentence_and_is_served_still(
    loaded: tuple[Path, dict[str, Any], list[int]], tmp_path: Path
) -> None:
    folder, _, _ = loaded
    old = tmp_path / "load-shop-2026-01-31-120000"
    old.mkdir()
    for name in (LOAD, "environment.json"):
        shutil.copy(folder / name, old / name)
    with pytest.raises(StoreError, match="before loads had a schedule"):
        read_run(old)
    ran = run(tmp_path, "report", old.name)
    assert ran.code != 0 and "steelyard serve" in ran.err
    (listed,) = Shelf(tmp_path).runs()
    assert listed.schedule is None and listed.outcome is not None and listed.words == ("load",)
    client = TestClient(app_of(Shelf(tmp_path), TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}")
    assert "requests/s" in client.get(f"/{TOKEN}/{old.name}/figures").text


@pytest.mark.long
def test_a_search_for_a_limit_is_a_run_with_a_trial_for_each_stage(tmp_path: Path) -> None:
    server = Counting()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    words = ("--errors", "50%", "--arrivals", "users", "--within", "60s")
    ran = run(tmp_path, "find-limit", address, *words, *WORDS)
    server.shutdown()
    server.server_close()
    printed = json.loads(ran.out)
    folder = tmp_path / printed["run"]
    stored = read_run(folder)
    assert json.loads((folder / LIMIT).read_text()) == printed
    assert len(stored.trials) == len(stored.schedule.cells) == len(printed["stages"]) > 2
    answered = [trial.slices[0].throughput_per_s for trial in stored.trials]
    assert answered == pytest.approx([stage["answered_per_s"] for stage in printed["stages"]], rel=1e-3)
    page = (folder / "report.html").read_text()
    rows = rows_of(page, "<h2>The stages of the search")
    assert [row[1] for row in rows_of(page, "<figcaption>A circle")[1:]] or rows
    assert f"meets {' and '.join(printed['promise'])}" in unescape(page) or "no limit for" in page


def test_the_contracts_know_the_records() -> None:
    assert {"schedule.schema.json", "trial.schema.json"} <= {*texts()}
    assert "as-it-runs" in json.dumps(Schedule.model_json_schema())
    assert "ran_already" in json.dumps(TrialRecord.model_json_schema())
