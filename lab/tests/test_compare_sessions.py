"""Sessions of two running targets are compared: users log in, carry values on, and keep to the rules of both shops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from session_shop import SESSION, SessionShop, service_folder, session_shop

WORDS = ("--users", "4", "--pairs", "3", "--slice-seconds", "1", "--warm-up", "0.5", "--out", "runs", "--json")
ENDLESS = 'data_each = "user"\n'


def compared(folder: Path, more: str) -> tuple[dict[str, Any], list[SessionShop]]:
    """The comparison of two shops, the second with these sessions, and both shops."""
    (folder / "old").mkdir()
    (folder / "new").mkdir()
    with session_shop() as old, session_shop() as new:
        sides = [service_folder(folder / "new", new.address), service_folder(folder / "old", old.address, more)]
        ran = steelyard("compare", *map(str, sides), *WORDS, folder=folder, environment={"STEELYARD_STRANGERS": "yes"})
    assert ran.code == 0 or "the mean pause was" in ran.err, ran.err  # a busy machine lengthens pauses
    outcome: dict[str, Any] = json.loads(ran.out)
    return outcome, [old, new]


@pytest.mark.parametrize(
    "more", [SESSION, SESSION.replace("ms = 60 }", "ms = 50 }")], ids=["alike", "with other pauses"]
)
def test_sessions_of_two_running_shops_are_compared_by_the_rules_of_both(tmp_path: Path, more: str) -> None:
    outcome, shops = compared(tmp_path, more)
    assert outcome["measure"] == "mean response time", "pauses set the throughput"
    for shop in shops:
        # No slice's end leaves a full cart to the next session of its user.
        assert shop.counted["violations"] == []
        assert int(str(shop.counted["completed"])) > 4
    assert all(side["failures"] == {} and side["completed"] > 0 for side in outcome["subjects"])
    run = tmp_path / outcome["run"]
    assert not [file for file in run.rglob("*") if file.is_file() and b"pw-u" in file.read_bytes()], "a password stays"
    assert "visit" in (run / "report.html").read_text()


def test_sessions_whose_data_ends_are_not_compared(tmp_path: Path) -> None:
    more = SESSION.replace(ENDLESS, ENDLESS + 'data_end = "stop"\n')
    made = service_folder(tmp_path, "http://127.0.0.1:9", more)
    ran = steelyard("compare", str(made), str(made), *WORDS, folder=tmp_path)
    assert ran.code != 0 and "stops at the end of its data" in ran.err, ran.err
    assert not (tmp_path / "runs").exists()
