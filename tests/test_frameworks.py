"""The study of frameworks: what the database counts agrees with the engine, a planted cost is called where it is, and a run has all
figures that its page shows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in, trial_records
from steelyard.results.layer_table import read_layers

# The statistics of PostgreSQL: a backend hands on what it counted after ten idle seconds.
COUNTERS = """
name = "{name}"
title = "The database's own counters"
question = "Do they agree with the engine's?"
service = "shop-api"
reference = "shop"
operations = ["{operation}"]
primary = "{operation}"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 1
corpus_entries = 200

[[subjects]]
label = "shop"
parts = [{{ server = "go", factors = {{ items = "1000" }} }}]

[[reconciliations]]
name = "counters"
command = [
  "sh", "-c", "sleep 12; sh $1/query.sh {{host}} {{port.database}} {{cache.database}} \\"$2\\" > \\"$3\\"; echo read",
  "sh", "{{server.database}}", "{sql}", "{file}",
]
expect = "read"
"""
SQL = (
    "SELECT xact_commit, xact_rollback, (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'item_pkey'), "
    "(SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'orders'), "
    "(SELECT count(*) FROM orders WHERE id > 1000000) FROM pg_stat_database WHERE datname = 'steelyard'"
)
PLANTED = """
name = "{name}"
title = "A planted cost of one operation"
question = "Is it called for that operation alone?"
service = "shop-api"
reference = "plain"
operations = ["items", "echo"]
primary = "items"
forks = 5
pairs = 4
slice_seconds = 1
warm_up_limit_seconds = 5
corpus_entries = 200
margin = 0.08

[[loads]]
name = "equal-rate"
title = "an equal open rate"
rates = {{ items = 400, echo = 400 }}
judged = true
judged_by = "cpu_per_request"

[[subjects]]
label = "plain"
parts = [{{ server = "go", factors = {{ items = "1000" }} }}]

[[subjects]]
label = "planted"
parts = [{{ server = "go", factors = {{ items = "1000" }} }}]
operation_headers = {{ items = {{ Steelyard-Busy-Us = "{us}" }} }}
"""

LAYERED = """
name = "layered"
title = "The time of requests by layer"
question = "Has every request a record?"
service = "shop-api"
reference = "spring-boot"
operations = ["item", "placeOrder"]
primary = "item"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 1
corpus_entries = 100
observe = ["layers"]
"""
WATCHED = ("spring-boot", "quarkus", "micronaut", "helidon", "tomcat-jersey")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from lab_in(tmp_path_factory.mktemp("frameworks"))


def counters_of(lab: Lab, operation: str) -> tuple[int, int, int, int, int, int]:
    """After a load of one operation: the engine's count of answers, then commits, rollbacks, look-ups of items, inserted and kept
    orders, as PostgreSQL counts them."""
    file = lab.folder / f"{operation}.txt"
    study = lab.folder / f"counters-{operation.lower()}.toml"
    study.write_text(COUNTERS.format(name=study.stem, operation=operation, sql=SQL, file=file))
    ran = lab.run("run", study.name)
    (run,) = lab.folder.glob(f"runs/{study.stem}*")
    (record,) = trial_records(run)
    assert record["status"] == "complete", ran.err
    (counted,) = record["counted"]
    commits, rollbacks, looked_up, inserted, kept = map(int, file.read_text().split())
    return counted["by_engine"], commits, rollbacks, looked_up, inserted, kept


# Beside the load: the state, the contract's exchanges, the pool's connections and the checks after the trial.
BESIDE = 1500


def test_the_database_committed_and_read_as_often_as_the_engine_counted_answers(lab: Lab) -> None:
    answers, commits, _, looked_up, _, _ = counters_of(lab, "item")
    assert answers > 2 * BESIDE
    assert 0 <= commits - answers <= BESIDE
    assert 0 <= looked_up - answers <= BESIDE


@pytest.mark.long  # in short: tests/test_shop_api.py finds every order in the database
def test_the_database_inserted_as_many_orders_as_the_engine_counted_answers(lab: Lab) -> None:
    """An order that is refused for its stock was inserted and rolled back: PostgreSQL counts both."""
    answers, _, rollbacks, _, inserted, kept = counters_of(lab, "placeOrder")
    from_the_beginning = 100
    assert 0 <= inserted - from_the_beginning - answers <= 100
    assert inserted - from_the_beginning == kept + rollbacks
    assert rollbacks < 0.2 * answers


def test_a_run_has_every_figure_of_the_page(lab: Lab) -> None:
    subjects = "go@items=1000,go@items=1000@pool=4"
    words = ["--operation", "item", "--forks", "2", "--slice-seconds", "0.3", "--warm-up", "0.6", "--json"]
    ran = lab.run("run", "frameworks", "--only", subjects, *words)
    (run,) = lab.folder.glob("runs/frameworks*")
    assert all(record["status"] == "complete" for record in trial_records(run)), ran.err
    figures = {
        (figure["subject"], figure["cell"], figure["measure"]): figure
        for figure in json.loads((run / "verdicts.json").read_text())["figures"]
    }
    label = "go@items=1000"
    for measure in ("time_to_first_answer", "memory_at_rest", "artifact_size", "memory", "cpu_per_request"):
        figure = figures[label, "item equal-rate", measure]
        assert figure["value"] > 0 and figure["interval"] is not None, measure
    for measure in ("throughput", "requests_per_core", "requests_per_gib"):
        assert figures[label, "item saturated", measure]["value"] > 0
    with (run / "results.csv").open(newline="") as table:
        whole = {
            row["fork"]: float(row["value"])
            for row in csv.DictReader(table)
            if (row["subject"], row["cell"], row["measure"]) == (label, "item saturated", "throughput")
        }
    half = figures[label, "item half-rate", "throughput"]
    assert half["forks"] == 1 and half["value"] == pytest.approx(whole["1"] / 2, rel=0.3), "the first fork's throughput"
    page = (run / "report.html").read_text()
    assert '<section id="ranking">' in page and "Throughput and resident memory" in page
    subject = trial_records(run)[0]["subjects"][0]
    assert 0 < subject["first_answer_seconds"] < 30
    assert subject["artifact_bytes"] > 2**20 and all(seconds > 0 for seconds in subject["build_seconds"])


@pytest.mark.alone
@pytest.mark.long  # in short: lab/tests/test_analyse.py, on stored figures
def test_a_planted_fifth_is_called_for_its_operation_alone(lab: Lab) -> None:
    first = lab.folder / "first.toml"
    first.write_text(PLANTED.format(name="first", us="0"))
    lab.run_undisturbed("run", first.name, "--forks", "1", "--only", "plain,planted")
    run = sorted(lab.folder.glob("runs/first*"))[-1]
    cost = _figure(run, "plain", "items equal-rate", "cpu_per_request")
    planted = lab.folder / "planted.toml"
    planted.write_text(PLANTED.format(name="planted", us=f"{0.2 * cost:.1f}"))
    ran = lab.run_undisturbed("run", planted.name, "--json")
    words = {
        (each["a"], each["cell"]): (each["verdict"], each["ratio"])
        for each in ran.json()["comparisons"]
        if each["primary"]
    }
    word, ratio = words["planted", "items equal-rate"]
    assert word == "slower" and ratio == pytest.approx(1.2, abs=0.08)
    assert words["planted", "echo equal-rate"][0] not in ("slower", "faster")


@pytest.mark.long
def test_the_agent_records_every_request_of_servers_with_and_without_servlets(lab: Lab) -> None:
    factors = '{ items = "1000", monitor = "agent" }'
    subjects = "".join(
        f'[[subjects]]\nlabel = "{server}"\nparts = [{{ server = "{server}", factors = {factors} }}]\n'
        for server in WATCHED
    )
    (lab.folder / "layered.toml").write_text(LAYERED + subjects)
    ran = lab.run("run", "layered.toml")
    (run,) = lab.folder.glob("runs/layered*")
    verdicts = json.loads((run / "verdicts.json").read_text())
    assert {count["subject"] for count in verdicts["recorded"]} == set(WATCHED), ran.err
    for count in verdicts["recorded"]:
        assert count["records"] == count["completed"] > 0, count
        assert count["lost"] == count["more"] == count["violations"] == 0 and count["whole"], count
    tags: dict[str, set[str]] = {server: set() for server in WATCHED}
    for table in run.glob("trials/*/layers.csv"):  # five servers are more than one trial holds
        for timed in read_layers(table, False).values():
            tags[timed.subject].update(timed.requests.tags)
    for server in WATCHED:
        assert {"ws", "reads", "writes"} <= tags[server], server
        assert ("filter" in tags[server]) == (server in ("spring-boot", "tomcat-jersey"))
        assert ("hibernate" in tags[server]) == (server not in ("micronaut", "helidon"))


def _figure(run: Path, subject: str, cell: str, measure: str) -> float:
    figures = json.loads((run / "verdicts.json").read_text())["figures"]
    (value,) = [
        figure["value"]
        for figure in figures
        if (figure["subject"], figure["cell"], figure["measure"]) == (subject, cell, measure)
    ]
    return float(value)
