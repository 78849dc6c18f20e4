"""Loads and searches for a limit as the list has them, and the tables of what came of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from ..base.text import range_text, value_text
from ..models.outputs import Estimate, LimitOutput, LoadOutput

FIGURES = ("figure", "value", "95% interval", "why there is none")
STAGES = ("stage", "answered/s", "slow, %", "failed, %", "promise")
Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
_MOMENT = re.compile(r"-(\d{4}-\d\d-\d\d-\d{6})(?:-\d+)?$")


def begun(name: str) -> datetime | None:
    """When a load began, in UTC, as the name of its folder says in the machine's own time; None where it says none."""
    said = _MOMENT.search(name)
    try:
        return datetime.strptime(said[1], "%Y-%m-%d-%H%M%S").astimezone(UTC) if said else None
    except (ValueError, OverflowError, OSError):
        return None


def words(figures: LoadOutput | LimitOutput) -> Iterator[str]:
    """What it is, and what must be known of it."""
    yield "load" if isinstance(figures, LoadOutput) else "limit"
    if not figures.valid:
        yield "not valid"
    if isinstance(figures, LoadOutput) and figures.stopped is not None:
        yield "stopped"
    if isinstance(figures, LoadOutput) and figures.goals_kept is False:
        yield "goal not kept"


def sentence(figures: LoadOutput | LimitOutput) -> str:
    """What came of it, in a line."""
    if isinstance(figures, LoadOutput):
        times = [
            f"{name} {_text(estimate)} ms" for name, estimate in figures.response_ms.items() if name in ("p50", "p99")
        ]
        answered = ", ".join([f"{_text(figures.throughput_per_s)} requests/s", *times])
        return f"{figures.service} at {figures.target}, {figures.load}: {answered}"
    promise = " and ".join(figures.promise)
    if figures.limit.value is None:
        return f"{figures.service} at {figures.target}: no limit for {promise}: {figures.limit.why_not}"
    return f"{figures.service} at {figures.target} keeps {promise} up to {_text(figures.limit)} {figures.unit}"


def tables(figures: LoadOutput | LimitOutput) -> Iterator[Table]:
    """Each table's title, headings and rows."""
    if isinstance(figures, LoadOutput):
        estimates = {"throughput, requests/s": figures.throughput_per_s}
        estimates |= {f"response time, {name}, ms": estimate for name, estimate in figures.response_ms.items()}
        yield "Figures", FIGURES, [_row(name, estimate) for name, estimate in estimates.items()]
        if figures.goals:
            goals = [(goal.goal, goal.found, "kept" if goal.kept else "not kept") for goal in figures.goals]
            yield "Goals", ("goal", "measured", ""), goals
        return
    yield "Limit", FIGURES, [_row(f"limit, {figures.unit}", figures.limit)]
    rows = [
        (
            stage.load,
            value_text(stage.answered_per_s),
            f"{stage.slow:.2%}".rstrip("%"),
            f"{stage.failed:.2%}".rstrip("%"),
            f"left out: {stage.left_out}" if stage.left_out else "kept" if stage.kept else "broken",
        )
        for stage in figures.stages
    ]
    yield "Stages, in order of time", STAGES, rows


def remarks(figures: LoadOutput | LimitOutput) -> Iterator[str]:
    """What a reader must know beside the figures."""
    yield from (f"not valid: {why}" for why in figures.why_not)
    if isinstance(figures, LoadOutput):
        if figures.stopped is not None:
            yield f"it was stopped: {figures.stopped}"
        failed = ", ".join(f"{count:,} {kind}" for kind, count in figures.failures.items())
        yield f"answered rightly: {figures.completed:,} in {figures.seconds:g} s; failed: {failed or 'none'}"
    else:
        yield f"by {figures.how}"
        yield f"beyond: {figures.beyond}"
    yield from (f"not loaded: {left.what}: {left.why}" for left in figures.not_loaded)
    yield from figures.notes
    yield from (f"not judged: {figure}" for figure in figures.not_judged)


def _row(name: str, estimate: Estimate) -> tuple[str, ...]:
    value = "-" if estimate.value is None else value_text(estimate.value)
    return name, value, range_text(_interval(estimate)), estimate.why_not or ""


def _interval(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def _text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "?"
    interval = _interval(estimate)
    return value_text(estimate.value) + ("" if interval is None else f" ({range_text(interval)})")
