"""Makes docs/reference/attacks.md from the outcomes in attacks.csv beside it: `python tools/attacks_page.py [--check]`."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from kept import ROOT, keep
from steelyard.statistics.proportions import exact_interval

TABLE = ROOT / "docs" / "reference" / "attacks.csv"
PAGE = TABLE.with_suffix(".md")
DEFECT = "defect"
OUTCOMES = ("unaffected", "recorded failure", "resumed without loss", DEFECT)

INTRODUCTION = """\
# Attacks on Steelyard

`make faults` attacks Steelyard itself: it kills its processes, damages its files, limits its resources, moves its clocks, breaks
its network and its writes, and makes servers give false answers. These are not the faults of a study, which affect its
subjects. `make attacks` makes this page from `attacks.csv`.

Each attack is drawn from a seed. An oracle that uses none of Steelyard's code (`tests/attacks/oracle.py`) judges it by

- remaining processes, which have a mark in their environment;
- SHA-256 of the user's files, of the finished trials, and of a stored run's tables;
- the counts of the oracle's own server, compared with those of the run folder, and the sums that must hold within it;
- the orders and broken rules that a shop with log-in counts, for loads of sessions;
- the instants of stored slices, which must lie within the command's own, for moved clocks;
- the exit code, and the text on standard error: no stack trace, and an error with its next step.

The outcomes are

- *unaffected*: the command succeeded, and its counts are those of the server;
- *recorded failure*: it ended with an error or an exit code for the failure, or the failure is stored in the trial's record;
- *resumed without loss*: it was stopped, and a resumed run completed every trial and did not change the finished ones;
- *defect*: the oracle found something wrong.

The interval is Clopper and Pearson's exact one (95%) for the share of defects among the attacks when they were first
made. Repaired defects stay in these counts. So do defects of the attacks themselves, as all five of revision bdbc70e65f: an
answer in gzip was right, two answers still met the rule, one cannot be detected by any client, and a relative PYTHONPATH ended
Python. In that of revision 2d71d21eaf the shop did not count an answer 401 as right, but a client cannot know that it is a lie.
The last column counts attacks that still find a defect when they are repeated.
Signals are sent only after the first step of progress, because before that Python itself starts.
"""


def first_and_last(rows: Sequence[Mapping[str, str]]) -> list[tuple[Mapping[str, str], Mapping[str, str]]]:
    """The first and the last row of each attack."""
    by_attack: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        by_attack.setdefault((row["seed"], row["kind"], row["number"]), []).append(row)
    return [(found[0], found[-1]) for found in by_attack.values()]


def page(rows: Sequence[Mapping[str, str]]) -> str:
    """The whole page."""
    text = INTRODUCTION
    attacks = first_and_last(rows)
    for seed in sorted({first["seed"] for first, _ in attacks}, key=int):
        text += f"\n## Seed {seed}\n\n" + _seed_text([pair for pair in attacks if pair[0]["seed"] == seed])
    return text


def _seed_text(attacks: Sequence[tuple[Mapping[str, str], Mapping[str, str]]]) -> str:
    kinds = sorted({first["kind"] for first, _ in attacks})
    lines = [
        ["kind", "attacks", *OUTCOMES, "share of defects", "still a defect"],
        ["---"] * (len(OUTCOMES) + 4),
        *(_line(kind, [pair for pair in attacks if pair[0]["kind"] == kind]) for kind in kinds),
        _line("all", attacks),
    ]
    revisions = dict.fromkeys(row["revision"] for pair in attacks for row in pair)
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    text += f"\nRevisions: {', '.join(revisions)}.\n"
    others = Counter(first["outcome"] for first, _ in attacks if first["outcome"] not in OUTCOMES)
    if others:
        named = " and ".join(f"{count} {outcome}" for outcome, count in sorted(others.items()))
        text += f"\nLeft out of the table: {named}.\n"
    defects = [_defect(first, last) for first, last in attacks if first["outcome"] == DEFECT]
    return text + ("\n### Defects\n\n" + "\n".join(defects) + "\n" if defects else "")


def _line(kind: str, attacks: Sequence[tuple[Mapping[str, str], Mapping[str, str]]]) -> list[str]:
    counts = Counter(first["outcome"] for first, _ in attacks if first["outcome"] in OUTCOMES)
    low, high = exact_interval(counts[DEFECT], counts.total())
    still = sum(last["outcome"] == DEFECT for _, last in attacks)
    shares = f"{low:.1%} to {high:.1%}"
    return [kind, str(counts.total()), *(str(counts[outcome]) for outcome in OUTCOMES), shares, str(still)]


def _defect(first: Mapping[str, str], last: Mapping[str, str]) -> str:
    now = "not repeated yet" if last is first else f"now: {last['outcome']} ({last['revision']})"
    what = _plain(f"{first['kind']}, {first['variant']}")
    return f"- {what}: {_plain(first['detail'])} ({first['revision']}; {now})"


def _plain(text: str) -> str:
    """A text without marks of Markdown and HTML."""
    for mark in "\\`*_[]<>|":
        text = text.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return text


def main() -> int:
    """Write the page, or with --check fail where it is stale."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return keep(PAGE, page(rows), "`make attacks`")


if __name__ == "__main__":
    sys.exit(main())
