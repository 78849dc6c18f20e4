"""Writes what the kept runs' notes say of them, from their files: `python tools/results.py [--check]`.

A figure is read from the run. A sentence that reasons about figures stands here with the condition under which it is true, and
where that no longer holds nothing is written: the sentence must be thought over.
"""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kept import ROOT, between, keep
from steelyard.analyse.sentences import place_text
from steelyard.base.csvfiles import read_bytes, read_document
from steelyard.base.text import counted, ratio_text, value_text
from steelyard.catalogue.published_layers import MEASURES, read_published_measures
from steelyard.catalogue.published_tables import PublishedRow, read_published
from steelyard.models.verdict import Comparison, LayerFigure, Verdicts
from steelyard.report.sections.paper_claims import own_figure
from steelyard.store.stored_run import Run, read_run

RESULTS = ROOT / "docs" / "results"
PAGE = RESULTS / "README.md"


@dataclass(frozen=True)
class Kept:
    """A kept run and what was said of it."""

    folder: Path

    @cached_property
    def run(self) -> Run:
        """The stored run."""
        return read_run(self.folder)

    @cached_property
    def verdicts(self) -> Verdicts:
        """verdicts.json."""
        return Verdicts.model_validate(read_document(self.folder / "verdicts.json"))

    @cached_property
    def primaries(self) -> list[Comparison]:
        """The comparisons that were judged."""
        return [one for one in self.verdicts.comparisons if one.primary]

    def between(self, a: str, b: str, cell: str = "") -> Comparison:
        """The judged comparison of two subjects in a cell; none said, the first time that they were compared."""
        return next(one for one in self.primaries if {one.a, one.b} == {a, b} and cell in ("", one.cell))

    def ratio(self, a: str, b: str, cell: str = "") -> float:
        """a over b."""
        one = self.between(a, b, cell)
        assert one.ratio is not None
        return one.ratio if one.a == a else 1 / one.ratio

    def shown_better(self, a: str, b: str) -> bool:
        """Whether a was shown to be better than b."""
        one = self.between(a, b)
        return one.verdict == ("faster" if one.a == a else "slower")

    def value(self, subject: str, cell: str, measure: str) -> float:
        """A subject's value of a measure in a cell."""
        wanted = (subject, cell, measure)
        (value,) = [one.value for one in self.verdicts.figures if (one.subject, one.cell, one.measure) == wanted]
        assert value is not None
        return value

    def layer(self, subject: str, cell: str, layer: str) -> LayerFigure:
        """A layer of all of a subject's requests in a cell."""
        wanted = (subject, cell, layer)
        (figure,) = [one for one in self.verdicts.layers if (one.subject, one.cell, one.layer) == wanted]
        return figure

    @cached_property
    def steady(self) -> dict[str, tuple[int, int]]:
        """By subject: forks in which it was steady on all that was warmed up, and forks that it was in."""
        forks, met = Counter[str](), Counter[str]()
        for trial in self.run.trials:
            said: dict[str, bool] = {}
            for one in trial.record.steady if trial.record is not None else ():
                said[one.subject] = said.get(one.subject, True) and one.met
            forks.update(list(said))
            met.update(subject for subject, all_met in said.items() if all_met)
        return {subject: (met[subject], forks[subject]) for subject in self.run.schedule.subjects}

    def seldom_steady(self, subject: str) -> bool:
        """Whether it was steady in less than half of its forks."""
        met, forks = self.steady[subject]
        return 2 * met < forks

    @cached_property
    def on_a_jvm(self) -> list[str]:
        """The subjects that run on a JDK."""
        subjects: Mapping[str, Sequence[Mapping[str, object]]] = self.run.environment["subjects"]
        return [label for label, parts in subjects.items() if any(part.get("jdk") for part in parts)]


class NoLongerTrueError(Exception):
    """A sentence of this page that the kept run does not bear out any more."""


def true(condition: bool, sentence: str) -> str:
    """The sentence; raises NoLongerTrueError where its condition does not hold."""
    if not condition:
        raise NoLongerTrueError(sentence)
    return sentence


def command(kept: Kept) -> str:
    """The command that made the run, over several lines where it is long."""
    words = shlex.join(kept.run.environment["command"])
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) > 110:
            lines.append("  ")
        lines[-1] += f" {word}" if lines[-1].strip() else word
    return " \\\n".join("    " + line for line in lines)


def steadiness(kept: Kept) -> str:
    """Forks in which each subject was steady when it was measured."""
    each = ", ".join(f"{subject} in {met} of {forks}" for subject, (met, forks) in kept.steady.items())
    return f"Steady when they were measured, by the rule of METHODOLOGY: {each} forks."


def tally(kept: Kept) -> str:
    """How many of the judged comparisons have which word."""
    words = Counter(str(one.verdict) for one in kept.primaries)
    decided = sum(one.decided for one in kept.primaries)
    open_ = ", ".join(f"{words[name]} {name}" for name in ("undecided", "unconfirmed", "too few forks") if words[name])
    return f"Of {len(kept.primaries)} judged comparisons {decided} were decided" + (f"; {open_}." if open_ else ".")


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


def listed(sentences: Sequence[str]) -> str:
    """Sentences as a list."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def demo(kept: Kept) -> str:
    """What is said of the demonstration."""
    return "\n\n".join([command(kept), kept.verdicts.sentence, steadiness(kept)])


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
        kept.shown_better(first, last) and spread > 10,
        f"From the fastest stack ({first}) to the slowest ({last}) throughput differs by a factor of {value_text(spread)}.",
    )
    javas = [
        max(one.ratio or 1, 1 / (one.ratio or 1))
        for one in kept.primaries
        if one.decided and {one.a, one.b} <= set(kept.on_a_jvm)
    ]
    yield true(
        max(javas) < spread / 10,
        f"The choice of the stack matters more than the choice among servers on a JVM: of their differences that were decided the "
        f"greatest is a factor of {ratio_text(max(javas))}.",
    )
    (floor,) = kept.run.floors
    yield true(
        kept.ratio(floor, first) > 2,
        f"`{floor}`, which reads no XML, answered {ratio_text(kept.ratio(floor, first))} times as many requests as {first}, so "
        "more than half of what a request costs even there is the message, not the wire.",
    )
    (busy,) = [note for note in kept.verdicts.notes if note.startswith("the load engine was")]
    yield true(floor in busy, f"That factor may be too small: {busy.rpartition(':')[0]}.")
    yield true(
        kept.shown_better("tomcat-metro", "go")
        and all(kept.shown_better(a, "tomcat-metro") for a in ("gsoap", "rust-axum")),
        "Compiled code is no guarantee: Go's stack came out behind Metro on a warm JVM, C++ and Rust before it.",
    )
    yield true(
        kept.shown_better("tomcat-cxf", "tomee"),
        f"CXF was faster on Tomcat than in TomEE ({ratio_text(kept.ratio('tomcat-cxf', 'tomee'))}), which ran on another JDK.",
    )
    yield true(
        not kept.shown_better("tomcat-metro", "tomcat-cxf") and not kept.shown_better("tomcat-cxf", "tomcat-metro"),
        f"CXF and Metro on the same Tomcat were not told apart ({ratio_text(kept.ratio('tomcat-cxf', 'tomcat-metro'), (1, 1))}).",
    )
    short = sorted({one.a for one in kept.primaries if one.b == kept.run.schedule.reference} & set(_short(kept)))
    yield true(
        bool(short),
        f"{' and '.join(short)} have no place: their compilers were still at work in the measured slices of a fork each, and such "
        "pairs count for nothing.",
    )
    others = [one for one in kept.run.schedule.subjects if one not in kept.on_a_jvm and kept.seldom_steady(one)]
    yield true(
        all(kept.seldom_steady(one) for one in kept.on_a_jvm) and bool(others),
        "Every server on a JVM was steady in less than half of its forks. That is not the short warm-up alone, nor the JVM's: "
        "so were "
        f"{', '.join(others)}, which have none. The host was not quiet.",
    )
    (unusual,) = kept.run.unusual_jdks.items()
    yield (
        f"{unusual[0]} ran on JDK {unusual[1]}, its neighbours on another; what part of its difference is the JDK's was not "
        "measured."
    )


def _short(kept: Kept) -> Iterator[str]:
    """Subjects of which too few forks count beside the reference, for the compilers' sake."""
    for one in kept.primaries:
        if one.b == kept.run.schedule.reference and one.verdict == "too few forks":
            true(set(one.voided) == {"compiling"}, f"{one.a} lost its pairs to compilers alone")
            yield one.a


def soaservers(kept: Kept) -> str:
    """What is said of the thesis's tests."""
    return "\n\n".join(
        [command(kept), when(kept), tally(kept), steadiness(kept), "What it shows.", listed(list(_soaservers(kept)))]
    )


def when(kept: Kept) -> str:
    """Which server when."""
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
        f"With small messages {reference} measured best under every shape of load and at every degree of composition; over the "
        f"tests the others reached these shares of its throughput: {said}.",
    )
    left = [one for one in small if one.b == reference and not one.decided]
    yield true(
        {one.a for one in left} == {"glassfish"},
        f"Of the comparisons with {reference} on small messages {len(left)} were left open, all of GlassFish: "
        + ", ".join(f"test {one.cell} {one.verdict}" for one in left)
        + ".",
    )
    large = [one for one in kept.primaries if one.operation == "large"]
    (best,) = [one.best for one in kept.verdicts.decisions if one.operation == "large"]
    last = {min(spans, key=lambda label: spans[label][place]) for place in range(len(spans["wildfly"]))}
    yield true(
        not any(one.decided for one in large) and last == {best},
        f"With large messages no two were told apart; {best}, the last in every test of small ones, measured best.",
    )
    yield from _thesis(kept)
    most = max(cell.users for cell in kept.run.schedule.cells)
    yield true(
        not any(test.failed for one in kept.verdicts.decisions for test in one.tests),
        f"No server refused, failed or wrongly answered a single request, with up to {most} users.",
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
        "The thesis found something else between its two: "
        f"within {one_service:.0%} of each other with one service, and one of them "
        f"at {composed:.0%} of the other's throughput or less as soon as services called each other.",
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
    yield f"Times were scaled by {scale:g}, but {' and '.join(told)}: shorter ones could not be read."
    drifts = [one for one in kept.verdicts.detections if one.detector == "drift" and one.subject]
    unjudged = sum(not one.judged for one in drifts)
    undecided = sum(one.sentence.startswith("Undecided") for one in drifts)
    yield true(
        2 * (unjudged + undecided) > len(drifts),
        f"That is too short for most of what the thesis read off its charts: of {len(drifts)} times that a server was under "
        f"constant load, {unjudged} were not judged as to whether it holds the load, and {undecided} are undecided.",
    )
    yield true(
        all(kept.seldom_steady(one) for one in kept.run.schedule.subjects),
        "Every server was steady in less than half of its forks; intervals are wide for that reason too.",
    )


def petstore(kept: Kept) -> str:
    """What is said of messages and web services within an order workflow."""
    published = list(_beside_the_paper(kept))
    near = [sentence for sentence, as_there in published if as_there]
    far = [sentence for sentence, as_there in published if not as_there]
    parts = [command(kept), kept.verdicts.sentence, tally(kept), steadiness(kept), "What it shows."]
    parts += [
        listed(list(_petstore(kept))),
        "Where the paper gives a figure, and this run's lies within it:",
        listed(near),
    ]
    return "\n\n".join([*parts, "Where this run's lies elsewhere:", listed(far)])


def _by_fork(kept: Kept, measure: str, cell: str) -> dict[str, dict[str, float]]:
    """A measure of each subject in each fork that counts, in a cell."""
    values: dict[str, dict[str, float]] = {subject: {} for subject in kept.run.schedule.subjects}
    for row in csv.DictReader(read_bytes(kept.folder / "results.csv").decode().splitlines()):
        if (row["measure"], row["cell"]) == (measure, cell) and row["fork"] != "all" and row["value"]:
            values[row["subject"]][row["fork"]] = float(row["value"])
    return values


def _petstore(kept: Kept) -> Iterator[str]:
    counts = kept.verdicts.counts
    sums = {name: sum(one[f"orders.{name}"] for one in counts.values()) for name in ("accepted", "completed", "mails")}
    yield true(
        all(one["orders.lost"] == one["orders.doubled"] == 0 for one in counts.values())
        and 3 * sums["completed"] == 3 * sums["accepted"] == sums["mails"],
        f"No order was lost and none was carried out twice, in any variant: of {sums['accepted']:,} that were accepted "
        f"{sums['completed']:,} were completed, with {sums['mails']:,} mails; the database itself says the same after each trial.",
    )
    for cell in kept.run.schedule.cells:
        yield from _orders(kept, cell.name)
    pauses = [figure.value for figure in kept.verdicts.figures if figure.measure == "old_collection_share"]
    yield true(
        all(value is None for value in pauses),
        "No block had a pause for an old collection, so what the paper says of these is not judged.",
    )


def _orders(kept: Kept, cell: str) -> Iterator[str]:
    """How the variants differ in a test."""
    modified, service, original = (f"wildfly@variant={one}" for one in ("jms-modified", "web-service", "jms-original"))
    predicted = [value for each in _by_fork(kept, "orders_of_predicted", cell).values() for value in each.values()]
    orders = ", ".join(
        f"{one} {value_text(kept.value(one, cell, 'orders_per_minute'))}" for one in (modified, service, original)
    )
    yield true(
        all(90 < value < 110 for value in predicted),
        f"{cell}: interfaces cost no throughput ({orders} orders a minute): clients and their pauses decide it. "
        f"In each fork it was {min(predicted):.0f} to {max(predicted):.0f}% of what pauses and response times predict.",
    )
    call, latency, response = (_by_fork(kept, one, cell) for one in ("call_time", "latency", "order_response"))
    together = sorted(set(call[modified]) & set(call[original]))
    yield true(
        all(call[original][fork] < call[modified][fork] / 5 for fork in together),
        f"{cell}: a message sent within the transaction holds the workflow up for "
        f"{value_text(kept.value(original, cell, 'call_time'))} ms, one sent outside of it for "
        f"{value_text(kept.value(modified, cell, 'call_time'))} ms, which waits for the disk itself. So in each fork.",
    )
    yield true(
        all(latency[original][fork] > 2 * latency[modified][fork] for fork in together),
        f"{cell}: the supplier begins later where the message is sent within the transaction, since it is not seen before the "
        "commit: in each fork, by a factor of "
        + " and ".join(value_text(latency[original][fork] / latency[modified][fork]) for fork in together)
        + ".",
    )
    for other in (service, original):
        yield _longer(kept, cell, other, modified, response)


def _longer(kept: Kept, cell: str, other: str, than: str, response: Mapping[str, Mapping[str, float]]) -> str:
    """By how much an order takes longer, where that was decided, and in how many forks."""
    values = "; ".join(", ".join(value_text(value) for value in response[one].values()) for one in (other, than))
    forks = sorted(set(response[other]) & set(response[than]))
    longer = sum(response[other][fork] > response[than][fork] for fork in forks)
    in_order = f"longer in {longer} of {len(forks)} forks (ms, in the order of the forks: {values})"
    if not kept.between(other, than, cell).decided:
        return f"{cell}: whether an order takes longer with {other} than with {than} is not decided; {in_order}."
    more = 100 * (kept.ratio(other, than, cell) - 1)
    sentence = f"{cell}: from an order to the mail that it is completed, {other} takes {more:.0f}% longer than {than}, {in_order}."
    return true(more > 0, sentence)


def _beside_the_paper(kept: Kept) -> Iterator[tuple[str, bool]]:
    """A sentence for each figure of the paper's text that this run has one for, and whether ours lies within it."""
    titles = {figure.measure: (figure.title, figure.unit) for figure in kept.verdicts.figures}
    for published in kept.run.study["published"]:
        for cell in published["tests"]:
            own = own_figure(published, cell, kept.verdicts)
            if own is None:
                continue
            title, unit = titles[published["measure"]]
            low, high = published["low"], published["high"]
            span = value_text(low) if low == high else f"{value_text(low)} to {value_text(high)}"
            than = f", more than {published['than']}" if published.get("than") else ""
            unit = "%" if published.get("by") == "percent" else unit
            # A single figure of the paper's is one that it read off a chart: a tenth beside it is still the same.
            slack = 0.1 * abs(high) if low == high else 0
            here = f"{title}, {unit}, {published['subject']}{than} ({cell}): {value_text(own)}"
            yield f"{here}; the paper {span} ({published['source']})", low - slack <= own <= high + slack


def flight_types(kept: Kept) -> str:
    """What is said of the time by layer and by kind of request."""
    return "\n\n".join([command(kept), steadiness(kept), "What it shows.", listed(list(_flight_types(kept)))])


def _flight_types(kept: Kept) -> Iterator[str]:
    subjects = kept.run.schedule.subjects
    yield from _layers_shown(kept)
    written = [one.ms for one in kept.verdicts.layers_by_kind if one.layer == "hibernate_writes"]
    nothing = {one.kind for one in kept.verdicts.layers_by_kind if one.layer == "hibernate_writes" and one.ms == 0}
    yield true(
        nothing == {"searches", "faults"} and max(written) > 0,
        "As in table 2, searches and faults write nothing and reservations do.",
    )
    took = {(who, kind): _kind_ms(kept, who, kind) for who in subjects for kind in ("faults", "reservations")}
    saved = ", ".join(f"{1 - took[who, 'faults'] / took[who, 'reservations']:.0%} on {who}" for who in subjects)
    yield true(
        all(took[who, "faults"] < 0.9 * took[who, "reservations"] for who in subjects),
        f"As the paper says without a number, a fault is cheaper than a reservation: by {saved}.",
    )
    yield from _exceptions(kept)
    yield true(
        not any(one.decided for one in kept.primaries),
        "Metro and CXF were not told apart: " + kept.verdicts.sentence.rpartition(": ")[2],
    )
    yield _whole(kept)


def flight_users(kept: Kept) -> str:
    """What is said of one to sixteen users on one domain object."""
    return "\n\n".join([command(kept), steadiness(kept), "What it shows.", listed(list(_flight_users(kept)))])


def _flight_users(kept: Kept) -> Iterator[str]:
    (subject,) = kept.run.schedule.subjects
    cells = [cell.name for cell in kept.run.schedule.cells]
    errors = [kept.value(subject, cell, "errors") for cell in cells]
    printed = {
        row.test: row.value for row in read_published_measures(kept.folder / MEASURES) if row.measure == "errors"
    }
    beside = "; ".join(
        f"{counted(cell.users, 'user')} {value_text(value)} ({printed[cell.name]})"
        for cell, value in zip(kept.run.schedule.cells, errors, strict=True)
    )
    yield true(
        errors[0] == 0 and errors == sorted(errors) and errors[-1] > 20,
        "As in table 6, one user meets no system error, and with more of them errors rise, in percent of requests (the paper's): "
        f"{beside}.",
    )
    yield from _exceptions(kept)
    service = [kept.layer(subject, cell, "service").percent for cell in cells]
    engine = [kept.layer(subject, cell, "hibernate_engine").percent for cell in cells]
    yield true(
        service == sorted(service, reverse=True) and engine[-1] > engine[0],
        f"As in table 5, the service layer's share falls from 1 to 16 users (here {value_text(service[0])} to "
        f"{value_text(service[-1])}%) and "
        f"that of Hibernate's engine rises ({value_text(engine[0])} to {value_text(engine[-1])}%).",
    )
    yield from _layers_shown(kept)
    times = [kept.value(subject, cell, "request_time") for cell in cells]
    rates = [kept.value(subject, cell, "throughput") for cell in cells]
    yield true(
        times[3] < 10 * times[0] and max(rates) < 1.2 * min(rates),
        f"Of the claim on 1 to 10 users, 1 to 8 were run: a request takes {value_text(times[0])} to {value_text(times[3])} ms, "
        f"within an order of magnitude. But throughput stays at {between_text(rates)} requests/s: "
        "what more users add is waiting.",
    )
    yield _whole(kept)


def _layers_shown(kept: Kept) -> Iterator[str]:
    """Where the time went, against the paper's 70% in the service layer."""
    first = kept.run.schedule.cells[0].name
    shares = {who: kept.layer(who, first, "service").percent for who in kept.run.schedule.subjects}
    engines = [
        sum(kept.layer(who, first, f"hibernate_{part}").percent for part in ("engine", "writes", "reads"))
        for who in shares
    ]
    said = ", ".join(f"{value_text(share)}% on {who}" for who, share in shares.items())
    yield true(
        max(shares.values()) < 10 and min(engines) > 60,
        f"Unlike table 1, where the service layer takes 70.07% and Hibernate 24%, the service layer takes {said}, and Hibernate's "
        f"three slices together {value_text(min(engines))}% or more.",
    )


def _kind_ms(kept: Kept, subject: str, kind: str) -> float:
    return sum(one.ms for one in kept.verdicts.layers_by_kind if (one.subject, one.kind) == (subject, kind))


def between_text(values: Sequence[float]) -> str:
    """The least and the greatest of them, or the one that they all are as written."""
    return " to ".join(dict.fromkeys(value_text(value) for value in (min(values), max(values))))


def _exceptions(kept: Kept) -> Iterator[str]:
    values = [one.value for one in kept.verdicts.figures if one.measure == "exceptions" and one.value is not None]
    yield true(
        all(10 < value < 15 for value in values),
        f"Of the 12.5% of requests that are given an error of input, {between_text(values)}% of all end with an exception of "
        "the application (the paper: 11.04 to 12.66).",
    )


def _whole(kept: Kept) -> str:
    told = kept.verdicts.recorded
    return true(
        all(one.records == one.completed and not one.lost and not one.violations and not one.unnested for one in told),
        f"The monitor recorded each of {sum(one.completed for one in told):,} answers once; none was lost, none in violation.",
    )


def calibration(folder: Path) -> str:
    """What is said of the calibration's forks."""
    found = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    return f"The forks were collected in {counted(len(found['sittings']), 'sitting')}."


def pages() -> Iterator[tuple[Path, str]]:
    """Each page with what stands between its marks made anew: the notes of every run, and what is said of the calibration."""
    for name, make in MADE.items():
        page = RESULTS / name / "notes.md"
        marks = f"<!-- {name}: made by `make kept` from the run's own files -->", f"<!-- /{name} -->"
        yield page, between(page.read_text(encoding="utf-8"), *marks, make(Kept(RESULTS / name)))
    marks = "<!-- calibration: made by `make kept` from docs/results/calibration -->", "<!-- /calibration -->"
    yield PAGE, between(PAGE.read_text(encoding="utf-8"), *marks, calibration(RESULTS / "calibration"))


MADE = {
    "petstore": petstore,
    "demo": demo,
    "wstest": wstest,
    "soaservers": soaservers,
    "flight-types": flight_types,
    "flight-users": flight_users,
}


def main() -> int:
    """Rewrite the pages, or with --check fail where one is stale, or says what a kept run does not bear out."""
    try:
        return max(keep(page, text, "`make kept`") for page, text in pages())
    except NoLongerTrueError as error:
        print(f"{Path(__file__).name} says what the kept run does not bear out any more: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
