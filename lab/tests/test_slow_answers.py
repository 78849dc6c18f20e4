"""Known truths of slow answers, on stored forks of the runs of `tests/test_slow_answers.py`.

Each folder holds forks of `steelyard run small.toml --users 20`, reduced by `steelyard keep` and to the tables that the
analysis reads; its `study.toml` is the study. In `processor` one worker spends exactly 10 and 55 ms of a processor on each
request. In `delay` any number of requests are answered after 0.2 and 1.1 s.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.analyse.instrument import Level
from steelyard.analyse.ratios import Compared
from steelyard.analyse.second_witness import counted_of
from steelyard.results.stored_run import read_run
from steelyard.statistics.verdict_words import Word

STORED = Path(__file__).parent / "slow_answers"
TRUE = 0.2 / 1.1
WITHIN = 0.02


@cache
def stored(name: str) -> Analysis:
    return analyse_run(read_run(STORED / name))


def throughput(name: str) -> Compared:
    return next(one.compared for one in stored(name).judgements if one.compared.measure.name == "throughput")


@pytest.mark.parametrize(("name", "forks"), [("delay", 2), ("processor", 4)])
def test_the_ratio_of_slow_answers_is_true_within_two_percent(name: str, forks: int) -> None:
    compared = throughput(name)
    assert len(compared.counted_forks) == forks and compared.of_sums
    assert compared.ratio == pytest.approx(TRUE, rel=WITHIN)
    for fork in compared.counted_forks:
        assert fork.ratio == pytest.approx(TRUE, rel=WITHIN)


def test_processor_time_says_the_same_and_the_interval_is_that_of_the_answers() -> None:
    compared = throughput("processor")
    assert compared.witness is not None and not compared.witness.disagrees
    assert math.exp(fmean(compared.witness.logs)) == pytest.approx(TRUE, rel=WITHIN)
    assert compared.by_answers is None and compared.interval is not None
    assert compared.interval.low < TRUE < compared.interval.high
    (verdict,) = [one.word for one in stored("processor").judgements if one.compared.primary]
    assert verdict is Word.SLOWER


def test_answers_and_processor_time_agree_in_each_fork() -> None:
    run = stored("processor").run
    (cell,) = run.schedule.cells
    for trial in run.trials:
        for subject in run.schedule.subjects:
            done = counted_of(trial, cell, subject)
            assert done is not None and done.witness == pytest.approx(1.0, abs=WITHIN / 2)
            rows = [trial.slices[number] for number in trial.measured_slices[cell.name, subject].values()]
            assert all(row.cpu_window_ns for row in rows), "each was read at its edges"


@pytest.mark.parametrize("name", ["delay", "processor"])
def test_littles_law_holds_in_its_plain_form(name: str) -> None:
    found = [finding for finding in stored(name).findings if finding.check == "Little's law"]
    assert len(found) == 2 and all(finding.level is Level.OK for finding in found), found


@pytest.mark.parametrize("name", ["delay", "processor"])
def test_every_stretch_was_as_long_as_was_planned(name: str) -> None:
    run = stored(name).run
    for trial in run.trials:
        (plan,) = trial.record_or_empty.stretches
        measured = [trial.slices[slot.number] for slot in trial.plans.values() if slot.phase == "measure"]
        assert plan.fits and len(measured) == 2 * plan.pairs
        assert all(row.seconds > 10 * plan.response_s or row.completed >= 200 for row in measured)


def test_a_server_that_only_waits_has_no_second_witness() -> None:
    run = stored("delay").run
    checks = [finding for finding in stored("delay").findings if finding.check == "Answers, processor"]
    assert {finding.subject for finding in checks} == set(run.schedule.subjects)
    assert all(finding.level is Level.UNKNOWN and "of a processor busy" in finding.reading for finding in checks)
