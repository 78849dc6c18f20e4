"""Damaged results in XML: a sample is left out with its line, or the file is refused with the reason and the place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from result_files import WRITERS, Request, jtl_xml, requests
from steelyard.base.errors import ConfigurationError
from steelyard.judging.judged import judged_file
from steelyard.judging.readers import jmeter_xml

LINES = jtl_xml(requests(3)).split("\n")


def with_line(number: int, old: str, new: str) -> str:
    """The file with a change in its line `number`, from 1."""
    assert old in LINES[number - 1]
    return "\n".join([*LINES[: number - 1], LINES[number - 1].replace(old, new, 1), *LINES[number:]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (with_line(10, ">x<", ">\x01<"), "the sample of line 10: line 10, column 154: not well-formed"),
        (with_line(10, ">x<", ">&unknown;<"), "the sample of line 10: line 10, column 154: undefined entity"),
        (with_line(10, "<httpSample t=", "<httpSample t=="), "line 10, column 15: not well-formed"),
        (with_line(10, "</httpSample>", "/httpSample>"), "the sample of line 10: line 63, column 3: mismatched tag"),
        (with_line(62, ">x<", ">\x01<"), "line 62"),
        (with_line(3, ">x<", ">\x01<"), "line 3"),
        (with_line(10, "<responseData>", "<!-- "), "the sample of line 10: line 10"),
        (with_line(10, 'rc="200"', f'rc="{"y" * 2**21}"'), "line 10: a tag is longer than 1 MiB"),
    ],
)
def test_a_damaged_sample_is_left_out_with_its_line_and_all_others_count(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(text)
    judged = judged_file(tmp_path / "a.xml")
    assert judged.rows.counted == 59 and judged.rows.left_out["elements with damaged XML"] == 1
    assert any(said in note for note in judged.notes), judged.notes
    assert not any("ends early" in note for note in judged.notes)
    assert judged.rows.read == judged.rows.counted + sum(judged.rows.left_out.values())


def test_a_byte_that_is_no_utf_8_costs_its_sample(tmp_path: Path) -> None:
    text = with_line(10, ">x<", ">§<")
    (tmp_path / "a.xml").write_bytes(text.encode("latin-1"))
    assert judged_file(tmp_path / "a.xml").rows.counted == 59
    (tmp_path / "a.xml").write_bytes(
        text.replace("UTF-8", "ISO-8859-1").replace("</testResults>", "&").encode("latin-1")
    )
    assert judged_file(tmp_path / "a.xml").rows.counted == 60, "the encoding that it declares is kept behind damage"


def test_response_data_of_any_size_is_read_past(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(with_line(10, ">x<", f">{'y' * 12_000_000}<"))
    judged = judged_file(tmp_path / "a.xml")
    assert judged.rows.counted == 60 and "elements with damaged XML" not in judged.rows.left_out


def test_what_follows_damage_on_one_line_is_refused_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(with_line(10, ">x<", ">\x01<").replace("\n", ""))
    ran = steelyard("judge", "a.xml", folder=tmp_path)
    assert ran.code == 64 and "not well-formed (invalid token); no later sample begins a line" in " ".join(
        ran.err.split()
    )
    (tmp_path / "a.xml").write_text("".join(LINES))
    assert judged_file(tmp_path / "a.xml").rows.counted == 60


def test_appended_documents_both_count_and_a_killed_one_costs_its_last_sample(tmp_path: Path) -> None:
    whole = "\n".join(LINES)
    for before, left_out in ((whole, None), ("\n".join(LINES[:32]) + "\n", None), (whole[:5_000] + "\n", 1)):
        (tmp_path / "a.xml").write_text(before + whole)
        judged = judged_file(tmp_path / "a.xml")
        assert judged.rows.left_out.get("elements with damaged XML") == left_out
        assert judged.rows.counted == 60 + before.count("</responseData></httpSample>\n")


def test_damage_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.xml").write_text("\n".join(LINES).replace(">x<", ">\x01<"))
    monkeypatch.setattr(jmeter_xml, "MOST_DAMAGED", 20)
    with pytest.raises(ConfigurationError, match=r"line 23, column 15.*more than 20 elements are damaged"):
        judged_file(tmp_path / "a.xml")
    (tmp_path / "a.xml").write_text("\n".join(line.replace("</httpSample>", "") for line in LINES))
    monkeypatch.setattr(jmeter_xml, "MOST_READ_AGAIN", 50_000)
    monkeypatch.setattr(jmeter_xml, "MOST_DAMAGED", 100)
    with pytest.raises(ConfigurationError, match="damaged in too many places"):
        judged_file(tmp_path / "a.xml")


def test_a_text_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jmeter_xml, "MOST_WITHOUT_SAMPLE", 2**20)
    (tmp_path / "a.xml").write_text("<testResults>" + " \n" * 2**20)
    with pytest.raises(ConfigurationError, match="no sample ends in 1 MiB"):
        judged_file(tmp_path / "a.xml")


def test_an_element_that_is_no_sample_is_left_out_by_number(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(with_line(10, "<httpSample", "<other/><httpSample"))
    judged = judged_file(tmp_path / "a.xml")
    assert judged.rows.counted == 60 and judged.rows.left_out["elements other than samples"] == 1


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    written=st.sampled_from(WRITERS),
    damage=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=30), st.integers(0, 40)), max_size=3),
    keep=st.floats(0, 1),
)
def test_whatever_is_broken_in_a_file_its_rows_add_up_or_it_is_refused(
    written: Callable[[Sequence[Request]], str],
    damage: list[tuple[float, bytes, int]],
    keep: float,
    tmp_path: Path,
) -> None:
    content = written(requests(2, 5)).encode()
    for place, other, cut in damage:
        at = int(place * len(content))
        content = content[:at] + other + content[at + cut :]
    (tmp_path / "results").write_bytes(content[: int(len(content) * max(keep, 0.3))])
    try:
        judged = judged_file(tmp_path / "results")
    except ConfigurationError as error:
        assert error.message
    else:
        assert judged.rows.read == judged.rows.counted + sum(judged.rows.left_out.values())
        assert judged.completed + judged.failed == judged.rows.counted
