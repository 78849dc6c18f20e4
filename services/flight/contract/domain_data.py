#!/usr/bin/env python3
"""The domain data generator: airports, airlines, airplanes and flights of some days, the same for the same settings, as SQL.

What it picks from stands in data/; how, in README.md. Only the standard library is used, so that any Python can run this file.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path

DATA = Path(__file__).with_name("data")
FIRST_DAY = date(2011, 5, 2)
USE = 0.8  # of the legs that the airplanes could fly in a day, those that they do
LEGS = 5  # that an airplane could fly in a day
MOST_OF_A_PAIR = 6
SOLD_OUT = 0.02
CURRENCY = "EUR"
TAXI_MINUTES = 30
EARTH_KILOMETRES = 6371
ROWS = 500  # of one INSERT


class SettingError(Exception):
    """A setting that no data can be made with, as a sentence."""


@dataclass(frozen=True)
class Setting:
    """A setting of the generator: the bounds of a whole number, and its value where nobody says otherwise."""

    default: int
    least: int
    most: int


SETTINGS = {
    "flights": Setting(2820, 1, 10_000_000),
    "days": Setting(15, 1, 365),
    "domain_seed": Setting(1, 0, 2**31),
    "seats_times": Setting(1000, 1, 100_000),
}


def settled(given: Mapping[str, str]) -> dict[str, int]:
    """Every setting with its value: `given` by name, else by default; raises SettingError."""
    values = {}
    for name, setting in SETTINGS.items():
        text = given.get(name, str(setting.default))
        if not text.isascii() or not text.isdecimal() or not setting.least <= int(text[:20]) <= setting.most:
            raise SettingError(
                f"{name} is '{text[:40]}', but must be a whole number from {setting.least} to {setting.most}"
            )
        values[name] = int(text)
    if values["flights"] < values["days"]:
        raise SettingError(f"flights is {values['flights']}, fewer than the {values['days']} days that they are of")
    return values


def of_environment() -> dict[str, int]:
    """The settings as the lab hands them on, in STEELYARD_<NAME>; raises SettingError."""
    given = {name: os.environ.get(f"STEELYARD_{name.upper()}", "") for name in SETTINGS}
    return settled({name: value for name, value in given.items() if value})


@dataclass(frozen=True)
class Airport:
    code: str
    name: str
    city: str
    country: str
    latitude: float
    longitude: float


@dataclass(frozen=True)
class Airline:
    code: str
    name: str
    country: str


@dataclass(frozen=True)
class Aircraft:
    """A type of airplane."""

    model: str
    seats: int
    kilometres_per_hour: int


@dataclass(frozen=True)
class Airplane:
    """One machine of an airline; `aircraft` and `airline` are places in the domain's lists, as everywhere below."""

    registration: str
    aircraft: int
    airline: int


@dataclass(frozen=True)
class Flight:
    """What an airline flies day by day under one number; it leaves so many minutes after midnight (UTC)."""

    number: str
    airline: int
    origin: int
    destination: int
    departs: int
    minutes: int


@dataclass(frozen=True)
class FlightInstance:
    """A flight on one day (counted from the first); `cents` is its price."""

    flight: int
    day: int
    airplane: int
    cents: int
    sold_out: bool


class Domain:
    """All that the service's database holds at the beginning."""

    def __init__(self, settings: Mapping[str, int]) -> None:
        self.settings = dict(settings)
        self.airports = [
            Airport(*row[:4], float(row[4]), float(row[5])) for row in _rows("airports.csv", columns=6)
        ]  # fmt: skip
        self.airlines = [Airline(*row) for row in _rows("airlines.csv", columns=3)]
        self.aircraft = [Aircraft(row[0], int(row[1]), int(row[2])) for row in _rows("aircraft.csv", columns=3)]
        days, flights = settings["days"], settings["flights"]
        daily = math.ceil(flights / days)
        draw = random.Random(f"domain {settings['domain_seed']}")
        self.airplanes = self._fleet(draw, math.ceil(daily / LEGS / USE))
        self.flights = list(self._numbered(draw, daily))
        self.instances = list(self._flown(draw, daily, days, flights))

    def _fleet(self, draw: random.Random, count: int) -> list[Airplane]:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        made = []
        for place in range(count):
            tail, rest = "", place
            for _ in range(4):
                rest, letter = divmod(rest, len(letters))
                tail = letters[letter] + tail
            made.append(Airplane(f"SY-{tail}", draw.randrange(len(self.aircraft)), draw.randrange(len(self.airlines))))
        return made

    def _numbered(self, draw: random.Random, count: int) -> Iterator[Flight]:
        """Flights of picked pairs of airports, a random number of each, so that a search finds more than one."""
        made, used = 0, [0] * len(self.airlines)
        while made < count:
            origin, destination = draw.sample(range(len(self.airports)), 2)
            distance = _kilometres(self.airports[origin], self.airports[destination])
            for _ in range(min(draw.randint(1, MOST_OF_A_PAIR), count - made)):
                airline = draw.randrange(len(self.airlines))
                used[airline] += 1
                minutes = TAXI_MINUTES + round(distance / 800 * 60)
                number = f"{self.airlines[airline].code}{used[airline]:04}"
                yield Flight(number, airline, origin, destination, 5 * draw.randrange(60, 276), minutes)
                made += 1

    def _flown(self, draw: random.Random, daily: int, days: int, flights: int) -> Iterator[FlightInstance]:
        """Each day's flights, with an airplane on each: drawn legs, so that the fleet is in use as much as USE says."""
        missing = daily * days - flights  # fewer than days: the last flight is not flown on so many of them
        legs = range(LEGS * len(self.airplanes))
        prices = [2000 + 9 * flight.minutes * 10 for flight in self.flights]
        for day in range(days):
            count = daily - (day < missing)
            for flight, leg in enumerate(draw.sample(legs, count)):
                cents = prices[flight] + draw.randrange(0, prices[flight])
                sold_out = draw.random() < SOLD_OUT or (flight, day) == (0, days - 1)
                yield FlightInstance(flight, day, leg // LEGS, cents, sold_out)

    def seats(self, instance: FlightInstance) -> int:
        return self.aircraft[self.airplanes[instance.airplane].aircraft].seats * self.settings["seats_times"]

    def date(self, day: int) -> date:
        return FIRST_DAY + timedelta(days=day)

    @cached_property
    def by_route(self) -> dict[tuple[int, int, int], list[FlightInstance]]:
        """What is flown from an airport to another on a day, cheapest first."""
        found: dict[tuple[int, int, int], list[FlightInstance]] = {}
        for instance in self.instances:
            flight = self.flights[instance.flight]
            found.setdefault((flight.origin, flight.destination, instance.day), []).append(instance)
        for instances in found.values():
            instances.sort(key=lambda one: (one.cents, self.flights[one.flight].number))
        return found


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _rows(name: str, columns: int) -> list[list[str]]:
    """The rows of a file of data/; raises SettingError where one is not as the others are."""
    try:
        with (DATA / name).open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
    except OSError as error:
        raise SettingError(f"{DATA / name} cannot be read: {error.strerror}") from None
    for line, row in enumerate(rows, 2):
        if len(row) != columns or not all(row):
            raise SettingError(f"{DATA / name}, line {line}: there are {len(row)} values, and {columns} are due")
    return rows


def _kilometres(one: Airport, other: Airport) -> float:
    """The great circle between two airports, by the haversine formula."""
    south, north = math.radians(one.latitude), math.radians(other.latitude)
    across = math.sin((north - south) / 2) ** 2
    along = math.sin(math.radians(other.longitude - one.longitude) / 2) ** 2
    return 2 * EARTH_KILOMETRES * math.asin(math.sqrt(across + math.cos(south) * math.cos(north) * along))


TABLES = """
CREATE TABLE domain_root (id BIGINT PRIMARY KEY, version INTEGER NOT NULL, reservations_made BIGINT NOT NULL);
CREATE TABLE airline (id BIGINT PRIMARY KEY, code VARCHAR(2) NOT NULL UNIQUE, name VARCHAR(80) NOT NULL,
  country VARCHAR(2) NOT NULL, root_id BIGINT NOT NULL REFERENCES domain_root (id));
CREATE TABLE airport (id BIGINT PRIMARY KEY, code VARCHAR(3) NOT NULL UNIQUE, name VARCHAR(80) NOT NULL,
  city VARCHAR(80) NOT NULL, country VARCHAR(2) NOT NULL, latitude NUMERIC(6, 2) NOT NULL, longitude NUMERIC(6, 2) NOT NULL,
  root_id BIGINT NOT NULL REFERENCES domain_root (id));
CREATE TABLE aircraft (id BIGINT PRIMARY KEY, model VARCHAR(80) NOT NULL, seats INTEGER NOT NULL,
  kilometres_per_hour INTEGER NOT NULL);
CREATE TABLE airplane (id BIGINT PRIMARY KEY, registration VARCHAR(12) NOT NULL UNIQUE,
  aircraft_id BIGINT NOT NULL REFERENCES aircraft (id), airline_id BIGINT NOT NULL REFERENCES airline (id));
CREATE TABLE flight (id BIGINT PRIMARY KEY, number VARCHAR(12) NOT NULL UNIQUE,
  airline_id BIGINT NOT NULL REFERENCES airline (id), origin_id BIGINT NOT NULL REFERENCES airport (id),
  destination_id BIGINT NOT NULL REFERENCES airport (id), departs_minute INTEGER NOT NULL, flown_minutes INTEGER NOT NULL);
CREATE TABLE flight_instance (id BIGINT PRIMARY KEY, version INTEGER NOT NULL, flight_id BIGINT NOT NULL REFERENCES flight (id),
  flown_on DATE NOT NULL, airplane_id BIGINT NOT NULL REFERENCES airplane (id), price NUMERIC(10, 2) NOT NULL,
  currency VARCHAR(3) NOT NULL, seats INTEGER NOT NULL, taken INTEGER NOT NULL, UNIQUE (flight_id, flown_on));
CREATE TABLE reservation (id BIGINT PRIMARY KEY, version INTEGER NOT NULL, code VARCHAR(13) NOT NULL UNIQUE,
  reference VARCHAR(200) NOT NULL, flight_instance_id BIGINT NOT NULL REFERENCES flight_instance (id),
  total NUMERIC(14, 2) NOT NULL, currency VARCHAR(3) NOT NULL);
CREATE TABLE passenger (id BIGINT PRIMARY KEY, reservation_id BIGINT NOT NULL REFERENCES reservation (id),
  first_name VARCHAR(200) NOT NULL, last_name VARCHAR(200) NOT NULL, birth_date DATE NOT NULL,
  nationality VARCHAR(2) NOT NULL, passport VARCHAR(20) NOT NULL, passport_expires DATE NOT NULL,
  email VARCHAR(200) NOT NULL, phone VARCHAR(40) NOT NULL, street VARCHAR(200) NOT NULL, city VARCHAR(200) NOT NULL,
  bags INTEGER NOT NULL);
"""

# The service draws ids by the block and keeps what is left of one: restored while it runs, ids begin where no block of it was.
SEQUENCES = """
CREATE SEQUENCE reservation_seq START WITH {first} INCREMENT BY 50;
CREATE SEQUENCE passenger_seq START WITH {first} INCREMENT BY 100;
"""
IDS_OF_A_STATE = 10**12

INDEXES = """
CREATE INDEX flight_by_route ON flight (origin_id, destination_id);
CREATE INDEX passenger_by_reservation ON passenger (reservation_id);
"""


def statements(domain: Domain, restored: int = 0) -> Iterator[str]:
    """The SQL that makes the database's starting state, in the common tongue of H2, PostgreSQL and MariaDB; ids are places plus 1.

    `restored` says how often that was done before with the same service running.
    """
    yield TABLES
    yield SEQUENCES.format(first=restored * IDS_OF_A_STATE + 1)
    yield "INSERT INTO domain_root VALUES (1, 0, 0);\n"
    airlines = ((one.code, one.name, one.country, 1) for one in domain.airlines)
    yield from _inserts("airline", airlines)
    airports = ((one.code, one.name, one.city, one.country, one.latitude, one.longitude, 1) for one in domain.airports)
    yield from _inserts("airport", airports)
    yield from _inserts("aircraft", ((one.model, one.seats, one.kilometres_per_hour) for one in domain.aircraft))
    yield from _inserts("airplane", ((one.registration, one.aircraft + 1, one.airline + 1) for one in domain.airplanes))
    flights = (
        (one.number, one.airline + 1, one.origin + 1, one.destination + 1, one.departs, one.minutes)
        for one in domain.flights
    )
    yield from _inserts("flight", flights)
    yield from _inserts("flight_instance", _instances(domain))
    yield INDEXES


def _instances(domain: Domain) -> Iterator[Sequence[object]]:
    for one in domain.instances:
        seats = domain.seats(one)
        taken = seats if one.sold_out else 0
        yield 0, one.flight + 1, domain.date(one.day), one.airplane + 1, money(one.cents), CURRENCY, seats, taken


def _inserts(table: str, rows: Iterable[Sequence[object]]) -> Iterator[str]:
    written: list[str] = []
    for identity, row in enumerate(rows, 1):
        written.append(f"({identity}, {', '.join(map(_literal, row))})")
        if len(written) == ROWS:
            yield f"INSERT INTO {table} VALUES\n" + ",\n".join(written) + ";\n"
            written.clear()
    if written:
        yield f"INSERT INTO {table} VALUES\n" + ",\n".join(written) + ";\n"


def _literal(value: object) -> str:
    if isinstance(value, int | float):
        return str(value)
    text = str(value).replace("'", "''")
    return f"'{text}'"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Prints the SQL that makes the starting state of the service flight.")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=", ".join(SETTINGS))
    given = dict(word.partition("=")[::2] for word in parser.parse_args(arguments).set)
    try:
        unknown = sorted(given.keys() - SETTINGS.keys())
        if unknown:
            raise SettingError(f"there is no setting '{unknown[0][:40]}'; there are {', '.join(SETTINGS)}")
        settings = settled(given) if given else of_environment()
        restored = int(os.environ.get("STEELYARD_RESTORED") or 0)  # the lab's own count
        sys.stdout.writelines(statements(Domain(settings), restored))
    except SettingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
