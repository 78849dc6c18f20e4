"""The calibration's figures, from banks whose truth is known."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import ttest_ind
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.base.paths import root
from steelyard.base.progress import Progress
from steelyard.calibration import bank as banking
from steelyard.calibration import banked, deferred_work, planted, usual_runs
from steelyard.calibration.bank import Bank, ForkEntry, SliceEntry, TailEntry
from steelyard.calibration.calibrating import interim_comparisons, pooled_deviation, smallest, timer
from steelyard.calibration.collecting import last_cost_us, setting_of
from steelyard.calibration.deferred_work import Drive
from steelyard.calibration.keys import KEYS, key_of
from steelyard.calibration.page_figures import FigureRow, figures, usual_benchmark_alarms
from steelyard.calibration.tables import page
from steelyard.calibration.usual_runs import UsualRun, minutes_needed
from steelyard.calibration.values import tail_forks, values_of
from steelyard.catalogue import entries as catalogue
from steelyard.catalogue.subject_syntax import study_of
from steelyard.hosts.subject import BUSY_HEADER
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.plan.budget import fit_to_budget
from steelyard.plan.designs.design import LEAST_PAIRS
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from steelyard.plan.stopping import warm_up_within
from steelyard.results import machine_history
from steelyard.results.stored_run import read_run
from steelyard.statistics.looks import LOOKS
from steelyard.statistics.planning import power
from synthetic import Planted, write_run

SETUP = {
    "cpu_us_per_request": 10.0,
    "pilot_steady": True,
    "seed": 1,
    "sittings": [
        {
            "machine": {"processor": "P", "processors": 2, "kernel": "K"},
            "steelyard": "0.1.0",
            "subjects": {"a": [{"title": "T", "version": "1", "stack": "S", "jdk": None}]},
        }
    ],
}
FACES = [
    found
    for level in (0.0, 0.02, 0.05, 0.20)
    for found in ((planted.REFERENCE, planted.partner(level), 0.0), (planted.AGAIN, planted.face(level), level))
]


def made(
    forks: int,
    *,
    fork_deviation: float = 0.015,
    slice_deviation: float = 0.03,
    bias: float = 0.0,
    rounds: int = 10,
    memory: float = 0.0,
    seconds: float = 149.0,
) -> Bank:
    """A bank in which a slow-down by x costs exactly log(1 + x), forks vary, and each remembers the one before it."""
    draw, of_forks = (
        np.random.default_rng(11),
        np.random.default_rng(12),
    )  # forks vary alike however many faces there are
    entries, slices, level_of_fork = [], [], 0.0
    for fork in range(1, forks + 1):
        level_of_fork = memory * level_of_fork + of_forks.normal(0, fork_deviation)
        entries.append(ForkEntry(fork, fork, "", "complete", "", seconds, 6.0, 33.0, 104.0, 6.0, 1, ""))
        for number in range(rounds):
            for place, (subject, label, level) in enumerate(FACES):
                log = draw.normal(0, slice_deviation) - math.log1p(level)
                if subject == planted.AGAIN:
                    log += level_of_fork + bias
                completed = round(100_000 * math.exp(log))
                slices.append(
                    SliceEntry(
                        fork, number * len(FACES) + place, number, subject, label, level, "measure", 0, 10**9, 10**9,
                        1_300_000_000, completed, 0, 0, 10**9, 10**9, 0, 0, "", 0.0, 1000,
                        round(completed * 10_000 * (1 + level)),
                    )
                )  # fmt: skip
    return Bank(SETUP, entries, slices)


def row(bank: Bank, begins: str) -> FigureRow:
    return next(one for one in figures(values_of(bank)).rows if one.figure.startswith(begins))


def test_a_fork_is_the_median_of_its_rounds_and_a_voided_round_does_not_count() -> None:
    whole = made(2, slice_deviation=0.0)
    values = values_of(whole)
    assert values.levels[0.05].within == pytest.approx([-math.log(1.05)] * 2, abs=1e-4)
    assert (values.rounds, values.voided, values.lost) == (20, 0, [])
    spoilt = [
        one if one.round or one.fork == 1 else SliceEntry(**{**vars(one), "completed": 1, "voided": "compiling"})
        for one in whole.slices
    ]
    again = values_of(Bank(SETUP, whole.forks, spoilt))
    assert again.equal.ratios == pytest.approx(values.equal.ratios)
    assert again.voided == 1


def test_a_fork_that_lost_most_of_its_rounds_or_failed_is_lost_and_its_time_is_not() -> None:
    whole = made(4)
    failed = ForkEntry(4, 4, "", "failed", "died", 33.0, 6.0, 27.0, 0.0, 0.0, 0, "")
    spoilt = [
        SliceEntry(**{**vars(one), "voided": "compiling"}) if one.fork == 2 and one.round > 3 else one
        for one in whole.slices
        if one.fork != 4
    ]
    values = values_of(Bank(SETUP, [*whole.forks[:3], failed], spoilt))
    assert (values.equal.forks, values.lost) == ([1, 2, 3, 4], [2, 4])
    assert [math.isnan(one) for one in values.equal.ratios] == [False, True, False, True]
    assert values.equal.seconds[1] == values.equal.seconds[0] and values.equal.seconds[3] == 33.0


def test_rounds_that_a_budget_would_not_have_held_are_left_out_with_what_they_cost() -> None:
    # Of 149 s of a fork, 8 rounds of 8 faces took 1.3 s each; with two faces alone it takes 149 - 10 * 6 * 1.3 = 71 s.
    whole = made(3)
    free, held = values_of(whole), values_of(whole, within=65.0)
    assert list(free.equal.seconds) == pytest.approx([71.0] * 3) and free.rounds == 30
    assert list(held.equal.seconds) == pytest.approx([71.0 - 3 * 2.6] * 3) and held.rounds == 21
    first_rounds = [one for one in whole.slices if one.round < 7]
    assert held.equal.ratios == pytest.approx(values_of(Bank(SETUP, whole.forks, first_rounds)).equal.ratios)
    least = values_of(whole, within=1.0)
    assert least.rounds == 3 * LEAST_PAIRS and values_of(whole, within=71.1).rounds == 30


def test_a_fork_that_the_user_stopped_is_none() -> None:
    whole = made(3)
    stopped = ForkEntry(3, 3, "", "interrupted", "stopped", 12.0, 6.0, 6.0, 0.0, 0.0, 0, "")
    values = values_of(Bank(SETUP, [*whole.forks[:2], stopped], whole.slices))
    assert (values.equal.forks, values.lost) == ([1, 2], [])


def test_real_seconds_are_all_but_the_slices_that_two_subjects_would_not_have_had() -> None:
    values = values_of(made(1))
    six_other_faces = 6 * 10 * 1.3
    assert values.levels[0.05].seconds == pytest.approx([149 - six_other_faces])


def test_levels_may_take_turns_from_fork_to_fork() -> None:
    study = catalogue.study("calibration").model
    asked = [planted.of_fork(study, number) for number in range(1, 7)]
    assert all(len(labels) == 4 and {"a", "again"} < set(labels) for labels in asked)
    assert asked[:3] == asked[3:]
    assert {label for labels in asked for label in labels} == {one.label for one in planted.specs(study)}
    whole = made(12)
    kept = [one for one in whole.slices if one.label in planted.of_fork(study, one.fork)]
    values = values_of(Bank(SETUP, whole.forks, kept))
    assert len(values.equal.forks) == 12 and not values.lost
    assert [len(values.levels[level].forks) for level in values.planted_levels] == [4, 4, 4]
    assert values.levels[0.05].seconds == pytest.approx([149 - 2 * 10 * 1.3] * 4)


def test_what_was_planted_is_read_off_the_servers_own_clock() -> None:
    whole = made(4)
    clocked = [
        SliceEntry(**{**vars(one), "cpu_own_ns": round(one.completed * 100_000 * (1 + one.level))})
        for one in whole.slices
    ]
    values = values_of(Bank(SETUP, whole.forks, clocked))
    assert values.levels[0.20].clocked == pytest.approx([0.2] * 4, abs=1e-4)
    assert "+20.00% for +20%" in row(Bank(SETUP, whole.forks, clocked), "Planted slow-down").reached
    unclocked = [SliceEntry(**{**vars(one), "cpu_own_ns": -1}) for one in whole.slices]
    assert np.isnan(values_of(Bank(SETUP, whole.forks, unclocked)).levels[0.20].clocked).all()


def test_each_fork_is_scored_against_the_share_of_its_own_cost() -> None:
    """A request costs 10 us in odd forks and 12.5 in even ones; the same microseconds are 20% there and 16% here."""
    whole = made(20, fork_deviation=0.002, slice_deviation=0.002)
    costs = {fork.fork: 10.0 if fork.fork % 2 else 12.5 for fork in whole.forks}

    def of_fork(one: SliceEntry) -> SliceEntry:
        cost, spun = costs[one.fork], one.level * 10.0
        completed = round(one.completed * (1 + one.level) * cost / (cost + spun))
        return SliceEntry(
            **{**vars(one), "completed": completed, "cpu_own_ns": round(1000 * completed * (cost + spun))}
        )

    values = values_of(Bank(SETUP, whole.forks, [of_fork(one) for one in whole.slices])).levels[0.20]
    shares = [0.20 if number % 2 else 0.16 for number in values.forks]
    assert values.planted == pytest.approx([-math.log1p(share) for share in shares], abs=1e-3)
    assert np.std(values.ratios) > 0.015 and np.std(values.scored_ratios) < 0.004
    assert values.truth == pytest.approx(np.mean(values.planted))
    of_the_fork = [ForkEntry(**{**vars(one), "planted_for_us": 20.0}) for one in whole.forks]
    twice = values_of(Bank(SETUP, of_the_fork, whole.slices)).levels[0.20]
    assert twice.planted == pytest.approx([-math.log1p(0.4)] * 20, abs=1e-3)


def test_what_is_measured_beside_what_was_planted_is_seen() -> None:
    whole = made(60, fork_deviation=0.005)
    slower = [
        SliceEntry(**{**vars(one), "completed": round(one.completed * (0.97 if one.level == 0.20 else 1))})
        for one in whole.slices
    ]
    spoilt = Bank(SETUP, whole.forks, slower)
    assert row(whole, "Bias: measured").met is True and row(spoilt, "Bias: measured").met is False
    assert row(whole, "Coverage: redrawn").met is True and row(spoilt, "Coverage: redrawn").met is False
    assert row(whole, "Coverage: disjoint").met is True


def test_comparisons_as_measured_lie_each_in_one_sitting() -> None:
    whole = made(12, fork_deviation=0.001, slice_deviation=0.001)
    begins = [f"2026-11-26T{18 + (fork.fork - 1) // 3}:00:00+00:00" for fork in whole.forks]
    forks = [ForkEntry(**{**vars(fork), "begun": at}) for fork, at in zip(whole.forks, begins, strict=True)]
    sittings = [{**SETUP["sittings"][0], "begun": at} for at in sorted(set(begins))]
    apart = Bank({**SETUP, "sittings": sittings}, forks, whole.slices)
    assert values_of(apart).equal.sittings == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert row(apart, "A/A alarms, disjoint").reached == "none yet"
    assert row(whole, "A/A alarms, disjoint").reached.startswith("0 of 3")


def test_slices_that_took_turns_share_what_their_round_cost(tmp_path: Path) -> None:
    labels = ("tomcat-metro", "go")
    in_turns = {(1, 1, one): {"measured_ns": 900_000_000} for one in labels}
    subjects = [SubjectSpec(label=one, parts=[PartSpec(server=one)]) for one in labels]
    study = catalogue.study("calibration").model.model_copy(update={"subjects": subjects})
    spent = []
    for name, changes in ({"unbroken": {}, "turns": in_turns}).items():
        trial = read_run(write_run(tmp_path / name, Planted(forks=1, pairs=3, changes=changes))).trials[0]
        found = banking.entries(trial, study)[1]
        spent.append({(one.round, one.subject): one.spent_ns for one in found if one.phase == "measure"})
    apart, together = spent
    assert sum(apart.values()) == sum(together.values())
    first, second = (value for (round_, _), value in together.items() if round_ == 1)
    assert first == second == sum(value for (round_, _), value in apart.items() if round_ == 1) // 2


def test_a_sound_machine_reaches_every_figure() -> None:
    values = values_of(made(400, fork_deviation=0.011, slice_deviation=0.005, rounds=5, seconds=104.0))
    found = figures(values, usual(0.05), deferred())
    assert [(one.figure, one.reached) for one in found.rows if one.met is False] == []
    assert sum(one.met is True for one in found.rows) == 15
    five = next(one for one in found.levels if one.level == 0.05)
    assert five.truth == pytest.approx(-math.log(1.05), abs=0.002)
    assert five.right > 0.97 and five.minutes_found <= 12


def usual(deviation: float, runs: int = 20, seconds: float = 64.0) -> list[UsualRun]:
    """Runs of two servers by the usual way, each `seconds` long, that vary by so much."""
    draw = np.random.default_rng(5)
    labels = [("a", 0.0), ("slowed", 0.05)]
    return [
        UsualRun(n, label, level, seconds, 1000 * math.exp(draw.normal(0, deviation)) / (1 + level))
        for n in range(runs)
        for label, level in labels
    ]


def test_the_usual_way_takes_as_many_runs_as_welchs_test_needs() -> None:
    """By simulation: with the runs that it says, and of the same spread, Welch's test finds 5% nine times of ten."""
    runs = usual(0.03, runs=400)
    minutes = minutes_needed(runs, 0.05, 0.9)
    assert minutes is not None and minutes.low <= minutes.estimate < minutes.high
    repeats = round(minutes.estimate * 60 / 64 / 2)
    draw = np.random.default_rng(6)
    first, second = (draw.normal(shift, 0.03, (4000, repeats)) for shift in (0.0, math.log(1.05)))
    found = np.mean(ttest_ind(first, second, axis=1, equal_var=False).pvalue < 0.05)
    assert found == pytest.approx(0.9, abs=0.03)
    assert minutes_needed(runs[:3], 0.05, 0.9) is None and minutes_needed([], 0.05, 0.9) is None


def test_the_interval_of_the_usual_ways_minutes_holds_what_many_runs_say() -> None:
    truth = minutes_needed(usual(0.03, runs=4000), 0.05, 0.9)
    assert truth is not None
    draw = np.random.default_rng(8)
    held = 0
    for _ in range(200):
        logs = [("a", 0.0), ("slowed", math.log(1.05))] * 7
        few = [
            UsualRun(n, label, 0.0, 64.0, 1000 * math.exp(draw.normal(-shift, 0.03)))
            for n, (label, shift) in enumerate(logs)
        ]
        minutes = minutes_needed(few, 0.05, 0.9)
        held += minutes is not None and minutes.low <= truth.estimate <= minutes.high
    assert 0.90 <= held / 200 <= 0.99


def test_runs_of_the_usual_way_are_kept_beside_the_bank(tmp_path: Path) -> None:
    runs = usual(0.02, runs=2)
    usual_runs.write(runs, tmp_path)
    assert usual_runs.read(tmp_path) == runs
    assert usual_runs.read(tmp_path / "nowhere") == []


def deferred(*, worst: float = 0.01, rounds: int = 6) -> list[Drive]:
    """Rounds of every kind by every way; the lab's is off by so much of the first kind."""
    draw = np.random.default_rng(7)
    found = []
    for number in range(1, rounds + 1):
        for kind in (*deferred_work.KINDS, *deferred_work.UNASKED):
            first = kind == next(iter(deferred_work.KINDS))
            off = {deferred_work.ALONE: 0.0, deferred_work.SHORT: 0.05, deferred_work.LAB: worst if first else 0.001}
            for way in deferred_work.WAYS:
                ratio = 0.98 * math.exp(off[way] + draw.normal(0, 0.002))
                found.append(Drive(number, kind, way, 2300 * ratio, 2300.0, 150.0, 0.1))
    return found


def test_the_worst_kind_of_deferred_work_is_held_against_each_server_alone() -> None:
    values = values_of(made(60))
    name = "Servers that defer work"

    def found(drives: list[Drive]) -> FigureRow:
        return next(one for one in figures(values, (), drives).rows if one.figure.startswith(name))

    assert found(deferred()).met is True
    missed = found(deferred(worst=0.03))
    assert missed.met is False and missed.reached.startswith("+3.")
    assert "half of each request's work at once in a thread of its own" in missed.reached
    assert found([]).met is False and found(deferred(rounds=2)).reached == "not measured yet"
    off = deferred_work.deviation_of(deferred(worst=0.03, rounds=9), next(iter(deferred_work.KINDS)), deferred_work.LAB)
    assert off is not None and off.off.low <= math.exp(0.03) <= off.off.high and off.rounds == 9
    said = page(made(60), "", [], deferred())
    assert "## Deferred work" in said and "## Deferred work" not in page(made(60), "")


def test_rounds_of_deferred_work_are_kept_beside_the_bank(tmp_path: Path) -> None:
    drives = deferred(rounds=1)
    deferred_work.write(drives, tmp_path)
    assert deferred_work.read(tmp_path) == drives
    assert deferred_work.read(tmp_path / "nowhere") == []


def test_too_few_comparisons_as_measured_and_too_many_lost_forks_are_missed_figures() -> None:
    few = made(60)
    assert row(few, "A/A alarms, disjoint").met is False
    spoilt = [
        SliceEntry(**{**vars(one), "voided": "compiling"}) if one.fork < 4 and one.round > 3 else one
        for one in few.slices
    ]
    assert row(few, "Lost forks").met is True
    assert row(Bank(SETUP, few.forks, spoilt), "Lost forks").met is False


def test_the_calibration_measures_as_compare_does_and_cannot_drift_from_it() -> None:
    compared = study_of(["go", "go"], "wstest", "echoStruct", rate=None, budget_seconds=300.0, margin=0.03)
    calibrated = planted.as_compared(catalogue.study("calibration").model)
    for name in planted.SHARED:
        assert getattr(calibrated, name) == getattr(compared, name), name
    said = (root() / "studies" / "calibration.toml").read_text(encoding="utf-8")
    assert not [name for name in planted.SHARED if f"\n{name} =" in said]
    assert tuple(compared.looks) == LOOKS and calibrated.budget == compared.budget


def test_a_fork_of_the_calibration_is_one_of_a_comparison_within_the_same_budget(tmp_path: Path) -> None:
    compared = study_of(["go", "go"], "wstest", "echoStruct", rate=None, budget_seconds=300.0, margin=0.03)
    asked = Request()
    users = merge_parameters(compared, asked).users or 8
    plain = schedule_of(compared, catalogue.service("wstest").model, asked, merge_parameters(compared, asked), users)
    wanted = fit_to_budget(plain, dict.fromkeys(plain.subjects, True), slice_fixed=False).schedule
    study = planted.with_planted_levels(planted.as_compared(catalogue.study("calibration").model), 280.0)
    jvm = SimpleNamespace(server=SimpleNamespace(model=SimpleNamespace(jvm=True)))
    front = SimpleNamespace(own=None)
    subjects = [
        SimpleNamespace(label=one.label, same_as=one.same_as, parts=[jvm], front=front) for one in planted.specs(study)
    ]
    labels = [one.label for one in subjects]
    setting = setting_of(study, labels, 1, 3, subjects, tmp_path, Progress(Console(quiet=True)))  # type: ignore[arg-type]
    for name in ("pairs_per_cell", "slice_seconds", "turn_ms", "budget_seconds", "least_forks", "looks", "margin"):
        assert getattr(setting.schedule, name) == getattr(wanted, name), name
    assert setting.warm_up_within == warm_up_within(wanted)
    assert 3 <= wanted.pairs_per_cell < 20, "a budget of five minutes shortens forks"
    assert [trial.number for trial in setting.schedule.trials] == [1, 2, 3]


def test_the_bank_that_was_given_up_lost_most_of_its_rounds_and_forks_to_compilers_as_its_notes_say() -> None:
    kept = banking.read(root() / "docs" / "results" / "calibration" / "five-minutes")
    measured = [one for one in kept.slices if one.phase == "measure"]
    assert sum(one.voided == "compiling" for one in measured) > 0.5 * len(measured)
    assert len(kept.forks) == 11 and len(values_of(kept).lost) > 11 / 2


def test_a_bias_is_seen_and_said() -> None:
    biased = row(made(60, bias=0.02), "A/A bias")
    assert biased.met is False and "above 0" in biased.why
    wide = row(made(60, fork_deviation=0.06), "A/A bias")
    assert wide.met is False and "forks would be needed" in wide.why


def test_forks_that_remember_are_seen() -> None:
    assert row(made(60, memory=0.8), "Dependence").met is False
    assert row(made(60), "Dependence").met is True


def test_a_machine_too_noisy_for_five_percent_is_not_said_to_find_it() -> None:
    missed = row(made(60, fork_deviation=0.08), "+5% called")
    assert missed.met is False and "at all" in missed.why


def test_the_usual_way_calls_different_what_is_equal_where_processes_differ() -> None:
    noisy = usual_benchmark_alarms(values_of(made(60, fork_deviation=0.05, slice_deviation=0.02)).throughputs)
    alike = usual_benchmark_alarms(values_of(made(60, fork_deviation=0.0)).throughputs)
    assert noisy is not None and noisy.total == 30 and noisy.share > 0.5
    assert alike is not None and alike.share < 0.2
    assert usual_benchmark_alarms([]) is None


def test_the_page_is_rebuilt_from_the_stored_tables_to_the_byte(tmp_path: Path) -> None:
    bank = made(6)
    banking.write(bank, tmp_path)
    first = page(bank, "## What was tried\n")
    assert page(banking.read(tmp_path), "## What was tried\n") == first
    assert "**6 of 60 forks are collected so far" in first and first.endswith("## What was tried\n")
    assert "too few for any figure" in page(made(2), "")


def test_the_page_lists_every_pair_that_may_be_banked_and_says_that_nothing_else_is_calibrated() -> None:
    said = page(made(12), "", banks={KEYS[0]: made(12), KEYS[1]: made(2)})
    lines = {key: next(line for line in said.splitlines() if line.startswith(f"| `{key.server}` against itself | {key.measure}"))
             for key in KEYS}  # fmt: skip
    assert "| 12 |" in lines[KEYS[0]] and "(100.0%, 95% interval" in lines[KEYS[0]]
    assert "too few forks" in lines[KEYS[1]]
    assert all("none yet" in lines[key] for key in KEYS[2:])
    assert "Nothing else is calibrated" in said


def test_each_key_has_a_study_and_a_folder_of_its_own(tmp_path: Path) -> None:
    assert KEYS[0].study() == planted.as_compared(catalogue.study("calibration").model)
    assert KEYS[0].folder(tmp_path) == tmp_path
    assert len({key.folder(tmp_path) for key in KEYS}) == len(KEYS)
    for key in KEYS:
        assert key_of(key.name) is key
        study = key.study()
        assert study.first_server() == key.server and study.rate == key.rate
        assert study.budget is not None and study.budget.seconds == key.budget_seconds
        assert {"a", "again"} <= set(planted.of_fork(study, 1))
    with pytest.raises(ConfigurationError, match="is not a known pair"):
        key_of("go.latency")


def test_a_bank_of_tails_has_one_ratio_a_fork_and_is_kept_whole(tmp_path: Path) -> None:
    draw = np.random.default_rng(13)
    tails = [
        TailEntry(fork, label, 40_000, round(900 * math.exp(draw.normal(0, 0.004)), 3))
        for fork in range(1, 6)
        for label in ("a", "again")
        if (fork, label) != (5, "again")
    ]
    whole = made(5)
    banking.write(Bank(SETUP, whole.forks, whole.slices, tails), tmp_path)
    kept = banking.read(tmp_path)
    assert kept.tails == tails
    found = tail_forks(kept)
    assert found.ratios[:4] == pytest.approx(
        [math.log(tails[2 * place + 1].p99_us / tails[2 * place].p99_us) for place in range(4)]
    )
    assert math.isnan(found.ratios[4]) and found.truth == 0.0 and found.least_deviation == 0.0
    row_of = next(line for line in banked.rows({key_of("go.p99"): kept}) if line[1] == "p99")
    assert row_of[4] == "5" and row_of[7].startswith("1 of 1")


def test_a_fork_plants_shares_of_what_a_request_cost_in_the_fork_before_it() -> None:
    whole = made(3)
    slow = [
        SliceEntry(**{**vars(one), "cpu_own_ns": round(one.cpu_own_ns * (1.3 if one.fork == 3 else 1))})
        for one in whole.slices
    ]
    assert last_cost_us(Bank(SETUP, [], [])) == 10.0
    assert last_cost_us(Bank(SETUP, whole.forks, slow)) == pytest.approx(13.0, abs=1e-3)
    failed = ForkEntry(**{**vars(whole.forks[2]), "status": "failed"})
    assert last_cost_us(Bank(SETUP, [*whole.forks[:2], failed], slow)) == pytest.approx(10.0, abs=1e-3)
    assert planted.busy_header(0.2, 13.0) == {BUSY_HEADER: "00002.600"}


def test_the_page_tells_apart_what_rounds_and_what_forks_vary_by() -> None:
    said = page(made(100, fork_deviation=0.02, slice_deviation=0.01), "").splitlines()
    shown = {
        name: float(next(line for line in said if line.startswith(f"| - {name}")).split("|")[2].strip(" %"))
        for name in ("of rounds", "between forks")
    }
    assert shown["of rounds"] == pytest.approx(math.sqrt(2), rel=0.1)
    assert shown["between forks"] == pytest.approx(2, rel=0.2)


def test_a_bank_cut_between_its_two_tables_keeps_whole_forks(tmp_path: Path) -> None:
    bank = made(3)
    banking.write(bank, tmp_path)
    banking.write(Bank(SETUP, bank.forks[:2], bank.slices), tmp_path)
    assert {one.fork for one in banking.read(tmp_path).slices} == {1, 2}


def test_every_face_carries_its_share_of_a_requests_cost_in_a_header_of_one_length() -> None:
    study = planted.with_planted_levels(catalogue.study("calibration").model, 96.25)
    headers = {one.label: one.headers[BUSY_HEADER] for one in planted.specs(study)}
    assert {label: float(text) for label, text in headers.items()} == {
        "a": 0.0, "a-for-2": 0.0, "a-for-5": 0.0, "a-for-20": 0.0,
        "again": 0.0, "again-2": 1.925, "again-5": 4.812, "again-20": 19.25,
    }  # fmt: skip
    assert len({len(text) for text in headers.values()}) == 1
    with pytest.raises(StoreError, match="is not a calibration"):
        planted.specs(catalogue.study("demo").model)


def test_the_calibration_of_another_server_is_the_same_study_with_other_processes() -> None:
    known = planted.as_compared(catalogue.study("calibration").model)
    assert planted.study_of(None, "wstest", "echoStruct", pairs=None, slice_seconds=None) == known
    found = planted.study_of("go", "wstest", "echoVoid", pairs=9, slice_seconds=2 * known.slice_seconds)
    ours, theirs = planted.specs(found), planted.specs(known)
    assert [(one.label, one.same_as, one.slowed) for one in ours] == [
        (one.label, one.same_as, one.slowed) for one in theirs
    ]
    assert {part.server for one in ours for part in one.parts} == {"go"} == {found.first_server()}
    assert (found.primary, found.operations, found.pairs) == ("echoVoid", ["echoVoid"], 9)
    assert found.warm_up_limit_seconds == 2 * known.warm_up_limit_seconds


def test_the_smallest_difference_has_the_power_that_is_promised() -> None:
    found = smallest(15, 0.02, 75)
    assert found.forks == 12 and found.difference is not None
    assert power(math.log1p(found.difference), 0.02, 12, 0.0168) == pytest.approx(0.9, abs=0.001)
    assert smallest(5, 0.02, 80).difference is None
    assert pooled_deviation(values_of(made(200))) == pytest.approx(
        math.hypot(0.015, 0.03 * math.sqrt(2) / math.sqrt(7)), rel=0.15
    )


def test_a_comparison_of_a_server_with_itself_is_remembered_and_cited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_STATE", str(tmp_path))
    assert machine_history.citation() == {}
    asked = {"rate": None, "budget_seconds": 60.0, "margin": 0.03}
    ended = Verdicts(
        run="r", valid=True, why_not=[], sentence="", status="complete",
        comparisons=[
            Comparison(a="go", b="go.again", cell="echoStruct", operation="echoStruct", measure="throughput", unit="1/s",
                       primary=True, verdict="slower", ratio=0.95, interval=(0.93, 0.97), confidence=0.98, forks=4, pairs=9,
                       voided_pairs=0)
        ],
    )  # fmt: skip
    machine_history.remember_run(study_of(["go", "go"], "wstest", "echoStruct", **asked), ended)
    machine_history.remember_run(study_of(["go", "odd"], "wstest", "echoStruct", **asked), ended)
    known = machine_history.alarms()
    assert known is not None and (known.count, known.total) == (1, 1)
    assert machine_history.citation() == {
        "a server against itself came out different": "1 of 1 times (95% interval 2.5% to 100.0%)"
    }


def test_after_each_fork_the_interval_of_every_level_is_that_of_the_forks_there_are() -> None:
    alone = {each.a: each for each in interim_comparisons(values_of(made(1)), "echoStruct")}
    assert all(each.intervals[0].low is None for each in alone.values())
    several = {each.a: each for each in interim_comparisons(values_of(made(6)), "echoStruct")}
    assert [(each.b, each.cell) for each in several.values()] == [
        (planted.partner(level), "echoStruct") for level in (0.0, 0.02, 0.05, 0.2)
    ]
    last = several[planted.face(0.2)].intervals[-1]
    assert last.forks == 6 and last.low is not None and last.high is not None
    assert last.low < 1 / 1.2 < last.high and last.high < 1


def test_the_timer_is_looked_at() -> None:
    assert "sleeps of 1 ms end" in timer(sleeps=20).found
