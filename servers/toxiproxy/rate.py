#!/usr/bin/env python3
"""Measures what a link lets through: megabytes sent over it again and again, and the rate of each that arrived, with an interval.

    rate.py CACHE MBIT [TRANSFERS]

CACHE is where prepare.sh has built the link. Only the standard library is used.
"""

from __future__ import annotations

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


def main(words: list[str]) -> int:
    if (
        len(words) not in (2, 3)
        or not words[1].isdecimal()
        or int(words[-1] if len(words) == 3 else 10) - 1 not in QUANTILES
    ):
        print("error: say rate.py CACHE MBIT, and 5, 10 or 20 transfers", file=sys.stderr)
        return 64
    mbit, transfers = int(words[1]), int(words[2]) if len(words) == 3 else 10
    seen = rates(Path(words[0]) / "link", mbit, transfers)
    margin = QUANTILES[transfers - 1] * stdev(seen) / math.sqrt(transfers)
    print(f"{mbit} Mbit/s nominal: {fmean(seen):.3f} +- {margin:.3f} Mbit/s (95%, {transfers} transfers)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
