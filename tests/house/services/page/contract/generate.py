"""Prints random exchanges of the page, one JSON object a line, the same for the same seed."""

import argparse
import json
import random
from urllib.parse import urlencode

parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True, choices=["search"])
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
options = parser.parse_args()
draw = random.Random(options.seed)
for number in range(options.count):
    words, rows = f"words {number} {draw.randrange(10**9)}", draw.randint(1, 9)
    listed = "".join(f"<tr><td><a href='/thing/{row}'>{words} {row}</a></td></tr>" for row in range(rows))
    page = f"<html><body><h1>Found for {words}</h1><table class='found'>{listed}</table></body></html>"
    request = urlencode({"words": words, "rows": rows})
    print(json.dumps({"operation": "search", "request": request, "answer": page, "marker": f"Found for {words}<"}))
