"""Each row of another tool's results is counted, or left out with a reason, in whatever order rows stand."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from result_files import BEGIN, JTL, WRITERS, Request, jtl_csv, jtl_xml, k6_csv, requests
from steelyard.base.errors import ConfigurationError
from steelyard.judging.judged import judged_file
from steelyard.judging.parts import GAP_SECONDS, LATER, OTHER_PART, SKIPPED, Parts, Selection
from steelyard.models.outputs.other_tools import JudgedFile

DAY = 86_400_000
ALL = Selection()
REQUEST = st.tuples(st.integers(BEGIN, BEGIN + 20_000), st.integers(0, 9_000), st.booleans())


def judged(path: Path, text: str, selection: Selection = ALL) -> JudgedFile:
    path.write_text(text)
    return judged_file(path, selection)


def add_up(file: JudgedFile) -> None:
    assert file.rows.read == file.rows.counted + sum(file.rows.left_out.values())


def test_rows_out_of_time_order_are_all_counted(tmp_path: Path) -> None:
    made = [(BEGIN + at, 5, True) for at in (9_000, 1_000, 2_000, 3_000)]
    whole = judged(tmp_path / "a.jtl", jtl_csv(made))
    assert (whole.completed, whole.rows.read, whole.rows.left_out) == (4, 4, {})
    late = judged(tmp_path / "a.jtl", jtl_csv(made), Selection(skip_seconds=2))
    assert (late.completed, late.rows.left_out) == (2, {SKIPPED: 2}), "time is skipped from the earliest request on"


@pytest.mark.parametrize("written", WRITERS, ids=lambda written: written.__name__)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(made=st.lists(REQUEST, min_size=1, max_size=30), seed=st.integers(0, 99), skip=st.sampled_from([0.0, 0.5, 3.0]))
def test_the_order_of_rows_does_not_matter(
    written: Callable[[Sequence[Request]], str], made: list[Request], seed: int, skip: float, tmp_path: Path
) -> None:
    shuffled = random.Random(seed).sample(made, len(made))
    found = []
    for order in (made, shuffled):
        try:
            file = judged(tmp_path / "results", written(order), Selection(skip_seconds=skip))
        except ConfigurationError as error:
            found.append((error.message, error.hint))
        else:
            add_up(file)
            assert file.completed + file.failed == file.rows.counted
            assert file.rows.counted + file.rows.left_out.get(SKIPPED, 0) == len(made)
            found.append((file.model_dump_json(), ""))
    assert found[0] == found[1]


@settings(max_examples=50, deadline=None)
@given(
    spans=st.lists(st.tuples(st.floats(0, 20_000), st.floats(0, 2_000)), min_size=1, max_size=40), seed=st.integers()
)
def test_parts_are_the_same_in_any_order(spans: list[tuple[float, float]], seed: int) -> None:
    ends = [(begun, begun + lasted) for begun, lasted in spans]
    parts, shuffled = Parts(), Parts()
    for begun, ended in ends:
        parts.add_request(begun, ended)
    for begun, ended in random.Random(seed).sample(ends, len(ends)):
        shuffled.add_request(begun, ended)
    assert parts.in_order() == shuffled.in_order()
    assert sum(part.results for part in parts.in_order()) == len(spans)
    gaps = [
        later.begin_s - earlier.end_s for earlier, later in zip(parts.in_order(), parts.in_order()[1:], strict=False)
    ]
    assert all(gap >= GAP_SECONDS for gap in gaps)


@pytest.mark.parametrize("written", WRITERS, ids=lambda written: written.__name__)
def test_a_lead_in_is_left_out_by_number(written: Callable[[Sequence[Request]], str], tmp_path: Path) -> None:
    made = requests(12)
    whole, part = (judged(tmp_path / "a", written(made), Selection(skip_seconds=skip)) for skip in (0.0, 4.0))
    assert whole.rows.counted == 240 and SKIPPED not in whole.rows.left_out
    assert 155 <= part.rows.counted <= 181 and part.rows.counted + part.rows.left_out[SKIPPED] == 240
    assert part.completed + part.failed == part.rows.counted


def test_a_lead_in_drops_exactly_what_ended_in_it(tmp_path: Path) -> None:
    made = requests(12)
    file = judged(tmp_path / "a.jtl", jtl_csv(made), Selection(skip_seconds=4.5, for_seconds=3.0))
    ends = [at + ms - BEGIN for at, ms, _ in made]
    assert file.rows.left_out == {
        LATER: sum(end >= 7_500 for end in ends),
        SKIPPED: sum(end < 4_500 for end in ends),
    }
    assert file.rows.counted == sum(4_500 <= end < 7_500 for end in ends)


@pytest.mark.parametrize("written", [jtl_csv, k6_csv], ids=lambda written: written.__name__)
def test_days_appended_to_a_file_are_parts_of_which_one_is_named(
    written: Callable[[Sequence[Request]], str], tmp_path: Path
) -> None:
    first, second = requests(10), [(at + 2 * DAY, ms, right) for at, ms, right in requests(20)]
    text = written([*second[:50], *first, *second[50:]])
    with pytest.raises(ConfigurationError) as refused:
        judged(tmp_path / "a", text)
    assert "it has 2 parts, separated by 600 s or more without requests" in refused.value.message
    assert "part 1: 2023-11-14 22:13:" in refused.value.hint and "part 2: 2023-11-16 22:13:" in refused.value.hint
    assert "(200 results)" in refused.value.hint and "(400 results)" in refused.value.hint
    parts = [judged(tmp_path / "a", text, Selection(part=number)) for number in (1, 2)]
    assert [part.rows.counted for part in parts] == [200, 400]
    assert [part.rows.left_out[OTHER_PART] for part in parts] == [400, 200]
    assert all(part.parts == 2 for part in parts)
    with pytest.raises(ConfigurationError, match="it has no part 3"):
        judged(tmp_path / "a", text, Selection(part=3))


def test_a_request_that_hangs_for_long_joins_the_stretches_around_it(tmp_path: Path) -> None:
    made = [
        *requests(10),
        (BEGIN + 9_000, 1_000_000, True),
        *((at + 1_005_000, ms, right) for at, ms, right in requests(5)),
    ]
    file = judged(tmp_path / "a.jtl", jtl_csv(made))
    assert file.parts == 1 and file.rows.counted == 301


def test_two_appended_tables_with_two_headers_are_both_counted(tmp_path: Path) -> None:
    later = [(at + 60_000, ms, right) for at, ms, right in requests(5)]
    file = judged(tmp_path / "a.jtl", jtl_csv(requests(5)) + jtl_csv(later))
    assert file.rows.counted == 200 and file.rows.left_out == {"repeated header lines": 1}


def test_parts_are_named_on_the_command_line(tmp_path: Path) -> None:
    later = [(at + 2 * DAY, ms, right) for at, ms, right in requests(12)]
    (tmp_path / "a.jtl").write_text(jtl_csv([*requests(10), *later]))
    ran = steelyard("judge", "a.jtl", folder=tmp_path)
    assert ran.code == 64 and "choose one with --part: part 1: 2023-11-14" in " ".join(ran.err.split())
    ran = steelyard("judge", "a.jtl", "--part", "2", "--skip", "2s", "--for", "5s", folder=tmp_path)
    assert ran.code == 0, ran.err
    counted = sum(2_000 <= at + ms - later[0][0] < 7_000 for at, ms, _ in later)
    assert f"rows read: 440; counted: {counted}; left out: {440 - counted}" in ran.out
    assert f"left out: 200 {OTHER_PART}" in ran.out


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    for end in (f"{BEGIN},7,ge", f"{BEGIN},7,get,200,,t,tru", f'{BEGIN},7,get,200,"OK'):
        (tmp_path / "cut.jtl").write_bytes(gzip.compress((jtl_csv(requests(3)) + end).encode()))
        file = judged_file(tmp_path / "cut.jtl")
        assert file.rows.counted == 60 and file.rows.left_out == {"cut short at the end of the file": 1}


def transaction(at: int, ms: int, label: str, samples: int, thread: str = "t 1-1") -> str:
    return f"{at},{ms},{label},200,Number of samples in transaction : {samples},{thread},true,4\n"


def test_a_file_of_transactions_alone_is_judged_by_them(tmp_path: Path) -> None:
    rows = [transaction(BEGIN + 100 * number, 50, "Checkout", 2) for number in range(40)]
    file = judged(tmp_path / "p.jtl", JTL + "".join(rows))
    assert file.completed == 40 and file.rows.left_out == {} and file.operations[0].operation == "Checkout"


@pytest.mark.parametrize("seed", range(4))
def test_transactions_are_left_out_where_their_requests_are_rows_of_the_file(seed: int, tmp_path: Path) -> None:
    rows = []
    for number in range(50):
        at, thread = BEGIN + 200 * number, f"t 1-{number % 3}"
        rows += [
            f"{at},30,search,200,OK,{thread},true,4\n",
            f"{at + 40},50,buy,200,OK,{thread},true,4\n",
            transaction(at, 80, "Shop", 2, thread),
            transaction(at + 100, 60, "Pay", 3, thread),  # with a parent sample: its requests are in no row
            transaction(at + 170, 0, "Idle", 0, thread),
        ]
    if seed:
        random.Random(seed).shuffle(rows)
    file = judged(tmp_path / "t.jtl", JTL + "".join(rows))
    assert {each.operation: each.completed for each in file.operations} == {"search": 50, "buy": 50, "Pay": 50}
    assert [(each.operation, each.completed) for each in file.transactions] == [("Shop", 50)]
    assert file.rows.left_out == {
        "transactions whose requests are rows of the file": 50,
        "transactions without a request": 50,
    }
    add_up(file)


def test_transactions_in_xml_hold_their_requests_or_count_themselves(tmp_path: Path) -> None:
    message = "Number of samples in transaction : 2, number of failing samples : 0"
    request = f'<httpSample t="20" ts="{BEGIN}" s="true" lb="get" rc="200"/>'
    rows = [
        f'<sample t="50" ts="{BEGIN}" s="true" lb="Shop" rc="200" rm="{message}">{request}{request}</sample>',
        f'<sample t="50" ts="{BEGIN + 90}" s="true" lb="Pay" rc="200" rm="{message}"/>',
        f'<sample t="50" ts="{BEGIN + 180}" s="true" lb="sql" rc="200" rm="OK"/>',
    ]
    file = judged(tmp_path / "t.xml", "<testResults>\n" + "\n".join(rows) + "\n</testResults>\n")
    assert {each.operation: each.completed for each in file.operations} == {"get": 2, "Pay": 1, "sql": 1}
    assert [each.operation for each in file.transactions] == ["Shop"]
    add_up(file)
    only = judged(tmp_path / "t.xml", "<testResults>\n" + rows[1] + "\n</testResults>\n")
    assert only.completed == 1 and only.rows.left_out == {}


def test_samples_within_a_sample_are_left_out_by_number(tmp_path: Path) -> None:
    file = judged(tmp_path / "a.xml", jtl_xml(requests(3)))
    reason = "subsamples of a counted sample (redirects, embedded resources)"
    assert file.rows.counted == 60 and file.rows.left_out == {reason: 60}


def test_without_success_samples_are_judged_by_their_response_code(tmp_path: Path) -> None:
    codes = ["200", "302", "404", "503", "Non HTTP response code: java.net.SocketTimeoutException"]
    rows = [f"{BEGIN + number},5,a,{code},{code} said\n" for number, code in enumerate(codes)]
    file = judged(tmp_path / "a.jtl", "timeStamp,elapsed,label,responseCode,responseMessage\n" + "".join(rows))
    assert file.completed == 2
    assert file.failures == {"SocketTimeoutException": 1, "status 404": 1, "status 503": 1}
    assert file.codes == dict.fromkeys([codes[0], codes[1], codes[2], codes[3], codes[4]], 1)
    assert set(file.messages) == {f"{code} said" for code in codes[2:]}
    assert any("judged by their response code" in note for note in file.notes)


def test_iterations_that_k6_dropped_are_named(tmp_path: Path) -> None:
    text = k6_csv(requests(10))
    assert not any("dropped" in note for note in judged(tmp_path / "a.csv", text).notes)
    at = BEGIN // 1000
    text += f"dropped_iterations,{at + 1},3.000000,,,,,,,,,,,,,\ndropped_iterations,{at + 8},2.000000,,,,,,,,,,,,,\n"
    assert any("it dropped 5 iterations" in note for note in judged(tmp_path / "a.csv", text).notes)
    assert any("dropped 2 iterations" in note for note in judged(tmp_path / "a.csv", text, Selection(5)).notes)


def test_failed_assertions_are_counted_by_their_message(tmp_path: Path) -> None:
    message = "Test failed: text expected to contain /total/"
    rows = [
        f'<httpSample t="5" ts="{BEGIN + number}" s="false" lb="a" rc="200" rm="OK"><assertionResult><name>Total</name>'
        f"<failure>true</failure><failureMessage>{message}</failureMessage></assertionResult><responseData>x</responseData>"
        "</httpSample>"
        for number in range(3)
    ]
    xml = judged(tmp_path / "a.xml", "<testResults>\n" + "\n".join(rows) + "\n</testResults>\n")
    table = "timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage\n"
    csv = judged(tmp_path / "a.jtl", table + f"{BEGIN},5,a,200,OK,false,{message}\n" * 3)
    for file in (xml, csv):
        assert (file.failures, file.messages, file.codes) == ({"assertion": 3}, {message: 3}, {"200": 3})


def test_calls_of_grpc_by_k6_are_judged_by_the_status_of_grpc(tmp_path: Path) -> None:
    def tags(status: int) -> str:
        return f",,,,,,Get,Get,,load,demo.v1.Things,{status},,,127.0.0.1:50051/demo.v1.Things/Get,,"

    header = (
        "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,"
        "service,status,subproto,tls_version,url,extra_tags,metadata"
    )
    second = BEGIN // 1000
    rows = [f"grpc_req_duration,{second + place},{1.5 + place}{tags(5 if place == 3 else 0)}" for place in range(4)]
    values = [
        {"metric": "grpc_req_duration", "type": "Point", "data": {"time": f"2026-11-29T22:25:5{place}.5Z", "value": 1.5 + place,
         "tags": {"method": "Get", "name": "Get", "service": "demo.v1.Things", "status": "5" if place == 3 else "0"}}}
        for place in range(4)
    ]  # fmt: skip
    csv = judged(tmp_path / "a.csv", "\n".join([header, *rows, ""]))
    lines = judged(tmp_path / "a.json", "".join(json.dumps(value) + "\n" for value in values))
    for file in (csv, lines):
        assert (file.completed, file.failures) == (3, {"gRPC status 5": 1}), file
        assert "an answer of gRPC is right by its status 0; k6's checks are reported separately" in file.notes


def test_other_metrics_of_k6_are_left_out_by_number_and_users_of_the_lead_in_are_none(tmp_path: Path) -> None:
    second = BEGIN // 1000
    text = k6_csv(requests(20)).replace(",4.000000", ",1.000000") + f"vus,{second + 9},8.000000,,,,,,,,,,,,,\n"
    assert judged(tmp_path / "a.csv", text).users == (1, 8)
    file = judged(tmp_path / "a.csv", text, Selection(skip_seconds=5))
    assert file.users == (8, 8)
    assert file.rows.left_out["values other than response times (other metrics, checks, users)"] == 402
    add_up(file)
