"""The notes of kept runs of an order workflow: the cost of messages, of web services and of safety."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from steelyard.analyse import blocks
from steelyard.analyse.faults import fault_sentences, outcome_titles, outcome_total
from steelyard.analyse.pairing import measured_slices
from steelyard.base.csvfiles import read_bytes
from steelyard.base.text import plural, value_text
from steelyard.models.job import Steps
from steelyard.models.verdict import FaultRow
from steelyard.plan import shapes

from .kept_run import Kept, command, listed, steadiness, tally, true


def petstore(kept: Kept) -> str:
    """The notes on messages and web services within an order workflow."""
    parts = [command(kept), kept.verdicts.sentence, tally(kept), steadiness(kept), "What it shows."]
    parts += [
        listed(list(_petstore(kept))),
        "[The papers' claims](../../../../docs/results/claims.md) has the paper's figures beside these, each with a verdict.",
    ]
    return "\n\n".join(parts)


def _by_fork(kept: Kept, measure: str, cell: str) -> dict[str, dict[str, float]]:
    """A measure of each subject in each fork that counts, in a cell."""
    values: dict[str, dict[str, float]] = {subject: {} for subject in kept.run.schedule.subjects}
    for row in csv.DictReader(read_bytes(kept.folder / "results.csv").decode().splitlines()):
        if (row["measure"], row["cell"]) == (measure, cell) and row["fork"] != "all" and row["value"]:
            values[row["subject"]][row["fork"]] = float(row["value"])
    return values


def safe(kept: Kept) -> str:
    """The notes on three ways to lose nothing, and on one that may lose orders."""
    parts = [command(kept), kept.verdicts.sentence, tally(kept), steadiness(kept), "What safety costs."]
    return "\n\n".join([*parts, listed([_none_lost(kept), *_safe(kept)])])


def _safe(kept: Kept) -> Iterator[str]:
    outbox, service, original, at = (
        f"wildfly@variant={one}" for one in ("outbox", "web-service", "jms-original", "ws-at")
    )
    for cell in (one.name for one in kept.run.schedule.cells):
        response, cpu, predicted = (
            {one: kept.value(one, cell, measure) for one in kept.run.schedule.subjects}
            for measure in ("order_response", "cpu_per_request", "orders_of_predicted")
        )
        for other in (service, original):
            yield true(
                kept.between(other, outbox, cell).is_decided and kept.ratio(other, outbox, cell) > 1,
                f"{cell}: from an order to the mail that it is completed, {other} takes {value_text(response[other])} ms and "
                f"{outbox} {value_text(response[outbox])} ms, {value_text(1 / kept.ratio(other, outbox, cell))} times as long: "
                "messages that are sent after the commit delay no step.",
            )
        yield true(
            cpu[original] < cpu[outbox] < cpu[service],
            f"{cell}: a request takes {value_text(cpu[original])} µs of the server's processors with {original}, "
            f"{value_text(cpu[outbox])} with {outbox}, and {value_text(cpu[service])} with {service}, which may lose orders.",
        )
        yield true(
            all(
                kept.between(one, at, cell).is_decided and kept.ratio(at, one, cell) > 5
                for one in (outbox, service, original)
            )
            and cpu[at] > 4 * cpu[outbox],
            f"{cell}: a transaction across web services ({at}) takes {value_text(cpu[at] / cpu[outbox])} times the processor "
            f"time of {outbox} and {value_text(response[at] / response[outbox])} times as long for an order"
            + (
                f" ({value_text(response[at] / 1000)} s): the server is at its limit, though customers are answered "
                f"({predicted[at]:.0f}% of the orders that pauses and response times predict)."
                if response[at] > 10_000
                else "."
            ),
        )
    yield (  # the sentences above, each true in every cell, without their figures
        "So safety costs no time if messages are stored in the same transaction as the work and sent afterwards: with the "
        "outbox an order is done sooner than with a call that waits for its answer, and no transaction spans two parts. "
        "Messages within the transaction take the least processor time, and need a broker that supports it. Web services within "
        "the transaction cost by far the most: each call also needs a registration with the coordinator, two phases and their "
        "logs."
    )


def _none_lost(kept: Kept) -> str:
    counts = kept.verdicts.counts
    sums = {name: sum(one[f"orders.{name}"] for one in counts.values()) for name in ("accepted", "completed", "mails")}
    return true(
        all(one["orders.lost"] == one["orders.doubled"] == 0 for one in counts.values())
        and 3 * sums["completed"] == 3 * sums["accepted"] == sums["mails"],
        f"No order was lost and none was executed twice, in any variant: of {sums['accepted']:,} accepted orders "
        f"{sums['completed']:,} were completed, with {sums['mails']:,} mails. The database has the same counts after each trial.",
    )


def faults(kept: Kept) -> str:
    """The notes on orders that each subject lost, doubled or sent twice after a fault."""
    return _broken(kept, [], _of_all)


def unreachable(kept: Kept) -> str:
    """The notes on orders while the database cannot be reached, and while every mail is refused."""
    return _broken(kept, [by_fault(kept.verdicts.faults)], _of_unreachable)


def _broken(kept: Kept, tables: Sequence[str], of_all: Callable[[Sequence[FaultRow]], Iterator[str]]) -> str:
    """The notes on faults: their number, each subject by itself, and all together by `of_all`."""
    rows = kept.verdicts.faults
    kinds = plural(len({row.fault for row in rows}), "kind")
    subjects = plural(len(kept.run.schedule.subjects), "subject")
    met = f"There were {sum(row.times for row in rows)} faults of {kinds}, on {subjects}."
    said = [str(sentence) for sentence in fault_sentences(kept.run, rows)]
    back = true(not any(row.not_back for row in rows), "Each broken part worked again afterwards, every time.")
    return "\n\n".join([command(kept), met, *tables, "What it shows.", listed([*said, back, *of_all(rows)])])


def by_fault(rows: Sequence[FaultRow]) -> str:
    """The outcomes of the orders of all subjects together, by fault."""
    titles = outcome_titles(rows)
    lines = [f"| fault | times | orders | {' | '.join(titles.values())} |", "|---" * (3 + len(titles)) + "|"]
    for fault in dict.fromkeys(row.fault for row in rows):
        met = [row for row in rows if row.fault == fault]
        sums = " | ".join(f"{outcome_total(met, name):,}" for name in titles)
        lines.append(f"| {fault} | {sum(row.times for row in met)} | {sum(row.accepted for row in met):,} | {sums} |")
    return "\n".join(lines)


def _of_unreachable(rows: Sequence[FaultRow]) -> Iterator[str]:
    yield true(
        outcome_total(rows, "lost") == outcome_total(rows, "doubled") == 0,
        "No order was lost and none shipped twice, of any subject after any fault.",
    )


def _of_all(rows: Sequence[FaultRow]) -> Iterator[str]:
    yield true(outcome_total(rows, "doubled") == 0, "No order was shipped twice, of any subject after any fault.")
    killed = outcome_total([row for row in rows if row.fault == "kill-mail"], "mails_lost")
    others = [row for row in rows if row.fault != "kill-mail" and outcome_total([row], "mails_lost")]
    elsewhere = (
        ", ".join(f"{outcome_total([row], 'mails_lost'):,} of {row.subject} after {row.fault}" for row in others)
        or "none"
    )
    yield true(
        killed > outcome_total(others, "mails_lost"),
        f"{killed:,} mails were missing after kills of GreenMail, which keeps them in memory; after all other faults: {elsewhere}.",
    )
    yield true(
        outcome_total(rows, "mails_doubled") > 0,
        f"SMTP is not part of any transaction: {outcome_total(rows, 'mails_doubled'):,} mails were sent twice.",
    )


def _petstore(kept: Kept) -> Iterator[str]:
    yield _none_lost(kept)
    for cell in kept.run.schedule.cells:
        yield from _orders(kept, cell.name)
    pauses = [figure.value for figure in kept.verdicts.figures if figure.measure == "old_collection_share"]
    yield true(
        all(value is None for value in pauses),
        "No block had a pause for an old collection, so the paper's claims on these pauses are not judged.",
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
        f"{cell}: interfaces cost no throughput ({orders} orders a minute): clients and their pauses determine it. "
        f"In each fork it was {min(predicted):.0f} to {max(predicted):.0f}% of the number that pauses and response times predict.",
    )
    call, latency, response = (_by_fork(kept, one, cell) for one in ("call_time", "latency", "order_response"))
    together = sorted(set(call[modified]) & set(call[original]))
    yield true(
        all(call[original][fork] < call[modified][fork] / 5 for fork in together),
        f"{cell}: in each fork, a message within the transaction delays the workflow less than one outside of it: "
        f"{value_text(kept.value(original, cell, 'call_time'))} ms against "
        f"{value_text(kept.value(modified, cell, 'call_time'))} ms. The latter waits for the disk itself.",
    )
    yield true(
        all(latency[original][fork] > 2 * latency[modified][fork] for fork in together),
        f"{cell}: the supplier begins later if the message is sent within the transaction, because it is not visible before the "
        "commit: in the forks, by factors of "
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
    if not kept.between(other, than, cell).is_decided:
        return f"{cell}: whether an order takes longer with {other} than with {than} is not decided; {in_order}."
    more = 100 * (kept.ratio(other, than, cell) - 1)
    sentence = f"{cell}: from an order to the mail that it is completed, {other} takes {more:.0f}% longer than {than}, {in_order}."
    return true(more > 0, sentence)


# Messages in the longest queue: fewer where a subject keeps up with its orders, and more where it does not.
KEPT_UP, QUEUED = 20, 100
NEAR = 0.05  # of the orders that the lowest level predicts


@dataclass(frozen=True)
class _Level:
    """A level of clients: the orders that a subject completed a minute while it was held, and its longest queue then."""

    clients: int
    orders_per_minute: float
    longest_queue: float


def saturation(kept: Kept) -> str:
    """The notes on the number of clients that saturate each subject."""
    levels = {subject: _levels(kept, subject) for subject in kept.run.schedule.subjects}
    about = "Completed orders a minute at each level, and in brackets the messages in the longest queue."
    return "\n\n".join([command(kept), about, _by_level(levels), "What it shows.", listed(list(_saturation(levels)))])


def _levels(kept: Kept, subject: str) -> list[_Level]:
    """The levels of a subject's only block."""
    (cell,), (trial,) = kept.run.schedule.cells, kept.run.trials
    (block,) = blocks.series(kept.run, cell, subject)
    assert isinstance(cell.profile, Steps)
    held = shapes.levels_of(cell.profile)
    _, per_second, _ = blocks.level_means(block, held)
    (number,) = measured_slices(trial, cell.name, subject).values()
    begun_ns = trial.slices[number].begin_ns
    queue = [((row.time_ns - begun_ns) / 1e9, row.value) for row in trial.gauges[number] if row.name == "queue_longest"]
    return [
        _Level(clients, 60 * float(rate), max(value for second, value in queue if begin <= second <= end))
        for (clients, begin, end), rate in zip(held, per_second, strict=True)
    ]


def _by_level(levels: Mapping[str, Sequence[_Level]]) -> str:
    clients = [level.clients for level in next(iter(levels.values()))]
    lines = [f"| subject | {' | '.join(f'{one:,} clients' for one in clients)} |", "|---" + "|--:" * len(clients) + "|"]
    for subject, rows in levels.items():
        cells = " | ".join(f"{row.orders_per_minute:,.0f} ({row.longest_queue:,.0f})" for row in rows)
        lines.append(f"| {subject} | {cells} |")
    return "\n".join(lines)


def _saturation(levels: Mapping[str, Sequence[_Level]]) -> Iterator[str]:
    kept_up = {subject: [row for row in rows if row.longest_queue < KEPT_UP] for subject, rows in levels.items()}
    (most,) = {rows[-1].clients for rows in kept_up.values()}
    beyond = [row for rows in levels.values() for row in rows if row.clients > most]
    at_most = [rows[-1].orders_per_minute for rows in kept_up.values()]
    yield true(
        all(
            abs(row.orders_per_minute / rows[0].orders_per_minute * rows[0].clients / row.clients - 1) < NEAR
            for rows in kept_up.values()
            for row in rows
        ),
        f"Up to {most} clients each of the three completes as many orders as it gets, in proportion to the clients: "
        f"{min(at_most):,.0f} to {max(at_most):,.0f} a minute in the end. No queue is longer than "
        f"{max(row.longest_queue for rows in kept_up.values() for row in rows):.0f} messages.",
    )
    first = min(row.clients for row in beyond)
    yield true(
        all(row.longest_queue > QUEUED for row in beyond),
        f"From {first} clients on orders come faster than they are completed, and messages wait: so between {most} and {first} "
        f"clients saturate the server. The six levels of the paper's figures are taken as shares of {most}.",
    )
    waves = [row.orders_per_minute for row in beyond if row.clients > first]
    yield (
        f"Beyond, orders are completed in waves, of {min(waves):,.0f} to {max(waves):,.0f} a minute within half a minute, so one "
        "fork does not show a capacity there."
    )


MADE = {
    "petstore-saturation": saturation,
    "petstore": petstore,
    "petstore-safe": safe,
    "petstore-faults": faults,
    "petstore-unreachable": unreachable,
}
