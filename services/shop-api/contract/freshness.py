#!/usr/bin/env python3
"""Checks that answers come from the database and from no cache: freshness.py HOST PORT QUERY ...

QUERY is the command that runs SQL on the database. Each path is asked several times, so that a cache would hold its answer. Then
the items in it get another name in the database, and the next answer must have that name. At the end the names are restored. Prints
one line: that every answer was the database's, or which paths answered with a name that the database no longer had.
"""

from __future__ import annotations

import subprocess
import sys
import urllib.request

import generate
import shop_data

SECONDS = 60
ITEM = 1
ASKED_BEFORE = 3  # a cache may keep only what is asked again
FRESH = "every answer is the database's"


def cheapest_item() -> int:
    """The item that a search for the keyword of ITEM lists first."""
    return int(str(generate.cheapest(shop_data.keyword(ITEM), ITEM)[0]["id"]))


def paths() -> dict[str, int]:
    """A path of each operation that reads items, with the item whose name its answer has."""
    return {
        f"/shop/items/{ITEM}": ITEM,
        f"/shop/items?ids={ITEM},{ITEM + 1}": ITEM,
        f"/shop/search?q={shop_data.keyword(ITEM)}": cheapest_item(),
        "/shop/orders/1": ITEM,
    }


def renaming(names: dict[int, str]) -> str:
    """The SQL that gives items these names."""
    cases = " ".join(f"WHEN {item} THEN '{name}'" for item, name in names.items())
    return f"UPDATE item SET name = CASE id {cases} END WHERE id IN ({', '.join(map(str, names))})"


def judgement(stale: list[str]) -> str:
    """Where the answers came from, in words."""
    return f"answered from a cache, which the contract forbids: {', '.join(stale)}" if stale else FRESH


def main(host: str, port: str, *query: str) -> None:
    """Change names in the database between two requests of each path, and print where the answers came from."""

    def ask(path: str) -> str:
        with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=SECONDS) as answer:
            return str(answer.read().decode("utf-8"))

    def run(statement: str) -> None:
        ran = subprocess.run([*query, statement], check=False, capture_output=True, text=True, timeout=SECONDS)
        if ran.returncode != 0:
            sys.exit(f"the database cannot be changed: {ran.stderr.strip()}")

    asked = paths()
    own = {item: shop_data.name(item) for item in asked.values()}
    changed = {item: f"{name} renamed" for item, name in own.items()}
    for path in asked:
        for _ in range(ASKED_BEFORE):
            ask(path)
    run(renaming(changed))
    try:
        stale = [path for path, item in asked.items() if changed[item] not in ask(path)]
    finally:
        run(renaming(own))
    print(judgement(stale))


if __name__ == "__main__":
    main(*sys.argv[1:])
