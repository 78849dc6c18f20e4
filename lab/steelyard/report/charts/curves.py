"""Curves: percentiles of response time as HdrHistogram plots them, and how each fork warmed up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...analyse.pairing import slice_voids
from ...analyse.ratios import subject_quantities
from ...base.text import plural, value_text
from ...models.records import Cell
from ...plan.kinds import unbroken as is_unbroken
from ...results.stored_run import Run, Trial
from ...statistics.checks import percentile_refusal
from ...statistics.steady import CONSECUTIVE, steady_since
from ..drawing import INK, PLAIN, SMALL, Picture, draw_narrow, marks, series
from ..grammar import Channel, Chart, axis_of, channel, scale_of, stack_layers

_LABELLED = (50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999)
_NINES = (1, 10, 100, 1000, 10_000, 100_000)


def percentile_chart(place: int, run: Run, cell: Cell) -> Picture | None:
    """Response time by percentile over all forks, as far as the sample supports; None where it supports no median."""
    curves = {subject: _percentiles(run, cell, subject) for subject in run.schedule.subjects}
    if not any(50.0 in percentiles for percentiles in curves.values()):
        return None
    subjects = run.schedule.subjects
    rows = tuple(
        (subject, *(value_text(percentiles[percent]) if percent in percentiles else "-" for percent in _LABELLED))
        for subject, percentiles in curves.items()
    )
    summary = "; ".join(
        f"{subject}: median {value_text(percentiles[50.0])} ms"
        + (f", p99 {value_text(percentiles[99.0])} ms" if 99.0 in percentiles else "")
        for subject, percentiles in curves.items()
        if 50.0 in percentiles
    )
    return Picture(
        title=cell.name,
        caption="",
        alt=f"Percentiles of response time on {cell.name}. {summary}.",
        wide=draw_narrow(f"percentiles-{place}", _percentile_lines(curves, subjects)),
        narrow=None,
        headings=("ms at", *(f"{percent:g}%" for percent in _LABELLED)),
        rows=rows,
    )


def percentile_panels(place: int, run: Run, cell: Cell) -> Iterator[Picture]:
    """As `percentile_chart`, with a panel per subject that also has the reference's curve, all on one scale.

    The fastest median comes first, floors last.
    """
    reference = run.schedule.reference
    curves = {subject: _percentiles(run, cell, subject) for subject in run.schedule.subjects}
    curves = {subject: percentiles for subject, percentiles in curves.items() if 50.0 in percentiles}
    every = [ms for subject, percentiles in curves.items() if subject not in run.floors for ms in percentiles.values()]
    for number, subject in enumerate(sorted(curves, key=lambda label: (label in run.floors, curves[label][50.0]))):
        bounds = None if subject in run.floors or not every else (min(every), max(every))
        both = [subject] if subject == reference or reference not in curves else [reference, subject]
        drawn = _percentile_lines({label: curves[label] for label in both}, both, bounds, 150)
        median = f"median {value_text(curves[subject][50.0])} ms"
        yield Picture(
            title=f"{subject}, {cell.name}",
            caption=f"The solid line is {reference}." if len(both) > 1 else "",
            alt=f"Percentiles of response time of {subject} on {cell.name}: {median}.",
            wide=draw_narrow(f"percentiles-{place}-{number}", drawn),
            narrow=None,
            headings=("ms at", *(f"{percent:g}%" for percent in _LABELLED)),
            rows=tuple(
                (label, *(value_text(curves[label][at]) if at in curves[label] else "-" for at in _LABELLED))
                for label in both
            ),
        )


def _percentiles(run: Run, cell: Cell, subject: str) -> dict[float, float]:
    """Milliseconds by percentile, evenly spaced on the axis of nines; it ends where fewer than ten requests lie beyond."""
    quantities = subject_quantities(run, cell, subject)
    histogram = quantities.histogram("response")
    if not histogram.total:
        return {}
    steps = sorted({100 * (1 - 10 ** (-place / 10)) for place in range(51)} | set(_LABELLED))
    milliseconds = {}
    for percent in (round(step, 6) for step in steps):
        microseconds = histogram.percentile(percent)
        if percentile_refusal(percent / 100, histogram.total, quantities.beyond(microseconds)) is None:
            milliseconds[percent] = microseconds / 1000
    return milliseconds


def _percentile_lines(
    curves: dict[str, dict[float, float]],
    subjects: Sequence[str],
    bounds: tuple[float, float] | None = None,
    height: int = 230,
) -> Chart:
    """`bounds` are the lowest and highest milliseconds of the axis, if several charts share it."""
    values: list[dict[str, Any]] = [
        {
            "subject": subject,
            "beyond": 1 / (1 - percent / 100),
            "ms": ms,
            "mark": percent in _LABELLED,
            "description": f"{subject}, {percent:g}% within {value_text(ms)} ms",
        }
        for subject, percentiles in curves.items()
        for percent, ms in percentiles.items()
    ]
    lowest, highest = bounds or (min(value["ms"] for value in values), max(value["ms"] for value in values))
    scales = series(subjects)
    reach = max(value["beyond"] for value in values)
    x = channel(
        "beyond:Q",
        scale=scale_of(type="log", domain=[1, max(10, reach)], nice=False),
        axis=axis_of(
            values=[nine for nine in _NINES if nine <= reach * 1.01],
            labelExpr="datum.value == 1 ? '0%' : format(100 * (1 - 1 / datum.value), '~r') + '%'",
            title="percentile",
        ),
    )
    y = _milliseconds_axis(lowest, highest, fixed=bounds is not None)
    encoded = {"x": x, "y": y, "color": channel("subject:N", scale=scales["colour"], legend=None)}
    lines = marks(values).as_marks("line", strokeWidth=2, interpolate="step-after")
    dots = marks(values).where("datum.mark").as_marks("point", size=55, filled=True, opacity=1)
    return stack_layers(
        lines.encode(**encoded, strokeDash=channel("subject:N", scale=scales["dash"], legend=None)),
        dots.encode(
            **encoded,
            shape=channel("subject:N", scale=scales["shape"], legend=None),
            description=channel("description:N"),
        ),
    ).resize(width=SMALL, height=height)


def _milliseconds_axis(lowest: float, highest: float, *, fixed: bool) -> Channel:
    """Logarithmic for a wide range; with exactly these ends if several charts share it (`fixed`)."""
    wide_range = highest > 20 * max(lowest, 1e-6)
    decades = [10.0**power for power in range(-4, 8) if lowest / 10 < 10.0**power <= highest * 10]
    within: dict[str, Any] = {"domain": [lowest if wide_range else 0.0, highest]} if fixed else {}
    return channel(
        "ms:Q",
        scale=scale_of(type="log", nice=True, **within) if wide_range else scale_of(zero=True, **within),
        axis=axis_of(title="response time, ms", format=PLAIN, values=decades)
        if wide_range
        else axis_of(title="response time, ms", format=PLAIN, tickCount=5),
    )


@dataclass(frozen=True)
class WarmUpPoint:
    """One slice of a fork's warm-up curve: seconds of load on its subject and cell at its end, and its state."""

    subject: str
    seconds: float
    throughput_per_s: float
    phase: str
    state: str


def warm_up_chart(trial: Trial, run: Run, cell: Cell, highest: float) -> Picture | None:
    """A fork's slices of one cell in order of time; `highest` sets the same scale for all forks. None without slices."""
    points = list(warm_up_points(trial, cell, unbroken=is_unbroken(run.schedule, cell)))
    if not points:
        return None
    subjects = run.schedule.subjects
    steady = {point.subject: point.seconds for point in points if point.state == "steady"}
    voided = sum(point.state == "voided" for point in points)
    summary = "; ".join(
        f"{subject} steady after {steady[subject]:.0f} s" if subject in steady else f"{subject} not steady in time"
        for subject in dict.fromkeys(point.subject for point in points)
    )
    return Picture(
        title=f"Trial {trial.number}",
        caption=summary + (f"; {plural(voided, 'slice')} voided" if voided else ""),
        alt=f"Throughput over time in trial {trial.number} on {cell.name}: {summary}.",
        wide=draw_narrow(f"warm-up-{trial.number}", _warm_up_lines(points, subjects, highest)),
        narrow=None,
        headings=("s", "subject", "phase", "requests/s", "state"),
        rows=tuple(
            (f"{point.seconds:.0f}", point.subject, point.phase, value_text(point.throughput_per_s), point.state)
            for point in points
        ),
    )


def warm_up_points(trial: Trial, cell: Cell, *, unbroken: bool) -> Iterator[WarmUpPoint]:
    """Each subject's slices of the cell in order of time; one point per second (from ticks) for an unbroken load."""
    for subject in trial.planned.start_order:
        rows = sorted(
            (trial.slices[number].begin_ns, number)
            for number, plan in trial.plans.items()
            if number in trial.slices and plan.cell == cell.name and plan.subject == subject
        )
        steady = _steady_slice(trial, cell, subject)
        loaded = 0.0
        for _, number in rows:
            row, plan = trial.slices[number], trial.plans[number]
            if unbroken:
                ticks = (tick for tick in trial.ticks if tick.slice == number)
                for tick in ticks:
                    yield WarmUpPoint(
                        subject, loaded + (tick.time_ns - row.begin_ns) / 1e9, tick.completed, plan.phase, ""
                    )
                loaded += row.seconds
                continue
            state = "steady" if number == steady else ""
            if plan.phase == "measure":
                state = "voided" if slice_voids(trial, number) else "counted"
            loaded += row.seconds
            yield WarmUpPoint(subject, loaded, row.throughput_per_s, plan.phase, state)


def _steady_slice(trial: Trial, cell: Cell, subject: str) -> int | None:
    """The slice at which the subject was found steady, as the trial recorded it.

    For a trial without that record, the last slice of the first steady stretch.
    """
    numbers = sorted(
        number
        for number, plan in trial.plans.items()
        if plan.phase == "warm-up" and plan.cell == cell.name and plan.subject == subject and number in trial.slices
    )
    recorded = trial.record_or_empty.steady
    for steadiness in recorded:
        if (steadiness.subject, steadiness.cell) == (subject, cell.name):
            known = steadiness.met and 0 < steadiness.slices <= len(numbers)
            return numbers[steadiness.slices - 1] if known else None
    since = steady_since([trial.warm_up_slice(number) for number in numbers])
    return None if since is None else numbers[since + CONSECUTIVE - 1]


def _warm_up_lines(points: Sequence[WarmUpPoint], subjects: Sequence[str], highest: float) -> Chart:
    values: list[dict[str, Any]] = [dict(vars(point)) for point in points]
    scales = series(subjects)
    x = channel(
        "seconds:Q",
        axis=axis_of(title="seconds of load", tickCount=5, grid=False),
        scale=scale_of(zero=True, nice=False),
    )
    y = channel(
        "throughput_per_s:Q",
        scale=scale_of(domain=[0, highest]),
        axis=axis_of(title="requests/s", tickCount=4, format="~s"),
    )
    colour = channel("subject:N", scale=scales["colour"], legend=None)
    shape = channel("subject:N", scale=scales["shape"], legend=None)
    base = marks(values)
    lines = base.as_marks("line", strokeWidth=1.5)
    layers = [
        lines.encode(x=x, y=y, color=colour, strokeDash=channel("subject:N", scale=scales["dash"], legend=None)),
        base.where("datum.state == 'counted'")
        .as_marks("point", size=16, filled=True, opacity=0.9)
        .encode(x=x, y=y, color=colour, shape=shape),
        base.where("datum.state == 'steady'")
        .as_marks("point", size=150, filled=False, strokeWidth=2, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape),
        base.where("datum.state == 'voided'")
        .as_marks("point", shape="cross", angle=45, size=70, filled=True, color=INK, opacity=1)
        .encode(x=x, y=y),
    ]
    return stack_layers(*layers).resize(width=SMALL, height=180)
