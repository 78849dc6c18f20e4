"""The table of docs/decisions/steadiness-is-judged-by-processor-time.md, from recorded warm-ups; `--check` only compares."""

from __future__ import annotations

import csv
from collections import defaultdict

from kept import ROOT, between, keep
from steelyard.statistics.steady import WarmUpSlice, steady_since

PAGE = ROOT / "docs" / "decisions" / "steadiness-is-judged-by-processor-time.md"
RECORDED = ROOT / "lab" / "tests" / "recorded" / "noisy_warm_up.csv"
BEGIN, END = "<!-- table: made by docs/decisions/steadiness.py -->", "<!-- /table -->"
COLD = ("head-start", "warm-up")


def called(*, by_processor: bool, compilers: bool) -> tuple[int, int]:
    """How many of the recorded cold processes are called steady, and how many there are."""
    processes: dict[tuple[str, str], list[WarmUpSlice]] = defaultdict(list)
    with RECORDED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["phase"] in COLD:
                cost = float(row["cpu_us_per_request"]) * 1000 if by_processor else None
                share = float(row["jit_share"]) if compilers else None
                processes[row["fork"], row["subject"]].append(WarmUpSlice(float(row["throughput_per_s"]), share, cost))
    return sum(steady_since(slices) is not None for slices in processes.values()), len(processes)


def table() -> str:
    """Both paces, with and without what compilers used."""
    lines = ["| pace | compilers seen | cold processes called steady |", "|---|---|--:|"]
    for name, by_processor in (("answers per second", False), ("requests per second of processor time", True)):
        for compilers in (False, True):
            found, count = called(by_processor=by_processor, compilers=compilers)
            lines.append(f"| {name} | {'yes' if compilers else 'no'} | {found} of {count} |")
    return "\n".join(lines)


if __name__ == "__main__":
    page = between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table())
    raise SystemExit(keep(PAGE, page, "`make decisions`"))
