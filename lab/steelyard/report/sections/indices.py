"""A grid as tables of indices, each subject's throughput over the reference's, with resources used and the paper's indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.indices import TPS, carried_bytes_per_s, figure, interval, rows
from ...base.csvfiles import is_stored
from ...base.text import label_names, range_text, ratio_text, value_text
from ...catalogue.published_indices import INDICES, by_cell, quantities, read_indices
from ...catalogue.published_tables import contradiction_by, stored_conclusions
from ...models.outputs.run import GridRow
from ...models.records import Cell
from ..section import Section

CPU, COLLECTOR = "cpu_per_request", "collector"


@dataclass(frozen=True)
class UseCase:
    """One operation's tables: rows of text under `headings`, and the published ones if the study's paper has some."""

    name: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    used: tuple[tuple[str, ...], ...]
    why: tuple[str, ...]
    published_headings: tuple[str, ...]
    published: tuple[tuple[str, ...], ...]
    claims: tuple[tuple[str, str], ...]


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no cell has a payload, or there is nothing to compare."""
    with_payload = [row for row in rows(analysis) if row.payload]
    if not with_payload or len(analysis.run.schedule.subjects) < 2:
        return None
    names = dict.fromkeys(row.use_case for row in with_payload)
    return {
        "use_cases": [
            _use_case(analysis, name, [row for row in with_payload if row.use_case == name]) for name in names
        ],
        "reference": analysis.run.schedule.reference,
        "used": USED,
        "carried": _bandwidth_note(analysis),
    }


USED = (
    *("subject", "payload", "users", "requests/s", "bytes per request", "% of a processor, mean", "highest"),
    *("the engine's, mean", "highest", "MB/s sent by the engine", "by the server", "ended"),
)


def _use_case(analysis: Analysis, name: str, mine: Sequence[GridRow]) -> UseCase:
    subjects = analysis.run.schedule.subjects
    cells: dict[tuple[str, int], dict[str, GridRow]] = {}
    for row in mine:
        cells.setdefault((_payload(row), row.users), {})[row.subject] = row
    headings, published = _published_table(analysis, name)
    return UseCase(
        name=name,
        headings=("payload", "users", *subjects),
        rows=tuple(
            (payload, str(users), *(_index(of.get(subject)) for subject in subjects))
            for (payload, users), of in cells.items()
        ),
        used=tuple(_usage_cells(row) for row in mine),
        why=tuple(_why(analysis, name)),
        published_headings=headings,
        published=published,
        claims=tuple(_claims(analysis, name)),
    )


def _payload(row: GridRow) -> str:
    return ", ".join(f"{name} {value}" for name, value in row.payload.items())


def _index(row: GridRow | None) -> str:
    if row is None or row.index is None:
        return "-"
    return ratio_text(row.index, row.interval) + (f" ({range_text(row.interval)})" if row.interval else "")


def _usage_cells(row: GridRow) -> tuple[str, ...]:
    values = (row.tps, row.bytes, row.cpu_mean, row.cpu_max, row.engine_cpu_mean, row.engine_cpu_max)
    texts = ("-" if value is None else value_text(value) for value in values)
    sent = ((row.engine_bytes_per_s, row.engine_bandwidth), (row.server_bytes_per_s, row.server_bandwidth))
    return (row.subject, _payload(row), str(row.users), *texts, *(_bandwidth_text(*by) for by in sent), row.ended)


def _bandwidth_text(bytes_per_s: float | None, bandwidth: float | None) -> str:
    """MB per second, with the share of the device's capacity if it is known."""
    if bytes_per_s is None:
        return "-"
    return value_text(bytes_per_s / 1e6) + (f" ({value_text(bandwidth)} %)" if bandwidth is not None else "")


def _bandwidth_note(analysis: Analysis) -> str:
    """The whole of the shares of bandwidth."""
    carried = carried_bytes_per_s(analysis.run.environment)
    if carried is None:
        return ""
    if "link" in analysis.run.environment:
        return f"Beside MB/s, in percent of what the link to the servers' host carries one way: {value_text(carried / 1e6)} MB/s."
    return (
        "Beside MB/s, in percent of what one connection carried one way over the loopback device before the run. Loopback has no "
        f"nominal speed; this is at least {value_text(carried / 1e6)} MB/s."
    )


def _why(analysis: Analysis, operation: str) -> Iterator[str]:
    """What explains the order of the subjects in the heaviest cell: their cost per request, with the interval of its ratio."""
    cells = [cell for cell in analysis.run.schedule.cells if cell.operation == operation and cell.payload]
    cell = max(cells, key=lambda candidate: (sum(candidate.payload.values()), candidate.users))
    by_throughput = _order(analysis, cell, TPS)
    if len(by_throughput) < 2:
        return
    yield f"In the heaviest cell ({cell.name}), from most throughput to least: {_words(analysis, cell, by_throughput, TPS)}."
    by_cpu = _order(analysis, cell, CPU)
    if set(by_cpu) == set(by_throughput):
        yield f"From least processor time per request to most: {_words(analysis, cell, by_cpu, CPU)}."
        if by_throughput == by_cpu:
            yield "Both orders are the same: a subject with more throughput there spends less processor time on each request."
        else:
            apart = [subject for subject, other in zip(by_throughput, by_cpu, strict=True) if subject != other]
            yield (
                f"The orders differ ({label_names('subject', apart)}): there, processor time per request alone does not explain "
                "throughput. Waiting explains the rest, or the intervals leave the order open."
            )
    for name, measure in analysis.measures.items():
        seen = _order(analysis, cell, name) if measure.data.source == COLLECTOR else []
        if seen:
            yield f"{measure.title}: {_words(analysis, cell, seen, name)}."


def _order(analysis: Analysis, cell: Cell, measure: str) -> list[str]:
    """The subjects with a value of the measure there, from best to worst."""
    values = {}
    better = -1 if analysis.measures[measure].data.better == "higher" else 1
    for subject in analysis.run.schedule.subjects:
        measured = figure(analysis, cell, subject, measure)
        if measured is not None and measured.value is not None:
            values[subject] = better * measured.value
    return sorted(values, key=lambda subject: values[subject])


def _words(analysis: Analysis, cell: Cell, order: Sequence[str], measure: str) -> str:
    parts = []
    for subject in order:
        measured = figure(analysis, cell, subject, measure)
        bounds = interval(analysis, cell, subject, measure)
        if measured is None or measured.value is None:
            continue
        ratio = f", ratio {range_text(bounds)}" if bounds else ""
        parts.append(f"{subject} {value_text(measured.value)} {measured.measure.unit}{ratio}")
    return "; ".join(parts)


def _published_table(analysis: Analysis, operation: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The paper's table of a use case as printed: headings and rows; empty where there is none."""
    path = analysis.run.folder / INDICES
    if not is_stored(path):
        return (), ()
    cells = by_cell(read_indices(path), operation)
    servers = list(dict.fromkeys(server for printed in cells.values() for server in printed))
    table_rows = tuple(
        (str(payload), str(users), *(printed.get(server, "") for server in servers))
        for (users, payload), printed in cells.items()
    )
    return ("payload", "users", *servers) if table_rows else (), table_rows


def _claims(analysis: Analysis, operation: str) -> Iterator[tuple[str, str]]:
    """Claims about a use case that contradict the paper's own tables."""
    folder = analysis.run.folder
    if not is_stored(folder / INDICES):
        return
    numbers = quantities(folder)
    for claim in stored_conclusions(folder).contradicted:
        checked = contradiction_by(claim, numbers) if claim.test == operation else None
        if checked is not None and checked.holds:
            yield f"{claim.text} ({claim.section})", str(checked)


SECTION = Section("indices", content)
