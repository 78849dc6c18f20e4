"""The notes of the kept runs of the thesis's tests."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.base.text import ratio_text
from steelyard.catalogue.published_tables import PublishedRow, read_published

from .kept_run import Kept, command, listed, steadiness, tally, true


def soaservers(kept: Kept) -> str:
    """The notes on the thesis's tests."""
    return "\n\n".join(
        [command(kept), when(kept), tally(kept), steadiness(kept), "What it shows.", listed(list(_soaservers(kept)))]
    )


def when(kept: Kept) -> str:
    """The best server for each load."""
    rows = ["| environment | load | tests | best |", "|---|---|---|---|"]
    for one in kept.verdicts.decisions:
        rows.append(f"| {one.operation} | {one.shape} | {', '.join(t.test for t in one.tests)} | {one.sentence} |")
    return "\n".join(rows)


def _soaservers(kept: Kept) -> Iterator[str]:
    reference = kept.run.schedule.reference
    small = [one for one in kept.primaries if one.operation != "large"]
    beside = {
        label: [one for one in small if (one.a, one.b) == (label, reference)] for label in kept.run.schedule.subjects
    }
    spans = {label: [one.ratio or 0 for one in found] for label, found in beside.items() if found}
    said = ", ".join(f"{label} {ratio_text(min(found))} to {ratio_text(max(found))}" for label, found in spans.items())
    yield true(
        all(one.best == reference for one in kept.verdicts.decisions if one.operation != "large"),
        f"With small messages {reference} had the highest throughput under every shape of load and in every environment. In these "
        f"tests the others reached the following shares of its throughput: {said}.",
    )
    left = [one for one in small if one.b == reference and not one.is_decided]
    yield true(
        {one.a for one in left} == {"glassfish"},
        f"Of the comparisons with {reference} on small messages {len(left)} were not decided, all of GlassFish: "
        + ", ".join(f"test {one.cell} {one.verdict}" for one in left)
        + ".",
    )
    large = [one for one in kept.primaries if one.operation == "large"]
    (best,) = [one.best for one in kept.verdicts.decisions if one.operation == "large"]
    last = {min(spans, key=lambda label: spans[label][place]) for place in range(len(spans["wildfly"]))}
    yield true(
        not any(one.is_decided for one in large) and last == {best},
        f"With large messages no difference between two servers was detected. {best}, the slowest in every test of "
        "small messages, had the highest measured throughput.",
    )
    yield from _thesis(kept)
    most = max(cell.users for cell in kept.run.schedule.cells)
    yield true(
        not any(test.failed for one in kept.verdicts.decisions for test in one.tests),
        f"No server refused a request, failed to answer it, or answered it wrongly, with up to {most} users.",
    )
    counts = [one for trial in kept.run.trials if trial.record is not None for one in trial.record.counted]
    yield true(
        all(one.by_service == one.by_engine for one in counts),
        f"The counts of services and engine agree in every trial, {sum(one.by_engine for one in counts):,} requests in all.",
    )
    yield from _scale(kept)


def _thesis(kept: Kept) -> Iterator[str]:
    rows: dict[str, dict[str, PublishedRow]] = {}
    for row in read_published(kept.folder / "published.csv"):
        rows.setdefault(row.test, {})[row.server] = row
    slower = {
        test: two["weblogic"].throughput_per_s.value / two["tomcat"].throughput_per_s.value
        for test, two in rows.items()
    }
    one_service = max(abs(ratio - 1) for test, ratio in slower.items() if int(test) <= 6)
    composed = max(ratio for test, ratio in slower.items() if int(test) > 6)
    yield true(
        one_service < 0.06 and composed < 0.5,
        "The thesis found another difference between its two servers: "
        f"with one service they were within {one_service:.0%} of each other, and when services called each other, one of them had "
        f"{composed:.0%} of the other's throughput or less.",
    )


def _scale(kept: Kept) -> Iterator[str]:
    scale = kept.run.schedule.scale
    profiles = {one["name"]: one["profile"] for one in kept.run.study["tests"]}
    bursts = [cell for cell in kept.run.schedule.cells if cell.profile.kind == "bursts"]
    told = [
        f"test {cell.name} has bursts of {cell.profile.on_seconds:g} s and not {profiles[cell.name]['on_seconds'] * scale:g}"
        for cell in bursts
        if cell.profile.kind == "bursts" and cell.profile.on_seconds > profiles[cell.name]["on_seconds"] * scale
    ]
    yield f"Times were scaled by {scale:g}, but {' and '.join(told)}: shorter bursts cannot be analysed."
    drifts = [one for one in kept.verdicts.detections if one.detector == "drift" and one.subject]
    unjudged = sum(not one.judged for one in drifts)
    undecided = sum(one.sentence.startswith("Undecided") for one in drifts)
    yield true(
        2 * (unjudged + undecided) > len(drifts),
        f"These times are too short for most of the thesis's findings from its charts: of {len(drifts)} blocks of constant load, "
        f"{unjudged} were not judged for drift, and {undecided} are undecided.",
    )
    yield true(
        all(kept.seldom_steady(one) for one in kept.run.schedule.subjects),
        "Every server was steady in less than half of its forks, which is another reason for wide intervals.",
    )


def stress(kept: Kept) -> str:
    """The notes on tests that the thesis describes and does not run: how much load each server bears, and how it refuses more."""
    told = [
        f"{one.cell}: {one.sentence}"
        for one in kept.verdicts.detections
        if one.judged and one.detector in (("knee", "scalability") if one.subject else ("refusal",))
    ]
    return "\n\n".join(
        [
            command(kept),
            when(kept),
            tally(kept),
            steadiness(kept),
            "How much load each server bears, and how it refuses more.",
            listed([*told, *_stress(kept)]),
        ]
    )


def _stress(kept: Kept) -> Iterator[str]:
    reference = kept.run.schedule.reference
    beside = [one for one in kept.primaries if one.b == reference]
    left = [one for one in beside if not one.is_decided]
    yield true(
        {one.a for one in left} == {f"{reference}@small"},
        f"Of {len(beside)} comparisons with {reference} {len(beside) - len(left)} were decided. "
        "All others are of the same server with few workers, and too close for this run: "
        "as long as workers do not wait for each other, it shows no cost of few workers.",
    )
    yield true(
        all(not test.failed for one in kept.verdicts.decisions if one.operation == "single" for test in one.tests),
        "With one service a short queue refused no request: connections are accepted before workers are free. With few workers, "
        "requests are refused when services call each other, because calls wait for workers that wait for calls.",
    )


MADE = {"soaservers": soaservers, "soaservers-stress": stress}
