"""What turns change against steady stretches: each check fires where turns distort one subject, and is silent where they do not."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from steelyard.analyse.analysis import full_analysis
from steelyard.analyse.frozen_work import Quantity, turn_effect, turns_refused
from steelyard.analyse.instrument import Level, examine
from steelyard.analyse.measures import registry
from steelyard.analyse.ratios import compare
from steelyard.base.progress import Progress
from steelyard.hosts import processes
from steelyard.measure import main_job
from steelyard.measure.trial.context import TrialContext
from steelyard.models.records import TrialRecord
from steelyard.results.stored_run import Run, read_run
from synthetic import Planted, write_run

METRO, GO = "tomcat-metro", "go"
NOTHING: dict[str, float] = {}
SLICE_NS = 2_000_000_000
ALONE_NS = round(
    SLICE_NS * 0.95 / 1.1
)  # for as many answers as a slice measures: the warm-up's lead-in is a tenth more


def driven(
    folder: Path,
    inflated: dict[str, float],
    *,
    collector: str = "G1",
    forks: int = 4,
    in_turns: int | None = None,
    host: float = 0.0,
    unsteady: bool = False,
    paces: dict[str, float] = NOTHING,
    busy: dict[str, float] = NOTHING,
) -> Run:
    """A run in turns, of `in_turns` trials (all): a request costs each subject so many times what it costs alone. The host's speed
    moves by `host` between warm-up and measurement, alike for both. A subject has `paces` times its throughput in turns, and uses
    the share `busy` of its processor."""
    draw = random.Random(5)
    changes = {}
    for trial in range(1, (forks if in_turns is None else in_turns) + 1):
        speed = 1 + draw.gauss(0, host)
        for pair in range(10):
            for subject in (METRO, GO):
                alone = ALONE_NS * paces.get(subject, 1.0) * busy.get(subject, 0.95) / 0.95
                own = round(alone * inflated.get(subject, 1.0) * speed)
                changes[trial, pair, subject] = {"cpu_own_ns": own, "cpu_other_ns": 0, "cpu_between_ns": 0}
    steadiness = frozenset((trial, METRO) for trial in range(1, forks + 1)) if unsteady else frozenset()
    planted = Planted(forks=forks, changes=changes, turn_ms=150.0, unsteady=steadiness, paces=paces, busy=busy)
    for path in write_run(folder, planted).glob("trials/*/trial.json"):
        record = TrialRecord.model_validate_json(path.read_text(encoding="utf-8"))
        subjects = [
            noted.model_copy(update={"factors": {"gc": collector} if noted.label == METRO else {}})
            for noted in record.subjects
        ]
        path.write_text(record.model_copy(update={"subjects": subjects}).model_dump_json(), encoding="utf-8")
    return read_run(folder)


def finding(run: Run, subject: str = METRO, quantity: Quantity = Quantity.COST) -> tuple[Level, str]:
    return next((f.level, f.reason) for f in examine(run) if f.check == quantity and f.subject == subject)


def test_a_subject_whose_requests_cost_more_in_turns_is_named_with_the_size(tmp_path: Path) -> None:
    run = driven(tmp_path, {METRO: 1.05})
    found = turn_effect(run, run.schedule.cells[0], METRO, GO, Quantity.COST)
    assert found is not None and found.size == pytest.approx(0.05, abs=0.015)
    level, reason = finding(run)
    assert level is Level.WARNING and f"costs {METRO}" in reason and "may be off by as much" in reason
    assert finding(run, GO)[0] is Level.OK
    assert not turns_refused(run), "within twice the margin"
    assert full_analysis(tmp_path).verdicts.comparisons[0].verdict == "slower"


def test_beyond_twice_the_margin_turns_give_no_verdict_and_the_next_start_is_driven_in_stretches(
    tmp_path: Path,
) -> None:
    run = driven(tmp_path, {GO: 1.33})
    assert turns_refused(run)
    level, reason = finding(run, GO)
    assert level is Level.WARNING and "driven in stretches" in reason
    [comparison] = [c for c in full_analysis(tmp_path).verdicts.comparisons if c.primary]
    assert comparison.verdict == "too few forks" and comparison.forks == 0


def test_forks_in_stretches_count_beside_those_that_took_turns(tmp_path: Path) -> None:
    run = driven(tmp_path, {METRO: 1.33}, forks=7, in_turns=3)
    compared = compare(run, run.schedule.cells[0], registry(run.study)["throughput"], METRO, GO, primary=True)
    assert [fork.why_not is None for fork in compared.forks] == [False] * 3 + [True] * 4
    assert all("took turns" in (fork.why_not or "") for fork in compared.forks[:3])
    assert compared.ratio == pytest.approx(0.8, rel=0.03)


def test_a_limiter_that_delays_is_named_with_the_direction_and_the_size(tmp_path: Path) -> None:
    run = driven(tmp_path, {}, paces={METRO: 1.05}, busy={METRO: 0.2})
    effect = turn_effect(run, run.schedule.cells[0], METRO, GO, Quantity.THROUGHPUT)
    assert effect is not None and effect.size == pytest.approx(0.05, abs=0.015)
    level, reason = finding(run, METRO, Quantity.THROUGHPUT)
    assert level is Level.WARNING and f"{METRO} answers" in reason and "more requests per second in turns" in reason
    assert not turns_refused(run), "within twice the margin"


@pytest.mark.parametrize(("pace", "direction"), [(1.9, "more"), (0.7, "fewer")])
def test_throughput_that_turns_change_by_more_than_twice_the_margin_gives_no_verdict(
    tmp_path: Path, pace: float, direction: str
) -> None:
    run = driven(tmp_path, {}, paces={METRO: pace}, busy={METRO: 0.2})
    assert turns_refused(run)
    level, reason = finding(run, METRO, Quantity.THROUGHPUT)
    assert level is Level.WARNING and direction in reason and "driven in stretches" in reason
    [comparison] = [c for c in full_analysis(tmp_path).verdicts.comparisons if c.primary]
    assert comparison.verdict == "too few forks" and comparison.forks == 0


@pytest.mark.parametrize(
    ("paces", "busy"),
    [({}, {METRO: 0.2}), ({METRO: 1.3}, {}), ({METRO: 1.05, GO: 1.05}, {METRO: 0.2, GO: 0.2})],
    ids=["unchanged", "limited by its processor", "both alike"],
)
def test_throughput_is_not_called_distorted_without_a_reason(
    tmp_path: Path, paces: dict[str, float], busy: dict[str, float]
) -> None:
    run = driven(tmp_path, {}, paces=paces, busy=busy, host=0.02)
    warnings = [f for f in examine(run) if f.check == Quantity.THROUGHPUT and f.level is not Level.OK]
    assert not warnings and not turns_refused(run)


@pytest.mark.parametrize(("inflated", "turn_ms"), [({METRO: 1.33}, 0), ({METRO: 1.05}, 150), ({}, 150)])
def test_the_next_start_is_driven_as_the_starts_so_far_ask_for(
    tmp_path: Path, inflated: dict[str, float], turn_ms: float
) -> None:
    run = driven(tmp_path, inflated)
    progress = Progress(Console(quiet=True))
    nothing: Any = None
    setting = TrialContext(run.schedule, nothing, {}, nothing, tmp_path, nothing, progress)
    assert main_job._in_turns_or_stretches(setting, main_job._Tally(progress, [], {})).schedule.turn_ms == turn_ms
    assert run.schedule.turn_ms == read_run(tmp_path).schedule.turn_ms == 150, "the stored schedule stays"


@pytest.mark.parametrize("inflated", [{}, {METRO: 1.06, GO: 1.06}, {METRO: 0.9}])
def test_what_turns_cost_both_alike_and_a_subject_that_still_warmed_are_no_inflation(
    tmp_path: Path, inflated: dict[str, float]
) -> None:
    run = driven(tmp_path, inflated, host=0.1)
    assert finding(run)[0] is finding(run, GO)[0] is Level.OK
    assert not turns_refused(run)
    assert full_analysis(tmp_path).verdicts.comparisons[0].verdict == "slower"


def test_nothing_is_judged_without_a_steady_warm_up_or_without_turns(tmp_path: Path) -> None:
    for name, run in {
        "unsteady": driven(tmp_path / "unsteady", {METRO: 1.33}, unsteady=True),
        "stretches": driven(tmp_path / "stretches", {METRO: 1.33}, in_turns=0),
    }.items():
        assert not [f for f in examine(run) if f.check == "CPU in turns"], name
        assert not turns_refused(run), name


def test_threads_of_processes_are_counted_and_one_that_is_gone_has_none() -> None:
    own = len(list(Path("/proc/self/task").iterdir()))
    assert processes.threads([os.getpid()]) == own
    assert processes.threads([os.getpid(), 2**22 + 1]) == own


@pytest.mark.parametrize(("collector", "in_turns", "caveats"), [("Z", None, 1), ("G1", None, 0), ("Z", 0, 0)])
def test_a_subject_that_collects_with_z_has_a_caveat_where_it_took_turns(
    tmp_path: Path, collector: str, in_turns: int | None, caveats: int
) -> None:
    run = driven(tmp_path, {}, collector=collector, in_turns=in_turns)
    reasons = [f.reason for f in examine(run) if f.check == "Z in turns" and f.level is Level.WARNING]
    assert len(reasons) == caveats and all(reason.startswith(METRO) for reason in reasons)
    assert sum("collects with Z" in warning for warning in full_analysis(tmp_path).verdicts.notes) == caveats


def loaded_at_once(folder: Path, paces: dict[str, float]) -> Run:
    """A run with `--apart` in which subjects answer so much slower beside each other than alone, though as busy."""
    run = write_run(folder, Planted(design="apart", paces=paces))
    for path in run.glob("trials/*/trial.json"):
        record = TrialRecord.model_validate_json(path.read_text(encoding="utf-8"))
        path.write_text(record.model_copy(update={"engines": 2}).model_dump_json(), encoding="utf-8")
    return read_run(run)


def test_a_subject_that_suffers_from_the_others_load_is_named_with_the_size_and_still_judged(tmp_path: Path) -> None:
    run = loaded_at_once(tmp_path, {METRO: 0.8, GO: 0.95})
    level, reason = finding(run, METRO, Quantity.BESIDE)
    assert level is Level.WARNING and f"costs {METRO} " in reason and "while both are loaded than alone" in reason
    assert finding(run, GO, Quantity.BESIDE)[0] is Level.OK
    verdicts = full_analysis(tmp_path).verdicts
    assert verdicts.comparisons[0].verdict == "slower"
    assert [note for note in verdicts.notes if "loaded at the same time" in note]


def test_what_both_suffer_alike_is_no_finding(tmp_path: Path) -> None:
    run = loaded_at_once(tmp_path, {METRO: 0.8, GO: 0.8})
    assert {finding(run, subject, Quantity.BESIDE)[0] for subject in (METRO, GO)} == {Level.OK}
    assert not turns_refused(run)
