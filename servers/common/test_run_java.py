"""A program of one Java file is compiled once for each of its versions, also where several trials begin at a time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from steelyard.hosts import toolchain

SCRIPT = Path(__file__).with_name("run-java.sh")
PROGRAM = 'class Words { public static void main(String[] words) { System.out.println("WORD " + words[0]); } }\n'

pytestmark = pytest.mark.skipif(toolchain.jdk_home(25) is None, reason="there is no JDK 25")


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The program of `folder`, whose cache has a blank in its name."""
    (folder / "the cache").mkdir(exist_ok=True)
    argv = ["sh", str(SCRIPT), str(folder / "Words.java"), str(folder / "the cache"), str(folder), *words]
    environment = {**os.environ, "JAVA_HOME": str(toolchain.jdk_home(25))}
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result(program: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = program.communicate(timeout=120)
    return program.returncode, out, err


def test_a_program_is_compiled_once_and_again_where_it_changed(tmp_path: Path) -> None:
    source = tmp_path / "Words.java"
    source.write_text(PROGRAM.replace("WORD", "first"))
    assert [result(start(tmp_path, word)) for word in ("a", "$(b) c")] == [
        (0, "first a\n", ""),
        (0, "first $(b) c\n", ""),
    ]
    assert len(list((tmp_path / "the cache").iterdir())) == 1
    source.write_text(PROGRAM.replace("WORD", "second"))
    assert result(start(tmp_path, "a")) == (0, "second a\n", "")


def test_several_that_begin_at_a_time_leave_one_program(tmp_path: Path) -> None:
    (tmp_path / "Words.java").write_text(PROGRAM)
    assert {result(program) for program in [start(tmp_path, "a") for _ in range(3)]} == {(0, "WORD a\n", "")}
    assert len(list((tmp_path / "the cache").iterdir())) == 1


def test_what_does_not_compile_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "Words.java").write_text("class Words {")
    code, out, err = result(start(tmp_path, "a"))
    assert code != 0 and out == "" and "Words.java:1: error" in err
    assert not list((tmp_path / "the cache").iterdir())
