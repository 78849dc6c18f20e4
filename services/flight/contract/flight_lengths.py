#!/usr/bin/env python3
"""The sizes of the load: mean logical XML length of the saved sessions' requests, and the largest group that meets a given mean.

The logical length of a message is that of its tag names, attribute names and texts, in characters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import domain_data
from domain_data import Domain, SettingError
from flight_load import DEFAULTS, Ask, exchanges

SESSIONS = 50
PUBLISHED = (3215, 5190, 28348, 142145, 222281)
MOST_GROUP = 100_000


def logical_length(document: str) -> int:
    """Characters of the tag names (without prefixes), attribute names and texts of an XML document of our own making."""
    total = 0
    for element in ElementTree.fromstring(document).iter():
        total += len(element.tag.rpartition("}")[2]) + len(element.text or "") + len(element.tail or "")
        total += sum(len(name.rpartition("}")[2]) for name in element.attrib)
    return total


def mean_length(ask: Ask, seed: int, sessions: int) -> float:
    """Mean logical length of a request of the load: a search a session, and a reservation in all but the share of sessions whose
    group is 0, one in MaxGroup + 1."""

    def mean(operation: str) -> float:
        lengths = [logical_length(str(one["request"])) for one in exchanges(ask, operation, seed, sessions)]
        return sum(lengths) / len(lengths)

    reserving = ask.parameters["MaxGroup"] / (ask.parameters["MaxGroup"] + 1)
    return (mean("searchFlights") + reserving * mean("createReservation")) / (1 + reserving)


def largest_group(measure: Callable[[int], float], wanted: float) -> int:
    """The MaxGroup whose mean length, which grows nearly as it does, comes within 1% of `wanted`; raises SettingError where none
    does."""
    low, high = 1, 100
    while measure(high) < wanted and high < MOST_GROUP:
        low, high = high, min(MOST_GROUP, 1 + int(1.01 * high * wanted / measure(high)))
    short, long = measure(low), measure(high)
    while high - low > 1 and short < wanted < long:
        middle = min(high - 1, max(low + 1, round(low + (high - low) * (wanted - short) / (long - short))))
        found = measure(middle)
        if abs(found / wanted - 1) < 0.005:
            return middle
        low, high, short, long = (middle, high, found, long) if found < wanted else (low, middle, short, found)
    nearest = min((low, high), key=lambda group: abs(measure(group) - wanted))
    if abs(measure(nearest) / wanted - 1) > 0.01:
        raise SettingError(
            f"no largest group gives a mean of {wanted:g} characters; {nearest} gives {measure(nearest):.0f}"
        )
    return nearest


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Finds the largest group for each mean length of a request.")
    parser.add_argument("means", nargs="*", type=float, default=PUBLISHED, metavar="MEAN", help="in characters")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    options = parser.parse_args(arguments)
    try:
        domain = Domain(domain_data.of_environment())

        def measure(group: int) -> float:
            return mean_length(Ask(domain, DEFAULTS | {"MaxGroup": group}), options.seed, options.sessions)

        for wanted in options.means:
            group = largest_group(measure, wanted)
            print(f"mean {wanted:g}: MaxGroup {group}, which gives {measure(group):.0f}")
    except SettingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
