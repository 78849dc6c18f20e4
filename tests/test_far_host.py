"""Real load over a real link: subjects on a declared host, which is removed with the lab, however the lab ends."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Lab

# Of this process alone: tests run beside each other.
NET = f"10.{128 + os.getpid() % 64}.{os.getpid() // 64 % 256}"
SUBJECTS = [{"label": label, "server": "plain"} for label in ("a", "b")]
HOSTS = f"""
[hosts.desk]
reach = "here"
address = "{NET}.1"
role = "engine"

[hosts.rack]
reach = "namespace"
address = "{NET}.2"
role = "server"
"""


def may_make_hosts() -> bool:
    link = "ip link add probe0 type veth peer name probe1"
    rate = "tc qdisc add dev probe0 root tbf rate 1mbit burst 32kbit latency 50ms"
    asked = ["unshare", "--net", "sh", "-c", f"{link} && {rate}"]
    try:
        # In a network of its own, and only root can give a link's other end to this machine's.
        return os.geteuid() == 0 and subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    not may_make_hosts(),
    reason="a network namespace and its link need root rights, and a kernel that supports them",
)


def hosts(lab: Lab) -> str:
    path = lab.folder / "hosts.toml"
    path.write_text(HOSTS)
    return str(path)


def test_all_that_was_asked_went_over_the_link_and_was_answered_there(lab: Lab) -> None:
    study = lab.study(SUBJECTS, forks=1)
    ran = lab.run("run", study, "--hosts", hosts(lab), "--users", "2")
    [folder] = lab.runs()
    trial = folder / "trials" / "01"
    record = json.loads((trial / "trial.json").read_text())
    assert record["status"] == "complete", ran.err
    assert all(counted["by_service"] == counted["by_engine"] > 0 for counted in record["counted"])
    with (trial / "network.csv").open(newline="") as file:
        link = [row for row in csv.DictReader(file) if row["interface"] == "link0"]
    with (trial / "slices.csv").open(newline="") as file:
        slices = list(csv.DictReader(file))
    for carried, asked in (("bytes_in", "bytes_out"), ("bytes_out", "bytes_in")):
        assert sum(int(row[carried]) for row in link) > sum(int(row[asked]) for row in slices) > 0


def test_a_killed_lab_leaves_no_server_and_no_link(
    lab: Lab, until: Callable[[Callable[[], bool], float], None]
) -> None:
    study = lab.study(SUBJECTS, forks=1, pairs=500)
    begun = lab.start("run", study, "--hosts", hosts(lab), "--users", "2")

    def link() -> str:
        tables = [*lab.folder.glob("runs/*/trials/01/network.csv")]
        rows = tables[0].read_text().splitlines()[1:] if tables else []
        return rows[0].split(",")[2] if rows else ""

    until(lambda: link() != "" or begun.poll() is not None, 120)
    interface = link()
    assert interface and Path(f"/sys/class/net/{interface}").exists(), begun.communicate()[1]
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    until(lambda: not Path(f"/sys/class/net/{interface}").exists(), 60)
