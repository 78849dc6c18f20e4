"""The sampled answers that an engine leaves, whole or killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.base.errors import StoreError
from steelyard.results.samples import FOLDER, INDEX, read_samples

HEAD = "sample,slice,subject,operation,entry,outcome,due_ns,sent_ns,first_byte_ns,last_byte_ns,status,cause\n"


def index(folder: Path, text: str) -> Path:
    (folder / FOLDER).mkdir()
    (folder / FOLDER / INDEX).write_text(text)
    return folder


def test_each_sample_has_its_outcome_and_the_place_of_its_answer(tmp_path: Path) -> None:
    rows = '0,3,go,echo,7,right,1,2,3,4,200,\n1,3,go,echo,8,malformed,1,2,0,0,0,"line one\nline two"\n'
    first, second = read_samples(index(tmp_path, HEAD + rows))
    assert first[1] == tmp_path / "samples" / "0.answer"
    assert (first[0].slice, first[0].subject, first[0].entry, first[0].status, first[0].cause) == (3, "go", 7, 200, "")
    assert (second[0].outcome, second[0].status, second[0].cause) == ("malformed", 0, "line one\nline two")


@pytest.mark.parametrize("text", ["", HEAD[:20], HEAD, HEAD + "0,3,go,echo,7,ri"])
def test_what_a_killed_engine_did_not_finish_is_left_out(tmp_path: Path, text: str) -> None:
    assert list(read_samples(index(tmp_path, text))) == []


def test_a_folder_without_samples_has_none(tmp_path: Path) -> None:
    assert list(read_samples(tmp_path)) == []


def test_a_row_that_makes_no_sense_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"index\.csv, line 2: slice is 'x', not a whole number"):
        list(read_samples(index(tmp_path, HEAD + "0,x,go,echo,7,right,1,2,3,4,200,\n")))
