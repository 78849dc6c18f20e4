"""Faults before and after they strike: the schedule, refusals, exact intervals, counts against promises, and sentences."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb
from pathlib import Path
from typing import Any

import pytest
from answering import answering
from command import steelyard
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from steelyard.analyse.analysis import analyse_run
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.records import FaultRecord, Schedule, TrialRecord
from steelyard.models.service import Aftermath
from steelyard.models.study import PartSpec, Study, SubjectSpec
from steelyard.models.verdict import Verdicts
from steelyard.plan.designs import design_named
from steelyard.plan.designs.design import Ordering
from steelyard.plan.faults import draw_fault, occasions, outcome_limits
from steelyard.plan.kinds import KINDS
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.shapes import seconds_of
from steelyard.report.page import html_of
from steelyard.results.stored_run import Run, Trial
from steelyard.statistics.proportions import exact_interval

ROOT = Path(__file__).parents[2]
VARIANTS = ("jms-original", "jms-modified", "web-service", "ws-at", "outbox")
AFTERMATH = ROOT / "services" / "petstore" / "contract" / "aftermath.py"


@pytest.fixture(scope="module")
def study() -> Study:
    return entries.study("petstore").model


@pytest.fixture(scope="module")
def planned(study: Study) -> Schedule:
    return schedule_only(study, Request(tests="faults"))


def without(study: Study, **changes: Any) -> Study:
    """The study with other values, read as its file would be."""
    return Study.model_validate({**study.model_dump(exclude_unset=True), **changes})


def broken_first(study: Study, **changes: Any) -> Study:
    first, *others = study.faults
    return without(study, faults=[{**first.model_dump(), **changes}, *(fault.model_dump() for fault in others)])


def test_the_pet_store_meets_more_than_two_hundred_faults(planned: Schedule) -> None:
    (cell,) = planned.cells
    assert (cell.kind, cell.primary) == ("fault", False)
    met = Counter(
        subject for trial in planned.trials for subject in trial.start_order for _ in occasions(planned, cell)
    )
    assert {*met.values()} == {96} and met.total() == 576
    assert {fault.kind for fault in planned.faults} == {"kill", "freeze", "full-disk", "plant"}
    assert {fault.part for fault in planned.faults} == {"server", "database", "mail", "client"}
    assert {subject.rpartition("=")[2] for subject in planned.subjects} == {*VARIANTS}


def test_a_network_can_be_cut_where_there_is_one(study: Study) -> None:
    with pytest.raises(
        ConfigurationError, match="needs the part link, which wildfly@variant=jms-modified does not have"
    ) as lacking:
        schedule_only(study, Request(tests="network"))
    assert lacking.value.hint == "add it with --with linked"
    linked = schedule_only(study, Request(tests="network", set_of_factors="linked"))
    assert {(fault.kind, fault.part) for fault in linked.faults} == {("freeze", "link"), ("kill", "link")}


def test_a_server_refuses_only_where_it_is_known_how(study: Study) -> None:
    with pytest.raises(ConfigurationError, match="refuse requests, which greenmail does not support") as lacking:
        schedule_only(study, Request(tests="refusal"))
    assert lacking.value.hint == "add it with --with exim"
    assert schedule_only(study, Request(tests="refusal", set_of_factors="exim")).faults[0].kind == "refuse"


def test_a_dry_run_says_how_many_faults_there_are_and_how_long_their_blocks_are(tmp_path: Path) -> None:
    told = steelyard("run", "petstore", "--tests", "faults", "--dry-run", folder=tmp_path).out
    assert "1 test with 24 faults, each in a block of its own" in told
    assert "1920 s of tests a subject and trial" in told, "24 blocks of 80 s"


def test_each_subject_meets_every_occasion_once_and_before_the_next_comes(planned: Schedule) -> None:
    (cell,), trial = planned.cells, planned.trials[0]
    ordering = Ordering(planned, trial, [cell], trial.start_order, random.Random(1))
    ordered = KINDS["fault"].order(design_named(planned.design), ordering)
    numbers = [number for number, _, _ in ordered]
    subjects = len(trial.start_order)
    assert sorted(numbers) == sorted([*occasions(planned, cell)] * subjects)
    for begin in range(0, len(ordered), subjects):
        together = ordered[begin : begin + subjects]
        assert len({number for number, _, _ in together}) == 1
        assert {subject for _, _, subject in together} == {*trial.start_order}


def test_when_a_fault_strikes_and_for_how_long_is_the_seeds_alone_and_within_what_is_said(study: Study) -> None:
    first, again, other = (schedule_only(study, Request(tests="faults", seed=seed)) for seed in (7, 7, 8))
    (cell,) = first.cells

    def all_drawn(schedule: Schedule) -> list[Any]:
        return [
            draw_fault(schedule, trial, cell, number)
            for trial in schedule.trials
            for number in occasions(schedule, cell)
        ]

    assert all_drawn(first) == all_drawn(again) != all_drawn(other)
    for met in all_drawn(first):
        low, high = met.fault.within
        assert low <= met.at_seconds / seconds_of(cell.profile) <= high
        assert met.fault.seconds[0] <= met.seconds <= met.fault.seconds[1]
    forks = len(first.trials) // len(first.subjects)
    assert len({met.at_seconds for met in all_drawn(first)}) == forks * len(occasions(first, cell))


def test_shortened_times_shorten_the_faults_too(study: Study) -> None:
    scaled = schedule_only(study, Request(tests="faults", scale=0.1))
    whole = schedule_only(study, Request(tests="faults"))
    for short, long in zip(scaled.faults, whole.faults, strict=True):
        assert short.seconds == pytest.approx([0.1 * second for second in long.seconds])


def test_promises_are_those_of_the_variant_and_the_part(planned: Schedule) -> None:
    lost = {
        (promised.subject.rpartition("=")[2], promised.fault): promised.most
        for promised in planned.promises
        if promised.outcome == "lost"
    }
    assert lost["jms-original", "kill-server"] == lost["jms-original", "kill-database"] == 0
    assert lost["web-service", "kill-server"] > 0 and lost["web-service", "kill-mail"] == 0
    assert {most for (variant, _), most in lost.items() if variant in ("ws-at", "outbox")} == {0}
    assert lost["jms-original", "fault-after-call"] == lost["jms-original", "fault-at-commit"] == 0
    assert all(lost[variant, "kill-client"] == 0 for variant in VARIANTS)


def test_who_may_lose_by_design_says_so_with_the_number(study: Study) -> None:
    """On Tomcat no transaction spans database and broker, and H2's writes come late."""
    tomcats = [
        SubjectSpec(
            label=variant,
            parts=[PartSpec(server="tomcat-springws", factors={"variant": variant})],
            companions=[PartSpec(server="h2"), PartSpec(server="greenmail")],
        )
        for variant in ("jms-original", "outbox")
    ]
    promised = outcome_limits(study.faults, tomcats, entries.service("petstore"))
    lost = {(each.subject, each.fault): each.most for each in promised if each.outcome == "lost"}
    assert lost["jms-original", "kill-server"] > 0 and lost["jms-original", "kill-database"] > 0
    assert lost["jms-original", "fault-at-commit"] > 0
    assert lost["jms-original", "fault-after-call"] == lost["jms-original", "kill-mail"] == 0
    by_outbox = {fault for (variant, fault), most in lost.items() if variant == "outbox" and most}
    assert by_outbox == {fault.name for fault in study.faults if fault.part == "database"}, "H2's own"
    assert all(each.why for each in promised)


def test_a_fault_of_a_part_that_a_subject_does_not_have_is_refused(study: Study) -> None:
    with pytest.raises(
        ConfigurationError, match=r"fault kill-server needs the part broker, which wildfly.* does not have"
    ):
        schedule_only(broken_first(study, part="broker"), Request(tests="faults"))


def test_a_fault_that_the_service_does_not_know_to_plant_is_refused(study: Study) -> None:
    planted = {"kind": "plant", "plant": "after-cal"}
    with pytest.raises(
        ConfigurationError, match="plants 'after-cal', which petstore does not have; did you mean 'after-call'"
    ):
        schedule_only(broken_first(study, **planted), Request(tests="faults"))


def test_a_fault_of_a_service_that_counts_nothing_afterwards_is_refused() -> None:
    demo = entries.study("soaservers").model
    test = demo.tests[0].name
    fault = {"name": "k", "kind": "kill", "part": "server", "test": test, "seconds": [0, 1]}
    with pytest.raises(ConfigurationError, match="has no counts of its work"):
        schedule_only(without(demo, faults=[fault], usual_tests=[]), Request(tests=test))


def test_faults_and_measured_tests_are_not_asked_for_together(study: Study) -> None:
    with pytest.raises(ConfigurationError, match="test faults of petstore injects faults that affect the other tests"):
        schedule_only(study, Request(tests="clients-15,faults"))
    assert not schedule_only(study, Request()).faults
    of_all = schedule_only(without(study, usual_tests=[]), Request())
    assert not of_all.faults and len(of_all.cells) > 4


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"test": "clients-1"}, "belongs to the test 'clients-1', which the study does not have"),
        ({"test": "clients-40"}, "'clients-40' has faults"),
        ({"name": "kill-mail"}, "two faults have the same name"),
        ({"seconds": [5, 1]}, "`seconds` goes from 5 to 1"),
        ({"kind": "burn"}, "kind"),
        ({"kind": "plant"}, "`plant` is required for the kind plant"),
        ({"plant": "after-call"}, "`plant` is required for the kind plant"),
        ({"kind": "freeze", "part": "client"}, "the client can only be killed"),
    ],
)
def test_a_study_whose_faults_cannot_be_is_refused_with_the_reason(
    study: Study, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        broken_first(study, **changes)


def test_a_promise_about_no_outcome_is_refused() -> None:
    with pytest.raises(ValidationError, match="'lots', which is not an outcome: lost"):
        Aftermath.model_validate(
            {
                "command": ["x"],
                "work": "orders",
                "outcomes": [{"name": "lost", "title": "lost", "meaning": "gone"}],
                "promises": [{"outcome": "lots", "most": 0, "why": "none"}],
            }
        )


# Clopper and Pearson's own definition: at each end, what was seen or more (or less) has half of alpha's chance.
@settings(max_examples=15, deadline=None)
@given(data=st.data(), tries=st.integers(1, 60))
def test_the_exact_interval_is_where_tails_of_the_binomial_are_half_of_alpha(data: st.DataObject, tries: int) -> None:
    times = data.draw(st.integers(0, tries))
    low, high = exact_interval(times, tries)

    def tail(share: float, counts: Sequence[int]) -> float:
        return sum(comb(tries, count) * share**count * (1 - share) ** (tries - count) for count in counts)

    assert 0 <= low <= times / tries <= high <= 1
    assert low == 0 if times == 0 else tail(low, range(times, tries + 1)) == pytest.approx(0.025, rel=1e-6)
    assert high == 1 if times == tries else tail(high, range(times + 1)) == pytest.approx(0.025, rel=1e-6)


def test_nothing_tried_may_be_any_share_and_more_times_than_tries_is_refused() -> None:
    assert exact_interval(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="2 of 1"):
        exact_interval(2, 1)


def run_with(planned: Schedule, folder: Path, *faults: FaultRecord) -> Run:
    """A run of one trial that met these faults."""
    plan = planned.trials[0].model_copy(update={"start_order": planned.subjects})
    schedule = planned.model_copy(update={"trials": [plan]})
    record = TrialRecord(
        number=plan.number,
        seed=plan.seed,
        status="complete",
        begun="2026-01-05T10:00:00+00:00",
        ended="2026-01-05T10:10:00+00:00",
        seconds=600,
        server_cpus=[0],
        engine_cpus=[1],
        faults=list(faults),
    )
    trial = Trial(plan.number, folder, plan, record, {}, {}, {}, {}, (), {}, 1, 0.0)
    return Run(folder, schedule, {"title": "The pet store, broken"}, {}, [trial])


def record(planned: Schedule, subject: str, fault: str = "kill-server", **changes: Any) -> FaultRecord:
    assert planned.aftermath is not None
    none = dict.fromkeys([outcome.name for outcome in planned.aftermath.outcomes], 0)
    given_counts = changes.pop("counts", {})
    values: dict[str, Any] = {
        "slice": 1,
        "subject": subject,
        "fault": fault,
        "occasion": 0,
        "at_seconds": 10,
        "planned_seconds": 2,
        "away_seconds": 4,
        "back": True,
        "settled": True,
        "settle_seconds": 3,
        "counts": {"accepted": 40, **none, **given_counts},
    }
    return FaultRecord.model_validate(values | changes)


def rows_of(verdicts: Verdicts, subject: str, fault: str) -> Any:
    (row,) = [row for row in verdicts.faults if (row.subject, row.fault) == (subject, fault)]
    return row, {outcome.outcome: outcome for outcome in row.outcomes}


def test_counts_are_summed_and_held_against_what_was_promised(planned: Schedule, tmp_path: Path) -> None:
    original, web = (f"wildfly@variant={variant}" for variant in ("jms-original", "web-service"))
    met = [
        record(planned, original),
        record(planned, original, counts={"lost": 2, "mails_doubled": 3}),
        record(planned, web, counts={"lost": 2}, settled=False),
        record(planned, web, counts={}, back=False, message="it was not ready"),
    ]
    met[3] = met[3].model_copy(update={"counts": {}})
    verdicts = analyse_run(run_with(planned, tmp_path, *met)).verdicts
    row, outcomes = rows_of(verdicts, original, "kill-server")
    assert (row.times, row.planned, row.accepted, row.unsettled, row.not_back) == (2, 4, 80, 0, 0)
    lost = outcomes["lost"]
    assert (lost.total, lost.most, lost.hit, lost.promised, lost.broken) == (2, 2, 1, 0, 1)
    assert lost.share == pytest.approx(exact_interval(1, 2), rel=1e-5)
    assert outcomes["mails_doubled"].promised is None and outcomes["mails_doubled"].total == 3
    row, outcomes = rows_of(verdicts, web, "kill-server")
    assert (row.times, row.accepted, row.unsettled, row.not_back) == (2, 40, 1, 1)
    assert outcomes["lost"].broken == 0 and outcomes["lost"].share == pytest.approx(exact_interval(1, 1), rel=1e-5)
    assert verdicts.valid and not verdicts.comparisons and not verdicts.figures


def test_the_words_say_what_was_lost_and_which_promise_was_broken(planned: Schedule, tmp_path: Path) -> None:
    original, web, modified = (f"wildfly@variant={name}" for name in ("jms-original", "web-service", "jms-modified"))
    met = [
        record(planned, original, counts={"lost": 2}),
        record(planned, web, counts={"delayed": 5, "mails_doubled": 1}),
    ]
    sentence = analyse_run(run_with(planned, tmp_path, *met)).verdicts.sentence
    assert f"{original}, on this machine: 2 lost and none doubled, delayed" in sentence
    assert "It broke its goal of at most 0 orders lost after kill-server in 1 of 1 fault: 2 at worst." in sentence
    assert f"{web}, on this machine: 5 delayed, 1 mails doubled and none lost, doubled" in sentence
    assert sentence.count("It kept its goals.") == 1
    assert f"{modified} had no fault." in sentence


def test_a_run_that_met_no_fault_has_no_verdict_and_says_why(planned: Schedule, tmp_path: Path) -> None:
    verdicts = analyse_run(run_with(planned, tmp_path)).verdicts
    assert (verdicts.valid, verdicts.why_not) == (False, ["no fault was injected"])


def test_the_page_has_a_row_a_subject_and_fault_and_nothing_that_was_not_measured(
    planned: Schedule, tmp_path: Path
) -> None:
    met = [record(planned, planned.subjects[0], "freeze-mail", counts={"delayed": 7})]
    page = html_of(analyse_run(run_with(planned, tmp_path, *met)))
    assert "the mail server stands still" in page and "7 in 1 (2 to 100%)" in page.replace("\u00a0", " ")
    assert page.count("the server is killed, its broker with it") >= len(planned.subjects)
    assert 'id="instrument"' not in page and "judged by" not in page


@pytest.fixture
def mails() -> list[str]:
    """The lines of a mail server's list, which a test may fill."""
    return []


@pytest.fixture
def mail_port(mails: list[str]) -> Iterator[int]:
    with answering(lambda *_: (200, {}, "".join(mails).encode())) as address:
        yield int(address.rpartition(":")[2])


def counted_orders(
    folder: Path, mail_port: int, events: Sequence[tuple[str, str, int]], kept: Sequence[str], since: int
) -> Any:
    """What aftermath.py prints of a shop that left these events and rows; its queues are empty."""
    lines = [f"{name},{identifier},{instant}" for name, identifier, instant in events]
    (folder / "events.csv").write_text("\n".join(["name,id,time_ns", *lines, "order_received,cut"]))
    (folder / "rows").write_text("".join(f"{row}\n" for row in kept))
    later = time.monotonic_ns() + 10**15
    looks = [
        f"queue_{queue},{length},{later + look}" for look in (1, 2) for queue, length in (("mails", 0), ("refused", 3))
    ]
    (folder / "gauges.csv").write_text("\n".join(["name,value,time_ns", f"queue_mails,9,{later}", *looks, ""]))
    done = subprocess.run(
        [
            sys.executable,
            AFTERMATH,
            "127.0.0.1",
            str(mail_port),
            "20",
            str(since),
            "5",
            "sh",
            "-c",
            'cat "$0"',
            folder / "rows",
        ],
        env={
            **os.environ,
            "STEELYARD_EVENTS": str(folder / "events.csv"),
            "STEELYARD_GAUGES": str(folder / "gauges.csv"),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def test_the_shops_own_list_is_held_against_databases_and_mails(
    tmp_path: Path, mails: list[str], mail_port: int
) -> None:
    since, second = time.monotonic_ns(), 10**9
    events = [("order_received", "old", since - second)]
    events += [
        ("order_received", identifier, since + second)
        for identifier in ("good", "gone", "stuck", "twice", "late", "no")
    ]
    events += [("completed_mail_sent", identifier, since + 2 * second) for identifier in ("good", "twice")]
    events += [("completed_mail_sent", "late", since + 9 * second)]
    kept = [f"order {name} COMPLETED 2020-01-01T00:00:00Z" for name in ("good", "twice", "late", "old")]
    kept += ["order stuck APPROVED 2020-01-01T00:00:00Z", "order no DENIED 2020-01-01T00:00:00Z"]
    kept += ["order untold COMPLETED 2099-01-01T00:00:00Z"]
    kept += [f"shipped {name} {count} -" for name, count in (("good", 1), ("twice", 2), ("late", 1), ("stuck", 0))]
    sent = [("good", kind) for kind in ("approved", "shipped", "completed", "shipped")]
    sent += [("twice", kind) for kind in ("approved", "shipped", "completed")]
    sent += [("late", "approved"), ("late", "completed"), ("old", "shipped"), ("old", "shipped")]
    mails += [f"a@example.org\tOrder {name} {kind}\n" for name, kind in sent]
    said = counted_orders(tmp_path, mail_port, events, kept, since)
    assert said == {
        "settled": True,
        "counts": {
            "accepted": 6,
            "lost": 2,
            "doubled": 1,
            "delayed": 1,
            "mails_lost": 2,
            "mails_doubled": 1,
            "unacknowledged": 1,
        },
    }


def test_outcomes_of_the_pet_store_are_those_that_its_command_counts(planned: Schedule) -> None:
    assert planned.aftermath is not None
    names = [outcome.name for outcome in planned.aftermath.outcomes]
    assert all(f"{name} " in AFTERMATH.read_text() for name in names)
