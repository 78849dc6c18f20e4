"""Sentences and tables about the outcome of a load's requests: counts, when answers stopped, causes of failures, users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..base.text import value_text
from ..models.outputs.loading import FailureCount, LoadedUsers, LoadOutput, RequestTotals

MOST_CAUSES = 12
_SHOWN_WAIT = 0.001  # share of the users' time


def totals_text(requests: RequestTotals) -> str:
    """All requests by their outcome: `sent 10: 8 right, 0 wrong, 1 failed, 1 unanswered`."""
    return (
        f"sent {requests.sent:,}: {requests.right:,} right, {requests.wrong:,} wrong, {requests.failed:,} failed, "
        f"{requests.unanswered:,} unanswered"
    )


def failures_text(failures: Mapping[str, int]) -> str:
    """Failures by kind; `none` where there are none."""
    return ", ".join(f"{count:,} {kind}" for kind, count in failures.items()) or "none"


def cause_text(failure: FailureCount) -> str:
    """The cause of a failure, the HTTP status that came, and the expected status."""
    status = "" if failure.status is None else f"HTTP {failure.status}"
    if failure.expected:
        status += f", expected {' or '.join(map(str, failure.expected))}"
    return "; ".join(part for part in (failure.cause, status) if part)


def count_lines(loaded: LoadOutput) -> Iterator[str]:
    """The outcome of the requests: in the measured time, in total, by HTTP status, and whether answers stopped."""
    yield f"right answers: {loaded.completed:,} in {loaded.seconds:g} s; failed: {failures_text(loaded.failures)}"
    if loaded.requests is not None:
        verified = loaded.outside_by.get("verification", 0)
        yield f"{totals_text(loaded.requests)} ({verified:,} of them to verify the answers)"
    if loaded.statuses:
        statuses = ", ".join(f"{status}: {count:,}" for status, count in loaded.statuses.items())
        yield f"of all that was sent, answers by HTTP status: {statuses}"
    if loaded.silent_from_s is not None:
        yield f"no answer since {loaded.silent_from_s:.1f} s of the measured time"
    if loaded.waited_share >= _SHOWN_WAIT:
        yield f"users spent {loaded.waited_share:.1%} of their time waiting for answers that never came"


def cause_rows(causes: Sequence[FailureCount]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the table of failure causes, the most frequent first."""
    several = len({cause.operation for cause in causes}) > 1
    headings = ["no right answer", "cause", *(["operation"] if several else []), "requests"]
    rows = [
        [cause.outcome, cause_text(cause), *([cause.operation] if several else []), f"{cause.count:,}"]
        for cause in causes[:MOST_CAUSES]
    ]
    if len(causes) > MOST_CAUSES:
        rest = causes[MOST_CAUSES:]
        count = f"{sum(cause.count for cause in rest):,}"
        rows.append(["", f"{len(rest)} other causes", *([""] if several else []), count])
    return headings, rows


def user_rows(bands: Sequence[LoadedUsers]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the table by number of users."""
    headings = ["users", "answered/s", "mean, ms", "p95, ms", "failed", "seconds"]
    rows = []
    for band in bands:
        first, last = band.users
        times = ["-" if time is None else value_text(time) for time in (band.mean_ms, band.p95_ms)]
        users = f"{first}" if first == last else f"{first} to {last}"
        rows.append([users, value_text(band.throughput_per_s), *times, f"{band.failed:,}", f"{band.seconds}"])
    return headings, rows
