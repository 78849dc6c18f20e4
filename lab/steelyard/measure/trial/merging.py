"""Merges the files of several engines on one load into the files of one engine: counts are summed, histograms merge without
loss."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...base.csvfiles import Row, is_stored, read_table, write_table, write_text
from ...base.errors import StoreError
from ...base.histogram import IntervalLog, LoggedInterval, decode, encode, merge_histograms, read_interval_log
from ...results.outcomes import OUTCOME_COLUMNS, OUTCOMES
from ...results.tables import FAILURE_KINDS

SLICES, TICKS, REQUESTS = "slices.csv", "ticks.csv", "requests.csv"
INTERVALS, SECONDS = "intervals.hlog", "seconds.hlog"
_SAME = ("slice", "subject", "phase", "operation", "begin_ns")
_ENDS = ("end_ns", "measured_ns")
_JUDGED = ("valid", "why_not")
# Maxima, not sums: the wait of the oldest request, the busiest thread's share of time, and the 99th percentile of lateness;
# over all engines, that percentile is at most the worst engine's.
_GREATEST = (
    "oldest_unfinished_ns",
    "last_answer_ns",
    "lateness_p99_ns",
    "engine_cpu_share",
    "thread_cpu_most_ns",
    "thread_sent_most",
)
_TICK_KEY = ("slice", "time_ns", "subject", "operation")
_SENT = ("completed", "wrong", *FAILURE_KINDS)
# columns of a slice that its seconds also have
_KNOWN = ("started", *_SENT, "bytes_out", "bytes_in", "response_ns_sum")
_SAMPLE_COLUMNS = (
    *("sample", "slice", "subject", "operation", "entry", "outcome"),
    *("due_ns", "sent_ns", "first_byte_ns", "last_byte_ns", "status", "cause"),
)


@dataclass(frozen=True)
class EnginePart:
    """One of several engines: its name, its folder, and the reason of its loss, if lost."""

    name: str
    folder: Path
    lost: str | None = None


def merge(folder: Path, parts: Sequence[EnginePart]) -> None:
    """Write into `folder` the files that one engine would have written of the slices that the engines of `parts` drove together.

    The sums include a lost engine's counts until its last whole second, unless they were lost with its host; the slice is not
    valid. Raises StoreError where engines contradict one another, or none is left.
    """
    living = [part for part in parts if part.lost is None]
    if not living:
        raise StoreError(f"all engines that wrote into {folder} were lost")
    gone = [part for part in parts if part.lost is not None and not is_stored(part.folder / TICKS)]
    parts = [part for part in parts if part not in gone]
    ticks = {part.name: list(read_table(part.folder / TICKS, _TICK_KEY, may_be_cut=True)) for part in parts}
    unknown = [f"{part.name} was lost, and its requests are not known: {part.lost}" for part in gone]
    _merge_slices(folder / SLICES, parts, ticks, unknown)
    _merge_ticks(folder / TICKS, list(ticks.values()))
    logs = {part.name: part.folder / INTERVALS for part in parts}
    _merge_histograms(folder / INTERVALS, logs, {})
    if is_stored(living[0].folder / SECONDS):
        logs = {part.name: part.folder / SECONDS for part in parts}
        _merge_histograms(folder / SECONDS, logs, {name: _seconds_of(rows) for name, rows in ticks.items()})
    _merge_outcomes(folder / OUTCOMES, [part.folder / OUTCOMES for part in parts])
    if is_stored(living[0].folder / REQUESTS):
        _merge_requests(folder / REQUESTS, [part.folder / REQUESTS for part in parts])
    _gather_samples(folder / "samples", [part.folder / "samples" for part in parts])


def _merge_slices(
    path: Path, parts: Sequence[EnginePart], ticks: Mapping[str, Sequence[Row]], unknown: Sequence[str]
) -> None:
    tables = {part.name: _slices_of(part) for part in parts}
    first = next(tables[part.name] for part in parts if part.lost is None)
    made = []
    for number, row in first.items():
        rows, why_not = [], list(unknown)
        for part in parts:
            own = tables[part.name].get(number)
            if own is None and part.lost is None:
                raise StoreError(f"{part.folder / SLICES} has no slice {number}, which other engines drove")
            rows.append(own if own is not None else _partial_counts(number, row, ticks[part.name]))
            if own is None:
                why_not.append(f"{part.name} was lost: {part.lost}")
            elif own["why_not"]:
                why_not.append(f"{part.name}: {own['why_not']}")
        made.append(_summed_slice(path, rows, why_not))
    columns = list(next(iter(first.values()), dict.fromkeys((*_SAME, *_ENDS, *_JUDGED))))
    write_table(path, columns, [[row[name] for name in columns] for row in made])


def _slices_of(part: EnginePart) -> dict[str, Mapping[str, str]]:
    rows = read_table(part.folder / SLICES, (*_SAME, *_ENDS, *_JUDGED), may_be_cut=True)
    return {row.text("slice"): row.fields for row in rows}


def _partial_counts(number: str, like: Mapping[str, str], ticks: Sequence[Row]) -> Mapping[str, str]:
    """The known counts of an engine that did not end the slice: those of its whole seconds."""
    own = [tick for tick in ticks if tick.text("slice") == number]
    counts = {name: sum(tick.whole(name) for tick in own) for name in _KNOWN}
    counts["sent"] = sum(counts[name] for name in _SENT)
    kept = {name: like[name] for name in (*_SAME, *_ENDS)}
    return {name: str(counts.get(name, 0 if like[name] else "")) for name in like} | kept


def _summed_slice(path: Path, rows: Sequence[Mapping[str, str]], why_not: list[str]) -> Mapping[str, str]:
    for name in _SAME:
        if len({row[name] for row in rows}) > 1:
            raise StoreError(f"{path.parent}: its engines drove slice {rows[0]['slice']} with different {name}")
    if len({row["measured_ns"] for row in rows}) > 1:
        seconds = ", ".join(f"{int(row['measured_ns']) / 1e9:g}" for row in rows)
        why_not = [*why_not, f"the engines measured for different times ({seconds} s)"]
    kept = {name: rows[0][name] for name in _SAME}
    ends = {name: str(max(int(row[name]) for row in rows)) for name in _ENDS}
    judged = {"valid": str(int(not why_not)), "why_not": "; ".join(why_not)}
    return _sum_rows(rows) | kept | ends | judged


def _sum_rows(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The sum of all columns except maxima; a column empty in all rows stays empty, and text is taken from the first row."""
    made = {}
    for name in rows[0]:
        values = [row[name] for row in rows if row[name]]
        if name in _GREATEST:
            made[name] = max(values, key=float, default="")
        elif values and all(value.isascii() and value.isdigit() for value in values):
            made[name] = str(sum(map(int, values)))
        else:
            made[name] = rows[0][name]
    return made


def _merge_ticks(path: Path, tables: Sequence[Sequence[Row]]) -> None:
    by_key: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in (row for table in tables for row in table):
        by_key.setdefault(tuple(row.text(name) for name in _TICK_KEY), []).append(row.fields)
    places = {operation: place for place, operation in enumerate(dict.fromkeys(key[3] for key in by_key))}
    order = sorted(by_key, key=lambda key: (int(key[0]), int(key[1]), places[key[3]]))
    made = [_sum_rows(by_key[key]) | dict(zip(_TICK_KEY, key, strict=True)) for key in order]
    columns = list(made[0]) if made else list(_TICK_KEY)
    write_table(path, columns, [[row[name] for name in columns] for row in made])


def _seconds_of(ticks: Sequence[Row]) -> Mapping[str, list[str]]:
    """For each slice the instants at which an engine's seconds ended, in order: its log of seconds has one line for each."""
    ends: dict[str, list[str]] = {}
    for tick in ticks:
        of_slice = ends.setdefault(tick.text("slice"), [])
        if tick.text("time_ns") not in of_slice[-1:]:
            of_slice.append(tick.text("time_ns"))
    return ends


def _merge_histograms(path: Path, logs: Mapping[str, Path], seconds: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """One line for each tag; a tag that occurs once a second has one line for each of its `seconds` (by engine and slice)."""
    read = {name: read_interval_log(log) for name, log in logs.items() if is_stored(log)}
    first = next((log for log in read.values() if log.head), IntervalLog([], 0.0, []))
    together: dict[tuple[str, int], list[LoggedInterval]] = {}
    for name, log in read.items():
        shift = log.base_s - first.base_s
        for end, interval in _with_end_times(log.intervals, seconds.get(name)):
            moved = LoggedInterval(interval.tag, interval.begin_s + shift, *interval[2:])
            together.setdefault((interval.tag, end), []).append(moved)
    keys = list(together) if not seconds else sorted(together, key=lambda key: (_slice_of(key[0]), key[1]))
    lines = [*first.head, *(_line(together[key]) for key in keys)]
    write_text(path, "".join(f"{line}\n" for line in lines))


def _with_end_times(
    intervals: Iterable[LoggedInterval], seconds: Mapping[str, Sequence[str]] | None
) -> Iterator[tuple[int, LoggedInterval]]:
    """Each interval with the instant at which its second ended; 0 where it is not a second."""
    ends = {number: iter(of_slice) for number, of_slice in (seconds or {}).items()}
    for interval in intervals:
        if seconds is None:
            yield 0, interval
            continue
        end = next(ends.get(str(_slice_of(interval.tag)), iter(())), None)
        if end is not None:
            yield int(end), interval


def _slice_of(tag: str) -> int:
    return int(tag.rsplit("/", 3)[1])


def _line(intervals: Sequence[LoggedInterval]) -> str:
    first = intervals[0]
    together = encode(merge_histograms(decode(interval.encoded) for interval in intervals))
    greatest = max(interval.most_ms for interval in intervals)
    return f"Tag={first.tag},{first.begin_s:.3f},{first.length_s:.3f},{greatest:.3f},{together}"


def _merge_outcomes(path: Path, tables: Iterable[Path]) -> None:
    """Write the outcomes summed over all engines; those of a lost engine's last slice are not known."""
    counts: dict[tuple[str, ...], int] = {}
    for table in tables:
        for row in read_table(table, OUTCOME_COLUMNS, may_be_cut=True) if is_stored(table) else ():
            key = tuple(row.text(name) for name in OUTCOME_COLUMNS[:-1])
            counts[key] = counts.get(key, 0) + row.whole("count")
    write_table(path, OUTCOME_COLUMNS, [[*key, count] for key, count in counts.items()])


def _merge_requests(path: Path, tables: Iterable[Path]) -> None:
    rows = [row for table in tables for row in read_table(table, ["slice", "due_ns"], may_be_cut=True)]
    rows.sort(key=lambda row: (row.whole("slice"), row.whole("due_ns")))
    columns = list(rows[0].fields) if rows else ["slice", "due_ns", "taken_up_ns", "response_ns", "right"]
    write_table(path, columns, [[row.text(name) for name in columns] for row in rows])


def _gather_samples(folder: Path, parts: Iterable[Path]) -> None:
    """Copy the sampled answers of all engines into one folder, with new numbers."""
    folder.mkdir(exist_ok=True)
    made: list[list[object]] = []
    for part in parts:
        if not (part / "index.csv").stat().st_size:
            continue  # missing where an engine was killed before its first sample
        for row in read_table(part / "index.csv", _SAMPLE_COLUMNS, may_be_cut=True):
            answer = part / f"{row.text('sample')}.answer"
            if answer.is_file():
                shutil.copyfile(answer, folder / f"{len(made)}.answer")
                head = answer.with_suffix(".head")
                if head.is_file():
                    shutil.copyfile(head, folder / f"{len(made)}.head")
                made.append([len(made), *(row.text(name) for name in _SAMPLE_COLUMNS[1:])])
    write_table(folder / "index.csv", _SAMPLE_COLUMNS, made)
