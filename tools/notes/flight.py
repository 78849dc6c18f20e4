"""The notes of kept runs on where a request's time goes inside a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.base.text import plural, range_text, ratio_text, value_text
from steelyard.catalogue.published_layers import (
    LAYERS,
    MEASURES,
    PublishedLayer,
    read_published_layers,
    read_published_measures,
)

from .kept_run import Kept, command, listed, steadiness, true

BASE = "breakdown"  # what all experiments share


def flight_types(kept: Kept) -> str:
    """The notes on the time by layer and by kind of request."""
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
        f"As the paper states without a number, a fault takes less time than a reservation: by {saved}.",
    )
    yield from _exceptions(kept)
    yield true(
        not any(one.is_decided for one in kept.primaries),
        "No difference was detected between Metro and CXF: " + kept.verdicts.sentence.rpartition(": ")[2],
    )
    yield _whole(kept)


def flight_variations(kept: Kept) -> str:
    """The notes on everything that the paper varied, one thing at a time."""
    shown = [*_users_shown(kept), *_lengths_shown(kept), *_caches_shown(kept), *_logs_shown(kept), _whole(kept)]
    about = (
        "A row is a variation: the time of a request inside the server with its interval, the shares of the service layer and of "
        "Hibernate's three layers, and the share of requests that end with a system error. The paper's values are in brackets."
    )
    steady = true(
        not any(met for met, _ in kept.steady.values()),
        "Steady during the measurement, by the rule in METHODOLOGY: none of them, in any fork.",
    )
    return "\n\n".join([command(kept), about, _variations(kept), steady, "What it shows.", listed(shown)])


def _variations(kept: Kept) -> str:
    """A row for each test of each subject, as the schedule has them."""
    head = "| test | with | a request, ms | service, % | Hibernate, % | system errors, % |\n|---|---|--:|--:|--:|--:|"
    rows = [
        _variation(kept, cell.name, subject)
        for cell in kept.run.schedule.cells
        for subject in kept.run.schedule.subjects_in(cell)
    ]
    return "\n".join([head, *rows])


def _variation(kept: Kept, cell: str, subject: str) -> str:
    factors = subject.partition("@")[2]
    layers = {
        row.layer: float(row.percent)
        for row in read_published_layers(kept.folder / LAYERS)
        if (row.test, row.factors, row.kind) == (cell, factors, "")
    }
    hibernate = sum(share for layer, share in layers.items() if layer.startswith("hibernate"))
    figures = [
        _beside(kept.layer(subject, cell, "service").percent, f"{layers['service']:.2f}" if layers else ""),
        _beside(_hibernate(kept, subject, cell), f"{hibernate:.2f}" if layers else ""),
        _beside(kept.value(subject, cell, "errors"), _printed(kept, cell, "errors", factors)),
    ]
    took = kept.figure(subject, cell, "request_time")
    time = f"{value_text(took.value or 0)} ({range_text(took.interval)})"
    return f"| {cell} | {factors or 'nothing else'} | {time} | {' | '.join(figures)} |"


def _beside(ours: float, printed: str) -> str:
    """Our figure, and the paper's in brackets where it has one."""
    return f"{value_text(ours)} ({printed})" if printed else value_text(ours)


def _printed(kept: Kept, cell: str, measure: str, factors: str = "") -> str:
    """A measure as the paper has it; empty where it has none."""
    wanted = (cell, measure, factors)
    rows = read_published_measures(kept.folder / MEASURES)
    return next((row.value for row in rows if (row.test, row.measure, row.factors) == wanted), "")


def _hibernate(kept: Kept, subject: str, cell: str) -> float:
    """The share of its three layers together."""
    return sum(kept.layer(subject, cell, f"hibernate_{part}").percent for part in ("engine", "writes", "reads"))


def _users_shown(kept: Kept) -> Iterator[str]:
    subject = kept.run.schedule.reference
    cells = [cell for cell in kept.run.schedule.cells if cell.name == BASE or cell.name.startswith("users-")]
    errors = [kept.value(subject, cell.name, "errors") for cell in cells]
    beside = "; ".join(
        f"{plural(cell.users, 'user')} {value_text(value)} ({_printed(kept, cell.name, 'errors')})"
        for cell, value in zip(cells, errors, strict=True)
    )
    yield true(
        errors[0] == 0 and errors == sorted(errors) and errors[-1] > 20,
        "As in table 6, one user gets no system error, and errors increase with users, in percent of requests (the paper's): "
        f"{beside}.",
    )
    yield from _exceptions(kept)
    service = [kept.layer(subject, cell.name, "service").percent for cell in cells]
    engine = [kept.layer(subject, cell.name, "hibernate_engine").percent for cell in cells]
    yield true(
        2 * service[-1] < service[0] and engine == sorted(engine),
        f"As in table 5, the service layer's share falls from 1 to 16 users (here {value_text(service[0])} to "
        f"{value_text(service[-1])}%) and "
        f"that of Hibernate's engine rises ({value_text(engine[0])} to {value_text(engine[-1])}%).",
    )
    yield from _layers_shown(kept)
    times = [kept.value(subject, cell.name, "request_time") for cell in cells]
    rates = [kept.value(subject, cell.name, "throughput") for cell in cells]
    yield true(
        times[3] < 10 * times[0] and rates[-1] < 3 * rates[0] and times[-1] > 3 * times[0],
        f"Of the claim on 1 to 10 users, 1 to 8 were run: a request takes {value_text(times[0])} to {value_text(times[3])} ms, "
        f"within an order of magnitude. With 16 it takes {value_text(times[-1])} ms, and throughput is "
        f"{value_text(rates[-1] / rates[0])} times that of one user: most of the additional time is waiting.",
    )


def _lengths_shown(kept: Kept) -> Iterator[str]:
    subject = kept.run.schedule.reference
    cells = ["length-3215", BASE, "length-28348", "length-142145", "length-222281"]
    printed = {
        (row.test, row.layer): row.percent
        for row in read_published_layers(kept.folder / LAYERS)
        if row.kind == row.factors == ""
    }

    def shares(layer: str) -> tuple[list[float], str]:
        ours = [kept.layer(subject, cell, layer).percent for cell in cells]
        return ours, ", ".join(_beside(one, printed[cell, layer]) for one, cell in zip(ours, cells, strict=True))

    service, of_service = shares("service")
    writes, of_writes = shares("hibernate_writes")
    yield true(
        max(service) - min(service) < 3 and writes == sorted(writes) and writes[-1] > 3 * writes[0],
        "As in table 3, the share of Hibernate's writes grows with the mean length of a request, from 3,215 to 222,281 characters: "
        f"{of_writes}%. Unlike there, the service layer's share does not fall, because it is small: {of_service}%.",
    )
    times = [kept.value(subject, cell, "request_time") for cell in cells]
    yield true(
        times[-1] < 20 * times[0],
        f"A request of 222,281 characters takes {value_text(times[-1])} ms, one of 3,215 {value_text(times[0])} ms: "
        f"{value_text(times[-1] / times[0])} times as long for 69 times the length.",
    )
    small = f"{subject}@small"
    errors = [kept.value(small, cell, "errors") for cell in cells[2:]]
    yield true(
        not any(errors),
        "Above 150,000 characters the paper's server began to fail (figure 10). In a heap of 64 MB today's did not, at any of the "
        "three lengths from 28,348 on.",
    )


def _caches_shown(kept: Kept) -> Iterator[str]:
    subject = kept.run.schedule.reference
    for title, link in (("on the same machine", ""), ("behind 100 Mbit/s", "lan-100"), ("behind 10 Mbit/s", "lan-10")):
        without = f"{subject}@{link}" if link else subject
        beside = [
            f"{cache} {_over(kept, f'{subject}@{link}-{cache}' if link else f'{subject}@{cache}', without)}"
            for cache in ("read-only", "read-write")
        ]
        yield f"With the database {title}, requests per second with a second-level cache over those without: {', '.join(beside)}."
    far = kept.value(f"{subject}@lan-10", BASE, "request_time") / kept.value(subject, BASE, "request_time")
    yield true(
        far > 4,
        f"Behind 10 Mbit/s a request takes {value_text(far)} times as long; the paper states roughly 3.",
    )


def _over(kept: Kept, subject: str, than: str) -> str:
    """By which factor a subject is faster than another, with the verdict on the two."""
    one = kept.between(subject, than, BASE)
    assert one.ratio is not None and one.interval is not None
    low, high = one.interval if one.a == subject else (1 / one.interval[1], 1 / one.interval[0])
    word = (
        {"faster": "slower", "slower": "faster"}.get(str(one.verdict), one.verdict) if one.a != subject else one.verdict
    )
    return f"{ratio_text(kept.ratio(subject, than, BASE))} ({ratio_text(low)} to {ratio_text(high)}, {word})"


def _logs_shown(kept: Kept) -> Iterator[str]:
    subject = kept.run.schedule.reference
    levels = ["fatal", "error", "warn", "info", "debug", "trace"]
    off = kept.value(subject, BASE, "request_time")
    times = {level: kept.value(f"{subject}@log-{level}", BASE, "request_time") / off for level in levels}
    printed = {level: float(_printed(kept, BASE, "request_time", f"log-{level}")) for level in levels}
    printed_off = float(_printed(kept, BASE, "request_time"))
    told = {one.subject.rpartition("-")[2]: one for one in kept.verdicts.differences if "@log-" in one.subject}
    spans = {level: told[level].interval or (0.0, 0.0) for level in levels}
    yield true(
        all(spans[level][0] <= 0 <= spans[level][1] for level in levels[:-1]) and spans["trace"][0] > 0,
        "As in table 7, no difference from running without a log was detected for levels down to info. "
        f"None was detected for debug either ({value_text(times['debug'])} times as long, the paper: "
        f"{value_text(printed['debug'] / printed_off)}), and trace makes a "
        f"request {value_text(times['trace'])} times as long (the paper: {value_text(printed['trace'] / printed_off)}).",
    )
    logged = "; ".join(
        f"{level} {kept.value(f'{subject}@log-{level}', BASE, 'log_size'):,.0f} "
        f"({float(_printed(kept, BASE, 'log_size', f'log-{level}')):,.0f})"
        for level in levels
    )
    yield f"Bytes of log that a fork wrote at each level (the paper's run): {logged}."


def _cold_against_warm(kept: Kept) -> Iterator[str]:
    """The effect of the paper's procedure, which has no warm-up, on the time of a request."""
    cold = {cell.name for cell in kept.run.schedule.cells if cell.cold}
    for one in kept.verdicts.differences:
        if one.cell in cold and one.than_cell not in cold and one.measure == "request_time":
            yield true(
                one.interval is not None and one.interval[0] > 0,
                f"The paper states that it measured a steady state, but its procedure has no warm-up. {one.sentence}",
            )


def _layers_shown(kept: Kept) -> Iterator[str]:
    """Where the time went, against the paper's 70% in the service layer."""
    first = kept.run.schedule.cells[0].name
    plain = [who for who in kept.run.schedule.subjects if "@" not in who]
    shares = {who: kept.layer(who, first, "service").percent for who in plain}
    engines = [_hibernate(kept, who, first) for who in shares]
    said = ", ".join(f"{value_text(share)}% on {who}" for who, share in shares.items())
    yield true(
        max(shares.values()) < 10 and min(engines) > 60,
        f"Unlike table 1, where the service layer takes 70.07% and Hibernate 24%, the service layer takes {said}, and Hibernate's "
        f"three layers together {value_text(min(engines))}% or more.",
    )


def flight_papers_layers(kept: Kept) -> str:
    """The notes on the shares of layers by the paper's own definition, beside ours."""
    about = (
        "Share of each layer in a request's time inside the server, in percent, and its time in ms with the interval: by our "
        "layers, by the paper's own, in which what is loaded lazily counts as the service layer's time, and in the paper's table 1."
    )
    shown = [*_papers_layers_shown(kept), _whole(kept)]
    return "\n\n".join([command(kept), about, _own_and_papers(kept), steadiness(kept), "What it shows.", listed(shown)])


def _own_and_papers(kept: Kept) -> str:
    """A row for each layer: its share by our layers, by the paper's layers, and in table 1."""
    printed = {row.layer: row.percent for row in _table_1(kept)}
    head = "| layer | our layers | the paper's layers | table 1 |\n|---|--:|--:|--:|"
    rows = []
    for name in printed:
        both = [kept.layer(subject, BASE, name) for subject in (kept.run.schedule.reference, *kept.others)]
        shares = [f"{value_text(one.percent)}; {value_text(one.ms)} ({range_text(one.interval)})" for one in both]
        rows.append(f"| {name.replace('_', ' ')} | {' | '.join(shares)} | {printed[name]} |")
    return "\n".join([head, *rows])


def _papers_layers_shown(kept: Kept) -> Iterator[str]:
    ours, (papers,) = kept.run.schedule.reference, kept.others
    printed = {row.layer: float(row.percent) for row in _table_1(kept)}
    service, hibernate = kept.layer(papers, BASE, "service").percent, _hibernate(kept, papers, BASE)
    in_table = sum(share for layer, share in printed.items() if layer.startswith("hibernate"))
    yield true(
        3 * service < 2 * printed["service"] and hibernate > 2 * in_table,
        f"By the paper's own layers the service layer takes {value_text(service)}% of a request, where table 1 has "
        f"{printed['service']:.2f}%, and Hibernate's three layers take {value_text(hibernate)}%, where it has {in_table:.2f}%. So "
        "the definition is only a part of the reason why the service layer's share is smaller today.",
    )
    moved = service - kept.layer(ours, BASE, "service").percent
    left = kept.layer(ours, BASE, "hibernate_engine").percent - kept.layer(papers, BASE, "hibernate_engine").percent
    yield true(
        moved > 10 and abs(moved - left) < 3,
        f"The two definitions differ by what is loaded lazily, about {value_text(moved)} percent points of a request: ours counts "
        "it as Hibernate's engine, the paper's as the service layer.",
    )
    (same,) = [one for one in kept.verdicts.differences if one.measure == "request_time"]
    yield true(
        same.interval is not None and same.interval[0] < 0 < same.interval[1],
        f"Both take the same time: a request takes {value_text(kept.value(papers, BASE, 'request_time'))} ms by the paper's layers "
        f"and {value_text(kept.value(ours, BASE, 'request_time'))} ms by ours, and no difference was detected "
        f"({range_text(same.interval)} ms).",
    )


def _table_1(kept: Kept) -> list[PublishedLayer]:
    """The paper's shares of layers in its usual experiment, over all requests."""
    return [
        row for row in read_published_layers(kept.folder / LAYERS) if row.test == BASE and row.factors == row.kind == ""
    ]


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
        f"12.5% of requests have an error in their input; {between_text(values)}% of all requests end with an exception of "
        "the application (the paper: 11.04 to 12.66).",
    )


def _whole(kept: Kept) -> str:
    told = kept.verdicts.recorded
    return true(
        all(one.records == one.completed and not one.lost and not one.violations and not one.unnested for one in told),
        f"The monitor recorded each of {sum(one.completed for one in told):,} answers once. No record was lost or in violation.",
    )


MADE = {
    "flight-types": flight_types,
    "flight-variations": flight_variations,
    "flight-papers-layers": flight_papers_layers,
}
