"""Prints random exchanges of layered, one JSON object a line, the same for the same seed."""

import argparse
import base64
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True, choices=["echo"])
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
options = parser.parse_args()
draw = random.Random(options.seed)
for _ in range(options.count):
    body = base64.b64encode(draw.randbytes(draw.choice([10, 2000]))).decode()
    print(json.dumps({"operation": "echo", "request": body, "answer": body}))
