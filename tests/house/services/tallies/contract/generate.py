"""Prints tallies as exchanges, one JSON object a line, the same for the same seed."""

import argparse
import base64
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True, choices=["keep"])
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
options = parser.parse_args()
draw = random.Random(options.seed)
for number in range(options.count):
    tally = f"tally {number} {draw.randrange(10**9)}"
    body = base64.b64encode(tally.encode()).decode()
    print(json.dumps({"operation": "keep", "request": body, "answer": body, "marker": tally}))
