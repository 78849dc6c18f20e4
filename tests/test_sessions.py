"""Sessions and fixed work through the command line: every visitor's values are its own, and the work is what was asked."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from conftest import Lab

USERS, EACH = 4, 5
STUDY = f"""
name = "visitors"
title = "A test's own study with sessions"
question = "Who keeps visitors apart?"
service = "visits"
subjects = [
  {{{{ label = "a", parts = [{{{{ server = "visits", factors = {{{{ mode = "{{mode}}" }}}} }}}}] }}}},
  {{{{ label = "b", parts = [{{{{ server = "visits" }}}}] }}}},
]
reference = "b"
operations = ["visit"]
primary = "visit"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 0.5
corpus_entries = 20
work = {{{{ each = {EACH}, most_seconds = 60 }}}}

[parameters.Agents]
default = {USERS}
sets = "users"
meaning = "visitors at a time"

[sessions.visit]
new_visitor = true

[[sessions.visit.steps]]
operation = "search"
captures.basket = {{{{ kind = "header", name = "Basket" }}}}
captures.offer = {{{{ kind = "path", path = "Envelope/Body/searchResponse/offer" }}}}

[[sessions.visit.steps]]
operation = "reserve"
"""


WORK = f"work = {{ each = {EACH}, most_seconds = 60 }}\n"


def run(lab: Lab, mode: str, work: str = WORK) -> tuple[str, Path]:
    path = lab.folder / "visitors.toml"
    path.write_text(STUDY.format(mode=mode).replace(WORK, work))
    ran = lab.run("run", str(path))
    assert "Traceback" not in ran.err
    (folder,) = lab.runs()
    return ran.out + ran.err, folder


def test_fixed_work_of_sessions_is_done_exactly_and_no_visitor_gets_anothers_values(lab: Lab) -> None:
    told, folder = run(lab, "right")
    record = json.loads((folder / "trials/01/trial.json").read_text())
    assert record["status"] == "complete", told
    with (folder / "trials/01/slices.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    measured = [row for row in rows if row["phase"] == "measure"]
    assert len(measured) == 6
    for row in measured:
        counts = [int(row[column]) for column in ("sessions", "sessions_failed", "completed", "sent")]
        assert counts == [USERS * EACH, 0, 2 * USERS * EACH, 2 * USERS * EACH], row
        assert int(row["thinks"]) == USERS * EACH, "each visitor pauses after a search, as the corpus says"
    assert all(int(row["status"]) == int(row["outside_status"]) == 0 for row in rows), "no visitor is refused"
    assert all(one["by_service"] == one["by_engine"] > 0 for one in record["counted"]), record["counted"]
    assert record["samples_checked"] > 0 and not record["wrong_samples"]
    schedule = json.loads((folder / "schedule.json").read_text())
    assert [(cell["name"], cell["kind"]) for cell in schedule["cells"]] == [("visit", "fixed-work")]
    assert (folder / "report.html").is_file(), told


def test_an_answer_without_the_value_that_a_session_needs_is_named_as_that(lab: Lab) -> None:
    told, folder = run(lab, "forgetful")
    record = json.loads((folder / "trials/01/trial.json").read_text())
    assert record["status"] == "failed" and record["failure"]["subject"] == "a", told
    assert "capture" in record["failure"]["message"], record["failure"]


def test_the_report_says_how_long_sessions_took_and_which_ended_early_by_what(lab: Lab) -> None:
    told, folder = run(lab, "absent-minded")
    with (folder / "trials/01/slices.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["phase"] == "measure" and row["subject"] == "a"]
    early, whole = (sum(int(row[column]) for row in rows) for column in ("sessions_failed", "sessions"))
    assert early > 0 and early + whole == 3 * USERS * EACH, told
    page = (folder / "report.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="sessions">') :].partition("</section>")[0]
    share = f"{early / (early + whole):.1%}"
    assert f"{early} of {early + whole} sessions of a ended early ({share}): in search, an answer without" in section
    assert f"All {3 * USERS * EACH} sessions of b were completed." in section
    assert "Time of a visit by part" in section and "<svg" in section
    verdicts = json.loads((folder / "verdicts.json").read_text())
    means = {one["subject"]: one["value"] for one in verdicts["figures"] if one["measure"] == "session_time_mean"}
    pauses = sum(int(row["think_ns_sum"]) for row in rows) / max(1, sum(int(row["thinks"]) for row in rows)) / 1e6
    assert set(means) == {"a", "b"} and min(means.values()) > pauses > 0, "a whole session holds its pause"
    kept = lab.run("keep", str(folder), "kept")
    assert kept.code == 0, kept.err


def test_sessions_under_steady_load_have_the_machine_in_one_stretch(lab: Lab) -> None:
    """A slice that takes turns would cut sessions; the engine refuses it."""
    told, folder = run(lab, "right", work="")
    record = json.loads((folder / "trials/01/trial.json").read_text())
    assert record["status"] == "complete", told
    with (folder / "trials/01/slices.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["phase"] == "measure"]
    assert rows and all(int(row["sessions"]) > 0 and not row["cpu_own_ns"] for row in rows)
