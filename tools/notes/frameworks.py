"""The notes of the kept run of the study `frameworks` over eight servers."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.base.text import ratio_text, value_text

from .kept_run import Kept, command, listed, ratio_in, steadiness, table_by_cell, tally, true

# What a server costs its user: the measure and its heading. Each is taken from the judged cell of `item`, but throughput and the
# requests of a processor from the closed load, in which the server is busy.
COSTS = (
    ("cpu_per_request", "processor time per request, \N{MICRO SIGN}s"),
    ("time_to_first_answer", "start to first answer, s"),
    ("memory_at_rest", "memory at rest, MiB"),
    ("memory", "memory under load, MiB"),
    ("artifact_size", "deployed, MiB"),
)
JUDGED = " equal-rate"  # the load of the judged cells, with which their names end
CLOSED = (("throughput", "requests/s"), ("requests_per_core", "requests/s of a busy processor"))


def frameworks(kept: Kept) -> str:
    """The cost of a request by server and operation, the costs of each server, and what they show."""
    parts = [
        command(kept),
        tally(kept),
        steadiness(kept),
        f"Server processor time per request over that of {kept.run.schedule.reference} at an equal open rate, with its 95% "
        "interval; bold where it was decided. Less is better:",
        table_by_cell(kept, ratio_in, JUDGED),
        f"What each server takes, on `{_operation(kept.judged_cells[0])}`, as means over forks. The first five columns are of the "
        "equal open rate, the others of 8 users under a closed load. Their intervals are in results.csv:",
        costs(kept),
    ]
    return "\n\n".join([*parts, "What it shows.", listed(list(_shown(kept)))])


def costs(kept: Kept) -> str:
    """A row of figures for each server on the first judged operation."""
    judged = kept.judged_cells[0]
    closed = f"{_operation(judged)} saturated"
    rows = [
        f"| server | {' | '.join(heading for _, heading in (*COSTS, *CLOSED))} |",
        "|---" * (1 + len(COSTS) + len(CLOSED)) + "|",
    ]
    for label in kept.run.schedule.subjects:
        figures = [(judged, measure) for measure, _ in COSTS] + [(closed, measure) for measure, _ in CLOSED]
        rows.append(f"| {label} | {' | '.join(value_text(kept.value(label, *figure)) for figure in figures)} |")
    return "\n".join(rows)


def _operation(cell: str) -> str:
    return cell.removesuffix(JUDGED)


def _by_server(kept: Kept, cell: str, measure: str) -> dict[str, float]:
    return {label: kept.value(label, cell, measure) for label in kept.run.schedule.subjects}


def _shown(kept: Kept) -> Iterator[str]:
    reference, cells = kept.run.schedule.reference, kept.judged_cells
    for cell in cells:
        yield _extremes(kept, cell)
    others = {label: [kept.between(label, reference, cell) for cell in cells] for label in kept.others}
    less = [label for label, each in others.items() if all(one.verdict == "faster" for one in each)]
    more = [label for label, each in others.items() if all(one.verdict == "slower" for one in each)]
    for labels, word in ((less, "less"), (more, "more")):
        yield f"{', '.join(labels) or 'No server'} was shown to cost {word} than {reference} in all {len(cells)} operations."
    yield from _platforms(kept)


def _extremes(kept: Kept, cell: str) -> str:
    """The cheapest and the dearest server of a cell, by the means over forks."""
    spent = _by_server(kept, cell, "cpu_per_request")
    least, most = min(spent, key=lambda label: spent[label]), max(spent, key=lambda label: spent[label])
    how = (
        f"{ratio_text(kept.ratio(most, least, cell))} times as much"
        if kept.between(least, most, cell).is_decided
        else "a difference that was not shown"
    )
    return (
        f"A request of `{_operation(cell)}` takes between {value_text(spent[least])} \N{MICRO SIGN}s on {least} and "
        f"{value_text(spent[most])} \N{MICRO SIGN}s on {most}, {how}."
    )


def _platforms(kept: Kept) -> Iterator[str]:
    """What starting and memory cost on a JVM and without one."""
    judged = kept.judged_cells[0]
    starts = _by_server(kept, judged, "time_to_first_answer")
    on_jvm = [starts[label] for label in kept.on_a_jvm]
    others = [seconds for label, seconds in starts.items() if label not in kept.on_a_jvm]
    yield true(
        min(on_jvm) > max(others),
        f"On a JVM the first answer came {value_text(min(on_jvm))} to {value_text(max(on_jvm))} s after the start, elsewhere "
        f"{value_text(min(others))} to {value_text(max(others))} s.",
    )
    rest = _by_server(kept, judged, "memory_at_rest")
    yield true(
        min(rest[label] for label in kept.on_a_jvm) > max(rest[label] for label in rest if label not in kept.on_a_jvm),
        "The servers on a JVM have the most memory already at rest: each has a heap of one fixed size.",
    )


MADE = {"frameworks": frameworks}
