"""A grid: a cell for each combination of operation, users and payload, judged together or by one of them."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.sentences import over_cells
from steelyard.base.errors import ConfigurationError, ContractError
from steelyard.catalogue import entries
from steelyard.models.records import Schedule
from steelyard.models.study import Grid, Study
from steelyard.plan.cells import operations_of, sessions_of
from steelyard.plan.kinds import warm_up_cells
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.slices import head_start_slices, most_head_start_slices, most_warm_up_slices
from steelyard.plan.subjects import subjects_of
from steelyard.report.charts.heat_map import heat_map
from steelyard.report.markdown import markdown_of
from steelyard.report.page import html_of
from steelyard.report.sections import grid as grid_section
from steelyard.report.sections import matrix
from steelyard.results.stored_run import Run, read_run
from steelyard.statistics.verdict_words import Word
from steelyard.workload import corpus, exchanges
from synthetic import Planted, write_run

SIZES = entries.study("wstest-sizes").model


def planned(study: Study = SIZES, **wishes: Any) -> Schedule:
    return schedule_only(study, Request(**wishes))


def with_grid(**changes: Any) -> Study:
    return SIZES.model_copy(update={"grid": [SIZES.grid[0].model_copy(update=changes)]})


def test_each_combination_is_a_cell_that_says_what_it_asks() -> None:
    cells = planned().cells
    assert [(cell.users, cell.payload["ListSize"]) for cell in cells] == [
        (1, 1), (8, 1), (1, 20), (8, 20), (1, 200), (8, 200),
    ]  # fmt: skip
    assert cells[3].name == "echoList ListSize=20 users=8"
    assert cells[3].where == "echoList (ListSize 20, 8 users)"
    assert cells[3].request_mix == {"echoList@ListSize=20": 1.0}
    assert cells[3].operation == "echoList"


def test_all_are_judged_as_one_family_unless_one_is_named() -> None:
    assert {(cell.primary, cell.family) for cell in planned().cells} == {(True, "grid 1")}
    one = planned(with_grid(judged={"users": 8, "ListSize": 20}))
    assert [cell.name for cell in one.cells if cell.primary] == ["echoList ListSize=20 users=8"]
    assert {cell.family for cell in one.cells} == {""}


def test_a_judged_cell_that_is_not_in_the_grid_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no cell of the grid is judged"):
        planned(with_grid(judged={"users": 9}))


def test_a_payload_that_the_service_does_not_know_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"payload 'ListSise'.*did you mean 'ListSize'"):
        planned(with_grid(payload={"ListSise": [1]}))


def test_users_of_the_command_line_take_the_place_of_the_grids() -> None:
    assert {cell.users for cell in planned(users=3).cells} == {3}


def test_the_smallest_and_the_largest_payload_by_most_users_are_warmed_up_in() -> None:
    assert [cell.name for cell in warm_up_cells(planned().cells)] == [
        "echoList ListSize=1 users=8", "echoList ListSize=200 users=8",
    ]  # fmt: skip
    users_alone = planned(with_grid(users=[1, 8], payload={"ListSize": [20]}))
    assert [cell.name for cell in warm_up_cells(users_alone.cells)] == ["echoList ListSize=20 users=8"]


def test_where_sizes_are_compared_a_head_start_may_go_on_to_the_limit_of_the_warm_up() -> None:
    sized = planned()
    assert most_head_start_slices(sized) == most_warm_up_slices(sized) > head_start_slices(sized) > 0
    plain = schedule_only(entries.study("wstest").model, Request())
    assert most_head_start_slices(plain) == head_start_slices(plain) > 0


def test_a_study_has_tests_or_a_grid() -> None:
    tests = entries.study("soaservers").model.tests[:1]
    with pytest.raises(ValidationError, match="tests or a grid, not both"):
        Study.model_validate(
            SIZES.model_dump() | {"operations": [tests[0].operation, "echoList"], "tests": [tests[0].model_dump()]}
        )


def test_a_percentile_of_response_times_is_judged_under_open_load_alone() -> None:
    closed = {**entries.study("wstest").model.model_dump(), "judged_by": "response_time_p99"}
    with pytest.raises(ValidationError, match="judged_by = response_time_p99 needs an open load"):
        Study.model_validate(closed)
    assert Study.model_validate({**closed, "rate": 100.0}).judged_by == "response_time_p99"


def test_a_grid_names_operations_of_the_study() -> None:
    with pytest.raises(ValidationError, match="the grid names 'echoVoid'"):
        Study.model_validate(SIZES.model_dump() | {"grid": [Grid(operations=["echoVoid"]).model_dump()]})


def test_the_corpus_has_requests_of_every_size_under_their_own_names(tmp_path: Path) -> None:
    wanted = corpus.requests_of(planned().cells, {"ListSize": 20, "NumBytes": 10}, {})
    made = corpus.make(entries.service("wstest"), tmp_path / "corpus", wanted, seed=1, count=3)
    sizes: dict[str, list[int]] = {}
    with (made.folder / "corpus.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes.setdefault(row["operation"], []).append(int(row["length"]))
    assert {name: len(lengths) for name, lengths in sizes.items()} == {
        "echoList@ListSize=1": 3, "echoList@ListSize=20": 3, "echoList@ListSize=200": 3,
    }  # fmt: skip
    assert max(sizes["echoList@ListSize=1"]) < min(sizes["echoList@ListSize=20"]) < min(sizes["echoList@ListSize=200"])


def test_every_word_of_a_verdict_can_stand_in_the_heat_map(tmp_path: Path) -> None:
    """Those that decide nothing had a map of their own words, and a new one ended the report."""
    run = read_run(write_run(tmp_path / "run", Planted(rates={"go": 1000.0, "tomcat-metro": 900.0})))
    judgement = next(one for one in analyse_run(run).judgements if one.compared.primary)
    shown = heat_map("grid", "echoStruct", [replace(judgement, word=word) for word in Word])
    assert shown is not None
    words = [word for *_, word in shown.rows]
    assert words == ["faster", "slower", "equal", "undecided", "unconfirmed", "too few forks"]


def gridded(tmp_path: Path) -> Run:
    """Three cells of one family in which the subjects differ as planted: faster in two, of which one by more."""
    planted = Planted(
        rates={"go": 1200.0, "tomcat-metro": 1000.0},
        reference="tomcat-metro",
        cells={"small": 1.0, "large": 1.0, "huge": 1.0},
    )
    return in_one_family(read_run(write_run(tmp_path / "run", planted)))


def in_one_family(run: Run) -> Run:
    cells = [cell.model_copy(update={"primary": True, "family": "grid 1"}) for cell in run.schedule.cells]
    return replace(run, schedule=run.schedule.model_copy(update={"cells": cells}))


def test_the_headline_is_one_sentence_over_the_grid_and_each_cell_has_its_own_below(tmp_path: Path) -> None:
    analysis = analyse_run(gridded(tmp_path))
    (headline,) = analysis.sentences
    assert headline.verdict.startswith(
        "Over a grid of 3 cells of 3 operations, on this machine, at this hour, go is faster than tomcat-metro in all 3, 1."
    )
    assert headline.basis == "adjusted for 3 cells, 4 forks"
    assert analysis.verdicts.sentence == str(headline)
    below = grid_section.content(analysis)
    assert below is not None
    sentences = [str(one) for one in below["sentences"]]  # type: ignore[attr-defined]
    assert [sentence.split(":")[0] for sentence in sentences] == [
        f"go is faster than tomcat-metro on {cell}" for cell in ("small", "large", "huge")
    ]


def of_several_subjects(tmp_path: Path) -> Run:
    """Three sizes of one family by four subjects: beside "a", "b" is slower, "c" faster, and of "d" too little was measured."""
    planted = Planted(
        rates={"a": 1000.0, "b": 700.0, "c": 1500.0, "d": 1005.0},
        reference="a",
        cells={"small": 1.0, "large": 1.0, "huge": 1.0},
        seed=3,
    )
    run = in_one_family(read_run(write_run(tmp_path / "run", planted)))
    cells = [
        cell.model_copy(update={"payload": {"Stories": 5 * (place + 1)}})
        for place, cell in enumerate(run.schedule.cells)
    ]
    return replace(run, schedule=run.schedule.model_copy(update={"cells": cells}))


def test_of_several_subjects_one_sentence_sums_the_grid_up_and_each_ones_own_is_folded_below(tmp_path: Path) -> None:
    analysis = analyse_run(of_several_subjects(tmp_path))
    headline, *below = analysis.sentences
    assert re.fullmatch(
        r"Over a grid of 3 cells of 3 operations, on this machine, at this hour, by throughput beside a: "
        r"b is slower in all 3 \(0\.[\d to.]+ times\); c is faster in all 3 \(1\.[\d to.]+ times\); no decision on d",
        headline.verdict,
    )
    assert [wording.verdict.split(", ")[3].split(" is ")[0] for wording in below] == ["b", "c", "d"]
    assert not headline.detail and all(wording.detail for wording in below)
    assert analysis.verdicts.sentence == str(headline)
    page = html_of(analysis)
    in_full = page.index('id="in-full"')
    assert page.index(headline.verdict) < in_full < page.index("Subject by subject") < page.index(below[0].verdict)
    assert below[0].verdict not in markdown_of(analysis)


def test_of_several_subjects_a_matrix_has_each_cell_by_its_size(tmp_path: Path) -> None:
    content = matrix.content(analyse_run(of_several_subjects(tmp_path)))
    assert content is not None
    [table] = content["matrices"]  # type: ignore[misc]
    lines = table.lines
    assert [line.name for line in lines] == [  # type: ignore[attr-defined]
        "Stories 5, 8 users", "Stories 10, 8 users", "Stories 15, 8 users",
    ]  # fmt: skip
    assert [[square.word for square in line.squares[:2]] for line in lines] == [["slower", "faster"]] * 3  # type: ignore[attr-defined]
    assert {line.anchor for line in lines} == {"grid"}  # type: ignore[attr-defined]


def test_a_grid_of_one_subject_beside_the_reference_has_its_map_and_no_matrix(tmp_path: Path) -> None:
    assert matrix.content(analyse_run(gridded(tmp_path))) is None


def test_the_headline_counts_the_cells_of_each_word_and_names_those_that_stand_alone(tmp_path: Path) -> None:
    judgements = [one for one in analyse_run(gridded(tmp_path)).judgements if one.compared.primary]
    mixed = [judgements[0], replace(judgements[1], word=Word.UNDECIDED), replace(judgements[2], word=None)]
    sentence = over_cells(mixed).verdict
    assert re.fullmatch(
        r"Over a grid of 3 cells of 3 operations, on this machine, at this hour, go is faster than tomcat-metro in 1 \(small\), "
        r"1\.\d+ times the throughput; undecided in 1 \(large\); without a verdict in 1 \(huge\)",
        sentence,
    )


def test_the_headline_tells_in_how_many_equivalent_cells_a_small_difference_was_shown(tmp_path: Path) -> None:
    judgements = [one for one in analyse_run(gridded(tmp_path)).judgements if one.compared.primary]
    small = [
        replace(judgements[0], word=Word.EQUIVALENT, direction=Word.SLOWER),
        replace(judgements[1], word=Word.EQUIVALENT, direction=None),
        replace(judgements[2], word=Word.EQUIVALENT, direction=Word.SLOWER),
    ]
    sentence = over_cells(small).verdict
    assert sentence.endswith("go is equivalent to tomcat-metro in all 3 (slower by less than the margin in 2)")
    assert over_cells([small[1]] * 3).verdict.endswith("go is equivalent to tomcat-metro in all 3")


def test_the_headline_names_the_operations_of_its_grid_among_others(tmp_path: Path) -> None:
    run = gridded(tmp_path)
    asked = [{"echoStruct": 1.0}, {"echoList": 1.0}, {"echoList": 1.0}]
    cells = [cell.model_copy(update={"mix": mix}) for cell, mix in zip(run.schedule.cells, asked, strict=True)]
    (headline,) = analyse_run(replace(run, schedule=run.schedule.model_copy(update={"cells": cells}))).sentences
    assert headline.verdict.startswith(
        "Over a grid of 3 cells of echoStruct and echoList, on this machine, at this hour, go is faster"
    )


def test_sessions_stand_in_a_grid_with_a_payload_each_with_requests_of_its_own() -> None:
    visit = {
        "steps": [
            {"operation": "echoVoid"},
            {"operation": "echoList", "captures": {"x": {"kind": "header", "name": "X"}}},
        ]
    }
    study = Study.model_validate(
        SIZES.model_dump(exclude_defaults=True)
        | {"operations": ["visit"], "primary": "visit", "sessions": {"visit": visit}}
    )
    cells = planned(study, users=2).cells
    assert operations_of(cells[1], study.sessions) == {
        "echoVoid@ListSize=20": "echoVoid",
        "echoList@ListSize=20": "echoList",
    }
    known = sessions_of(cells, study.sessions)
    assert (
        list(known)
        == ["visit@ListSize=1", "visit@ListSize=20", "visit@ListSize=200"]
        == [*cells[0].request_mix, *cells[1].request_mix, *cells[2].request_mix]
    )
    assert [step.operation for step in known["visit@ListSize=20"].steps] == [
        "echoVoid@ListSize=20",
        "echoList@ListSize=20",
    ]
    assert set(known["visit@ListSize=1"].steps[1].captures) == {"x"}


def test_a_grid_of_corners_and_centre_has_those_unless_the_whole_is_asked_for() -> None:
    study = with_grid(users=[5, 10, 15, 20], payload={"ListSize": [10, 30, 60]}, cells="corners-and-centre")
    assert [(cell.payload["ListSize"], cell.users) for cell in planned(study).cells] == [
        (10, 5), (10, 20), (30, 10), (60, 5), (60, 20),
    ]  # fmt: skip
    assert len(planned(study, whole_grid=True).cells) == 12


def test_a_corpus_of_large_requests_ends_at_its_bytes_and_asks_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "MOST_BYTES", 400_000)
    wanted = {"echoList": corpus.Requests("echoList", {"ListSize": 200})}
    made = corpus.make(entries.service("wstest"), tmp_path / "corpus", wanted, seed=1, count=1000)
    lengths = [int(row["length"]) for row in csv.DictReader((made.folder / "corpus.csv").open(encoding="utf-8"))]
    assert corpus.LEAST_ENTRIES <= len(lengths) < 1000
    assert sum(lengths[:-1]) < 400_000 <= sum(lengths)
    assert (made.folder / "corpus.bin").stat().st_size == sum(lengths)


def test_a_generator_that_prints_nothing_is_ended_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "GENERATE_SECONDS", 0.3)
    service = entries.service("wstest")
    silent = ["python3", "-c", "import time; time.sleep(60)"]
    mute = replace(service, model=service.model.model_copy(update={"generate": silent}))
    with pytest.raises(ContractError, match=r"printed nothing for 0\.3 s, and was stopped"):
        list(exchanges.generate_exchanges(mute, "echoVoid", seed=1, count=1, parameters={}))


def test_a_generator_that_fails_says_so_in_its_own_words() -> None:
    service = entries.service("wstest")
    failing = ["python3", "-c", "import sys; sys.exit('there is no more paper')"]
    broken = replace(service, model=service.model.model_copy(update={"generate": failing}))
    with pytest.raises(ContractError, match="failed: there is no more paper"):
        list(exchanges.generate_exchanges(broken, "echoVoid", seed=1, count=1, parameters={}))


def test_a_grid_with_a_name_is_driven_where_it_is_asked_for_in_the_place_of_those_without() -> None:
    study = SIZES.model_copy(
        update={"grid": [*SIZES.grid, SIZES.grid[0].model_copy(update={"name": "large", "users": [2]})]}
    )
    assert {(cell.users, cell.family) for cell in planned(study).cells} == {(1, "grid 1"), (8, "grid 1")}
    assert {(cell.users, cell.family) for cell in planned(study, grids=["large"]).cells} == {(2, "grid 2")}
    with pytest.raises(ConfigurationError, match=r"no grid 'lage'.*did you mean 'large'"):
        planned(study, grids=["lage"])


def test_the_kit_grows_from_10_kb_to_5_mb_in_five_steps_that_are_about_alike() -> None:
    study, service = entries.study("soakit").model, entries.service("soakit")
    cells = planned(study, grids=["growth"], only=["tomcat-metro"]).cells
    assert all(cell.may_refuse for cell in cells)
    for operation in study.operations:
        sizes = [
            len(
                next(
                    iter(exchanges.generate_exchanges(service, operation, seed=1, count=1, parameters=cell.payload))
                ).request
            )
            for cell in cells
            if cell.operation == operation
        ]
        assert len(sizes) == 5
        assert 9e3 < sizes[0] < 13e3 and 4.5e6 < sizes[-1] < 5.6e6, operation
        assert all(3.5 < larger / smaller < 6.5 for smaller, larger in pairwise(sizes)), operation


@pytest.mark.parametrize("name", sorted(entries.study_files()))
def test_no_cell_of_a_study_is_called_what_the_engine_refuses(name: str) -> None:
    study = entries.study(name).model
    for grid in {grid.name for grid in study.grid} or {""}:
        for cell in planned(study, **({"grids": [grid]} if grid else {})).cells:
            for asked in cell.request_mix:
                assert re.fullmatch(r"[^\s,/\"'\x00-\x1f\x7f]+", asked), asked


@pytest.mark.parametrize("technique", ["binding", "stax", "dom", "soapelement"])
def test_each_technique_of_the_kit_can_be_asked_for_by_its_name(technique: str) -> None:
    (spec,) = subjects_of(entries.study("soakit").model, [f"wildfly@{technique}"])
    assert spec.label == f"wildfly@{technique}"
    assert spec.parts[0].factors == {"heap": "1g", "technique": technique}
