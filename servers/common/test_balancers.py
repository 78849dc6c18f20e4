"""A load balancer passes requests on to the instances that its subject has, by the policy that the factor names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SERVERS = Path(__file__).parents[1]


def prepared(balancer: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}
    return subprocess.run(
        ["sh", "prepare.sh", "20000", str(folder)],
        cwd=SERVERS / balancer,
        env={**variables, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def configuration(balancer: str, folder: Path, policy: str) -> str:
    ports = {f"STEELYARD_PORT_INSTANCE{number}": str(21_000 + number) for number in (1, 2, 10)}
    done = prepared(balancer, folder, STEELYARD_POLICY=policy, STEELYARD_PORT_SERVER="1", **ports)
    assert (done.returncode, done.stderr) == (0, "")
    (written,) = [path for path in folder.iterdir() if path.suffix in (".cfg", ".conf")]
    return written.read_text()


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_each_instance_stands_in_the_configuration_in_order(balancer: str, tmp_path: Path) -> None:
    text = configuration(balancer, tmp_path, "round-robin")
    places = [text.index(f"127.0.0.1:{21_000 + number}") for number in (1, 2, 10)]
    assert places == sorted(places)
    assert "127.0.0.1:20000" in text and text.count("server ") >= 3


@pytest.mark.parametrize(
    ("balancer", "policy", "words"),
    [
        ("haproxy", "least-connections", "balance leastconn"),
        ("haproxy", "hash", "balance hash src_port"),
        ("haproxy", "round-robin", "balance roundrobin"),
        ("nginx", "least-connections", "least_conn;"),
        ("nginx", "hash", "hash $remote_addr:$remote_port;"),
    ],
)
def test_the_policy_is_the_one_asked_for(balancer: str, policy: str, words: str, tmp_path: Path) -> None:
    assert words in configuration(balancer, tmp_path, policy)


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_a_balancer_without_instances_says_what_it_needs(balancer: str, tmp_path: Path) -> None:
    done = prepared(balancer, tmp_path)
    assert done.returncode != 0 and "needs instances behind it" in done.stderr
