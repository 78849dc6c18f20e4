"""Subjects on a host that is reached by ssh: a real sshd in a network of its own, with keys and a configuration of its own."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from conftest import MARK, Lab
from steelyard.base.errors import SteelyardError
from steelyard.models.hosts import Host, Hosts
from steelyard.provision import keeper, namespace, ssh_host
from steelyard.provision.packing import Tree
from steelyard.provision.site import reached

# Of this process alone: tests run beside each other.
NET = f"10.{192 + os.getpid() % 60}.{os.getpid() // 60 % 256}"
NEAR, FAR = f"{NET}.1", f"{NET}.2"
SBIN = os.pathsep.join((os.environ["PATH"], "/usr/local/sbin", "/usr/sbin"))
SUBJECTS = [{"label": label, "server": "plain"} for label in ("a", "b")]
HOSTS = f"""
[hosts.desk]
reach = "here"
address = "{NEAR}"
role = "engine"

[hosts.rack]
reach = "ssh"
address = "{FAR}"
role = "server"
owned = true
contact = "whoever runs these tests"
"""
SSHD = """
ListenAddress {far}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
LogLevel ERROR
SetEnv {environment}
"""
USERS = """
Host rack
  HostName {far}
  User root
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
"""
# What is mounted is this process's and its children's alone: sshd wants a folder that a machine without the service lacks, and what
# a shell there reads first is not to be that of whoever runs the tests.
SERVE = """
mount -t tmpfs tmpfs /run && mkdir /run/sshd && mkdir -p {cache} || exit 1
[ ! -e ~root/.bashrc ] || mount --bind /dev/null ~root/.bashrc || exit 1
{more}
exec {sshd} -D -e -f {folder}/sshd_config
"""
LONG = 120.0


def missing() -> str:
    """What this machine lacks for a host of the tests' own, asked without the code that is tested; empty where that is nothing."""
    if shutil.which("sshd", path=SBIN) is None or shutil.which("ssh") is None:
        return "sshd and ssh must be installed (Debian: openssh-server, which need not be started)"
    link = "ip link add probe0 type veth peer name probe1 && mount -t tmpfs tmpfs /run"
    asked = ["unshare", "--net", "--mount", "sh", "-c", link]
    try:
        may = os.geteuid() == 0 and subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        may = False
    return (
        "" if may else "making a network with an sshd of its own takes the rights of root, and a kernel that has them"
    )


pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


@dataclass(frozen=True)
class Far:
    """A host that answers ssh: the lab that knows it, the folder of its keys, and that of what is copied there."""

    lab: Lab
    folder: Path
    cache: Path
    sshd: subprocess.Popen[str]

    def run(self, *words: str, **wishes: object) -> tuple[int, str]:
        """A small study's exit code there, and what was said."""
        study = self.lab.study(SUBJECTS, **{"forks": 1, **wishes})
        ran = self.lab.run("run", study, "--hosts", "hosts.toml", "--users", "2", *words)
        return ran.code, ran.err

    def hosts(self, *changed: str) -> Hosts:
        """The hosts file, perhaps with a word changed for another."""
        return Hosts.model_validate(tomllib.loads(HOSTS.replace(*changed) if changed else HOSTS))

    def trials(self) -> list[Path]:
        return sorted(self.lab.folder.glob("runs/*/trials/*"))

    def records(self) -> list[dict[str, object]]:
        return [json.loads((trial / "trial.json").read_text()) for trial in self.trials()]


def far_host(lab: Lab, folder: Path, more: str = "") -> Iterator[Far]:
    """One with a user's ssh configuration that knows it as `rack`."""
    cache = folder / "far"
    for name in ("key", "host_key", "other_key"):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(folder / name)]
        subprocess.run(keygen, check=True)
    (folder / "known_hosts").write_text(f"{FAR} {(folder / 'host_key.pub').read_text()}")
    (folder / "users").write_text(USERS.format(far=FAR, folder=folder))
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    environment = f"PATH={path} XDG_CACHE_HOME={cache} {MARK}={lab.folder}"
    (folder / "sshd_config").write_text(SSHD.format(far=FAR, folder=folder, environment=environment))
    # As the user's own configuration, of which ssh takes no other place from its surroundings.
    (folder / "bin").mkdir()
    ssh = folder / "bin" / "ssh"
    real = shutil.which("ssh")
    ssh.write_text(f'#!/bin/sh\ncase "$1" in -F) exec {real} "$@" ;; esac\nexec {real} -F {folder}/users "$@"\n')
    ssh.chmod(0o755)
    host = Host.model_validate({"reach": "namespace", "address": FAR, "role": "server"})
    script = SERVE.format(sshd=shutil.which("sshd", path=SBIN), folder=folder, cache=cache, more=more)
    with namespace.made("rack", host, IPv4Address(NEAR)) as ends:
        within = ["unshare", "--mount", "sh", "-c", script]
        sshd = ends.reach.begin(within, None, {})
        try:
            await_listening(sshd)
            (lab.folder / "hosts.toml").write_text(HOSTS)
            own = {**lab.environment, "PATH": f"{folder / 'bin'}{os.pathsep}{lab.environment['PATH']}"}
            yield Far(replace(lab, environment=own), folder, cache / "steelyard" / "brought", sshd)
        finally:
            os.killpg(sshd.pid, signal.SIGKILL)
            sshd.wait()


def await_listening(sshd: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + LONG
    while sshd.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex((FAR, 22)) == 0:
                return
        time.sleep(0.05)
    assert sshd.stderr is not None
    os.killpg(sshd.pid, signal.SIGKILL)
    pytest.fail(f"sshd does not listen: {sshd.stderr.read()}")


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
    code, said = far.run()
    [record] = far.records()
    assert (record["status"], code) == ("complete", 0), said
    [trial] = far.trials()
    assert {process["host"] for subject in record["subjects"] for process in subject["processes"]} == {"rack"}
    assert all(counted["by_service"] == counted["by_engine"] > 0 for counted in record["counted"])
    assert {target["host"] for target in json.loads((trial / "job.json").read_text())["targets"]} == {FAR}
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
    assert "another machine, reached by ssh" in page and "The clock of the subjects" in page
    assert list(far.cache.glob("sessions/*")) == []


def test_what_a_command_needs_is_copied_there_once_and_what_it_wrote_is_brought_back(far: Far, tmp_path: Path) -> None:
    needed, logs = tmp_path / "needed", tmp_path / "logs"
    for folder in (needed, logs):
        folder.mkdir()
    (needed / "words.txt").write_text("from here")
    copied = []
    for _ in range(2):
        with reached(far.hosts()) as site:
            site.reach.furnish([Tree(needed)])
            copied.append({path.name: path.stat().st_ctime_ns for path in far.cache.glob("[0-9a-f]*")})
            with site.reach.twin(logs):
                with site.reach.twin(logs):
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
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_host, "_FIRST_PATIENCE_SECONDS", 1)  # for another lab to end
    users, known = far.folder / "users", far.folder / "known_hosts"
    good = {path: path.read_text() for path in (users, known)}
    other = f"{FAR} {(far.folder / 'other_key.pub').read_text()}"
    for path, text, sentence in (
        (users, good[users].replace(FAR, "no-such-host.invalid"), "ssh knows no host 'rack'"),
        (users, good[users].replace("/key\n", "/other_key\n"), "host 'rack' refused the login as 'rack'"),
        (known, other, "host 'rack' shows another host key than the one that is known"),
        (known, "", "host 'rack' shows a host key that is not known here"),
    ):
        path.write_text(text)
        assert sentence in refusal(far)
        path.write_text(good[path])
    assert not far.cache.exists()
    assert f"the address {NET}.9, and none of its interfaces has it" in refusal(far, FAR, f"{NET}.9")
    assert f"the address {NET}.8, and no interface of this machine has it" in refusal(far, NEAR, f"{NET}.8")
    with reached(far.hosts()):
        assert "host 'rack' is busy: another lab measures there" in refusal(far)
    [kept] = far.cache.glob("*/steelyard-keeper")
    kept.write_text("#!/bin/sh\necho steelyard-keeper 0.0.1\n")
    assert "host 'rack' has another version of the keeper: 'steelyard-keeper 0.0.1'" in refusal(far)
    assert list(far.cache.glob("sessions/*")) == [] and not children(far.sshd.pid)


def refusal(far: Far, *changed: str) -> str:
    """Why the host cannot be had, which is one sentence; with a word of its hosts file changed for another."""
    with pytest.raises(SteelyardError) as refused, reached(far.hosts(*changed)):
        pass
    assert "\n" not in refused.value.message and refused.value.hint
    return refused.value.message


def test_a_host_without_space_is_one_sentence_and_nothing_is_left_there(full: Far) -> None:
    code, said = full.run()
    assert code == 1 and "error: host 'rack' has no space for what the subjects need\n" in said, said
    assert full.trials() == [] and not children(full.sshd.pid)


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


def test_a_killed_lab_leaves_nothing_there(far: Far, until: Callable[[Callable[[], bool], float], None]) -> None:
    study = far.lab.study(SUBJECTS, forks=1, pairs=500)
    begun = far.lab.start("run", study, "--hosts", "hosts.toml", "--users", "2")
    until(lambda: measured(far, 1) or begun.poll() is not None, LONG)
    assert children(far.sshd.pid) and list(far.cache.glob("sessions/*")), begun.poll()
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    until(lambda: not children(far.sshd.pid) and list(far.cache.glob("sessions/*")) == [], LONG)


def measured(far: Far, number: int) -> bool:
    """Whether a trial has driven slices."""
    rows = [path.read_text().count("\n") for path in far.lab.folder.glob(f"runs/*/trials/{number:02d}/slices.csv")]
    return bool(rows) and rows[0] > 3


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
