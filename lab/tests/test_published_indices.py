"""A paper's indices read as printed, and every conclusion marked as contradicted really is, whatever was rounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.catalogue.published_indices import by_cell, quantities, read_indices
from steelyard.catalogue.published_tables import contradiction_by, read_conclusions

FOLDER = paths.root() / "papers" / "soakit"
ROWS = read_indices(FOLDER / "indices.csv")
CLAIMS = read_conclusions(FOLDER / "claims.toml").contradicted


def test_each_cell_of_three_use_cases_stands_there_for_five_servers() -> None:
    for use_case in ("tv-dinner", "sushi-boats", "buffet"):
        cells = by_cell(ROWS, use_case)
        assert len(cells) == 12
        assert {len(printed) for printed in cells.values()} == {5}
    assert len(ROWS) == 180


def test_the_reference_of_the_tables_is_one_in_every_cell() -> None:
    assert {one.index.text for one in ROWS if one.server == "wls81"} == {"1.00"}


@pytest.mark.parametrize("place", range(len(CLAIMS)))
def test_no_rounding_saves_a_claim_that_is_marked(place: int) -> None:
    assert contradiction_by(CLAIMS[place], quantities(FOLDER)).holds


def test_the_streaming_claim_is_off_by_twice_what_it_says() -> None:
    claim = next(one for one in CLAIMS if one.least == 77.5)
    assert contradiction_by(claim, quantities(FOLDER)).figure == pytest.approx(161, abs=0.5)


def test_a_claim_about_a_number_that_no_table_has_is_an_error() -> None:
    claim = CLAIMS[0].model_copy(update={"figure": "sushi_boats_80_160_wls10 * 1"})
    with pytest.raises(ConfigurationError, match="wls10"):
        contradiction_by(claim, quantities(FOLDER))


def test_a_cell_that_stands_there_twice_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "indices.csv"
    path.write_text("use_case,payload,users,server,index\na,1,5,x,1.00\na,1,5,x,0.90\n")
    with pytest.raises(StoreError, match="line 3: this cell of x is already in line 2"):
        read_indices(path)
