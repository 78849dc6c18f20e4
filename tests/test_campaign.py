"""The campaign: a kill at any moment neither loses nor repeats a trial, and it drives nothing on a busy machine."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Lab, ours
from steelyard.base import paths

TOOL = str(paths.root() / "tools" / "campaign.py")
PAIR = [{"label": "a", "server": "odd"}, {"label": "b", "server": "odd"}]
ITEM = """
[[items]]
name = "small"
question = "small"
command = "steelyard run {study} --seed 7"
hours = 0.1
why = "a test"
"""
Until = Callable[[Callable[[], bool], float], None]
Moment = Callable[[Path], bool]  # whether the campaign in a folder has come so far


@pytest.fixture
def words(lab: Lab) -> list[str]:
    """The command line of a sitting with one item, a run of two trials."""
    study = lab.study(PAIR, forks=2, pairs=3)
    (lab.folder / "items.toml").write_text(ITEM.format(study=study))
    return [TOOL, "--items", str(lab.folder / "items.toml"), "--folder", str(place(lab)), "--hours", "0.2"]


def place(lab: Lab) -> Path:
    return lab.folder / "campaign"


def in_python(lab: Lab) -> Lab:
    """The lab whose program is Python: its words are the campaign's file and options."""
    return replace(lab, program=Path(sys.executable), environment={**lab.environment, "STEELYARD_STRANGERS": "yes"})


def setting_up(campaign: Path) -> bool:
    return any(campaign.glob("pieces/small/*/study.toml"))


def in_trial(number: int) -> Moment:
    def measuring(campaign: Path) -> bool:
        tables = campaign.glob(f"pieces/small/*/trials/{number:02d}/slices.csv")
        return any(path.stat().st_size > 800 for path in tables)

    return measuring


def between_trials(campaign: Path) -> bool:
    return any(campaign.glob("pieces/small/*/trials/01/trial.json"))


def at_the_end(campaign: Path) -> bool:
    return len(complete_trials(campaign)) == 2


def complete_trials(campaign: Path) -> dict[Path, dict[str, bytes]]:
    """The files of every complete trial, also of those that were put aside."""
    return {
        path.parent: {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
        for path in campaign.glob("*/small/*/trials/*/trial.json")
        if json.loads(path.read_text())["status"] == "complete"
    }


def kill_all(lab: Lab, process: subprocess.Popen[str], until: Until) -> None:
    """End the campaign and all that it began at once, as a power failure does."""
    for line in ours(lab.folder):
        with suppress(ProcessLookupError):
            os.kill(int(line.split()[0]), signal.SIGKILL)
    process.communicate(timeout=120)
    until(lambda: ours(lab.folder) == [], 60)


def killed_at(lab: Lab, words: list[str], moment: Moment, until: Until) -> dict[Path, dict[str, bytes]]:
    """The complete trials of a sitting that was killed at this moment, or ended before it."""
    process = in_python(lab).start(*words)
    until(lambda: moment(place(lab)) or process.poll() is not None, 300)
    kill_all(lab, process, until)
    return complete_trials(place(lab))


def require_each_trial_once(lab: Lab, words: list[str], before: dict[Path, dict[str, bytes]]) -> None:
    """Drive the rest: trials that were complete are unchanged, and each planned trial is complete once, by its own seed."""
    ran = in_python(lab).run(*words)
    assert ran.code == 0, ran.err
    trials = complete_trials(place(lab))
    assert {path: trials[path] for path in before} == before
    (run,) = {path.parent.parent for path in trials}
    planned = json.loads((run / "schedule.json").read_text())["trials"]
    records = [json.loads(files["trial.json"]) for _, files in sorted(trials.items())]
    assert [record["number"] for record in records] == [trial["number"] for trial in planned] == [1, 2]
    assert [record["seed"] for record in records] == [trial["seed"] for trial in planned]
    outcome = json.loads((place(lab) / "pieces" / "small" / "outcome.json").read_text())
    assert outcome["word"] in ("kept", "not kept"), "beside other tests the instrument may not be valid"
    assert (place(lab) / "kept" / "small" / "raw.zip").is_file() == (outcome["word"] == "kept")
    assert "left: 0.0 hours in 0 pieces" in ran.out


def test_a_campaign_that_is_killed_in_its_second_trial_repeats_that_one_alone(
    lab: Lab, words: list[str], until: Until
) -> None:
    killed = killed_at(lab, words, in_trial(2), until)
    assert [path.name for path in killed] == ["01"]
    require_each_trial_once(lab, words, killed)


@pytest.mark.long
def test_ctrl_c_keeps_what_was_measured_and_the_next_sitting_continues(
    lab: Lab, words: list[str], until: Until
) -> None:
    process = in_python(lab).start(*words)
    until(lambda: in_trial(2)(place(lab)) or process.poll() is not None, 300)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "1 of 2 trials" in out and "the next call continues" in err
    stopped = complete_trials(place(lab))
    assert [path.name for path in stopped] == ["01"]
    require_each_trial_once(lab, words, stopped)


@pytest.mark.long
@pytest.mark.parametrize("moment", [setting_up, in_trial(1), between_trials, at_the_end])
def test_a_campaign_that_is_killed_at_a_moment_repeats_and_loses_no_trial(
    lab: Lab, words: list[str], until: Until, moment: Moment
) -> None:
    require_each_trial_once(lab, words, killed_at(lab, words, moment, until))


@pytest.mark.long
def test_a_campaign_that_is_killed_again_and_again_repeats_and_loses_no_trial(
    lab: Lab, words: list[str], until: Until
) -> None:
    draw, before = random.Random(20261129), dict[Path, dict[str, bytes]]()
    for _ in range(8):
        process = in_python(lab).start(*words)
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.5, 12))
        kill_all(lab, process, until)
        now = complete_trials(place(lab))
        assert before.items() <= now.items()
        before = now
    require_each_trial_once(lab, words, before)


@pytest.mark.long
def test_a_run_whose_campaign_was_killed_alone_keeps_the_folder_to_itself(
    lab: Lab, words: list[str], until: Until
) -> None:
    process = in_python(lab).start(*words)
    until(lambda: in_trial(1)(place(lab)), 300)
    process.kill()
    process.wait()
    again = in_python(lab).run(*words)
    assert again.code == 1 and "another campaign, or a run that it began, is at work" in again.err
    until(lambda: ours(lab.folder) == [], 300)
    process.communicate()
    require_each_trial_once(lab, words, complete_trials(place(lab)))


def test_a_busy_machine_is_named_and_nothing_is_driven(lab: Lab, words: list[str]) -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        ran = in_python(lab).run(*words, STEELYARD_STRANGERS="no")
    finally:
        busy.kill()
        busy.wait()
    assert ran.code == 1 and "this machine is not quiet: other processes: " in ran.err, ran.err
    assert f"(process {busy.pid})" in ran.err
    assert "left: 0.1 hours in 1 piece" in ran.out and not list(place(lab).glob("pieces/*/*"))
