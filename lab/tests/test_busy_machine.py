"""A run beside foreign work: disturbed pairs are void, the processes are named, and the verdict is unchanged or missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import analyse, analyse_run
from steelyard.analyse.foreign_work import OTHERS_AT_WORK, BusySoFar
from steelyard.analyse.instrument import Finding, Level
from steelyard.base.errors import CANNOT_TELL, SteelyardError
from steelyard.commands.options import require_verdict
from steelyard.measure.outcome import Outcome
from steelyard.models.records import Check
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
FORKS, PAIRS = 4, 9
SLOWED = 0.5  # a busy loop has half of the processor while it is there
THIRD = {(trial, pair): (SLOWED, "python3") for trial in range(1, FORKS + 1) for pair in range(0, PAIRS, 3)}
QUIET: dict[tuple[int, int], tuple[float, str]] = {}


def written(tmp_path: Path, foreign: dict[tuple[int, int], tuple[float, str]] | None, **planted: Any) -> Path:
    """A run in which who others took the processor from answered so much less, but only one of the two."""
    changes = {
        (trial, pair, A): {"completed": round(8000 * 2 * (1 - share))}
        for (trial, pair), (share, _) in (foreign or {}).items()
        if share > 0.02
    }
    return write_run(tmp_path / "run", Planted(forks=FORKS, pairs=PAIRS, foreign=foreign, changes=changes, **planted))


def primary(verdicts: Verdicts) -> Comparison:
    (compared,) = [comparison for comparison in verdicts.comparisons if comparison.primary]
    return compared


def finding(run: Path) -> Finding:
    (others,) = [each for each in analyse_run(read_run(run)).findings if each.check == OTHERS_AT_WORK]
    return others


def test_a_busy_loop_in_a_third_of_the_slices_voids_their_pairs_and_is_named_and_the_verdict_is_as_without_it(
    tmp_path: Path,
) -> None:
    quiet, busy = (analyse(written(tmp_path / name, foreign)) for name, foreign in (("q", QUIET), ("b", THIRD)))
    assert (primary(quiet).verdict, primary(quiet).voided) == ("slower", {})
    assert (primary(busy).verdict, primary(busy).voided) == ("slower", {"others at work": FORKS * PAIRS // 3})
    assert primary(busy).ratio == pytest.approx(primary(quiet).ratio, rel=0.02)
    (note,) = [note for note in busy.notes if "other programs ran" in note]
    assert note.startswith(
        "other programs ran during 12 of 36 pairs on echoStruct, which do not count: python3 used 50% of a processor in trial 1"
    )
    assert "in trial 2" in note and "in trial 4" in note


def test_a_quiet_run_says_nothing_of_others_but_the_check_that_it_passed(tmp_path: Path) -> None:
    run = written(tmp_path, QUIET)
    assert analyse(run).notes == []
    passed = finding(run)
    assert (passed.level, passed.reading) == (Level.OK, "0.0%, 0 of 36 pairs void")


def test_a_little_work_of_others_voids_nothing(tmp_path: Path) -> None:
    run = written(tmp_path, {(trial, 0): (0.019, "chronyd") for trial in range(1, FORKS + 1)})
    assert (finding(run).level, primary(analyse(run)).voided) == (Level.OK, {})


def test_where_most_pairs_are_void_there_is_no_verdict_but_a_sentence_that_names_who_was_at_work(
    tmp_path: Path,
) -> None:
    most = {(trial, pair): (0.4, "make") for trial in range(1, FORKS + 1) for pair in range(PAIRS) if pair % 3}
    run = written(tmp_path, most)
    verdicts = analyse(run)
    said = "this machine is busy: make used 40% of a processor while 24 of 36 pairs on echoStruct were measured"
    assert (verdicts.valid, verdicts.why_not) == (False, [said])
    assert verdicts.sentence == f"No verdict: {said}."
    with pytest.raises(SteelyardError, match="this machine is busy: make used 40%") as caught:
        require_verdict(Outcome(run, verdicts, run / "report.html", []))
    assert caught.value.exit_code == CANNOT_TELL


def test_a_subject_that_is_compared_with_nothing_keeps_its_figures_and_is_told_of(tmp_path: Path) -> None:
    alone = {B: 8000.0}
    verdicts = analyse(write_run(tmp_path / "run", Planted(rates=alone, pairs=4, foreign={(2, 1): (0.4, "make")})))
    assert (
        "other programs ran on echoStruct and disturbed the measurement: make used 40% of a processor in trial 2"
        in verdicts.notes
    )
    (figure,) = [each for each in verdicts.figures if each.measure == "throughput"]
    assert figure.forks == 4
    quiet = analyse(write_run(tmp_path / "quiet", Planted(rates=alone, pairs=4, foreign={})))
    assert not any("others" in note for note in quiet.notes)


def test_a_run_on_a_busy_machine_ends_after_two_trials_and_goes_on_after_one(tmp_path: Path) -> None:
    always = {(trial, pair): (0.4, "") for trial in range(1, FORKS + 1) for pair in range(PAIRS)}
    run = read_run(written(tmp_path / "busy", always))
    ends = BusySoFar(run.folder)
    said = [ends(run.schedule, plan) for plan in run.schedule.trials[:2]]
    assert said == [
        "",
        "this machine is busy: a process that cannot be seen from here used 40% of a processor while 18 of 18 pairs were measured",
    ]
    passing = read_run(written(tmp_path / "passing", {key: value for key, value in always.items() if key[0] == 1}))
    goes_on = BusySoFar(passing.folder)
    assert [goes_on(passing.schedule, plan) for plan in passing.schedule.trials] == [""] * FORKS
    older = read_run(written(tmp_path / "older", None))
    assert BusySoFar(older.folder)(older.schedule, older.schedule.trials[0]) == ""


def test_a_run_of_before_others_were_looked_for_has_no_such_check(tmp_path: Path) -> None:
    run = written(tmp_path, None)
    assert [each for each in analyse_run(read_run(run)).findings if each.check == OTHERS_AT_WORK] == []


def test_each_trial_is_told_with_what_was_found_before_it(tmp_path: Path) -> None:
    def busy(words: str) -> Check:
        return Check(name="other processes", found=words, good=False, advice="end them")

    verdicts = analyse(
        written(tmp_path, None, machine={1: busy("process_api 10%"), 2: busy("rustc 198%"), 4: busy("process_api 10%")})
    )
    assert verdicts.notes == ["other processes before trials 1, 4: process_api 10%; before trial 2: rustc 198%"]
