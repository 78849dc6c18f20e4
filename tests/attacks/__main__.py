"""The command line of a campaign (`make faults N=1000 MINUTES=30`)."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from . import campaign, results
from .oracle import DEFECT
from .plan import FULL, known_kinds, plan

TABLE = campaign.ROOT / "docs" / "reference" / "attacks.csv"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="attacks", description="Attack the laboratory, and judge each outcome.")
    parser.add_argument("--attacks", type=int, default=FULL, help="length of the plan (%(default)s)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no attack after so many minutes")
    parser.add_argument("--at-once", type=int, default=1, help="drive so many at once (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the plan (%(default)s)")
    parser.add_argument(
        "--kinds", default="", help=f"only these kinds, separated by commas: {', '.join(known_kinds())}"
    )
    parser.add_argument("--again", action="store_true", help="repeat the attacks whose last outcome was a defect")
    parser.add_argument("--table", type=Path, default=TABLE, help="table of the outcomes")
    options = parser.parse_args()
    if options.at_once < 1:
        parser.error("--at-once must be 1 or more")
    return options


def main() -> int:
    """Drive the attacks that the table lacks; returns 1 where one of the plan's last outcomes is a defect."""
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begun = time.monotonic()
    chosen = tuple(options.kinds.split(",")) if options.kinds else ()
    planned = list(plan(options.seed, options.attacks, chosen))
    left = list(campaign.remaining(planned, results.read(options.table), again=options.again))
    with campaign.field() as (folder, templates):
        until = begun + options.minutes * 60
        rows = campaign.driven(left, folder, templates, at_once=options.at_once, until=until)
        for number, row in enumerate(rows, 1):
            results.append(options.table, row)
            what = f"{row.kind} {row.number}, {row.variant}: {row.outcome}"
            print(f"{number}/{len(left)} {what} ({row.seconds:.0f} s) {row.detail}", flush=True)
    last = {row.attack: row.outcome for row in results.read(options.table)}
    counts = Counter(last[attack] for attack in planned if attack in last)
    missing = len(planned) - counts.total()
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) + f"; {missing} still to come")
    return int(counts[DEFECT] > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped: the next campaign goes on with the attacks that are missing", file=sys.stderr)
        sys.exit(130)
