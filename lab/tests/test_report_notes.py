"""Notes beside a run are shown in its report as text: they load and run nothing."""

from pathlib import Path

import pytest
from steelyard.base.errors import StoreError
from steelyard.report import keeping, write_report
from synthetic import Planted, write_run

HEADING = "Notes on this run"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", Planted(forks=2, pairs=3))


def report(run: Path, notes: str) -> str:
    (run / "notes.md").write_text(notes)
    return write_report(run).read_text()


def test_notes_stand_in_the_report_with_their_headings_below_the_sections(run: Path) -> None:
    page = report(run, "## What it shows\n\nGo *won*.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- made by a tool -->\n")
    assert HEADING in page
    assert "<h3>What it shows</h3>" in page and "<em>won</em>" in page and "<td>1</td>" in page
    assert "made by a tool" not in page


def test_a_table_in_notes_scrolls_and_its_empty_corner_heads_nothing(run: Path) -> None:
    page = report(run, "|   | b |\n|---|---|\n| 1 | 2 |\n")
    assert '<div class="scroll" tabindex="0"><table>\n<thead>\n<tr>\n<td></td>\n<th scope="col">b</th>' in page


def test_a_run_without_notes_has_no_such_section(run: Path) -> None:
    assert HEADING not in write_report(run).read_text()


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("![seen](http://example.com/seen.png)", '!<a href="http://example.com/seen.png">seen</a>'),
        ("[press](javascript:alert(1))", "[press](javascript:alert(1))"),
        ("{{ 7 * 7 }}", "{{ 7 * 7 }}"),
    ],
)
def test_hostile_notes_are_shown_and_neither_run_nor_fetched(run: Path, hostile: str, shown: str) -> None:
    assert f"<p>Before {shown} after.</p>" in report(run, f"Before {hostile} after.\n")


def test_notes_are_kept_with_the_run(run: Path, tmp_path: Path) -> None:
    (run / "notes.md").write_text("Go won.\n")
    kept = keeping.keep(run, tmp_path / "kept" / "run")
    assert (kept / "notes.md").read_text() == "Go won.\n"
    assert "<p>Go won.</p>" in write_report(kept).read_text()


def test_notes_that_are_not_text_are_named(run: Path) -> None:
    (run / "notes.md").write_bytes(b"\xff\n")
    with pytest.raises(StoreError, match=r"notes\.md: byte 0 is not UTF-8"):
        write_report(run)
