"""The pet store on a real server: orders are completed, variants behave as described, bad input is refused."""

from __future__ import annotations

import csv
import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in

# In `make test` the other variants are in test_petstore_pages.py and test_petstore_outbox.py, and all are in
# services/petstore/java-springws/src/test.
USERS = 4
STUDY = """
name = "shop"
title = "A test's own study of the pet store"
question = "What does a delayed commit cost?"
service = "petstore"
reference = "jms-modified"
operations = ["shop"]
primary = "shop"
judged_by = "order_response"
forks = 1
slice_seconds = 1
warm_up_limit_seconds = 1
corpus_entries = 40
"""
SUBJECT = """
[[subjects]]
label = "{variant}"
parts = [{{ server = "tomcat-springws", factors = {{ variant = "{variant}", commit_delay_ms = "{delay}" }} }}]
companions = [{{ server = "h2" }}, {{ server = "greenmail" }}]
"""
VARIANTS = ("jms-modified", "jms-original")
DELAY_MS = 800
STEPS = ("home", "category", "product", "item", "cart", "checkout", "signin", "order")
CAPTURE = 'captures.form = { kind = "regex", expression = \'name="form" value="([0-9a-f-]{36})"\' }'


def study(variants: Sequence[str] = VARIANTS) -> str:
    """Sessions without long pauses, one short block, the variants with the same planted delay of commits."""
    text = STUDY + "".join(SUBJECT.format(variant=variant, delay=DELAY_MS) for variant in variants)
    text += "\n[sessions.shop]\nnew_visitor = true\n"
    for step in STEPS:
        text += (
            f'\n[[sessions.shop.steps]]\noperation = "{step}"\nthink = {{ kind = "uniform", ms = 200, to_ms = 500 }}\n'
        )
        text += f"{CAPTURE}\n" if step in ("checkout", "signin") else ""
    for name, begin, end in (
        ("order_response", "order_received", "completed_mail_sent"),
        ("call_time", "supplier_call_begun", "supplier_call_ended"),
        ("latency", "supplier_call_begun", "supplier_begun"),
    ):
        text += f'\n[[spans]]\nname = "{name}"\nbegin = "{begin}"\nend = "{end}"\nmeaning = "{begin} to {end}"\n'
        text += (
            f'\n[[measures]]\nname = "{name}"\ntitle = "Mean {name}"\nunit = "ms"\nbetter = "lower"\nsource = "spans"\n'
        )
        text += f'formula = "span_ns_{name} / spans_{name} / 1000000"\n'
    text += (
        '\n[[measures]]\nname = "queue_length"\ntitle = "Mean length"\nunit = "messages"\nbetter = "lower"\n'
        'source = "gauges"\nformula = "gauge_sum_queue_longest / gauge_samples_queue_longest"\n'
    )
    return text + (
        '\n[[tests]]\nname = "few"\ntitle = "few clients"\nsource = "this test"\noperation = "shop"\n'
        f'profile = {{ kind = "steps", levels = [{USERS}], ramp_seconds = 2, hold_seconds = 6 }}\n'
    )


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    yield from lab_in(tmp_path_factory.mktemp("petstore"))


@pytest.fixture(scope="module")
def ran(lab: Lab) -> tuple[Any, Path]:
    """What a short run of the variants printed as JSON, and the folder of its one trial."""
    (lab.folder / "shop.toml").write_text(study())
    done = lab.run("run", "shop.toml", "--json")
    (folder,) = lab.folder.glob("runs/*/trials/01")
    record = json.loads((folder / "trial.json").read_text())
    assert record["status"] == "complete", done.err
    return done.json(), folder


def figure(printed: Any, variant: str, measure: str) -> float:
    (found,) = [one["value"] for one in printed["figures"] if (one["subject"], one["measure"]) == (variant, measure)]
    assert found is not None
    return float(found)


def noted(trial: Path, file: str, variant: str, name: str) -> list[dict[str, str]]:
    """What was noted of a variant while its clients were held, whether or not a busy machine let the engine's slice count."""
    with (trial / file).open(newline="") as rows:
        of_all = list(csv.DictReader(rows))
    return [row for row in of_all if (row["subject"], row["name"], row["held"]) == (variant, name, "1")]


def mean_ms(trial: Path, variant: str, span: str) -> float:
    ended = [row for row in noted(trial, "spans.csv", variant, span) if row["end_ns"]]
    return statistics.mean(int(row["end_ns"]) - int(row["begin_ns"]) for row in ended) / 1e6


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_order_that_was_taken_is_completed_with_three_mails(ran: tuple[Any, Path], variant: str) -> None:
    counts = ran[0]["counts"][variant]
    assert counts["orders.accepted"] == counts["orders.completed"] >= USERS
    assert counts["orders.mails"] == 3 * counts["orders.accepted"]
    assert counts["orders.lost"] == counts["orders.doubled"] == 0


def test_the_orders_of_the_run_are_those_of_its_subjects(ran: tuple[Any, Path]) -> None:
    orders = ran[0]["orders"]
    assert set(orders["by_subject"]) == set(VARIANTS)
    assert orders["accepted"] == orders["completed"] == sum(each["completed"] for each in orders["by_subject"].values())
    assert orders["mails"] == 3 * orders["accepted"] and orders["lost"] == orders["doubled"] == 0


def test_orders_are_placed_in_warm_up_already_so_that_their_code_is_warm(ran: tuple[Any, Path]) -> None:
    record = json.loads((ran[1] / "trial.json").read_text())
    measured = {one["number"] for one in record["slices"] if one["phase"] == "measure"}
    before = [one["counts"]["orders.accepted"] for one in record["settled"] if one["slice"] not in measured]
    assert max(before) > 0, "a slice is shorter than a session with its pauses, which comes to its order all the same"


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_lengths_of_queues_are_measured_beside(ran: tuple[Any, Path], variant: str) -> None:
    """Each order waits for a delayed commit in at least two queues, one after the other."""
    assert statistics.mean(float(row["value"]) for row in noted(ran[1], "gauges.csv", variant, "queue_longest")) > 0


def test_each_block_ended_only_when_its_orders_were_settled(ran: tuple[Any, Path]) -> None:
    record = json.loads((ran[1] / "trial.json").read_text())
    assert {one["slice"] for one in record["settled"]} == {one["number"] for one in record["slices"]}
    assert all(one["settled"] for one in record["settled"])
    assert {(one["subject"], one["name"]) for one in record["reconciled"]} == {
        ("jms-original", "completed"),
        ("jms-modified", "completed"),
        ("jms-original", "unfinished"),
        ("jms-original", "shipped-again"),
    }


def test_a_delayed_commit_shows_in_the_latency_of_the_original_messages_alone(ran: tuple[Any, Path]) -> None:
    latency = {variant: mean_ms(ran[1], variant, "latency") for variant in VARIANTS}
    assert latency["jms-original"] > DELAY_MS
    assert latency["jms-modified"] < latency["jms-original"] - DELAY_MS / 2, latency


@pytest.mark.long
def test_of_all_variants_a_delayed_commit_shows_in_the_latency_of_what_is_sent_with_it_alone(
    tmp_path: Path,
) -> None:
    variants = (*VARIANTS, "web-service", "outbox")
    for lab in lab_in(tmp_path):
        (lab.folder / "shop.toml").write_text(study(variants))
        printed = lab.run("run", "shop.toml", "--json").json()
        latency = {variant: figure(printed, variant, "latency") for variant in variants}
        assert min(latency.pop(variant) for variant in ("jms-original", "outbox")) > DELAY_MS
        assert max(latency.values()) < DELAY_MS, latency
        assert printed["orders"]["lost"] == printed["orders"]["doubled"] == 0


def test_no_order_is_completed_before_the_supplier_was_called(ran: tuple[Any, Path]) -> None:
    for variant in VARIANTS:
        assert mean_ms(ran[1], variant, "order_response") > mean_ms(ran[1], variant, "latency")


@pytest.mark.parametrize("variant", VARIANTS)
def test_times_between_events_are_figures_where_the_slices_count(ran: tuple[Any, Path], variant: str) -> None:
    if ran[0]["why_not"] and "engine not valid" in ran[0]["why_not"][0]:
        pytest.skip("a machine so busy that the engine kept no pauses: its slices do not count")
    for span in ("order_response", "call_time", "latency"):
        assert figure(ran[0], variant, span) == pytest.approx(
            mean_ms(ran[1], variant, span), rel=1e-5
        )  # it is printed with six digits


def test_the_report_shows_the_orders(ran: tuple[Any, Path]) -> None:
    page = (ran[1].parents[1] / "report.html").read_text()
    assert "Mean order_response" in page
