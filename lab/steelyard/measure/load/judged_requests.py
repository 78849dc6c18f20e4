"""The requests behind goals and response times, and whether goals were met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from ...analyse.load_figures import Second, percentile_name
from ...base import histogram
from ...base.histogram import Histogram
from ...models.job import Profile, Rate
from ...models.outputs.loading import GoalFound
from ...plan.shapes import most_users
from ...results.outcomes import JUDGED, OUTCOMES, RequestCounts, judged_counts, read_outcomes, request_counts
from ...results.tables import SliceRow, read_histograms
from ...workload.load_spec import Goals, NamedGoal

USUAL_ERRORS = 0.01  # share of failures that is allowed without a goal
_LEAST_SILENCE_S, _SILENT_RESPONSES = (
    1.0,
    20.0,
)  # answers have stopped after this long and this many mean response times


@dataclass(frozen=True)
class JudgedRequests:
    """The requests of a stretch behind goals and response times: those due in the measured time, including later answers.

    `times` are the response times of right answers in µs. `waited_share` is the share of the users' measured time spent on
    requests that never had an answer; 0 under open load, where no user waits. `silent_from_s` is when answers stopped, in s from
    the start of the measured time; None where they did not stop.
    """

    counts: RequestCounts
    times: Histogram
    waited_share: float
    silent_from_s: float | None


def judged_requests(row: SliceRow, folder: Path, user_seconds: float) -> JudgedRequests:
    """The requests of the slice `row` in an engine's folder; `user_seconds` is the measured time of all users together, 0 under
    open load. Raises StoreError."""
    outcomes = read_outcomes(folder / OUTCOMES, True).get(row.slice, [])
    counts = judged_counts(row, outcomes)
    times = _answer_times(row, folder)
    waited_share = min(1.0, row.unanswered_ns_sum / 1e9 / user_seconds) if user_seconds else 0.0
    return JudgedRequests(counts, times, waited_share, _silent_from(row, counts))


def requests_of_operation(judged: JudgedRequests, row: SliceRow, folder: Path, operation: str) -> JudgedRequests:
    """Those of the judged requests that are of one operation."""
    outcomes = [
        each for each in read_outcomes(folder / OUTCOMES, True).get(row.slice, []) if each.operation == operation
    ]
    times = _answer_times(row, folder, operation)
    return replace(judged, counts=request_counts(outcomes, JUDGED), times=times)


def sessions_as_requests(judged: JudgedRequests, row: SliceRow, folder: Path, session: str) -> JudgedRequests:
    """The sessions of one name that ended in the measured time, in place of requests; their times hold their pauses."""
    whole, failed = (_times(row, folder, kind, session) for kind in ("session", "session_failed"))
    return replace(judged, counts=RequestCounts(right=whole.total, failed=failed.total), times=whole)


def _answer_times(row: SliceRow, folder: Path, operation: str | None = None) -> Histogram:
    """The response times in µs of right answers to requests that were due in the measured time."""
    kinds = {kind: _times(row, folder, kind, operation) for kind in ("response", "late", "carried")}
    return histogram.merge_histograms([histogram.subtract(kinds["response"], kinds["carried"]), kinds["late"]])


def user_seconds(profile: Profile, row: SliceRow, seconds: Sequence[Second]) -> float:
    """The measured time of all users together in s; 0 under open load, where no user waits."""
    if isinstance(profile, Rate):
        return 0.0
    users = fmean(second.users for second in seconds) if seconds else most_users(profile)
    return users * row.seconds


def _times(row: SliceRow, folder: Path, kind: str, name: str | None) -> Histogram:
    """The times in µs of one kind; only those of the operation or session `name`, if given."""
    logged = read_histograms(folder / "intervals.hlog", True).get((row.slice, kind), [])
    return histogram.merge_histograms(
        histogram.decode(encoded) for tag, encoded in logged if name is None or tag.rsplit("/", 3)[2] == name
    )


def _silent_from(row: SliceRow, counts: RequestCounts) -> float | None:
    """When answers stopped although requests waited; None where answers went on until near the end."""
    last = max(0.0, (row.last_answer_ns - row.begin_ns) / 1e9)
    mean_s = row.response_ns_sum / row.completed / 1e9 if row.completed else 0.0
    silent = row.seconds - last > max(_LEAST_SILENCE_S, _SILENT_RESPONSES * mean_s)
    return last if silent and (counts.unanswered or row.timeout) else None


def judged_goals(
    goals: Goals, requests: JudgedRequests, named: Sequence[tuple[NamedGoal, str, JudgedRequests]] = ()
) -> list[GoalFound]:
    """Whether each goal was met; `named` are those of single operations or sessions, with what they count and its requests. A
    request without a right answer counts as slower than any goal.

    Hung users send little, so counts alone do not show them. A goal is therefore also missed where users spent a larger share of
    their time waiting for answers that never came than the allowed share of failures.
    """
    counts = requests.counts
    allowed = USUAL_ERRORS if goals.errors is None else goals.errors
    hung = requests.waited_share > allowed
    waited = (
        f"; users spent {requests.waited_share:.1%} of their time waiting for answers that never came" if hung else ""
    )
    judged = []
    limits = [(share, most_ms, "", "requests", requests) for share, most_ms in sorted(goals.percentiles.items())]
    limits += [(goal.share, goal.most_ms, f" of {goal.name}", unit, of) for goal, unit, of in named]
    for share, most_ms, suffix, unit, of in limits:
        slow, total = slower_than(of.times, most_ms) + of.counts.bad, of.counts.total
        kept = total > 0 and slow <= (1 - share) * total and not hung
        measured = f"{slow / max(1, total):.2%} of {unit} took longer, failed or had no answer"
        goal = f"{percentile_name(share)}{suffix} <= {most_ms:g} ms"
        judged.append(_goal(goal, measured, waited, of.counts, kept=kept))
    if goals.errors is not None:
        share_bad = counts.bad / counts.total if counts.total else 1.0
        kept = share_bad <= goals.errors and not hung
        measured = f"{share_bad:.3%} failed or had no answer"
        judged.append(_goal(f"failed <= {goals.errors:.3g}", measured, waited, counts, kept=kept))
    return judged


def _goal(goal: str, measured: str, waited: str, counts: RequestCounts, *, kept: bool) -> GoalFound:
    return GoalFound(goal=goal, found=(measured if counts.total else "nothing was sent") + waited, kept=kept)


def slower_than(times: Histogram, most_ms: float) -> int:
    """The number of times above `most_ms`; a value counts at the upper bound of its bin, which is 0.1% wide."""
    return int(times.counts[times.highest > most_ms * 1000 * 1.001].sum())
