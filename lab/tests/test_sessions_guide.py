"""The guide of sessions: its shop serves, its commands are valid, and the shop counts what the load counts."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from command import steelyard
from steelyard.base import paths
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload.load_target import of_service

FOLDER = paths.root() / "docs" / "guides" / "sessions"
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
    shop = subprocess.Popen(
        [sys.executable, str(FOLDER / "shop.py"), "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert shop.stdout is not None
    try:
        address = shop.stdout.readline().split()[-1]
        file = tmp_path / "sessions" / "service.toml"
        file.write_text(file.read_text().replace("http://127.0.0.1:8088", address).replace("= 1500", "= 600"))
        words = shlex.split(COMMANDS[-1].removeprefix("uv run steelyard "))
        words = [
            {"docs/guides/sessions": "sessions", "200": "20", "30s": "4s", "200ms": "5s"}.get(word, word)
            for word in words
        ]
        environment = {"STEELYARD_AWAKE": "no", "STEELYARD_STRANGERS": "yes"}
        ran = steelyard(*words, "--json", folder=tmp_path, environment=environment)
        shop.send_signal(signal.SIGINT)
        counts = json.loads(shop.stdout.readline())
    finally:
        shop.kill()
        shop.communicate()
    assert ran.code == 0, ran.err
    (session,) = json.loads(ran.out)["sessions"]
    assert counts["violations"] == 0 and counts["logins"] == 21
    assert 0 < session["completed"] <= counts["orders"]
