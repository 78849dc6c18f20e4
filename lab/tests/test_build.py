"""What is built anew, and what is never fetched."""

from pathlib import Path

import pytest
from rich.console import Console
from steelyard import build, catalogue
from steelyard.errors import ToolchainError
from steelyard.progress import Progress

QUIET = Progress(Console(stderr=True), quiet=True)


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
    licensed = [catalogue.server(name) for name in catalogue.server_files() if catalogue.server(name).model.licence]
    assert licensed
    for server in licensed:
        assert server.model.licence is not None
        monkeypatch.delenv(server.model.licence.variable, raising=False)
        with pytest.raises(ToolchainError) as caught:
            build.provide(server, catalogue.service("wstest"), QUIET)
        assert server.model.licence.variable in caught.value.message
        assert caught.value.hint == server.model.licence.how
