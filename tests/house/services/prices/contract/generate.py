"""Prints random exchanges of prices, one JSON object a line, the same for the same seed."""

import argparse
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True, choices=["quote"])
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
options = parser.parse_args()
draw = random.Random(options.seed)
for number in range(options.count):
    thing, pieces, price = f"thing-{number}-{draw.randrange(10**9)}", draw.randint(1, 99), draw.randint(1, 999) / 8
    request = {"thing": thing, "pieces": pieces, "price": price}
    answer = {
        "thing": thing,
        "pieces": pieces,
        "total": pieces * price,
        "discounted": pieces > 50,
        "notes": [f"{pieces}/{thing}", "née à côté ☃"],
    }
    whole = {"operation": "quote", "request": json.dumps(request), "answer": json.dumps(answer), "marker": thing}
    print(json.dumps(whole))
