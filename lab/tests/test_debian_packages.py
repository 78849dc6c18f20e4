"""One command installs the Debian packages that tests need, starts no service, and reports failures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from programs import FOLDER, program
from steelyard.catalogue import entries
from steelyard.hosts import toolchain


@pytest.fixture
def packages() -> ModuleType:
    """tools/packages.py."""
    return program("packages")


@pytest.fixture
def commands(packages: ModuleType) -> dict[str, str]:
    """The package of each command that the data name."""
    data = packages.tomllib.loads((FOLDER / "packages.toml").read_text())
    return dict(data["commands"])


def test_every_command_that_a_server_needs_is_a_toolchain_or_comes_with_a_package(commands: dict[str, str]) -> None:
    listed = re.search(r"\$\{\*:-(.*?)\}", (FOLDER / "toolchains.sh").read_text())
    assert listed is not None
    toolchains = {*listed[1].split(), "npm", "bash"}
    servers = [entries.server(name).model for name in entries.server_files()]
    assert servers
    for server in servers:
        if not (server.never_run or any(artifact.apt for artifact in server.artifacts)):
            assert set(server.needs.commands) <= toolchains | set(commands), server.name


def test_a_hint_and_the_installer_name_the_same_package(commands: dict[str, str]) -> None:
    needed = {command for name in entries.server_files() for command in entries.server(name).model.needs.commands}
    both = sorted(needed & set(commands))
    assert both
    assert [toolchain.install(command).debian for command in both] == [
        f"apt install {commands[command]}" for command in both
    ]


def test_a_package_of_a_descriptor_is_asked_for_and_one_that_nobody_has_is_missing(packages: ModuleType) -> None:
    assert {"haproxy", "gsoap", "mono-devel", "php8.2-fpm"} <= set(packages.of_servers())
    if shutil.which("dpkg-query") is None:
        pytest.skip("this machine has no dpkg")
    assert packages.missing(["no-such-package", "base-files", "no-such-package"]) == ["no-such-package"]
    assert packages.offered(["no-such-package", "base-files"]) == ["base-files"]


@pytest.mark.parametrize("before", [None, "#!/bin/sh\nexit 0\n"])
def test_no_service_starts_meanwhile_and_an_own_policy_is_put_back(
    packages: ModuleType, tmp_path: Path, before: str | None
) -> None:
    policy = tmp_path / "policy-rc.d"
    if before is not None:
        policy.write_text(before)
        policy.chmod(0o755)
    with pytest.raises(KeyboardInterrupt), packages.no_service_starts(policy):
        assert subprocess.run([policy, "ssh", "start"], check=False).returncode == 101
        raise KeyboardInterrupt
    assert (policy.read_text() if policy.exists() else None) == before


def test_without_apt_it_says_what_to_install_instead(tmp_path: Path) -> None:
    command = [sys.executable, FOLDER / "packages.py"]
    done = subprocess.run(
        command, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert (
        done.stderr.startswith("error: this machine has no apt") and "hint: install the equivalents of:" in done.stderr
    )
    assert "haproxy" in done.stderr and "Traceback" not in done.stderr
