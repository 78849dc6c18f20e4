"""What is said of the kept run of many ways to answer one question."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.analyse.sentences import place_text
from steelyard.base.text import ratio_text, value_text

from .kept_run import Kept, command, listed, steadiness, tally, true


def placed(kept: Kept) -> str:
    """The subjects by their ratio to the reference."""
    reference = kept.run.schedule.reference
    places = {one.subject: place_text(one) for one in kept.verdicts.ranks}
    beside = {one.a: one for one in kept.primaries if one.b == reference}
    order = [*places, *(label for label in beside if label not in places)]
    rows = [f"| place | subject | throughput over {reference} | interval | verdict |", "|---|---|---|---|---|"]
    for label in order:
        one, place = beside.get(label), places.get(label, "floor" if label in kept.run.floors else "-")
        if one is None or one.ratio is None or one.interval is None:
            rows.append(f"| {place} | {label} | 1 | | |")
        else:
            low, high = (ratio_text(bound, one.interval) for bound in one.interval)
            rows.append(
                f"| {place} | {label} | {ratio_text(one.ratio, one.interval)} | {low} to {high} | {one.verdict} |"
            )
    return "\n".join(rows)


def wstest(kept: Kept) -> str:
    """What is said of many ways to answer one question."""
    return "\n\n".join(
        [command(kept), placed(kept), tally(kept), steadiness(kept), "What it shows.", listed(list(_wstest(kept)))]
    )


def _wstest(kept: Kept) -> Iterator[str]:
    ranks = [one.subject for one in kept.verdicts.ranks]
    first, last = ranks[0], ranks[-1]
    spread = kept.ratio(first, last)
    yield true(
        kept.shown_better(first, last) and spread > 3,
        f"From the fastest stack ({first}) to the slowest ({last}) throughput differs by a factor of {value_text(spread)}.",
    )
    javas = [
        max(one.ratio or 1, 1 / (one.ratio or 1))
        for one in kept.primaries
        if one.decided and {one.a, one.b} <= set(kept.on_a_jvm)
    ]
    yield true(
        max(javas) < spread / 2,
        f"The choice of the stack matters more than the choice among servers on a JVM: of their differences that were decided the "
        f"greatest is a factor of {ratio_text(max(javas))}.",
    )
    (floor,) = kept.run.floors
    yield true(
        kept.ratio(floor, first) > 2,
        f"`{floor}`, which reads no XML, answered {ratio_text(kept.ratio(floor, first))} times as many requests as {first}, so "
        "more than half of what a request costs even there is the message, not the wire.",
    )
    for busy in (note for note in kept.verdicts.notes if note.startswith("the load engine was")):
        yield true(floor in busy, f"That factor may be too small: {busy.rpartition(':')[0]}.")
    yield true(
        kept.shown_better("tomcat-metro", "go") and kept.shown_better("gsoap", "tomcat-metro"),
        "Compiled code is no guarantee: Go's stack came out behind Metro on a warm JVM, C++ before it.",
    )
    yield true(
        kept.shown_better("tomcat-cxf", "wildfly"),
        f"CXF, which is WildFly's stack too, answered {ratio_text(kept.ratio('tomcat-cxf', 'wildfly'))} times as many on Tomcat.",
    )
    yield true(
        all(kept.shown_better(other, "aspnet-mono") for other in ranks if other != "aspnet-mono"),
        "ASMX on Mono was the slowest of all, and Mono is not .NET.",
    )


MADE = {"wstest": wstest}
