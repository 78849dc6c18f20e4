"""A growing slices.csv is read once, however often its last rows are requested."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.base.errors import EngineError
from steelyard.measure.trial.slice_rows import SliceRows


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_only_what_was_appended_is_read(tmp_path: Path) -> None:
    path = tmp_path / "slices.csv"
    rows = SliceRows(path)
    append(path, "slice,why_not\n0,\n1,late\n")
    assert [row["slice"] for row in rows.take(2)] == ["0", "1"]
    path.write_bytes(path.read_bytes().replace(b"late", b"gone"))  # what was read already is not read again
    append(path, "2,\n3,\n")
    assert [row["slice"] for row in rows.take(1)] == ["3"]
    assert [(row["slice"], row["why_not"]) for row in rows.seen] == [("0", ""), ("1", "late"), ("2", ""), ("3", "")]


def test_a_row_that_is_still_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "slices.csv"
    rows = SliceRows(path)
    append(path, "slice,completed\n0,12")
    with pytest.raises(EngineError, match="wrote 0 of 1 rows"):
        rows.take(1)
    append(path, "34\n")
    assert rows.take(1)[0]["completed"] == "1234"


def test_rows_that_are_missing_or_do_not_fit_are_the_engine_s_failure(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="cannot be read: No such file"):
        SliceRows(tmp_path / "slices.csv").take(1)
    append(tmp_path / "slices.csv", "slice,completed\n0,1,2\n")
    with pytest.raises(EngineError, match="does not fit its header"):
        SliceRows(tmp_path / "slices.csv").take(1)
