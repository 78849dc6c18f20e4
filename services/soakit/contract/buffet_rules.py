"""The rules of The Buffet (README.md), written a second time for the answers expected, and texts that break each."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence

COUNTRIES = {"AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US"}
CURRENCIES = {"CHF", "EUR", "GBP", "JPY", "USD"}
UNITS = ("each", "box", "kilogram", "litre", "metre")
PATTERNS = {
    "OrderNumber": r"ORD-[0-9]{8}",
    "Customer": r"(?=.{1,40}$).*[^ ].*",
    "Mail": r"[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+",
    "Sku": r"[A-Z]{3}-[0-9]{5}",
    "Description": r"(?=.{1,80}$).*[^ ].*",
    "Quantity": r"[1-9][0-9]{0,3}",
    "UnitPrice": r"[0-9]{1,6}\.[0-9]{2}",
    "Total": r"[0-9]{1,10}\.[0-9]{2}",
    "Warehouse": r"W[0-9]{2}",
}
BROKEN = {
    "Number": ("0", "one", ""),
    "Sku": ("abc-12345", "ABC-1234", "ABC 12345"),
    "Description": ("", "   ", "x" * 81),
    "Quantity": ("0", "10000", "many", "-3"),
    "Unit": ("dozen", "Each"),
    "UnitPrice": ("1", "1.5", "-1.00", "1,00"),
    "Total": ("0.001", "none", "9999999999.99"),
    "NeededBy": ("2005-02-30", "2005-05-31", "tomorrow", "1999-12-31"),
    "Warehouse": ("W1", "V01", "W001"),
}


def date(text: str) -> datetime.date | None:
    """A day of the years 2000 to 2099, written YYYY-MM-DD; None where it is none."""
    if not re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return datetime.date(*map(int, text.split("-")))
    except ValueError:
        return None


def violations(header: Mapping[str, str], parts: Sequence[Mapping[str, str]]) -> Iterator[tuple[int, str, str]]:
    """Each broken rule in the order of the document: the part's place (0: the header), the element, its text."""
    ordered = date(header["OrderDate"])
    for name, text in header.items():
        if not _holds(name, text):
            yield 0, name, text
    for place, part in enumerate(parts, 1):
        for name, text in part.items():
            if name == "Number":
                right = text == str(place)
            elif name == "Total":
                right = _holds(name, text) and _is_product(part, text)
            elif name == "NeededBy":
                needed = date(text)
                right = needed is not None and (ordered is None or needed >= ordered)
            else:
                right = _holds(name, text)
            if not right:
                yield place, name, text


def _holds(name: str, text: str) -> bool:
    if name == "Country":
        return text in COUNTRIES
    if name == "Currency":
        return text in CURRENCIES
    if name == "Unit":
        return text in UNITS
    if name == "OrderDate":
        return date(text) is not None
    return re.fullmatch(PATTERNS[name], text) is not None


def _is_product(part: Mapping[str, str], total: str) -> bool:
    """Whether the total is quantity times unit price, where both keep their rules; else it is not asked."""
    if not (_holds("Quantity", part["Quantity"]) and _holds("UnitPrice", part["UnitPrice"])):
        return True
    return int(part["Quantity"]) * int(part["UnitPrice"].replace(".", "")) == int(total.replace(".", ""))
