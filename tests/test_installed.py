"""The built wheels alone compare servers: in their own environment, outside the checkout, without Rust."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Lab

ROOT = Path(__file__).parent.parent
UV = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
RUST = ("cargo", "rustc", "rustup")


def build_wheels(folder: Path) -> Path:
    for project in ("engine", "lab"):
        subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT / project], check=True)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that holds what the wheels bring along."""
    wheels = build_wheels(tmp_path_factory.mktemp("wheels"))
    made = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([UV, "venv", "--quiet", made], check=True)
    ours = [word for name in ("steelyard", "steelyard-engine") for word in ("--refresh-package", name)]
    install = [UV, "pip", "install", "--quiet", "--python", made, "--find-links", wheels, *ours, "steelyard"]
    subprocess.run(install, check=True)
    return made


@pytest.fixture
def installed(lab: Lab, environment: Path) -> Iterator[Lab]:
    """The lab as installed, with a cache of its own, and programs in the place of Rust's that tell if they are called."""
    path = lab.folder / "no-rust"
    path.mkdir()
    for name in RUST:
        (path / name).write_text(f'#!/bin/sh\necho {name} >> "{path}/called"\nexit 127\n')
        (path / name).chmod(0o755)
    words = {name: value for name, value in lab.environment.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
    words |= {
        "PATH": os.pathsep.join((str(path), str(environment / "bin"), os.environ["PATH"])),
        "STEELYARD_CACHE": str(lab.folder / "cache"),
        "STEELYARD_PATH": "",
    }
    before = files(house(environment))
    yield replace(lab, environment=words, program=environment / "bin" / "steelyard")
    assert files(house(environment)) == before
    assert not (path / "called").exists()


def house(environment: Path) -> Path:
    (found,) = environment.glob("lib/python*/site-packages/steelyard/house")
    return found


def files(folder: Path) -> dict[Path, int]:
    """When each file was last changed."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_the_installed_lab_lists_the_checkouts_servers(lab: Lab, installed: Lab) -> None:
    named = [[row["name"] for row in one.run("servers", "--json").json()["servers"]] for one in (installed, lab)]
    assert named[0]
    assert set(named[0]) == {path.parent.name for path in (ROOT / "servers").glob("*/server.toml")}
    assert set(named[0]) <= set(named[1])


def test_the_wheel_brings_manual_pages_completions_and_the_licence(environment: Path) -> None:
    share = environment / "share"
    assert (share / "man" / "man1" / "steelyard-compare.1").read_text().startswith(".TH STEELYARD-COMPARE 1")
    assert "_STEELYARD_COMPLETE" in (share / "bash-completion" / "completions" / "steelyard").read_text()
    licences = [*environment.glob("lib/python*/site-packages/steelyard*.dist-info/licenses/LICENSE")]
    assert len(licences) == 2 and {path.read_bytes() for path in licences} == {(ROOT / "LICENSE").read_bytes()}


def test_the_installed_lab_plans_a_study(installed: Lab) -> None:
    ran = installed.run("run", "demo", "--dry-run")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("demo: tomcat-metro, go; ")


def test_the_installed_lab_builds_starts_and_verifies_a_server(installed: Lab) -> None:
    ran = installed.run("servers", "check", "go", "--quick", "--json")
    assert ran.code == 0, ran.err
    (row,) = ran.json()["servers"]
    assert row["contract"] is True
    assert list((installed.folder / "cache" / "house").glob("*/servers/go/server.toml"))


@pytest.mark.long
def test_the_installed_lab_weighs_two_servers(installed: Lab) -> None:
    ran = installed.run("demo", "--json", seconds=900)
    assert ran.code == 0 or ran.disturbed, ran.err
    assert ran.disturbed or {(one["a"], one["b"]) for one in ran.json()["comparisons"]} == {("go", "tomcat-metro")}


@pytest.mark.long
def test_what_the_image_runs_installs_a_lab_that_answers_in_an_empty_folder(tmp_path: Path) -> None:
    script = ["sh", str(ROOT / "tools" / "container" / "install.sh"), str(tmp_path / "steelyard")]
    subprocess.run(script, check=True, cwd=tmp_path)
    words = [tmp_path / "steelyard" / "bin" / "steelyard", "run", "demo", "--dry-run"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
    outside["STEELYARD_CACHE"] = str(tmp_path / "cache")
    ran = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path, env=outside)
    assert ran.stdout.startswith("demo: tomcat-metro, go; ")
