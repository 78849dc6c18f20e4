"""Makes docs/reference/engine-figures.md from the raw data in results/; with --check, fails if the page is stale."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

from poisson import CRITICAL_1_PERCENT

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "reference" / "engine-figures.md"
Row = dict[str, str]
MOST_GROWTH_KIB = 1024  # from the first tenth of a piece to its end

INTRODUCTION = """\
# The engine's figures

This page is made by `make bench-table` from the raw data in `engine/bench/results/`; `make bench` measures these again.

Client and server have a processor each. In `capacity`, nginx answers a SOAP request of 258 bytes with a fixed envelope of
165 bytes, over persistent connections. Each peer is measured in pairs with the engine, in alternating order;
ratios are medians over pairs, with the smallest and the largest in brackets. nginx counts the requests and the kernel the
processor time, for all clients alike. The engine verifies status and content of every answer and records everything
that it always records. Of the peers, wrk keeps a latency histogram, and none checks the content. If other processes used
more than 3% of the processors during a measurement, it is repeated, up to a time limit. The column *others at most* shows
their highest use.
"""

SESSION_LOADS = {
    "plain": "plain requests",
    "session": "sessions of two requests: a captured value fills the second",
    "signed": "the same, where the second has an HMAC of method, path and body",
}
BESIDE_RMI = """
## The driver of Java RMI beside the engine

The same closed load for both. Each has a server of its own protocol that waits, reports when it answers, and does nothing else.
p50 and p99 are of the recorded response time minus the server's own (write - due). For RMI they include the server's
marshalling and the driver's unmarshalling.

"""


def read(results: Path, name: str) -> list[Row]:
    path = results / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def met(holds: bool) -> str:
    return "met" if holds else "**missed**"


def cpu(row: Row) -> float:
    """User and system time of a request, µs."""
    return float(row["user_us_per_request"]) + float(row["system_us_per_request"])


def pairs(rows: list[Row]) -> list[tuple[Row, Row]]:
    """(engine, peer) by pair; a pair that was not finished is left out."""
    by_pair: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_pair.setdefault(row["pair"], {})["engine" if row["client"] == "steelyard-engine" else "peer"] = row
    return [(both["engine"], both["peer"]) for both in by_pair.values() if len(both) == 2]


def ratio(both: list[tuple[Row, Row]], value: Callable[[Row], float]) -> tuple[float, str]:
    """The median over pairs of engine by peer, and how it is written."""
    ratios = [value(engine) / value(peer) for engine, peer in both]
    middle = median(ratios)
    return middle, f"{middle:.3f} [{min(ratios):.3f}, {max(ratios):.3f}]"


def capacity(rows: list[Row], setup: list[Row]) -> str:
    if not rows:
        return ""
    text = ""
    for connections in sorted({int(row["connections"]) for row in rows}, reverse=True):
        here = [row for row in rows if int(row["connections"]) == connections]
        text += f"\n## Throughput and processor time, {connections} connections\n\n"
        lines, verdicts = [], []
        for peer in dict.fromkeys(row["peer"] for row in here):
            both = pairs([row for row in here if row["peer"] == peer])
            if not both:
                continue
            rate, rate_text = ratio(both, lambda row: float(row["rate_per_s"]))
            cost, cost_text = ratio(both, cpu)
            peers = [other for _, other in both]
            lines.append([
                peer, str(len(both)), f"{median(float(row['rate_per_s']) for row in peers):,.0f}", rate_text,
                f"{median(map(cpu, peers)):.2f}", cost_text,
                f"{median(float(row['user_us_per_request']) for row in peers):.2f}", busy(peers, "client"),
                busy(peers, "server"), others(peers),
            ])  # fmt: skip
            if peer == "wrk":
                verdicts.append(["processor time at most 1.0 x wrk", f"{cost:.3f}", met(cost <= 1.0)])
                verdicts.append(["throughput at least 0.95 x wrk", f"{rate:.3f}", met(rate >= 0.95)])
            else:
                verdicts.append([f"throughput above {peer}", f"{rate:.3f}", met(rate > 1.0)])
        engines = [row for row in here if row["client"] == "steelyard-engine"]
        user = median(float(row["user_us_per_request"]) for row in engines)
        lines.insert(0, [
            "engine", str(len(engines)), f"{median(float(row['rate_per_s']) for row in engines):,.0f}", "",
            f"{median(map(cpu, engines)):.2f}", "", f"{user:.2f}", busy(engines, "client"),
            busy(engines, "server"), others(engines),
        ])  # fmt: skip
        verdicts.insert(0, ["user time of a request at most 1.0 µs", f"{user:.2f} µs", met(user <= 1.0)])
        text += table(
            ["client", "runs", "requests/s", "engine's, ratio", "CPU µs a request", "engine's, ratio", "user µs",
             "client's processor busy", "server's busy", "others at most"],
            lines,
        )  # fmt: skip
        for fact in setup:
            if (
                fact["figure"] == "capacity"
                and fact["value"].startswith("not installed")
                and fact["what"] not in {row["peer"] for row in here}
            ):
                text += f"\n{fact['what']}: {fact['value']}\n"
        if connections == 30:
            text += "\n" + table(["figure", "value", "verdict"], verdicts)
        else:
            text += "\nShown, not judged: with few connections the time to wake up decides, on either side.\n"
    return text


def http2(rows: list[Row]) -> str:
    return beside_peers("HTTP/2 with prior knowledge, 30 streams on one connection", rows, "h2load")


def tls(rows: list[Row]) -> str:
    connections = rows[0]["connections"] if rows else ""
    return beside_peers(f"TLS, {connections} connections that are kept", rows, "wrk", "h2load")


def beside_peers(title: str, rows: list[Row], *judged_by_user_time: str) -> str:
    if not rows:
        return ""
    lines, verdicts = [], []
    for peer in dict.fromkeys(row["peer"] for row in rows):
        both = pairs([row for row in rows if row["peer"] == peer])
        if not both:
            continue
        rate, rate_text = ratio(both, lambda row: float(row["rate_per_s"]))
        user, user_text = ratio(both, lambda row: float(row["user_us_per_request"]))
        peers = [other for _, other in both]
        lines.append([peer, str(len(both)), rate_text, ratio(both, cpu)[1], user_text, others(peers)])
        verdicts.append([f"throughput at least 1.0 x {peer}", f"{rate:.3f}", met(rate >= 1.0)])
        if peer in judged_by_user_time:
            verdicts.append([f"user time of a request at most 1.0 x {peer}", f"{user:.3f}", met(user <= 1.0)])
    header = ["client", "pairs", "engine's requests/s, ratio", "CPU, ratio", "user CPU, ratio", "others at most"]
    text = f"\n## {title}\n\n" + table(header, lines)
    return text + "\n" + table(["figure", "value", "verdict"], verdicts)


def busy(rows: list[Row], side: str) -> str:
    return f"{100 * median(float(row[f'{side}_cpu_busy']) for row in rows):.0f}%"


def others(rows: list[Row]) -> str:
    """The greatest share of all processors that processes of others had during a measurement."""
    return f"{100 * max(float(row['others_cpu']) for row in rows):.0f}%"


def delays(rows: list[Row]) -> str:
    if not rows:
        return ""
    text = "\n## Recorded response time minus the server's own (write - due)\n\n"
    lines = []
    for key in dict.fromkeys((row["delay_us"], row["rate_per_s"]) for row in rows):
        here = [row for row in rows if (row["delay_us"], row["rate_per_s"]) == key]
        middle = {name: median(float(row[name]) for row in here) for name in here[0] if name != "valid"}
        good = middle["difference_p50_us"] < 50 and middle["difference_p99_us"] < 200
        lines.append([
            f"{int(key[0]) / 1000:g} ms, {int(key[1]):,}/s", str(len(here)), f"{middle['difference_p50_us']:.1f}",
            f"{middle['difference_p99_us']:.1f}", f"{middle['lateness_p50_us']:.1f}", f"{middle['lateness_p99_us']:.1f}",
            f"{max(float(row['due_step_error_ns']) for row in here):.0f}",
            others(here), met(good),
        ])  # fmt: skip
    header = ["delay, rate", "runs", "p50 µs", "p99 µs", "lateness p50 µs", "lateness p99 µs", "due off the grid, ns",
              "others at most", "p50 < 50, p99 < 200"]  # fmt: skip
    return text + table(header, lines)


def freezes(rows: list[Row]) -> str:
    if not rows:
        return ""
    text = "\n## A server that freezes 1 s in every 10, at a constant 1,000/s, 60 s\n\n"
    lines = []
    for share in dict.fromkeys(row["quantile"] for row in rows):
        here = [row for row in rows if row["quantile"] == share]
        worst = max(here, key=lambda row: abs(float(row["relative_error"])))
        lines.append([
            f"p{100 * float(share):g}", str(len(here)), f"{median(float(row['recorded_ms']) for row in here):.1f}",
            f"{median(float(row['computed_ms']) for row in here):.1f}", f"{100 * float(worst['relative_error']):+.2f}%",
            others(here), met(abs(float(worst["relative_error"])) <= 0.03),
        ])  # fmt: skip
    return text + table(
        ["percentile", "runs", "recorded ms", "computed ms", "worst error", "others at most", "within 3%"], lines
    )


def memory(rows: list[Row]) -> str:
    if not rows:
        return ""
    text = "\n## Memory\n\n"
    lines = []
    for row in rows:
        few = int(row["connections"]) <= 1000
        growth = int(row["last_quarter_kib"]) / max(int(row["second_quarter_kib"]), 1) - 1
        good = row["failures"] == "0" and growth < 0.02 and (not few or int(row["max_rss_kib"]) < 64 * 1024)
        lines.append([
            f"{int(row['connections']):,} connections, {row['seconds']} s", f"{int(row['requests']):,}", row["failures"],
            f"{int(row['max_rss_kib']) / 1024:.1f}", f"{100 * growth:+.1f}%", met(good),
        ])  # fmt: skip
    header = ["load", "requests", "failures", "most MB", "growth from second to last quarter",
              "flat; 1,000 connections under 64 MB"]  # fmt: skip
    return text + table(header, lines)


def endurance(rows: list[Row]) -> str:
    if not rows:
        return ""
    lines, sent, same, flat = [], 0, True, True
    for row in rows:
        counts = [int(row[name]) for name in ("sent", "right", "server")]
        first, end = int(row["first_tenth_kib"]), int(row["end_kib"])
        sent, same, flat = sent + counts[0], same and len({*counts}) == 1, flat and end - first <= MOST_GROWTH_KIB
        lines.append([row["piece"], *(f"{count:,}" for count in counts), f"{first / 1024:.1f}", f"{end / 1024:.1f}"])
    text = f"\n## Endurance: {sent:,} requests over {rows[0]['connections']} connections\n\n"
    text += "A piece is one process of the engine.\n\n"
    text += table(["piece", "sent", "right", "counted by nginx", "MB after a tenth", "MB at the end"], lines)
    verdicts = [
        ["at least 100,000,000 requests", f"{sent:,}", met(sent >= 100_000_000)],
        ["each request was answered right and counted by nginx", "yes" if same else "no", met(same)],
        [f"at most {MOST_GROWTH_KIB // 1024} MB more at the end", "yes" if flat else "no", met(flat)],
    ]
    return text + "\n" + table(["figure", "value", "verdict"], verdicts)


def poisson(rows: list[Row]) -> str:
    if not rows:
        return ""
    lines = []
    for name, what in [
        ("due", "due: the schedule"),
        ("sent", "sent, by the engine's clock"),
        ("read", "read by the server"),
    ]:
        statistics = [float(row[f"anderson_darling_{name}"]) for row in rows]
        passed = sum(statistic <= CRITICAL_1_PERCENT for statistic in statistics)
        verdict = met(10 * passed >= 9 * len(rows)) if name == "sent" else ""
        lines.append([what, f"{median(statistics):.3f}", f"{max(statistics):.3f}", f"{passed} of {len(rows)}", verdict])
    header = ["instants", "median A2", "greatest A2", f"pass at 1% ({CRITICAL_1_PERCENT})", "at least 18 of 20"]
    text = "\n## Poisson arrivals at 1,000/s: Anderson-Darling for exponential gaps, 5,000 a run\n\n"
    return text + table(header, lines)


def rmi(rows: list[Row]) -> str:
    if not rows:
        return ""
    lines = []
    for key in dict.fromkeys((row["delay_us"], row["users"], row["driver"]) for row in rows):
        here = [row for row in rows if (row["delay_us"], row["users"], row["driver"]) == key]
        names = ("rate_per_s", "user_us_per_request", "difference_p50_us", "difference_p99_us", "lateness_p99_us")
        middle = {name: median(float(row[name]) for row in here) for name in names}
        good = middle["difference_p50_us"] < 50 and middle["difference_p99_us"] < 200
        lines.append([
            f"{key[2]}, {key[1]} users, {int(key[0]) / 1000:g} ms", str(len(here)), f"{middle['rate_per_s']:,.0f}",
            f"{median(map(cpu, here)):.1f}", f"{middle['user_us_per_request']:.1f}", f"{middle['difference_p50_us']:.1f}",
            f"{middle['difference_p99_us']:.1f}", f"{middle['lateness_p99_us']:.1f}", others(here), met(good),
        ])  # fmt: skip
    header = ["driver, users, delay", "runs", "requests/s", "CPU µs a request", "user µs", "p50 µs", "p99 µs", "lateness p99 µs",
              "others at most", "p50 < 50, p99 < 200"]  # fmt: skip
    return BESIDE_RMI + table(header, lines)


def sessions(rows: list[Row]) -> str:
    if not rows:
        return ""
    user = {
        load: median(float(row["user_us_per_request"]) for row in rows if row["load"] == load) for load in SESSION_LOADS
    }
    lines = [
        [what, str(sum(row["load"] == load for row in rows)), f"{user[load]:.2f}", f"{user[load] / user['plain']:.2f}"]
        for load, what in SESSION_LOADS.items()
    ]
    share = user["session"] / user["plain"]
    verdict = ["user time of a request in a session at most 1.3 x without", f"{share:.2f}", met(share <= 1.3)]
    text = f"\n## Sessions, 30 users (others at most {others(rows)})\n\n"
    text += table(["load", "runs", "user µs a request", "by plain requests"], lines)
    return text + "\n" + table(["figure", "value", "verdict"], [verdict])


def page(results: Path) -> str:
    setup = read(results, "setup")
    text = INTRODUCTION + capacity(read(results, "capacity"), setup)
    for name, section in [
        ("http2", http2),
        ("tls", tls),
        ("delays", delays),
        ("freezes", freezes),
        ("memory", memory),
        ("endurance", endurance),
        ("poisson", poisson),
        ("rmi", rmi),
        ("sessions", sessions),
    ]:
        text += section(read(results, name))
    return text + setups(setup)


def setups(rows: list[Row]) -> str:
    """The machine and the versions of each figure, in one column where figures have the same."""
    if not rows:
        return ""
    by_figure: dict[str, dict[str, str]] = {}
    for row in rows:
        by_figure.setdefault(row["figure"], {})[row["what"]] = row["value"]
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for figure, facts in by_figure.items():
        alike.setdefault(tuple(facts.items()), []).append(figure)
    lines = [
        [what, *(dict(facts).get(what, "") for facts in alike)] for what in dict.fromkeys(row["what"] for row in rows)
    ]
    header = ["what", *(", ".join(figures) for figures in alike.values())]
    return "\n## Setup\n\n" + table(header, lines).replace("---:", "---")


def write(results: Path) -> None:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(results))


def main() -> int:
    results = HERE / "results"
    if sys.argv[1:] != ["--check"]:
        write(results)
        return 0
    if PAGE.exists() and PAGE.read_text() == page(results):
        return 0
    print(f"{PAGE.name} does not say what the raw data says: run `make bench-table`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
