"""A WAR holds the libraries that its lock names, or there is no WAR."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("build-war.sh")
LIBRARY = b"a library"
LOCKED = f"{hashlib.sha256(LIBRARY).hexdigest()}  library-1.jar\n"


def build(folder: Path, *libraries: str, lock: str) -> subprocess.CompletedProcess[str]:
    """Builds a WAR with these libraries, by a stand-in for Maven that makes only its folder."""
    implementation = folder / "echo" / "java"
    unpacked = implementation / "target" / "echo" / "WEB-INF" / "lib"
    unpacked.mkdir(parents=True)
    for name in libraries:
        (unpacked / name).write_bytes(LIBRARY)
    (implementation / "target" / "echo.war").touch()
    (implementation / "jars.sha256").write_text(lock)
    maven = folder / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text("#!/bin/sh\n")
    maven.chmod(0o755)
    environment = {"PATH": f"{maven.parent}{os.pathsep}{os.environ['PATH']}"}
    argv = ["sh", str(SCRIPT), str(folder / "echo"), "java"]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def test_the_libraries_of_the_lock_are_taken(tmp_path: Path) -> None:
    done = build(tmp_path, "library-1.jar", lock=LOCKED)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "echo" / "java" / "target" / "echo.war").exists()


def test_the_monitor_is_made_here_and_needs_no_lock(tmp_path: Path) -> None:
    done = build(tmp_path, "library-1.jar", "steelyard-monitor-0.1.jar", lock=LOCKED)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("libraries", "lock"),
    [
        (["library-1.jar"], LOCKED.replace(LOCKED[0], "x")),
        (["library-1.jar", "more.jar"], LOCKED),
        (["library-1.jar"], LOCKED + LOCKED.replace("library-1", "missing")),
        (["library-1.jar"], ""),
    ],
    ids=["another content", "one more", "one fewer", "an empty lock"],
)
def test_other_libraries_leave_no_war_and_are_named(tmp_path: Path, libraries: list[str], lock: str) -> None:
    done = build(tmp_path, *libraries, lock=lock)
    assert done.returncode == 1
    assert "the libraries in the WAR of java are not those of its jars.sha256" in done.stderr
    assert ".jar" in done.stderr
    assert not (tmp_path / "echo" / "java" / "target" / "echo.war").exists()


def test_what_is_kept_apart_from_the_servers_libraries_is_locked_too(tmp_path: Path) -> None:
    brought = tmp_path / "echo" / "java" / "target" / "echo" / "WEB-INF" / "classes" / "brought"
    brought.mkdir(parents=True)
    (brought / "parser-1.jar").write_bytes(b"another library")
    (tmp_path / "echo" / "java" / "brought.sha256").write_text(LOCKED.replace("library-1", "parser-1"))
    done = build(tmp_path, "library-1.jar", lock=LOCKED)
    assert done.returncode == 1
    assert "the libraries in the WAR of java are not those of its brought.sha256" in done.stderr
    assert not (tmp_path / "echo" / "java" / "target" / "echo.war").exists()
