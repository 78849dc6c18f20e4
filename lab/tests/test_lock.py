"""One measurement at a time: the lock's holder is named, any user can hold the lock, and planted files do no harm."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from steelyard.base.errors import LockError
from steelyard.base.lock import machine_lock, place

HOLD = """
import pathlib, sys
from steelyard.base.errors import LockError
from steelyard.base.lock import machine_lock
try:
    with machine_lock("another user's", pathlib.Path(sys.argv[1])):
        print("held")
except LockError as error:
    print(error.message)
"""


def as_nobody(at: Path) -> str:
    """What another user, with no rights of ours, comes to when it would hold the lock."""
    return subprocess.run(
        ["setpriv", "--reuid", "65534", "--clear-groups", sys.executable, "-c", HOLD, str(at)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ).stdout


def test_a_second_holder_is_refused_and_told_who_holds_the_machine(tmp_path: Path) -> None:
    at = tmp_path / "lock"
    with (
        machine_lock("steelyard run wstest", at),
        pytest.raises(LockError, match="`steelyard run wstest`, process"),
        machine_lock("another", at),
    ):
        pass


def test_a_dead_holder_keeps_nothing(tmp_path: Path) -> None:
    at = tmp_path / "lock"
    code = f"""
import os, pathlib
from steelyard.base.lock import machine_lock
with machine_lock("first", pathlib.Path({str(at)!r})):
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with machine_lock("second", at):
        pass


@pytest.mark.parametrize("made_before", [False, True])
def test_the_lock_is_for_all_users_whatever_the_umask(tmp_path: Path, made_before: bool) -> None:
    at = tmp_path / "lock"
    umask = os.umask(0o077)
    try:
        if made_before:
            at.touch()
        with machine_lock("ours", at):
            assert stat.S_IMODE(at.stat().st_mode) == 0o666
    finally:
        os.umask(umask)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_another_user_can_hold_the_lock_after_us_and_is_refused_by_name_meanwhile(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    tmp_path.chmod(0o1777)
    at = tmp_path / "lock"
    with machine_lock("ours", at):
        assert as_nobody(at).startswith(
            f"another measurement is running on this machine: `ours`, process {os.getpid()}"
        )
    assert as_nobody(at) == "held\n"


@pytest.mark.parametrize("there", ["victim", "nothing"])
def test_a_planted_link_is_not_followed(tmp_path: Path, there: str) -> None:
    (tmp_path / "victim").write_text("precious")
    at = tmp_path / "lock"
    at.symlink_to(tmp_path / there)
    with pytest.raises(LockError, match="lock is a symbolic link"), machine_lock("ours", at):
        pass
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "nothing").exists()


def test_only_a_regular_file_of_one_name_is_taken(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    os.link(tmp_path / "victim", tmp_path / "second-name")
    os.mkfifo(tmp_path / "pipe")
    for name in ("second-name", "pipe"):
        with (
            pytest.raises(LockError, match=f"{name} is not a regular file with a single name") as refused,
            machine_lock("ours", tmp_path / name),
        ):
            pass
        assert "STEELYARD_LOCK" in refused.value.hint
    assert (tmp_path / "victim").read_text() == "precious"
    with (
        pytest.raises(LockError, match=r"cannot open the machine's lock .*: Is a directory"),
        machine_lock("ours", tmp_path),
    ):
        pass


def test_what_a_holder_said_of_itself_cannot_reach_the_terminal_as_more_than_text(tmp_path: Path) -> None:
    at = tmp_path / "lock"
    with (
        machine_lock("\x1b[2Jgone", at),
        pytest.raises(LockError, match=r"`\?\[2Jgone`") as refused,
        machine_lock("ours", at),
    ):
        pass
    assert refused.value.message.isprintable()


def test_the_lock_is_where_any_user_may_make_a_file_and_none_may_remove_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_LOCK", raising=False)
    mode = place().parent.stat().st_mode
    assert mode & stat.S_ISVTX and mode & stat.S_IWOTH
    monkeypatch.setenv("STEELYARD_LOCK", "/elsewhere/lock")
    assert place() == Path("/elsewhere/lock")
