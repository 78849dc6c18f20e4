"""The paper on layers as data: its tables agree with the study and with themselves, and what they contradict is recomputed."""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path

import pytest
from kept_runs import KEPT_RUNS
from lxml import html
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.analyse.claims import judge_claims, stored_fork_values
from steelyard.base import paths
from steelyard.base.csvfiles import read_document
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.catalogue import entries
from steelyard.catalogue.published_layers import (
    LAYERS,
    MEASURES,
    PublishedLayer,
    read_published_layers,
    read_published_measures,
)
from steelyard.catalogue.published_tables import CLAIMS, contradiction_by, keep, layer_quantities, read_conclusions
from steelyard.models.job import FixedWork
from steelyard.models.records import Schedule
from steelyard.models.verdict import Figure, Verdicts
from steelyard.plan.kinds import warm_up_cells
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.report import write_report
from steelyard.report.claim_rows import claim_row
from steelyard.report.page import html_of
from steelyard.report.sections import paper_layers
from steelyard.results.stored_run import Run, read_model, read_run
from steelyard.workload.corpus import requests_of
from synthetic import Planted, write_run

FOLDER = paths.root() / "papers" / "flight"
ROWS = read_published_layers(FOLDER / LAYERS)
MEASURED = read_published_measures(FOLDER / MEASURES)
STUDY = entries.study("flight").model
SERVICE = entries.service("flight").model


def of(table: str, test: str, kind: str = "") -> list[PublishedLayer]:
    return [row for row in ROWS if (row.table, row.test, row.kind) == (table, test, kind)]


def test_every_printed_row_has_its_test_its_layer_its_kind_and_its_measure() -> None:
    tests = {test.name for test in STUDY.tests if not test.cold}
    assert {row.test for row in ROWS} | {row.test for row in MEASURED} == tests
    assert {row.factors for row in (*ROWS, *MEASURED)} <= {"", *STUDY.sets}
    assert {row.layer for row in ROWS} == {layer.name for layer in SERVICE.layers}
    assert {row.kind for row in ROWS} <= {"", *(kind.name for kind in SERVICE.request_kinds)}
    assert {row.measure for row in MEASURED} == {measure.name for measure in STUDY.measures}


def test_each_breakdown_has_six_slices_that_make_up_a_request() -> None:
    breakdowns = {(row.table, row.test, row.factors, row.kind) for row in ROWS}
    assert len(breakdowns) == 1 + 3 + 4 + 8 + 4
    for one in breakdowns:
        shares = [float(row.percent) for row in ROWS if (row.table, row.test, row.factors, row.kind) == one]
        assert len(shares) == 6 and sum(shares) == pytest.approx(100, abs=0.05), one


def test_the_slices_of_table_1_add_up_to_neither_number_of_the_text() -> None:
    total = sum(float(row.ms) for row in of("1", "breakdown"))
    assert total == pytest.approx(289.89, abs=0.005)
    for row in of("1", "breakdown"):
        assert float(row.ms) / total * 100 == pytest.approx(float(row.percent), abs=0.01)
    (said,) = (each for each in STUDY.contradicting if each.about.startswith("time of a request"))
    assert [statement.low for statement in said.statements] == [pytest.approx(total, abs=0.005), 300, 332.52]


def test_each_claim_that_is_called_contradicted_is_so_however_its_tables_were_rounded() -> None:
    claims = read_conclusions(FOLDER / CLAIMS).contradicted
    share, time = (contradiction_by(claim, layer_quantities(FOLDER)) for claim in claims)
    assert share.holds and time.holds
    assert share.figure == pytest.approx(50.62 - 45.16) and share.low > share.claim.most == 0
    assert time.figure == pytest.approx(332.52) and time.claim.most == 315


def test_what_the_paper_claims_against_itself_stands_in_the_report(tmp_path: Path) -> None:
    run = write_run(tmp_path, Planted())
    shutil.copy(FOLDER / "flight.toml", run / "study.toml")
    keep(FOLDER / "flight.toml", run)
    page = write_report(run).read_text()
    section = page[page.index('id="paper-claims"') :]
    for said in (
        "share of the service layer decreases",
        "5.46 percent points",
        "332.52",
        "10 users",
    ):
        assert said in section, said


def test_users_are_those_of_the_paper_and_ten_is_none_of_them() -> None:
    usual = [test for test in STUDY.tests if test.name in STUDY.usual_tests]
    users = [test.profile.users for test in usual if isinstance(test.profile, FixedWork) and not test.cold]
    assert users == [1, 2, 4, 8, 16]
    assert all(isinstance(test.profile, FixedWork) and test.profile.each == 50 for test in STUDY.tests)


def test_three_experiments_share_a_base_that_is_measured_once() -> None:
    schedule = schedule_only(STUDY, Request(tests="users-1,types,users-16", only=["tomcat-metro"]))
    assert [cell.name for cell in schedule.cells] == ["breakdown", "users-16"]


def test_a_test_s_mix_of_sessions_is_what_its_cell_asks_for() -> None:
    schedule = schedule_only(STUDY, Request(tests="users-4", only=["tomcat-metro"]))
    (cell,) = schedule.cells
    assert cell.mix == {"visit": 100, "browse": 1} and cell.kind == "block"
    assert schedule.observe == ["layers", "collector"]


def test_one_run_of_a_test_is_shortened_by_doing_less_of_its_work() -> None:
    schedule = schedule_only(STUDY, Request(tests="breakdown", only=["tomcat-metro"], scale=0.1))
    profile = schedule.cells[0].profile
    assert isinstance(profile, FixedWork) and profile.each == 5


@pytest.mark.parametrize("wrong", ["1,breakdown,,web,2.83,much", "1,breakdown,,web,?,0.98"])
def test_a_number_that_is_none_is_told_with_its_line(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / LAYERS
    path.write_text(f"table,test,kind,layer,ms,percent\n{wrong}\n")
    with pytest.raises(StoreError, match="line 2"):
        read_published_layers(path)


def test_a_study_without_such_tables_has_none(tmp_path: Path) -> None:
    assert read_published_layers(tmp_path / LAYERS) == read_published_measures(tmp_path / MEASURES) == ()


VARIATIONS = KEPT_RUNS["flight-variations"]
STORED = Verdicts.model_validate(read_document(VARIATIONS / "verdicts.json"))


def test_the_stored_figures_answer_the_claims_that_their_run_can() -> None:
    judged = list(judge_claims(read_conclusions(FOLDER / CLAIMS).claims, STORED, stored_fork_values(VARIATIONS)))
    rows = [claim_row(claim) for claim in judged if claim.answer is not None]
    answered = "\n".join(f"{row.text} {row.ours} {row.word} {row.remarks}" for row in rows)
    assert re.search(r"16 users meet more than 2\. .* percent points \(.* to .*\) holds", answered)
    assert re.search(r"about 70%\. .* not comparable .*Ours books what is loaded lazily", answered)
    assert re.search(r"level info costs nothing\. .* undecided", answered)
    left = "\n".join(claim.claim.text for claim in judged if claim.answer is None)
    assert "4.3 times as large as RMI's" in left and "4.3 times as large as RMI's" not in answered


def test_the_largest_layer_is_named_in_the_paper_and_in_the_stored_verdicts() -> None:
    run = Run(VARIATIONS, read_model(Schedule, VARIATIONS / "schedule.json"), {}, {}, ())
    shown = paper_layers.content(Analysis(run, {}, (), (), (), (), STORED))
    assert shown is not None
    said = "\n".join(shown["largest"])  # type: ignore[call-overload]
    assert re.search(
        r"Table 5, 16 users: Service with 62\.5% in the paper; here Hibernate Engine with [\d.]+% on", said
    )
    assert any("not to be compared" in row for row in shown["measures"])  # type: ignore[attr-defined]  # times are not


@functools.cache
def kept_page(name: str) -> html.HtmlElement:
    """A kept run's report; to analyse the largest one takes many seconds."""
    return html.fromstring(html_of(analyse_run(read_run(KEPT_RUNS[name]))))


def kept_section(name: str, section: str) -> str:
    """A section of a kept run's report, as its words."""
    (found,) = kept_page(name).xpath(f"//section[@id='{section}']")
    return " ".join(" ".join(found.itertext()).split())


@pytest.mark.long  # in short: the stored figures answer them
def test_a_report_answers_the_claims_that_its_run_can_and_folds_the_others() -> None:
    variations = kept_section("flight-variations", "paper-claims")
    assert re.search(r"16 users meet more than 2\. .* percent points \(.* to .*\) holds", variations)
    assert re.search(r"about 70%\. .* not comparable .*Ours books what is loaded lazily", variations)
    assert re.search(r"level info costs nothing\. .* undecided", variations)
    here, _, folded = variations.partition("claims that this run cannot answer")
    assert "4.3 times as large as RMI's" in folded and "4.3 times as large as RMI's" not in here


@pytest.mark.long  # in short: by the stored verdicts
def test_a_report_says_which_layer_is_the_largest_in_the_paper_and_here() -> None:
    said = kept_section("flight-variations", "paper-layers")
    assert re.search(
        r"Table 5, 16 users: Service with 62\.5% in the paper; here Hibernate Engine with [\d.]+% on", said
    )
    assert "not to be compared" in said  # times are not


@pytest.mark.parametrize(("printed", "word"), [(11.0, "below"), (12.0, "within"), (14.0, "above"), (0.0, "below")])
def test_a_printed_share_lies_somewhere_to_ours(printed: float, word: str) -> None:
    ours = Figure(
        subject="a", cell="c", operation="o", measure="m", title="M", unit="%", value=12.5, interval=(12, 13), forks=4
    )
    assert paper_layers.figure_beside_printed(ours, printed) == ("12.5 (12.0 to 13.0)", word)
    assert (
        paper_layers.figure_beside_printed(ours.model_copy(update={"unit": "ms"}), printed)[1] == "not to be compared"
    )
    assert paper_layers.figure_beside_printed(None, printed) == ("-", "-")


def test_cold_and_warm_are_the_same_work() -> None:
    cold, warm = (next(test for test in STUDY.tests if test.name == name) for name in ("cold", "breakdown"))
    assert cold.cold and not warm.cold
    assert (cold.profile, cold.mix, cold.operation) == (warm.profile, warm.mix, warm.operation)
    assert STUDY.restore == "test", "each on a fresh database"


def test_each_difference_that_is_asked_for_names_tests_and_measures_of_the_study() -> None:
    tests, measures = {test.name for test in STUDY.tests}, {measure.name for measure in STUDY.measures}
    assert len(STUDY.contrasts) == 3
    for contrast in STUDY.contrasts:
        assert {contrast.test, contrast.than or contrast.test} <= tests and contrast.measure in measures


def test_a_size_of_the_paper_is_a_test_that_asks_for_groups_of_its_own() -> None:
    schedule = schedule_only(STUDY, Request(tests="length-3215,length-28348", only=["tomcat-metro"]))
    small, large = schedule.cells
    assert (small.payload, large.payload) == ({"MaxGroup": 61}, {"MaxGroup": 559})
    wanted = requests_of(schedule.cells, {"MaxGroup": 100, "ErrorPermille": 125}, STUDY.sessions)
    asked = wanted["createReservation@MaxGroup=559"]
    assert asked.operation == "createReservation"
    assert asked.parameters == {"MaxGroup": 559, "ErrorPermille": 125}
    assert "createReservation" not in wanted, "nothing is asked for that no test sends"


def test_sizes_of_one_mix_of_sessions_are_warmed_up_once() -> None:
    schedule = schedule_only(STUDY, Request(tests="breakdown,length-3215,length-222281", only=["tomcat-metro"]))
    assert [cell.name for cell in warm_up_cells(schedule.cells)] == ["breakdown", "length-3215"]


def test_a_payload_that_the_service_does_not_know_is_told_before_anything_runs() -> None:
    (first, *_) = STUDY.tests
    wrong = STUDY.model_copy(
        update={"tests": [first.model_copy(update={"payload": {"MaxGruop": 3}})], "usual_tests": []}
    )
    with pytest.raises(ConfigurationError, match="'MaxGruop', which flight does not have; did you mean 'MaxGroup'"):
        schedule_only(wrong, Request(only=["tomcat-metro"]))


def test_what_was_printed_of_a_set_of_factors_stands_beside_the_subject_that_has_it(tmp_path: Path) -> None:
    run = write_run(tmp_path, Planted(rates={"a": 90.0, "a@lan-10": 80.0, "b@mine": 70.0}, reference="a"))
    under = paper_layers.Under.of(read_run(run), {"lan-10", ""})
    assert under.bases == ("a", "b@mine")
    assert under.subjects("lan-10") == ("a@lan-10", "b@mine@lan-10")
    assert under.subjects("") == ("a", "b@mine")
