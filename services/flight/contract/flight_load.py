#!/usr/bin/env python3
"""The load generator: prints exchanges of the service flight from a seed, one JSON object a line, for the data of domain_data.py.

The answers follow from the request and the domain data (README.md), never from a server. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from xml.sax.saxutils import escape

import domain_data
from domain_data import CURRENCY, Domain, FlightInstance, SettingError, money

NAMESPACE = "urn:steelyard:flight"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
DEFAULTS = {"MaxGroup": 100, "ErrorPermille": 125, "MaxThinkMs": 0}

FIRST_NAMES = [
    "Ada",
    "Bruno",
    "Carla",
    "Diogo",
    "Elena",
    "Filipe",
    "Greta",
    "Henrik",
    "Ines",
    "Jonas",
    "Katya",
    "Luis",
    "Marta",
    "Nuno",
    "Olga",
    "Pedro",
    "Rosa",
    "Sofia",
    "Tomas",
    "Vera",
]
LAST_NAMES = [
    "Almeida",
    "Bergmann",
    "Castro",
    "Dubois",
    "Eriksen",
    "Ferreira",
    "Garcia",
    "Hoffmann",
    "Ivanova",
    "Jansen",
    "Kowalski",
    "Lindgren",
    "Moreira",
    "Novak",
    "Oliveira",
]
COUNTRIES = [
    "AT",
    "BE",
    "CH",
    "CZ",
    "DE",
    "DK",
    "ES",
    "FI",
    "FR",
    "GB",
    "GR",
    "HU",
    "IE",
    "IT",
    "NL",
    "NO",
    "PL",
    "PT",
    "RO",
    "SE",
]
STREETS = [
    "Avenida da Liberdade",
    "Baker's Row",
    "Calle del Prado",
    "Domstrasse",
    "Kanalgatan",
    "Marktplatz",
    "Quai des Brumes",
    "Via Garibaldi",
]
CITIES = [
    "Aveiro",
    "Bruges",
    "Coimbra",
    "Dresden",
    "Evora",
    "Ghent",
    "Leiria",
    "Malmo",
    "Odense",
    "Siena",
    "Turku",
    "Utrecht",
]


@dataclass(frozen=True)
class Passenger:
    """Who travels: the values of the message, in its order."""

    first_name: str
    last_name: str
    birth_date: date
    nationality: str
    passport: str
    passport_expires: date
    email: str
    phone: str
    street: str
    city: str
    bags: int

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"

    def xml(self) -> str:
        values = (
            ("firstName", self.first_name),
            ("lastName", self.last_name),
            ("birthDate", self.birth_date),
            ("nationality", self.nationality),
            ("passport", self.passport),
            ("passportExpires", self.passport_expires),
            ("email", self.email),
            ("phone", self.phone),
            ("street", self.street),
            ("city", self.city),
            ("bags", self.bags),
        )
        return f"<passenger>{''.join(element(name, value) for name, value in values)}</passenger>"


@dataclass(frozen=True)
class Ask:
    """What all exchanges are made of: the domain, and the service's parameters by name."""

    domain: Domain
    parameters: dict[str, int]


def element(name: str, value: object, attributes: str = "") -> str:
    text = escape(str(value), {"\r": "&#13;"})
    return f"<{name}{attributes}>{text}</{name}>"


def envelope(content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="{SOAP}"><s:Body>{content}</s:Body></s:Envelope>'


def message(root: str, *values: tuple[str, object], inside: str = "") -> str:
    content = "".join(element(name, value) for name, value in values)
    return envelope(f'<{root} xmlns="{NAMESPACE}">{content}{inside}</{root}>')


FAULT = envelope("<s:Fault><faultcode>s:Server</faultcode><faultstring>due</faultstring></s:Fault>")


def price(name: str, cents: int) -> str:
    return element(name, money(cents), f' currency="{CURRENCY}"')


def exchange(operation: str, request: str, answer: str, reference: str, **more: object) -> dict[str, object]:
    fault = answer == FAULT
    due = {"operation": operation, "request": request, "answer": answer, "marker": None if fault else reference}
    return {**due, "fault": fault, "safe": operation == "searchFlights", **more}


def passenger(draw: random.Random) -> Passenger:
    first, last = draw.choice(FIRST_NAMES), draw.choice(LAST_NAMES)
    number = draw.randrange(10**8, 10**9)
    return Passenger(
        first_name=first,
        last_name=last,
        birth_date=date(1931, 1, 1) + timedelta(days=draw.randrange(25_000)),
        nationality=draw.choice(COUNTRIES),
        passport=f"P{number}",
        passport_expires=date(2012, 1, 1) + timedelta(days=draw.randrange(3_000)),
        email=f"{first}.{last}.{number % 1000}@post.example".lower(),
        phone=f"+{draw.randrange(30, 50)} {draw.randrange(10**8, 10**9)}",
        street=f"{draw.choice(STREETS)} {draw.randrange(1, 200)}",
        city=draw.choice(CITIES),
        bags=draw.randrange(3),
    )


def reference(draw: random.Random) -> str:
    return f"ref{draw.getrandbits(64):016x}"


def bookable(draw: random.Random, domain: Domain) -> FlightInstance:
    """A flight instance that has seats."""
    while True:
        one = draw.choice(domain.instances)
        if not one.sold_out:
            return one


def search(ask: Ask, draw: random.Random, wrong: bool) -> dict[str, object]:
    """A search of the flights of a day between two airports that have some; a wrong one names an airport that is none."""
    domain, name = ask.domain, reference(draw)
    picked = draw.choice(domain.instances)
    flight = domain.flights[picked.flight]
    origin, destination = (domain.airports[place].code for place in (flight.origin, flight.destination))
    asked_origin = "QQQ" if wrong else origin
    request = message(
        "searchFlights",
        ("reference", name),
        ("origin", asked_origin),
        ("destination", destination),
        ("date", domain.date(picked.day)),
    )
    offers = domain.by_route[flight.origin, flight.destination, picked.day]
    found = element("reference", name) + "".join(offer(domain, one) for one in offers)
    answer = message("searchFlightsResponse", inside=f"<flights>{found}</flights>")
    pause = draw.randrange(ask.parameters["MaxThinkMs"] + 1)
    return exchange("searchFlights", request, FAULT if wrong else answer, name, pause_ms=pause)


def offer(domain: Domain, one: FlightInstance) -> str:
    """A flight as an answer of searchFlights shows it."""
    flight = domain.flights[one.flight]
    values = (
        ("number", flight.number),
        ("airline", domain.airlines[flight.airline].name),
        ("origin", domain.airports[flight.origin].code),
        ("destination", domain.airports[flight.destination].code),
        ("departure", instant(domain.date(one.day), flight.departs)),
        ("arrival", instant(domain.date(one.day), flight.departs + flight.minutes)),
        ("aircraft", domain.aircraft[domain.airplanes[one.airplane].aircraft].model),
    )
    inside = "".join(element(name, value) for name, value in values)
    return f"<flight>{inside}{price('price', one.cents)}</flight>"


def instant(day: date, minute: int) -> str:
    days, minute = divmod(minute, 24 * 60)
    return f"{day + timedelta(days=days)}T{minute // 60:02}:{minute % 60:02}:00Z"


def reserved(operation: str, domain: Domain, one: FlightInstance, name: str, group: list[Passenger]) -> str:
    """The answer to a reservation; its code is the service's own."""
    values = (
        ("reference", name),
        ("code", f"{{{{hole:code_{name}}}}}"),
        ("flight", domain.flights[one.flight].number),
        ("date", domain.date(one.day)),
    )
    tickets = "".join(f"<ticket>{element('passenger', each.name)}{price('fare', one.cents)}</ticket>" for each in group)
    inside = "".join(element(key, value) for key, value in values) + price("total", one.cents * len(group)) + tickets
    return message(f"{operation}Response", inside=f"<reservation>{inside}</reservation>")


def unknown_flight(
    draw: random.Random, ask: Ask, one: FlightInstance, group: list[Passenger]
) -> tuple[str, FlightInstance, list[Passenger]]:
    del draw, ask
    return "QQ0000", one, group


def full_flight(
    draw: random.Random, ask: Ask, one: FlightInstance, group: list[Passenger]
) -> tuple[str, FlightInstance, list[Passenger]]:
    del one
    full = draw.choice([each for each in ask.domain.instances if each.sold_out])
    return ask.domain.flights[full.flight].number, full, group


def bad_passenger(
    draw: random.Random, ask: Ask, one: FlightInstance, group: list[Passenger]
) -> tuple[str, FlightInstance, list[Passenger]]:
    place = draw.randrange(len(group))
    expired = replace(group[place], passport_expires=ask.domain.date(0) - timedelta(days=1))
    return ask.domain.flights[one.flight].number, one, [*group[:place], expired, *group[place + 1 :]]


ERRORS: tuple[Callable[..., tuple[str, FlightInstance, list[Passenger]]], ...] = (
    unknown_flight,
    full_flight,
    bad_passenger,
)


def reservation(ask: Ask, draw: random.Random, size: int, wrong: bool, operation: str) -> dict[str, object]:
    """A reservation on a flight that has seats, for a group; a wrong one has one of ERRORS."""
    domain, name = ask.domain, reference(draw)
    one, group = bookable(draw, domain), [passenger(draw) for _ in range(size)]
    number = domain.flights[one.flight].number
    if wrong:
        number, one, group = draw.choice(ERRORS)(draw, ask, one, group)
    root = "createSingleReservation" if size == 1 else "createMultipleReservations"
    asked = (("reference", name), ("flight", number), ("date", domain.date(one.day)))
    request = message(root, *asked, inside="".join(each.xml() for each in group))
    answer = FAULT if wrong else reserved(root, domain, one, name, group)
    return exchange(operation, request, answer, name)


def low_price(ask: Ask, draw: random.Random, wrong: bool) -> dict[str, object]:
    """A reservation of the cheapest flight of a day that has seats; a wrong one is for a day of which there are no flights."""
    domain, name, who = ask.domain, reference(draw), passenger(draw)
    picked = domain.flights[bookable(draw, domain).flight]
    days = [one.day for one in domain.instances if domain.flights[one.flight] == picked and not one.sold_out]
    day = draw.choice(days)
    cheapest = next(one for one in domain.by_route[picked.origin, picked.destination, day] if not one.sold_out)
    asked = (
        ("reference", name),
        ("origin", domain.airports[picked.origin].code),
        ("destination", domain.airports[picked.destination].code),
        ("date", domain.date(-1) if wrong else domain.date(day)),
    )
    operation = "createLowPriceReservation"
    answer = FAULT if wrong else reserved(operation, domain, cheapest, name, [who])
    return exchange(operation, message(operation, *asked, inside=who.xml()), answer, name)


def group_sizes(seed: int, count: int, most: int) -> list[int]:
    """Sizes of the groups that make a reservation, uniform from 1 to `most`: one from each of `count` equal parts of that range,
    in random order, so that a small number of sessions has the mean of a large one."""
    draw = random.Random(f"groups {seed}")
    sizes = [1 + int((place + draw.random()) / count * most) for place in range(count)]
    draw.shuffle(sizes)
    return sizes


def mistakes(operation: str, seed: int, count: int, permille: int) -> list[bool]:
    """Which requests are wrong: the share asked for, as nearly as their number allows, at random places."""
    draw = random.Random(f"mistakes {operation} {seed}")
    wrong = [place < round(count * permille / 1000) for place in range(count)]
    draw.shuffle(wrong)
    return wrong


def exchanges(ask: Ask, operation: str, seed: int, count: int) -> Iterator[dict[str, object]]:
    """`count` exchanges as dictionaries of the model Exchange. Search and reservation of one session have one link."""
    wrong = mistakes(operation, seed, count, ask.parameters["ErrorPermille"])
    sizes = group_sizes(seed, count, ask.parameters["MaxGroup"])
    draw = random.Random(f"{operation} {seed}")
    for place in range(count):
        if operation == "searchFlights":
            yield search(ask, draw, wrong[place]) | {"link": place}
        elif operation == "createReservation":
            yield reservation(ask, draw, sizes[place], wrong[place], operation) | {"link": place}
        elif operation == "createSingleReservation":
            yield reservation(ask, draw, 1, wrong[place], operation)
        elif operation == "createMultipleReservations":
            yield reservation(ask, draw, max(2, sizes[place]), wrong[place], operation)
        else:
            yield low_price(ask, draw, wrong[place])


OPERATIONS = (
    *("searchFlights", "createLowPriceReservation", "createSingleReservation", "createMultipleReservations"),
    "createReservation",
)


def parameter(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if name not in DEFAULTS:
        raise argparse.ArgumentTypeError(f"no parameter {name!r}; there are {', '.join(DEFAULTS)}")
    if not (value.isascii() and value.isdecimal()):
        raise argparse.ArgumentTypeError(f"{name} needs a whole number from 0 on, not {value[:40]!r}")
    return name, int(value)


def asked_of(parameters: dict[str, int]) -> Ask:
    """The domain of the environment's settings with these parameters; raises SettingError."""
    ask = Ask(Domain(domain_data.of_environment()), DEFAULTS | parameters)
    if ask.parameters["MaxGroup"] < 1 or ask.parameters["ErrorPermille"] > 1000:
        raise SettingError("MaxGroup begins at 1, and ErrorPermille ends at 1000")
    return ask


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Prints random exchanges of flight, one JSON object a line.")
    parser.add_argument("--operation", required=True, choices=OPERATIONS)
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--count", required=True, type=int)
    parser.add_argument("--set", dest="parameters", action="append", default=[], type=parameter, metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    try:
        ask = asked_of(dict(options.parameters))
        for made in exchanges(ask, options.operation, options.seed, options.count):
            print(json.dumps(made, ensure_ascii=True))
    except SettingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
