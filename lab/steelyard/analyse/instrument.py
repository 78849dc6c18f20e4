"""Whether the instrument can be believed: the checks of METHODOLOGY, rule 4, on stored data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from ..base.text import change_text, join_words, plural, short_text
from ..models.records import Cell
from ..models.service import SERVED_ANSWERED
from ..plan.designs import design_named
from ..plan.kinds import kind_of, unbroken
from ..results.stored_run import Run, Trial
from ..results.tables import LinkUse, SliceRow
from ..statistics.checks import LITTLE_TOLERANCE, littles_law, littles_law_applies
from ..statistics.interval import CONFIDENCE
from ..statistics.processor_witness import disagree, disagreement
from .engine_use import ENGINE_SHARE_LIMIT, engine_use
from .frozen_work import Z_OFF, Quantity, worst_turn_effect, z_in_turns
from .pairing import counted_slices, measured_slices
from .second_witness import why_not_judged, witnesses

ENGINE_SHARE = "Engine's processor"
ENGINE_SHARE_WARNING = 0.75
LATENESS_LIMIT_NS = 1_000_000
STEAL_WARNING = 0.01
STEAL_LIMIT = 0.05
THROTTLED_LIMIT = 0.001
LINK_WARNING = 0.9
FAILED_WARNING = 0.001
CLOSES_WARNING = 1.0


class Level(StrEnum):
    """The level of a finding: `invalid` replaces the verdict, `warning` is reported with it."""

    OK = "ok"
    WARNING = "warning"
    INVALID = "invalid"
    UNKNOWN = "not judged"


@dataclass(frozen=True)
class Finding:
    """One check in one cell, of one subject where it is about one; `reading` and `limit` are text to be shown."""

    check: str
    cell: str
    subject: str | None
    level: Level
    reading: str
    limit: str
    reason: str = ""


def examine(run: Run) -> list[Finding]:
    """All findings, cell by cell and subject by subject."""
    findings: list[Finding] = []
    for cell in run.schedule.cells:
        for subject in run.schedule.subjects:
            findings += _subject_findings(run, cell, subject)
        findings += _frozen_work(run, cell)
        findings += _steal(run, cell)
        findings += _throttling_findings(run, cell)
        findings += _link_finding(run, cell)
    return findings


def is_late(run: Run, cell: Cell, subject: str) -> bool:
    """Whether the engine sent so late that this subject's tail percentiles cannot be believed."""
    rows = [row for _, row in _rows(run, cell, subject)]
    return bool(rows) and _median([row.lateness_p99_ns for row in rows]) > LATENESS_LIMIT_NS


def _subject_findings(run: Run, cell: Cell, subject: str) -> Iterator[Finding]:
    rows = list(_rows(run, cell, subject))
    if not rows:
        return
    if design_named(run.schedule.design).starts:  # users of what ran before may wait for answers that never come
        yield _littles_law_finding(cell, subject, rows)
        yield from _processor_time_findings(run, cell, subject)
    yield _engine_share(cell, subject, rows)
    yield _lateness(cell, subject, [row for _, row in rows])
    yield _verification_finding(run, cell, subject)
    yield _counts(run, cell, subject)
    yield _failure_finding(run, cell, subject)
    yield _closes(cell, subject, [row for _, row in rows])
    yield from _idle_cpu_findings(run.schedule.margin, cell, subject, [row for _, row in rows])
    yield from _at_rest(run, cell, subject)


def _rows(run: Run, cell: Cell, subject: str) -> Iterator[tuple[Trial, SliceRow]]:
    whole = unbroken(run.schedule, cell)
    for trial in run.trials:
        for number in counted_slices(trial, cell.name, subject, unbroken=whole):
            yield trial, trial.slices[number]


def _littles_law_finding(cell: Cell, subject: str, rows: Sequence[tuple[Trial, SliceRow]]) -> Finding:
    """Little's law in its plain form, over the slices of each fork together: throughput x mean response time against users, by the
    mean over forks. What the edges of slices cut off is not made up for: this is how much of it there is. Only on closed steady
    cells; without a lead-in, only where slices are long enough."""

    def finding(level: Level, reading: str, reason: str = "") -> Finding:
        return Finding("Little's law", cell.name, subject, level, reading, f"within {LITTLE_TOLERANCE:.0%}", reason)

    if cell.profile.kind == "rate":
        return finding(Level.UNKNOWN, "load is open")
    if cell.profile.kind != "big-bang":
        return finding(Level.UNKNOWN, _littles_law_of_shape(rows))
    rows = [(trial, row) for trial, row in rows if not row.failures]  # a failed request holds its user too
    if not rows:
        return finding(Level.UNKNOWN, "every slice has failures")
    by_fork: dict[int, list[tuple[Trial, SliceRow]]] = {}
    for trial, row in rows:
        by_fork.setdefault(trial.number, []).append((trial, row))
    if kind_of(cell).lead_in_ms == 0 and not all(map(_long_enough_for_littles_law, by_fork.values())):
        return finding(Level.UNKNOWN, "slices too short")
    deviation = fmean(_littles_law_deviation(cell, each) for each in by_fork.values())
    shown = f"{deviation:+.2%}".replace("-0.00", "+0.00")
    if abs(deviation) <= LITTLE_TOLERANCE:
        return finding(Level.OK, shown)
    return finding(
        Level.INVALID,
        shown,
        f"Little's law is off by {deviation:+.1%} for {subject} on {cell.where}: throughput, response time and users disagree",
    )


def _littles_law_deviation(cell: Cell, rows: Sequence[tuple[Trial, SliceRow]]) -> float:
    """How far throughput x (mean response time + pauses) is from the number of users, over the slices of one fork."""
    completed = sum(row.completed for _, row in rows)
    mean = sum(row.response_ns_sum for _, row in rows) / 1e9 / completed
    throughput = completed / sum(row.seconds for _, row in rows)
    return littles_law(throughput, mean, _pause_seconds(rows, completed), cell.users)


def _long_enough_for_littles_law(rows: Sequence[tuple[Trial, SliceRow]]) -> bool:
    """Whether slices without a lead-in hold so many response times that what their end cuts off is too little to matter."""
    completed = sum(row.completed for _, row in rows)
    mean = sum(row.response_ns_sum for _, row in rows) / 1e9 / completed
    seconds = sum(row.seconds for _, row in rows) / len(rows)
    return littles_law_applies(seconds, mean, _pause_seconds(rows, completed))


def _pause_seconds(rows: Sequence[tuple[Trial, SliceRow]], completed: int) -> float:
    """The pauses a right answer, since a session has more requests than pauses; older runs have the job's own."""
    if any(row.thinks for _, row in rows):
        return sum(row.think_ns_sum for _, row in rows) / 1e9 / completed
    return rows[0][0].think_ms / 1000


def _littles_law_of_shape(rows: Sequence[tuple[Trial, SliceRow]]) -> str:
    """The law over a load with a shape, by its mean number of users: pauses are spent too. Shown, and nothing is judged by it."""
    users: dict[tuple[int, int], int] = {}
    for trial, row in rows:
        for tick in trial.ticks_by_slice.get(row.slice, ()):
            users[trial.number, tick.time_ns] = tick.users_active
    completed = sum(row.completed for _, row in rows)
    paused = _pause_seconds(rows, completed) * completed * 1e9 if completed else 0.0
    spent = (sum(row.response_ns_sum for _, row in rows) + paused) / sum(row.measured_ns for _, row in rows)
    mean = sum(users.values()) / max(1, len(users))
    return f"its load has a shape ({change_text(spent / mean - 1)})" if mean else "its load has a shape"


def _processor_time_findings(run: Run, cell: Cell, subject: str) -> Iterator[Finding]:
    """Throughput by answers over throughput by processor time, which should equal that of the reference. It warns: a comparison
    whose witnesses disagree has both ratios in its interval."""
    if kind_of(cell).name != "steady":
        return
    check, limit = "Answers, processor", f"alike within {run.schedule.margin / 2:.1%}"
    seen = witnesses(run, cell, subject)
    why = why_not_judged(run, cell, subject) or ("" if seen else "no processor time was read")
    if why:
        yield Finding(check, cell.name, subject, Level.UNKNOWN, why, limit)
        return
    mean, reference = fmean(seen.values()), run.schedule.reference
    others = {} if why_not_judged(run, cell, reference) else witnesses(run, cell, reference)
    apart = [math.log(seen[number] / others[number]) for number in seen.keys() & others.keys()]
    bad = len(apart) > 1 and disagree(disagreement(apart, CONFIDENCE), run.schedule.margin)
    reason = (
        f"{subject} on {cell.where}: its throughput is {mean:.2f} times what its processor time predicts, that of {reference} "
        f"{fmean(others.values()):.2f} times"
        if bad
        else ""
    )
    level = Level.WARNING if bad else Level.OK
    yield Finding(check, cell.name, subject, level, f"{mean:.3f}", limit, reason)


def _engine_share(cell: Cell, subject: str, rows: Sequence[tuple[Trial, SliceRow]]) -> Finding:
    """CPU time of the engine's busiest thread as a share of the time: near 1 the engine, not the server, was the limit."""
    busy = engine_use(rows)
    share = busy.share
    level, reason = Level.OK, ""
    if share > ENGINE_SHARE_LIMIT:
        level, reason = Level.INVALID, busy.limit
    elif share > ENGINE_SHARE_WARNING:
        level, reason = (
            Level.WARNING,
            "its own work is part of what was measured, and the server may be able to do more",
        )
    return Finding(
        ENGINE_SHARE,
        cell.name,
        subject,
        level,
        f"{share:.0%} busy{busy.threads_text}",
        f"at most {ENGINE_SHARE_LIMIT:.0%}",
        f"the load engine was {share:.0%} busy with {subject} on {cell.where}: {reason}" if reason else "",
    )


def _lateness(cell: Cell, subject: str, rows: Sequence[SliceRow]) -> Finding:
    middle = _median([row.lateness_p99_ns for row in rows])
    bad = middle > LATENESS_LIMIT_NS
    return Finding(
        "Send lateness, p99",
        cell.name,
        subject,
        Level.WARNING if bad else Level.OK,
        f"{middle / 1e6:.3f} ms",
        f"at most {LATENESS_LIMIT_NS / 1e6:g} ms",
        f"{subject} on {cell.where}: requests were sent late (p99 {middle / 1e6:.2f} ms), so no percentile above the 90th is shown"
        if bad
        else "",
    )


def _verification_finding(run: Run, cell: Cell, subject: str) -> Finding:
    """No measurement without a verified answer: the contract's exchanges before, samples in full after."""
    exchanges, unverified, samples = 0, [], 0
    for trial in run.trials:
        if not measured_slices(trial, cell.name, subject):
            continue
        samples += trial.record_or_empty.samples_checked
        counts = [started.exchanges_verified for started in trial.record_or_empty.subjects if started.label == subject]
        exchanges += sum(counts)
        if not counts or not all(counts):
            unverified.append(trial.number)
    seen = f"{exchanges:,} + {samples:,}"
    if not unverified:
        return Finding("Answers verified", cell.name, subject, Level.OK, seen, "before + sampled")
    reason = f"{subject} answered no exchange of the contract in trial {unverified[0]}: its answers were not verified"
    return Finding("Answers verified", cell.name, subject, Level.INVALID, seen, "before + sampled", reason)


def _counts(run: Run, cell: Cell, subject: str) -> Finding:
    """The service's own count of requests against the engine's of answers, over all that was counted together with the cell's
    slices: a load with a shape is counted alone, all else of a trial together.

    Equal where every request was answered correctly, in the measured time or outside; one that got no answer, or an error, may have
    reached the service or not.
    """
    limit, served, answered, reason = "equal", 0, 0, ""
    if SERVED_ANSWERED in run.schedule.not_judged:
        why = run.schedule.not_judged[SERVED_ANSWERED]
        return Finding("Served, answered", cell.name, subject, Level.UNKNOWN, why, limit)
    for trial in run.trials:
        if not any(plan.cell == cell.name for plan in trial.plans.values()):
            continue
        subjects = trial.record_or_empty.subjects
        faces = {subject, *(face.label for face in subjects if face.same_as == subject)}
        for count in trial.record_or_empty.counted:
            numbers = trial.slices.keys() if count.slices is None else count.slices
            if count.subject != subject or not any(trial.plans[number].cell == cell.name for number in numbers):
                continue
            rows = [row for number, row in trial.slices.items() if row.subject in faces and number in numbers]
            unanswered = sum(row.maybe_served for row in rows)
            turned_away = sum(row.rejected_requests for row in rows)
            served += count.by_service
            answered += count.by_engine
            if not -turned_away <= count.by_service - count.by_engine <= unanswered:
                counts = (
                    f"{count.by_service:,} requests in trial {trial.number} and the engine {count.by_engine:,} answers"
                )
                reason = f"{subject} counted {counts}"
    if not served and not answered:
        return Finding("Served, answered", cell.name, subject, Level.UNKNOWN, "not counted", limit)
    level = Level.INVALID if reason else Level.OK
    return Finding("Served, answered", cell.name, subject, level, f"{served:,}, {answered:,}", limit, reason)


def _failure_finding(run: Run, cell: Cell, subject: str) -> Finding:
    """Failures are results, not faults of the instrument: they are shown, and warned of."""
    rows = [
        trial.slices[number]
        for trial in run.trials
        for number in measured_slices(trial, cell.name, subject).values()
        if number in trial.slices
    ]
    started = max(1, sum(row.started for row in rows))
    failed = sum(sum(row.failures.values()) for row in rows)
    wrong = sum(row.wrong for row in rows)
    unanswered = sum(row.dropped for row in rows)
    all_bad = failed + wrong + unanswered
    bad = all_bad / started > FAILED_WARNING or wrong > 0 or unanswered > 0
    kinds = [f"{plural(wrong, 'wrong answer')}"] * bool(wrong) + [f"{plural(failed, 'failure')}"] * bool(failed)
    kinds += [f"{plural(unanswered, 'unanswered request')}"] * bool(unanswered)
    reason = f"{subject} on {cell.where}: {join_words(kinds)} among {started:,} requests" if bad else ""
    level = Level.WARNING if bad else Level.OK
    return Finding("Failed or wrong", cell.name, subject, level, f"{all_bad:,} of {started:,}", "none", reason)


def _closes(cell: Cell, subject: str, rows: Sequence[SliceRow]) -> Finding:
    """Connections that the server closed: each costs a new one, which is part of the server's price but easily a setting."""
    share = sum(row.closes for row in rows) / max(1, sum(row.completed for row in rows)) * 1000
    bad = share > CLOSES_WARNING
    reason = f"{subject} on {cell.where} closed {share:.1f} connections per 1,000 requests" if bad else ""
    level = Level.WARNING if bad else Level.OK
    return Finding(
        "Closes a 1,000", cell.name, subject, level, short_text(share), f"at most {CLOSES_WARNING:g}", reason
    )


def _idle_cpu_findings(margin: float, cell: Cell, subject: str, rows: Sequence[SliceRow]) -> Iterator[Finding]:
    """CPU time that a subject used in others' turns and between pairs, where it was not charged to the subject; known for slices
    that took turns under keepers."""
    known = [row for row in rows if row.cpu_own_ns is not None]
    if not known:
        return
    elsewhere = sum((row.cpu_other_ns or 0) + (row.cpu_between_ns or 0) for row in known)
    share = elsewhere / max(1, elsewhere + sum(row.cpu_own_ns or 0 for row in known))
    limit = margin / 2
    bad = share > limit
    reason = (
        f"{subject} used {share:.1%} of its processor time on {cell.where} outside its own turns, where it did not pay for it:"
        f" more than half the margin of {margin:.0%}"
    )
    level = Level.INVALID if bad else Level.OK
    reading, allowed = f"{share:.2%}", f"at most {limit:.1%}"
    yield Finding("CPU outside turns", cell.name, subject, level, reading, allowed, reason if bad else "")


def _at_rest(run: Run, cell: Cell, subject: str) -> Iterator[Finding]:
    """Periodic work without load. A paused subject does it in its own turns afterwards, so it may be charged for it twice."""
    shares = [rest.share for trial in run.trials for rest in trial.record_or_empty.at_rest if rest.subject == subject]
    if not shares:
        return
    share, limit = median(shares), run.schedule.margin / 2
    bad = share > limit
    reason = (
        f"{subject} used {share:.1%} of a processor without load, more than half the margin of {run.schedule.margin:.0%}: "
        "paused in others' turns, it may do such work in its own turns and be charged twice; "
        f"a margin of {2 * share:.0%} or more allows for that"
    )
    level = Level.INVALID if bad else Level.OK
    yield Finding(
        "CPU at rest", cell.name, subject, level, f"{share:.2%}", f"at most {limit:.1%}", reason if bad else ""
    )


def _frozen_work(run: Run, cell: Cell) -> Iterator[Finding]:
    """What turns change against steady stretches, and loads at once against loads alone, beside the reference."""
    margin = run.schedule.margin
    for subject in run.schedule.subjects_in(cell):
        if z_in_turns(run, cell, subject):
            why = f"{subject} collects with Z, which works more often when it is paused between turns: in turns its throughput"
            reading, reason = (
                f"up to {Z_OFF:.1%} off",
                f"{why} was up to {Z_OFF:.1%} off; `turn_ms = 0` drives stretches",
            )
            yield Finding("Z in turns", cell.name, subject, Level.WARNING, reading, f"at most {margin:.0%}", reason)
        for quantity in Quantity:
            worst = worst_turn_effect(run, cell, subject, quantity)
            if worst is None:
                continue
            bad = worst.size > margin
            level, reason = (Level.WARNING, worst.reason(cell, margin)) if bad else (Level.OK, "")
            limit = f"at most {margin:.0%}" + (" apart" if quantity is Quantity.THROUGHPUT else " more")
            yield Finding(quantity.value, cell.name, subject, level, worst.text, limit, reason)


def _steal(run: Run, cell: Cell) -> Iterator[Finding]:
    """Processor time that the machine's host took away while the cell was measured."""
    times: dict[str, tuple[float, float]] = {}  # stolen and spent, of each machine
    for trial, number in _measured_slice_numbers(run, cell):
        for row in trial.machine.get(number, ()):
            stolen, spent = times.get(row.host, (0.0, 0.0))
            spent += row.user_s + row.system_s + row.idle_s + row.steal_s
            times[row.host] = (stolen + row.steal_s, spent)
    share = max((stolen / spent for stolen, spent in times.values() if spent), default=None)
    if share is None:
        return
    level = Level.INVALID if share > STEAL_LIMIT else Level.WARNING if share > STEAL_WARNING else Level.OK
    reason = f"the host took {share:.1%} of the processors' time away on {cell.where}" if level is not Level.OK else ""
    yield Finding("Stolen time", cell.name, None, level, f"{share:.2%}", f"at most {STEAL_LIMIT:.0%}", reason)


def _throttling_findings(run: Run, cell: Cell) -> Iterator[Finding]:
    """Time for which a quota halted the servers, or the engine, while the cell was measured; only where there is a quota."""
    seen = [
        (trial.throttled[number], trial.slices[number])
        for trial, number in _measured_slice_numbers(run, cell)
        if number in trial.throttled and number in trial.slices
    ]
    if not seen:
        return
    periods = sum(quota.periods for quota, _ in seen)
    share = sum(quota.throttled_s for quota, _ in seen) / sum((row.end_ns - row.begin_ns) / 1e9 for _, row in seen)
    level = Level.INVALID if share > THROTTLED_LIMIT else Level.WARNING if periods else Level.OK
    reason = f"the quota of processor time ran out in {plural(periods, 'period')} on {cell.where} and halted servers or engine"
    limit = f"at most {THROTTLED_LIMIT:.1%}"
    yield Finding("Throttled", cell.name, None, level, f"{share:.2%}", limit, "" if level is Level.OK else reason)


def link_uses(run: Run, cell: Cell) -> list[LinkUse]:
    """What each interface of the declared hosts carried while the cell was measured; nothing where all ran on loopback."""
    return [
        use
        for trial in run.trials
        for use in trial.network
        for plan in [trial.plans.get(int(use.slices.split("+")[0]))]  # all that take turns are of one cell
        if plan is not None and plan.phase == "measure" and plan.cell == cell.name
    ]


def _link_finding(run: Run, cell: Cell) -> Iterator[Finding]:
    """How much of the link to the subjects' host was used while the cell was measured; only where a link was declared."""
    uses = [use for use in link_uses(run, cell) if use.link_share is not None]
    if not uses:
        return
    share = sum((use.link_share or 0.0) * (use.end_ns - use.begin_ns) for use in uses)
    share /= sum(use.end_ns - use.begin_ns for use in uses)
    filled = share > LINK_WARNING
    reason = (
        f"the link to the subjects' host was {share:.0%} full on {cell.where}: what was measured there may be the link"
    )
    yield Finding(
        "Link",
        cell.name,
        None,
        Level.WARNING if filled else Level.OK,
        f"{share:.0%} full",
        f"at most {LINK_WARNING:.0%}",
        reason if filled else "",
    )


def _measured_slice_numbers(run: Run, cell: Cell) -> Iterator[tuple[Trial, int]]:
    """Every slice of the cell that was measured, whether it counts or not."""
    for trial in run.trials:
        for plan in trial.plans.values():
            if plan.phase == "measure" and plan.cell == cell.name:
                yield trial, plan.number


def _median(values: Sequence[int]) -> float:
    ordered = sorted(values)
    return float(ordered[len(ordered) // 2])
