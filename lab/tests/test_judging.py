"""Results of other load tools are judged like our own loads; broken files are refused with the line, in bounded memory."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from command import steelyard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from result_files import BEGIN, JTL, K6, WRITERS, Request, jtl_csv, requests
from steelyard.base.errors import ConfigurationError
from steelyard.judging import counts
from steelyard.judging.counts import Answered
from steelyard.judging.gathering import Gathering
from steelyard.judging.judged import judged_file


@pytest.mark.parametrize("written", WRITERS, ids=lambda written: written.__name__)
def test_each_kind_of_file_says_the_same_of_the_same_requests(
    written: Callable[[Sequence[Request]], str], tmp_path: Path
) -> None:
    made = requests(30)
    (tmp_path / "results").write_text(written(made))
    judged = judged_file(tmp_path / "results")
    times = [ms for _, ms, right in made if right]
    assert (judged.completed, judged.failed) == (594, 6)
    assert judged.failures in ({"status 503": 6}, {"failed": 6})
    assert judged.response_ms["mean"].value == pytest.approx(np.mean(times), rel=1e-4)
    assert judged.response_ms["p50"].value == pytest.approx(np.quantile(times, 0.5, method="inverted_cdf"), abs=2)
    assert judged.throughput_per_s.value == pytest.approx(19.8, rel=0.02)
    low, high = judged.throughput_per_s.low, judged.throughput_per_s.high
    assert low is not None and high is not None and low < 19.8 < high
    assert judged.response_ms["p99"].why_not is not None, "of 600 requests six lie beyond it"
    assert len(judged.operations) == 1, "samples within a sample are not counted again"
    assert judged.operations[0].operation in ("get", "all requests")
    assert judged.rows.read == judged.rows.counted + sum(judged.rows.left_out.values()) and judged.rows.counted == 600
    assert judged.codes in ({"200": 594, "503": 6}, {})
    assert "response time changes by" in judged.course
    assert judged.users in ((4, 4), None)


def test_what_creeps_up_and_what_has_changing_users_is_said(tmp_path: Path) -> None:
    rising = [(at, ms + (at - BEGIN) // 200, right) for at, ms, right in requests(60)]
    (tmp_path / "rising.jtl").write_text(jtl_csv(rising))
    assert "unstable under constant load" in judged_file(tmp_path / "rising.jtl").course
    text = jtl_csv(requests(10)).replace(",4\n", ",5\n", 50)
    (tmp_path / "users.jtl").write_text(text)
    judged = judged_file(tmp_path / "users.jtl")
    assert judged.users == (4, 5) and "number of users changes" in judged.course
    assert judged.response_ms["mean"].low is None and judged.response_ms["mean"].why_not is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "of an unknown kind"),
        ("a,b\n1,2\n", "of an unknown kind"),
        (JTL, "has no result"),
        (
            "timeStamp,elapsed,label\n1700000000000,5,a\n",
            "line 1: the columns 'success' and 'responseCode' are both missing",
        ),
        (
            "timeStamp,elapsed,label\n1700000000000,5,a",
            "line 1: the columns 'success' and 'responseCode' are both missing",
        ),
        (JTL + f"{BEGIN},1,a,200,,t,maybe,1\n", "line 2: success is 'maybe', not true or false"),
        (JTL + f"{BEGIN},1,a,,,t,,1\n", "line 2: it has neither success nor a response code"),
        ("<testResults><httpSample t='1' ts='1'/></testResults>", "line 1: it has neither success nor a response code"),
        (
            JTL + f'{BEGIN},1,"a,200,,t,true,1\n' + f"{BEGIN},1,a,200,,t,true,1\n" * 3,
            "line 2: the row that begins here is unreadable",
        ),
        (JTL + f'{BEGIN},1,a,200,"b"c,t,true,1\n', "line 2: the row that begins here is unreadable"),
        (JTL + "\n" * 10_001, "line 10002: more than 10,000 consecutive empty lines"),
        (JTL + f"{BEGIN},fast,a,200,,t,true,1\n", "line 2: elapsed is 'fast'"),
        (JTL + f"{BEGIN},-1,a,200,,t,true,1\n", "line 2: a time of -1 ms"),
        (
            JTL + "2026/01/01 10:00:00,1,a,200,,t,true,1\n",
            "line 2: the instant '2026/01/01 10:00:00' is not in milliseconds",
        ),
        (JTL + f"{BEGIN},1,a\n{BEGIN},1,a,200,,t,true,1\n", "line 2: it has another number of columns"),
        (JTL + "x" * (2**20 + 9), "line 2 is longer than 1 MiB"),
        (K6 + "http_req_duration,soon,1,,,,,,,,,200,,,,\n", "line 2: the instant is 'soon'"),
        ('{"type":"Metric","metric":"a"}\n{"type":\n{}\n', "line 2: not JSON"),
        ('{"type":"Metric","metric":"a"}\n' + "[" * 9_999 + "\n\n", "line 2: not JSON"),
        ("<testResults><httpSample t='1' ts='x'/></testResults>", "line 1: the instant 'x' is not in milliseconds"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><testResults>&b;&b;", "which Steelyard does not read"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "results").write_text(text)
    with pytest.raises(ConfigurationError) as refused:
        judged_file(tmp_path / "results")
    assert said in refused.value.message and str(tmp_path / "results") in refused.value.message


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert steelyard("judge", "nowhere.jtl", folder=tmp_path).code == 64


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.sampled_from(WRITERS), place=st.floats(0, 1), other=st.binary(max_size=30), cut=st.integers(0, 40))
@example(written=jtl_csv, place=0.0, other=b"\r", cut=0)
def test_whatever_is_broken_in_a_file_it_is_judged_or_refused(
    written: Callable[[Sequence[Request]], str], place: float, other: bytes, cut: int, tmp_path: Path
) -> None:
    whole = written(requests(2, 5)).encode()
    at = int(place * len(whole))
    (tmp_path / "results").write_bytes(whole[:at] + other + whole[at + cut :])
    try:
        judged = judged_file(tmp_path / "results")
    except ConfigurationError as error:
        assert error.message
    else:
        assert 0 < judged.completed + judged.failed <= 11


def test_memory_holds_seconds_and_names_that_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_SECONDS", 5)
    monkeypatch.setattr(counts, "MOST_NAMES", 3)
    gathered = Gathering()
    for number in range(20):
        gathered.add(Answered(100.0, 1.0, f"operation {number}"), number)
    assert list(gathered.counts.operations) == ["operation 0", "operation 1", "operation 2", "others"]
    with pytest.raises(ConfigurationError, match="lasts longer than 5 s"):
        for number in range(20):
            gathered.add(Answered(100.0 + number, 1.0, "operation 0"), number)
    late = Gathering()
    late.add(Answered(1.0, 1.0, "a"), 2)
    late.add(Answered(9.0, 1.0, "a"), 3)
    with pytest.raises(ConfigurationError, match="lasts longer"):
        late.counts.seconds()


def test_a_gzipped_file_that_holds_next_to_nothing_is_refused_quickly(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "empty.jtl", "wb", 1) as packed:
        packed.write(JTL.encode())
        for _ in range(300):
            packed.write(b"\n" * 2**20)
    began = time.process_time()
    with pytest.raises(ConfigurationError, match="line 10002: more than 10,000 consecutive empty lines"):
        judged_file(tmp_path / "empty.jtl")
    assert time.process_time() - began < 5


def test_rows_without_a_result_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.judging.gathering.MOST_WITHOUT_RESULT", 100)
    (tmp_path / "k6.json").write_text('{"type":"Metric","metric":"a"}\n' + "{}\n" * 200)
    with pytest.raises(ConfigurationError, match="line 101: the 100 rows before it have no result"):
        judged_file(tmp_path / "k6.json")
