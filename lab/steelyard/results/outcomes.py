"""outcomes.csv: how requests ended, by time, outcome, cause and HTTP status; counts of right, failed and unanswered ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import is_stored
from ..base.errors import StoreError
from ..base.typed_rows import columns_of, read_rows
from .tables import FAILURE_KINDS, SliceRow, group_by_slice

OUTCOMES = "outcomes.csv"
RIGHT, WRONG, UNANSWERED = "right", "wrong", "unanswered"
# When a request ended. `carried`: due in the lead-in, ended in the measured time.
LEAD_IN, CARRIED, MEASURED, AFTER = "lead-in", "carried", "measured", "after"
# Requests due in the measured time; those in flight at its end by their later answer.
JUDGED = (MEASURED, AFTER)
_OUTCOMES = {RIGHT, WRONG, UNANSWERED, *FAILURE_KINDS}


@dataclass(frozen=True)
class OutcomeRow:
    """How `count` requests of an operation ended.

    `cause` is empty where `outcome` is complete by itself; `status` is None where no status line came.
    """

    slice: int
    subject: str
    operation: str
    ended: str
    outcome: str
    cause: str
    status: int | None
    count: int


OUTCOME_COLUMNS = columns_of(OutcomeRow)


@dataclass(frozen=True)
class RequestCounts:
    """Requests by outcome. Each request sent has exactly one outcome."""

    right: int = 0
    wrong: int = 0
    failed: int = 0
    unanswered: int = 0

    @property
    def total(self) -> int:
        """All requests."""
        return self.right + self.bad

    @property
    def bad(self) -> int:
        """All requests without a right answer."""
        return self.wrong + self.failed + self.unanswered

    def __add__(self, other: RequestCounts) -> RequestCounts:
        return RequestCounts(
            self.right + other.right,
            self.wrong + other.wrong,
            self.failed + other.failed,
            self.unanswered + other.unanswered,
        )


def read_outcomes(path: Path, may_be_cut: bool) -> dict[int, list[OutcomeRow]]:
    """The rows of outcomes.csv by slice; none for runs without that file. Raises StoreError."""
    if not is_stored(path):
        return {}
    rows = []
    for line, row in read_rows(path, OutcomeRow, may_be_cut=may_be_cut):
        if row.outcome not in _OUTCOMES or row.ended not in (LEAD_IN, CARRIED, MEASURED, AFTER):
            raise StoreError(f"{path}, line {line.line}: there is no outcome '{row.ended}, {row.outcome}'")
        rows.append(row)
    return group_by_slice(rows)


def request_counts(rows: Iterable[OutcomeRow], ended: Collection[str] | None = None) -> RequestCounts:
    """The counts of the rows; only of those with this `ended`, if given."""
    sums = dict.fromkeys(("right", "wrong", "failed", "unanswered"), 0)
    for row in rows:
        if ended is None or row.ended in ended:
            sums[row.outcome if row.outcome in sums else "failed"] += row.count
    return RequestCounts(**sums)


def total_counts(row: SliceRow) -> RequestCounts:
    """The counts of all requests sent in a slice, lead-in and drain included, from slices.csv alone."""
    return RequestCounts(
        right=row.completed + row.lead_in_completed,
        wrong=row.wrong + row.outside_wrong,
        failed=sum(getattr(row, kind) + getattr(row, f"outside_{kind}") for kind in FAILURE_KINDS),
        unanswered=row.dropped,
    )


def judged_counts(row: SliceRow, rows: Iterable[OutcomeRow] = ()) -> RequestCounts:
    """The counts of the requests behind a slice's figures: due in the measured time, by their later answer.

    Older runs lack outcomes.csv: there, requests that ended in the measured time, and the unanswered.
    """
    counts = request_counts(rows, JUDGED)
    if counts.total or not row.sent:
        return counts
    return RequestCounts(row.completed, row.wrong, sum(row.failures.values()), row.dropped)


def by_status(rows: Iterable[OutcomeRow]) -> Mapping[int, int]:
    """The number of answers with each HTTP status, in order of the status."""
    counts: dict[int, int] = {}
    for row in rows:
        if row.status is not None:
            counts[row.status] = counts.get(row.status, 0) + row.count
    return dict(sorted(counts.items()))
