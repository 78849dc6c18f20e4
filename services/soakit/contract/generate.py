#!/usr/bin/env python3
"""Prints random exchanges of the service soakit, one JSON object a line, the same for the same seed.

The documents keep the schemas and have the counts asked for, exactly; the answers follow from them (README.md), never from a
server. Lines are printed as they are made, so that a corpus of any size passes through in little memory. Only the standard
library is used, so that any Python can run this file.
"""

# ruff: noqa: E501  what is one element stays on one line
from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import buffet_rules
import header_parts

SPACE = "urn:steelyard:soakit"
CARRIAGES, STYLES = ("kit", "xml", "string"), ("wrapped", "bare", "rpc")
KIT_CARRIAGE = {"tv-dinner": "string", "sushi-boats": "string", "buffet": "xml"}
DEFAULTS = {"Lines": 10, "Sublines": 10, "Stories": 5, "Parts": 10}

WORDS = (
    *("amber", "anchor", "basin", "beacon", "bridge", "canal", "cargo", "cedar", "chart", "coast", "copper", "cotton", "crane"),
    *("current", "delta", "dock", "engine", "fabric", "field", "flint", "forest", "garden", "granite", "harbour", "hill", "hull"),
    *("island", "ivory", "keel", "ladder", "lantern", "ledger", "linen", "market", "meadow", "mill", "mirror", "north", "oak"),
    *("orchard", "paper", "pilot", "port", "quarry", "rail", "ridge", "river", "sail", "silver", "signal", "south", "station"),
    *("stone", "storm", "timber", "tower", "valley", "vessel", "village", "west", "wheel", "winter", "wire", "yard"),
)  # fmt: skip
PARTS = (
    "Bearing",
    "Brake pad",
    "Camshaft",
    "Clutch",
    "Filter",
    "Gasket",
    "Hose",
    "Nut & bolt",
    "Piston",
    "Pump",
    "Seal",
    "Valve",
)
MAKERS = ("Albion Works", "Brandt & Sons", "Corvin", "Delacroix", "Eberhard", "Fontana", "Gruber", "Hanover Steel")
CITIES = ("Basel", "Bristol", "Chicago", "Genoa", "Graz", "Lyon", "Nagoya", "Poznan", "Toronto", "Ulm")
COUNTRIES = ("CH", "GB", "US", "IT", "AT", "FR", "JP", "PL", "CA", "DE")
GIVEN = ("Ada", "Bruno", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas")
FAMILY = ("Abel", "Berger", "Conti", "Dupont", "Evans", "Frank", "Gibson", "Hofer", "Ito", "Jansen")
UNITS = ("each", "box", "kilogram", "litre", "metre", "x-pallet", "x-reel")
PRIORITIES = ("Urgent", "Normal", "Stock", "1", "5", "9")
CURRENCIES = ("CHF", "EUR", "GBP", "JPY", "USD")
TOPICS = ("arts", "cities", "climate", "health", "markets", "science", "sport", "travel")
LANGUAGES = ("de", "en-GB", "fr", "ja", "pl")


class Made(NamedTuple):
    """A document and its answer's, as text without an XML declaration, and a marker that only this answer holds."""

    request: str
    answer: str
    marker: str


@dataclass(frozen=True)
class UseCase:
    """How a use case is asked: the elements of its messages, where documents go as XML, and how they are made."""

    element: str
    path: str
    make: Callable[[random.Random, dict[str, int]], Made]


def escaped(text: str) -> str:
    """Text as XML; a carriage return survives only as a reference."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def mark(rng: random.Random) -> str:
    return f"mark{rng.getrandbits(64):016x}"


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def party(rng: random.Random, kind: str, name: str, telephones: int) -> str:
    """A party of a kind, by xsi:type, reached by so many telephones and one mailbox."""
    place = rng.randrange(10)
    given, family = rng.choice(GIVEN), rng.choice(FAMILY)
    dock = rng.random() < 0.5
    own = (
        f"<c:Dock>D{rng.randrange(1, 40)}</c:Dock>"
        if dock
        else f"<c:AddressLine>{rng.randrange(1, 200)} {rng.choice(WORDS).title()} Street</c:AddressLine>"
    )
    numbers = "".join(
        f'<c:Telephone means="{rng.choice(("office", "mobile"))}"><c:Number>+{rng.randrange(10**9, 10**11)}</c:Number></c:Telephone>'
        for _ in range(telephones)
    )
    last = {
        "BuyerParty": "<c:CostCentre>CC-17</c:CostCentre>",
        "SupplierParty": f"<c:Rating>{rng.randrange(50, 100)}.5</c:Rating>",
    }
    return (
        f'<o:Party xsi:type="c:{kind}"><c:PartyId scheme="own">P-{rng.randrange(10**6):06d}</c:PartyId><c:Name>{escaped(name)}</c:Name>'
        f'<c:Address xsi:type="c:{"DockAddress" if dock else "StreetAddress"}"><c:City>{CITIES[place]}</c:City>'
        f"<c:PostalCode>{rng.randrange(1000, 99999)}</c:PostalCode><c:Country>{COUNTRIES[place]}</c:Country>{own}</c:Address>"
        f"<c:Contact><c:Person><c:Given>{given}</c:Given><c:Family>{family}</c:Family></c:Person>{numbers}"
        f"<c:Mail><c:Mailbox>{given.lower()}.{family.lower()}@example.com</c:Mailbox></c:Mail></c:Contact>{last.get(kind, '')}</o:Party>"
    )


def subline(rng: random.Random, number: int, currency: str) -> tuple[str, int, int, bool]:
    """A subline; its quantity, its amount in cents, and whether it is a kit."""
    quantity, cents = rng.randrange(1, 500), rng.randrange(100, 90_000)
    draw = rng.random()
    kit = draw < 0.25
    name = PARTS[int(draw * 4096) % len(PARTS)]
    unit = UNITS[int(draw * 65536) % len(UNITS)]
    place = int(draw * 1048576) % 10
    if kit:
        item = "".join(
            f'<o:Component><o:ItemId scheme="sku">SKU-{rng.randrange(10**6):06d}</o:ItemId><o:Count>{count}</o:Count></o:Component>'
            for count in (1, 2, 4)
        )
    else:
        item = (
            f"<o:Manufacturer>{escaped(MAKERS[number % len(MAKERS)])}</o:Manufacturer><o:Specification><o:Property>length</o:Property>"
            f"<o:Value>{quantity + 7} mm</o:Value></o:Specification><o:Specification><o:Property>finish</o:Property>"
            f"<o:Value>{rng.choice(WORDS)}</o:Value></o:Specification>"
        )
    freight = rng.randrange(0, 5_000) if draw > 0.4 else -1
    discount = rng.randrange(0, 100) if draw > 0.7 else -1
    charges = ""
    if freight >= 0:
        charges += f'<o:Freight terms="prepaid"><o:Amount currency="{currency}">{money(freight)}</o:Amount></o:Freight>'
    if discount >= 0:
        charges += (
            f'<o:Discount><o:Amount currency="{currency}">{money(discount)}</o:Amount>'
            f'<o:Reason author="sales" c:language="en">{rng.choice(WORDS)} campaign</o:Reason></o:Discount>'
        )
    day = 1 + number % 28
    text = (
        f'<o:Subline><o:SublineNumber>{number}</o:SublineNumber><o:Item xsi:type="o:{"KitItem" if kit else "PartItem"}">'
        f'<o:ItemId scheme="sku">SKU-{rng.randrange(10**6):06d}</o:ItemId><o:Description c:language="en">{escaped(name)}, {rng.choice(WORDS)}'
        f"</o:Description>{item}</o:Item>"
        f'<o:Quantity unit="{unit}">{quantity}</o:Quantity><o:Price><o:Amount currency="{currency}">{money(cents)}</o:Amount>'
        f'<o:Per unit="{unit}">1</o:Per></o:Price>'
        f'<o:Tax kind="value-added"><o:Rate>{5 + number % 18}.5</o:Rate><o:Jurisdiction>{COUNTRIES[place]}</o:Jurisdiction></o:Tax>{charges}'
        f"<o:Delivery><o:Needed><c:From>2005-0{1 + number % 9}-{day:02d}</c:From></o:Needed>"
        f'<o:To xsi:type="c:StreetAddress"><c:City>{CITIES[place]}</c:City><c:PostalCode>{10000 + int(draw * 89999)}</c:PostalCode>'
        f"<c:Country>{COUNTRIES[place]}</c:Country><c:AddressLine>{1 + int(draw * 200)} {rng.choice(WORDS).title()} Road</c:AddressLine></o:To>"
        f'<o:Instruction author="dispatch">{rng.choice(WORDS)} {rng.choice(WORDS)} gate</o:Instruction></o:Delivery>'
        f'<o:UserArea><dealer:Bin xmlns:dealer="urn:example:dealer" shelf="{number}">{rng.choice(WORDS)}</dealer:Bin></o:UserArea></o:Subline>'
    )
    return text, quantity, quantity * cents + max(freight, 0) - max(discount, 0), kit


def tv_dinner(rng: random.Random, sizes: dict[str, int]) -> Made:
    """An order of `Lines` lines, each of `Sublines` sublines, and its acknowledgement."""
    marker, order_id = mark(rng), f"PO-{rng.randrange(10**9):09d}"
    buyer, priority, currency = f"{rng.choice(WORDS).title()} Motors", rng.choice(PRIORITIES), rng.choice(CURRENCIES)
    telephones = rng.randrange(0, 4)
    lines, acknowledged, total = [], [], 0
    for line in range(1, sizes["Lines"] + 1):
        made = [subline(rng, number, currency) for number in range(1, sizes["Sublines"] + 1)]
        amount = sum(one[2] for one in made)
        total += amount
        lines.append(
            f"<o:Line><o:LineNumber>{line}</o:LineNumber><o:Customer><c:Document>{order_id}</c:Document><c:Line>{line}</c:Line></o:Customer>"
            f'<o:Note author="buyer" c:language="en">{words(rng, 6)}</o:Note>{"".join(one[0] for one in made)}</o:Line>'
        )
        acknowledged.append(
            f"<o:Line><o:LineNumber>{line}</o:LineNumber><o:Sublines>{len(made)}</o:Sublines><o:Kits>{sum(one[3] for one in made)}</o:Kits>"
            f"<o:Quantity>{sum(one[1] for one in made)}</o:Quantity><o:Amount>{money(amount)}</o:Amount></o:Line>"
        )
    parties = (
        party(rng, "BuyerParty", buyer, telephones)
        + party(rng, "SupplierParty", rng.choice(MAKERS), 0)
        + party(rng, "ReceiverParty", buyer, 0)
    )
    request = (
        '<o:ProcessPurchaseOrder xmlns:o="urn:steelyard:soakit:order" xmlns:c="urn:steelyard:soakit:common" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" release="1.0" environment="Production"><o:ApplicationArea><o:Sender>'
        '<o:LogicalId scheme="own">dealer-7</o:LogicalId><o:Component>parts</o:Component></o:Sender><o:Created>2005-06-01T08:30:00Z</o:Created>'
        f'<o:DocumentId>{marker}</o:DocumentId></o:ApplicationArea><o:DataArea><o:Process><o:Expression action="Add">/PurchaseOrder</o:Expression>'
        f"</o:Process><o:PurchaseOrder><o:Header><o:OrderId>{order_id}</o:OrderId><o:Ordered>2005-06-01</o:Ordered><o:Priority>{priority}"
        f"</o:Priority>{parties}<o:PaymentTerm><o:Days>30</o:Days><o:Discount>2</o:Discount></o:PaymentTerm>{header_parts.further(rng, currency)}</o:Header>{''.join(lines)}"
        "</o:PurchaseOrder></o:DataArea></o:ProcessPurchaseOrder>"
    )
    answer = (
        f'<o:AcknowledgePurchaseOrder xmlns:o="urn:steelyard:soakit:order"><o:Original>{marker}</o:Original><o:DataArea><o:Acknowledge>'
        f"<o:Response>{'Accepted' if lines else 'Empty'}</o:Response></o:Acknowledge><o:PurchaseOrder><o:OrderId>{order_id}</o:OrderId>"
        f"<o:Buyer>{escaped(buyer)}</o:Buyer><o:Priority>{priority}</o:Priority><o:Telephones>{telephones}</o:Telephones>{''.join(acknowledged)}"
        f"<o:Amount>{money(total)}</o:Amount></o:PurchaseOrder></o:DataArea></o:AcknowledgePurchaseOrder>"
    )
    return Made(request, answer, marker)


def story(rng: random.Random, number: int) -> tuple[str, str, str]:
    """A story, its topic, and what the digest says of it where it is kept."""
    topic = TOPICS[rng.randrange(8)]
    headline = words(rng, 6).capitalize() + (" & more" if number % 7 == 0 else "")
    paragraphs = [words(rng, 45).capitalize() + "." for _ in range(4)]
    priority = str(rng.randrange(1, 10)) if rng.random() < 0.5 else ""
    language = rng.choice(LANGUAGES) if rng.random() < 0.5 else ""
    identity = f"story-{rng.getrandbits(40):010x}"
    attributes = f'id="{identity}" topic="{topic}"'
    attributes += f' priority="{priority}"' if priority else ""
    attributes += f' c:language="{language}"' if language else ""
    body = "".join(f"<n:Paragraph>{paragraph}</n:Paragraph>" for paragraph in paragraphs)
    text = (
        f"<n:Story {attributes}><n:Headline>{escaped(headline)}</n:Headline><n:Byline>{rng.choice(GIVEN)} {rng.choice(FAMILY)}</n:Byline>"
        f"<n:Published>2005-0{1 + number % 9}-{1 + number % 28:02d}T0{number % 10}:15:00Z</n:Published><n:Body>{body}</n:Body></n:Story>"
    )
    kept = (
        f"<n:Kept><n:StoryId>{identity}</n:StoryId><n:Headline>{escaped(headline)}</n:Headline>"
        + (f"<n:Priority>{priority}</n:Priority>" if priority else "")
        + (f"<n:Language>{language}</n:Language>" if language else "")
        + f"<n:Characters>{sum(map(len, paragraphs))}</n:Characters></n:Kept>"
    )
    return text, topic, kept


def sushi_boats(rng: random.Random, sizes: dict[str, int]) -> Made:
    """A posting of `Stories` stories to a portal with two interests, and the digest of those kept."""
    marker, interests = mark(rng), rng.sample(TOPICS, 2)
    stories = [story(rng, number) for number in range(1, sizes["Stories"] + 1)]
    request = (
        f'<n:NewsPosting xmlns:n="urn:steelyard:soakit:news" xmlns:c="urn:steelyard:soakit:common" id="{marker}"><n:Interests>'
        f"{''.join(f'<n:Topic>{topic}</n:Topic>' for topic in interests)}</n:Interests>{''.join(one[0] for one in stories)}</n:NewsPosting>"
    )
    answer = (
        f'<n:NewsDigest xmlns:n="urn:steelyard:soakit:news"><n:Posting>{marker}</n:Posting><n:Stories>{len(stories)}</n:Stories>'
        f"{''.join(kept for _, topic, kept in stories if topic in interests)}</n:NewsDigest>"
    )
    return Made(request, answer, marker)


def buffet(rng: random.Random, sizes: dict[str, int]) -> Made:
    """An order of `Parts` parts, about one element in twenty of which breaks its rule, and its validation."""
    marker = mark(rng)
    header = {
        "OrderNumber": f"ORD-{rng.randrange(10**8):08d}", "Customer": marker, "Mail": f"{rng.choice(GIVEN).lower()}@{rng.choice(WORDS)}.example.com",
        "Country": rng.choice(COUNTRIES), "Currency": rng.choice(CURRENCIES), "OrderDate": "2005-06-01",
    }  # fmt: skip
    parts = []
    for number in range(1, sizes["Parts"] + 1):
        quantity, cents = rng.randrange(1, 10_000), rng.randrange(1, 100_000)
        part = {
            "Number": str(number), "Sku": f"{rng.choice(WORDS)[:3].upper()}-{rng.randrange(10**5):05d}", "Description": f"{rng.choice(PARTS)}, {rng.choice(WORDS)}",
            "Quantity": str(quantity), "Unit": rng.choice(buffet_rules.UNITS), "UnitPrice": money(cents), "Total": money(quantity * cents),
            "NeededBy": f"2005-{rng.randrange(7, 13):02d}-{rng.randrange(1, 29):02d}", "Warehouse": f"W{rng.randrange(100):02d}",
        }  # fmt: skip
        for name in part:
            if rng.random() < 0.05:
                part[name] = rng.choice(buffet_rules.BROKEN[name])
        parts.append(part)
    return Made(buffet_order(header, parts), buffet_answer(header, parts), marker)


def buffet_order(header: dict[str, str], parts: Sequence[dict[str, str]]) -> str:
    def elements(values: dict[str, str]) -> str:
        return "".join(f"<b:{name}>{escaped(value)}</b:{name}>" for name, value in values.items())

    return (
        f'<b:Order xmlns:b="urn:steelyard:soakit:buffet"><b:Header>{elements(header)}</b:Header><b:Parts>'
        f"{''.join(f'<b:Part>{elements(part)}</b:Part>' for part in parts)}</b:Parts></b:Order>"
    )


def buffet_answer(header: dict[str, str], parts: Sequence[dict[str, str]]) -> str:
    found = "".join(
        f"<b:Violation><b:Part>{place}</b:Part><b:Element>{name}</b:Element><b:Value>{escaped(value)}</b:Value></b:Violation>"
        for place, name, value in buffet_rules.violations(header, parts)
    )
    return (
        f'<b:Validation xmlns:b="urn:steelyard:soakit:buffet"><b:OrderNumber>{escaped(header["OrderNumber"])}</b:OrderNumber>'
        f"<b:Customer>{escaped(header['Customer'])}</b:Customer><b:Parts>{len(parts)}</b:Parts>{found}</b:Validation>"
    )


USE_CASES = {
    "tv-dinner": UseCase("tvDinner", "/soakit/TVDinner", tv_dinner),
    "sushi-boats": UseCase("sushiBoats", "/soakit/SushiBoats", sushi_boats),
    "buffet": UseCase("buffet", "/soakit/Buffet", buffet),
}


def as_part(document: str, part: str) -> str:
    """A document's content and attributes as an rpc's part, which stands in no namespace."""
    name = re.match(r"<([\w:]+)", document)[1]
    return f"<{part}{document.removeprefix(f'<{name}').removesuffix(f'</{name}>')}</{part}>"


def message(element: str, document: str, carriage: str, style: str, *, response: bool) -> str:
    """The SOAP message that carries a document (its XML) in one of the six ways."""
    end = "Response" if response else ""
    if style == "rpc":
        part = ("answer" if response else "text") if carriage == "string" else "document"
        name = f"{element}Rpc{'Text' if carriage == 'string' else ''}{end}"
        inside = f"<{part}>{escaped(document)}</{part}>" if carriage == "string" else as_part(document, part)
        content = f'<k:{name} xmlns:k="{SPACE}">{inside}</k:{name}>'
    elif carriage == "string":
        name = f"{element}{'Bare' if style == 'bare' else ''}Text{end}"
        text = escaped(document)
        part = "answer" if response else "text"
        inside = text if style == "bare" else f"<{part}>{text}</{part}>"
        content = f'<{name} xmlns="{SPACE}">{inside}</{name}>'
    else:
        content = document if style == "bare" else f'<k:{element}{end} xmlns:k="{SPACE}">{document}</k:{element}{end}>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
        f"{content}</soap:Body></soap:Envelope>"
    )


def exchange(operation: str, made: Made, carriage: str, style: str) -> dict[str, object]:
    """An exchange as a dictionary of the model Exchange."""
    use_case = USE_CASES[operation]
    how = KIT_CARRIAGE[operation] if carriage == "kit" else carriage
    path = "/soakit/Text" if how == "string" else use_case.path
    return {
        "operation": operation,
        "path": f"{path}Rpc" if style == "rpc" else path,
        "request": message(use_case.element, made.request, how, style, response=False),
        "answer": message(use_case.element, made.answer, how, style, response=True),
        "marker": made.marker,
        "fault": False,
        "safe": True,
    }


def exchanges(operation: str, seed: int, count: int, sizes: dict[str, int]) -> Iterator[dict[str, object]]:
    """`count` exchanges, carried as the service's factors say (STEELYARD_CARRIAGE, STEELYARD_STYLE)."""
    carriage, style = os.environ.get("STEELYARD_CARRIAGE", "kit"), os.environ.get("STEELYARD_STYLE", "wrapped")
    if carriage not in CARRIAGES or style not in STYLES:
        raise SystemExit(
            f"carriage is one of {', '.join(CARRIAGES)} and style of {', '.join(STYLES)}, not {carriage} and {style}"
        )
    rng = random.Random(f"{operation}/{seed}")
    for _ in range(count):
        yield exchange(operation, USE_CASES[operation].make(rng, sizes), carriage, style)


def size(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if name not in DEFAULTS:
        raise argparse.ArgumentTypeError(f"no parameter {name!r}; there are {', '.join(DEFAULTS)}")
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{name} needs a whole number from 0 on, not {value!r}")
    return name, int(value)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Prints random exchanges of soakit, one JSON object a line.")
    parser.add_argument("--operation", required=True, choices=USE_CASES)
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--count", required=True, type=int)
    parser.add_argument("--set", dest="sizes", action="append", default=[], type=size, metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    try:
        for made in exchanges(options.operation, options.seed, options.count, DEFAULTS | dict(options.sizes)):
            sys.stdout.write(json.dumps(made) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
