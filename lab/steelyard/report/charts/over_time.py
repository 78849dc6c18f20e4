"""Charts of a test: response time and throughput over time and by number of users, and failures if there are any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...analyse import blocks
from ...analyse.blocks import Numbers, Series
from ...base.text import value_text
from ...models.records import Cell
from ...results.stored_run import Run
from ..drawing import SMALL, Picture, draw_narrow, marks, series
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

_MOST_POINTS = 120
_MOST_ROWS = 12
_HEIGHT = 150
Points = list[tuple[float, float, float, float]]  # x, mean over forks, lowest fork, highest fork


def charts(place: int, run: Run, cell: Cell) -> Iterator[Picture]:
    """The charts of the cell's block; none without data. `place` keeps the identifiers of several tests apart."""
    forks = {subject: blocks.series(run, cell, subject) for subject in run.schedule.subjects}
    forks = {subject: fork_series for subject, fork_series in forks.items() if fork_series}
    if not forks:
        return
    subjects = run.schedule.subjects

    def picture(name: str, title: str, axis: str, unit: str, lines: Mapping[str, Points]) -> Picture:
        return _picture(f"test-{place}-{name}", f"{title}, {unit}", axis, cell, lines, subjects)

    def over_time(value: str) -> dict[str, Points]:
        return {subject: _over_time([(fork, getattr(fork, value)) for fork in them]) for subject, them in forks.items()}

    yield picture("time-response", "Response time", "seconds", "ms", over_time("response_ms"))
    yield picture("time-throughput", "Throughput", "seconds", "requests/s", over_time("throughput_per_s"))
    levels = {subject: [blocks.by_users(fork) for fork in them] for subject, them in forks.items()}
    levels = {subject: them for subject, them in levels.items() if any(len(fork.users) for fork in them)}
    if levels and cell.profile.kind in ("ramp", "steps", "stages"):

        def over_users(value: str) -> dict[str, Points]:
            return {
                subject: _mean_points([(fork.users, getattr(fork, value)) for fork in them])
                for subject, them in levels.items()
            }

        yield picture("users-response", "Response time", "users", "ms", over_users("response_ms"))
        yield picture("users-throughput", "Throughput", "users", "requests/s", over_users("throughput_per_s"))
    if any(fork.failed_per_s.any() for them in forks.values() for fork in them):
        yield picture("time-failures", "Failures of all kinds", "seconds", "1/s", over_time("failed_per_s"))


def _over_time(forks: Sequence[tuple[Series, Numbers]]) -> Points:
    """Whole seconds, grouped so that no line has more points than are visible."""
    longest = max(len(values) for _, values in forks)
    width = max(1, -(-longest // _MOST_POINTS))
    return _mean_points([_bin_values(np.round(fork.second), values, width) for fork, values in forks])


def _bin_values(at: Numbers, values: Numbers, width: int) -> tuple[Numbers, Numbers]:
    if width == 1:
        return at, values
    parts = [slice(start, start + width) for start in range(0, len(at), width)]
    return np.array([at[part][-1] for part in parts]), np.array([_mean(values[part]) for part in parts])


def _mean(values: Numbers) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _mean_points(forks: Sequence[tuple[Numbers, Numbers]]) -> Points:
    """The forks' values at each x, without missing ones."""
    by_place: dict[float, list[float]] = {}
    for at, values in forks:
        for x, value in zip(at, values, strict=True):
            by_place.setdefault(float(x), [])
            if np.isfinite(value):
                by_place[float(x)].append(float(value))
    return [(x, *_spread(by_place[x])) for x in sorted(by_place)]


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return (float(np.mean(values)), min(values), max(values)) if values else (float("nan"),) * 3


def _picture(
    name: str, title: str, axis: str, cell: Cell, lines: Mapping[str, Points], subjects: Sequence[str]
) -> Picture:
    named = [subject for subject in subjects if subject in lines]
    by_x = {subject: {x: value for x, value, _, _ in lines[subject]} for subject in named}
    places = sorted({x for points in by_x.values() for x in points})
    shown = [places[round(place)] for place in np.linspace(0, len(places) - 1, min(_MOST_ROWS, len(places)))]
    rows = tuple((f"{x:g}", *(_text(by_x[subject].get(x)) for subject in named)) for x in shown)
    ends = "; ".join(
        f"{subject}: {_text(by_x[subject].get(shown[0]))} to {_text(by_x[subject].get(shown[-1]))}" for subject in named
    )
    return Picture(
        title=f"{title}, over {'time' if axis == 'seconds' else 'users'}",
        caption="",
        alt=f"{title}, over {axis} in test {cell.name}. From the first to the last: {ends}.",
        wide=draw_narrow(name, _chart(lines, axis, subjects)),
        narrow=None,
        headings=(axis, *named),
        rows=rows,
    )


def _text(value: float | None) -> str:
    return "-" if value is None or not np.isfinite(value) else value_text(value)


def _chart(lines: Mapping[str, Points], axis: str, subjects: Sequence[str]) -> Chart:
    """One line per subject: its mean over forks, with a band from the lowest to the highest fork, and gaps without answers."""
    values: list[dict[str, Any]] = [
        {
            "subject": subject,
            "x": x,
            **{key: v if np.isfinite(v) else None for key, v in zip(("mean", "low", "high"), spread, strict=True)},
        }
        for subject, points in lines.items()
        for x, *spread in points
    ]
    scales = series(subjects)
    large = max((value["high"] or 0 for value in values), default=0) >= 1000
    x = channel(
        "x:Q", axis=axis_of(title=axis, tickCount=6, grid=False), scale=scale_of(nice=False, zero=axis == "seconds")
    )
    y_axis = axis_of(title=None, tickCount=4, format="~s" if large else ",.3~f")
    y = channel("mean:Q", axis=y_axis, scale=scale_of(zero=True))
    colour = channel("subject:N", scale=scales["colour"], legend=None)
    dash = channel("subject:N", scale=scales["dash"], legend=None)
    base = marks(values)
    return stack_layers(
        base.as_marks("area", opacity=0.16).encode(x=x, y=channel("low:Q", axis=y_axis), y2="high:Q", color=colour),
        base.as_marks("line", strokeWidth=1.6).encode(x=x, y=y, color=colour, strokeDash=dash),
    ).resize(width=SMALL, height=_HEIGHT)
