"""The figures of one stretch of load, with intervals that cover this process alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from ..base import histogram
from ..base.histogram import Histogram
from ..models.job import Rule
from ..models.outputs.loading import Estimate, FailureCount, LoadedOperation, LoadedUsers, RequestTotals
from ..results.outcomes import RIGHT, OutcomeRow, RequestCounts
from ..results.tables import SliceRow, Tick
from ..statistics.batch_means import LEAST_BATCHES, batch_means
from ..statistics.checks import least_requests, percentile_refusal
from ..statistics.distributions import student_quantile

PERCENTILES = (0.5, 0.95, 0.99)
MOST_BANDS = 12
_TOO_SHORT = f"an interval needs {LEAST_BATCHES} whole seconds"
_SHAPED = "the load changes over time, so its seconds are not comparable"
_CORRELATED = "neighbouring seconds are correlated, so the interval is too narrow; load for longer"


@dataclass(frozen=True)
class Second:
    """One whole second of a load.

    It has the requests `started`, right answers and failures, the sum of response times of right answers in seconds, these as a
    histogram in µs, and the users at its end.
    """

    started: int
    completed: int
    failed: int
    response_s: float
    times: Histogram
    users: int = 0


def seconds_of(row: SliceRow, ticks: Sequence[Tick], folder: Path) -> list[Second]:
    """The whole seconds of a stretch in order, over all operations."""
    by_index: dict[int, list[Tick]] = {}
    for tick in ticks:
        by_index.setdefault(round((tick.time_ns - row.begin_ns) / 1e9), []).append(tick)
    logged = [
        encoded
        for tag, encoded in histogram.read_seconds(folder / "seconds.hlog")
        if tag.split("/")[-3] == str(row.slice)
    ]
    seconds = []
    for encoded, (index, together) in zip(logged, sorted(by_index.items()), strict=False):
        if abs(together[0].time_ns - row.begin_ns - index * 1e9) > 1e7:
            continue  # the last second may be incomplete
        seconds.append(
            Second(
                started=sum(tick.started for tick in together),
                completed=sum(tick.completed for tick in together),
                failed=sum(sum(tick.failures.values()) for tick in together),
                response_s=sum(tick.response_ns_sum for tick in together) / 1e9,
                times=histogram.decode(encoded),
                users=together[0].users_active,
            )
        )
    return seconds


def throughput(row: SliceRow, seconds: Sequence[Second], *, steady: bool) -> Estimate:
    """Right answers per second, with an interval over the whole seconds if the load is `steady`."""
    return with_interval(row.throughput_per_s, [second.completed for second in seconds], steady)


@dataclass(frozen=True)
class MeasuredStretch:
    """The requests of a stretch: times of right answers in µs with mean in ms, their number, and the number of other requests.

    Other requests are wrong, failed or unanswered.
    """

    times: Histogram
    completed: int
    failed: int
    mean_ms: float


def totals(counts: RequestCounts) -> RequestTotals:
    """The counts for printing."""
    return RequestTotals(
        sent=counts.total, right=counts.right, wrong=counts.wrong, failed=counts.failed, unanswered=counts.unanswered
    )


def failure_causes(outcomes: Iterable[OutcomeRow], rules: Mapping[str, Rule]) -> list[FailureCount]:
    """Requests without a right answer by operation and cause, most frequent first. `rules` by operation give the right statuses."""
    counts: dict[tuple[str, str, str, int | None], int] = {}
    for row in outcomes:
        if row.outcome != RIGHT:
            key = (row.operation, row.outcome, row.cause, row.status)
            counts[key] = counts.get(key, 0) + row.count
    return [
        FailureCount(
            operation=operation,
            outcome=outcome,
            cause=cause,
            status=status,
            expected=list(rules[operation].status) if outcome == "status" and operation in rules else [],
            count=count,
        )
        for (operation, outcome, cause, status), count in sorted(counts.items(), key=lambda item: -item[1])
    ]


def response_times(times: Histogram, bad: int, seconds: Sequence[Second], *, steady: bool) -> dict[str, Estimate]:
    """Mean and percentiles of response time in ms over right answers, whose `times` are in µs.

    The `bad` requests without a right answer lie above every percentile. A percentile that reaches them has no value.
    """
    mean_ms = times.mean() / 1000 if times.total else 0.0
    return estimates(MeasuredStretch(times, times.total, bad, mean_ms), seconds, steady=steady)


def estimates(measured: MeasuredStretch, seconds: Sequence[Second], *, steady: bool) -> dict[str, Estimate]:
    """As `response_times`, for requests measured by any tool, with intervals over whole seconds if the load is `steady`."""
    times = measured.times
    if times.total == 0:
        return {
            name: Estimate(value=None, why_not="there was no right answer")
            for name in ("mean", *map(percentile_name, PERCENTILES))
        }
    answered = [second for second in seconds if second.completed]
    means = [second.response_s / second.completed * 1000 for second in answered]
    by_name = {"mean": with_interval(measured.mean_ms, means, steady)}
    for share in PERCENTILES:
        refusal = percentile_refusal(share, times.total + measured.failed)
        beyond = share * (times.total + measured.failed) / times.total
        if refusal is None and beyond > 1:
            refusal = f"{percentile_name(share)} lies among the requests without a right answer"
        by_name[percentile_name(share)] = (
            Estimate(value=None, why_not=refusal) if refusal else _percentile(share, beyond, times, answered, steady)
        )
    return by_name


def percentile_name(share: float) -> str:
    """The name of a percentile: `p95` for 0.95."""
    return f"p{share * 100:g}"


def failed_of(row: SliceRow) -> int:
    """Requests of the measured time without a right answer, wrong answers included."""
    return sum(row.failures.values()) + row.wrong


def with_interval(value: float, by_second: Sequence[float], steady: bool) -> Estimate:
    """A figure with Student's t interval by batch means of its values per second, if the load is `steady`."""
    if not steady:
        return Estimate(value=value, why_not=_SHAPED)
    batched = batch_means(by_second)
    if batched is None:
        return Estimate(value=value, why_not=_TOO_SHORT)
    half = (batched.interval.high - batched.interval.low) / 2
    return Estimate(
        value=value, low=max(0.0, value - half), high=value + half, why_not=None if batched.independent else _CORRELATED
    )


def _percentile(share: float, beyond: float, times: Histogram, seconds: Sequence[Second], steady: bool) -> Estimate:
    """A percentile with Student's t interval over batches that are long enough to support one.

    Source: Seila 1982, "A batching approach to quantile estimation in regenerative simulations", here with batches of equal time.
    """
    value = times.percentile(beyond * 100) / 1000
    if not steady:
        return Estimate(value=value, why_not=_SHAPED)
    if len(seconds) < LEAST_BATCHES:
        return Estimate(value=value, why_not=_TOO_SHORT)
    means = batch_means([second.response_s / second.completed for second in seconds])
    mean_count = fmean(second.completed for second in seconds)
    length = max(means.length if means else 1, math.ceil(least_requests(share) / max(1.0, mean_count)))
    if len(seconds) // length < LEAST_BATCHES:
        return Estimate(value=value, why_not=f"an interval needs {LEAST_BATCHES} stretches of {length} s")
    over = len(seconds) % length
    batches = [
        histogram.merge_histograms(second.times for second in seconds[at : at + length])
        for at in range(over, len(seconds), length)
    ]
    values = [batch.percentile(share * 100) / 1000 for batch in batches]
    half = student_quantile(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    correlated = means is not None and not means.independent
    return Estimate(
        value=value, low=max(0.0, value - half), high=value + half, why_not=_CORRELATED if correlated else None
    )


def by_operation(names: Sequence[str], ticks: Sequence[Tick]) -> list[LoadedOperation]:
    """Right answers, failures by kind and mean response time in ms of each operation, from the seconds of a stretch."""
    loaded = []
    for name in names:
        own = [tick for tick in ticks if tick.operation == name]
        completed = sum(tick.completed for tick in own)
        kinds: dict[str, int] = {}
        for tick in own:
            for kind, count in tick.failures.items():
                kinds[kind] = kinds.get(kind, 0) + count
        mean = sum(tick.response_ns_sum for tick in own) / completed / 1e6 if completed else None
        loaded.append(
            LoadedOperation(
                operation=name, completed=completed, failed=sum(kinds.values()), failures=kinds, mean_ms=mean
            )
        )
    return loaded


def by_users(seconds: Sequence[Second]) -> list[LoadedUsers]:
    """Figures by number of users, from the whole seconds of a load that changes.

    More than MOST_BANDS numbers of users are grouped into bands of neighbouring numbers.
    """
    numbers = sorted({second.users for second in seconds if second.users})
    length = math.ceil(len(numbers) / MOST_BANDS) if numbers else 1
    bands = [numbers[at : at + length] for at in range(0, len(numbers), length)]
    rows = []
    for band in bands:
        within = [second for second in seconds if second.users in band]
        completed = sum(second.completed for second in within)
        times = histogram.merge_histograms(second.times for second in within)
        refusal = percentile_refusal(0.95, times.total + sum(second.failed for second in within))
        rows.append(
            LoadedUsers(
                users=(band[0], band[-1]),
                seconds=len(within),
                throughput_per_s=completed / len(within),
                failed=sum(second.failed for second in within),
                mean_ms=sum(second.response_s for second in within) / completed * 1000 if completed else None,
                p95_ms=None if refusal or not completed else times.percentile(95) / 1000,
            )
        )
    return rows


def kinds_of(row: SliceRow) -> Mapping[str, int]:
    """The number of failed requests by kind, wrong answers included; kinds without one are left out."""
    return {**({"wrong": row.wrong} if row.wrong else {}), **row.failures}
