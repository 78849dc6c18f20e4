"""Waits until the shop's queues are empty, and says what became of the orders that were accepted since an instant.

aftermath.py HOST MAIL_API_PORT SECONDS SINCE DELAYED_SECONDS QUERY ...: SINCE is in ns of the machine's monotonic clock, QUERY the
command that asks the center's and the supplier's database, to which the SQL is added.

Which orders were accepted is what the web site wrote down (STEELYARD_EVENTS) before it told the customer, so it survives the web
site. Where the center has a server of its own, queues and mails are its own (STEELYARD_GAUGES_CENTER, STEELYARD_EVENTS_CENTER).
Prints one JSON object of whole numbers:

accepted        orders that a customer may know of
lost            of these, those that are neither completed nor denied though nothing is left to do
doubled         of these, those that the supplier shipped more than once
delayed         of these, those whose last mail was sent more than DELAYED_SECONDS after the order
mails_lost      mails that completed or denied orders should have, and have not
mails_doubled   mails beyond the first of the same order and kind
unacknowledged  orders that are kept though no customer was told of them, since the web site died between the two
"""

import csv
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from datetime import datetime
from pathlib import Path

MAILS = {"COMPLETED": ("approved", "shipped", "completed"), "DENIED": ("denied",)}
# Of no queue of its own, and what nobody will ever take; and what was counted since the look before.
UNWATCHED = {
    "queue_longest",
    "queue_refused",
    "orders_completed",
    "coordination_messages",
    "coordination_ms",
    "commit_ms",
}
LOOKS = 2  # that must all see empty queues
PAUSE_SECONDS = 0.2
# In one statement, for not every product gives the rows of a second one.
SQL = (
    "SELECT 'order', id, status, placed FROM orders "
    "UNION ALL SELECT 'shipped', id, CAST(shipments AS VARCHAR(12)), '-' FROM supplier_order"
)


def rows(path):
    """The whole lines of a file of records, which somebody may be writing."""
    text = Path(path).read_text(encoding="utf-8")
    return list(csv.DictReader(text[: text.rfind("\n") + 1].splitlines()))


def empty(path, since):
    """Whether the last looks at the queues, all of them after an instant, saw no message in any, and nothing in doubt."""
    lengths = {}
    for row in rows(path):
        if row["name"] not in UNWATCHED and int(row["time_ns"]) > since:
            instant = int(row["time_ns"])
            lengths[instant] = lengths.get(instant, 0) + int(row["value"])
    last = sorted(lengths)[-LOOKS:]
    return len(last) == LOOKS and not any(lengths[instant] for instant in last)


def run_empty(path, seconds):
    begun = time.monotonic_ns()
    while not empty(path, begun):
        if time.monotonic_ns() - begun > seconds * 1e9:
            return False
        time.sleep(PAUSE_SECONDS)
    return True


def event_times(path, name):
    """When each order first met an event, by its id."""
    times = {}
    for row in rows(path):
        if row["name"] == name:
            times.setdefault(row["id"], int(row["time_ns"]))
    return times


def kept(query):
    """What the databases hold: status and instant of each order of the center, shipments of each of the supplier."""
    said = subprocess.run([*query, SQL], check=True, capture_output=True, text=True).stdout
    orders, shipments = {}, {}
    for line in said.splitlines():
        kind, identifier, value, placed = line.split(" ")
        if kind == "order":
            orders[identifier] = (value, placed)
        else:
            shipments[identifier] = int(value)
    return orders, shipments


def became(accepted, told, orders, shipments, mails, since, delayed_seconds):
    """The counts, of `accepted` orders (when, by id); `told` is when their last mail was sent, `mails` how often a subject came."""
    status = {identifier: orders.get(identifier, ("", ""))[0] for identifier in accepted}
    due = [f"Order {identifier} {kind}" for identifier in accepted for kind in MAILS.get(status[identifier], ())]
    began = time.time() - (time.monotonic_ns() - since) / 1e9
    return {
        "accepted": len(accepted),
        "lost": sum(state not in MAILS for state in status.values()),
        "doubled": sum(shipments.get(identifier, 0) > 1 for identifier in accepted),
        "delayed": sum(
            told[identifier] - begun > delayed_seconds * 1e9
            for identifier, begun in accepted.items()
            if identifier in told
        ),
        "mails_lost": sum(not mails[subject] for subject in due),
        "mails_doubled": sum(
            count - 1
            for subject, count in mails.items()
            if subject.split(" ")[1:2] and subject.split(" ")[1] in accepted
        ),
        "unacknowledged": sum(
            identifier not in accepted and datetime.fromisoformat(placed).timestamp() > began
            for identifier, (_, placed) in orders.items()
        ),
    }


def of_center(name):
    """A file that the center writes: its own server's, or that of all parts."""
    return os.environ.get(f"{name}_CENTER", os.environ[name])


def main():
    host, mail_port, seconds, since, delayed_seconds = sys.argv[1:6]
    settled = run_empty(of_center("STEELYARD_GAUGES"), float(seconds))
    received = event_times(os.environ["STEELYARD_EVENTS"], "order_received")
    accepted = {identifier: begun for identifier, begun in received.items() if begun >= int(since)}
    orders, shipments = kept(sys.argv[6:])
    with urllib.request.urlopen(f"http://{host}:{mail_port}/mails", timeout=60) as answer:
        mails = Counter(line.partition("\t")[2] for line in answer.read().decode("utf-8").splitlines())
    told = event_times(of_center("STEELYARD_EVENTS"), "completed_mail_sent")
    counts = became(accepted, told, orders, shipments, mails, int(since), float(delayed_seconds))
    print(json.dumps({"settled": settled, "counts": counts}))


if __name__ == "__main__":
    main()
