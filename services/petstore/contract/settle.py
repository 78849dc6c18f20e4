"""Waits until every order that was accepted is settled, and says what became of them: settle.py HOST PORT MAIL_API_PORT SECONDS.

Settled is an order whose three mails are sent (one, where it was denied). Prints one JSON object of whole numbers. Of the accepted
orders that are neither completed nor denied at the end, `open` are those of a center that still gets on, and `lost` those of one in
which nothing has moved for three minutes (or half of SECONDS), which ends the wait; `doubled` counts mails that were sent before.
Where the center has a server of its own (STEELYARD_PORT_CENTER), it is asked how many mails it sent.
"""

import json
import os
import sys
import time
import urllib.request
from collections import Counter

MAILS_OF_COMPLETED, MAILS_OF_DENIED = 3, 1
PAUSE_SECONDS = 0.2
STILL_SECONDS = 180.0  # longer than a transaction manager takes to recover


def asked(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode("utf-8")


def main():
    host, port, mail_port, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    deadline = time.monotonic() + seconds
    still_seconds = min(STILL_SECONDS, seconds / 2)
    center = os.environ.get("STEELYARD_PORT_CENTER", port)
    seen, moved = None, time.monotonic()
    while True:
        store = json.loads(asked(f"http://{host}:{port}/petstore/settlement"))
        if center != port:
            store["mails"] = json.loads(asked(f"http://{host}:{center}/petstore/settlement"))["mails"]
        subjects = Counter(line.partition("\t")[2] for line in asked(f"http://{host}:{mail_port}/mails").splitlines())
        due = MAILS_OF_COMPLETED * store["completed"] + MAILS_OF_DENIED * store["denied"]
        open_orders = store["accepted"] - store["completed"] - store["denied"]
        now = (store["completed"], store["denied"], store["mails"], subjects.total())
        if now != seen:
            seen, moved = now, time.monotonic()
        settled = open_orders == 0 and min(len(subjects), store["mails"]) >= due
        is_still = time.monotonic() - moved >= still_seconds
        if settled or is_still or time.monotonic() > deadline:
            break
        time.sleep(PAUSE_SECONDS)
    lost = open_orders if is_still else 0
    found = {
        "orders.accepted": store["accepted"],
        "orders.completed": store["completed"],
        "orders.mails": subjects.total(),
        "orders.open": open_orders - lost,
        "orders.lost": lost,
        "orders.doubled": subjects.total() - len(subjects),
    }
    print(json.dumps({"settled": settled, "counts": found}))


main()
