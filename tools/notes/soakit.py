"""The notes of the kept runs of the kit: one use case by payload and users, beside the kit's own indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from steelyard.base.text import ratio_text, value_text
from steelyard.catalogue.published_indices import INDICES, PublishedIndex, by_cell, read_indices
from steelyard.models.records import Cell

from .kept_run import Kept, command, listed, steadiness, tally

# Today's servers of the makers whose servers the kit had, and what the kit calls those.
SUCCESSORS: Mapping[str, tuple[str, str]] = {"wildfly": ("jboss", "JBoss"), "liberty": ("ws6", "WebSphere 6")}
THROUGHPUT, CPU, ALLOCATED, PAUSES = "throughput", "cpu_per_request", "allocated_per_request", "collector_pauses"
ALIKE = 0.1  # of an index: what the kit's two digits and our intervals can be held to


def soakit(kept: Kept) -> str:
    """The notes on one use case of the kit."""
    return "\n\n".join(
        [
            command(kept),
            _indices(kept),
            "The brackets have the interval, which unlike the verdict is not adjusted for the number of cells, and the kit's index "
            "of the server's predecessor: JBoss 4.0.1 for WildFly, "
            "WebSphere 6 for Liberty. The kit's indices are relative to WebLogic 8.1, which nobody runs today. So only the order "
            "of servers, and how it changes with payload and users, can be compared.",
            tally(kept),
            steadiness(kept),
            "What it shows.",
            listed(list(_shown(kept))),
        ]
    )


def _indices(kept: Kept) -> str:
    """The subjects' throughput over the reference's, cell by cell, with the kit's own index."""
    reference, others = kept.run.schedule.reference, kept.others
    rows = [
        f"| payload, users | {reference}, requests/s | " + " | ".join(others) + " |",
        "|---|--:|" + "--:|" * len(others),
    ]
    for cell in kept.run.schedule.cells:
        due = value_text(kept.value(reference, cell.name, THROUGHPUT))
        rows.append(f"| {size_words(cell)} | {due} | " + " | ".join(_index(kept, one, cell) for one in others) + " |")
    return "\n".join(rows)


def _index(kept: Kept, subject: str, cell: Cell) -> str:
    one = kept.between(subject, kept.run.schedule.reference, cell.name)
    if one.ratio is None or one.interval is None:
        return "-"
    if one.verdict is None:
        return "not valid"
    low, high = (ratio_text(bound, one.interval) for bound in one.interval)
    theirs = _printed(kept, cell)
    maker, name = SUCCESSORS.get(subject, ("", ""))
    beside = f"; {name} {theirs[maker]}" if maker in theirs else ""
    return f"{ratio_text(one.ratio, one.interval)} ({low} to {high}{beside})"


def _shown(kept: Kept) -> Iterator[str]:
    cells = _valid(kept)
    lightest, heaviest = cells[0], cells[-1]
    yield from _left_out(kept)
    yield _orders(kept)
    yield from _beside_the_kit(kept)
    yield _spreads(kept, lightest, heaviest)
    yield _processors(kept)
    yield _collectors(kept, heaviest)


def _valid(kept: Kept) -> list[Cell]:
    """The cells in which the instrument was valid."""
    against = kept.run.schedule.reference
    return [
        cell
        for cell in kept.run.schedule.cells
        if all(kept.between(one, against, cell.name).verdict is not None for one in kept.others)
    ]


def _left_out(kept: Kept) -> Iterator[str]:
    """The other cells, and why they have no result."""
    cells = [cell for cell in kept.run.schedule.cells if cell not in _valid(kept)]
    if cells:
        reasons = kept.between(kept.others[0], kept.run.schedule.reference, cells[0].name).why_not
        yield f"There is no result for {' and '.join(map(size_words, cells))}, because the instrument was not valid: {reasons[0]}."


def _orders(kept: Kept) -> str:
    """The order of the subjects, and whether it is one in all cells."""
    cells = _valid(kept)
    orders = {cell.name: tuple(_by_throughput(kept, cell)) for cell in cells}
    first = next(iter(orders.values()))
    same = len(set(orders.values())) == 1
    in_all = "in each of these cells" if same else f"at {size_words(cells[0])}"
    said = (
        f"The order by measured throughput, whether or not a difference was detected, is {in_all}: {', '.join(first)}."
    )
    if same:
        return said
    return (
        said
        + " In other cells it differs: "
        + "; ".join(
            f"{', '.join(orders[cell.name])} at {size_words(cell)}" for cell in cells if orders[cell.name] != first
        )
        + "."
    )


def _beside_the_kit(kept: Kept) -> Iterator[str]:
    """Of each server with a predecessor in the kit: where its index is the kit's, and where it is not."""
    for subject, (maker, name) in SUCCESSORS.items():
        near, far = list[str](), list[str]()
        for cell in _valid(kept):
            theirs = float(_printed(kept, cell)[maker])
            ours = kept.ratio(subject, kept.run.schedule.reference, cell.name)
            words = f"{size_words(cell)} ({value_text(ours)}, {theirs:.2f})"
            (near if abs(ours - theirs) <= ALIKE else far).append(words)
        for said, cells in (("Within", near), ("Not within", far)):
            if cells:
                yield f"{said} {ALIKE:g} of the kit's index of {name}: {subject} at {'; '.join(cells)}."


def _spreads(kept: Kept, lightest: Cell, heaviest: Cell) -> str:
    """The kit's conclusion that differences between servers grow with payload and users."""
    ours = [_spread(_ratios(kept, cell)) for cell in (lightest, heaviest)]
    theirs = [_spread([float(text) for text in _printed(kept, cell).values()]) for cell in (lightest, heaviest)]
    grows = [pair[1] > pair[0] * (1 + ALIKE) for pair in (ours, theirs)]
    word = "As in the kit" if grows[0] == grows[1] else "Unlike the kit"
    what = "grow with payload and users" if grows[0] else "do not grow with payload and users"
    return (
        f"{word}, differences between servers {what}: between the fastest and the slowest there is a factor of "
        f"{value_text(ours[0])} at {size_words(lightest)} and {value_text(ours[1])} at {size_words(heaviest)}. The kit has "
        f"{value_text(theirs[0])} and {value_text(theirs[1])}."
    )


def _processors(kept: Kept) -> str:
    """How closely the order follows processor time per request."""
    reference = kept.run.schedule.reference
    off = [
        abs(kept.ratio(subject, reference, cell.name) * _over(kept, subject, cell, CPU) - 1)
        for cell in _valid(kept)
        for subject in kept.others
    ]
    costs = [_over(kept, subject, cell, CPU) for cell in _valid(kept) for subject in kept.others]
    return (
        f"Processor time explains this: per request it is {value_text(min(costs))} to {value_text(max(costs))} times that of "
        f"{reference}. Index times processor time is 1 within {max(off):.0%} in each of these cells."
    )


def _collectors(kept: Kept, heaviest: Cell) -> str:
    """The garbage collectors' work in the heaviest cell, and whether allocation orders the servers as throughput does."""
    order = _by_throughput(kept, heaviest)
    allocated = {one: kept.value(one, heaviest.name, ALLOCATED) for one in order}
    pauses = {one: kept.value(one, heaviest.name, PAUSES) for one in order}
    alike = sorted(order, key=lambda one: allocated[one]) == order
    said = ", ".join(f"{one} {value_text(allocated[one] / 1000)}" for one in order)
    return (
        f"At {size_words(heaviest)} a request allocates, in MB: {said}; "
        + ("this is the order of throughput. " if alike else "this is not the order of throughput. ")
        + f"Garbage collectors stop all threads for {value_text(min(pauses.values()))} to {value_text(max(pauses.values()))}% of "
        "the time."
    )


def _ratios(kept: Kept, cell: Cell) -> list[float]:
    """The index of each subject, the reference's 1 among them."""
    reference = kept.run.schedule.reference
    return [1.0, *(kept.ratio(subject, reference, cell.name) for subject in kept.others)]


def _by_throughput(kept: Kept, cell: Cell) -> list[str]:
    subjects = [kept.run.schedule.reference, *kept.others]
    index = dict(zip(subjects, _ratios(kept, cell), strict=True))
    return sorted(subjects, key=lambda subject: -index[subject])


def _spread(values: Sequence[float]) -> float:
    return max(values) / min(values)


def _over(kept: Kept, subject: str, cell: Cell, measure: str) -> float:
    """A subject's value over the reference's."""
    reference = kept.run.schedule.reference
    return kept.value(subject, cell.name, measure) / kept.value(reference, cell.name, measure)


def _printed(kept: Kept, cell: Cell) -> Mapping[str, str]:
    """The kit's indices of a cell, by its servers."""
    (size,) = cell.payload.values()
    return by_cell(_read(kept.folder), cell.operation)[cell.users, size]


@cache
def _read(folder: Path) -> Sequence[PublishedIndex]:
    return read_indices(folder / INDICES)


def size_words(cell: Cell) -> str:
    """A cell as notes call it: `10 parts, 5 users`."""
    return ", ".join(f"{size} {name.lower()}" for name, size in cell.payload.items()) + f", {cell.users} users"


MADE = {f"soakit-{case}": soakit for case in ("tv-dinner", "sushi-boats", "buffet")}
