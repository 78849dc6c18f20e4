"""The guide of sessions: its shop serves, its commands are valid, and the shop counts what the load counts."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from imported_sessions import GUIDE as FOLDER
from imported_sessions import guide_shop, load_folder
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload.load_target import of_service

GUIDE = FOLDER.with_suffix(".md").read_text()
COMMANDS = [line.strip() for line in GUIDE.splitlines() if line.startswith("    uv run steelyard ")]


def test_the_guides_file_is_the_session_of_two_hundred_users() -> None:
    load = of_service(entries.service_at(str(FOLDER)), 1, Expect())
    assert load.weights == {"buy": 1.0} and len(load.sessions["buy"].rows) == 200
    assert [step.operation for step in load.sessions["buy"].session.steps] == [
        "buy.login",
        "buy.cart",
        "buy.add",
        "buy.order",
    ]
    lines = (FOLDER / "service.toml").read_text().splitlines()
    shown = [line.strip() for line in GUIDE.splitlines() if line.startswith("    ") and " = " in line]
    assert [line for line in shown if not any(each.startswith(line) for each in lines)] == []


def test_the_guides_load_breaks_no_rule_of_its_shop(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "sessions")
    with guide_shop() as (address, counts):
        file = tmp_path / "sessions" / "service.toml"
        file.write_text(file.read_text().replace("http://127.0.0.1:8088", address).replace("= 1500", "= 600"))
        words = shlex.split(COMMANDS[-1].removeprefix("uv run steelyard load "))
        briefly = {"docs/guides/sessions": "sessions", "200": "20", "30s": "4s", "200ms": "5s"}
        outcome = load_folder(tmp_path, *(briefly.get(word, word) for word in words))
    (session,) = outcome["sessions"]
    assert counts["violations"] == 0 and counts["logins"] == 21
    assert session["completed"] > 0 and (session["failed_outside"], session["cut"]) == (0, 0)
    assert counts["orders"] == 1 + session["completed"] + session["completed_outside"], "one is the verification's"
