#!/usr/bin/env python3
"""Holds the orders that a server accepted against those that its database holds: reconcile.py HOST PORT QUERY ...

QUERY is the command that asks the database, to which the SQL is added. Prints one line: that no order was lost or doubled, and
that the stock of each item is its stock at the beginning less the ordered quantity; or what is wrong.
"""

from __future__ import annotations

import subprocess
import sys
import urllib.request

import shop_data

SECONDS = 60
SQL = f"""\
SELECT
  (SELECT count(*) FROM orders WHERE id >= {shop_data.FIRST_NEW_ORDER}),
  (SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT FROM order_line WHERE order_id = orders.id)),
  (SELECT count(*) FROM item WHERE stock < 0),
  (SELECT count(*) FROM item LEFT JOIN
    (SELECT item_id, sum(quantity) AS ordered FROM order_line
      WHERE order_id >= {shop_data.FIRST_NEW_ORDER} GROUP BY item_id) AS its_lines
    ON its_lines.item_id = item.id
    WHERE stock <> CASE WHEN id % {shop_data.SOLD_OUT_EACH} = 0 THEN 0 ELSE {shop_data.STOCK} END - coalesce(ordered, 0))"""


def judgement(accepted: int, kept: int, without_lines: int, negative: int, unlike: int) -> str:
    """What became of the orders, in words."""
    wrong = []
    if kept < accepted:
        wrong.append(f"{accepted - kept} of {accepted} accepted orders are lost")
    if kept > accepted:
        wrong.append(f"{kept - accepted} orders are kept beyond the {accepted} accepted")
    if without_lines:
        wrong.append(f"{without_lines} orders have no lines")
    if negative:
        wrong.append(f"the stock of {negative} items is negative")
    if unlike:
        wrong.append(f"the stock of {unlike} items differs from the stock at the beginning less the ordered quantity")
    return "; ".join(wrong) or "none lost, none doubled, stock as ordered"


def main(host: str, port: str, *query: str) -> None:
    """Ask the server and its database, and print what became of the orders."""
    with urllib.request.urlopen(f"http://{host}:{port}/shop/accepted", timeout=SECONDS) as answer:
        accepted = int(answer.read())
    ran = subprocess.run([*query, SQL], check=False, capture_output=True, text=True, timeout=SECONDS)
    if ran.returncode != 0:
        sys.exit(f"the database cannot be asked: {ran.stderr.strip()}")
    print(judgement(accepted, *map(int, ran.stdout.split())))


if __name__ == "__main__":
    main(*sys.argv[1:])
