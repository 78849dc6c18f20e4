"""docs/reference/calibration.md from the bank in docs/results/calibration: `python -m steelyard.calibration.tables [--check]`."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median, stdev
from types import MappingProxyType

from ..base import paths
from ..base.csvfiles import write_text
from ..base.errors import SteelyardError
from ..statistics.looks import LOOKS, alpha_of
from ..statistics.redraws import BLOCK
from ..statistics.variance import components
from . import bank as banking
from . import banked, deferred_work, usual_runs
from .bank import Bank
from .deferred_work import LAB, SHORT, Drive, Off
from .keys import KEYS, Key
from .page_figures import LEAST_FORKS, MINUTES, REDRAWS, Figures, SlowedDown, figures
from .usual_runs import UsualRun
from .values import Values, values_of

NOTES = "notes.md"
FEWEST_FORKS = 4

INTRODUCTION = """\
# How far verdicts can be trusted

This page is made by `make calibration-tables` from the tables in `docs/results/calibration/`. `make calibrate-study` collects
them with the settings of `compare` (`studies/compare.toml`). Each *fork* starts the same server twice, as `a` and `again`. Every
round measures both, and measures both once more with `again` slowed down by a level: for each request the service spins for a
share of a request's cost. This is the planted slow-down. The slices take turns. So there are true differences of known size, and
one of zero.

Only forks are measured. A *redraw* is not a measurement: it draws forks from those measured, with replacement, and judges them by
the rule of `compare`. That rule looks after {looks} forks, with alpha {alpha} each. Its margin is 3% unless a row states
another one, and no interval is narrower than its floor. Neighbouring forks are correlated, so redraws take blocks of
up to {block} neighbours of one session. *Real minutes* are the time of the drawn forks with the two compared subjects
alone: starts, verification, warm-up, slices and ends. Where a fork took longer than its share of the budget, its last rounds are
left out, because a comparison would not have measured them. The time of a lost fork counts too.

The true value is known from outside the comparison. For A/A it is exactly no difference. For a level it is the planted time per
request, as a share of the processor time of a request of the same process without it, in the same fork. A request's
cost changes from fork to fork with the host's speed, so each fork is compared with its own share.
"""


DEFERRED_SAID = """
Two servers have the same planted work per request, by the server's own clock. One does it before it answers. The other does a part
of it later, or has additional periodic work. Each round starts each server alone, and both together: in turns of 150 ms, and as a
run measures them. A run has longer turns or undivided slices where slow answers or work at rest require it.
"""


def page(
    bank: Bank,
    notes: str,
    usual: Sequence[UsualRun] = (),
    drives: Sequence[Drive] = (),
    fork_within: float = math.inf,
    banks: Mapping[Key, Bank] = MappingProxyType({}),
) -> str:
    """The whole page; the same banks give the same bytes. `usual` are runs of the usual way on the same machine, `drives` those of
    servers that defer work; `fork_within` are the seconds that the budget has for a fork. `banks` are all that have begun, of
    which `bank` is the first key's."""
    looks = ", ".join(str(look) for look in LOOKS)
    parts = [INTRODUCTION.format(looks=looks, alpha=alpha_of(LOOKS), block=BLOCK)]
    values = values_of(bank, fork_within)
    parts += [_banks_text(banks), _bank_text(values)]
    if values.levels and all(len(level.counted_ratios) >= FEWEST_FORKS for level in values.levels.values()):
        shown = figures(values, usual, drives, values_of(bank))
        parts += [_table_of_rows(shown), _levels(shown), _deferral_text(shown), _forks(bank, values), _setup(bank)]
    if notes:
        parts.append(notes)
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _banks_text(banks: Mapping[Key, Bank]) -> str:
    return (
        f"## Collected forks\n\n{table(banked.HEADER, banked.rows(banks))}\n{banked.NOTHING_ELSE}\n## {KEYS[0].name}\n"
    )


def _bank_text(values: Values) -> str:
    count = len(values.equal.forks) if values.levels else 0
    if count < LEAST_FORKS:
        state = f"**{count} of {LEAST_FORKS} forks are collected so far: the figures below are preliminary.**"
        if count < FEWEST_FORKS:
            state = f"**{count} of {LEAST_FORKS} forks are collected so far, too few for any figure.**"
    else:
        state = f"There are {count} forks."
    lost = (
        f" {len(values.lost)} of them are lost: they failed, or kept fewer than half of their rounds."
        if values.lost
        else ""
    )
    return f"{state}{lost}\n"


def _table_of_rows(shown: Figures) -> str:
    answers = {True: "yes", False: "**no**", None: ""}
    rows = [[row.figure, row.must_reach, row.reached, answers[row.met], row.why] for row in shown.rows]
    words = ", ".join(f"{word} {share:.1%}" for word, share in shown.words.items() if share)
    header = ["figure", "must reach", "reached", "met", "why"]
    return f"{table(header, rows)}\nThe {REDRAWS:,} redraws of A/A ended as follows: {words}.\n"


def _levels(shown: Figures) -> str:
    limits = [f"within {limit:g} min" for limit in sorted(set(MINUTES.values()))]
    header = ["level", "planted share of the process's own cost", "measured, against `a`", "measured, within one process",
              "by the server's clock", "right sign", "wrong sign", *limits, "median minutes", "forks", "coverage"]  # fmt: skip
    return "## By level, of redraws\n\n" + table(header, [_level(level) for level in shown.levels])


def _level(level: SlowedDown) -> list[str]:
    return [
        f"+{level.level:.0%}",
        f"{math.expm1(-level.truth):+.2%}",
        f"{math.expm1(-level.truth - level.off.estimate):+.2%}",
        f"{math.expm1(-level.within):+.2%}",
        "" if math.isnan(level.clocked) else f"{level.clocked:+.2%}",
        f"{level.right:.1%}",
        f"{level.wrong:.2%}",
        *(f"{share:.1%}" for share in level.found_within.values()),
        f"{level.minutes:.1f}",
        f"{level.forks:.1f}",
        f"{level.coverage:.1%}",
    ]


def _deferral_text(shown: Figures) -> str:
    """Each kind of server with short turns and as in a run, against itself alone."""
    if not shown.deferred:
        return ""
    by_kind: dict[str, dict[str, Off]] = {}
    for off in shown.deferred:
        by_kind.setdefault(off.kind, {})[off.way] = off
    rows = [
        [
            deferred_work.kind_text(kind),
            f"{ways[LAB].alone.estimate:.3f}",
            deferred_work.deviation_text(ways[SHORT].off),
            deferred_work.deviation_text(ways[LAB].off),
            _turns(ways[LAB].turns_ms),
            f"{ways[LAB].at_rest:.1%}",
            f"{ways[LAB].rounds}",
        ]
        for kind, ways in by_kind.items()
        if {SHORT, LAB} <= ways.keys()
    ]
    header = ["against a server that defers nothing, one that does", "ratio, each alone", "off by turns of 150 ms",
              "off as a run drives them",
              "turns of a run, ms", "processor at rest", "rounds"]  # fmt: skip
    return "## Deferred work\n\n" + table(header, rows) + DEFERRED_SAID


def _turns(lengths: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(f"{length:,.0f}" for length in (min(lengths), max(lengths))))


def _forks(bank: Bank, values: Values) -> str:
    """The variation of the forks, and their cost."""
    complete = bank.complete
    equal, cost = values.equal.counted_ratios, values.equal.seconds
    parts = components(values.pairs)
    rows = [
        ["log ratio again / a, standard deviation of forks", f"{stdev(equal):.2%}"],
        ["- of rounds within a fork", f"{math.sqrt(parts.within):.2%}"],
        ["- between forks, without the contribution of rounds", f"{math.sqrt(max(0.0, parts.between)):.2%}"],
        ["rounds, and voided ones", f"{values.rounds:,}, {values.voided:,}"],
        ["forks without a steady state of both", f"{sum(not fork.steady for fork in complete)}"],
        ["seconds of a fork: all", _spread([fork.seconds for fork in complete])],
        ["- starts", _spread([fork.start_seconds for fork in complete])],
        ["- warm-up", _spread([fork.warm_up_seconds for fork in complete])],
        ["- measured", _spread([fork.measured_seconds for fork in complete])],
        ["- verification, stops, the rest", _spread([fork.other_seconds for fork in complete])],
        ["real seconds of a fork, two subjects alone", _spread(list(cost))],
    ]
    return "## The forks\n\n" + table(["", "mean, and the range where there are several"], rows)


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.1f}, {min(values):.1f} to {max(values):.1f}"


def _setup(bank: Bank) -> str:
    """Machine and versions of each sitting; equal ones appear once."""
    steady = "" if bank.setup["pilot_steady"] else ", which found no steady state"
    lines = [f"A request costs {bank.setup['cpu_us_per_request']:.1f} µs of the server's processor (pilot{steady})."]
    measured = [entry for entry in bank.slices if entry.phase == "measure"]
    seconds = median(entry.measured_ns / 1e9 for entry in measured)
    lines.append(f"A fork has {1 + max(entry.round for entry in measured)} rounds of slices of {seconds:.1f} s.")
    stolen = sum(entry.steal_s for entry in measured) / max(1e-9, sum(entry.observed_ns for entry in measured) / 1e9)
    lateness = median(entry.lateness_p99_ns for entry in measured) / 1e6
    lines.append(
        f"The host stole {stolen:.2%} of the measured time; the engine's send lateness had a median p99 of {lateness:.3f} ms."
    )
    lines += dict.fromkeys(_sittings(bank))
    return "## The setup\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def _sittings(bank: Bank) -> Iterator[str]:
    for sitting in bank.setup["sittings"]:
        machine, servers = sitting["machine"], sitting["subjects"]
        server = next(iter(servers.values()))[0]
        jdk = f", JDK {server['jdk']}" if server["jdk"] else ""
        yield (
            f"{machine['processor']}, {machine['processors']} processors, {machine['kernel']}; "
            f"{server['title']} {server['version']}, {server['stack']}{jdk}; Steelyard {sitting['steelyard']}"
        )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with a heading row; cells are text."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def main() -> int:
    """Rewrite the page, or with --check fail if it is out of date."""
    wishes = argparse.ArgumentParser(description=__doc__)
    wishes.add_argument("--check", action="store_true", help="change nothing; fail if the page is out of date")
    wishes.add_argument("--bank", type=Path, default=paths.root() / "docs" / "results" / "calibration")
    wishes.add_argument("--page", type=Path, default=paths.root() / "docs" / "reference" / "calibration.md")
    arguments = wishes.parse_args()
    try:
        notes = arguments.bank / NOTES
        begun = (arguments.bank / banking.FORKS).exists()
        new = page(
            banking.read(arguments.bank) if begun else Bank({}, [], []),
            notes.read_text(encoding="utf-8") if notes.exists() else "",
            usual_runs.read(arguments.bank),
            deferred_work.read(arguments.bank),
            KEYS[0].fork_within,
            banked.read_all(arguments.bank),
        )
    except SteelyardError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    old = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
    if not arguments.check:
        write_text(arguments.page, new)
        return 0
    if new != old:
        print(f"{arguments.page} does not match {arguments.bank}; run `make calibration-tables`", file=sys.stderr)
    return int(new != old)


if __name__ == "__main__":
    sys.exit(main())
