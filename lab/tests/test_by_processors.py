"""`compare A B --cpus 1,2,4`: what a comparison comes to on each number of processors, and by which law each server grows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from steelyard import report
from steelyard.analyse.analysis import Analysis, analyse_run, full_analysis
from steelyard.analyse.by_processors import processor_series
from steelyard.base.errors import ConfigurationError
from steelyard.commands.compare import CompareOptions, subjects_on_processors
from steelyard.hosts import cpus
from steelyard.hosts.cpus import Shares
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

FIRST, SECOND = "tomcat-metro", "go"


def law(rate: float, contention: float, processors: int) -> float:
    """Requests/s by the scalability law without coherency."""
    return rate * processors / (1 + contention * (processors - 1))


def planted(levels: list[int], **more: Any) -> Planted:
    """A run in which the first grows nearly in proportion, and the second with much contention."""
    rates = {f"{FIRST}@cpus={level}": law(1200.0, 0.02, level) for level in levels}
    rates |= {f"{SECOND}@cpus={level}": law(1000.0, 0.4, level) for level in levels}
    return Planted(**{"rates": rates, "reference": f"{FIRST}@cpus={levels[0]}", "pairs": 4, **more})


def analysed(folder: Path, levels: list[int], **more: Any) -> Analysis:
    return analyse_run(read_run(write_run(folder / "run", planted(levels, **more))))


def test_a_sentence_has_the_ratio_on_the_fewest_and_on_the_most_processors(tmp_path: Path) -> None:
    steady = analysed(tmp_path, [1, 2, 12], fork_deviation=1e-4, pair_deviation=1e-4)
    [sentence] = steady.verdicts.by_processors
    number = r"([0-9.]+)"
    said = re.fullmatch(
        rf"{FIRST} is {number} times \({number} to {number}\) as fast as {SECOND} on 1 processor and {number} times "
        rf"\({number} to {number}\) on 12 \(on echoStruct, 95% intervals\)\.",
        sentence,
    )
    assert said is not None, sentence
    on_one, _, _, on_twelve, low, high = map(float, said.groups())
    assert on_one == pytest.approx(1.2, rel=1e-3)
    assert low <= on_twelve <= high and on_twelve == pytest.approx(
        law(1200.0, 0.02, 12) / law(1000.0, 0.4, 12), rel=1e-3
    )


def test_six_numbers_of_processors_give_the_law_with_intervals(tmp_path: Path) -> None:
    grown = analysed(tmp_path, [1, 2, 4, 6, 8, 12], fork_deviation=0.002, pair_deviation=0.002)
    _, first, second = grown.verdicts.by_processors
    assert first.startswith(f"{FIRST} follows the scalability law with contention 0.02")
    assert second.startswith(f"{SECOND} follows the scalability law with contention 0.40") and "95% interval" in second


def test_the_report_shows_throughput_and_processor_time_over_processors(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", planted([1, 2]))
    page = report.write_page(full_analysis(run)).read_text(encoding="utf-8")
    section = page[page.index('<section id="by-processors">') :].split("</section>")[0]
    assert "Throughput, requests/s" in section and "Server CPU time per request, µs" in section
    assert "Coefficients of the scalability law need 6 numbers of processors." in section
    assert "What a server gains from more of them" not in page


def test_other_runs_have_no_such_section(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=1, pairs=2))
    assert processor_series(read_run(run)) == []
    assert 'id="by-processors"' not in report.write_page(full_analysis(run)).read_text(encoding="utf-8")


def test_each_subject_is_compared_on_each_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "share", lambda: Shares([0, 1, 2, 3], [4]))
    words = subjects_on_processors(CompareOptions(subjects=["go@gc=off", "plain"], cpus="1, 4"))
    assert words == ["go@gc=off@cpus=1", "go@gc=off@cpus=4", "plain@cpus=1", "plain@cpus=4"]
    with pytest.raises(ConfigurationError, match="servers can have 4 processors on this machine") as caught:
        subjects_on_processors(CompareOptions(subjects=["go", "plain"], cpus="1,2,8"))
    assert caught.value.hint == "--cpus 1,2 fits"


@pytest.mark.parametrize("words", ["0", "1,1", "two", "1,"])
def test_numbers_of_processors_that_are_none_are_refused(words: str, tmp_path: Path) -> None:
    ran = steelyard("compare", "go", "plain", "--cpus", words, folder=tmp_path)
    assert ran.code != 0 and f"--cpus takes different whole numbers, not '{words}'" in ran.err
