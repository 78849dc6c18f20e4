"""What other load tools wrote down is judged as our own loads are; broken files are refused by their line, in bounded memory."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steelyard.base.errors import ConfigurationError
from steelyard.judging import gathering
from steelyard.judging.gathering import Answered, Gathering
from steelyard.judging.judged import judge, judged_file

Request = tuple[int, int, bool]  # begin in ms, time in ms, right
BEGIN = 1_700_000_000_000
JTL = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,allThreads\n"
K6 = (
    "metric_name,timestamp,metric_value,check,error,error_code,group,method,name,proto,scenario,status,subproto,tls_version,"
    "url,extra_tags\n"
)


def requests(seconds: int, a_second: int = 20, seed: int = 1) -> list[Request]:
    """Requests of some milliseconds, evenly, every hundredth of which fails."""
    draw = random.Random(seed)
    return [
        (BEGIN + 1000 * number // a_second, draw.randint(10, 90), number % 100 != 99)
        for number in range(seconds * a_second)
    ]


def jtl_csv(made: Sequence[Request]) -> str:
    rows = [f'{at},{ms},get,{200 if right else 503},"a, ""b""",t 1-1,{str(right).lower()},4' for at, ms, right in made]
    return JTL + "\n".join(rows) + "\n"


def jtl_xml(made: Sequence[Request]) -> str:
    rows = [
        f'<httpSample t="{ms}" ts="{at}" s="{str(right).lower()}" lb="get" rc="{200 if right else 503}" na="4">'
        f'<httpSample t="1" ts="{at}" s="false" lb="part" rc="200"/><responseData>x</responseData></httpSample>'
        for at, ms, right in made
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n' + "\n".join(rows) + "\n</testResults>\n"
    )


def k6_csv(made: Sequence[Request]) -> str:
    rows = [
        f"http_req_duration,{(at + ms) // 1000},{ms}.000000,,,,,GET,get,HTTP/1.1,load,{200 if right else 503},,,u,"
        f"expected_response={str(right).lower()}\nhttp_req_blocked,{at // 1000},5,,,,,GET,get,,load,200,,,u,"
        for at, ms, right in made
    ]
    return K6 + "\n".join([f"vus,{BEGIN // 1000},4.000000,,,,,,,,,,,,,", *rows]) + "\n"


def k6_json(made: Sequence[Request]) -> str:
    lines = ['{"type":"Metric","data":{"type":"trend"},"metric":"http_req_duration"}']
    for at, ms, right in made:
        tags = {"name": "get", "status": "200" if right else "503", "expected_response": str(right).lower()}
        data = {"time": f"{np.datetime64(at + ms, 'ms')}123456Z", "value": ms, "tags": tags}
        lines.append(json.dumps({"type": "Point", "data": data, "metric": "http_req_duration"}))
    lines.append('{"type":"Point","metric":"checks","data":{"time":"2026-01-01T00:00:00Z","value":0,"tags":null}}')
    return "\n".join(lines) + "\n"


WRITERS = [jtl_csv, jtl_xml, k6_csv, k6_json]


@pytest.mark.parametrize("written", WRITERS, ids=lambda written: written.__name__)
def test_each_kind_of_file_says_the_same_of_the_same_requests(
    written: Callable[[Sequence[Request]], str], tmp_path: Path
) -> None:
    made = requests(30)
    (tmp_path / "results").write_text(written(made))
    judged = judged_file(tmp_path / "results")
    times = [ms for _, ms, right in made if right]
    assert (judged.completed, judged.failed, judged.failures) == (594, 6, {"status 503": 6})
    assert judged.response_ms["mean"].value == pytest.approx(np.mean(times), rel=1e-4)
    assert judged.response_ms["p50"].value == pytest.approx(np.quantile(times, 0.5, method="inverted_cdf"), abs=2)
    assert judged.throughput_per_s.value == pytest.approx(19.8, rel=0.02)
    low, high = judged.throughput_per_s.low, judged.throughput_per_s.high
    assert low is not None and high is not None and low < 19.8 < high
    assert judged.response_ms["p99"].why_not is not None, "of 600 requests six lie beyond it"
    assert [each.operation for each in judged.operations] == ["get"], "samples within a sample are not counted again"
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


def test_the_beginning_is_left_out_where_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / "results.jtl").write_text(jtl_csv(requests(12)))
    whole, part = (judged_file(tmp_path / "results.jtl", skip) for skip in (0.0, 4.0))
    assert whole.completed + whole.failed == 240 and part.seconds < whole.seconds
    assert 155 <= part.completed + part.failed <= 165 and "left out (--skip)" in part.notes[-1]


def test_transactions_parts_of_a_last_line_and_gzip_are_taken_for_what_they_are(tmp_path: Path) -> None:
    text = jtl_csv(requests(3))
    transaction = f"{BEGIN},99,all,200,Number of samples in transaction : 2,t,true,4\n"
    (tmp_path / "cut.jtl").write_bytes(gzip.compress((text + transaction + f"{BEGIN},7,ge").encode()))
    judged = judged_file(tmp_path / "cut.jtl")
    assert judged.completed + judged.failed == 60
    assert any("cut short" in note for note in judged.notes) and any("transaction" in note for note in judged.notes)
    whole = jtl_xml(requests(3))
    (tmp_path / "cut.xml").write_text(whole[: whole.rindex("<httpSample")])
    judged = judged_file(tmp_path / "cut.xml")
    assert judged.completed + judged.failed == 60 - 1 and any("ends too early" in note for note in judged.notes)


HISTORY = (
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,Total Request Count,Total Failure Count,"
    "Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,"
    "Total Average Content Size\n"
)


def test_locusts_totals_give_throughput_and_mean_and_its_percentiles_stay_its_own(tmp_path: Path) -> None:
    draw, total, ms, lines = random.Random(1), 0, 0.0, []
    for second in range(40):
        lines.append(
            f"{1_700_000_000 + second},8,,Aggregated,9,0,N/A,N/A,N/A,{total},{total // 50},5,{ms / max(1, total)},1,9,3"
        )
        count = draw.randint(90, 110)
        total, ms = total + count, ms + 20.0 * count
    (tmp_path / "own_stats_history.csv").write_text(HISTORY + "\n".join(lines) + "\n")
    judged = judged_file(tmp_path / "own_stats_history.csv")
    assert judged.throughput_per_s.value == pytest.approx(98, rel=0.03) and judged.throughput_per_s.low is not None
    assert judged.response_ms["mean"].value == pytest.approx(20, rel=1e-3)
    assert (judged.response_ms["p99"].value, judged.response_ms["p99"].why_not) == (None, "the file holds none")
    sums = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Requests/s,Failures/s,50%,95%,99%\n"
    (tmp_path / "own_stats.csv").write_text(
        sums + "GET,/a,90,10,5,20,9,1,5,30,40\n,Aggregated,90,10,5,20,9,1,5,30,40\n"
    )
    judged = judged_file(tmp_path / "own_stats.csv")
    assert (judged.completed, judged.failed, judged.throughput_per_s.value) == (80, 10, 8)
    assert (judged.response_ms["p99"].value, judged.response_ms["p99"].low) == (40, None)


def test_two_files_stand_side_by_side_without_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "before.jtl").write_text(jtl_csv(requests(12)))
    (tmp_path / "after.jtl").write_text(jtl_csv([(at, 2 * ms, right) for at, ms, right in requests(12)]))
    output = judge([tmp_path / "before.jtl", tmp_path / "after.jtl"], 0.0)
    assert output.ratios["mean"] == [1.0, pytest.approx(2.0, rel=1e-3)]
    assert "not measured in turns" in output.cannot_say[0]
    ran = steelyard("judge", "before.jtl", "after.jtl", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "before.jtl: JMeter (CSV), 13 s, 4 to 4 users" in ran.out and "there is no verdict" in ran.out
    ran = steelyard("judge", "before.jtl", "--json", "--skip", "2s", folder=tmp_path)
    assert json.loads(ran.out)["files"][0]["tool"] == "JMeter (CSV)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "of no kind that is known"),
        ("a,b\n1,2\n", "of no kind that is known"),
        (JTL, "holds no result"),
        (JTL + f"{BEGIN},fast,a,200,,t,true,1\n", "line 2: elapsed is 'fast'"),
        (JTL + f"{BEGIN},-1,a,200,,t,true,1\n", "line 2: a time of -1 ms"),
        (
            JTL + "2026/01/01 10:00:00,1,a,200,,t,true,1\n",
            "line 2: the instant '2026/01/01 10:00:00' is not in milliseconds",
        ),
        (JTL + f"{BEGIN},1,a\n{BEGIN},1,a,200,,t,true,1\n", "line 2: it has not as many columns"),
        (JTL + "x" * (2**20 + 9), "line 2 is longer than 1 MiB"),
        (K6 + "http_req_duration,soon,1,,,,,,,,,200,,,,\n", "line 2: the instant is 'soon'"),
        ('{"type":"Metric","metric":"a"}\n{"type":\n{}\n', "line 2: it is no JSON"),
        ('{"type":"Metric","metric":"a"}\n' + "[" * 9_999 + "\n\n", "line 2: it is no JSON"),
        ("<testResults><httpSample t='1' ts='x'/></testResults>", "ts is 'x'"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><testResults>&b;&b;", "no XML that can be read"),
        (
            HISTORY + "1,1,,Aggregated,9,0,1,1,1,50,0,5,5,1,9,3\n3,1,,Aggregated,9,0,1,1,1,20,0,5,5,1,9,3\n",
            "line 3: its totals contradict",
        ),
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
    monkeypatch.setattr(gathering, "MOST_SECONDS", 5)
    monkeypatch.setattr(gathering, "MOST_NAMES", 3)
    gathered = Gathering()
    for number in range(20):
        gathered.add(Answered(100.0, 1.0, f"operation {number}"), number)
    assert list(gathered.operations) == ["operation 0", "operation 1", "operation 2", "others"]
    with pytest.raises(ConfigurationError, match="more than 5 seconds"):
        for number in range(20):
            gathered.add(Answered(100.0 + number, 1.0, "operation 0"), number)
    late = Gathering()
    late.add(Answered(1.0, 1.0, "a"), 2)
    late.add(Answered(9.0, 1.0, "a"), 3)
    with pytest.raises(ConfigurationError, match="lasts longer"):
        late.seconds()
