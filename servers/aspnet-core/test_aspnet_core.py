"""What can be known of aspnet-core without a .NET SDK: what its scripts ask of `dotnet`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Records its words and the variables of .NET; publishes a program and, where NuGet would, the lock.
DOTNET = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "$SDK"; exit; fi
printf '%s\\n' "$@" >"$RECORDED"
env | grep '^DOTNET_' | sort >>"$RECORDED"
if [ "$1" = publish ] && [ -n "${LOCKS:-}" ]; then echo '{}' >"$2/packages.$LOCKS.lock.json"; fi
"""


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """A service with the folder of a project."""
    (tmp_path / "shop" / "aspnet-core" / "src").mkdir(parents=True)
    return tmp_path / "shop"


def run(tmp_path: Path, script: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "bin" / "dotnet"
    program.parent.mkdir(exist_ok=True)
    program.write_text(DOTNET)
    program.chmod(0o755)
    environment = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "RECORDED": str(tmp_path / "recorded"),
        **variables,
    }
    argv = ["sh", script, *map(str, arguments)]
    return subprocess.run(argv, cwd=HERE, env=environment, capture_output=True, text=True, check=False)


def recorded(tmp_path: Path) -> list[str]:
    return (tmp_path / "recorded").read_text().splitlines()


@pytest.mark.parametrize(("sdk", "framework"), [("8.0.404", "net8.0"), ("10.0.100", "net10.0")])
def test_the_first_build_writes_the_lock_and_the_next_obeys_it(
    tmp_path: Path, service: Path, sdk: str, framework: str
) -> None:
    first = run(tmp_path, "build.sh", service, tmp_path / "cache", "off", SDK=sdk, LOCKS=framework)
    assert first.returncode == 0, first.stderr
    assert f"packages.{framework}.lock.json is missing: this build writes it" in first.stderr
    assert {f"-p:TargetFramework={framework}", "-p:RestoreLockedMode=false"} <= set(recorded(tmp_path))
    again = run(tmp_path, "build.sh", service, tmp_path / "cache", "off", SDK=sdk)
    assert (again.returncode, again.stderr) == (0, "")
    assert "-p:RestoreLockedMode=true" in recorded(tmp_path)


def test_a_build_that_leaves_no_lock_fails(tmp_path: Path, service: Path) -> None:
    done = run(tmp_path, "build.sh", service, tmp_path / "cache", "off", SDK="8.0.404")
    assert done.returncode == 1 and "NuGet wrote no" in done.stderr


@pytest.mark.parametrize("sdk", ["6.0.428", "9.0.100"])
def test_another_sdk_is_refused_by_its_version(tmp_path: Path, service: Path, sdk: str) -> None:
    done = run(tmp_path, "build.sh", service, tmp_path / "cache", "off", SDK=sdk)
    assert (done.returncode, done.stderr) == (1, f"aspnet-core needs the .NET SDK 8 or 10, and this is {sdk}\n")


@pytest.mark.parametrize(("factor", "compiled"), [("on", "true"), ("off", "false")])
def test_what_is_started_is_what_was_published(tmp_path: Path, service: Path, factor: str, compiled: str) -> None:
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    scratch.mkdir()
    run(tmp_path, "build.sh", service, cache, factor, SDK="8.0.404", LOCKS="net8.0")
    words = recorded(tmp_path)
    assert f"-p:PublishReadyToRun={compiled}" in words
    published = words[words.index("--output") + 1]
    done = run(tmp_path, "start.sh", 8080, service, cache, scratch, STEELYARD_READY_TO_RUN=factor)
    assert done.returncode == 0, done.stderr
    assert recorded(tmp_path)[:2] == [f"{published}/shop.dll", "8080"]


@pytest.mark.parametrize(
    ("factors", "variables"),
    [
        ({}, {"DOTNET_gcServer=1", "DOTNET_TieredPGO=1", "DOTNET_GCHeapHardLimit=10000000"}),
        (
            {"STEELYARD_SERVER_GC": "off", "STEELYARD_TIERED_PGO": "off", "STEELYARD_HEAP": "1g"},
            {"DOTNET_gcServer=0", "DOTNET_TieredPGO=0", "DOTNET_GCHeapHardLimit=40000000"},
        ),
    ],
)
def test_the_factors_are_variables_of_dotnet(
    tmp_path: Path, service: Path, factors: dict[str, str], variables: set[str]
) -> None:
    done = run(tmp_path, "start.sh", 8080, service, tmp_path / "cache", tmp_path, **factors)
    assert done.returncode == 0, done.stderr
    assert variables <= set(recorded(tmp_path))
