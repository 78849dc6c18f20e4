"""A kit runs by its own README, without this checkout, and with only the listed requirements."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from steelyard.base.errors import ToolchainError
from steelyard.catalogue import entries
from steelyard.hosts import fetch, launch, toolchain

ROOT = Path(__file__).parent.parent
PATIENCE = 300.0  # to be up on a machine that is ten times slower


def unpacked(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit as somebody finds it who unpacked it elsewhere."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location("kits", ROOT / "tools" / "kits.py")
    assert spec is not None and spec.loader is not None
    kits = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kits)
    try:
        archive = kits.write(kits.provided(server), tmp_path)
    except ToolchainError as error:
        pytest.skip(f"{server} cannot be had here: {error.message}")
    fetch.unpack(archive, tmp_path / "some where")
    return tmp_path / "some where"


@pytest.mark.skipif(shutil.which("curl") is None, reason="a kit's client is curl")
@pytest.mark.parametrize("server", ["go", pytest.param("tomcat-metro", marks=pytest.mark.long)])
def test_a_kit_runs_by_its_own_readme(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = unpacked(server, tmp_path, monkeypatch)
    (port,) = launch.free_ports(random.Random(), 1)
    readme = (kit / "README.md").read_text()
    starts, asks = (re.findall(rf"^    (sh {name}\.sh 8080)$", readme, re.M) for name in ("start", "client"))
    start, ask = (shlex.split(commands[0].replace("8080", str(port))) for commands in (starts, asks))
    elsewhere = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    elsewhere |= toolchain.require(entries.server(server).model.needs, server)  # a JDK, where the README wants one
    with (tmp_path / "log").open("w") as log:
        served = subprocess.Popen(start, cwd=kit, env=elsewhere, stdout=log, stderr=log, start_new_session=True)
    try:
        listens, end = ["sh", "servers/common/ready.sh", str(port)], time.monotonic() + PATIENCE
        while subprocess.run(listens, cwd=kit, env=elsewhere, check=False).returncode != 0:
            assert served.poll() is None and time.monotonic() < end, (tmp_path / "log").read_text()
            time.sleep(0.1)
        said = subprocess.run(ask, cwd=kit, env=elsewhere, check=False, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        assert said.stdout.splitlines() == [
            f"/soakit/{name}: right" for name in ("Buffet", "SushiBoats", "TVDinner", "Text")
        ]
        expected = kit / "client" / "soakit" / "Buffet" / "answer.xml"
        expected.write_text(expected.read_text().replace("dozen", "box"))
        said = subprocess.run(ask, cwd=kit, env=elsewhere, check=False, capture_output=True, text=True)
        assert said.returncode == 1 and "/soakit/Buffet: not right" in said.stdout and "< box" in said.stderr
    finally:
        os.killpg(served.pid, 15)
        served.wait(PATIENCE)
