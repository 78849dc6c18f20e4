"""The tables of a trial's folder: columns, kinds of failures, and rows. Invalid rows are reported with their line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol, TypeVar

from ..base.csvfiles import Row, is_stored, read_document, read_table
from ..base.errors import StoreError
from ..base.histogram import intact, read_log
from ..base.typed_rows import read_rows
from ..models.job import Session
from ..models.records import Cell, in_format

# Every way in which a request can fail, as named in the columns of slices.csv and ticks.csv.
FAILURE_KINDS = (
    *("refused", "reset", "timeout", "tls", "malformed", "status", "fault", "truncated", "stale_failed"),
    "capture",
)
GAUGE_COLUMNS = ("slice", "subject", "name", "time_ns", "value", "held")
SPAN_COLUMNS = ("slice", "subject", "name", "id", "begin_ns", "end_ns", "held")
# The sizes of a corpus: for each kind of request its number and the bytes of the bodies.
SIZES = "sizes.csv"
SIZE_COLUMNS = ("operation", "requests", "least", "mean", "most")
_SINCE_SESSIONS = "capture"
_TICK_FAILURES = ("wrong", *FAILURE_KINDS)


@dataclass(frozen=True)
class SliceRow:
    """A row of slices.csv: instants and sums in ns, counts of requests and connections; see contracts/engine-output.md.

    Defaults stand for columns that older runs lack. Without `measured_ns`, all of the time from begin to end was measured. The
    processor times in own turns, in others' turns and between pairs are None where a slice took no turns. `cpu_window_ns` is the
    processes' use in the measured time of a stretch; None otherwise. `thread_cpu_most_ns` is the processor time of the engine's
    busiest thread, and `thread_sent_most` the requests of the thread that sent most. Both are 0 where each user had a thread of
    its own; older runs have 0 and -1.
    """

    slice: int
    subject: str
    phase: str
    operation: str
    begin_ns: int
    end_ns: int
    measured_ns: int
    started: int
    completed: int
    expected_faults: int
    wrong: int
    refused: int
    reset: int
    timeout: int
    tls: int
    malformed: int
    status: int
    fault: int
    truncated: int
    stale_failed: int
    stale: int
    unfinished: int
    oldest_unfinished_ns: int
    connects: int
    closes: int
    lead_in_completed: int
    bytes_out: int
    bytes_in: int
    response_ns_sum: int
    service_ns_sum: int
    engine_user_ns: int
    engine_system_ns: int
    lateness_p99_ns: int
    valid: int
    why_not: str
    unfinished_ns_sum: int = 0
    unanswered_ns_sum: int = 0
    last_answer_ns: int = 0
    carried_ns_sum: int = 0
    sent: int = 0
    dropped: int = 0
    outside_wrong: int = 0
    outside_refused: int = 0
    outside_reset: int = 0
    outside_timeout: int = 0
    outside_tls: int = 0
    outside_malformed: int = 0
    outside_status: int = 0
    outside_fault: int = 0
    outside_truncated: int = 0
    outside_stale_failed: int = 0
    outside_stale: int = 0
    capture: int = 0
    outside_capture: int = 0
    sessions: int = 0
    sessions_failed: int = 0
    session_ns_sum: int = 0
    thinks: int = 0
    think_ns_sum: int = 0
    cpu_own_ns: int | None = None
    cpu_other_ns: int | None = None
    cpu_between_ns: int | None = None
    cpu_window_ns: int | None = None
    thread_cpu_most_ns: int = 0
    thread_sent_most: int = -1

    @property
    def seconds(self) -> float:
        """The measured time in seconds."""
        return self.measured_ns / 1e9

    @property
    def throughput_per_s(self) -> float:
        """Right answers per second."""
        return self.completed / self.seconds

    @property
    def failures(self) -> dict[str, int]:
        """Failed requests by kind; kinds without one are left out."""
        return {kind: getattr(self, kind) for kind in FAILURE_KINDS if getattr(self, kind)}

    @property
    def rejected_requests(self) -> int:
        """Requests of the whole slice that were answered with a fault or another status. They may not have reached the service."""
        return self.status + self.fault + self.outside_status + self.outside_fault

    @property
    def maybe_served(self) -> int:
        """Requests of the whole slice without a proper answer that may have reached the service.

        Refused requests cannot have. A request that was repeated over a new connection may have reached it twice.
        """
        kinds = {"stale", *FAILURE_KINDS} - {"refused", "status", "fault", "capture"}
        columns = (*kinds, *(f"outside_{kind}" for kind in kinds), "dropped")
        return sum(int(getattr(self, column)) for column in columns)


@dataclass(frozen=True)
class Observation:
    """A row of observations.csv: resources used by one process of a subject between two readings, in ns and bytes.

    `part` is its role. It is judged unless it is a companion, such as a database. Older runs have numbers for companions.
    """

    slice: int
    subject: str
    part: str
    pid: int
    process: str
    begin_ns: int
    end_ns: int
    cpu_ns: int
    jit_ns: int
    rss_bytes: int
    judged: bool


@dataclass(frozen=True)
class Tick:
    """The used columns of a row of ticks.csv: a second of one operation that ends at `time_ns`.

    `response_ns_sum` is over the right answers. `failures` are by kind, wrong answers included; kinds without one are left out.
    """

    time_ns: int
    slice: int
    subject: str
    operation: str
    started: int
    completed: int
    users_active: int
    response_ns_sum: int
    failures: Mapping[str, int]


@dataclass(frozen=True)
class ProcessorTime:
    """A row of machine.csv: how one processor spent a slice, in seconds.

    A processor of the subjects' `host` where that is another machine, else of the engine's machine.
    """

    slice: int
    cpu: int
    user_s: float
    system_s: float
    idle_s: float
    steal_s: float
    host: str = ""


@dataclass(frozen=True)
class Throttled:
    """A row of throttling.csv: the number of a slice's periods in which a quota ran out, and the seconds of throttling."""

    slice: int
    periods: int
    throttled_s: float


@dataclass(frozen=True)
class LinkUse:
    """A row of network.csv: traffic of a host's interface during slices (`3`, or `3+4` where they took turns).

    `link_share` is the share of the link's capacity in the busier direction; None where it is unknown or the interface is not
    the link. `sent_again` are segments that the host's TCP retransmitted; None for an interface that is not the link.
    """

    slices: str
    host: str
    interface: str
    begin_ns: int
    end_ns: int
    bytes_in: int
    packets_in: int
    bytes_out: int
    packets_out: int
    link_share: float | None
    sent_again: int | None


class _OfSlice(Protocol):
    """A row of a table that belongs to one slice."""

    @property
    def slice(self) -> int: ...


Entry = TypeVar("Entry", bound=_OfSlice)


def group_by_slice(rows: Iterable[Entry]) -> dict[int, list[Entry]]:
    """The rows of each slice in order, by the slice's number."""
    by_slice: dict[int, list[Entry]] = {}
    for row in rows:
        by_slice.setdefault(row.slice, []).append(row)
    return by_slice


def read_job(path: Path, _: bool) -> tuple[int, float]:
    """The number of the engine's threads and the mean think time in ms (that of the first slice)."""
    content = read_document(path)
    try:
        threads = int(content.get("threads", 1))
        think = (content.get("slices") or [{}])[0].get("think", {})
        kind, low, high = think.get("kind", "none"), float(think.get("ms", 0)), float(think.get("to_ms", 0))
    except (AttributeError, TypeError, ValueError, IndexError, KeyError) as error:
        raise StoreError(f"{path} is not a job: {error}") from None
    return max(1, threads), {"none": 0.0, "uniform": (low + high) / 2}.get(kind, low)


def read_slices(path: Path, may_be_cut: bool) -> dict[int, SliceRow]:
    """The rows of slices.csv by the number of their slice; raises StoreError."""
    by_slice: dict[int, SliceRow] = {}
    for row, made in read_rows(path, SliceRow, may_be_cut=may_be_cut, derive={"measured_ns": _measured_ns}):
        if made.end_ns <= made.begin_ns:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} ends before it begins")
        if not 0 < made.measured_ns <= made.end_ns - made.begin_ns:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} was measured for longer than it lasted")
        if made.slice in by_slice:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} occurs twice")
        by_slice[made.slice] = made
    return by_slice


def _measured_ns(row: Row) -> int:
    """The measured time of a slice; of runs older than turns, all of its time."""
    return row.whole("measured_ns") if row.fields.get("measured_ns") else row.whole("end_ns") - row.whole("begin_ns")


def read_observations(path: Path, may_be_cut: bool) -> dict[int, list[Observation]]:
    """The resources that each process used during each slice; raises StoreError."""
    rows = []
    for row, made in read_rows(path, Observation, may_be_cut=may_be_cut, derive={"judged": _is_judged}):
        if made.end_ns <= made.begin_ns:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} was observed for no time")
        rows.append(made)
    return group_by_slice(rows)


def _is_judged(row: Row) -> bool:
    return row.whole("judged") == 1 if "judged" in row.fields else not row.text("part").startswith("companion")


def read_machine(path: Path, may_be_cut: bool) -> dict[int, list[ProcessorTime]]:
    """How each processor spent its time during each slice; raises StoreError."""
    return group_by_slice(row for _, row in read_rows(path, ProcessorTime, may_be_cut=may_be_cut))


def read_throttling(path: Path, may_be_cut: bool) -> dict[int, Throttled]:
    """The rows of throttling.csv; none for runs without that file."""
    rows = read_rows(path, Throttled, may_be_cut=may_be_cut) if is_stored(path) else ()
    return {throttled.slice: throttled for _, throttled in rows}


def read_network(path: Path, may_be_cut: bool) -> tuple[LinkUse, ...]:
    """The traffic over the link to a host; none for runs without declared hosts. Raises StoreError."""
    uses = []
    for row, use in read_rows(path, LinkUse, may_be_cut=may_be_cut) if is_stored(path) else ():
        if not all(number.isdecimal() for number in use.slices.split("+")) or use.end_ns <= use.begin_ns:
            raise StoreError(f"{path}, line {row.line}: it names no slices, or no time")
        uses.append(use)
    return tuple(uses)


@dataclass(frozen=True)
class SpanRow:
    """A row of spans.csv: the time between two events of one id, and whether it counts. None where the second event is missing."""

    slice: int
    name: str
    begin_ns: int
    ns: int | None
    held: bool


def read_spans(path: Path, may_be_cut: bool) -> dict[int, list[SpanRow]] | None:
    """The spans of spans.csv by the slice in which they began; None for a study without spans. Raises StoreError."""
    if not is_stored(path):
        return None
    return group_by_slice(row for _, row in read_rows(path, SpanRow, may_be_cut=may_be_cut, derive={"ns": _span_ns}))


def _span_ns(row: Row) -> int | None:
    return row.whole("end_ns") - row.whole("begin_ns") if row.text("end_ns") else None


@dataclass(frozen=True)
class GaugeRow:
    """A row of gauges.csv: a process's own reading at an instant of a measured slice, and whether it counts."""

    slice: int
    name: str
    time_ns: int
    value: float
    held: bool


def read_gauges(path: Path, may_be_cut: bool) -> dict[int, list[GaugeRow]]:
    """The readings of each slice; empty where no process reported any."""
    return group_by_slice(row for _, row in read_rows(path, GaugeRow, may_be_cut=may_be_cut)) if is_stored(path) else {}


def read_ticks(path: Path, may_be_cut: bool) -> tuple[Tick, ...]:
    """The rows of ticks.csv of all slices: one row per second and operation; raises StoreError."""
    names = [item.name for item in fields(Tick) if item.name != "failures"]
    names += [kind for kind in _TICK_FAILURES if kind != _SINCE_SESSIONS]
    return tuple(_tick(row) for row in read_table(path, names, may_be_cut=may_be_cut))


def _tick(row: Row) -> Tick:
    return Tick(
        time_ns=row.whole("time_ns"),
        slice=row.whole("slice"),
        subject=row.text("subject"),
        operation=row.text("operation"),
        started=row.whole("started"),
        completed=row.whole("completed"),
        users_active=row.whole("users_active"),
        response_ns_sum=row.whole("response_ns_sum"),
        failures={
            kind: count
            for kind in _TICK_FAILURES
            if row.fields.get(kind, "0") != "0" and (count := row.whole(kind))  # nearly all are 0
        },
    )


def read_histograms(path: Path, may_be_cut: bool) -> dict[tuple[int, str], list[tuple[str, str]]]:
    """The histograms as (tag, encoded), by slice and kind (response, service ...); raises StoreError."""
    by_slice_and_kind: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for tag, encoded in read_log(path, may_be_cut=may_be_cut).items():
        parts = tag.rsplit("/", 3)
        if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
            raise StoreError(f"{path}: the tag {tag[:80]} is not subject/slice/operation/kind")
        if not intact(encoded):
            raise StoreError(f"{path}: the histogram {tag[:80]} is damaged")
        by_slice_and_kind.setdefault((int(parts[1]), parts[3]), []).append((tag, encoded))
    return by_slice_and_kind


def mean_request_bytes(folder: Path, sessions: Mapping[str, Session]) -> dict[str, float]:
    """The mean size of the request bodies of a corpus, by operation, and by session over its steps."""
    sizes: dict[str, list[int]] = {}
    with (folder / "corpus.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes.setdefault(row["operation"], []).append(int(row["length"]))
    means = {operation: sum(lengths) / len(lengths) for operation, lengths in sizes.items()}
    wanted = {name: [step.operation for step in session.steps] for name, session in sessions.items()}
    whole = {name: operations for name, operations in wanted.items() if means.keys() >= set(operations)}
    return means | {
        name: sum(means[operation] for operation in operations) / len(operations) for name, operations in whole.items()
    }


def stored_sizes(folder: Path) -> dict[str, float]:
    """The mean size of a request's body by its name in the corpus; none for runs without sizes. Raises StoreError."""
    path = folder / SIZES
    if not is_stored(path):
        return {}
    return {row.text("operation"): row.number("mean") for row in read_table(path, SIZE_COLUMNS)}


def request_bytes(cell: Cell, sizes: Mapping[str, float], form: str = "") -> float | None:
    """Mean bytes of a request's body; None where the cell has several kinds of request.

    `sizes` are by the corpus's names of requests. `form` is the message format of the subject, where known.
    """
    names = (in_format(name, form) if in_format(name, form) in sizes else name for name in cell.request_mix)
    wanted = [sizes[name] for name in names if name in sizes]
    return wanted[0] if len(wanted) == 1 else None
