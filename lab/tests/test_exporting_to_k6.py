"""k6 runs the exported script, sends the expected requests, and measures the same response times as we do."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from paged_list import SERVICE, pages, written
from session_shop import service_folder, session_shop
from steelyard.judging.judged import judged_file
from steelyard.judging.parts import Selection
from steelyard.models.job import Think
from steelyard.workload.mocking.stand_in import StandIn
from stood_in import imported, serving
from test_mocking_grpc import mocked
from test_mocking_grpc import serving as grpc_mock

K6 = "go.k6.io/k6@v1.8.1"
THRESHOLDS_MISSED = 99  # k6's exit code
SECONDS = 3_600  # to compile k6 on a machine that is ten times slower
pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def k6(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The k6 on the path, else what Go makes of its module."""
    there = shutil.which("k6")
    if there is not None:
        return there
    if shutil.which("go") is None:
        pytest.skip("neither k6 nor Go is installed")
    folder = tmp_path_factory.mktemp("k6")
    made = subprocess.run(
        ["go", "install", K6], env={**os.environ, "GOBIN": str(folder)}, capture_output=True, text=True, timeout=SECONDS
    )
    if made.returncode != 0:
        pytest.skip(f"k6 cannot be had: {made.stderr[-300:]}")
    return str(folder / "k6")


def values_by(k6: str, folder: Path, script: str, metric: str, code: int = 0) -> list[float]:
    """The values that k6 records of a metric for a script, whose results go to k6.csv; it must end with the exit `code`."""
    ran = subprocess.run(
        [k6, "run", "--quiet", "--no-usage-report", "--out", "csv=k6.csv", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    with (folder / "k6.csv").open(newline="") as rows:
        return [float(row["metric_value"]) for row in csv.DictReader(rows) if row["metric_name"] == metric]


def requests_by(k6: str, folder: Path, script: str) -> float:
    """The number of requests that k6 counts for a script."""
    return sum(values_by(k6, folder, script, "http_reqs"))


@pytest.mark.parametrize(("fail", "code"), [(0.0, 0), (1.0, THRESHOLDS_MISSED)])
def test_k6_calls_grpc_as_often_as_the_mock_counts_and_checks_its_status(
    fail: float, code: int, k6: str, tmp_path: Path
) -> None:
    app = StandIn(mocked(tmp_path), Think(), fail, 1)
    with grpc_mock(app) as address:
        words = ("--target", f"http://{address}", "--users", "2", "--max-requests", "30", "--writes", "--p95", "60s")
        ran = steelyard("export", "./mine", *words, "--k6", folder=tmp_path)
        assert ran.code == 0, ran.err
        times = values_by(k6, tmp_path, "mine.k6.js", "grpc_req_duration", code)
    assert len(times) == (app.failed if fail else app.answered).total() == 30 and app.unknown == 0
    assert app.answered.total() == 30 * (fail == 0) and "Watch" not in app.answered


def test_k6_reads_a_list_page_by_page_to_its_end(k6: str, tmp_path: Path) -> None:
    with pages() as (port, counted):
        written(tmp_path, SERVICE, port)
        words = ("pages", "--users", "2", "--iterations", "5", "--for", "60s")
        ran = steelyard("export", *words, "--k6", folder=tmp_path)
        assert ran.code == 0, ran.err
        sent = requests_by(k6, tmp_path, "pages.k6.js")
    assert counted == {"/list": 10, "/page/2": 10, "/page/3": 10, "/news": 20}
    assert sent == counted.total()


def test_k6_and_we_count_what_the_stand_in_counted_and_see_one_median(k6: str, tmp_path: Path) -> None:
    known = imported("openapi/shop.yaml", tmp_path)
    file = tmp_path / "mine" / "service.toml"
    text = file.read_text()
    words = ("mine", "--users", "2", "--for", "6s", "--writes")
    with serving(known, delay_ms=100.0) as (address, app):
        file.write_text(
            text.partition("[auth]")[0].replace("http://127.0.0.1:8099", address)
            + "[operations"
            + text.partition("[operations")[2]
        )
        ran = steelyard("export", *words, "--k6", folder=tmp_path)
        assert ran.code == 0, ran.err
        sent = requests_by(k6, tmp_path, "mine.k6.js")
        assert sent == app.answered.total() > 0 and app.unknown == 0
        judged = judged_file(tmp_path / "k6.csv", Selection(skip_seconds=1.0))
        assert judged.failed == 0 and {each.operation for each in judged.operations} <= set(app.answered)
        before = app.answered.total()
        ran = steelyard("load", *words, "--json", folder=tmp_path)
        assert ran.code == 0, ran.err
        loaded = json.loads(ran.out)
        assert loaded["sent"] == app.answered.total() - before
    theirs, ours = judged.response_ms["p50"].value, loaded["response_ms"]["p50"]["value"]
    assert theirs is not None and min(theirs, ours) >= 100 and 0.7 < theirs / ours < 1.4


def test_k6_and_we_send_the_same_sessions_to_a_shop_that_finds_no_violation(k6: str, tmp_path: Path) -> None:
    words = ("shop", "--users", "4", "--max-requests", "40", "--for", "60s")
    with session_shop() as shop:
        service_folder(tmp_path, shop.address)
        ran = steelyard("export", *words, "--k6", folder=tmp_path)
        assert ran.code == 0, ran.err
        sent = requests_by(k6, tmp_path, "shop.k6.js")
    theirs = shop.counted
    assert theirs["violations"] == [] and theirs["completed"] == 40 and len(theirs["users"]) == 4  # type: ignore[arg-type]
    assert sent == requests_of(theirs)
    with session_shop(port=int(shop.address.rpartition(":")[2])) as own:
        outcome = steelyard(
            "load", *words, "--json", folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"}
        ).outcome
    assert own.counted["violations"] == [] and own.counted["completed"] == 40 + 1, "one is the verification's"
    assert outcome["sent"] == requests_of(own.counted)


def requests_of(counted: dict[str, object]) -> int:
    """The requests that the shop counted: a login, or one of the three steps of a session, or refused with its expired token."""
    return int(str(counted["logins"])) + int(str(counted["refused"])) + 3 * int(str(counted["completed"]))
