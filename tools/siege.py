"""The paper's own load generator beside ours: siege and `steelyard load` on the same pages of a running pet store.

    python tools/siege.py [--users N] [--seconds S]

Siege does not carry values from one page to the next, so it cannot sign in: both request the catalog's pages, one kind after the
other, in a closed loop without pauses. The answers of each must equal the shop's count; response times are shown side by side.
Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.models.study import PartSpec, SubjectSpec

PAGES = ("home", "category?id=birds", "product?id=finch", "item?id=finch-1")
SETTINGS = """
parser = false
connection = keep-alive
benchmark = true
json_output = true
verbose = false
color = off
logging = false
limit = 1000
timeout = 30
"""
SHOP = SubjectSpec(
    label="tomcat",
    parts=[PartSpec(server="tomcat-springws")],
    companions=[PartSpec(server="h2"), PartSpec(server="greenmail")],
)


@contextmanager
def open_shop(folder: Path) -> Iterator[str]:
    """The address of a shop that runs within this context."""
    with Progress(Console(quiet=True)) as progress:
        ready = subject.provide_subject(SHOP, entries.service("petstore"), progress)
        shares = cpus.share(companions=True)
        with launch.running_subject(ready, folder, shares, random.Random(time.time_ns()), progress) as running:
            yield f"http://{running.host}:{running.front.port}/petstore"


def count(shop: str) -> int:
    """The number of page requests that the shop counted so far."""
    with urllib.request.urlopen(f"{shop}/count", timeout=30) as answer:
        return int(answer.read())


def by_siege(url: str, users: int, seconds: int, folder: Path) -> dict[str, float]:
    """Answers, failures and mean response time in ms; siege prints hundredths of a second, so the mean is users / throughput."""
    settings = folder / "siegerc"
    settings.write_text(SETTINGS)
    command = ["siege", f"--rc={settings}", f"--concurrent={users}", f"--time={seconds}S", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True)
    told: dict[str, float] = json.loads(done.stdout[done.stdout.index("{") :])
    answers = int(told["transactions"])
    return {
        "answers": answers,
        "failures": int(told["failed_transactions"]),
        "response_ms": 1000 * users * told["elapsed_time"] / answers,
    }


def by_steelyard(url: str, users: int, seconds: int, folder: Path) -> dict[str, float]:
    """The same by `steelyard load`; answers include the verification's and the lead-in's."""
    program = Path(sys.executable).with_name("steelyard")
    command = [program, "load", url, "--users", str(users), "--for", f"{seconds}s", "--json", "--out", folder / "loads"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    told: dict[str, Any] = json.loads(done.stdout)
    mean = 1000 * users / told["throughput_per_s"]["value"]
    return {"answers": told["sent"], "failures": told["failed"], "response_ms": mean}


def side_by_side(users: int, seconds: int) -> list[dict[str, Any]]:
    """One row per page and tool: the tool's count, the shop's count, and the mean response time in ms."""
    rows = []
    with tempfile.TemporaryDirectory() as name, open_shop(Path(name)) as shop:
        for page in PAGES:
            for tool, ask in (("siege", by_siege), ("steelyard", by_steelyard)):
                before = count(shop)
                told = ask(f"{shop}/{page}", users, seconds, Path(name))
                rows.append({"page": page, "tool": tool, **told, "counted": count(shop) - before})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=10)
    asked = parser.parse_args()
    if shutil.which("siege") is None:
        sys.exit("error: siege is not installed\nhint: Debian: apt install siege")
    print(json.dumps(side_by_side(asked.users, asked.seconds), indent=1))


if __name__ == "__main__":
    main()
