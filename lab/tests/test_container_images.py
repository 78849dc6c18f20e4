"""Container images as subjects: the words, the engine's command lines, and what is read of a container's processes.

No container engine runs here. A script in its place shows what it is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError, KeeperError, ToolchainError
from steelyard.catalogue import own_subjects
from steelyard.hosts.build import placeholders
from steelyard.hosts.containers import Container

KEEP = """
import sys, time
from pathlib import Path
from steelyard.catalogue import own_subjects
from steelyard.hosts import own_launch
from steelyard.hosts.running import Words
own = own_subjects.server_of("docker:shop:1.3")
with own_launch.keeper_of(own, Words({"port": "20001"}, {}), Path("shop.log")):
    print("started", flush=True)
    sys.stdin.read()
"""
ENGINE = '#!/bin/sh\necho "$@" >> "$0.log"\n[ "$1" = inspect ] && echo "$FIRST_PID"\n[ "$1" != rm ]\n'


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `docker` that notes what it is asked, and tells FIRST_PID as a container's process."""
    program = tmp_path / "docker"
    program.write_text(ENGINE)
    program.chmod(0o755)
    (tmp_path / "podman").symlink_to(program)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return program


@pytest.mark.usefixtures("engine")
def test_an_image_is_run_on_loopback_with_its_limits_and_stopped_by_its_engine() -> None:
    server = own_subjects.server_of("docker:shop:1.3@port=9000@cpus=2@memory=512m")
    values = {"port": "20001"}
    assert " ".join(placeholders(server.start, values)) == (
        "docker run --rm --pull never --name steelyard-20001 --publish 127.0.0.1:20001:9000 "
        "--env PORT=9000 --env SERVER_PORT=9000 --cpus 2 --memory 512m shop:1.3"
    )
    assert " ".join(placeholders(server.stop or [], values)) == "docker stop --time 10 steelyard-20001"
    assert (server.engine, server.port) == ("docker", None)


@pytest.mark.usefixtures("engine")
def test_two_images_are_two_subjects_named_by_them_that_are_never_frozen() -> None:
    digest = f"@sha256:{'0' * 64}"
    specs = own_subjects.specs_of(["podman:registry.example.org/team/shop:1.3", f"podman:shop{digest}"])
    assert [spec.label for spec in specs] == ["shop_1.3", f"shop_sha256_{'0' * 64}"]
    from steelyard.catalogue import entries

    assert [entries.server_of(spec.parts[0]).model.freeze for spec in specs] == [False, False]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "words", ["docker:", "docker:--privileged", "docker:shop@port=x", "docker:shop@memory=1@memory=2", "podman:a b"]
)
def test_words_that_name_no_image_are_refused(words: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        own_subjects.server_of(words)
    assert refused.value.hint


def test_an_engine_that_is_not_here_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="podman is not on this machine, which podman:shop needs"):
        own_subjects.server_of("podman:shop")


def test_what_a_containers_processes_use_is_read_and_they_are_pinned(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True) as first:
        try:
            monkeypatch.setenv("FIRST_PID", str(first.pid))
            container = Container("docker", "steelyard-20001")
            used = container.use()
            deadline = time.monotonic() + 30
            while any(process.cpu_ns == 0 for process in used) and time.monotonic() < deadline:
                time.sleep(0.05)  # a process that has just begun has used nothing yet
                used = container.use()
            container.pin([0, 1])
        finally:
            os.killpg(first.pid, 9)
    assert first.pid in {process.pid for process in used}
    assert all(process.cpu_ns > 0 and process.rss_bytes > 0 for process in used)
    assert list(dict.fromkeys(engine.with_name("docker.log").read_text().splitlines())) == [
        "inspect --format {{.State.Pid}} steelyard-20001",
        "update --cpuset-cpus 0,1 steelyard-20001",
    ]


@pytest.mark.usefixtures("engine")
def test_a_container_that_does_not_run_has_no_processes_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRST_PID", "0")
    with pytest.raises(KeeperError, match="docker does not report the process of the container gone"):
        Container("docker", "gone").use()


@pytest.mark.parametrize("end", ["killed", "orderly"])
def test_a_container_is_removed_by_the_keeper_even_where_the_lab_is_killed(
    end: str, engine: Path, tmp_path: Path
) -> None:
    log = engine.with_name("docker.log")
    with subprocess.Popen(
        [sys.executable, "-c", KEEP], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout is not None and lab.stdout.readline() == "started\n"
        if end == "killed":
            lab.kill()
        else:
            lab.communicate("")
    deadline = time.monotonic() + 30
    while not (log.exists() and "rm --force" in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert log.read_text().splitlines()[-1] == "rm --force steelyard-20001"
