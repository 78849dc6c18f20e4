"""The first guide's commands, in order, on its real server: they end in a verdict, or in the reason for none."""

from __future__ import annotations

import re
import shlex

from conftest import Lab
from steelyard.base import paths
from steelyard.statistics.verdict_words import Word

GUIDE = (paths.root() / "docs" / "guides" / "first-verdict.md").read_text()
COMMANDS = [shlex.split(line)[3:] for line in GUIDE.splitlines() if line.startswith("    uv run steelyard ")]
SHORT = ["--slice-seconds", "0.3", "--pairs", "2", "--warm-up", "0.5", "--users", "2"]


def test_the_guide_leads_from_nothing_to_a_verdict_and_a_run_to_send(lab: Lab) -> None:
    doctor, servers, one, compare, report, keep = COMMANDS
    assert lab.run(*doctor).code in (0, 1)
    assert "go" in lab.run(*servers).out.split() and "gogc" in lab.run(*one).out
    assert compare[-1] == "5m" and compare[:2] == ["compare", "go"]
    asked = lab.run(*compare[:-1], "10s", *SHORT)
    assert asked.code in (0, 2), asked.err  # 2 where the machine was too busy for a verdict
    (run,) = lab.runs()
    assert run.match("runs/compare-*") and (run / "report.html").is_file()
    assert "report.html" in asked.out and "go@gogc=400" in asked.out
    for command in (report, keep):
        ran = lab.run(*(str(run) if word == "runs/compare-*" else word for word in command))
        assert ran.code == 0, ran.err
    assert (run / "report.md").is_file() and (lab.folder / keep[-1] / "raw.zip").is_file()


def test_the_guide_explains_every_word_of_a_verdict() -> None:
    explained = set(re.findall(r"^\| ([a-z ,]+) \| ", GUIDE, re.MULTILINE))
    words = {word for cell in explained for word in cell.split(", ")}
    assert {word.value for word in Word} <= words
