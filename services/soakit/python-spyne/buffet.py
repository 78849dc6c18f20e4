"""The Buffet: every element of an order, which is a tree, is checked by its rule."""

import re
from datetime import date

from documents import document_at, refused
from models import BUFFET, Validation, Violation

COUNTRIES = {"AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US"}
CURRENCIES = {"CHF", "EUR", "GBP", "JPY", "USD"}
UNITS = {"each", "box", "kilogram", "litre", "metre"}

ORDERED, _HEADER, _PARTS, _PART = (f"{{{BUFFET}}}{name}" for name in ("Order", "Header", "Parts", "Part"))


def formed(pattern):
    """The rule of texts that all have one form."""
    return re.compile(pattern, re.ASCII).fullmatch


def day(text):
    """The day that a text says, of the years 2000 to 2099, or None."""
    if not _is_date(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def words(most):
    """The rule of texts of 1 to `most` characters that are not all blank."""
    return lambda text: len(text) <= most and text.strip(" ") != ""


_is_date = formed(r"20\d\d-\d\d-\d\d")
_is_quantity = formed(r"[1-9]\d{0,3}")
_is_unit_price = formed(r"\d{1,6}\.\d{2}")
_is_total = formed(r"\d{1,10}\.\d{2}")

HEADER = {
    "OrderNumber": formed(r"ORD-\d{8}"),
    "Customer": words(40),
    "Mail": formed(r"[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"),
    "Country": COUNTRIES.__contains__,
    "Currency": CURRENCIES.__contains__,
    "OrderDate": day,
}
# Those of Number, Total and NeededBy ask for more than the text.
PART = {
    "Number": None,
    "Sku": formed(r"[A-Z]{3}-\d{5}"),
    "Description": words(80),
    "Quantity": _is_quantity,
    "Unit": UNITS.__contains__,
    "UnitPrice": _is_unit_price,
    "Total": None,
    "NeededBy": None,
    "Warehouse": formed(r"W\d{2}"),
}


def validate(order):
    """The Validation of an Order, an element."""
    order = document_at(order, ORDERED)
    header, parts = order.find(_HEADER), order.find(_PARTS)
    if header is None or parts is None:
        raise refused("the order lacks its header or its parts")
    head = texts(header, HEADER)
    violations = [violation(0, name, text) for name, text in head.items() if not HEADER[name](text)]
    ordered = day(head["OrderDate"])
    place = 0
    for place, part in enumerate(parts.iterchildren(_PART), 1):
        violations += broken(place, texts(part, PART), ordered)
    return Validation(OrderNumber=head["OrderNumber"], Customer=head["Customer"], Parts=place, Violation=violations)


def texts(element, names):
    """The texts of the elements that have rules; a missing one counts as empty."""
    return {name: element.findtext(f"{{{BUFFET}}}{name}", "") for name in names}


def broken(place, part, ordered):
    needed = day(part["NeededBy"])
    asking_more = {
        "Number": part["Number"] == str(place),
        "Total": is_total(part),
        "NeededBy": needed is not None and (ordered is None or needed >= ordered),
    }
    for name, text in part.items():
        if not (asking_more[name] if name in asking_more else PART[name](text)):
            yield violation(place, name, text)


def violation(place, name, text):
    return Violation(Part=place, Element=name, Value=text)


def is_total(part):
    """Whether the total is quantity times unit price, which is not asked where one of these breaks its own rule."""
    if not _is_total(part["Total"]):
        return False
    if not _is_quantity(part["Quantity"]) or not _is_unit_price(part["UnitPrice"]):
        return True
    return int(part["Quantity"]) * cents(part["UnitPrice"]) == cents(part["Total"])


def cents(amount):
    return int(amount.replace(".", ""))
