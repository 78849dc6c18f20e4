"""Checks the monitors' records: one for each answer, none lost, none in violation, layers nested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..base.text import plural
from ..models.records import Cell
from ..models.verdict import RecordCount
from ..results.stored_run import Run, Trial
from .instrument import Finding, Level
from .layers import nests
from .pairing import measured_slices

RECORDS = "Records, answers"
NESTING = "Layers that nest"


def record_counts(run: Run) -> list[RecordCount]:
    """For each subject and cell, over all its load: requests recorded, answered, lost and in violation."""
    counts = []
    for cell in run.schedule.cells if run.schedule.layers else ():
        for subject in run.schedule.subjects:
            trials = [trial for trial in run.trials if _slices(trial, cell, subject)]
            if trials:
                counts.append(_count(run, trials, cell, subject))
    return counts


def examine_layers(run: Run) -> Iterator[Finding]:
    """The findings, cell by cell and subject by subject; none for runs without layers."""
    for count in record_counts(run):
        yield _of_records(count)
        yield _of_nesting(count)


def _slices(trial: Trial, cell: Cell, subject: str) -> Sequence[int]:
    """The measured slices, whether or not they count."""
    return [number for number in measured_slices(trial, cell.name, subject).values() if number in trial.slices]


def _count(run: Run, trials: Sequence[Trial], cell: Cell, subject: str) -> RecordCount:
    records = least = most = completed = violations = unnested = 0
    for trial in trials:
        for number in _slices(trial, cell, subject):
            row = trial.slices[number]
            if number in trial.layers:
                seen = trial.layers[number].requests
                records += len(seen)
                violations += int(np.count_nonzero(seen.violations))
                unnested += int(np.count_nonzero((seen.violations == 0) & ~nests(seen, run.schedule.nesting)))
            # Rejected requests may never have reached the service; requests without an answer may have.
            sent = row.sent or row.completed + row.lead_in_completed
            completed += sent - row.maybe_served
            least += sent - row.maybe_served - row.rejected_requests
            most += sent
    recordings = [
        recording for trial in trials for recording in trial.record_or_empty.recorded if recording.subject == subject
    ]
    return RecordCount(
        subject=subject,
        cell=cell.name,
        records=records,
        completed=completed,
        lost=sum(recording.lost for recording in recordings) + max(0, least - records),
        more=max(0, records - most),
        violations=violations,
        unnested=unnested,
        whole=len(recordings) == len(trials) and all(recording.whole and not recording.cut for recording in recordings),
    )


def _of_records(count: RecordCount) -> Finding:
    limit = "equal, none lost"
    shown = f"{count.records:,}, {count.completed:,}"
    where = f"of {count.subject} on {count.cell}"
    if count.lost or count.more:
        answers = plural(count.completed, "answer")
        reason = f"{plural(count.records, 'request')} {where} recorded for {answers}, {count.lost:,} lost"
    elif not count.whole:
        reason = f"the monitor {where} did not shut down properly in every trial: records may be missing"
    else:
        return Finding(RECORDS, count.cell, count.subject, Level.OK, shown, limit)
    return Finding(RECORDS, count.cell, count.subject, Level.INVALID, shown, limit, reason)


def _of_nesting(count: RecordCount) -> Finding:
    wrong = count.violations + count.unnested
    shown = f"{wrong:,} of {count.records:,} do not"
    if not wrong:
        return Finding(NESTING, count.cell, count.subject, Level.OK, shown, "none")
    reason = (
        f"{plural(count.violations, 'request')} of {count.subject} on {count.cell} changed thread or did not close a layer, "
        f"and in {count.unnested:,} a layer takes longer than the one around it"
    )
    return Finding(NESTING, count.cell, count.subject, Level.INVALID, shown, "none", reason)
