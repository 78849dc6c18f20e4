"""A host for tests that is reached by ssh: a real sshd in a network of its own, with keys and a configuration of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from conftest import MARK, Lab, Ran
from steelyard.hosts import namespace
from steelyard.models.hosts import Host, Hosts

# Of this process alone: tests run beside each other.
NET = f"10.{192 + os.getpid() % 60}.{os.getpid() // 60 % 256}"
NEAR, FAR = f"{NET}.1", f"{NET}.2"
SBIN = os.pathsep.join((os.environ["PATH"], "/usr/local/sbin", "/usr/sbin"))
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
MaxSessions 10
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
    return "" if may else "a network with an sshd of its own needs root rights, and a kernel that supports it"


@dataclass(frozen=True)
class Far:
    """A host that answers ssh: the lab that knows it, the folder of its keys, and that of what is copied there."""

    lab: Lab
    folder: Path
    cache: Path
    sshd: subprocess.Popen[str]

    def run(self, study: str, *words: str) -> Ran:
        """Run a study there."""
        return self.lab.run("run", study, "--hosts", "hosts.toml", *words)

    def hosts(self, *changed: str) -> Hosts:
        """The hosts file, perhaps with a word changed for another."""
        return Hosts.model_validate(tomllib.loads(HOSTS.replace(*changed) if changed else HOSTS))

    def trials(self) -> list[Path]:
        """The folders of all trials, of whichever run."""
        return sorted(self.lab.folder.glob("runs/*/trials/*"))

    def records(self) -> list[dict[str, Any]]:
        """What was stored of each."""
        return [json.loads((trial / "trial.json").read_text()) for trial in self.trials()]


def far_host(lab: Lab, folder: Path, more: str = "", within: Sequence[str] = ("unshare", "--mount")) -> Iterator[Far]:
    """One with a user's ssh configuration that knows it as `rack`; `within` are words before its shell that set it apart."""
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
    with namespace.create_namespace("rack", host, IPv4Address(NEAR)) as ends:
        sshd = ends.reach.begin([*within, "sh", "-c", script], None, {})
        try:
            _await_listening(sshd)
            (lab.folder / "hosts.toml").write_text(HOSTS)
            own = {**lab.environment, "PATH": f"{folder / 'bin'}{os.pathsep}{lab.environment['PATH']}"}
            yield Far(replace(lab, environment=own), folder, cache / "steelyard" / "brought", sshd)
        finally:
            with suppress(OSError):
                for connection in children(sshd.pid):  # in a group of its own, and of a cut network it would not hear
                    os.kill(connection, signal.SIGKILL)
            os.killpg(sshd.pid, signal.SIGKILL)
            sshd.wait()


def _await_listening(sshd: subprocess.Popen[str]) -> None:
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


def plug(state: str) -> None:
    """Cut the network to the host (`down`), or mend it (`up`)."""
    shown = subprocess.run(["ip", "-4", "-oneline", "address", "show"], capture_output=True, text=True, check=True)
    (link,) = [line.split()[1] for line in shown.stdout.splitlines() if NEAR in line.replace("/", " ").split()]
    subprocess.run(["ip", "link", "set", link, state], check=True)


def children(pid: int) -> list[int]:
    """The processes that a process began, and that are there."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
