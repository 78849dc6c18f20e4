"""One comparison on several machines, the machine as the highest level: known answers, and the output of such a run."""

from __future__ import annotations

import io
import json
import math
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from rich.console import Console
from steelyard.analyse.machines import ClusterAnalysis, analyse_cluster
from steelyard.base.errors import InsufficientDataError
from steelyard.commands import printing
from steelyard.models.cluster import ClusterRun, Incident, Machine, MachinesVerdict
from steelyard.models.records import Schedule
from steelyard.report import machines_page
from steelyard.results import cluster_folder
from steelyard.statistics.campaigns import Found, random_effects
from steelyard.statistics.machines import over_machines
from steelyard.statistics.verdict_words import Better, PValues, Word, words_of
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"


def test_machines_that_differ_have_the_mean_spread_and_prediction_of_random_effects() -> None:
    """By hand: three machines of equal errors, where the mean is plain and its error the deviation over the root of three."""
    logs, error = [0.10, 0.20, 0.30], 0.01
    together = over_machines([Found(log, error) for log in logs])
    assert together.mean.estimate == pytest.approx(0.2)
    assert together.spread == pytest.approx(math.sqrt(0.01 - error**2))  # variance 0.1^2 less what forks explain
    assert together.error == pytest.approx(0.1 / math.sqrt(3))
    assert together.mean.high - 0.2 == pytest.approx(4.302653 * 0.1 / math.sqrt(3), rel=1e-6)  # Student's t, 2 degrees
    half = 4.302653 * math.sqrt(0.01 - error**2 + 0.01 / 3 + error**2)
    assert together.prediction is not None and together.prediction.high - 0.2 == pytest.approx(half, rel=1e-6)


def test_machines_that_agree_by_luck_are_no_surer_than_their_forks() -> None:
    alike = [Found(0.1, 0.02), Found(0.1001, 0.02), Found(0.1, 0.02)]
    narrow, together = random_effects(alike).mean, over_machines(alike)
    assert together.spread == 0.0
    assert together.mean.high - together.mean.estimate == pytest.approx(1.959964 * 0.02 / math.sqrt(3), rel=1e-4)
    assert narrow.high - narrow.estimate < 0.01 * (together.mean.high - together.mean.estimate)


def test_the_words_over_machines_are_those_of_their_interval() -> None:
    apart = over_machines([Found(log, 0.01) for log in (0.28, 0.30, 0.33)])
    same = over_machines([Found(log, 0.002) for log in (0.001, -0.002, 0.0015)])
    unclear = over_machines([Found(log, 0.01) for log in (0.30, -0.25, 0.1)])
    for together, better, expected in (
        (apart, Better.HIGHER, Word.FASTER),
        (apart, Better.LOWER, Word.SLOWER),
        (same, Better.HIGHER, Word.EQUIVALENT),
        (unclear, Better.HIGHER, Word.UNDECIDED),
    ):
        tested = PValues(together.equivalence_p(0.03), together.difference_p(), together.mean.estimate > 0, better)
        assert [given.word for given in words_of([tested], 0.05)] == [expected]
    assert apart.difference_p() < 0.05 < unclear.difference_p()


def test_no_more_than_five_in_a_hundred_comparisons_over_machines_are_false() -> None:
    draw = random.Random(20261124)
    rounds, false = 1500, 0
    for _ in range(rounds):
        machines = [Found(draw.gauss(draw.gauss(0.0, 0.04), 0.02), 0.02) for _ in range(4)]
        false += over_machines(machines).difference_p() <= 0.05
    assert false / rounds <= 0.065  # 0.05 and twice its error


def test_one_machine_says_nothing_of_machines() -> None:
    with pytest.raises(InsufficientDataError):
        over_machines([Found(0.1, 0.02)])


def cluster(folder: Path, rates: list[float], incidents: list[Incident] | None = None, **planted: Any) -> Path:
    """A run on as many machines as there are rates of A, each with forks of its own; B has 10,000 on each."""
    machines, trials = [], []
    for place, rate in enumerate(rates, 1):
        own = {"forks": 3, "pairs": 5, "seed": place, "rates": {A: rate, B: 10_000.0}, **planted}
        machine = {"processor": f"Processor <{place}>", "processors": 2, "kernel": "6.1"}
        run = write_run(folder / "machines" / f"machine-{place}", Planted(environment={"machine": machine}, **own))
        schedule = Schedule.model_validate_json((run / "schedule.json").read_text())
        numbers = [len(trials) + n for n in range(1, len(schedule.trials) + 1)]
        renumbered(run, schedule, numbers)
        schedule = Schedule.model_validate_json((run / "schedule.json").read_text())
        trials += schedule.trials
        machines.append(Machine(name=f"machine-{place}", identity=f"mark{place}", trials=numbers))
    whole = schedule.model_copy(update={"trials": trials})
    cluster_folder.write_cluster(folder, ClusterRun(schedule=whole, machines=machines, incidents=incidents or []))
    return folder


def renumbered(run: Path, schedule: Schedule, numbers: list[int]) -> None:
    """The trials of a run under other numbers, as a machine of a cluster has them."""
    for plan, number in reversed(list(zip(schedule.trials, numbers, strict=True))):
        place = run / "trials" / f"{plan.number:02d}"
        record = json.loads((place / "trial.json").read_text())
        (place / "trial.json").write_text(json.dumps({**record, "number": number}))
        place.rename(run / "trials" / f"{number:02d}")
    trials = [plan.model_copy(update={"number": number}) for plan, number in zip(schedule.trials, numbers, strict=True)]
    (run / "schedule.json").write_text(schedule.model_copy(update={"trials": trials}).model_dump_json())


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three machines of which A has 70%, 75% and 80% of B's throughput."""
    lost = Incident(at="2026-01-05T10:00:00+00:00", kind="lost", machine="machine-2", trial=4, message="<gone>")
    return cluster(tmp_path_factory.mktemp("three") / "run", [7_000.0, 7_500.0, 8_000.0], [lost])


@pytest.fixture(scope="module")
def analysis(three: Path) -> ClusterAnalysis:
    """What is said of the three machines."""
    return analyse_cluster(three)


def test_three_machines_give_a_word_a_spread_and_what_the_next_would_find(analysis: ClusterAnalysis) -> None:
    verdict = analysis.verdict
    (primary,) = verdict.comparisons
    assert (primary.verdict, primary.direction, primary.counted, primary.forks) == ("slower", "slower", 3, 9)
    assert primary.ratio == pytest.approx(0.749, abs=0.02)
    assert primary.spread is not None and 0.03 < primary.spread < 0.11
    assert primary.prediction is not None and primary.interval is not None
    assert primary.prediction[0] < primary.interval[0] < 0.75 < primary.interval[1] < primary.prediction[1]
    assert verdict.valid and verdict.status == "complete" and verdict.missing == []
    assert f"{A} is slower than {B} on echoStruct, on these 3 machines: 0.7" in verdict.sentence
    assert "the next machine is expected to find" in verdict.sentence


def test_the_page_draws_each_machine_and_escapes_what_it_is_called(analysis: ClusterAnalysis) -> None:
    page = machines_page.html_of(analysis)
    assert "Processor &lt;2&gt;" in page and "&lt;gone&gt;" in page and "<gone>" not in page
    assert page.count("machine-3/report.html") == 1
    assert "the next machine" in page and "machines such as these" in page
    assert re.search(r"<svg[^>]*>", page) and not re.search(r"https?://(?!www.w3.org/2000/svg)|src=", page)


def test_report_of_such_a_run_writes_its_page_and_those_of_its_machines(three: Path, tmp_path: Path) -> None:
    ran = steelyard("report", str(three), "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    verdict = MachinesVerdict.model_validate_json(ran.out)
    stored = json.loads((three / "machines.json").read_text())
    assert stored["comparisons"] == json.loads(ran.out)["comparisons"]
    assert [machine.complete for machine in verdict.machines] == [3, 3, 3]
    for path in ("report.html", "machines/machine-1/report.html", "machines/machine-3/verdicts.json"):
        assert (three / path).is_file(), path
    terminal = Console(width=200, file=io.StringIO(), record=True)
    printing.show_machines(verdict, terminal)
    said = terminal.export_text()
    assert "machine-2, trial 4: lost: <gone>" in said and "on these 3 machines" in said
    ran = steelyard("report", str(three), "--markdown", folder=tmp_path)
    assert ran.code == 64 and "do not take a run on several machines" in ran.err


def test_a_machine_that_does_not_count_is_named_and_no_part_of_the_mean(three: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(three, folder)
    for path in sorted((folder / "machines/machine-3/trials").iterdir())[1:]:
        shutil.rmtree(path)
    verdict = analyse_cluster(folder).verdict
    (primary,) = verdict.comparisons
    assert primary.counted == 2 and primary.prediction is None
    assert primary.machines[2].why_not == "only 1 fork of at least 2 can be counted"
    assert "machine-3 does not count: only 1 fork of at least 2 can be counted" in verdict.sentence
    assert (verdict.status, verdict.missing) == ("partial", [8, 9])


def test_one_machine_has_its_own_verdict_and_none_over_machines(tmp_path: Path) -> None:
    verdict = analyse_cluster(cluster(tmp_path / "run", [8_000.0])).verdict
    (primary,) = verdict.comparisons
    assert primary.verdict is None and primary.interval is None and primary.ratio == pytest.approx(0.8, abs=0.03)
    assert "No verdict over machines" in verdict.sentence and "only machine-1 counts" in verdict.sentence


def test_a_run_to_which_nothing_came_home_says_why(tmp_path: Path) -> None:
    folder = cluster(tmp_path / "run", [8_000.0])
    shutil.rmtree(folder / "machines/machine-1/trials")
    verdict = analyse_cluster(folder).verdict
    assert not verdict.valid and verdict.why_not == ["no machine completed a trial"] and verdict.missing == [1, 2, 3]
