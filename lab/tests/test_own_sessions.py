"""Sessions of a user's own service: from service.toml to the requests that a server sees, and every error of the file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from session_shop import SESSION, SessionShop, service_folder, session_shop
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.service import Column, Expect
from steelyard.workload import load_spec
from steelyard.workload.data import rows_of
from steelyard.workload.load_target import LoadTarget, of_service

pytestmark = pytest.mark.usefixtures("one_engine_processor")
ADDRESS = "http://127.0.0.1:9"
BESIDE_OTHERS = {"STEELYARD_STRANGERS": "yes"}
FORM_LOGIN = """\
[auth]
kind = "form-login"
user = "ann"
secret = "env:SHOP_SECRET"
path = "/form"
csrf_field = "csrf"

[[sessions.visit.steps]]
name = "home"
path = "/home"
"""
TOKEN = """\
[auth]
kind = "client-credentials"
user = "shop"
secret = "env:SHOP_SECRET"
path = "/token"

[[sessions.visit.steps]]
name = "cart"
path = "/cart?user=shop"
captures.csrf = { kind = "json", path = ["csrf"] }
think = { kind = "constant", ms = 80 }

[[sessions.visit.steps]]
name = "add"
path = "/items"
headers = { Content-Type = "application/x-www-form-urlencoded" }
body = "csrf={{csrf}}&item=book"
expect.status = [201]
"""


def target(folder: Path, more: str) -> LoadTarget:
    """The load that a service.toml with these sessions describes."""
    return of_service(entries.service_at(str(service_folder(folder, ADDRESS, more))), 1, Expect())


def right_answers(run: Path, operation: str) -> int:
    """Right answers of an operation over the whole of a load, the verification and its edges included."""
    counted = 0
    for file in (run / "verification" / "outcomes.csv", run / "trials" / "01" / "outcomes.csv"):
        with file.open(newline="") as rows:
            counted += sum(
                int(row["count"])
                for row in csv.DictReader(rows)
                if (row["operation"], row["outcome"]) == (operation, "right") and row["status"] in ("200", "201")
            )
    return counted


def load(folder: Path, made: Path, *words: str, **environment: str) -> dict[str, Any]:
    """What a load of the service's folder came to."""
    return steelyard(
        "load", str(made), *words, "--json", "--out", "runs", folder=folder, environment=BESIDE_OTHERS | environment
    ).outcome


def require_no_violation(folder: Path, users: int, seconds: int) -> tuple[SessionShop, dict[str, Any]]:
    """Drive the shop's sessions; it must have counted what the load counted, and no violation."""
    with session_shop() as shop:
        made = service_folder(folder, shop.address)
        outcome = load(folder, made, "--users", str(users), "--for", f"{seconds}s")
    assert shop.counted["violations"] == []
    assert outcome["failed"] == 0
    (session,) = outcome["sessions"]
    assert session["failed"] == 0 and session["completed"] > users
    assert right_answers(folder / outcome["run"], "visit.checkout") == shop.counted["completed"]
    # All sessions that began came to their end: in the lead-in, the measured time or the lead-out, and one in the verification.
    assert (session["failed_outside"], session["cut"]) == (0, 0)
    assert session["completed"] + session["completed_outside"] + 1 == shop.counted["completed"]
    assert len(shop.counted["users"]) == users  # type: ignore[arg-type]
    # Tokens expire after 2 s: users log in again, and nothing of it is a failure.
    assert int(str(shop.counted["refused"])) > 0
    assert int(str(shop.counted["logins"])) == users + 1 + int(str(shop.counted["refused"]))
    return shop, outcome


def test_users_with_expiring_tokens_csrf_tokens_and_carts_break_no_rule_of_the_shop(tmp_path: Path) -> None:
    _, outcome = require_no_violation(tmp_path, 20, 5)
    (session,) = outcome["sessions"]
    steps = {step["step"]: step for step in session["steps"]}
    assert list(steps) == ["login", "cart", "add", "checkout"]
    assert sum(step["repeated"] for step in steps.values()) > 0
    assert all(steps[name]["response_ms"]["p95"] > 0 for name in ("cart", "add", "checkout"))
    assert session["time_ms"]["p50"] > 60, "the least that two of its pauses take"
    run = tmp_path / outcome["run"]
    assert not [file for file in run.rglob("*") if file.is_file() and b"pw-u" in file.read_bytes()], "a password stays"
    page = (run / "report.html").read_text()
    assert 'id="loaded-sessions"' in page and "visit.checkout" in page


@pytest.mark.long
def test_a_hundred_users_for_half_a_minute_break_no_rule_of_the_shop(tmp_path: Path) -> None:
    require_no_violation(tmp_path, 100, 30)


def test_a_failed_step_ends_its_session_and_says_what_was_expected(tmp_path: Path) -> None:
    wrong = SESSION.replace("book%20of%20", "another%20book%20of%20")
    with session_shop() as shop:
        made = service_folder(tmp_path, shop.address, wrong)
        ran = steelyard("load", str(made), "--for", "1s", folder=tmp_path, environment=BESIDE_OTHERS)
        assert ran.code == 1 and "verification of visit.checkout failed" in ran.err
        assert "expected 200" in ran.err and "the cart of u 0 held" in ran.err


def test_a_form_login_sends_the_csrf_field_of_its_page_and_keeps_the_secret(tmp_path: Path) -> None:
    with session_shop() as shop:
        made = service_folder(tmp_path, shop.address, FORM_LOGIN)
        outcome = load(tmp_path, made, "--users", "3", "--for", "1s", SHOP_SECRET='pw-ann"&')
    assert (shop.counted["violations"], shop.counted["logins"]) == ([], 4)
    assert [step["step"] for step in outcome["sessions"][0]["steps"]] == ["auth-form", "auth-login", "home"]
    kept = [file for file in (tmp_path / outcome["run"]).rglob("*") if file.is_file()]
    assert not [file for file in kept if b"pw-ann" in file.read_bytes()]


@pytest.mark.parametrize(
    "kind",
    ['"client-credentials"', '"password-grant"\nclient = "site"', '"refresh-token"'],
    ids=lambda kind: kind.split('"')[1],
)
def test_a_token_of_oauth_is_renewed_when_it_expires(tmp_path: Path, kind: str) -> None:
    with session_shop(expires=0.3, cookies=False) as shop:
        made = service_folder(tmp_path, shop.address, TOKEN.replace('"client-credentials"', kind))
        outcome = load(tmp_path, made, "--users", "2", "--for", "2s", SHOP_SECRET='pw-shop"&')
    assert shop.counted["violations"] == []
    assert int(str(shop.counted["logins"])) > 6
    kept = [file for file in (tmp_path / outcome["run"]).rglob("*") if file.is_file()]
    secrets = [file for file in kept if b"pw-shop" in file.read_bytes() or b'access_token": "' in file.read_bytes()]
    assert not secrets


def test_a_load_whose_data_ends_ends_with_it(tmp_path: Path) -> None:
    stop = SESSION.replace('data_each = "user"', 'data_each = "session"\ndata_end = "stop"')
    stop = stop.replace("once = true\n", "").replace("again_on = [401]\n", "")
    with session_shop() as shop:
        made = service_folder(tmp_path, shop.address, stop, users=30)
        outcome = load(tmp_path, made, "--users", "4", "--for", "20s", "--warm-up", "100ms")
    assert outcome["sessions"][0]["rows_ended"] and outcome["seconds"] < 10
    assert (shop.counted["violations"], shop.counted["completed"], len(shop.counted["users"])) == ([], 30, 30)  # type: ignore[arg-type]


def test_several_sessions_are_mixed_by_their_weights(tmp_path: Path) -> None:
    more = '\n[sessions.look]\nweight = 3\n[[sessions.look.steps]]\nname = "form"\npath = "/form"\n'
    made = target(tmp_path, SESSION + more)
    assert made.weights == {"visit": 1.0, "look": 3.0}
    chosen = made.select(["look"])
    assert list(chosen.operations) == ["look.form"] and list(chosen.sessions) == ["look"]
    with pytest.raises(ConfigurationError, match="no session or operation 'lok'; did you mean 'look'"):
        made.select(["lok"])


def test_several_sessions_arrive_at_rates_of_their_own(tmp_path: Path) -> None:
    more = '\n[sessions.look]\n[[sessions.look.steps]]\nname = "form"\npath = "/form"\n'
    with session_shop() as shop:
        made = service_folder(tmp_path, shop.address, SESSION + more)
        outcome = load(tmp_path, made, "--rate", "visit=6/s,look=18/s", "--for", "2s", "--warm-up", "100ms")
    visit, look = (
        sum(session[kind] for kind in ("completed", "failed", "completed_outside", "failed_outside", "cut"))
        for session in outcome["sessions"]
    )
    assert shop.counted["violations"] == [] and visit >= 12 and abs(look - 3 * visit) <= 4, (visit, look)


@pytest.mark.parametrize("words", ["visit=6/s,look", "visit=6/s,visit=7/s", "visit=1..6/s", "=6/s"])
def test_rates_of_sessions_are_constant_and_each_has_a_name(words: str) -> None:
    with pytest.raises(ConfigurationError):
        load_spec.rates_by_name(words)


def test_values_are_written_as_their_body_and_query_need_it(tmp_path: Path) -> None:
    made = target(tmp_path, SESSION)
    assert made.operations["visit.login"].bodies == [b'{"user": "{{user:json}}", "password": "{{password:json}}"}']
    assert made.operations["visit.add"].bodies == [b"csrf={{csrf:url}}&item=book%20of%20{{user:url}}"]
    assert made.operations["visit.cart"].path == "/cart?user={{user:url}}"
    assert made.operations["visit.cart"].headers["Authorization"] == "Bearer {{token}}"
    assert made.sessions["visit"].rows[1] == {"user": "u 1", "password": 'pw-u 1"&'}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "{{next}}",
            "{{nxt}}",
            "{{nxt}}",
            r"nothing fills the placeholder \{\{nxt\}\} of step checkout; did you mean 'next'",
        ),
        (
            "{{csrf}}",
            "{{next}}",
            "csrf={{next}}",
            r"step add needs \{\{next\}\}, which step add captures, and that is not before",
        ),
        ('"csrf": "{{next}}"', '"csrf": "x"', "captures.next", "no later step uses next, which step add captures"),
        ('"csrf": "{{next}}"', '"csrf": "{{next"', "{{next", "step checkout has a wrong place"),
        ("once = true\n", "", "again_on", "again_on and again_after_ms repeat the steps with once"),
        ('name = "add"', 'name = "cart"', '"cart"', "two steps are called 'cart'"),
        ('name = "add"\npath = "/items"', 'operation = "ad"', '"ad"', "there is no operation 'ad'"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: str, message: str
) -> None:
    text = SESSION.replace(old, new)
    if 'operation = "ad"' in new:
        text = text.replace('body = "csrf={{csrf}}&item=book%20of%20{{user}}"\n', "")
    with pytest.raises(ConfigurationError, match=message) as raised:
        target(tmp_path, text)
    place = int(raised.value.message.partition(", line ")[2].partition(":")[0])
    assert line in (tmp_path / "shop" / "service.toml").read_text().splitlines()[place - 1]
    assert raised.value.hint or "again_on" in message


def test_a_data_file_that_is_missing_or_no_json_lines_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nobody\.csv cannot be read"):
        target(tmp_path, SESSION.replace("users.csv", "nobody.csv"))
    lines = tmp_path / "users.jsonl"
    lines.write_text('{"user": "ann", "age": 7}\n\n{"user": "bob", "age": 8}\n')
    columns = {name: Column(kind="json-lines", file="users.jsonl") for name in ("user", "age")}
    assert rows_of(columns, tmp_path, 1, None) == [{"user": "ann", "age": "7"}, {"user": "bob", "age": "8"}]
    lines.write_text('{"user": "ann"}\nbob\n')
    with pytest.raises(ConfigurationError, match="row 2: there is no text or number under 'user'"):
        rows_of({"user": columns["user"]}, tmp_path, 1, None)


def test_goals_of_a_step_and_of_a_session_are_judged_by_their_own_times(tmp_path: Path) -> None:
    with session_shop() as shop:
        made = service_folder(tmp_path, shop.address)
        words = ["load", str(made), "--users", "4", "--for", "2s", "--json", "--out", "runs"]
        goals = ["--p50", "checkout=5s,visit=1ms,5s", "--errors", "0%"]
        ran = steelyard(*words, *goals, folder=tmp_path, environment=BESIDE_OTHERS)
        unknown = steelyard(*words, "--p50", "chekout=5s", folder=tmp_path, environment=BESIDE_OTHERS)
    assert ran.code == 1 and ("p50 of visit <= 1 ms was missed: 100.00% of sessions" in ran.err or ran.disturbed), (
        ran.err
    )
    found = {goal["goal"]: goal["kept"] for goal in json.loads(ran.out)["goals"]}
    assert found == {
        "p50 <= 5000 ms": True,
        "p50 of checkout <= 5000 ms": True,
        "p50 of visit <= 1 ms": False,
        "failed <= 0": True,
    }
    assert unknown.code == 64 and "no operation, session or step 'chekout'" in unknown.err
