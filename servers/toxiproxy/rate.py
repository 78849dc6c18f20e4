#!/usr/bin/env python3
"""Measures what a link lets through: megabytes sent over it again and again, and the rate of each that arrived, with an interval.

    rate.py CACHE MBIT [TRANSFERS]      that link
    rate.py CACHE --write               both links of flight, into rates.csv beside this file, and what they come to
    rate.py --table                     what rates.csv comes to

CACHE is where prepare.sh has built the link. Only the standard library is used.
"""

from __future__ import annotations

import csv
import math
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import fmean, stdev

HOST = os.environ.get("STEELYARD_HOST", "127.0.0.1")
SECONDS = 0.5  # of a transfer at the nominal rate
RATES = Path(__file__).parent / "rates.csv"
STUDIED = (100, 10)  # Mbit/s
TRANSFERS = 20
# Student's quantile at 95%, two-sided, by degrees of freedom.
QUANTILES = {4: 2.776, 9: 2.262, 19: 2.093}


def free_port() -> int:
    with socket.create_server((HOST, 0)) as free:
        return int(free.getsockname()[1])


def transfer(listener: socket.socket, port: int, size: int) -> float:
    """Mbit/s of `size` bytes that go through the link, from the first byte that arrives to the last."""
    with socket.create_connection((HOST, port), timeout=30) as sender:
        sending = threading.Thread(target=sender.sendall, args=(b"\0" * size,))
        sending.start()
        receiver, _ = listener.accept()
        with receiver:
            receiver.settimeout(30)
            first = len(receiver.recv(65536))
            begun = time.monotonic()
            left = size - first
            while left > 0:
                left -= len(receiver.recv(min(left, 65536)))
            took = time.monotonic() - begun
        sending.join()
    return (size - first) * 8 / took / 1e6


def connected(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def rates(link: Path, mbit: int, transfers: int) -> list[float]:
    """Of each transfer over a link of that nominal rate."""
    if not link.is_file():
        raise SystemExit(f"error: there is no link {link}: sh prepare.sh {link.parent} builds it")
    port = free_port()
    with socket.create_server((HOST, 0)) as listener:
        behind = f"{HOST}:{listener.getsockname()[1]}"
        command = [str(link), "-listen", f"{HOST}:{port}", "-to", behind, "-mbit", str(mbit)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
            try:
                until = time.monotonic() + 10
                while not connected(port):
                    if running.poll() is not None or time.monotonic() > until:
                        raise SystemExit(f"error: the link {link} did not start")
                    time.sleep(0.05)
                listener.accept()[0].close()  # of the connection that found it there
                return [transfer(listener, port, int(mbit * 125_000 * SECONDS)) for _ in range(transfers)]
            finally:
                running.terminate()


def said(mbit: int, seen: list[float]) -> str:
    margin = QUANTILES[len(seen) - 1] * stdev(seen) / math.sqrt(len(seen))
    return f"{mbit} Mbit/s nominal: {fmean(seen):.3f} +- {margin:.3f} Mbit/s (95%, {len(seen)} transfers)"


def write(link: Path) -> None:
    """Measure the links of flight, and keep each transfer."""
    rows = [(mbit, f"{seen:.4f}") for mbit in STUDIED for seen in rates(link, mbit, TRANSFERS)]
    with RATES.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("nominal_mbit_s", "mbit_s"), *rows])


def table() -> list[str]:
    """A line a link, of the transfers that are kept."""
    with RATES.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        said(mbit, [float(row["mbit_s"]) for row in rows if row["nominal_mbit_s"] == str(mbit)]) for mbit in STUDIED
    ]


def main(words: list[str]) -> int:
    if words == ["--table"] or words[1:] == ["--write"]:
        if words[1:]:
            write(Path(words[0]) / "link")
        print("\n".join(table()))
        return 0
    if (
        len(words) not in (2, 3)
        or not words[1].isdecimal()
        or int(words[-1] if len(words) == 3 else 10) - 1 not in QUANTILES
    ):
        print("error: say rate.py CACHE MBIT, and 5, 10 or 20 transfers", file=sys.stderr)
        return 64
    mbit, transfers = int(words[1]), int(words[2]) if len(words) == 3 else 10
    print(said(mbit, rates(Path(words[0]) / "link", mbit, transfers)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
