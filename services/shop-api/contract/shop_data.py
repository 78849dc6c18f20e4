"""The items and orders that the shop's database holds at the beginning, by rules that are short in SQL and in Python alike."""

from __future__ import annotations

import os

ADJECTIVES = ("amber", "brass", "copper", "dusty", "early", "fancy", "green", "heavy")
NOUNS = ("anvil", "bench", "chair", "desk", "easel", "fork", "globe", "hammer", "icon", "jar", "kettle", "lamp")
BLOCK = 1000  # items, which have GROUPS keywords
GROUPS = 10
SOLD_OUT_EACH = 100
STOCK = 1_000_000
FIRST_NEW_ORDER = 1_000_001


def items_in_all() -> int:
    """How many items there are, as the factor `items` says."""
    return int(os.environ.get("STEELYARD_ITEMS") or 100_000)


def keyword(item: int) -> str:
    group = item % GROUPS + GROUPS * ((item - 1) // BLOCK)
    return f"{NOUNS[group % len(NOUNS)]}-{group}"


def price_cents(item: int) -> int:
    return 100 + item * 7919 % 99_900


def stock(item: int) -> int:
    return 0 if item % SOLD_OUT_EACH == 0 else STOCK


def name(item: int) -> str:
    return f"{ADJECTIVES[item % len(ADJECTIVES)]} {keyword(item).partition('-')[0]} no. {item}"


def item_of(item: int) -> dict[str, object]:
    """An item as answers hold it."""
    return {
        "id": item,
        "name": name(item),
        "keyword": keyword(item),
        "priceCents": price_cents(item),
        "description": f'Nº {item}: "crème brûlée" & <b>bold</b> \\ 10 €',
    }


def line_of(item: int, quantity: int) -> dict[str, object]:
    """A line of an order as answers hold it."""
    return {"item": item, "name": name(item), "quantity": quantity, "priceCents": price_cents(item)}


def order_of(order: int) -> dict[str, object]:
    """An order that is there from the beginning, 1 to a tenth of the items, as answers hold it."""
    lines = [line_of(1 + (order - 1) * 10 + 3 * line, 1 + (order + line) % 5) for line in range(3)]
    return {"id": order, **totalled(f"customer-{order}", lines)}


def totalled(customer: str, lines: list[dict[str, object]]) -> dict[str, object]:
    total = sum(int(str(line["quantity"])) * int(str(line["priceCents"])) for line in lines)
    return {"customer": customer, "lines": lines, "totalCents": total}
