"""Layers: record files as the monitor writes them, gathered, judged, broken down and shown."""

from __future__ import annotations

import csv
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from layered import files, observed, request
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.instrument import Level
from steelyard.analyse.layer_checks import NESTING, RECORDS
from steelyard.analyse.layers import breakdowns, nests
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.base.text import value_text
from steelyard.measure.trial import gathering
from steelyard.report.charts.layers import flame
from steelyard.report.layer_export import csv_lines, text_records
from steelyard.report.layer_requests import conditions, recorded_requests
from steelyard.report.page import html_of
from steelyard.report.sections import layers
from steelyard.results.keeping import raw_files
from steelyard.results.layer_records import RecordFolder, read_records
from steelyard.results.layer_table import TimedRequests, read_layers, write_layers
from steelyard.results.request_columns import LayerTime, Mask, RequestColumns, RequestRecord, columns_of
from steelyard.results.stored_run import read_run
from steelyard.results.tables import read_observations, read_slices
from synthetic import Planted, write_run

PLANTED = Planted(
    rates={"a": 60.0, "b": 50.0}, reference="b", cells={"search": 1.0}, forks=4, pairs=3, slice_seconds=2.0, users=2
)


def test_files_of_the_library_are_read_whole(tmp_path: Path) -> None:
    found = read_records(files(tmp_path))
    assert (found.whole, found.cut, found.lost) == (True, (), 0)
    right = [one for one in found.requests if not one.violations]
    assert len(right) == 50
    assert found.violations == 2
    for one in right:
        assert next(iter(one.layers)) == "filter"
        assert sum(time.self_ns for time in one.layers.values()) == one.total_ns
        assert one.layers["si"].entries == 2
        assert one.contexts["soap_name"] in ("search", "reserve")
    assert nests(columns_of(right), ["filter", "soap", "si", "reads"]).all()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_is_read_up_to_the_cut(tmp_path: Path, share: float) -> None:
    whole = read_records(files(tmp_path)).requests
    path = max(tmp_path.glob("*.records"), key=lambda one: one.stat().st_size)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    found = read_records(tmp_path)
    assert found.cut == (path.name,)
    assert 0 < len(found.requests) < len(whole)
    assert set(map(repr, found.requests)) <= set(map(repr, whole))


def test_a_process_that_was_killed_leaves_no_end(tmp_path: Path) -> None:
    for path in files(tmp_path).glob("*-end.json"):
        path.unlink()
    assert not read_records(tmp_path).whole


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 something else",
        b"STEELYD1" + struct.pack("<IB", 1, 9),
        b"STEELYD1" + struct.pack("<IBqBB", 11, 3, 5, 0, 200),
        b"STEELYD1" + struct.pack("<IBqBBBIqqqB", 41, 3, 5, 0, 1, 7, 1, 9, 9, 0, 0),
        b"STEELYD1" + struct.pack("<IBBH", 4, 1, 0, 60000),
    ],
    ids=["another file", "another kind", "too many layers", "an unknown tag", "a text beyond its frame"],
)
def test_nonsense_in_a_record_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "1-1-1.records").write_bytes(content)
    with pytest.raises(StoreError, match=r"1-1-1\.records"):
        read_records(tmp_path)


def test_the_table_says_what_the_records_did(tmp_path: Path) -> None:
    requests = read_records(files(tmp_path)).requests
    measured = np.arange(len(requests)) % 2 == 0
    write_layers(tmp_path / "layers.csv", [TimedRequests("a", 3, measured, requests)])
    read = read_layers(tmp_path / "layers.csv", False)[3]
    assert (read.subject, read.slice) == ("a", 3)
    assert of_time(read.requests, read.measured) == of_time(requests, measured)


def of_time(requests: RequestColumns, measured: Mask) -> list[tuple[str, bool]]:
    """Each request and whether it is of the measured time, in order of time."""
    every = sorted(zip(requests, measured.tolist(), strict=True), key=lambda each: each[0].begin_ns)
    return [(repr(request), is_measured) for request, is_measured in every]


def test_a_kept_run_holds_the_requests_of_measured_slices_alone(tmp_path: Path) -> None:
    folder = observed(tmp_path / "whole" / "run", PLANTED)
    whole = read_run(folder)
    for name, content in raw_files(whole, frozenset({"response"}), leave_out=frozenset()):
        (tmp_path / "kept" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kept" / name).write_bytes(content)
    for before, after in zip(whole.trials, read_run(tmp_path / "kept").trials, strict=True):
        measured = {number for number, row in before.slices.items() if row.phase == "measure"}
        assert set(before.layers) > measured == set(after.layers)
        for number in measured:
            old, new = before.layers[number], after.layers[number]
            assert of_time(new.requests, new.measured) == of_time(old.requests, old.measured)


def test_shares_sum_up_to_all_of_it_and_a_planted_delay_moves_its_layer_alone(tmp_path: Path) -> None:
    found = analyse_run(read_run(observed(tmp_path / "run", PLANTED, {"a": 5.0}))).verdicts
    by_layer = {(one.subject, one.layer): one for one in found.layers}
    assert len(by_layer) == 8
    for subject in ("a", "b"):
        assert sum(one.percent for (who, _), one in by_layer.items() if who == subject) == pytest.approx(100, abs=0.01)
    moved = {
        layer: by_layer["a", layer].ms - by_layer["b", layer].ms for layer in ("web", "service", "engine", "reads")
    }
    assert moved == pytest.approx({"web": 0, "service": 5, "engine": 0, "reads": 0}, abs=0.01)
    assert by_layer["b", "reads"].ms == pytest.approx(0.1)
    service = by_layer["b", "service"]
    assert service.interval is not None
    assert service.interval[0] < service.ms < service.interval[1]
    assert service.margins["90%"] < service.margins["95%"] < service.margins["99%"]
    assert {one.kind for one in found.layers_by_kind} == {"searches"}


def test_records_equal_answers_and_layers_nest(tmp_path: Path) -> None:
    found = analyse_run(read_run(observed(tmp_path / "run", PLANTED)))
    levels = {(one.check, one.subject): one.level for one in found.findings if one.check in (RECORDS, NESTING)}
    assert levels == dict.fromkeys([(check, who) for check in (RECORDS, NESTING) for who in "ab"], Level.OK)
    assert all(one.records == one.completed and not one.lost and not one.violations for one in found.verdicts.recorded)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_record_too_few_or_too_many_voids_the_instrument(tmp_path: Path, change: int) -> None:
    found = analyse_run(read_run(observed(tmp_path / "run", PLANTED, change=change)))
    assert {one.level for one in found.findings if one.check == RECORDS} == {Level.INVALID}
    assert not found.verdicts.valid
    assert "recorded for" in found.verdicts.why_not[0]


def test_violations_are_counted_and_in_no_sum(tmp_path: Path) -> None:
    folder = observed(tmp_path / "run", PLANTED)
    before = analyse_run(read_run(folder)).verdicts.layers
    path = folder / "trials" / "01" / "layers.csv"
    read = read_layers(path, False)
    last = read[max(read)]
    records = last.requests.records()
    bad = int(np.flatnonzero(last.measured)[0])
    records[bad] = replace(records[bad], violations=4, layers={"filter": LayerTime(1, 10**12, 10**12, 0)})
    read[max(read)] = replace(last, requests=columns_of(records))
    write_layers(path, read.values())
    after = analyse_run(read_run(folder))
    assert sum(one.violations for one in after.verdicts.recorded) == 1
    assert {one.level for one in after.findings if one.check == NESTING} == {Level.OK, Level.INVALID}
    for one, other in zip(before, after.verdicts.layers, strict=True):
        assert other.ms == pytest.approx(one.ms, rel=0.01)


@pytest.mark.parametrize(
    ("times", "right"),
    [
        ({"filter": (10, 1), "si": (9, 2), "hibernate": (7, 7)}, True),
        ({"filter": (10, 1), "si": (5, 5)}, True),
        ({"filter": (10, 10)}, True),
        ({"filter": (10, 1), "si": (3, 3), "hibernate": (6, 6)}, False),
        ({"filter": (10, 4), "hibernate": (6, 6)}, False),
    ],
)
def test_an_inner_layer_takes_no_longer_than_the_one_around_it(times: dict[str, tuple[int, int]], right: bool) -> None:
    assert nests(columns_of([request(0, times)]), ["filter", "si", "hibernate"]).tolist() == [right]


def test_the_slow_ones_are_slow_by_the_layer_that_slows_them(tmp_path: Path) -> None:
    folder = observed(tmp_path / "run", PLANTED)
    for path in sorted(folder.glob("trials/*/layers.csv")):
        read = read_layers(path, False)
        for number, timed in read.items():
            records = timed.requests.records()
            for place in range(0, len(records), 40):
                layers = {**records[place].layers, "hibernate": LayerTime(1, 9_400_000, 9_300_000, 2)}
                layers["filter"] = replace(layers["filter"], total_ns=10_000_000)
                layers["si"] = replace(layers["si"], total_ns=9_900_000)
                records[place] = replace(records[place], layers=layers)
            read[number] = replace(timed, requests=columns_of(records))
        write_layers(path, read.values())
    slow = analyse_run(read_run(folder)).verdicts.slow_layers
    assert {(one.subject, one.layer) for one in slow} == {("a", "engine"), ("b", "engine")}
    assert all(one.share > 0.95 and "Engine" in one.sentence for one in slow)


def test_the_report_shows_the_flame_and_names_only_differences_beyond_margins(tmp_path: Path) -> None:
    page = html_of(analyse_run(read_run(observed(tmp_path / "run", PLANTED, {"a": 0.5}))))
    section = page[page.index('<section id="layers">') :]
    assert "Where the time goes inside the server" in section
    assert section.count(">a difference<") == 1
    assert section.count(">within the margins<") == 3
    assert "requests around the slowest" in section
    assert "ms more in Service (" in section and "A pale bar is a part without a detected difference" in section
    assert html_of(analyse_run(read_run(tmp_path / "run"))) == page


def test_each_layer_has_its_margins_deviation_and_quartiles_in_the_table(tmp_path: Path) -> None:
    run = read_run(observed(tmp_path / "run", PLANTED))
    whole = breakdowns(run)[0]
    figures = list(whole.figures)
    drawn = flame(0, "all", {"all requests": figures}, whole.layers)
    assert drawn.headings[4:8] == ("margin at 90%", "margin at 95%", "margin at 99%", "SD")
    expected = [value_text(figures[1].margins[level]) for level in ("90%", "95%", "99%")]
    assert list(drawn.rows[1][4:8]) == [*expected, value_text(figures[1].deviation)]
    assert len(drawn.rows[1]) == len(drawn.headings)


def test_of_many_variations_only_a_few_are_drawn_request_by_request_the_references_first(tmp_path: Path) -> None:
    names = [f"s{place}" for place in range(9)]
    planted = replace(PLANTED, rates=dict.fromkeys(names, 20.0), reference="s8", forks=2)
    shown = layers.content(analyse_run(read_run(observed(tmp_path / "run", planted, {"s3": 0.5}))))
    assert shown is not None and shown["not_in_time"] == 5
    pictures = shown["in_time"]
    assert len(pictures) == layers.MOST_IN_TIME and pictures[0].title == "s8 on search"  # type: ignore[arg-type, index]
    splits = shown["splits"]
    assert len(splits) == 8 and sum(picture is not None for *_, picture in splits) < 8  # type: ignore[arg-type, attr-defined]


def test_the_axis_of_the_flame_is_in_plain_numbers(tmp_path: Path) -> None:
    whole = breakdowns(read_run(observed(tmp_path / "run", PLANTED)))[0]
    slow = [one.model_copy(update={"ms": one.ms * 2000}) for one in whole.figures]
    drawn = str(flame(0, "slow", {"all requests": slow}, whole.layers).wide)
    assert "e+" not in drawn and ">2,000<" in drawn


def test_requests_are_exported_as_rows_and_as_text_records(tmp_path: Path) -> None:
    run = observed(tmp_path / "run", PLANTED)
    rows = list(csv.DictReader(csv_lines(recorded_requests(run, conditions(["soap_name=search"])))))
    assert {row["soap_name"] for row in rows} == {"search"}
    assert float(rows[0]["filter_t"]) == pytest.approx(1.0, abs=0.01)
    lines = list(text_records(recorded_requests(run, {})))
    first = lines[: lines.index("") + 1]
    assert [line.split()[1] for line in first[:-1]] == ["tag[filter]", "tag[hibernate]", "tag[reads]", "tag[si]"]
    assert first[0].startswith("thread[7] tag[filter] accTime[")
    assert lines.count("") > len(rows)


def test_requests_of_a_folder_of_records_are_exported_as_those_of_a_run_are(tmp_path: Path) -> None:
    rows = list(csv.DictReader(csv_lines(recorded_requests(files(tmp_path), {}))))
    assert len(rows) == 50 and not {"trial", "subject"} & set(rows[0])
    assert all(float(row["filter_t"]) >= float(row["si_t"]) for row in rows)
    begins = [int(row["begin_ns"]) for row in rows]
    assert begins == sorted(begins)


def test_a_condition_without_a_value_is_named() -> None:
    with pytest.raises(ConfigurationError, match="soap_name"):
        conditions(["soap_name"])


def test_a_run_that_observed_no_layers_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="has no records of layers"):
        recorded_requests(write_run(tmp_path / "run", PLANTED), {})


def test_a_record_belongs_to_the_face_in_whose_slice_it_lies(tmp_path: Path) -> None:
    """`go` stands for a face of `tomcat-metro` here: its slices are its own, its processes and records the other's."""
    trial = write_run(tmp_path / "run", Planted(forks=1, pairs=3)) / "trials" / "01"
    rows, seen = read_slices(trial / "slices.csv", False), read_observations(trial / "observations.csv", False)
    chosen = {rows[number].subject: number for number in seen if rows[number].phase == "measure"}
    records = [
        RequestRecord(1, rows[number].begin_ns + 1, 0, {"filter": LayerTime(1, 10, 10, 0)})
        for number in chosen.values()
    ]
    read = [RecordFolder(columns_of(records), 0, 0, True, ())]
    placed = list(gathering._requests_in_slices(["tomcat-metro", "go"], trial, read, int))
    assert {one.subject: one.slice for one in placed} == chosen and all(one.measured.all() for one in placed)
    alone = list(gathering._requests_in_slices(["go"], trial, read, int))
    assert [one.subject for one in alone] == ["go"]


def test_a_record_of_another_clock_lies_in_the_slice_that_was_then_by_ours(tmp_path: Path) -> None:
    trial = write_run(tmp_path / "run", Planted(forks=1, pairs=3)) / "trials" / "01"
    rows = read_slices(trial / "slices.csv", False)
    number = next(number for number, row in rows.items() if row.subject == "go" and row.phase == "measure")
    began, ahead = rows[number].begin_ns + 1, 10**15
    read = [
        RecordFolder(
            columns_of([RequestRecord(1, began + ahead, 0, {"filter": LayerTime(1, 10, 10, 0)})]), 0, 0, True, ()
        )
    ]
    assert list(gathering._requests_in_slices(["go"], trial, read, int)) == [], "by its own clock it was in no slice"
    (timed,) = gathering._requests_in_slices(["go"], trial, read, lambda instant: instant - ahead)
    assert (timed.slice, timed.measured.tolist(), timed.requests.begin_ns.tolist()) == (number, [True], [began])
