"""What is said of the kept runs of where a request's time goes inside a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.base.text import counted, value_text
from steelyard.catalogue.published_layers import MEASURES, read_published_measures

from .kept_run import Kept, command, listed, steadiness, true


def flight_types(kept: Kept) -> str:
    """What is said of the time by layer and by kind of request."""
    return "\n\n".join([command(kept), steadiness(kept), "What it shows.", listed(list(_flight_types(kept)))])


def _flight_types(kept: Kept) -> Iterator[str]:
    subjects = kept.run.schedule.subjects
    yield from _layers_shown(kept)
    yield from _cold_against_warm(kept)
    writes = [one for one in kept.verdicts.layers_by_kind if one.layer == "hibernate_writes"]
    yield true(
        all((one.ms > 0) == (one.kind == "reservations") for one in writes) and bool(writes),
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
        times[3] < 10 * times[0] and max(rates) < 2 * min(rates),
        f"Of the claim on 1 to 10 users, 1 to 8 were run: a request takes {value_text(times[0])} to {value_text(times[3])} ms, "
        f"within an order of magnitude. But with sixteen times the users throughput is {between_text(rates)} requests/s: "
        "most of what more users add is waiting.",
    )
    yield _whole(kept)


def _cold_against_warm(kept: Kept) -> Iterator[str]:
    """What the paper's procedure, which names no warm-up, does to the time of a request."""
    cold = {cell.name for cell in kept.run.schedule.cells if cell.cold}
    for one in kept.verdicts.differences:
        if one.cell in cold and one.than_cell not in cold and one.measure == "request_time":
            yield true(
                one.interval is not None and one.interval[0] > 0,
                f"The paper says that it measured a steady state, and its procedure names no warm-up. {one.sentence}",
            )


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
    """Of its warm requests of a kind."""
    warm = {cell.name for cell in kept.run.schedule.cells if not cell.cold}
    mine = [one for one in kept.verdicts.layers_by_kind if (one.subject, one.kind) == (subject, kind)]
    return sum(one.ms for one in mine if one.cell in warm)


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


MADE = {"flight-types": flight_types, "flight-users": flight_users}
