"""Two running targets are compared by slices in turns: figures and an interval over pairs, but no verdict."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import Ran, steelyard
from own_service import service, serving
from steelyard.analyse.analysis import full_analysis
from steelyard.base import paths
from steelyard.base.configuration import load
from steelyard.base.errors import ConfigurationError
from steelyard.commands.compare_urls import is_running
from steelyard.models.service import Service

SCHEMA = json.loads((paths.root() / "contracts" / "comparison-output.schema.json").read_text())


def compare(folder: Path, *words: str) -> Ran:
    return steelyard("compare", *words, folder=folder)


def compare_again(folder: Path) -> int:
    """Whether its page can be made anew."""
    return steelyard("report", str(folder), folder=folder.parent).code


def test_two_urls_are_compared_in_turns_and_no_word_is_said(tmp_path: Path) -> None:
    with serving(0.2) as slow, serving(0.005) as quick:
        words = f"{quick} {slow} --users 2 --pairs 4 --slice-seconds 0.5 --warm-up 0.3 --budget 1m --out runs --json"
        ran = compare(tmp_path, *shlex.split(words))
    assert ran.code == 0, ran.err
    outcome: dict[str, Any] = json.loads(ran.out)
    jsonschema.validate(outcome, SCHEMA)
    # A pair in which a busy machine let one of them answer nothing is none.
    assert (outcome["word"], outcome["forks"]) == (None, 1) and outcome["pairs"] <= 4
    assert outcome["pairs"] < 4 or outcome["ratio"]["low"] > 1, "an answer of 5 ms against one of 200 ms"
    quick_side, slow_side = outcome["subjects"]
    assert quick_side["throughput_per_s"] > slow_side["throughput_per_s"]
    assert all(side["failed"] == 0 and side["completed"] <= side["sent"] for side in outcome["subjects"])
    assert any("neither was restarted" in what for what in outcome["cannot_say"])
    folder = tmp_path / outcome["run"]
    assert json.loads((folder / "comparison.json").read_text()) == outcome
    stored = full_analysis(folder)
    (judged,) = [judgement for judgement in stored.judgements if judgement.compared.primary]
    assert (judged.word, judged.compared.pairs) == (None, outcome["pairs"])
    if outcome["ratio"]["value"] is not None:  # the same computation as that of every other comparison
        assert judged.compared.ratio == pytest.approx(outcome["ratio"]["value"], rel=1e-4)
    measured = [plan for plan in stored.run.trials[0].plans.values() if plan.phase == "measure"]
    order = [plan.subject for plan in sorted(measured, key=lambda plan: plan.number)]
    assert order[:2] == order[2:4][::-1] and set(order[:2]) == set(stored.run.schedule.subjects)
    page = (folder / "report.html").read_text()
    assert "Pair by pair" in page and "The figures hold only for these processes and this hour." in page
    text = re.sub(r"<(style|script|svg).*?</\1>|<.*?>", " ", page, flags=re.DOTALL).lower()
    assert [word for word in ("faster", "slower", "equivalent", "undecided", "no verdict") if word in text] == []
    assert compare_again(folder) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("http://127.0.0.1:9/ http://127.0.0.1:9/x http://127.0.0.1:9/y", "two at a time"),
        ("http://127.0.0.1:9/ http://192.0.2.1/", "is not this machine"),
        ("./nowhere http://127.0.0.1:9/", "there is no nowhere/service.toml"),
    ],
)
def test_what_cannot_be_compared_is_said(words: str, said: str, tmp_path: Path) -> None:
    ran = compare(tmp_path, *words.split(), "--out", "runs", "--budget", "10s", "--warm-up", "0.2")
    assert ran.code != 0 and said in ran.err, ran.err


def test_where_nobody_listens_that_is_said_and_no_run_is_begun(tmp_path: Path) -> None:
    ran = compare(tmp_path, "http://127.0.0.1:9/x", "http://127.0.0.1:9/y", "--out", "runs")
    assert ran.code == 1 and "no connection to http://127.0.0.1:9" in ran.err, ran.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("more", "said"), [({"start": None, "ready": ["true"]}, "need start"), ({"target": None}, "start needs a target")]
)
def test_start_lines_go_with_a_target(more: dict[str, object], said: str, tmp_path: Path) -> None:
    made = service(tmp_path, "odd", 0.0)
    text = (made / "service.toml").read_text()
    for key, value in more.items():
        lines = [line for line in text.splitlines() if not line.startswith(f"{key} =")]
        text = "\n".join([*([] if value is None else [f"{key} = {json.dumps(value)}"]), *lines])
    (made / "service.toml").write_text(text.replace('meaning = "json"', 'meaning = "json"\ngenerate = ["true"]'))
    with pytest.raises(ConfigurationError, match=said):
        load(made / "service.toml", Service)


def test_what_is_a_url_or_a_folder_is_no_server_of_the_hall() -> None:
    assert is_running("http://127.0.0.1:8080/x") and is_running("./shop")
    assert not is_running("go") and not is_running("tomcat-metro@jvm=-Xlog:gc:/tmp/log")
