"""Files with totals alone are read for what they hold, and the answer lists what they cannot show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steelyard.base.errors import ConfigurationError
from steelyard.judging.compared import judge
from steelyard.judging.judged import judged_file
from steelyard.judging.limits import CLOSED_LOOP, UNKNOWN_LOOP
from steelyard.judging.parts import Selection
from steelyard.judging.readers import reader

TOTALS = Path(__file__).parent / "judged_totals"
FILES = sorted(path.name for path in TOTALS.iterdir())
NO_P95 = {"wrk.txt", "wrk2.txt", "autocannon.json", "h2load.txt"}

# Of each file the tool, right answers and failures by kind, and p99 in ms. All lasted 30 s with a mean of 12 ms.
KNOWN = {
    "ab.txt": ("ab (summary)", 1470, {"status other than 2xx": 25, "length": 3, "exceptions": 2}, 60),
    "autocannon.json": (
        "autocannon (JSON)",
        1470,
        {"status 503": 25, "another body": 3, "error": 3, "timeout": 2},
        60.5,
    ),
    "gatling-global_stats.json": ("Gatling (global_stats.json)", 1470, {"failed": 30}, 60),
    "h2load.txt": ("h2load", 1470, {"status 5xx": 25, "error": 3, "timeout": 2}, None),
    "h2load-percentiles.txt": ("h2load", 1470, {"status 5xx": 25, "error": 3, "timeout": 2}, 60.5),
    "hey.txt": ("hey (summary)", 1470, {"status 503": 25, "error": 5}, 60.5),
    "k6-handle-summary.json": ("k6 (summary)", 1500, {}, None),
    "k6-summary-export.json": ("k6 (summary)", 1470, {"failed": 30}, 60.5),
    "oha.json": ("oha (JSON)", 1470, {"status 503": 25, "error": 5}, 60.5),
    "vegeta-report.json": ("vegeta (report)", 1470, {"status 503": 25, "error": 5}, 60.5),
    "wrk.txt": ("wrk", 1475, {"status 400 or more": 25, "read": 2, "timeout": 2, "connect": 1}, 60.5),
    "wrk2.txt": ("wrk2", 1500, {}, 60.5),
}


@pytest.mark.parametrize("name", FILES)
def test_totals_give_counts_throughput_and_the_tools_own_response_times(name: str) -> None:
    tool, completed, failures, p99 = KNOWN[name]
    judged = judged_file(TOTALS / name)
    assert (judged.tool, judged.completed, judged.failures) == (tool, completed, failures)
    assert judged.throughput_per_s.value == pytest.approx(completed / 30, rel=1e-4)
    assert judged.response_ms["mean"].value == pytest.approx(12)
    assert judged.response_ms["p99"].value == p99
    assert (judged.response_ms["p50"].value == 10) == (name != "h2load.txt")
    assert (judged.response_ms["p95"].value == 30) == (name not in NO_P95)
    assert judged.response_ms.get("max", judged.response_ms["mean"]).value == (12 if name == "wrk2.txt" else 80)
    assert judged.seconds == (0 if name.startswith("gatling") else 30)
    assert judged.rows.read == judged.rows.counted == 1


@pytest.mark.parametrize("name", FILES)
def test_totals_have_no_interval_and_say_so(name: str) -> None:
    judged = judged_file(TOTALS / name)
    assert judged.holds == "totals of the whole load"
    for estimate in (judged.throughput_per_s, *judged.response_ms.values()):
        assert estimate.low is None and estimate.why_not is not None
    questions = " ".join(judged.cannot_say)
    assert "an interval of any figure" in questions and "the distribution of response times" in questions
    assert "whether response times were stable" in questions and "cannot tell" in judged.course
    with pytest.raises(ConfigurationError, match="has no times, so no part of it can be judged"):
        judged_file(TOTALS / name, Selection(skip_seconds=5))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wrk.txt", CLOSED_LOOP),
        ("hey.txt", CLOSED_LOOP),
        ("ab.txt", CLOSED_LOOP),
        ("h2load.txt", CLOSED_LOOP),
        ("oha.json", UNKNOWN_LOOP),
        ("k6-summary-export.json", UNKNOWN_LOOP),
        ("wrk2.txt", None),
    ],
)
def test_coordinated_omission_is_named_where_it_is_there_or_unknown(name: str, said: str | None) -> None:
    found = [question for question in judged_file(TOTALS / name).cannot_say if "coordinated omission" in question]
    assert found == ([] if said is None else [said])


def test_failed_answers_in_the_response_times_are_named_only_where_there_are_some() -> None:
    mixed = "response times include those of answers with another status"
    assert mixed in judged_file(TOTALS / "hey.txt").notes
    assert mixed not in judged_file(TOTALS / "k6-summary-export.json").notes, "k6 has times of right answers"
    assert mixed not in judged_file(TOTALS / "wrk2.txt").notes


def test_k6s_checks_dropped_iterations_and_users_are_kept() -> None:
    judged = judged_file(TOTALS / "k6-summary-export.json")
    assert judged.users == (4, 8)
    assert any("it dropped 7 iterations" in note for note in judged.notes)
    assert any("10 of 1,500 checks" in note for note in judged.notes)


def test_errors_keep_their_text_and_requests_cut_by_the_tool_are_no_failures() -> None:
    assert judged_file(TOTALS / "hey.txt").messages == {'Get "http://127.0.0.1:8080/": EOF': 5}
    oha = judged_file(TOTALS / "oha.json")
    assert oha.messages == {"connection closed before message completed": 5}
    assert any("under way at the end" in note for note in oha.notes)


def test_files_of_two_tools_stand_side_by_side(tmp_path: Path) -> None:
    output = judge([TOTALS / "wrk.txt", TOTALS / "oha.json"], Selection())
    assert output.ratios["throughput"] == [1.0, pytest.approx(1470 / 1475, rel=1e-4)]
    assert output.ratios["p50"] == [1.0, 1.0] and output.ratios["p75"] == [1.0, None]
    assert CLOSED_LOOP not in output.cannot_say and "an interval of any figure" in " ".join(output.cannot_say)
    ran = steelyard("judge", str(TOTALS / "wrk.txt"), str(TOTALS / "oha.json"), folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "recognized by the line Thread Stats with Avg and Stdev; it holds totals of the whole load" in ran.out
    assert f"this file does not show {CLOSED_LOOP}" in ran.out
    assert ran.out.count("do not show an interval of any figure") == 1


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("vegeta-report.json", '"99th":60500000', '"99th":5', "its percentiles contradict each other"),
        ("vegeta-report.json", '"mean":12000000', '"mean":"fast"', "latencies.mean is 'fast', not a number"),
        ("vegeta-report.json", '"wait":20000000', '"wait":-9e22', "a load of"),
        ("vegeta-report.json", '"503":25', '"503":2.5', "status_codes.503 is 2.5, not a whole number"),
        ("vegeta-report.json", '"bytes_in"', '"bytes_in",', "line 1: not JSON"),
        ("vegeta-report.json", '"200":1460', '"200":1e999', "status_codes.200 is not a finite number"),
        (
            "k6-summary-export.json",
            '"http_reqs": {"count": 1500',
            '"http_reqs": {"count": 15',
            "30 of 15 requests failed",
        ),
        ("k6-handle-summary.json", "http_req_duration", "grpc_req_duration", "metrics.http_req_duration is missing"),
        ("oha.json", '"p50": 0.01', '"p50x": 0.01', "'p50x' is not a percentile"),
        ("oha.json", '"statusCodeDistribution"', '"statusCodes"', "statusCodeDistribution is missing"),
        ("wrk.txt", "12.00ms    8.50ms", "12.00xs    8.50ms", "'12.00xs' is not a duration with its unit"),
        ("wrk.txt", "1500 requests in", "1500 asked in", "the line with the number of requests is missing"),
        ("h2load.txt", "30 failed, 5 errored", "3 failed, 5 errored", "contradict each other"),
        ("h2load.txt", "+/- sd\n", "+/- sd  more\n", "another number of columns than its titles"),
        ("ab.txt", "Time taken for tests:", "Time", "the line with the time taken for tests is missing"),
        ("autocannon.json", '"duration":30', '"duration":-30', "a load of -30 s is impossible"),
        ("hey.txt", "Average:	0.0120", "Average:	900000000.0", "one of its response times is impossible"),
    ],
)
def test_impossible_totals_are_refused_by_name(name: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    text = (TOTALS / name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError) as refused:
        judged_file(tmp_path / name)
    assert said in refused.value.message and str(tmp_path / name) in refused.value.message


def test_no_right_answer_leaves_response_times_without_a_value(tmp_path: Path) -> None:
    text = (TOTALS / "vegeta-report.json").read_text().replace('"200":1460,"301":10,', "")
    (tmp_path / "report.json").write_text(text)
    judged = judged_file(tmp_path / "report.json")
    assert (judged.completed, judged.failed) == (0, 30)
    assert {each.why_not for each in judged.response_ms.values()} == {"there was no right answer"}


def test_a_file_of_totals_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_DOCUMENT", 2**20)
    for name in ("wrk.txt", "oha.json"):
        (tmp_path / name).write_text((TOTALS / name).read_text() + " " * 2**20)
        with pytest.raises(ConfigurationError, match="it is longer than 1 MiB"):
            judged_file(tmp_path / name)
    (tmp_path / "deep.json").write_text('{"successRate":1,"requestsPerSec":' + "[" * 200_000)
    with pytest.raises(ConfigurationError, match="line 1: not JSON"):
        judged_file(tmp_path / "deep.json")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(FILES),
    damage=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=30), st.integers(0, 40)), max_size=3),
    keep=st.floats(0, 1),
)
def test_whatever_is_broken_in_totals_they_are_judged_or_refused(
    name: str, damage: list[tuple[float, bytes, int]], keep: float, tmp_path: Path
) -> None:
    content = (TOTALS / name).read_bytes()
    for place, other, cut in damage:
        at = int(place * len(content))
        content = content[:at] + other + content[at + cut :]
    (tmp_path / "totals").write_bytes(content[: int(len(content) * max(keep, 0.3))])
    try:
        judged = judged_file(tmp_path / "totals")
    except ConfigurationError as error:
        assert error.message
    else:
        assert judged.rows.read == judged.rows.counted + sum(judged.rows.left_out.values())
        assert judged.failed == sum(judged.failures.values())
        json.loads(judged.model_dump_json())
