"""The domain data: as many flights as asked for, a fleet as much in use, the same for the same seed, and rows that fit."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import domain_data
import pytest
from domain_data import LEGS, Domain, settled

CONTRACT = Path(__file__).parent


@pytest.fixture(scope="module")
def domain() -> Domain:
    return Domain(settled({}))


def test_there_are_2820_flights_in_15_days_with_the_fleet_in_use_at_80_percent(domain: Domain) -> None:
    assert len(domain.instances) == 2820 and {one.day for one in domain.instances} == set(range(15))
    used = len(domain.instances) / (15 * LEGS * len(domain.airplanes))
    assert used == pytest.approx(0.8, abs=0.01)
    legs = Counter((one.day, one.airplane) for one in domain.instances)
    assert max(legs.values()) <= LEGS, "no airplane flies more legs in a day than it could"


def test_pairs_of_airports_have_a_random_number_of_flights(domain: Domain) -> None:
    found = Counter(len(instances) for instances in domain.by_route.values())
    assert len(found) > 4 and found[1] > 0
    for instances in domain.by_route.values():
        assert [one.cents for one in instances] == sorted(one.cents for one in instances)


def test_some_flights_are_sold_out_and_most_are_not(domain: Domain) -> None:
    share = sum(one.sold_out for one in domain.instances) / len(domain.instances)
    assert 0.005 < share < 0.05


@pytest.mark.parametrize(("flights", "days"), [(1, 1), (15, 15), (16, 15), (1000, 7), (50_000, 30)])
def test_any_scale_has_exactly_its_flights(flights: int, days: int) -> None:
    made = Domain(settled({"flights": str(flights), "days": str(days)}))
    assert len(made.instances) == flights and any(one.sold_out for one in made.instances)
    assert len({one.number for one in made.flights}) == len(made.flights)


def test_the_same_settings_make_the_same_statements_and_another_seed_makes_others() -> None:
    one, same, other = (
        "".join(domain_data.statements(Domain(settled({"domain_seed": seed})))) for seed in ("1", "1", "2")
    )
    assert one == same != other


def test_every_row_refers_to_rows_that_were_inserted_before(domain: Domain) -> None:
    counts: Counter[str] = Counter()
    for statement in domain_data.statements(domain):
        begun = re.match(r"INSERT INTO (\w+) VALUES", statement)
        if begun:
            counts[begun[1]] += statement.count("\n(") + statement.startswith("INSERT INTO domain_root")
    assert counts["flight_instance"] == 2820 and counts["airplane"] == len(domain.airplanes)
    assert max(one.airplane for one in domain.instances) < counts["airplane"]
    assert max(max(one.origin, one.destination) for one in domain.flights) < counts["airport"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("flights=0", "flights is '0'"),
        ("flights=many", "flights is 'many'"),
        ("flights=3", "fewer than the 15 days"),
        ("days=-1", "days is '-1'"),
        ("seats_times=" + "9" * 60, "seats_times is '999"),
        ("wings=2", "there is no setting 'wings'"),
    ],
)
def test_a_setting_that_cannot_be_is_one_message(setting: str, said: str) -> None:
    ran = subprocess.run(
        [sys.executable, str(CONTRACT / "domain_data.py"), "--set", setting],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1 and ran.stdout == ""
    assert said in ran.stderr and ran.stderr.count("\n") == 1, ran.stderr


def test_a_state_that_is_restored_while_the_service_runs_has_the_same_rows_and_ids_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service keeps what is left of the blocks of ids that it drew."""
    states = []
    for restored in ("", "1", "2"):
        monkeypatch.setenv("STEELYARD_RESTORED", restored)
        assert domain_data.main([]) == 0
        states.append(capsys.readouterr().out)
    firsts = [[int(first) for first in re.findall(r"START WITH (\d+)", state)] for state in states]
    assert firsts[0] == [1, 1] and firsts[1][0] > 10**9 and firsts[2][0] - firsts[1][0] > 10**9
    assert len({re.sub(r"START WITH \d+", "", state) for state in states}) == 1
