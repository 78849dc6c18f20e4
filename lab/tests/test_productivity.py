"""The page on the size of implementations: every figure is counted, and changed inputs make the page stale."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from programs import program
from steelyard.catalogue import entries

ROOT = Path(__file__).parents[2]
SOURCE = """\
/* What it is,
   in two lines. */
package a; // counts

// only a comment
<!-- of another
     language -->
#include <b.h>
# and of a third
int one() {
    return 1; /* counts */
}
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/productivity.py."""
    return program("productivity")


def test_lines_that_say_something_are_counted_and_no_comments(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.said_in(SOURCE) == 5
    (tmp_path / "a.c").write_text(SOURCE)
    (tmp_path / "b.c").write_text("x;\n\n\ny;\n")
    assert tool.counted([tmp_path / "a.c", tmp_path / "b.c"]) == tool.Lines(7, 2)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("src/main/java/a/Order.java", True), ("order.go", True), ("order_test.go", False), ("test_order.py", False),
        ("src/test/java/a/OrderTest.java", False), ("OrderTest.php", False),
        ("package-lock.json", False), ("Cargo.lock", False), ("go.sum", False),
        ("jars.sha256", False), ("pom.xml", True),
    ],
)  # fmt: skip
def test_tests_and_what_tools_write_are_not_counted(tool: ModuleType, name: str, counts: bool) -> None:
    left_out = tool.BY_TOOLS.search(Path(name).name) or tool.TESTS.search(name)
    assert (not left_out) == counts


def test_every_implementation_stands_in_the_page_with_what_is_counted_of_it(tool: ModuleType) -> None:
    known = {entries.server(name).model.implementation for name in entries.server_files()}
    folder = entries.service("soakit").folder
    told = {each.name: each for each in tool.implementations()}
    assert set(told) == {place.name for place in folder.iterdir() if place.name in known and place.is_dir()}
    java = told["java"]
    sources = list((folder / "java" / "src" / "main" / "java").rglob("*.java"))
    assert java.code.files == len(sources)
    assert 0.5 < java.code.lines / sum(len(path.read_text().splitlines()) for path in sources) < 1
    assert java.shared.files == len([*(ROOT / "services" / "common" / "java" / "src" / "main").rglob("*.java")])
    assert told["java-springws"].shared.files == java.shared.files + java.code.files  # it takes in all of the other's
    assert told["go"].generated == tool.Lines() and (java.generated is None or java.generated.lines > 0)
    page = tool.page()
    assert all(f"| `{name}` |" in page for name in told) and page.count("quoted from the kit") == 1


def test_what_was_generated_of_another_contract_is_not_counted(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {each.name for each in tool.implementations() if each.generated is None} == set()
    monkeypatch.setattr(tool, "made_from", lambda _: "another")
    monkeypatch.setattr(sys, "argv", ["productivity.py", "--check"])
    assert tool.main() == 1
