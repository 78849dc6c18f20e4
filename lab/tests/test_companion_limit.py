"""Where the database was the limit, that is the answer, and there is no verdict on servers."""

from __future__ import annotations

from pathlib import Path

from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.analyse.companion_limit import CHECK
from steelyard.analyse.instrument import Level
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"


def analysed(folder: Path, databases: dict[str, float], engine_share: float = 0.3) -> Analysis:
    return analyse_run(read_run(write_run(folder, Planted(databases=databases, engine_share=engine_share))))


def levels(found: Analysis) -> dict[str | None, Level]:
    return {finding.subject: finding.level for finding in found.findings if finding.check == CHECK}


def test_a_busy_database_is_the_answer_and_no_server_is_judged(tmp_path: Path) -> None:
    found = analysed(tmp_path, {A: 0.4, B: 0.65})
    assert levels(found) == {A: Level.OK, B: Level.INVALID}
    assert not found.verdicts.valid
    (why,) = found.verdicts.why_not
    assert why == (
        "the database was the limit with go on echoStruct: its processors were 95% busy (database 65% and engine 30%), so this "
        "is no verdict on servers"
    )


def test_a_database_with_time_to_spare_changes_no_verdict(tmp_path: Path) -> None:
    found = analysed(tmp_path / "spare", {A: 0.4, B: 0.5})
    assert levels(found) == {A: Level.OK, B: Level.OK}
    assert found.verdicts.valid
    (primary,) = [each for each in found.verdicts.comparisons if each.primary]
    (alone,) = [each for each in analysed(tmp_path / "alone", {}).verdicts.comparisons if each.primary]
    assert (primary.verdict, primary.ratio) == (alone.verdict, alone.ratio)


def test_a_busy_engine_beside_an_idle_database_is_no_limit_of_the_database(tmp_path: Path) -> None:
    assert levels(analysed(tmp_path, {A: 0.05, B: 0.05}, engine_share=0.88)) == {A: Level.OK, B: Level.OK}
