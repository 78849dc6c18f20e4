"""The load: exchanges keep the schema, sessions are linked, errors and sizes are as many and as large as asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import domain_data
import flight_lengths
import flight_load
import pytest
from lxml import etree

CONTRACT = Path(__file__).parent

SCHEMA = etree.XMLSchema(etree.parse(str(CONTRACT / "flight.xsd")))
OPERATIONS = flight_load.OPERATIONS
DOMAIN = domain_data.Domain(domain_data.settled({}))


def generated(operation: str, *sets: str, seed: int = 1, count: int = 40, **environment: str) -> list[dict[str, Any]]:
    words = [word for one in sets for word in ("--set", one)]
    argv = [sys.executable, str(CONTRACT / "flight_load.py"), "--operation", operation]
    ran = subprocess.run(
        [*argv, "--seed", str(seed), "--count", str(count), *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def payload(text: str) -> etree._Element:
    (element,) = etree.fromstring(text.encode())[0]
    return etree.fromstring(etree.tostring(element, with_tail=False))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_requests_and_right_answers_keep_the_schema_and_markers_are_in_their_answers_alone(operation: str) -> None:
    made = generated(operation)
    answers = [one["answer"] for one in made]
    for one in made:
        SCHEMA.assertValid(payload(one["request"]))
        if not one["fault"]:
            # A hole stands where the service's own code goes.
            SCHEMA.assertValid(payload(holes_filled(one["answer"])))
            assert sum(one["marker"] in answer for answer in answers) == 1


def holes_filled(answer: str) -> str:
    begin, _, rest = answer.partition("{{hole:")
    return answer if not rest else f"{begin}CODE01{rest.partition('}}')[2]}"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_same_seed_makes_the_same_exchanges(operation: str) -> None:
    assert generated(operation) == generated(operation) != generated(operation, seed=2)


@pytest.mark.parametrize(("permille", "errors"), [(0, 0), (125, 25), (1000, 200)])
def test_as_many_requests_are_wrong_as_asked_for(permille: int, errors: int) -> None:
    for operation in ("searchFlights", "createReservation"):
        made = generated(operation, f"ErrorPermille={permille}", "MaxGroup=3", count=200)
        assert sum(one["fault"] for one in made) == errors


def test_a_search_and_a_reservation_of_one_session_have_one_link() -> None:
    searches, reservations = (generated(operation) for operation in ("searchFlights", "createReservation"))
    assert [one["link"] for one in searches] == [one["link"] for one in reservations] == list(range(40))


def test_a_group_of_one_is_a_single_reservation_and_sizes_are_spread_evenly() -> None:
    roots = {etree.QName(payload(one["request"])).localname for one in generated("createReservation", "MaxGroup=1")}
    assert roots == {"createSingleReservation"}
    sizes = [one["request"].count("<passenger>") for one in generated("createReservation", count=100)]
    assert sorted(sizes) == list(range(1, 101))


def test_pauses_are_no_longer_than_asked_for() -> None:
    pauses = [one["pause_ms"] for one in generated("searchFlights", "MaxThinkMs=300", count=100)]
    assert 0 <= min(pauses) < 100 and 200 < max(pauses) <= 300


def test_an_answer_to_a_search_is_every_flight_of_that_day_and_pair_and_no_other() -> None:
    for one in generated("searchFlights", "ErrorPermille=0"):
        asked, answered = payload(one["request"]), payload(one["answer"])
        space = f"{{{flight_load.NAMESPACE}}}"
        origin, destination, day = (asked.findtext(f"{space}{name}") for name in ("origin", "destination", "date"))
        due = [
            DOMAIN.flights[instance.flight].number
            for instance in DOMAIN.instances
            if DOMAIN.airports[DOMAIN.flights[instance.flight].origin].code == origin
            and DOMAIN.airports[DOMAIN.flights[instance.flight].destination].code == destination
            and str(DOMAIN.date(instance.day)) == day
        ]
        assert sorted(each.text or "" for each in answered.iter(f"{space}number")) == sorted(due)


def test_a_reservation_costs_its_passengers_times_the_fare() -> None:
    space = f"{{{flight_load.NAMESPACE}}}"
    for one in generated("createMultipleReservations", "ErrorPermille=0", count=5):
        answered = payload(one["answer"])
        fares = [float(each.text or "") for each in answered.iter(f"{space}fare")]
        assert len(set(fares)) == 1 and len(fares) == one["request"].count("<passenger>")
        assert float(answered.findtext(f".//{space}total") or "") == pytest.approx(sum(fares))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_load_of_groups_up_to_100_has_the_mean_length_of_the_paper(seed: int) -> None:
    ask = flight_load.Ask(DOMAIN, dict(flight_load.DEFAULTS))
    assert flight_lengths.mean_length(ask, seed, flight_lengths.SESSIONS) == pytest.approx(5190, rel=0.01)


def test_logical_length_is_that_of_names_and_texts() -> None:
    assert flight_lengths.logical_length('<a:x xmlns:a="urn:a" bc="def">gh<i/></a:x>') == len("x" + "bc" + "gh" + "i")


@pytest.mark.parametrize("wanted", flight_lengths.PUBLISHED)
def test_the_largest_group_meets_each_mean_within_a_percent(wanted: int) -> None:
    """On a line like that of the real lengths; the real ones are measured at the paper's own size."""
    measured: list[int] = []

    def measure(group: int) -> float:
        measured.append(group)
        return 118 + 50.6 * (group + 1) * 2 * group / (2 * group + 1)

    group = flight_lengths.largest_group(measure, wanted)
    assert measure(group) == pytest.approx(wanted, rel=0.01)
    assert len(set(measured)) < 20, "each takes the time of a whole load"


def test_a_mean_that_no_group_meets_is_told() -> None:
    with pytest.raises(domain_data.SettingError, match="no largest group"):
        flight_lengths.largest_group(lambda group: 200.0 * group, 310)


@pytest.mark.parametrize(
    ("sets", "environment", "said"),
    [
        (["MaxGroup=0"], {}, "MaxGroup begins at 1"),
        (["ErrorPermille=1001"], {}, "ErrorPermille ends at 1000"),
        (["MaxGroup=x"], {}, "MaxGroup needs a whole number"),
        (["Wings=2"], {}, "no parameter 'Wings'"),
        ([], {"STEELYARD_FLIGHTS": "none"}, "flights is 'none'"),
    ],
)
def test_broken_settings_are_told_without_a_trace(sets: list[str], environment: dict[str, str], said: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        generated("searchFlights", *sets, **environment)
    assert said in failed.value.stderr and "Traceback" not in failed.value.stderr


def test_the_fixed_exchanges_keep_the_schema_and_hold_for_any_domain_data() -> None:
    paths = sorted(CONTRACT.glob("exchanges/*/*.exchange.json"))
    assert {path.parent.name for path in paths} == set(OPERATIONS) - {"createReservation"}
    for path in paths:
        one = json.loads(path.read_text())
        detail = etree.fromstring(one["answer"].encode()).find(".//{*}detail")
        if one["fault"]:
            assert detail is not None
            SCHEMA.assertValid(etree.fromstring(etree.tostring(detail[0], with_tail=False)))
        else:
            SCHEMA.assertValid(payload(one["answer"]))
