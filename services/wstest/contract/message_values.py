"""What WSTest's messages in XML hold, as plain values; how numbers and bytes are given, whoever writes them elsewhere says."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

Values = dict[str, Any]


@dataclass(frozen=True)
class Kinds:
    """How texts of these types are read: `real` an xs:float, `amount` an xs:decimal, `binary` an xs:base64Binary."""

    real: Callable[[str], Any]
    amount: Callable[[str], Any]
    binary: Callable[[str], Any]


def single(text: str) -> float:
    """The 32-bit number nearest to the text of an xs:float."""
    number = float(text.strip().replace("INF", "inf"))
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def values(message: str, kinds: Kinds) -> Values:
    """The values of the element in an envelope's body, by the names that JSON has for them."""
    root = ElementTree.fromstring(message.encode())
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return _Reading(kinds).operation(root.find("Body")[0])  # type: ignore[index]  # every message of the contract has one


@dataclass(frozen=True)
class _Reading:
    kinds: Kinds

    def operation(self, element: ElementTree.Element) -> Values:
        name = element.tag.removesuffix("Response")
        if name == "echoVoid":
            return {}
        if name == "echoStruct":
            return {"structs": [self.structure(item) for item in element]}
        if name == "echoList":
            return {"list": self.listed(element[0])} if len(element) else {}
        inner = element.find("return")
        if name == "echoSynthetic":
            return self.synthetic(element if inner is None else inner)
        return _values_of(element, orderId=int) if inner is None else self.order(inner)

    def structure(self, element: ElementTree.Element) -> Values:
        return _values_of(element, varInt=int, varFloat=self.kinds.real, varString=str)

    def listed(self, element: ElementTree.Element) -> Values:
        """A list's item, and in it the next."""
        item, read = element, [self.structure(element.find("value"))]  # type: ignore[arg-type]
        while (following := item.find("next")) is not None:
            item = following
            read.append(self.structure(item.find("value")))  # type: ignore[arg-type]
        chain: Values = {"value": read.pop()}
        while read:
            chain = {"value": read.pop(), "next": chain}
        return chain

    def synthetic(self, element: ElementTree.Element) -> Values:
        inner = self.structure(element.find("struct"))  # type: ignore[arg-type]
        return {**_values_of(element, text=str), "struct": inner, **_values_of(element, bytes=self.kinds.binary)}

    def order(self, element: ElementTree.Element) -> Values:
        address = {"street": str, "city": str, "state": str, "postalCode": str, "country": str}
        line = {"lineNumber": int, "sku": str, "description": str, "quantity": int, "unitPrice": self.kinds.amount}
        return {
            **_values_of(element, orderId=int, reference=str, orderDate=str),
            "customer": _values_of(element.find("customer"), customerId=int, name=str, email=str),  # type: ignore[arg-type]
            "billingAddress": _values_of(element.find("billingAddress"), **address),  # type: ignore[arg-type]
            "shippingAddress": _values_of(element.find("shippingAddress"), **address),  # type: ignore[arg-type]
            "items": [_values_of(item, **line) for item in element.iter("item")],
            **_values_of(element, total=self.kinds.amount),
        }


def _values_of(element: ElementTree.Element, **types: Callable[[str], Any]) -> Values:
    """An element's children by name, each as its type; a text may be empty."""
    return {name: kind(element.findtext(name) or "") for name, kind in types.items()}
