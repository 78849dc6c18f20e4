"""User sessions: duration, parts, and early ends, one cell at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...analyse.analysis import Analysis
from ...analyse.sessions import SessionTimes, ended_early_text, session_cells, session_times
from ...base.histogram import Histogram
from ...base.text import plural, range_text, ratio_text, short_text, value_text
from ...models.records import Cell
from ...statistics.checks import percentile_refusal
from ..charts.session_parts import session_parts
from ..drawing import Picture
from ..section import Section
from ..subjects import full_label

_PERCENTILES = (50, 90, 99)
_LONG = 0.1  # of a slice: longer sessions are cut off at its end so often that short ones are overrepresented


@dataclass(frozen=True)
class SessionCell:
    """A cell's sessions as the template shows them.

    `figures` are rows of subject, complete sessions per second, their mean with its interval, and percentiles in ms; `ratios`
    are those of the mean to the reference's; `steps` are rows of session or operation, subject, answers, mean, percentiles and
    failures.
    """

    name: str
    load: str
    sentences: tuple[str, ...]
    figures: tuple[tuple[str, ...], ...]
    ratios: tuple[tuple[str, ...], ...]
    pictures: tuple[Picture, ...]
    steps: tuple[tuple[str, ...], ...]


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no cell has sessions, or none was measured."""
    shown = [_session_cell(analysis, place, cell) for place, cell in enumerate(session_cells(analysis.run.schedule))]
    measured = [of_cell for of_cell in shown if of_cell is not None]
    return {"cells": measured} if measured else None


def _session_cell(analysis: Analysis, place: int, cell: Cell) -> SessionCell | None:
    times = list(session_times(analysis.run, cell))
    if not times:
        return None
    names = list(dict.fromkeys(session.name for session in times))
    subjects = analysis.run.schedule.subjects
    by_name = {name: [session for session in times if session.name == name] for name in names}
    pictures = [session_parts(f"session-{place}-{name}", by_name[name], subjects) for name in names]
    return SessionCell(
        name=cell.name,
        load=_load(analysis, cell),
        sentences=(*filter(None, map(ended_early_text, times)), *_cut_off(times)),
        figures=tuple(_figures(analysis, cell)),
        ratios=tuple(_ratios(analysis, cell)),
        pictures=tuple(picture for picture in pictures if picture is not None),
        steps=tuple(row for session in times for row in _steps(analysis, session)),
    )


def _load(analysis: Analysis, cell: Cell) -> str:
    """The definition of a session, such as "search, reserve; a new visitor each; 4 users"."""
    sessions = analysis.run.schedule.sessions
    words = []
    for name in cell.mix:
        if name in sessions:
            made = Counter(step.operation for step in sessions[name].steps)
            steps = ", ".join(f"{step} ({count} times)" if count > 1 else step for step, count in made.items())
            visitor = "; a new visitor each" if sessions[name].new_visitor else ""
            ending = "" if sessions[name].on_failure == "end-session" else "; a session continues after a failure"
            words.append(f"{name}: {steps}{visitor}{ending}")
    return f"{'. '.join(words)}. {plural(cell.users, 'user')}."


def _figures(analysis: Analysis, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Subject, complete sessions per second, their mean with its interval, and percentiles."""
    whole = {
        (figure.subject, figure.measure.name): figure
        for figure in analysis.figures
        if figure.fork is None and figure.cell.name == cell.name
    }
    for subject in analysis.run.schedule.subjects_in(cell):
        row = [full_label(analysis.run, subject)]
        for name in ("session_rate", "session_time_mean", *(f"session_time_p{percent}" for percent in _PERCENTILES)):
            figure = whole.get((subject, name))
            row.append("-" if figure is None or figure.value is None else value_text(figure.value))
            if name == "session_time_mean":
                interval = None if figure is None else figure.interval
                row.append(range_text((interval.low, interval.high) if interval else None))
        yield tuple(row)


def _ratios(analysis: Analysis, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Each subject's mean time of a complete session against the reference's, with its interval and word, if any."""
    for judgement in analysis.judgements:
        compared = judgement.compared
        if compared.cell.name != cell.name or compared.measure.name != "session_time_mean" or compared.ratio is None:
            continue
        bounds = compared.bounds
        interval = "" if bounds is None else " to ".join(ratio_text(bound, bounds) for bound in bounds)
        word = judgement.text or ("secondary" if not compared.primary else "no verdict")
        yield f"{compared.a} / {compared.b}", ratio_text(compared.ratio, bounds), interval, word


def _cut_off(times: Sequence[SessionTimes]) -> Iterator[str]:
    """Sessions that are so long that the end of a slice cuts off too many of them."""
    for session in times:
        seconds = getattr(session.cell.profile, "seconds", None)
        if session.mean_ms is not None and seconds is not None and session.mean_ms / 1000 > _LONG * seconds:
            yield (
                f"A complete session of {session.subject} took {short_text(session.mean_ms / 1000)} s of slices of {seconds:g} s: "
                "sessions cut off by the end of a slice are not counted, so long ones are missing here. "
                "Use longer slices, or fixed work, to measure them."
            )


def _steps(analysis: Analysis, times: SessionTimes) -> Iterator[tuple[str, ...]]:
    """One row for the complete session, and one for each operation of its steps."""
    subject = full_label(analysis.run, times.subject)
    early = "" if times.ended_early is None else f"{times.ended_early:,} ended early"
    yield f"{times.name}, whole", subject, *_time_cells(times.times), early
    for step in times.steps:
        often = "" if step.each == 1 else f", {step.each:.3g} times"
        failures = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in step.failures.items())
        yield f"{step.operation}{often}", subject, *_time_cells(step.times), failures or "0"


def _time_cells(times: Histogram) -> tuple[str, ...]:
    """Their number, their mean, and the percentiles that this number supports."""
    if not times.total:
        return "0", *("-" for _ in range(1 + len(_PERCENTILES)))
    percentiles = (
        "-" if percentile_refusal(percent / 100, times.total) else value_text(times.percentile(percent) / 1000)
        for percent in _PERCENTILES
    )
    return f"{times.total:,}", value_text(times.mean() / 1000), *percentiles


SECTION = Section("sessions", content)
