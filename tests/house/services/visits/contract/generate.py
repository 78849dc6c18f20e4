"""Prints exchanges of the service visits, one JSON object a line; those of both operations with one number belong together."""

import argparse
import json
import random

SPACE = "urn:steelyard:visits"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


def envelope(element, content):
    return (
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body><{element} xmlns="{SPACE}">{content}</{element}></s:Body></s:Envelope>'
    )


def exchange(operation, number, item):
    if operation == "search":
        found = {"request": f"<item>{item}</item>", "answer": f"<offer>offer-{item}</offer>", "pause_ms": 5}
    else:
        found = {
            "request": f"<item>{item}</item><at>{{{{time}}}}</at>",
            "answer": f"<item>{item}</item>",
            "path": "/visits/baskets/{{basket}}",
            "headers": {"Offer": "{{offer}}", "Request-Id": "{{uuid}}"},
            "filled": True,
            "safe": False,
        }
    found["request"] = envelope(operation, found["request"])
    found["answer"] = envelope(f"{operation}Response", found["answer"])
    return {**found, "operation": operation, "marker": item, "link": number}


parser = argparse.ArgumentParser()
parser.add_argument("--operation", required=True)
parser.add_argument("--seed", required=True, type=int)
parser.add_argument("--count", required=True, type=int)
asked = parser.parse_args()
draw = random.Random(asked.seed)
for place in range(asked.count):
    print(json.dumps(exchange(asked.operation, place, f"item-{place}-{draw.randrange(10**9)}")))
