"""Measures the engine against its peers and against servers that know the truth; raw data goes to results/.

    python3 engine/bench/bench.py            all figures, about fifteen minutes on an idle machine with two processors
    python3 engine/bench/bench.py capacity   only one; also: http2, tls, delays, freezes, memory, poisson, rmi, sessions
    python3 engine/bench/bench.py endurance  1e8 requests, only where it is named: a quarter of an hour; may be stopped and goes on

Needs nginx, and the engine with its test servers built for release. A peer that is not installed is left out and named.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import capacity
import endurance
import exactness
import memory
import poisson
import rmi
import session_cost
import table
from clients import ENGINE, PEERS
from processes import BenchError
from quiet import Quiet

HERE = Path(__file__).resolve().parent
FIGURES = ["capacity", "http2", "tls", "delays", "freezes", "memory", "endurance", "poisson", "rmi", "sessions"]
ONLY_IF_NAMED = "endurance"
WITH_PEERS = ["capacity", "http2", "tls"]
SETUP_COLUMNS = ["figure", "what", "value"]
MEMORY_CASES = [(1_000, 4), (1_000, 32), (10_000, 8)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    figures = f"any of {', '.join(FIGURES)}; all but {ONLY_IF_NAMED} by default"
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=figures)
    parser.add_argument(
        "--engine", help="the folder with the built programs", default=HERE.parent / "target" / "release"
    )
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of engine and peer")
    parser.add_argument("--seconds", type=int, default=3, help="length of each run of a client")
    parser.add_argument("--connections", type=int, nargs="+", default=[30, 5])
    parser.add_argument("--peers", nargs="+", default=[peer.name for peer in PEERS])
    parser.add_argument(
        "--patience", type=float, default=600, help="seconds in all to wait until others leave the machine alone"
    )
    parser.add_argument("--repeats", type=int, default=3, help="repeats of each exactness figure")
    given = parser.parse_args()
    for what, names, known in (
        ("figure", given.figures, FIGURES),
        ("peer", given.peers, [peer.name for peer in PEERS]),
    ):
        unknown = [name for name in names if name not in known]
        if unknown:
            parser.error(f"no {what} is called {unknown[0]!r}; there are {', '.join(known)}")
    return given


def main() -> int:
    given = arguments()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # as Ctrl-C: servers and folders go
    try:
        bench(given)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


def bench(given: argparse.Namespace) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        raise BenchError("two processors are needed, one for the server and one for the client")
    names = ("steelyard-engine", "steelyard-testserver", "steelyard-keeper")
    engine, server, keeper = (program(Path(given.engine), name) for name in names)
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        raise BenchError("nginx is not installed: apt-get install nginx-light")
    quiet = Quiet(given.patience)
    settings = capacity.Settings(
        engine, nginx, keeper, given.pairs, given.seconds, given.connections, given.peers, quiet
    )
    rows: dict[str, tuple[list[str], Callable[[], Iterator[dict[str, object]]]]] = {
        "capacity": (capacity.COLUMNS, lambda: capacity.measure(settings)),
        "http2": (capacity.COLUMNS, lambda: capacity.measure_http2(settings)),
        "tls": (capacity.COLUMNS, lambda: capacity.measure_tls(settings)),
        "delays": (exactness.DELAY_COLUMNS, lambda: exactness.delays(engine, server, quiet, given.repeats, 5)),
        "freezes": (exactness.FREEZE_COLUMNS, lambda: exactness.freezes(engine, server, quiet, given.repeats, 60)),
        "memory": (memory.COLUMNS, lambda: memory.measure(engine, (nginx, keeper), MEMORY_CASES)),
        "endurance": (
            endurance.COLUMNS,
            lambda: endurance.measure(engine, (nginx, keeper), stopped_rows(given.results / "endurance.part")),
        ),
        "poisson": (poisson.COLUMNS, lambda: poisson.measure(engine, server, quiet, 20)),
        "rmi": (rmi.COLUMNS, lambda: rmi.measure(engine, server, quiet, given.repeats, given.seconds)),
        "sessions": (
            session_cost.COLUMNS,
            lambda: session_cost.measure(engine, (nginx, keeper), quiet, given.repeats, given.seconds),
        ),
    }
    given.results.mkdir(parents=True, exist_ok=True)
    for figure in given.figures or [figure for figure in FIGURES if figure != ONLY_IF_NAMED]:
        columns, measure = rows[figure]
        write_as_measured(given.results / f"{figure}.csv", columns, measure())
        write_setup(given.results / "setup.csv", figure, setup(engine, figure))
    if given.results == HERE / "results":
        table.write(given.results)


def program(folder: Path, name: str) -> str:
    path = folder / name
    if not path.is_file():
        raise BenchError(f"{path} is not built: cargo build --release --features testservers, in engine/")
    return str(path)


def write_as_measured(path: Path, columns: list[str], rows: Iterator[dict[str, object]]) -> None:
    """Write each row when it is there, so that a bench that is stopped keeps what it has; the old file goes last."""
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()
            print(f"{path.stem}: " + " ".join(f"{key}={value}" for key, value in row.items()), flush=True)
    part.replace(path)


def stopped_rows(part: Path) -> list[dict[str, object]]:
    """The whole rows of a figure whose measurement was stopped; none where it was not."""
    text = part.read_text() if part.exists() else ""
    return list(csv.DictReader(text[: text.rfind("\n") + 1].splitlines()))


def setup(engine: str, figure: str) -> dict[str, str]:
    """The machine, and the versions of the engine and of the peers that a figure compares it with."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    versions = capacity.versions(engine)
    return {
        "kernel": platform.release(),
        "processors": str(len(os.sched_getaffinity(0))),
        "processor": model[0].split(": ", 1)[1] if model else platform.machine(),
        **(versions if figure in WITH_PEERS else {ENGINE.name: versions[ENGINE.name]}),
    }


def write_setup(path: Path, figure: str, facts: Mapping[str, str]) -> None:
    """Replace the rows of a figure; those of the others stay, since each may be measured on another machine."""
    rows = [row for row in table.read(path.parent, path.stem) if row["figure"] != figure]
    rows += [{"figure": figure, "what": what, "value": value} for what, value in facts.items()]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, SETUP_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: FIGURES.index(row["figure"])))


if __name__ == "__main__":
    sys.exit(main())
