"""The notes of the kept runs of the study `wstest`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steelyard.analyse.sentences import place_text
from steelyard.base.text import ratio_text, value_text
from steelyard.models.verdict import Comparison

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


def by_operation(kept: Kept) -> str:
    """Each subject's throughput over the reference's, operation by operation."""
    reference = kept.run.schedule.reference
    operations = [cell.name for cell in kept.run.schedule.cells]
    beside = _beside(kept)
    rows = [f"| over {reference} | {' | '.join(operations)} |", "|---" * (1 + len(operations)) + "|"]
    for label in dict.fromkeys(label for label, _ in beside):
        rows.append(f"| {label} | {' | '.join(_ratio(beside[label, operation]) for operation in operations)} |")
    return "\n".join(rows)


def _beside(kept: Kept) -> dict[tuple[str, str], Comparison]:
    """The comparison of each subject's throughput with the reference's, by subject and operation."""
    return {
        (one.a, one.cell): one
        for one in kept.verdicts.comparisons
        if one.measure == "throughput" and one.b == kept.run.schedule.reference
    }


def _ratio(one: Comparison) -> str:
    if one.ratio is None or one.interval is None:
        return "-"
    low, high = (ratio_text(bound, one.interval) for bound in one.interval)
    return f"{ratio_text(one.ratio, one.interval)} ({low} to {high})"


def wstest(kept: Kept) -> str:
    """The notes on many stacks on one judged operation, and four more."""
    others = (
        f"Throughput by operation, with its interval; {kept.run.study['primary']} is judged, the others are secondary:"
    )
    parts = [command(kept), placed(kept), tally(kept), steadiness(kept), others, by_operation(kept)]
    return "\n\n".join([*parts, "What it shows.", listed(list(_wstest(kept)))])


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
        if one.is_decided and {one.a, one.b} <= set(kept.on_a_jvm)
    ]
    yield true(
        max(javas) < spread / 2,
        f"The choice of the stack matters more than the choice among servers on a JVM: the largest decided difference between "
        f"these is a factor of {ratio_text(max(javas))}.",
    )
    (floor,) = kept.run.floors
    yield true(
        kept.ratio(floor, first) > 2,
        f"`{floor}`, which reads no XML, answered {ratio_text(kept.ratio(floor, first))} times as many requests as {first}. So "
        "even there more than half of a request's cost is for the message, not for its transport.",
    )
    for busy in (note for note in kept.verdicts.notes if note.startswith("the load engine was")):
        told = true(floor in busy, f"That factor may be too small: {busy.rpartition(':')[0]}.")
        if f" on {kept.run.study['primary']}:" in busy:
            yield told
    yield true(
        kept.shown_better("tomcat-metro", "go") and kept.shown_better("gsoap", "tomcat-metro"),
        f"Native code is not always faster: on {kept.run.study['primary']} Go's stack was slower than Metro on a warm JVM, "
        "C++ was faster.",
    )
    sides = _sides(kept)
    yield from _turned(kept, sides)
    operations = len(kept.run.schedule.cells)
    yield true(
        [subject for subject, both in sides.items() if all(both)] == ["go"]
        and all(len(behind) + len(before) == operations for behind, before in sides.values()),
        "All others are faster in every operation, or slower in every operation.",
    )
    yield _on_tomcat(kept)
    yield true(
        all(kept.shown_better(other, "aspnet-mono") for other in ranks if other != "aspnet-mono"),
        "ASMX on Mono was the slowest of all, and Mono is not .NET.",
    )


def _on_tomcat(kept: Kept) -> str:
    return true(
        kept.shown_better("tomcat-cxf", "wildfly"),
        f"CXF, which is WildFly's stack too, answered {ratio_text(kept.ratio('tomcat-cxf', 'wildfly'))} times as many requests on "
        "Tomcat.",
    )


def _sides(kept: Kept) -> dict[str, tuple[list[str], list[str]]]:
    """For each subject, the operations in which it is slower than the reference, and faster, by intervals that exclude 1."""
    sides: dict[str, tuple[list[str], list[str]]] = {}
    for (subject, operation), one in _beside(kept).items():
        behind, before = sides.setdefault(subject, ([], []))
        if one.interval is not None and not one.interval[0] <= 1 <= one.interval[1]:
            (behind if one.interval[1] < 1 else before).append(operation)
    return sides


def _turned(kept: Kept, sides: Mapping[str, tuple[list[str], list[str]]]) -> Iterator[str]:
    """A sentence for each subject that is faster than the reference in one operation and slower in another."""
    for subject, (behind, before) in sides.items():
        if behind and before:
            yield (
                f"One operation is not a workload: {subject} is slower than {kept.run.schedule.reference} on {', '.join(behind)}, "
                f"and faster on {', '.join(before)}."
            )


def stacks(kept: Kept) -> str:
    """The notes on the CLR and Mono beside servers in Java, and where the run disagrees with the run `wstest`."""
    earlier = Kept(kept.folder.parent / "wstest")
    parts = [command(kept), placed(kept), tally(kept), steadiness(kept), by_operation(kept)]
    shown = ["What it shows.", listed(list(_stacks(kept)))]
    apart = "Ratios of throughput on echoStruct in this run and in [`wstest`](../wstest/notes.md), of another day and machine:"
    return "\n\n".join([*parts, *shown, apart, _in_both(kept, earlier)])


def _stacks(kept: Kept) -> Iterator[str]:
    beside = {operation: one for (subject, operation), one in _beside(kept).items() if subject == "dotnet"}
    ratios = {operation: one.ratio or 0 for operation, one in beside.items()}
    least, most = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    yield true(
        all(0.5 < ratio < 2 for ratio in ratios.values()),
        f"On the CLR, .NET is no longer half as fast as Java: it answered from {_ratio(beside[least])} times as many requests as "
        f"Metro ({least}) to {_ratio(beside[most])} times ({most}).",
    )
    yield true(
        kept.shown_better("dotnet", "dotnet-mono"),
        f"The runtime makes that difference: the same assembly answered {ratio_text(kept.ratio('dotnet', 'dotnet-mono'))} times "
        "as many requests on the CLR as on Mono.",
    )
    yield true(
        kept.shown_better("dotnet-mono", "aspnet-mono"),
        f"The framework costs as well: on Mono, XmlSerializer over HttpListener answered "
        f"{ratio_text(kept.ratio('dotnet-mono', 'aspnet-mono'))} times as many as ASMX.",
    )
    yield from _turned(kept, _sides(kept))
    yield _on_tomcat(kept)


def _in_both(kept: Kept, earlier: Kept) -> str:
    """The subjects of both runs, each with its ratio to the reference in either run."""
    reference, cell = kept.run.schedule.reference, str(kept.run.study["primary"])
    here, there = _beside(kept), _beside(earlier)
    both = [subject for subject, operation in here if operation == cell and (subject, cell) in there]
    rows = [f"| over {reference} | here | `wstest` |", "|---|---|---|"]
    rows += [f"| {subject} | {_ratio(here[subject, cell])} | {_ratio(there[subject, cell])} |" for subject in both]
    return "\n".join(rows)


def double(kept: Kept) -> str:
    """The notes on the paper's question under twice the load."""
    return "\n\n".join([command(kept), placed(kept), tally(kept), steadiness(kept), by_operation(kept)])


MADE = {"wstest": wstest, "wstest-stacks": stacks, "wstest-double": double}
