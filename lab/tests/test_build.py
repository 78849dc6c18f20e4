"""Builds run again only where inputs changed, and licensed products are never fetched."""

import io
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from steelyard.base.errors import ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import build

QUIET = Progress(Console(file=io.StringIO()))


def test_only_the_four_placeholders_are_replaced() -> None:
    argv = build.placeholders(["sh", "-c", "echo {port} ${HOME} {other}"], {"port": "80"})
    assert argv == ["sh", "-c", "echo 80 ${HOME} {other}"]


def test_a_changed_source_changes_the_hash_and_what_builds_make_does_not(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A {}")
    before = build.source_hash(tmp_path)
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "A.class").write_text("made")
    assert build.source_hash(tmp_path) == before
    (tmp_path / "A.java").write_text("class A { }")
    assert build.source_hash(tmp_path) != before


def test_a_licensed_product_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    licensed = [entries.server(name) for name in entries.server_files() if entries.server(name).model.licence]
    assert licensed
    for server in licensed:
        assert server.model.licence is not None
        monkeypatch.delenv(server.model.licence.variable, raising=False)
        with pytest.raises(ToolchainError) as caught:
            build.provide(server, entries.service("wstest"), QUIET)
        assert server.model.licence.variable in caught.value.message
        assert caught.value.hint == server.model.licence.how


BUILDS_IN_TARGET = """
name = "{name}"
title = "t"
version = "1"
stack = "s"
language = "l"
implementation = "impl"
build = [
  ["sh", "-c", "mkdir -p {{service}}/impl/target && echo built >> {{service}}/impl/target/times"],
  ["sh", "-c", "echo {name} >> {{cache}}/own"],
]
start = ["true"]
ready = ["true"]
"""


def test_a_build_in_the_services_folder_is_done_once_for_all_servers_and_again_when_a_source_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path))
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    for name in ("first", "second"):
        (tmp_path / "servers" / name).mkdir(parents=True)
        (tmp_path / "servers" / name / "server.toml").write_text(BUILDS_IN_TARGET.format(name=name))
    sources = tmp_path / "service" / "impl"
    sources.mkdir(parents=True)
    (sources / "a.c").write_text("1")
    service = replace(entries.service("wstest"), folder=tmp_path / "service")
    times = sources / "target" / "times"
    for name in ("first", "second", "first"):
        build.provide(entries.server(name), service, QUIET)
    assert times.read_text().split() == ["built"]
    assert sorted(path.read_text().strip() for path in (tmp_path / "cache").rglob("own")) == ["first", "second"]
    (sources / "a.c").write_text("2")
    build.provide(entries.server("second"), service, QUIET)
    assert times.read_text().split() == ["built", "built"]
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "shared.c").write_text("1")
    build.provide(entries.server("first"), service, QUIET)
    assert times.read_text().split() == ["built"] * 3, "what all services share has changed"
    shutil.rmtree(sources / "target")
    build.provide(entries.server("first"), service, QUIET)
    assert times.read_text().split() == ["built"], "what was cleaned by hand is built again"


TIMED = """
name = "timed"
title = "t"
version = "1"
stack = "s"
language = "l"
implementation = "impl"
build = [["sh", "-c", "mkdir -p {service}/impl/target && echo built >> {service}/impl/target/times"]]
start = ["true"]
ready = ["true"]
"""


def test_the_times_of_builds_outlive_a_clean_and_end_with_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path))
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STEELYARD_STATE", raising=False)
    (tmp_path / "servers" / "timed").mkdir(parents=True)
    (tmp_path / "servers" / "timed" / "server.toml").write_text(TIMED)
    sources = tmp_path / "service" / "impl"
    sources.mkdir(parents=True)
    (sources / "a.c").write_text("1")
    service, server = replace(entries.service("wstest"), folder=tmp_path / "service"), entries.server("timed")
    cache = build.provide(server, service, QUIET)
    assert len(build.build_seconds(server, service, cache)) == 1
    shutil.rmtree(sources / "target")
    build.provide(server, service, QUIET)
    assert len(build.build_seconds(server, service, cache)) == 2, "a clean, as Maven's, leaves the times"
    assert not list(sources.rglob("*.seconds"))
    (sources / "a.c").write_text("2")
    build.provide(server, service, QUIET)
    assert len(build.build_seconds(server, service, cache)) == 1, "other sources have their own times"


def test_what_only_a_build_needs_is_asked_for_only_where_something_must_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path))
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "servers" / "first").mkdir(parents=True)
    tool = tmp_path / "tools" / "no-such-compiler"
    needs = f'needs = {{ build_commands = ["{tool.name}"] }}\n'
    (tmp_path / "servers" / "first" / "server.toml").write_text(needs + BUILDS_IN_TARGET.format(name="first"))
    sources = tmp_path / "service" / "impl"
    sources.mkdir(parents=True)
    (sources / "a.c").write_text("1")
    service = replace(entries.service("wstest"), folder=tmp_path / "service")
    server = entries.server("first")
    with pytest.raises(
        ToolchainError, match="first needs the command 'no-such-compiler', which is not on this machine"
    ):
        build.provide(server, service, QUIET)
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    with monkeypatch.context() as with_tool:
        with_tool.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
        build.provide(server, service, QUIET)
    assert build.provide(server, service, QUIET).is_dir(), "fetched and built: the compiler is needed no more"
    (sources / "a.c").write_text("2")
    with pytest.raises(ToolchainError, match="no-such-compiler"):
        build.provide(server, service, QUIET)
