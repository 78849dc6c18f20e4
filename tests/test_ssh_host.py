"""Subjects on a host that is reached by ssh: a real sshd in a network of its own, with keys and a configuration of its own."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import Lab, Ran, ours
from far_hosts import FAR, LONG, NEAR, NET, Far, children, far_host, missing, plug
from steelyard.base.errors import SteelyardError
from steelyard.hosts import keeper, ssh_host
from steelyard.hosts.packing import Tree
from steelyard.hosts.placement import open_placement

MANY = 13
SOON = keeper.UNHEARD_SECONDS / 2  # too soon for what hears nothing to have ended by itself
SUBJECTS = [{"label": label, "server": "plain"} for label in ("a", "b")]

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


def run(far: Far) -> Ran:
    """Run a small study there."""
    return far.run(far.lab.study(SUBJECTS, forks=1), "--users", "2")


@pytest.fixture
def far(lab: Lab, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    for host in far_host(lab, tmp_path_factory.mktemp("far")):
        monkeypatch.setenv("PATH", host.lab.environment["PATH"])
        yield host


@pytest.fixture
def full(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    """One whose disk holds next to nothing."""
    folder = tmp_path_factory.mktemp("full")
    yield from far_host(lab, folder, f"mount -t tmpfs -o size=200k tmpfs {folder / 'far'}")


def test_all_that_was_asked_was_answered_there_and_its_clock_stands_beside_ours(far: Far) -> None:
    ran = run(far)
    [record] = far.records()
    assert record["status"] == "complete" and (ran.code == 0 or ran.disturbed), ran.err
    [trial] = far.trials()
    assert {process["host"] for subject in record["subjects"] for process in subject["processes"]} == {"rack"}
    assert all(counted["by_service"] == counted["by_engine"] > 0 for counted in record["counted"])
    assert {target["host"] for target in json.loads((trial / "job.json").read_text())["targets"]} == {FAR}
    looked_at = {check["name"] for check in record["machine"]}
    assert {"other processes", "other processes on rack", "steal on rack", "clock source on rack"} <= looked_at
    [clock] = record["clocks"]  # which is this machine's here
    for look in (clock["before"], clock["after"]):
        assert abs(look["ahead_ms"]) <= look["within_ms"] + 1e-3, clock
    with (trial / "network.csv").open(newline="") as file:
        link = [row for row in csv.DictReader(file) if row["host"] == "rack" and row["interface"] == "link0"]
    assert sum(int(row["bytes_in"]) for row in link) > 0
    with (trial / "machine.csv").open(newline="") as file:
        assert {row["host"] for row in csv.DictReader(file)} == {"", "rack"}
    assert (trial / "a.server.log").exists()
    environment = json.loads((trial.parents[1] / "environment.json").read_text())
    assert environment["hosts"]["rack"]["machine"]["processors"] > 0 and "contact" not in environment["hosts"]["rack"]
    page = (trial.parents[1] / "report.html").read_text()
    assert "another machine, reached by ssh" in page and "Clock offset of the subjects" in page
    assert list(far.cache.glob("sessions/*")) == []


def test_what_a_command_needs_is_copied_there_once_and_what_it_wrote_is_brought_back(far: Far, tmp_path: Path) -> None:
    needed, logs = tmp_path / "needed", tmp_path / "logs"
    for folder in (needed, logs):
        folder.mkdir()
    (needed / "words.txt").write_text("from here")
    copied = []
    for _ in range(2):
        with open_placement(far.hosts()) as site:
            site.reach.provide_trees([Tree(needed)])
            copied.append({path.name: path.stat().st_ctime_ns for path in far.cache.glob("[0-9a-f]*")})
            with site.reach.mirror_folder(logs):
                with site.reach.mirror_folder(logs):
                    pass  # as of a second subject of a trial: what the first one writes is not to go with it
                told = keeper.output(
                    ["sh", "-c", 'pwd; cat words.txt; printf "%s" "$0" "$WORDS"; echo "and a log" >&2', " it's\n$0 "],
                    log=logs / "log",
                    cwd=needed,
                    environment={"WORDS": f"-x{needed}/words.txt:{needed}"},
                    seconds=LONG,
                    reach=site.reach,
                )
    place, _, words = told.partition("\n")
    assert place.startswith(str(far.cache)) and words == f"from here it's\n$0 -x{needed}/words.txt:{place}"
    assert (logs / "log").read_text() == "and a log\nand a log\n"
    assert copied[0] == copied[1] and len(copied[0]) == 3  # with keeper and engine
    assert list(far.cache.glob("sessions/*")) == []


def test_a_host_that_cannot_be_had_is_one_sentence_and_nothing_is_left_there(
    far: Far, until: Callable[[Callable[[], bool], float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_host, "_FIRST_PATIENCE_SECONDS", 1)  # for another lab to end
    users, known = far.folder / "users", far.folder / "known_hosts"
    good = {path: path.read_text() for path in (users, known)}
    other = f"{FAR} {(far.folder / 'other_key.pub').read_text()}"
    for path, text, sentence in (
        (users, good[users].replace(FAR, "no-such-host.invalid"), "ssh knows no host 'rack'"),
        (users, good[users].replace("/key\n", "/other_key\n"), "host 'rack' refused the login as 'rack'"),
        (known, other, "host 'rack' has another host key than the known one"),
        (known, "", "host 'rack' has a host key that is not known here"),
    ):
        path.write_text(text)
        assert sentence in refusal(far)
        path.write_text(good[path])
    assert not far.cache.exists()
    assert f"the address {NET}.9, but none of its interfaces has it" in refusal(far, FAR, f"{NET}.9")
    assert f"the address {NET}.8, but no interface of this machine has it" in refusal(far, NEAR, f"{NET}.8")
    with open_placement(far.hosts()):
        assert "host 'rack' is busy: another measurement runs there" in refusal(far)
    [kept] = far.cache.glob("*/steelyard-keeper")
    kept.write_text("#!/bin/sh\necho steelyard-keeper 0.0.1\n")
    assert "host 'rack' has another version of the keeper: 'steelyard-keeper 0.0.1'" in refusal(far)
    until(lambda: nothing_is_left(far), SOON)


def test_more_commands_stay_there_than_one_login_may_have_and_others_are_answered_beside(
    far: Far, until: Callable[[Callable[[], bool], float], None], tmp_path: Path
) -> None:
    with open_placement(far.hosts()) as site, ExitStack() as stack:
        stack.enter_context(site.reach.mirror_folder(tmp_path))
        kept = [
            stack.enter_context(keeper.Keeper(["sleep", "1000"], log=tmp_path / f"{number}.log", reach=site.reach))
            for number in range(MANY)
        ]
        assert len({pid for each in kept for pid in each.pids()}) == MANY
        assert "link0" in site.reach.network().devices and not site.reach.is_lost()
        assert len(children(far.sshd.pid)) == 3, "logins, of five commands each, the clock's keeper among them"
    until(lambda: nothing_is_left(far), SOON)


def refusal(far: Far, *changed: str) -> str:
    """Why the host cannot be had, which is one sentence; with a word of its hosts file changed for another."""
    with pytest.raises(SteelyardError) as refused, open_placement(far.hosts(*changed)):
        pass
    assert "\n" not in refused.value.message and refused.value.hint
    return refused.value.message


def test_a_host_without_space_is_one_sentence_and_nothing_is_left_there(
    full: Far, until: Callable[[Callable[[], bool], float], None]
) -> None:
    ran = run(full)
    assert ran.code == 1 and "error: host 'rack' has no space for the subjects' files\n" in ran.err, ran.err
    assert full.trials() == []
    until(lambda: not children(full.sshd.pid), SOON)


@pytest.mark.long
def test_a_host_that_is_lost_in_a_trial_is_a_recorded_failure_and_the_run_goes_on(
    far: Far, until: Callable[[Callable[[], bool], float], None]
) -> None:
    study = far.lab.study(SUBJECTS, forks=2, pairs=4)
    begun = far.lab.start("run", study, "--hosts", "hosts.toml", "--users", "2")
    until(lambda: measured(far, 1) or begun.poll() is not None, LONG)
    for connection in children(far.sshd.pid):
        os.kill(connection, signal.SIGKILL)
    _, said = begun.communicate(timeout=10 * LONG)
    records = far.records()
    assert records[0]["status"] == "failed" and records[0]["failure"]["kind"] == "host", said
    assert records[0]["failure"]["subject"] is None
    assert records[1]["status"] == "complete", said
    assert begun.returncode == 1 and "host 'rack' was lost in the trial" in said and "Traceback" not in said


@pytest.mark.long
def test_a_network_that_is_cut_in_a_trial_is_a_lost_host_and_one_that_is_mended_is_used_again(
    far: Far, until: Callable[[Callable[[], bool], float], None]
) -> None:
    begun = cut_in_a_trial(far, until)
    until(lambda: any((trial / "trial.json").exists() for trial in far.trials()) or begun.poll() is not None, LONG)
    plug("up")
    _, said = begun.communicate(timeout=10 * LONG)
    records = far.records()
    assert (records[0]["status"], records[0]["failure"]["kind"]) == ("failed", "host"), said
    assert records[-1]["status"] == "complete" and "Traceback" not in said, said
    until(lambda: nothing_is_left(far), SOON)


@pytest.mark.long
def test_where_a_network_stays_cut_what_ran_there_ends_by_itself(
    far: Far, until: Callable[[Callable[[], bool], float], None]
) -> None:
    begun = cut_in_a_trial(far, until)
    there = [int(line.split()[0]) for line in ours(far.lab.folder) if str(far.cache) in line]
    _, said = begun.communicate(timeout=10 * LONG)
    assert begun.returncode == 1 and "host 'rack' is gone" in said and "Traceback" not in said, said
    assert there and {record["failure"]["kind"] for record in far.records()} == {"host"}
    until(lambda: list(far.cache.glob("sessions/*")) == [], keeper.UNHEARD_SECONDS + LONG)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in there), keeper.UNHEARD_SECONDS)


def cut_in_a_trial(far: Far, until: Callable[[Callable[[], bool], float], None]) -> subprocess.Popen[str]:
    """A run of two forks whose network was cut when the first one had driven slices."""
    study = far.lab.study(SUBJECTS, forks=2, pairs=8)
    begun = far.lab.start("run", study, "--hosts", "hosts.toml", "--users", "2")
    until(lambda: measured(far, 1) or begun.poll() is not None, LONG)
    plug("down")
    return begun


def test_a_killed_lab_leaves_nothing_there(far: Far, until: Callable[[Callable[[], bool], float], None]) -> None:
    study = far.lab.study(SUBJECTS, forks=1, pairs=500)
    begun = far.lab.start("run", study, "--hosts", "hosts.toml", "--users", "2")
    until(lambda: measured(far, 1) or begun.poll() is not None, LONG)
    assert children(far.sshd.pid) and list(far.cache.glob("sessions/*")), begun.poll()
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    until(lambda: nothing_is_left(far), LONG)


def nothing_is_left(far: Far) -> bool:
    """Whether no session and no login is there any more: a login's end is seen here a moment before its sshd is gone."""
    return not children(far.sshd.pid) and list(far.cache.glob("sessions/*")) == []


def measured(far: Far, number: int) -> bool:
    """Whether a trial has driven slices."""
    rows = [path.read_text().count("\n") for path in far.lab.folder.glob(f"runs/*/trials/{number:02d}/slices.csv")]
    return bool(rows) and rows[0] > 3
