"""Tables and sentences about the sessions of a load, and about the events in its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..base.text import plural, value_text
from ..models.outputs.loading import LoadedSession, LoadedStream
from .failure_text import failures_text

_TIMES = ("mean", "p50", "p95", "p99")


def session_rows(sessions: Sequence[LoadedSession]) -> tuple[list[str], list[list[str]]]:
    """The table of sessions: its headings and rows."""
    headings = ["session", "completed", "failed", "completed/s", *(f"{name}, ms" for name in _TIMES)]
    return headings, [
        [
            session.session,
            f"{session.completed:,}",
            f"{session.failed:,}",
            value_text(session.throughput_per_s),
            *_times(session.time_ms),
        ]
        for session in sessions
    ]


def step_rows(sessions: Sequence[LoadedSession]) -> tuple[list[str], list[list[str]]]:
    """The table of steps: its headings and rows."""
    headings = ["step", "right", "repeated", *(f"{name}, ms" for name in _TIMES), "failed"]
    return headings, [
        [
            step.operation,
            f"{step.completed:,}",
            f"{step.repeated:,}",
            *_times(step.response_ms),
            failures_text(step.failures),
        ]
        for session in sessions
        for step in session.steps
    ]


def stream_rows(streams: Sequence[LoadedStream]) -> tuple[list[str], list[list[str]]]:
    """The table of operations with events: its headings and rows, two each."""
    headings = ["operation", "time", "events per answer", "number", *(f"{name}, ms" for name in _TIMES)]
    rows = []
    for stream in streams:
        each = value_text(stream.events / stream.answers) if stream.answers else "-"
        first, between = _times(stream.first_event_ms), _times(stream.between_events_ms)
        rows.append([stream.operation, "to the first event", each, f"{stream.answers:,}", *first])
        number = f"{stream.events - stream.answers:,}"
        rows.append([stream.operation, "from an event to the next", each, number, *between])
    return headings, rows


def session_sentences(sessions: Sequence[LoadedSession]) -> Iterator[str]:
    """The first wrong answer of each step, logins that were repeated, and data that ended."""
    for session in sessions:
        for step in session.steps:
            if step.first_wrong is not None:
                yield f"first wrong answer of {step.operation}: {step.first_wrong}"
        if session.completed_outside or session.failed_outside:
            failed = f", {session.failed_outside:,} of them failed" if session.failed_outside else ""
            outside = session.completed_outside + session.failed_outside
            yield f"{session.session}: {plural(outside, 'more session')} ended before or after the measured time{failed}"
        if session.cut:
            yield (
                f"{session.session}: {plural(session.cut, 'session')} had begun and did not end, "
                "so the service may keep their state"
            )
        repeated = sum(step.repeated for step in session.steps)
        if repeated:
            yield f"{session.session}: after {plural(repeated, 'answer')} the user repeated its `once` steps"
        if session.rows_ended:
            yield f"{session.session}: its data was used up, which ended the load"


def _times(times: Mapping[str, float | None]) -> list[str]:
    known = [times.get(name) for name in _TIMES]
    return ["-" if time is None else value_text(time) for time in known]
