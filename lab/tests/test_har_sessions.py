"""A HAR file becomes a session: its requests by time, with a visitor's pauses; cookies and static assets are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported_sessions import Imported

BEGIN = "2026-01-01T10:00:"


def entry(second: float, path: str, status: int = 200, kind: str = "text/html", **more: Any) -> dict[str, Any]:
    """An entry that begins at this second of a minute and takes 100 ms."""
    asked = {"method": "GET", "url": f"http://127.0.0.1:8080{path}", "headers": [], "cookies": [], **more}
    sets = [{"name": name, "value": "secret-of-answer"} for name in asked.pop("sets", [])]
    return {
        "startedDateTime": f"{BEGIN}{second:06.3f}Z",
        "time": 100,
        "request": asked,
        "response": {"status": status, "content": {"mimeType": kind}, "cookies": sets, "headers": []},
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


def test_a_script_that_answers_with_data_is_no_asset(tmp_path: Path) -> None:
    visit = Imported(har(entry(1, "/a.js", kind="application/json"), entry(2, "/b")), tmp_path, "shop.har")
    assert list(visit.steps("visit")) == ["get-a-js", "get-b"] and not visit.left


def test_entries_without_a_time_keep_their_order(tmp_path: Path) -> None:
    entries = [entry(2, "/b"), entry(1, "/a")]
    del entries[0]["startedDateTime"]
    assert list(Imported(har(*entries), tmp_path, "shop.har").steps("visit")) == ["get-b", "get-a"]
