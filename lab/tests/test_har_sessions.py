"""A HAR file becomes a session: its requests by time, with a visitor's pauses; cookies and static assets are named."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from imported_sessions import Imported
from steelyard.base.errors import ImportRefusedError
from steelyard.workload.importing.convert import convert_description

BEGIN = "2026-01-01T10:00:"


def entry(second: float, path: str, status: int = 200, kind: str = "text/html", **more: Any) -> dict[str, Any]:
    """An entry that begins at this second of a minute and takes 100 ms."""
    asked = {"method": "GET", "url": f"http://127.0.0.1:8080{path}", "headers": [], "cookies": [], **more}
    text = asked.pop("answer", "")
    sets = [{"name": name, "value": "secret-of-answer"} for name in asked.pop("sets", [])]
    return {
        "startedDateTime": f"{BEGIN}{second:06.3f}Z",
        "time": 100,
        "request": asked,
        "response": {"status": status, "content": {"mimeType": kind, "text": text}, "cookies": sets, "headers": []},
    }


def har(*entries: object) -> str:
    """A HAR file of these entries."""
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


def cookies(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "value": "secret-of-cookie"} for name in names]


SHOP = har(
    entry(1, "/", sets=["sid"]),
    entry(1.15, "/style.css", kind="text/css"),
    entry(1.2, "/logo", kind="image/png"),
    entry(9, "/cart", cookies=cookies("sid", "before")),
    entry(
        4.3,
        "/login",
        302,
        method="POST",
        cookies=cookies("sid"),
        postData={"mimeType": "application/x-www-form-urlencoded", "text": "user=ann&password=secret-of-form"},
    ),
    entry(4.5, "/home"),
)


def test_a_visit_is_a_session_in_the_order_of_time_with_its_pauses(tmp_path: Path) -> None:
    visit = Imported(SHOP, tmp_path, "shop.har")
    steps = visit.steps("visit")
    assert list(steps) == ["get-root", "post-login", "get-home", "get-cart"]
    assert steps["get-root"]["think"] == {"kind": "constant", "ms": 3000}
    assert steps["get-home"]["think"] == {"kind": "constant", "ms": 4400}
    assert "think" not in steps["post-login"] and "think" not in steps["get-cart"]
    visit.fill("secret_password")
    _, login, home, _ = visit.sent("visit")
    assert login.expect.status == [302] and home.expect.status == [200]
    assert login.bodies == [b"user=ann&password={{secret_password:url}}"]


def test_what_of_a_visit_is_left_out_is_named_by_number(tmp_path: Path) -> None:
    visit = Imported(SHOP, tmp_path, "shop.har")
    assert "2 requests: images, fonts, styles and scripts" in visit.left
    assert "cookie before: no answer of the file sets it" in visit.left and "cookie sid" not in visit.left
    assert "1 redirect: the request to which one leads is a step of its own" in visit.notes
    assert all(b"secret-of" not in file.read_bytes() for file in visit.folder.rglob("*") if file.is_file())


def test_assets_are_requests_where_they_are_wanted_and_other_files_have_none(tmp_path: Path) -> None:
    (tmp_path / "shop.har").write_text(SHOP)
    outcome = convert_description(str(tmp_path / "shop.har"), tmp_path / "with", (), assets=True)
    (session,) = outcome.sessions
    assert len(session.steps) == 4 + 2 and not [left for left in outcome.left_out if "images" in left.why]
    (tmp_path / "urls.txt").write_text("http://127.0.0.1:8080/a\n")
    for name in ("urls.txt", "missing.wsdl"):
        with pytest.raises(ImportRefusedError, match="is not a HAR file"):
            convert_description(str(tmp_path / name), tmp_path / "other", (), assets=True)


def test_a_script_that_answers_with_data_is_no_asset(tmp_path: Path) -> None:
    visit = Imported(har(entry(1, "/a.js", kind="application/json"), entry(2, "/b")), tmp_path, "shop.har")
    assert list(visit.steps("visit")) == ["get-a-js", "get-b"] and not visit.left


def test_entries_without_a_time_keep_their_order(tmp_path: Path) -> None:
    entries = [entry(2, "/b"), entry(1, "/a")]
    del entries[0]["startedDateTime"]
    assert list(Imported(har(*entries), tmp_path, "shop.har").steps("visit")) == ["get-b", "get-a"]


TOKEN = "secret-of-answer/+=1"
PAGE = f'<form><input type="hidden" name="_csrf" value="{TOKEN}2"><input name="q" value="secret-of-chance"></form>'


def test_a_token_of_an_answer_that_a_later_request_sends_is_captured(tmp_path: Path) -> None:
    answer = json.dumps({"user": {"access_token": TOKEN}, "id": "secret-of-chance"})
    form = {"mimeType": "application/x-www-form-urlencoded", "text": "_csrf=secret-of-answer%2F%2B%3D12&q=1"}
    bearer = [{"name": "Authorization", "value": f"Bearer {TOKEN}"}]
    visit = Imported(
        har(
            entry(1, "/login", kind="application/json", answer=answer),
            entry(1.2, "/form", answer=PAGE, headers=bearer),
            entry(1.4, "/send", method="POST", postData=form, headers=bearer),
        ),
        tmp_path,
        "shop.har",
    )
    steps = visit.steps("visit")
    assert steps["get-login"]["captures"] == {"access_token": {"kind": "json", "path": ["user", "access_token"]}}
    assert steps["get-form"]["captures"]["csrf"]["kind"] == "regex" and "captures" not in steps["post-send"]
    _, shown, send = visit.sent("visit")
    assert shown.headers["Authorization"] == send.headers["Authorization"] == "Bearer {{access_token}}"
    assert send.bodies == [b"_csrf={{csrf:url}}&q=1"] and "auth" not in visit.file
    assert "entry 3 sends csrf of the answer of entry 2: please check" in visit.notes


def test_a_token_that_no_answer_holds_stays_a_place_to_fill(tmp_path: Path) -> None:
    bearer = [{"name": "Authorization", "value": "Bearer secret-of-before"}]
    visit = Imported(har(entry(1, "/a", headers=bearer), entry(2, "/b", headers=bearer)), tmp_path, "shop.har")
    assert visit.file["auth"]["kind"] == "bearer" and "please check" not in visit.notes


def test_many_tokens_are_looked_for_in_bounds(tmp_path: Path) -> None:
    answer = json.dumps([{"token": f"secret-of-answer-{number}"} for number in range(5000)])
    entries = [entry(1 + number / 100, f"/{number}", answer=answer) for number in range(30)]
    sends = entry(2, "/last", headers=[{"name": "X-Token", "value": "secret-of-answer-7"}])
    visit = Imported(har(*entries, sends), tmp_path, "shop.har")
    assert visit.sent("visit")[-1].headers == {"X-Token": "{{token}}"}


def test_a_request_of_http_2_has_no_pseudo_headers(tmp_path: Path) -> None:
    names = {":authority": "127.0.0.1:8080", ":method": "GET", ":path": "/a", ":scheme": "http", "x-shop": "7"}
    fields = [{"name": name, "value": value} for name, value in names.items()]
    visit = Imported(har(entry(1, "/a", headers=fields)), tmp_path, "shop.har")
    assert visit.file["operations"]["get-a"]["headers"] == {"x-shop": "7"}


def test_a_body_in_base64_is_sent_as_its_text_and_named_where_it_has_none(tmp_path: Path) -> None:
    def posted(path: str, raw: bytes) -> dict[str, Any]:
        packed = {"mimeType": "text/plain", "encoding": "base64", "text": base64.b64encode(raw).decode()}
        return entry(1, path, method="POST", postData=packed)

    visit = Imported(har(posted("/text", "é = 1".encode()), posted("/image", b"\x89PNG\xff")), tmp_path, "shop.har")
    assert visit.load().operations["post-text"].bodies == ["é = 1".encode()]
    assert "entry 2: its body is not text, and a sample must be text" in visit.left


def test_what_a_browser_did_not_send_or_sent_otherwise_is_named(tmp_path: Path) -> None:
    socket = entry(2, "/live")
    socket["request"]["url"] = "wss://127.0.0.1:8080/live"
    own = entry(3, "/own")
    own["request"]["url"] = "data:text/plain,hello"
    visit = Imported(har(entry(1, "/a"), socket, own, entry(4, "/blocked", 0)), tmp_path, "shop.har")
    assert visit.outcome.taken == ["get-a"]
    assert "entry 2: it opens a WebSocket" in visit.left and "'data:text/plain,hello' is not an" in visit.left
    assert "entry 4: the browser got no answer to it" in visit.left
