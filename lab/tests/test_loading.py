"""The parts of a load: options, data, rules, authentication, bounds, and intervals of one process."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from lxml import etree
from steelyard.base.errors import ConfigurationError, TargetError
from steelyard.base.histogram import Histogram, empty
from steelyard.commands.load import LoadOptions, words_of
from steelyard.measure.load.auth import secret_of, with_auth
from steelyard.measure.load.driving import GiveUp
from steelyard.measure.load.judged_requests import slower_than
from steelyard.models.job import BigBang, FixedWork, Http2, Rate, Steps
from steelyard.models.service import Auth, Column, Expect
from steelyard.statistics.batch_means import LEAST_BATCHES, batch_means, has_correlation
from steelyard.workload import allowed_hosts, answer_rules, load_spec
from steelyard.workload.data import rows_of
from steelyard.workload.load_target import of_url
from steelyard.workload.planned_load import profile_of, stretch_of
from steelyard.workload.request_files import write_requests

ENVELOPE = b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><a/></s:Body></s:Envelope>'


def remembering(count: int, memory: float, seed: int) -> list[float]:
    """A process whose values resemble their neighbours; its mean is 0."""
    draw, value, values = random.Random(seed), 0.0, []
    for _ in range(count):
        value = memory * value + draw.gauss(0, 1)
        values.append(value)
    return values


def covered(memory: float) -> float:
    found = [batch_means(remembering(400, memory, seed)) for seed in range(200)]
    inside = [one.interval.low <= 0 <= one.interval.high for one in found if one is not None]
    return sum(inside) / len(inside)


def test_batches_cover_the_mean_where_neighbours_resemble_each_other_and_seconds_do_not() -> None:
    assert 0.9 <= covered(0.0) <= 1.0
    assert covered(0.8) > 0.85
    naive = [remembering(400, 0.8, seed) for seed in range(200)]
    missed = [abs(sum(one) / 400) > 1.96 * math.sqrt(sum(v * v for v in one) / 400 / 400) for one in naive]
    assert sum(missed) / 200 > 0.4, "seconds as if independent would be far too narrow"


def test_too_few_seconds_have_no_interval_and_a_trend_is_said() -> None:
    assert batch_means([1.0] * (LEAST_BATCHES - 1)) is None
    rising = batch_means([float(second) for second in range(40)])
    assert rising is not None and not rising.independent
    assert not has_correlation([1.0] * 10)


def test_data_is_the_same_for_a_seed_and_written_as_xml_needs(tmp_path: Path) -> None:
    (tmp_path / "who.csv").write_text("name,other\nA & B,1\nC,2\n")
    columns = {
        "name": Column(kind="csv", file="who.csv"),
        "number": Column(kind="sequence", first=5, step=2),
        "colour": Column(kind="choice", values=["red", "green"]),
        "day": Column(kind="date"),
        "text": Column(kind="text", length=3),
    }
    rows = rows_of(columns, tmp_path, 1, "xml")
    assert rows == rows_of(columns, tmp_path, 1, "xml") != rows_of(columns, tmp_path, 2, "xml")
    assert [(row["name"], row["number"]) for row in rows] == [("A &amp; B", "5"), ("C", "7")]
    assert all(row["colour"] in ("red", "green") and len(row["text"]) == 3 and row["day"] > "2025" for row in rows)
    assert rows_of({}, tmp_path, 1, "xml") == [{}]
    with pytest.raises(ConfigurationError, match="no column 'nobody'"):
        rows_of({"nobody": Column(kind="csv", file="who.csv")}, tmp_path, 1, "xml")


def test_words_become_profiles() -> None:
    assert profile_of(load_spec.LoadSpec()) == BigBang(users=4, seconds=10)
    assert profile_of(load_spec.LoadSpec(most_requests=9)) == FixedWork(users=4, each=2, extra=1, most_seconds=10)
    steps = profile_of(load_spec.LoadSpec(users=load_spec.users_of("1..4"), profile="steps", seconds=8))
    assert isinstance(steps, Steps) and steps.levels == [1, 2, 3, 4] and steps.hold_seconds == 2
    rate = profile_of(load_spec.LoadSpec(rates=load_spec.rates_of("600/m"), poisson=True))
    assert isinstance(rate, Rate) and (rate.stages[0].from_rate, rate.arrivals) == (10, "poisson")
    assert load_spec.parse_think("1s..4s").to_ms == 4000 and load_spec.parse_think("").kind == "none"
    assert load_spec.expect_of(["length=1..9", "status=200,201", "xpath=//a"]) == Expect(
        least=1, most=9, status=[200, 201], xpath=["//a"]
    )
    assert load_spec.mix_of("a=3,b=1") == {"a": 3, "b": 1}
    for wrong in ("0", "4..", "x", "1..0"):
        with pytest.raises(ConfigurationError):
            load_spec.users_of(wrong)


def test_a_goal_says_its_unit_and_a_share_is_a_share() -> None:
    goals = load_spec.goals_of({0.95: "200ms", 0.99: "1.5 s"}, "1%")
    assert goals.percentiles == {0.95: 200, 0.99: 1500} and goals.errors == 0.01
    both = load_spec.goals_of({0.95: "200ms,checkout=0.8s"}, None)
    assert both.percentiles == {0.95: 200} and [(goal.name, goal.most_ms) for goal in both.named] == [("checkout", 800)]
    with pytest.raises(ConfigurationError, match="has no unit") as bare:
        load_spec.goals_of({0.95: "200"}, None)
    assert bare.value.hint == "write 200ms or 200s"
    for wrong in ("1", "101%", "some"):
        with pytest.raises(ConfigurationError, match="not a share of requests"):
            load_spec.goals_of({}, wrong)


def test_a_rate_bound_holds_for_users_and_for_rates() -> None:
    bounded = stretch_of(load_spec.LoadSpec(users=(10, 10)), {"a": 1.0}, 50.0)
    assert bounded.think.kind == "constant" and bounded.think.ms == 200, "ten users of at most five requests a second"
    with pytest.raises(ConfigurationError, match="max_rate"):
        stretch_of(load_spec.LoadSpec(rates=(60.0, 60.0)), {"a": 1.0}, 50.0)


def test_another_machine_must_be_declared_whole() -> None:
    asked = of_url("http://192.0.2.1/x", None, b"", {}, Expect())
    with pytest.raises(TargetError, match="is not this machine"):
        allowed_hosts.target_of(asked)
    assert allowed_hosts.is_this_machine(["127.0.0.1", "::1"]) and not allowed_hosts.is_this_machine(
        ["127.0.0.1", "192.0.2.1"]
    )
    assert not allowed_hosts.is_this_machine([])
    asked_for = of_url("http://localhost:8080/x?y", None, b"", {}, Expect())
    here = allowed_hosts.target_of(asked_for)
    assert here.http2 is None
    assert allowed_hosts.target_of(asked_for, streams=30).http2 == Http2(streams=30)
    assert here.url == "http://localhost:8080/" and all(address.is_loopback for address in here.addresses)
    assert here.addresses, "what was allowed is what is asked"


def test_a_name_token_is_filled_by_the_engine_and_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setenv("PASSWORD", "hid<den")
    asked = of_url("http://127.0.0.1/x", None, ENVELOPE, {}, Expect())
    digest = Auth(kind="password-digest", user="me", secret="env:PASSWORD", valid_seconds=300)
    told, credentials = with_auth(replace(asked, auth=digest), {})
    secrets = credentials.next_secrets(1)
    body = told.operations["request"].bodies[0]
    assert told.operations["request"].filled and b"hid" not in body and "hid" not in repr(credentials)
    assert secrets is not None and secrets.values == {"password": "hid<den"}
    texts = [element.text for element in etree.fromstring(body).iter(etree.Element) if element.text]
    assert texts == ["{{time}}", "{{time_plus_300}}", "me", "{{password_digest}}", "{{nonce}}", "{{time}}"]
    (tmp_path / "token").write_text("abc\n")
    assert secret_of("file:token", tmp_path) == "abc"
    with pytest.raises(ConfigurationError, match="never as text"):
        secret_of("hunter2", tmp_path)


def test_chunked_bodies_hold_the_body_and_its_end(tmp_path: Path) -> None:
    asked = of_url("http://127.0.0.1/x", None, b"abcde", {}, Expect())
    made = write_requests(asked, tmp_path, {}, packed=True, chunked=True)
    assert (made.folder / "corpus.bin").read_bytes() == b"2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"
    assert "Transfer-Encoding" in (made.folder / "corpus.csv").read_text()


def test_rules_on_kept_answers_say_what_is_missing() -> None:
    assert answer_rules.difference(ENVELOPE, Expect(xpath=["//a"]), None) is None
    assert answer_rules.difference(ENVELOPE, Expect(xpath=["//b"]), None) == "xpath //b finds nothing"
    assert answer_rules.difference(b'{"id": 1}', Expect(jsonpath=["$.id"]), None) is None
    assert answer_rules.difference(b'{"id": 1}', Expect(jsonpath=["$.no"]), None) == "jsonpath $.no finds nothing"
    assert answer_rules.difference(b"<", Expect(jsonpath=["$"]), None) == "it is not JSON"
    with pytest.raises(ConfigurationError, match="XPath"):
        answer_rules.difference(ENVELOPE, Expect(xpath=["//["]), None)


def test_a_rule_of_an_operation_goes_before_that_of_all() -> None:
    own, common = Expect(contains="own"), Expect(contains="common", status=[202])
    assert own.overriding(common) == Expect(contains="own", status=[202])


def test_http_2_is_asked_with_so_many_streams_and_goes_without_chunks() -> None:
    url = "http://127.0.0.1:8080/"
    assert words_of(LoadOptions(service=url)).streams is None
    assert words_of(LoadOptions(service=url, http2=True)).streams == Http2().streams
    assert words_of(LoadOptions(service=url, http2=True, streams=3)).streams == 3
    for wrong in (LoadOptions(service=url, streams=3), LoadOptions(service=url, http2=True, chunked=True)):
        with pytest.raises(ConfigurationError, match=r"--http2|HTTP/2"):
            words_of(wrong)


@pytest.mark.parametrize("users", [0, 4])
def test_a_target_that_fails_wholly_is_given_up_and_one_that_nobody_asks_is_not(users: int) -> None:
    at = [0.0]
    watch = GiveUp(3, lambda: at[0])

    def told(completed: int, failed: int, users: int) -> bool:
        at[0] += 1
        return watch.has_failed({"completed": completed, "failed": failed, "wrong": 0, "users": users})

    assert not any(told(10 * second, 5 * second, users) for second in range(1, 9)), "it answers some"
    assert not any(told(80, 40, 0) for _ in range(9)), "nobody asks"
    assert [told(80, 40 + second, users) for second in range(1, 5)] == [False, False, True, True]
    assert not told(81, 50, users)


def test_slow_requests_are_counted_above_the_goal_alone() -> None:
    import numpy as np

    times = Histogram(np.array([1000, 5000, 9000]), np.array([1000.0, 5000.0, 9000.0]), np.array([90, 8, 2]))
    assert [slower_than(times, most) for most in (0.5, 1, 5, 9)] == [100, 10, 2, 0]
    assert slower_than(empty(), 1) == 0


def test_a_ramp_says_what_was_measured_with_how_many_users() -> None:
    import numpy as np
    from steelyard.analyse.load_figures import MOST_BANDS, Second, by_users

    def second(users: int, completed: int) -> Second:
        times = Histogram(np.array([1000]), np.array([1000.0]), np.array([completed]))
        return Second(completed, completed, 1, completed / 1000 * users, times, users)

    assert by_users([]) == [] and by_users([second(0, 0)]) == []
    one, two = by_users([second(1, 50), second(2, 150), second(2, 250), second(0, 0)])
    assert (one.users, one.seconds, one.throughput_per_s, one.failed) == ((1, 1), 1, 50, 1)
    assert (two.users, two.seconds, two.throughput_per_s, two.failed) == ((2, 2), 2, 200, 2)
    assert one.mean_ms == pytest.approx(1) and two.mean_ms == pytest.approx(2)
    assert one.p95_ms is None and two.p95_ms == pytest.approx(1), "p95 needs 200 requests"
    ramp = by_users([second(users, 10) for users in range(1, 41)])
    assert len(ramp) <= MOST_BANDS and ramp[0].users[0] == 1 and ramp[-1].users[1] == 40
    assert sum(band.seconds for band in ramp) == 40


def test_runs_that_begin_in_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    from steelyard.base.errors import StoreError
    from steelyard.results.loads import make_run_folder

    wanted = tmp_path / "runs" / "load-shop-2026-01-31-120000"
    assert [make_run_folder(wanted).name for _ in range(3)] == [wanted.name, f"{wanted.name}-2", f"{wanted.name}-3"]
    (tmp_path / "file").touch()
    for blocked in (tmp_path / "file", tmp_path / "file" / "runs"):
        with pytest.raises(StoreError, match="cannot be made"):
            make_run_folder(blocked)
