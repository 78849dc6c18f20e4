"""The thesis's tables read as printed, and every conclusion marked as contradicted really is, whatever was rounded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.catalogue.published_tables import COLUMNS, PublishedRow, contradiction, read_conclusions, read_published
from steelyard.models.published_conclusions import ContradictedClaim
from steelyard.statistics.checks import LITTLE_TOLERANCE

FOLDER = paths.root() / "papers" / "soaservers"
ROWS = read_published(FOLDER / "published.csv")
CONCLUSIONS = read_conclusions(FOLDER / "claims.toml")


def row(test: str, server: str) -> PublishedRow:
    return next(one for one in ROWS if (one.test, one.server) == (test, server))


def table(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "published.csv"
    path.write_text("\n".join((",".join(COLUMNS), *lines)) + "\n")
    return path


def test_every_test_of_chapter_4_stands_there_for_both_servers_under_its_table() -> None:
    found = {(one.test, one.table, one.server) for one in ROWS}
    wanted = {(str(n), f"4.{n + 3}", server) for n in range(1, 15) for server in ("tomcat", "weblogic")}
    assert found == wanted and len(ROWS) == 28


def test_a_printed_number_stands_for_all_that_round_to_it() -> None:
    printed = row("8", "tomcat").response_ms
    assert printed.text == "215,7694"
    assert (printed.value, printed.low, printed.high) == pytest.approx((215.7694, 215.76935, 215.76945), abs=1e-9)
    assert row("10", "weblogic").response_ms.high == 579.5


def test_what_a_table_does_not_print_is_none() -> None:
    assert row("1", "tomcat").errors is None and row("9", "tomcat").deviation_ms is None
    assert row("9", "tomcat").errors == 182 and row("4", "tomcat").errors == 0


def test_littles_law_holds_where_the_readme_says_and_in_no_other_row() -> None:
    held = {(one.test, one.server) for one in ROWS if abs(one.littles_law) <= LITTLE_TOLERANCE}
    assert held == {("7", "tomcat"), ("7", "weblogic"), ("8", "tomcat")}
    ramps = [one for one in ROWS if one.users_from < one.users_to]
    assert len(ramps) == 10 and all(one.littles_law < -0.1 for one in ramps)


def test_littles_law_of_a_row_is_worked_out_by_hand_here() -> None:
    assert row("1", "tomcat").littles_law == pytest.approx(312.795 * 0.01515 / 5 - 1)
    assert row("4", "tomcat").littles_law == pytest.approx(678.359 * 0.022846 / 20.5 - 1)


@pytest.mark.parametrize("claim", CONCLUSIONS.contradicted, ids=lambda claim: f"{claim.section}-{claim.figure[:24]}")
def test_every_marked_claim_is_contradicted_whatever_the_printed_numbers_were_before_rounding(
    claim: ContradictedClaim,
) -> None:
    found = contradiction(claim, ROWS)
    assert found.low <= found.figure <= found.high
    assert found.holds
    names = re.findall(r"t\d+_\w+", claim.figure)
    assert len(names) == len(set(names)), "the corners bound the figure only where each number stands in it once"


@pytest.mark.parametrize(
    ("claimed", "test", "here"),
    [
        ("2.5% in favour of Tomcat", "6", 1013.1 / 989.5 * 100 - 100),
        ("faster by 153%", "7", 205.634 / 81.498 * 100 - 100),
        ("better by 102%", "12", 1182.4 / 582.2 * 100 - 100),
        ("smaller by 10.5%", "8", 100 - 21.76 / 24.083 * 100),
        ("faster in all tests", "5", 695.2 / 712.25 * 100 - 100),
        ("maximum with 8 to 10 threads", "4", 716.150 / (312.795 / 5)),
    ],
)
def test_what_contradicts_a_claim_is_worked_out_by_hand_here_and_set_under_the_test_that_it_is_about(
    claimed: str, test: str, here: float
) -> None:
    (claim,) = [one for one in CONCLUSIONS.contradicted if claimed in one.text]
    assert (claim.test, contradiction(claim, ROWS).figure) == (test, pytest.approx(here))


def test_every_claim_is_about_a_test_of_the_tables_and_its_figure_draws_on_it_or_says_of_which() -> None:
    """Only what is said of test 4 needs other numbers: its own table has no throughput by threads."""
    known = {one.test for one in ROWS}
    for claim in CONCLUSIONS.contradicted:
        assert claim.test in known
        assert f"t{claim.test}_" in claim.figure or claim.test == "4", claim.text


def test_a_claim_that_the_tables_bear_out_is_not_called_contradicted() -> None:
    said = ContradictedClaim(
        section="4.2.1",
        test="7",
        text="In test 7 Tomcat's response time is well under half of WebLogic's.",
        figure="t7_tomcat_response_ms / t7_weblogic_response_ms",
        meaning="Tomcat's response time over WebLogic's",
        most=0.45,
    )
    assert not contradiction(said, ROWS).holds


def test_a_claim_that_rounding_may_save_is_not_called_contradicted() -> None:
    """Section 4.1.6 names 5% the greatest difference; test 6 has 5.5%, or 4.1%, as 7.3 and 7.7 may be 7.35 and 7.65."""
    said = ContradictedClaim(
        section="4.1.6",
        test="6",
        text="No test of the environment differs by more than 5%.",
        figure="(t6_weblogic_throughput_per_s / t6_tomcat_throughput_per_s - 1) * 100",
        meaning="WebLogic's throughput over Tomcat's in test 6",
        most=5.05,
    )
    found = contradiction(said, ROWS)
    assert found.figure > 5.05 > found.low and not found.holds


def test_a_claim_about_a_number_that_no_table_has_names_the_nearest() -> None:
    said = ContradictedClaim(section="1", test="1", text="", figure="t1_tomcat_response", meaning="", most=1)
    with pytest.raises(ConfigurationError, match=r"section 1: 't1_tomcat_response' .* mean 't1_tomcat_response_ms'"):
        contradiction(said, ROWS)


def test_a_claim_without_a_bound_and_an_unknown_key_are_errors_that_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text('[[contradicted]]\nsection = "1"\ntest = "1"\ntext = "a"\nfigure = "1"\nmeaning = "b"\n')
    with pytest.raises(
        ConfigurationError, match=r"claims\.toml: key 'contradicted\.0': a claim needs 'least', 'most' or both"
    ):
        read_conclusions(path)
    path.write_text(path.read_text() + "mots = 1\n")
    with pytest.raises(ConfigurationError, match=r"unknown key 'contradicted\.0\.mots'; did you mean 'most'"):
        read_conclusions(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,4.4,1,tomcat,5,5,15.150,312,795,1.204", "line 2: errors is '1.204', not a whole number"),
        ("1,4.4,1,tomcat,5,5,0,312.795,,", "line 2: response_ms is 0, not above 0"),
        ("1,4.4,1,tomcat,9,5,15,312.795,,", "line 2: users go from 9 to 5"),
        ("1,4.4,1,tomcat,5,5,fast,312.795,,", "line 2: response_ms is 'fast', not a number as printed"),
        ('1,4.4,1,tomcat,5,5,"1,5.0",312.795,,', "line 2: response_ms is '1,5.0', not a number as printed"),
        ("1,4.4,1,tomcat,5,5,15", "line 2: 7 fields where the header has 10"),
    ],
)
def test_a_wrong_row_is_named_with_file_and_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(StoreError, match=f"published.csv, {said}"):
        read_published(table(tmp_path, line))


def test_a_test_that_stands_twice_for_a_server_is_named(tmp_path: Path) -> None:
    line = "1,4.4,1,tomcat,5,5,15.150,312.795,1.204,"
    with pytest.raises(StoreError, match="line 3: test 1 of tomcat is already in line 2"):
        read_published(table(tmp_path, line, line))


def test_a_reading_names_a_test_and_servers_of_the_tables() -> None:
    known = {(one.test, one.server) for one in ROWS}
    assert CONCLUSIONS.readings
    assert {(one.test, server) for one in CONCLUSIONS.readings for server in one.servers} <= known
