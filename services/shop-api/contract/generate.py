#!/usr/bin/env python3
"""Prints exchanges of the shop, one JSON object a line: --operation NAME --seed N --count N.

The same arguments, and the same factor `items`, give the same exchanges. One order in twenty asks for an item that is sold out.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from typing import Any

import shop_data

IDS = 20
FOUND = 10
LINES = 3
REFUSED = {"answer": json.dumps({"error": "out of stock"}), "status": 409, "fault": True}


def written(value: object) -> str:
    """JSON as a client would send it: compact, and UTF-8 where it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def echo(draw: random.Random) -> dict[str, Any]:
    mark = f"mark{draw.getrandbits(64):016x}"
    lines = [
        {
            "sku": f"SKU-{draw.randrange(100_000):05}",
            "quantity": draw.randint(1, 1000),
            "priceCents": draw.randint(0, 10_000_000),
            "tags": draw.sample(shop_data.ADJECTIVES, 4),
        }
        for _ in range(16)
    ]
    number = draw.randrange(10**9)
    message = written(
        {
            "reference": mark,
            "customer": {
                "name": draw.choice(("Ada", "Björn", "Chloé", "Dee & Co", "Eve <e>")),
                "email": f"customer{number}@example.com",
                "address": {
                    "street": f"{draw.randint(1, 199)} Main Street",
                    "city": draw.choice(("Zürich", "Łódź", "Oslo", "Aix")),
                    "postalCode": f"{draw.randrange(100_000):05}",
                    "country": draw.choice(("CH", "PL", "NO", "FR")),
                },
            },
            "lines": lines,
            "gift": draw.random() < 0.5,
            "discountPercent": draw.randrange(1, 400) / 4 + 0.125,
            "note": f"“{number}” — \\ / 'as it is'",
        }
    )
    return {"request": message, "answer": message, "marker": mark}


def item(draw: random.Random) -> dict[str, Any]:
    wanted = draw.randint(1, shop_data.items_in_all())
    answer = written(shop_data.item_of(wanted))
    return {"path": f"/shop/items/{wanted}", "answer": answer, "marker": f'{shop_data.name(wanted)}"'}


def items(draw: random.Random) -> dict[str, Any]:
    wanted = draw.sample(range(1, shop_data.items_in_all() + 1), IDS)
    return {
        "path": f"/shop/items?ids={','.join(map(str, wanted))}",
        "answer": written({"items": [shop_data.item_of(number) for number in sorted(wanted)]}),
        "marker": f'{shop_data.name(wanted[0])}"',
    }


def cheapest(keyword: str, like: int) -> list[dict[str, object]]:
    """The cheapest items of a keyword, which the item `like` has."""
    first = (like - 1) // shop_data.BLOCK * shop_data.BLOCK + 1
    block = range(first, first + shop_data.BLOCK)
    having = [number for number in block if shop_data.keyword(number) == keyword]
    return [
        shop_data.item_of(number) for number in sorted(having, key=lambda each: (shop_data.price_cents(each), each))
    ][:FOUND]


def search(draw: random.Random) -> dict[str, Any]:
    like = draw.randint(1, shop_data.items_in_all())
    keyword = shop_data.keyword(like)
    answer = written({"items": cheapest(keyword, like)})
    return {"path": f"/shop/search?q={keyword}", "answer": answer, "marker": f'"{keyword}"'}


def place_order(draw: random.Random) -> dict[str, Any]:
    customer = f"mark{draw.getrandbits(64):016x}"
    sold_out = draw.random() < 0.05
    count = shop_data.items_in_all()
    available = [number for number in draw.sample(range(1, count + 1), 4 * LINES) if shop_data.stock(number)][:LINES]
    if sold_out:
        available[-1] = draw.randrange(1, count // shop_data.SOLD_OUT_EACH + 1) * shop_data.SOLD_OUT_EACH
    lines = [(number, draw.randint(1, 5)) for number in available]
    request = {"customer": customer, "lines": [{"item": number, "quantity": quantity} for number, quantity in lines]}
    common = {"request": written(request), "safe": False}
    if sold_out:
        return {**common, **REFUSED}
    answer = shop_data.totalled(customer, [shop_data.line_of(*line) for line in sorted(lines)])
    return {**common, "answer": written(answer), "status": 201, "marker": customer}


def order(draw: random.Random) -> dict[str, Any]:
    wanted = draw.randint(1, shop_data.items_in_all() // 10)
    answer = written(shop_data.order_of(wanted))
    return {"path": f"/shop/orders/{wanted}", "answer": answer, "marker": f'"customer-{wanted}"'}


def static(_: random.Random) -> dict[str, Any]:
    return {"answer": written({"service": "shop-api", "greeting": "hello"}), "marker": "hello"}


OPERATIONS: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "echo": echo,
    "item": item,
    "items": items,
    "search": search,
    "placeOrder": place_order,
    "order": order,
    "static": static,
}


def main() -> None:
    """Print as many exchanges of an operation as are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operation", required=True, choices=OPERATIONS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    asked = parser.parse_args()
    draw = random.Random(f"{asked.operation} {asked.seed}")
    for _ in range(asked.count):
        print(json.dumps({"operation": asked.operation, "request": "", **OPERATIONS[asked.operation](draw)}))


if __name__ == "__main__":
    main()
