"""Folders beside the ones that they become: those of killed processes are removed by the next one, all others stay."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command import steelyard
from steelyard.base.temporary_folder import temporary_folder

WSDL = Path(__file__).parent / "wsdl" / "types.wsdl"


def test_the_folder_of_an_import_that_was_killed_is_removed_by_the_next_import(tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    environment = {**os.environ, "STEELYARD_STATE": str(tmp_path / "state")}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        place = f"http://127.0.0.1:{silent.getsockname()[1]}/shop?wsdl"
        command = [sys.executable, "-m", "steelyard", "import", place, "--out", str(user / "mine")]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as killed:
            try:
                connection, _ = silent.accept()  # it has made its folder before it asks
            finally:
                killed.kill()
        connection.close()
    assert [path.name[:11] for path in user.iterdir()] == [".steelyard-"]
    ran = steelyard("import", str(WSDL), "--out", str(user / "mine"), folder=tmp_path)
    assert ran.code == 0, ran.err
    assert [path.name for path in user.iterdir()] == ["mine"]


def test_the_folder_of_a_process_that_lives_and_a_users_own_stay(tmp_path: Path) -> None:
    own = tmp_path / ".steelyard-settings"
    own.mkdir()
    with temporary_folder(tmp_path) as first, temporary_folder(tmp_path) as second:
        assert first != second and first.is_dir() and second.is_dir()
    assert list(tmp_path.iterdir()) == [own]


def test_the_folder_for_sockets_of_a_process_that_was_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    kill = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    for last, left in ((kill, 1), ("", 0)):
        text = f"from steelyard.hosts.scratch import control_folder\nwith control_folder():\n    exec({last!r})"
        subprocess.run(
            [sys.executable, "-c", text], env={**os.environ, "TMPDIR": str(tmp_path)}, timeout=60, check=False
        )
        assert len(list(tmp_path.iterdir())) == left


def test_a_folder_that_another_process_removed_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkdtemp
    made: list[str] = []

    def remove_first(*words: object, **options: object) -> str:
        made.append(make(*words, **options))  # type: ignore[call-overload]
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", remove_first)
    with temporary_folder(tmp_path) as folder:
        assert str(folder) == made[1] and folder.is_dir()
