"""Three use cases by payload and users: grid rows agree with the corpus and each other, and bad documents are refused."""

from __future__ import annotations

import csv
import json
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import HOUSE, MARK, Lab, still_running
from rich.console import Console
from steelyard.base.errors import FetchError, ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.measure.conformance import examination
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract, exchanges, refusals
from steelyard.workload.importing import adding

PROGRESS = Progress(Console(quiet=True))
STUDY = """
name = "orders"
title = "A test's own grid"
question = "Does it do what it says?"
service = "soakit"
reference = "a"
operations = ["tv-dinner"]
primary = "tv-dinner"
forks = 2
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 0.5
corpus_entries = 5
turn_ms = 0
{subjects}
[[grid]]
users = [1]
payload = {{ Sublines = [2, 20] }}
"""
SUBJECT = """
[[subjects]]
label = "{label}"
headers = {{ {headers} }}
parts = [{{ server = "go" }}]
"""


def grid_of(lab: Lab, busy_micros: float = 0) -> list[dict[str, object]]:
    """The rows of a run of one server twice; the second takes so many microseconds more for each request."""
    headers = {"a": "", "b": f'"Steelyard-Busy-Us" = "{busy_micros:.1f}"' if busy_micros else ""}
    path = lab.folder / "orders.toml"
    path.write_text(
        STUDY.format(subjects="".join(SUBJECT.format(label=name, headers=own) for name, own in headers.items()))
    )
    ran = lab.run("run", str(path), "--json")
    assert ran.out, ran.err
    return list(ran.json()["grid"])


@pytest.fixture(scope="module")
def plain(shared_lab: Lab) -> list[dict[str, object]]:
    return grid_of(shared_lab)


@pytest.mark.alone
def test_a_row_a_cell_and_subject_says_what_was_asked_and_how_it_ended(plain: list[dict[str, object]]) -> None:
    assert [(row["use_case"], row["payload"], row["users"], row["subject"], row["ended"]) for row in plain] == [
        ("tv-dinner", {"Sublines": size}, 1, label, "complete") for size in (2, 20) for label in ("a", "b")
    ]
    for row in plain:
        assert 0 < row["cpu_mean"] <= row["cpu_max"]
        assert 0 < row["engine_cpu_mean"] <= row["engine_cpu_max"]
        assert (
            row["engine_bytes_per_s"] > row["tps"] * row["bytes"] / 2
        )  # a request that a slice cuts counts on both sides
        assert 0 < row["server_bandwidth"] < row["engine_bandwidth"]


@pytest.mark.alone
def test_every_index_is_recomputed_from_the_throughputs(plain: list[dict[str, object]]) -> None:
    reference = {json.dumps(row["payload"]): row["tps"] for row in plain if row["subject"] == "a"}
    for row in plain:
        assert row["index"] == pytest.approx(row["tps"] / reference[json.dumps(row["payload"])], rel=1e-4)


@pytest.mark.alone
def test_bytes_rise_with_sublines_and_are_those_of_the_corpus(shared_lab: Lab, plain: list[dict[str, object]]) -> None:
    sizes: dict[str, list[int]] = {}
    with (shared_lab.runs()[0] / "corpus" / "corpus.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes.setdefault(row["operation"], []).append(int(row["length"]))
    means = {name: sum(lengths) / len(lengths) for name, lengths in sizes.items()}
    for row in plain:
        assert row["bytes"] == pytest.approx(means[f"tv-dinner@Sublines={row['payload']['Sublines']}"], rel=1e-4)
    assert plain[0]["bytes"] < plain[-1]["bytes"]


@pytest.mark.alone
@pytest.mark.long  # in short: the index is recomputed from the throughputs above
def test_a_subject_that_takes_a_fifth_longer_reads_083(shared_lab: Lab, plain: list[dict[str, object]]) -> None:
    """One user asks, so a request that takes 20% longer leaves 1 / 1.2 of the throughput; the interval says how sure that is."""
    tps = next(row["tps"] for row in plain if row["subject"] == "a" and row["payload"] == {"Sublines": 20})
    rows = grid_of(shared_lab, busy_micros=0.2 * 1e6 / tps)
    slowed = next(row for row in rows if row["subject"] == "b" and row["payload"] == {"Sublines": 20})
    low, high = slowed["interval"] or (slowed["index"], slowed["index"])
    assert min(low, slowed["index"]) - 0.03 <= 1 / 1.2 <= max(high, slowed["index"]) + 0.03
    assert slowed["index"] < 1


@contextmanager
def running(folder: Path, server: str, factors: dict[str, str]) -> Iterator[RunningSubject]:
    """A server with the kit; when it has ended, nothing of it runs."""
    part = PartSpec(server=server, factors=factors)
    ready = subject.provide_subject(SubjectSpec(label="soakit", parts=[part]), entries.service("soakit"), PROGRESS)
    with launch.running_subject(ready, folder, cpus.share(), random.Random(), PROGRESS) as started:
        yield started
    assert still_running(folder) == []


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningSubject]:
    """Tomcat with Metro, by trees of its own."""
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    monkeypatch.setenv(MARK, str(tmp_path))
    with running(tmp_path, "tomcat-metro", {"technique": "soapelement", "stax": "aalto"}) as subject_:
        yield subject_


def large_orders_are_answered(on: RunningSubject) -> None:
    """Orders of 350 sublines a line, more than five megabytes as strings, carried both ways."""
    for carriage, least in (("string", 5_000_000), ("xml", 3_500_000)):
        service = entries.service("soakit")
        service = replace(service, model=service.model.as_set({"carriage": carriage}))
        (order,) = exchanges.generate_exchanges(service, "tv-dinner", seed=1, count=1, parameters={"Sublines": 350})
        assert len(order.request) > least
        with contract.Questioner(service, on.url, on.access) as questioner:
            questioner.ask(order, next(iter(questioner.meaning.spellings(order))))


def documents_are_answered_and_refused(on: RunningSubject, server: str) -> None:
    """Every exchange as it stands and every bad request, but for what the server's descriptor says of it."""
    service = subject.service_as_run(entries.service("soakit"), [on.subject])
    known = entries.server(server).model.deviations
    assert contract.verify(service, on.url, seed=1, all_spellings=False, deviations=known) > 50
    assert refusals.refuse(service, on.url).keys() <= known.keys()


# One that takes services at a path of its own does not take the kit's use cases at theirs; a licensed one is the user's.
RUNNING = [
    name
    for name, server in ((name, entries.server(name).model) for name in entries.server_files())
    if (entries.service("soakit").folder / (server.implementation or "none")).is_dir()
    and server.path is None
    and server.licence is None
]


@pytest.mark.long
@pytest.mark.parametrize("server", RUNNING)
def test_orders_of_five_megabytes_are_answered_on_every_server_that_runs_the_kit(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    with running(tmp_path, server, {}) as on:
        large_orders_are_answered(on)


@pytest.mark.long
def test_a_schema_of_a_users_own_becomes_a_service_whose_documents_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own schema stands for the user's; the answer must hold the very values of the request."""
    monkeypatch.setenv(MARK, str(tmp_path))
    (tmp_path / "house").mkdir()
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path / "house"))
    kit = entries.service("soakit").folder
    argv = ["sh", str(kit / "own-schema" / "make.sh"), str(kit / "contract" / "order" / "purchase-order.xsd")]
    subprocess.run([*argv, "ProcessPurchaseOrder", str(tmp_path / "made")], check=True, timeout=1200)
    assert "needed: nothing beyond the schema" in (tmp_path / "made" / "compiler.txt").read_text()
    war, wsdl = tmp_path / "made" / "own-schema.war", tmp_path / "made" / "own-schema.wsdl"
    added = adding.add(adding.Wanted(war, str(wsdl), name=None, path=None, also=[str(kit / "contract")]))
    sample = Path(added.folder) / "contract" / "exchanges" / "bind" / "sample.request.xml"
    sample.with_name("sample.answer.xml").write_bytes(sample.read_bytes())
    row = examination.check("tomcat-metro", "own-schema", PROGRESS, quick=True)
    assert (row.contract, row.reason) == (True, None)
    assert still_running(tmp_path) == []


def keeps_the_contract(on: RunningSubject, *, all_spellings: bool) -> None:
    """Everything is answered, also what is generated as a message of rpc, and bad documents are refused."""
    service = subject.service_as_run(entries.service("soakit"), [on.subject])
    known = on.subject.front.server.model.deviations
    for style in ("wrapped", "rpc"):
        asked = replace(service, model=service.model.as_set({"style": style}))
        assert contract.verify(asked, on.url, seed=1, all_spellings=all_spellings, deviations=known) > 50
    assert refusals.refuse(service, on.url).keys() <= known.keys()


@pytest.mark.parametrize("library", ["moxy", "xmlbeans"])
def test_a_binding_library_that_is_brought_along_answers_every_document_and_refuses_bad_ones(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    with running(tmp_path, "tomcat-metro", {"technique": "binding", "binding": library}) as on:
        keeps_the_contract(on, all_spellings=False)


@pytest.mark.long
@pytest.mark.parametrize("library", ["moxy", "xmlbeans"])
@pytest.mark.parametrize("server", ["tomcat-metro", "wildfly"])
def test_a_binding_library_that_is_brought_along_reads_every_spelling_whatever_the_server_binds_by(
    server: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    with running(tmp_path, server, {"technique": "binding", "binding": library}) as on:
        keeps_the_contract(on, all_spellings=True)


def test_every_document_is_answered_and_bad_ones_are_refused_by_the_stacks_own_tree(started: RunningSubject) -> None:
    documents_are_answered_and_refused(started, "tomcat-metro")
    large_orders_are_answered(started)


@pytest.mark.parametrize("server", ["php-fpm", "python-spyne", "gsoap"])
def test_every_document_is_answered_and_bad_ones_are_refused_by_platforms_from_elsewhere(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    try:
        with running(tmp_path, server, {}) as on:
            documents_are_answered_and_refused(on, server)
    except (FetchError, ToolchainError) as error:
        pytest.skip(f"{server} cannot be had here: {error.message}")
