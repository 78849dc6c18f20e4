"""The kind of a result file follows from its content: one reader recognizes each, and others are refused by their name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command import steelyard
from result_files import BEGIN, WRITERS, Request, gatling, hey_csv, jtl_csv, keep_load, requests, vegeta_json
from steelyard.base.errors import ConfigurationError
from steelyard.judging.compared import judge
from steelyard.judging.judged import judged_file
from steelyard.judging.limits import CLOSED_LOOP, UNKNOWN_LOOP
from steelyard.judging.parts import Selection
from steelyard.judging.readers import READERS
from steelyard.judging.readers.gatling import ARRIVALS
from steelyard.judging.readers.not_read import NOT_READ
from test_judging_hdr import steady
from test_judging_locust import HISTORY, history
from test_judging_totals import FILES, TOTALS

OTHER_TEXTS = [
    "",
    "a,b\n1,2\n",
    "{}",
    '{"metrics": {"cpu": 1}}',
    '{"summary": "all is well", "latency": 5}',
    "Summary: the service is fast\n",
    "REQUEST for comments\n",
    "Running late\n",
    "1700000000000,200\n",
    "#!/bin/sh\necho 1\n",
    "<testsuite/>",
]
NAMED = [
    (
        "\x00\x00\x00\x00\x063.13.1\x00\x00\x00\x00\x09shop.Load",
        "a binary simulation.log of Gatling 3.12",
        "global_stats",
    ),
    (
        "\x7f\xff\x03\x01\x01\x06Result\x01\x00\x01\x06Attack\x01Seq\x01Timestamp\x01",
        "vegeta's binary",
        "encode --to json",
    ),
    ("Requests      [total, rate, throughput]  1500, 50.03, 49.00\n", "vegeta's report as text", "--type json"),
    ("     http_req_duration..............: avg=12ms min=3ms\n", "k6's summary as text", "--out csv"),
    ("Summary:\n  Success rate:\t100.00%\n  Total:\t1.0 sec\n", "oha's output as text", "csv or json"),
    ("Running 10s test @ http://127.0.0.1\n10 connections\n\n┌─────────┐\n", "autocannon's output as text", "--json"),
    ("1700000000000,17,get,200,OK,t 1-1,text,true,,9\n", "JMeter's results without a header", "print_field_names"),
    ('{"Total": {"transaction": "Total", "sampleCount": 5}}', "JMeter's statistics.json", ".jtl"),
    ("Method,Name,Error,Occurrences\n", "Locust's table of failures", "_stats_history.csv"),
    ("Percentage served,Time in ms\n0,3.0\n", "ab's table of percentiles", "ab -g"),
    ("<!DOCTYPE html>\n<html>", "a page in HTML", "result file"),
]


def heads() -> dict[str, str]:
    """The beginning of a file of each kind, by the name of its writer."""
    files = {writer.__name__: writer(requests(2)) for writer in WRITERS} | {
        name: (TOTALS / name).read_text() for name in FILES
    }
    files |= {"hdr": steady(2), "locust history": HISTORY + "".join(history(3))}
    files["locust sums"] = "Type,Name,Request Count,Failure Count,Average Response Time\nGET,/,9,1,5\n"
    files["old hey"] = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read\n0.01,0,0,0,0,0\n"
    files["ab -g"] = "starttime\tseconds\tctime\tdtime\tttime\twait\nTue Nov 14\t1700000000\t0\t5\t5\t4\n"
    return {name: text[:4_096] for name, text in files.items()}


@pytest.mark.parametrize("name", heads())
def test_exactly_one_reader_recognizes_a_file(name: str) -> None:
    head = heads()[name]
    assert len([reader.title for reader in READERS if reader.recognizes(head)]) == 1
    assert not [kind.title for kind in NOT_READ if kind.recognizes(head)]


def test_each_reader_recognizes_one_of_these_files() -> None:
    found = {reader.title for reader in READERS for head in heads().values() if reader.recognizes(head)}
    assert found == {reader.title for reader in READERS}


@pytest.mark.parametrize("text", [*OTHER_TEXTS, *(text for text, _, _ in NAMED)])
def test_no_reader_recognizes_other_texts(text: str) -> None:
    assert [reader.title for reader in READERS if reader.recognizes(text)] == []


@pytest.mark.parametrize("text", OTHER_TEXTS)
def test_an_unknown_file_is_refused_with_the_list_of_kinds(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(ConfigurationError, match="is of an unknown kind") as refused:
        judged_file(tmp_path / "file")
    assert all(reader.title in refused.value.hint for reader in READERS)


@pytest.mark.parametrize(("text", "said", "instead"), NAMED, ids=[said for _, said, _ in NAMED])
def test_a_kind_that_is_not_read_is_refused_by_name_with_what_to_do(
    text: str, said: str, instead: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(ConfigurationError) as refused:
        judged_file(tmp_path / "file")
    assert said in refused.value.message and "does not read" in refused.value.message
    assert instead in refused.value.hint
    assert len([kind for kind in NOT_READ if kind.recognizes(text)]) == 1


def test_every_kind_that_is_not_read_is_tried() -> None:
    assert len(NAMED) == len(NOT_READ)


def test_a_file_of_two_kinds_is_refused_with_both(tmp_path: Path) -> None:
    (tmp_path / "file").write_text((TOTALS / "hey.txt").read_text() + (TOTALS / "wrk.txt").read_text())
    with pytest.raises(ConfigurationError, match=r"may be of several kinds .*hey .*wrk"):
        judged_file(tmp_path / "file")


@pytest.mark.parametrize(
    ("written", "said"),
    [(hey_csv, CLOSED_LOOP), (jtl_csv, UNKNOWN_LOOP), (gatling, UNKNOWN_LOOP), (vegeta_json, None)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_coordinated_omission_is_named_by_tool(
    written: Callable[[Sequence[Request]], str], said: str | None, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(written(requests(12)))
    judged = judged_file(tmp_path / "file")
    assert [each for each in judged.cannot_say if "coordinated omission" in each] == ([said] if said else [])
    assert not any("an interval of any figure" in each for each in judged.cannot_say)


def test_the_command_says_what_showed_the_kind(tmp_path: Path) -> None:
    (tmp_path / "simulation.log").write_text(gatling(requests(12)))
    ran = steelyard("judge", "simulation.log", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "recognized by tab-separated records that begin with RUN" in ran.out
    assert "it holds each request with its time" in ran.out


def gatling_users(per_second: Sequence[int], seconds: int = 3) -> str:
    """A log in which so many users start in each second, and each sends three requests in its time."""
    rows = [f"RUN\tshop.Load\tload\t{BEGIN}\t \t3.9.5"]
    for second, count in enumerate(per_second):
        for number in range(count):
            at = BEGIN + second * 1000 + number * 1000 // max(1, count)
            rows.append(f"USER\tshop\tSTART\t{at}")
            rows += [f"REQUEST\tShop,Pay\tget\t{at + 900 * turn}\t{at + 900 * turn + 20}\tOK\t " for turn in range(3)]
            rows.append(f"USER\tshop\tEND\t{at + seconds * 1000}")
    return "\n".join(rows) + "\n"


def test_gatlings_users_decide_whether_its_load_was_steady(tmp_path: Path) -> None:
    log = tmp_path / "simulation.log"
    log.write_text(gatling(requests(30)))
    closed = judged_file(log)
    assert closed.users == (4, 4) and closed.throughput_per_s.low is not None and ARRIVALS not in closed.notes
    log.write_text(gatling_users([5, 7] * 20))
    arriving = judged_file(log, Selection(skip_seconds=3, for_seconds=36))
    assert arriving.users is not None and arriving.users[0] < arriving.users[1]
    assert ARRIVALS in arriving.notes and arriving.throughput_per_s.low is not None
    assert arriving.operations[0].operation == "Shop / Pay / get"
    log.write_text(gatling_users([number // 2 for number in range(60)]))
    rising = judged_file(log)
    assert rising.throughput_per_s.low is None and "number of users changes" in rising.course


def test_a_load_of_ours_stands_beside_files(tmp_path: Path) -> None:
    keep_load(tmp_path / "load")
    output = judge([TOTALS / "wrk.txt", tmp_path / "load"], Selection())
    load = output.files[1]
    assert (load.tool, load.completed, load.failures, load.seconds) == ("Steelyard (load)", 1470, {"status": 30}, 30)
    assert (load.throughput_per_s.low, load.throughput_per_s.high) == (48.5, 49.5)
    assert load.rows.read == load.rows.counted + sum(load.rows.left_out.values()) == 1512
    assert output.ratios["throughput"][1] == pytest.approx(49 / (1475 / 30), rel=1e-4)
    assert output.ratios["p50"] == [1.0, 1.0] and output.ratios["p99"][1] is None
    assert any("from start to start" in question for question in load.cannot_say)
    with pytest.raises(ConfigurationError, match="whose measured time is fixed"):
        judged_file(tmp_path / "load", Selection(skip_seconds=1))


def test_another_folder_is_refused_by_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(ConfigurationError, match="is a folder, but not a run of Steelyard"):
        judged_file(tmp_path / "runs")
    (tmp_path / "runs" / "verdicts.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="is a run of Steelyard without slices that judge reads"):
        judged_file(tmp_path / "runs")
    (tmp_path / "runs" / "load.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"load.json"):
        judged_file(tmp_path / "runs")


def test_hey_without_starts_and_ab_are_read_for_what_they_hold(tmp_path: Path) -> None:
    rows = [f"{ms / 1000:.4f},0.0000,0.0000,0.0000,0.0010,0.0000" for _, ms, _ in requests(30)]
    titles = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"
    (tmp_path / "hey.csv").write_text("\n".join([titles, *rows]) + "\n")
    hey = judged_file(tmp_path / "hey.csv")
    times = sorted(ms for _, ms, _ in requests(30))
    assert hey.completed == 600 and hey.response_ms["p50"].value == pytest.approx(times[299], rel=2e-3)
    assert hey.throughput_per_s.value is None and hey.response_ms["p50"].low is None
    assert any("an interval of any figure" in each for each in hey.cannot_say)
    with pytest.raises(ConfigurationError, match="has no times"):
        judged_file(tmp_path / "hey.csv", Selection(skip_seconds=1))
    rows = [f"Tue Nov 14 22:13:20 2023\t{at // 1000}\t0\t{ms}\t{ms}\t{ms}" for at, ms, _ in requests(30)]
    (tmp_path / "ab.tsv").write_text("\n".join(["starttime\tseconds\tctime\tdtime\tttime\twait", *rows]) + "\n")
    ab = judged_file(tmp_path / "ab.tsv")
    assert ab.completed == 600 and ab.response_ms["mean"].value == pytest.approx(sum(times) / 600, rel=1e-4)
    assert ab.throughput_per_s.value == pytest.approx(20) and any(
        "how many requests failed" in each for each in ab.cannot_say
    )
