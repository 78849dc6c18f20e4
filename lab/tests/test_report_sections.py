"""The report's sections: one file each, drawn by the template of its name, and chosen by the study."""

import re
from pathlib import Path

import pytest
import steelyard
from steelyard.base.errors import StoreError
from steelyard.catalogue import entries
from steelyard.report import write_report
from steelyard.report.sections import SECTIONS
from synthetic import Planted, write_run

TEMPLATES = Path(steelyard.__file__).parent / "report" / "sections"


def headings(page: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", page)


def report(tmp_path: Path, study: str) -> str:
    folder = write_run(tmp_path / "run", Planted(study=study))
    return write_report(folder).read_text(encoding="utf-8")


def test_every_section_has_its_template_and_every_template_its_section() -> None:
    assert {path.stem for path in TEMPLATES.glob("*.html")} == set(SECTIONS)


def test_a_study_without_a_wish_gets_all_that_have_something_to_show(tmp_path: Path) -> None:
    shown = headings(report(tmp_path, ""))
    assert shown[:2] == ["The result in full", "The evidence"]
    assert {"Validity of the instrument", "Failures", "What these numbers cannot say"} <= set(shown)


def test_a_study_names_its_own_sections_in_its_own_order(tmp_path: Path) -> None:
    page = report(tmp_path, 'sections = ["verdict", "failures", "instrument"]')
    assert headings(page) == ["The result in full", "Failures", "Validity of the instrument"]
    assert 'class="verdict' in page


def test_an_unknown_section_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no section 'failure'; did you mean 'failures'"):
        report(tmp_path, 'sections = ["verdict", "failure"]')


@pytest.mark.parametrize("name", sorted(entries.study_files()))
def test_every_study_names_sections_that_there_are(name: str) -> None:
    assert set(entries.study(name).model.sections) <= set(SECTIONS)
