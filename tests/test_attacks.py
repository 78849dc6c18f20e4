"""Attacks on the laboratory: the oracle sees what it must, a campaign goes on where it was stopped, and attacks find no defect."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from attacks import campaign, oracle, results
from attacks.ground import Ground, NotHereError
from attacks.kinds import sessions, tls
from attacks.lying_shop import INJECTED
from attacks.oracle import DEFECT, NOT_HERE, NOT_STRUCK, OUTCOMES, Ended, Served
from attacks.plan import FULL, Attack, known_kinds, plan
from attacks.preload import Control
from attacks.relay import Relay
from attacks.results import Row
from attacks.target import TEXT
from attacks.templates import Templates
from attacks.tls_relay import TlsRelay

# Kinds and variants that end within a few seconds.
FAST = (
    ("disk", "start: --out is a file"),
    ("disk", "start: --out is under a file"),
    ("disk", "start: tiny.toml is halved"),
    ("disk", "start: tiny.toml is garbage"),
    ("disk", "start: tiny.toml is a loop"),
    ("disk", "later: report of the load, a file is halved"),
    ("environment", "plan: locale C without UTF-8"),
    ("environment", "plan: HOME is no folder"),
    ("environment", "plan: standard output is full"),
    ("environment", "plan: standard error is closed"),
    ("environment", "plan: letters beyond ASCII"),
    ("imports", "HAR, halved"),
    ("imports", "a server that says nothing, and the lab is killed"),
    ("lies", "garbage, from the first"),
    ("lies", "redirection, from the first"),
    ("lies", "length-too-long, from the first"),
    ("network", "a name that is too long"),
    ("network", "reset-for-good before the verification"),
    ("resources", "load: descriptors 8"),
    ("resources", "load: the port is in use"),
    ("sessions", "no-token, from the first"),
    ("shapes", "a start line that fails"),
    ("standing", "mock: int, under requests"),
    ("standing", "serve: hup, under requests"),
    ("tls", "an alert before the verification"),
    ("writes", "load: an I/O error at fsync in the lab, at the start"),
)
LONG = 200


@pytest.fixture(scope="module")
def field() -> Iterator[tuple[Path, Templates]]:
    with campaign.field() as made:
        yield made


def ended(code: int | None, err: str = "", out: str = "") -> Ended:
    return Ended(code, out, err, 1.0)


def test_a_process_with_the_mark_is_found_in_any_session_and_one_without_is_not(tmp_path: Path) -> None:
    marked = {**os.environ, oracle.MARK: str(tmp_path)}
    with (
        subprocess.Popen(["sleep", "100"], env=marked, start_new_session=True) as ours,
        subprocess.Popen(["sleep", "100"], env={**marked, oracle.MARK: f"{tmp_path}2"}) as other,
    ):
        try:
            assert [process.pid for process in oracle.left_running(str(tmp_path), 0.1)] == [ours.pid]
        finally:
            ours.kill()
            other.kill()
    assert oracle.left_running(str(tmp_path), 5) == []


def test_a_file_that_changed_appeared_or_vanished_is_named(tmp_path: Path) -> None:
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text(name)
    before = oracle.fingerprints(tmp_path)
    (tmp_path / "changed").write_text("CHANGED")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").symlink_to("same")
    found = oracle.changes(before, oracle.fingerprints(tmp_path))
    assert [line.removeprefix(f"{tmp_path}/") for line in found] == ["changed changed", "gone is gone", "new appeared"]


@pytest.mark.parametrize(
    ("end", "signals", "said"),
    [
        (ended(0), (), []),
        (ended(64, "error: no\nhint: yes\n"), (), []),
        (ended(130), (2,), []),
        (ended(-9), (9,), []),
        (ended(None), (), ["it did not end within 1 s"]),
        (ended(-9), (), ["its exit code is -9"]),
        (ended(130), (), ["its exit code is 130, but nothing interrupted it"]),
        (ended(120, "Exception ignored in: <stdout>"), (), ["it printed 'Exception ignored'", "its exit code is 120"]),
        (ended(1, "it failed\n"), (), ["its last line is neither an error nor a hint: it failed"]),
        (ended(1, "Traceback (most recent call last):\nhint: x"), (), ["it printed 'Traceback (most recent'"]),
    ],
)
def test_an_end_that_no_user_may_see_is_named(end: Ended, signals: tuple[int, ...], said: list[str]) -> None:
    assert oracle.wrong_end(end, signals) == said


HEADER = [
    *("begin_ns", "end_ns"),
    *("slice", "completed", "lead_in_completed", "dropped", "sent", "stale", "outside_stale"),
    *oracle.KINDS,
    *(f"outside_{kind}" for kind in oracle.KINDS),
]


def stored(folder: Path, **counts: int) -> Path:
    """A run folder with one slice that has these counts."""
    row = {**dict.fromkeys(HEADER, 0), **counts}
    trial = folder / "trials" / "01"
    trial.mkdir(parents=True)
    (trial / "slices.csv").write_text(f"{','.join(HEADER)}\n{','.join(map(str, row.values()))}\n")
    return folder


def test_an_instant_outside_of_the_command_and_a_false_rate_are_named(tmp_path: Path) -> None:
    run = stored(tmp_path, begin_ns=20, end_ns=30)
    table = run / "trials" / "01" / "slices.csv"
    assert oracle.wrong_times(run, 20, 30) == []
    assert oracle.wrong_times(run, 21, 30) == ["slices.csv, slice 0: it lasts from -1 to 9 ns"]
    assert oracle.wrong_times(run, 21, 30, but={hashlib.sha256(table.read_bytes()).hexdigest()}) == []
    for rate, wrong in ((100.0, []), (50.0, ["load.json: 200 requests in 2.0 s at 50.0 per s, within 3.0 s"])):
        load = {"seconds": 2.0, "completed": 200, "throughput_per_s": {"value": rate}}
        (run / "load.json").write_text(json.dumps(load))
        assert oracle.wrong_times(run, 0, 3_000_000_000) == wrong


def test_trials_of_all_machines_are_found(tmp_path: Path) -> None:
    for place in (
        "machines/machine-1/trials/01",
        "machines/machine-2/trials/02",
        "machines/machine-2/trials/02.stopped-1",
    ):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "machines/machine-1/trials/01/trial.json").write_text('{"status": "complete"}')
    assert oracle.trials(tmp_path) == {"machine-1/01": "complete", "machine-2/02": "none"}


def test_counts_that_the_server_does_not_know_are_named(tmp_path: Path) -> None:
    run = stored(tmp_path, completed=8, lead_in_completed=1, status=2, reset=1, sent=12)
    assert oracle.wrong_counts(run, Served(asked=11, right=9), exact=True) == []
    [lost] = oracle.wrong_counts(run, Served(asked=10, right=9), exact=True)
    assert "the server got 10" in lost
    assert oracle.wrong_counts(run, Served(asked=90, right=9), exact=False) == []
    [false] = oracle.wrong_counts(run, Served(asked=12, right=8), exact=False)
    assert false == "9 right answers are stored, and the server gave 8"


def test_a_sum_that_does_not_hold_is_named(tmp_path: Path) -> None:
    [broken] = oracle.wrong_counts(stored(tmp_path, completed=8, sent=9), Served(right=8), exact=False)
    assert broken == "slices.csv, slice 0: 9 sent, but 8 right, 0 wrong or failed, 0 unanswered"


def test_the_counting_server_counts_what_came_and_the_relay_passes_it_on(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "ground")
    with ground.serving(lie="wrong-text", after=2) as port, Relay(port) as relay:
        asked = urllib.request.Request(f"http://127.0.0.1:{relay.port}/work", data=b"{}")
        answers = [urllib.request.urlopen(asked, timeout=30).read() for _ in range(3)]
        relay.act("reset-for-good")
        with pytest.raises(OSError):
            urllib.request.urlopen(asked, timeout=30)
    assert [answer == TEXT for answer in answers] == [True, True, False]
    assert ground.served() == Served(asked=3, right=2, other=1)


def ran(script: str, control: Control) -> str:
    """What a program of Python prints that has the library."""
    environment = {**os.environ, **control.environment}
    command = [sys.executable, "-I", "-c", script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def control(tmp_path: Path) -> Control:
    try:
        return Control(Ground(tmp_path / "ground"))
    except NotHereError as error:
        pytest.skip(str(error))


CLOCK = "import time, datetime; print(time.time(), datetime.datetime.now().timestamp(), time.monotonic())"


@pytest.mark.parametrize(
    ("act", "ns", "ahead"), [("", 0, 0.0), ("ahead", 3_600_000_000_000, 3600.0), ("ahead", -(10**18), -(10.0**9))]
)
def test_the_library_moves_the_time_of_day_and_nothing_else(control: Control, act: str, ns: int, ahead: float) -> None:
    control.move_clock(act, ns)
    before = time.time(), time.monotonic()
    of_day, of_date, monotonic = (float(word) for word in ran(CLOCK, control).split())
    assert abs(of_day - before[0] - ahead) < 60 and abs(of_date - of_day) < 1 and 0 <= monotonic - before[1] < 60
    assert (control.readings > 0) == bool(act)


def test_the_library_lets_the_time_of_day_stand_and_hits_only_the_named_program(control: Control) -> None:
    control.move_clock("stands")
    first, last = ran("import time; a = time.time(); time.sleep(0.2); print(a, time.time())", control).split()
    assert first == last
    control.environment["ATTACK_PROGRAM"] = "another"
    first, last = ran("import time; a = time.time(); time.sleep(0.2); print(a, time.time())", control).split()
    assert float(last) - float(first) > 0.1


WRITES = """
import os, sys
def wrote(name, deed):
    try:
        deed(os.path.join(FOLDER, name))
    except OSError as error:
        return error.strerror
    return 'written'
def plain(path):
    with open(path, 'wb') as file:
        file.write(b'x' * 5000)
def synced(path):
    with open(path, 'wb') as file:
        file.write(b'x' * 5000)
        file.flush()
        os.fsync(file.fileno())
print(wrote('a', plain), wrote('b', synced), wrote('c', os.mkdir), sep=', ')
"""


@pytest.mark.parametrize(
    ("act", "amount", "said"),
    [
        ("", 0, "written, written, written"),
        ("short", 0, "written, written, written"),
        ("slow", 1000, "written, written, written"),
        ("quota", 7000, "written, Disk quota exceeded, written"),
        ("broken", 0, "Input/output error, Input/output error, written"),
        ("unsynced", 0, "written, Input/output error, written"),
        ("no file", 1, "written, Disk quota exceeded, Disk quota exceeded"),
    ],
)
def test_the_library_breaks_what_is_written_below_the_folder_alone(
    control: Control, tmp_path: Path, act: str, amount: int, said: str
) -> None:
    control.break_writes(act, amount)
    runs = tmp_path / "ground" / "runs"
    assert ran(WRITES.replace("FOLDER", repr(str(runs))), control) == said
    assert (control.struck > 0) == bool(act)
    if said.startswith("written"):
        assert (runs / "a").stat().st_size == 5000
    assert ran(WRITES.replace("FOLDER", repr(str(tmp_path))), control) == "written, written, written"


def test_the_shop_with_log_in_counts_and_lies_from_the_request_that_is_named(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "ground")
    with ground.shop_with_login("no-token", after=1) as (_, port):
        address = f"http://127.0.0.1:{port}/login"
        words = json.dumps({"user": "user1", "password": "password of user1"}).encode()
        answers = [json.load(urllib.request.urlopen(address, data=words, timeout=30)) for _ in range(2)]
        named = urllib.request.Request(address, data=words, headers={INJECTED: "yes"})
        urllib.request.urlopen(named, timeout=30).read()
    assert [list(answer) for answer in answers] == [["token"], []]
    assert ground.served() == Served(asked=3, right=1, other=2)
    counts = {"logins": 3, "expired": 0, "orders": 0, "violations": 0, "injected": 1}
    assert oracle.document(tmp_path / "ground" / f"{port}.json") == counts


@pytest.mark.parametrize(
    ("counts", "load", "lie", "code", "said"),
    [
        ({"orders": 4, "violations": 0}, (2, 1), "", 1, []),
        ({"orders": 3, "violations": 0}, (2, 0), "", 0, []),
        ({"orders": 2, "violations": 0}, (2, 1), "", 1, ["3 sessions are stored as whole and 1 as others"]),
        ({"orders": 9, "violations": 0}, (2, 1), "", 1, ["3 sessions are stored as whole and 1 as others"]),
        ({"orders": 3, "violations": 2}, (2, 0), "", 1, ["the shop counts 2 broken rules"]),
        ({"orders": 3, "violations": 2}, (2, 0), "no-form", 0, ["exit code 0, but the shop counts 2 broken rules"]),
        (
            {"orders": 3, "violations": 0, "injected": 1},
            (2, 0),
            "",
            0,
            ["1 requests had a header that a token brought"],
        ),
    ],
)
def test_orders_and_broken_rules_that_a_load_does_not_tell_of_are_named(
    counts: dict[str, int], load: tuple[int, int], lie: str, code: int, said: list[str]
) -> None:
    whole, failed = load
    session = {"completed": whole, "completed_outside": 0, "failed": failed, "failed_outside": 0, "cut": 0}
    wrong = sessions.wrong_counts(counts, {"sessions": [session]}, ended(code), lie=lie, loses=False)
    assert len(wrong) == len(said) and all(line.startswith(begin) for line, begin in zip(wrong, said, strict=True))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates here")
@pytest.mark.parametrize(
    ("act", "answer"),
    [
        ("", "right"),
        ("records of one byte", "right"),
        ("one byte per packet", "right"),
        ("a bit is another", "SSLError"),
        ("a record comes twice", "right"),  # the first alone is a whole answer
        ("cut in a record", "RemoteDisconnected"),
        ("a plain record between", "SSLError"),
        ("plain HTTP", "SSLError"),
        ("an alert", "SSLError"),
        ("half a handshake", "TimeoutError"),
        ("silence", "TimeoutError"),
    ],
)
def test_the_relay_speaks_tls_and_breaks_what_the_act_says(tmp_path: Path, act: str, answer: str) -> None:
    ground = Ground(tmp_path / "ground")
    certificate, key = tls.certificate(ground)
    context = ssl.create_default_context(cafile=str(certificate))
    with ground.serving() as port, TlsRelay(port, certificate, key) as relay:
        relay.act(act)
        asked = urllib.request.Request(f"https://127.0.0.1:{relay.port}/work", data=b"{}")
        try:
            got = urllib.request.urlopen(asked, timeout=2, context=context).read()
            found = "right" if got == TEXT else "wrong"
        except urllib.error.URLError as error:
            found = type(error.reason).__name__
        except OSError as error:
            found = type(error).__name__
    assert found == answer


def test_a_longer_plan_begins_as_a_shorter_one_and_each_kind_has_its_share() -> None:
    long = list(plan(1, FULL))
    assert list(plan(1, LONG)) == long[:LONG] and len(set(long)) == FULL
    shares = {name: kind.SHARE for name, kind in known_kinds().items()}
    assert sum(shares.values()) == FULL
    counts = Counter(attack.kind for attack in long)
    assert all(abs(counts[name] - shares[name] * FULL / sum(shares.values())) <= 1 for name in shares)
    kills = [attack.variant for attack in plan(1, FULL, ("kills",))]
    assert set(kills) == set(known_kinds()["kills"].VARIANTS)
    assert list(plan(2, 1)) != long[:1]


def test_a_campaign_goes_on_with_what_is_missing_also_after_a_cut_row(tmp_path: Path) -> None:
    table, planned = tmp_path / "table.csv", list(plan(1, 4))
    row = Row(1, planned[0].kind, planned[0].number, "a, b", "unaffected", "0", 1.5, "abc", 'a "word"')
    for each in (row, replace(row, kind=planned[1].kind, number=planned[1].number, outcome=DEFECT)):
        results.append(table, each)
    table.write_bytes(table.read_bytes() + b"1,kills,9,cut")
    had = list(results.read(table))
    assert had[0] == row and len(had) == 2
    assert list(campaign.remaining(planned, had)) == planned[2:]
    assert list(campaign.remaining(planned, had, again=True)) == [planned[1]]
    results.append(table, replace(row, kind=planned[2].kind, number=planned[2].number))
    assert [each.attack for each in results.read(table)] == planned[:3]


def test_attacks_at_once_are_each_driven_once_and_none_begins_after_the_last_minute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planned, active, counts = list(plan(1, 12)), [], []

    def drive(attack: Attack, *_: object) -> Attack:
        active.append(attack)
        counts.append(len(active))
        time.sleep(0.02)
        active.remove(attack)
        return attack

    monkeypatch.setattr(campaign, "drive", drive)
    templates = Templates(tmp_path / "templates")
    assert sorted(campaign.driven(planned, tmp_path, templates, at_once=3), key=planned.index) == planned
    assert max(counts) == 3 and active == []
    assert list(campaign.driven(planned, tmp_path, templates, until=time.monotonic() - 1)) == []


def test_a_load_without_an_attack_is_unaffected_and_counted_alike(field: tuple[Path, Templates]) -> None:
    run = field[1].load
    assert oracle.trials(run) == {"01": "complete"} and oracle.claims(run).right > 0


@pytest.mark.parametrize(("kind", "variant"), FAST)
def test_a_fast_attack_finds_no_defect(field: tuple[Path, Templates], kind: str, variant: str) -> None:
    module = known_kinds()[kind]
    assert variant in module.VARIANTS
    ground = Ground(field[0] / f"fast-{FAST.index((kind, variant))}", field[1])
    try:
        found = module.attack(variant, random.Random(1), ground)
    except NotHereError as error:
        pytest.skip(str(error))
    assert found.outcome in OUTCOMES and found.outcome != DEFECT, found


@pytest.mark.long
@pytest.mark.parametrize("attack", list(plan(1, LONG)), ids=lambda attack: f"{attack.kind}-{attack.number}")
def test_an_attack_finds_no_defect(field: tuple[Path, Templates], attack: Attack) -> None:
    row = campaign.drive(attack, *field)
    if row.outcome in (NOT_HERE, NOT_STRUCK):
        pytest.skip(f"{row.outcome}: {row.detail}")
    assert row.outcome != DEFECT, row


def test_make_faults_shows_its_options() -> None:
    command = [sys.executable, "-m", "attacks", "--help"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert all(word in shown for word in ("--attacks", "--minutes", "--seed", "--again", *known_kinds()))
