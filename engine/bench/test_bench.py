"""The bench's own parts: what clients say is read right, histograms are decoded, expectations are computed right."""

from __future__ import annotations

import base64
import random
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bench
import clients
import endurance
import exactness
import hlog
import poisson
import processes
import pytest
import quiet
import rmi
import session_cost
import table
from processes import Used


def used(output: str) -> Used:
    return Used(0, output, "", 0, 0, 0)


def peer(name: str) -> clients.Client:
    return next(client for client in clients.PEERS if client.name == name)


def test_the_request_has_258_bytes() -> None:
    assert len(clients.request_body()) == 258


def test_the_rate_is_read_from_what_each_peer_says() -> None:
    said = {
        "wrk": "Requests/sec: 158000.25\nTransfer/sec: 1MB",
        "ab": "Requests per second:    145000.50 [#/sec] (mean)",
        "h2load": "finished in 3.00s, 123456.67 req/s, 20MB/s",
        "oha": '{"summary": {"requestsPerSec": 88000.5}}',
        "k6": "    http_reqs......................: 39000  13000.125/s",
        "siege": '{ "transactions": 9, "transaction_rate":\t\t 11000.75, }',
    }
    rates = {name: peer(name).rate(used(text)) for name, text in said.items()}
    assert rates == {
        "wrk": 158000.25,
        "ab": 145000.5,
        "h2load": 123456.67,
        "oha": 88000.5,
        "k6": 13000.125,
        "siege": 11000.75,
    }


def test_http_2_is_asked_of_each_client_with_as_many_requests_at_once(tmp_path: Path) -> None:
    load = clients.Load("http://127.0.0.1:1/", 2, 3, tmp_path, streams=30)
    words = {client.name: " ".join(client.command("it", load)) for client in [clients.ENGINE, *clients.HTTP2_PEERS]}
    assert "--users 60" in words["steelyard-engine"]
    assert "--http2 --streams 30" in words["steelyard-engine"]
    assert "-m30 -t1 -c2" in words["h2load"]
    assert "--h1" not in words["h2load"]
    assert "--http2 -p 30" in words["oha"]
    plain = clients.Load("http://127.0.0.1:1/", 2, 3, tmp_path)
    assert not any("http2" in word for word in clients.ENGINE.command("it", plain))


def test_the_page_judges_http_2_against_h2load_and_shows_nothing_that_was_not_measured() -> None:
    figures = {"rate_per_s": "10", "user_us_per_request": "2", "system_us_per_request": "1", "others_cpu": "0"}
    ours = {"peer": "h2load", "pair": "0", "client": "steelyard-engine", **figures}
    theirs = {**ours, "client": "h2load", "rate_per_s": "8", "user_us_per_request": "1"}
    text = table.http2([ours, theirs])
    assert "throughput at least 1.0 x h2load | 1.250 | met" in text
    assert "1.0 x h2load | 2.000 | **missed**" in text
    assert table.http2([]) == ""


def test_the_page_judges_tls_against_wrk_and_h2load() -> None:
    figures = {
        "rate_per_s": "10",
        "user_us_per_request": "2",
        "system_us_per_request": "1",
        "others_cpu": "0",
        "connections": "30",
    }
    rows = []
    for peer, rate in (("wrk", "8"), ("h2load", "12")):
        rows += [{"peer": peer, "pair": "0", "client": "steelyard-engine", **figures}]
        rows += [{"peer": peer, "pair": "0", "client": peer, **figures, "rate_per_s": rate}]
    text = table.tls(rows)
    assert "## TLS, 30 connections that are kept" in text
    assert "throughput at least 1.0 x wrk | 1.250 | met" in text
    assert "throughput at least 1.0 x h2load | 0.833 | **missed**" in text
    assert "user time of a request at most 1.0 x wrk | 1.000 | met" in text
    assert table.tls([]) == ""


def test_the_page_judges_sessions_by_the_user_time_of_plain_requests(tmp_path: Path) -> None:
    costs = {"plain": "1.0", "session": "1.25", "signed": "2.5"}
    rows = [{"load": load, "user_us_per_request": cost, "others_cpu": "0.01"} for load, cost in costs.items()]
    text = table.sessions(rows)
    assert "at most 1.3 x without | 1.25 | met" in text and "body | 1 | 2.50 | 2.50 |" in text
    assert table.sessions([]) == ""
    session_cost.write_corpus(tmp_path / "corpus")
    operations = [line.split(",")[1] for line in (tmp_path / "corpus" / "corpus.csv").read_text().splitlines()[1:]]
    job = session_cost.job("http://127.0.0.1:1/", list(costs), 1)
    used = {step["operation"] for session in job["sessions"].values() for step in session["steps"]}
    assert used == {*operations} and [list(each["mix"]) for each in job["slices"]] == [
        ["plain-request"],
        ["session"],
        ["signed"],
    ]


def test_the_setup_of_a_figure_replaces_its_own_alone_and_figures_of_one_machine_share_a_column(tmp_path: Path) -> None:
    path = tmp_path / "setup.csv"
    for figure, kernel in [
        ("sessions", "6.1"),
        ("capacity", "6.2"),
        ("memory", "6.2"),
        ("sessions", "6.2"),
        ("rmi", "6.3"),
    ]:
        bench.write_setup(path, figure, {"kernel": kernel})
    rows = table.read(tmp_path, "setup")
    assert [(row["figure"], row["value"]) for row in rows] == [
        ("capacity", "6.2"),
        ("memory", "6.2"),
        ("rmi", "6.3"),
        ("sessions", "6.2"),
    ]
    assert table.setups(rows).splitlines()[3:] == [
        "| what | capacity, memory, sessions | rmi |",
        "| --- | --- | --- |",
        "| kernel | 6.2 | 6.3 |",
    ]
    assert table.setups([]) == ""


def test_a_certificate_is_for_loopback_and_no_authority(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl makes certificates here")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    processes.make_certificate(certificate, key)
    said = subprocess.run(
        ["openssl", "x509", "-in", certificate, "-noout", "-text"], check=True, capture_output=True, text=True
    ).stdout
    assert "CA:FALSE" in said and "IP Address:127.0.0.1" in said and "prime256v1" in said
    assert "PRIVATE KEY" in key.read_text()


def encode(words: list[int]) -> bytes:
    """A V2 compressed histogram of 3 digits from 1 µs to 1 h with these counts (negative: so many zeros)."""
    body = bytearray()
    for word in words:
        value = (word << 1) ^ (word >> 63)
        while value >= 0x80:
            body.append(value & 0x7F | 0x80)
            value >>= 7
        body.append(value)
    payload = struct.pack(">iiiiqqd", hlog.COOKIE, len(body), 0, 3, 1, 3_600_000_000, 1.0) + body
    compressed = zlib.compress(payload)
    return struct.pack(">ii", hlog.COOKIE_COMPRESSED, len(compressed)) + compressed


def test_a_histogram_is_decoded_to_the_greatest_values_of_its_buckets(tmp_path: Path) -> None:
    # Index 100 is 100 µs; 2048 is the first bucket of two: 2048 and 2049 µs.
    histogram = encode([-100, 7, -1947, 200])
    assert hlog.decode(histogram) == Counter({100: 7, 2049: 200})
    log = tmp_path / "intervals.hlog"
    line = f"Tag=a/0/echo/response,0.0,1.0,2.0,{base64.b64encode(histogram).decode()}\n"
    log.write_text("#[Histogram log format version 1.3]\n" + line + line)
    found = hlog.read(log)["a/0/echo/response"]
    assert found == Counter({100: 14, 2049: 400})
    assert hlog.quantile(found, 14 / 414) == 100
    assert hlog.quantile(found, 0.5) == 2049


def test_requests_that_come_in_a_freeze_wait_for_its_end_and_their_turn() -> None:
    freeze = {"begin_ns": 1_000_000_000, "end_ns": 2_000_000_000, "backlog": 10, "backlog_end_ns": 2_010_000_000}
    times = exactness.computed_ms(0, 4, 10, [freeze])
    assert times[:10] == [0] * 10
    assert [round(time) for time in times[10:20]] == [1001, 902, 803, 704, 605, 506, 407, 308, 209, 110]
    # Due at the very end of the freeze, behind the ten that waited.
    assert round(times[20]) == 11
    assert times[21:] == [0] * 19


def test_percentiles_of_a_freeze_are_those_that_the_method_foresees() -> None:
    reports = [
        {"begin_ns": s * 10**9, "end_ns": (s + 1) * 10**9, "backlog": 1000, "backlog_end_ns": (s + 1) * 10**9 + 10**7}
        for s in range(9, 60, 10)
    ]
    times = exactness.computed_ms(0, 60, 1000, reports)
    assert abs(exactness.quantile(times, 0.95) - 505) < 5
    assert abs(exactness.quantile(times, 0.99) - 901) < 5
    assert abs(exactness.quantile(times, 0.999) - 990) < 5


def test_endurance_goes_on_with_the_pieces_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_server(*_: str) -> Iterator[None]:
        yield

    monkeypatch.setattr(endurance, "nginx", no_server)
    monkeypatch.setattr(endurance, "piece", lambda _engine, _server, number: {"piece": number, "sent": 40_000_000})
    part = tmp_path / "endurance.part"
    assert bench.stopped_rows(part) == []
    part.write_text("piece,sent\n0,39000000\n1,400")
    had = bench.stopped_rows(part)
    assert had == [{"piece": "0", "sent": "39000000"}]
    rows = list(endurance.measure("", ("", ""), had))
    assert [int(str(row["piece"])) for row in rows] == [0, 1, 2]
    assert list(endurance.measure("", ("", ""), rows)) == rows


def test_the_page_judges_endurance_by_the_counts_of_both_sides_and_by_growth() -> None:
    row = {"piece": "0", "connections": "30", "sent": "100000000", "right": "100000000", "server": "100000000"}
    row |= {"first_tenth_kib": "6000", "end_kib": "6500"}
    assert table.endurance([row]).count("| met |") == 3
    for name, value, verdict in (
        ("server", "100000001", "counted by nginx | no | **missed**"),
        ("end_kib", "7100", "more at the end | no | **missed**"),
    ):
        text = table.endurance([row | {name: value}])
        assert verdict in text and text.count("| met |") == 2
    fewer = row | {"sent": "5", "right": "5", "server": "5"}
    assert "at least 100,000,000 requests | 5 | **missed**" in table.endurance([fewer])
    assert table.endurance([]) == ""


def test_anderson_darling_passes_exponential_gaps_and_refuses_regular_ones() -> None:
    passed = 0
    for seed in range(50):
        source = random.Random(seed)
        passed += poisson.anderson_darling([source.expovariate(1) for _ in range(1000)]) <= poisson.CRITICAL_1_PERCENT
    assert passed >= 47
    assert poisson.anderson_darling([1 + 0.1 * random.Random(1).random() for _ in range(1000)]) > 100


def test_our_own_work_is_not_that_of_others() -> None:
    others = quiet.Others()
    before = quiet.own_s()
    while quiet.own_s() - before < 0.2:
        pass
    assert others.share() <= 1


def test_the_least_disturbed_measurement_is_kept_when_patience_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.5, 0.2, 0.4])
    monkeypatch.setattr(quiet.Others, "share", lambda _: next(shares))
    patience = quiet.Quiet(patience_s=1)
    monkeypatch.setattr(patience, "_wait", lambda: None)
    made = iter(range(3))

    def measurement() -> quiet.Rows:
        number = next(made)
        if number == 2:
            patience.patience_s = 0
        return [{"number": number}]

    assert patience.measure(measurement) == [{"number": 1, "others_cpu": 0.2}]


def test_the_distance_from_the_grid_is_found() -> None:
    assert exactness.step_error_ns([5, 105, 305, 1005], 100) == 0
    assert exactness.step_error_ns([5, 112], 100) == 7


def test_the_page_is_what_the_committed_data_says() -> None:
    assert table.PAGE.read_text() == table.page(table.HERE / "results")


def test_what_the_driver_of_rmi_recorded_is_held_against_what_its_server_told(tmp_path: Path) -> None:
    samples = tmp_path / "out" / "samples"
    samples.mkdir(parents=True)
    (samples / "index.csv").write_text(
        "sample,slice,outcome,due_ns,last_byte_ns\n0,0,right,1,2\n1,3,wrong,1,2\n2,3,right,1000,9000\n3,3,right,2000,10000\n"
    )
    for number, written in ((0, 1), (1, 1), (2, 5000), (3, 4000)):
        (samples / f"{number}.answer").write_text(f'{{"says":"right","writeNs":{written}}}')
    assert list(rmi.stamps_of(tmp_path)) == [(1000, 9000, 5000), (2000, 10000, 4000)]
    row = "completed,engine_user_ns,engine_system_ns,lateness_p99_ns,valid\n"
    (tmp_path / "out" / "slices.csv").write_text(f"{row}9,9,9,9,1\n100,200000,100000,3000,1\n")
    told = rmi.told(tmp_path, list(rmi.stamps_of(tmp_path)), 2)
    assert (told["rate_per_s"], told["user_us_per_request"], told["system_us_per_request"]) == (50.0, 2.0, 1.0)
    assert (told["difference_p50_us"], told["difference_min_us"], told["lateness_p99_us"]) == (5.0, 4.0, 3.0)
