"""A program in Java holds the jars that its lock names, or there is no program."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("build-jar.sh")
LIBRARY = b"a library"
LOCKED = f"{hashlib.sha256(LIBRARY).hexdigest()}  library-1.jar\n"


def build(folder: Path, *libraries: str, lock: str) -> subprocess.CompletedProcess[str]:
    """Builds a program with these jars, by a stand-in for Maven that makes nothing."""
    implementation = folder / "a shop" / "java"
    jars = implementation / "target" / "lib"
    jars.mkdir(parents=True)
    for name in libraries:
        (jars / name).write_bytes(LIBRARY)
    (implementation / "jars.sha256").write_text(lock)
    maven = folder / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text("#!/bin/sh\n")
    maven.chmod(0o755)
    environment = {"PATH": f"{maven.parent}{os.pathsep}{os.environ['PATH']}"}
    argv = ["sh", str(SCRIPT), str(folder / "a shop"), "java", "target/lib"]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def test_the_jars_of_the_lock_are_taken(tmp_path: Path) -> None:
    done = build(tmp_path, "library-1.jar", lock=LOCKED)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a shop" / "java" / "target" / "lib" / "library-1.jar").exists()


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
def test_other_jars_leave_no_program_and_are_named(tmp_path: Path, libraries: list[str], lock: str) -> None:
    done = build(tmp_path, *libraries, lock=lock)
    assert done.returncode == 1
    assert "the jars that java brings are not those of its jars.sha256" in done.stderr
    assert ".jar" in done.stderr
    assert not (tmp_path / "a shop" / "java" / "target").exists()
