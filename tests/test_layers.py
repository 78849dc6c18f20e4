"""Layers through the command line: a server that links the monitor, its records gathered, judged and shown."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from conftest import Lab, lab_in

USERS, EACH, PAIRS = 2, 30, 3
DELAY_MS = 5.0
STUDY = f"""
name = "in-layers"
title = "A test's own study of layers"
question = "Where does the time go?"
service = "layered"
subjects = [
  {{{{ label = "a", parts = [{{{{ server = "layered", factors = {{{{ mode = "{{mode}}" }}}} }}}}]{{headers}} }}}},
  {{{{ label = "b", parts = [{{{{ server = "layered" }}}}] }}}},
]
reference = "b"
operations = ["echo"]
primary = "echo"
forks = {{forks}}
pairs = {PAIRS}
slice_seconds = 0.5
warm_up_limit_seconds = 2
corpus_entries = 20
work = {{{{ each = {EACH}, most_seconds = 60 }}}}
observe = ["layers", "collector"]

[parameters.Agents]
default = {USERS}
sets = "users"
meaning = "users at a time"
"""


def run(lab: Lab, mode: str, headers: str = "", forks: int = 2) -> Any:
    path = lab.folder / "in-layers.toml"
    path.write_text(STUDY.format(mode=mode, headers=headers, forks=forks))
    ran = lab.run("run", str(path), "--json")
    assert "Traceback" not in ran.err
    assert ran.out, ran.err
    return ran.json()


@pytest.fixture(scope="module")
def plain(shared_lab: Lab) -> Any:
    """A run of one fork."""
    return run(shared_lab, "right", forks=1)


@pytest.fixture(scope="module")
def delayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A run in which one subject spends 5 ms more in its service layer."""
    for lab in lab_in(tmp_path_factory.mktemp("delayed")):
        yield run(lab, "right", ', headers = { "Steelyard-Layer-Delay" = "si 5000" }')


@pytest.mark.long
def test_a_delay_in_a_layer_moves_that_layer_and_no_other(delayed: Any) -> None:
    ms = {(one["subject"], one["layer"]): one["ms"] for one in delayed["layers"]}
    assert set(ms) == {(who, layer) for who in "ab" for layer in ("web", "service", "reads")}, delayed
    for who in "ab":
        shares = [one["percent"] for one in delayed["layers"] if one["subject"] == who]
        assert sum(shares) == pytest.approx(100, abs=0.1)
    assert ms["a", "service"] - ms["b", "service"] == pytest.approx(DELAY_MS, abs=1.0)
    assert abs(ms["a", "reads"] - ms["b", "reads"]) < 1.0


def test_every_answer_has_its_record(plain: Any) -> None:
    assert [one["subject"] for one in plain["recorded"]] == ["a", "b"]
    for one in plain["recorded"]:
        assert one["records"] == one["completed"] >= PAIRS * USERS * EACH, one  # more where pairs were made up for
        assert (one["lost"], one["violations"], one["unnested"], one["whole"]) == (0, 0, 0, True), one


@pytest.mark.long
def test_kinds_of_requests_stand_apart(delayed: Any) -> None:
    counts = {one["subject"]: one["requests"] for one in delayed["layers"]}
    kinds = {one["subject"]: one["requests"] for one in delayed["layers_by_kind"]}
    assert all(0 < kinds[who] < counts[who] for who in "ab")


def test_the_run_keeps_the_collectors_log_and_shows_the_flame(shared_lab: Lab, plain: Any) -> None:
    (folder,) = shared_lab.runs()
    assert str(folder).endswith(plain["run"])
    for label in "ab":
        log = folder / f"trials/01/{label}.server.gc.log"
        assert "Using" in log.read_text(), "the collector's log is where it was asked for"
    assert not (folder / "trials/01/records").exists()
    # On a slow machine compilers may take every pair: then no slice has layers that count.
    has_layers = bool(plain["layers"])
    assert ("Where the time goes inside the server" in (folder / "report.html").read_text()) == has_layers


def test_recorded_requests_are_printed_one_by_one(shared_lab: Lab, plain: Any) -> None:
    (folder,) = shared_lab.runs()
    printed = shared_lab.run("layers", str(folder), "--where", "filter_size=long")
    rows = list(csv.DictReader(StringIO(printed.out)))
    assert {row["filter_size"] for row in rows} == {"long"}
    assert all(float(row["filter_t"]) >= float(row["si_t"]) >= float(row["reads_t"]) for row in rows)
    text = shared_lab.run("layers", str(folder), "--text").out
    assert text.startswith("thread[")
    assert text.count("\n\n") == sum(one["records"] for one in plain["recorded"])
    kept = shared_lab.run("keep", str(folder), "kept")
    assert kept.code == 0, kept.err
    again = shared_lab.run("report", "kept", "--json").json()
    assert again["layers"] == plain["layers"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "said"), [("changes-thread", "changed thread or did not close a layer"), ("forgets", "recorded for")]
)
def test_records_that_cannot_be_believed_leave_no_verdict(lab: Lab, mode: str, said: str) -> None:
    found = run(lab, mode)
    assert not found["valid"]
    assert any(said in why for why in found["why_not"]), json.dumps(found["why_not"])
