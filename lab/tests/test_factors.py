"""Every descriptor's factors are used, its versions are pinned, and its defaults are the common ones."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from steelyard.base.errors import ToolchainError
from steelyard.catalogue import entries
from steelyard.catalogue.entries import Entry
from steelyard.hosts import fetch, toolchain
from steelyard.models.server import Needs, Server

SERVERS = [entries.server(name) for name in entries.server_files()]
ON_A_JVM = [server for server in SERVERS if server.model.jvm and server.model.kind == "server"]
VERSIONS = ("version", "stack_version")
FAIR = {"heap": "256m", "gc": "G1", "threads": "200", "jvm": ""}


def named(servers: list[Entry[Server]]) -> list[object]:
    return [pytest.param(server, id=server.name) for server in servers]


def read_by(server: Entry[Server]) -> str:
    """The text of every file that the descriptor's commands name, and of the files of this repository that those name in turn."""
    commands = [*server.model.build, *server.model.prepare, server.model.start, server.model.ready]
    found: dict[Path, str] = {}
    left = [server.folder / word for words in commands for word in words]
    while left:
        path = left.pop().resolve()
        if path in found or not path.is_file():
            continue
        found[path] = path.read_text(encoding="utf-8", errors="replace")
        words = re.findall(r"[\w./*-]+\.(?:sh|py|xml|ini|js|cs)", found[path])
        folders = (server.folder, path.parent, path.parent.parent)
        left += [file for word in words for folder in folders for file in folder.glob(word.lstrip("/"))]
    return "\n".join(found.values())


@pytest.mark.parametrize("server", named(SERVERS))
def test_every_factor_is_read_by_what_the_server_runs(server: Entry[Server]) -> None:
    text = read_by(server)
    unread = [name for name in server.model.factors if name not in VERSIONS and f"STEELYARD_{name.upper()}" not in text]
    assert unread == []


@pytest.mark.parametrize("server", named(SERVERS))
def test_a_version_that_can_be_chosen_has_artifacts_of_its_own(server: Entry[Server]) -> None:
    for name in VERSIONS:
        factor = server.model.factors.get(name)
        for value in (factor.choices or []) if factor else []:
            assert [one for one in server.model.artifacts if one.when.get(name) == value] != [], f"{name} = {value}"


@pytest.mark.parametrize("server", named(SERVERS))
def test_each_choice_of_versions_is_cached_apart_and_called_by_its_name(server: Entry[Server]) -> None:
    choices = [server.model.factors[name].choices or [] for name in VERSIONS if name in server.model.factors]
    names = [name for name in VERSIONS if name in server.model.factors]
    folders = set()
    for values in itertools.product(*choices):
        factors = server.model.defaults() | dict(zip(names, values, strict=True))
        as_run = server.model.as_run(factors)
        folders.add(fetch.cache_folder(Entry(server.name, server.folder, server.file, as_run)))
        for name, value in zip(names, values, strict=True):
            assert value in (as_run.version if name == "version" else as_run.stack)
    assert len(folders) == len(list(itertools.product(*choices)))


@pytest.mark.parametrize("server", named(ON_A_JVM))
def test_java_servers_are_set_alike_by_default(server: Entry[Server]) -> None:
    defaults = server.model.defaults()
    fair = dict(FAIR)
    if "threads" not in server.model.factors or server.model.factors["threads"].choices:
        del fair["threads"]  # it has none, or selects their kind: then their number is as shipped
    assert {name: defaults[name] for name in fair} == fair
    assert defaults["jdk_vendor"] == "any"
    text = read_by(server)
    for option in (
        "-Xms${STEELYARD_HEAP:-256m} -Xmx${STEELYARD_HEAP:-256m}",
        "-XX:+AlwaysPreTouch",
        "-XX:+Use${STEELYARD_GC:-G1}GC",
        "-XX:ActiveProcessorCount=${STEELYARD_CPUS:-$(getconf _NPROCESSORS_ONLN)}",
    ):
        assert option in text
    assert "run_java " in text or "$JVM_OPTIONS" in text


def test_what_no_artifact_can_be_for_is_refused() -> None:
    text = {"name": "x", "title": "X", "version": "1", "stack": "s 2", "language": "C", "start": ["a"], "ready": ["b"]}
    version = {"default": "1", "choices": ["1", "0"], "meaning": "m"}
    with pytest.raises(ValueError, match="an artifact is for version = 3, which is not a choice of a factor"):
        Server.model_validate(
            {**text, "factors": {"version": version}, "artifacts": [{"apt": ["p"], "when": {"version": "3"}}]}
        )
    with pytest.raises(ValueError, match="factor version is 0 by default, but '1' is stated"):
        Server.model_validate({**text, "factors": {"version": {**version, "default": "0"}}})


@pytest.fixture
def jdks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two JDKs 99, of two vendors, in the usual places."""
    for folder, vendor in (("one", "Azul Systems, Inc."), ("two", "Eclipse Adoptium")):
        (tmp_path / folder / "bin").mkdir(parents=True)
        (tmp_path / folder / "bin" / "javac").touch()
        (tmp_path / folder / "release").write_text(f'IMPLEMENTOR="{vendor}"\nJAVA_VERSION="99.0.1"\n')
    monkeypatch.setattr(toolchain, "_JDK_PLACES", (f"{tmp_path}/*",))
    toolchain.jdk_homes.cache_clear()
    return tmp_path


def test_a_jdk_is_found_by_its_vendor(jdks: Path) -> None:
    home = {
        vendor: toolchain.require(Needs(jdk=99, jdk_vendor=vendor), "x")["JAVA_HOME"]
        for vendor in ("any", "eclipse-adoptium")
    }
    assert home == {"any": str(jdks / "one"), "eclipse-adoptium": str(jdks / "two")}


@pytest.mark.usefixtures("jdks")
def test_an_unknown_vendor_is_answered_with_those_found() -> None:
    with pytest.raises(ToolchainError) as caught:
        toolchain.require(Needs(jdk=99, jdk_vendor="acme"), "x")
    assert caught.value.message == (
        "x needs a JDK 99 of 'acme'; this machine has those of: azul-systems-inc, eclipse-adoptium"
    )
