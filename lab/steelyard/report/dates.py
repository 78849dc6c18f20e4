"""The dates and duration of a run, from the records of its trials; never from today's clock or a file's date."""

from __future__ import annotations

from datetime import UTC, datetime

from ..base.progress import duration
from ..results.stored_run import Run

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def measured_from_to(run: Run) -> tuple[datetime, datetime] | None:
    """When the first recorded trial began and the last one ended, in UTC; None without records."""
    begun = [moment for trial in run.trials if (moment := _parse_date(trial.record_or_empty.begun))]
    ended = [moment for trial in run.trials if (moment := _parse_date(trial.record_or_empty.ended))]
    return (min(begun), max(ended)) if begun and ended else None


def when_text(run: Run) -> str:
    """Such as `22 November 2026, 15:47 to 15:52 UTC`; empty without records."""
    between = measured_from_to(run)
    if between is None:
        return ""
    begun, ended = between
    if begun.date() == ended.date():
        return f"{date_text(begun)}, {begun:%H:%M} to {ended:%H:%M} UTC"
    return f"{date_text(begun)}, {begun:%H:%M} to {date_text(ended)}, {ended:%H:%M} UTC"


def date_text(moment: datetime) -> str:
    """Such as `22 November 2026`, in English regardless of the locale."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def measuring_text(run: Run) -> str:
    """The total time of all trials; empty without records."""
    seconds = sum(trial.record_or_empty.seconds for trial in run.trials)
    return duration(seconds) if seconds else ""


def _parse_date(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
